"""The five recipes on the real data: what a dry run finds, and what is prepared. Tiny training runs are marked trainer."""

import importlib
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from rewardkit import UsageError, load
from trainers.recipes import ask, base, evaluation, files, reasoning_alignment, verl_config
from trainers.recipes.dapo_math import integer

NAMES = ("dapo_math", "grpo_tcr", "gsm8k_agent", "reasoning_alignment", "unsloth_grpo")
DATA = Path(os.environ.get("REWARDKIT_DATA") or Path(__file__).parents[4] / "shared" / "data")
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real data sets are not here; set REWARDKIT_DATA")


def prepared(name, limit):
    own = recipe(name)
    return own.prepare(files.Sources(own.config["data"], DATA, limit))


def recipe(name):
    return importlib.import_module(f"trainers.recipes.{name}").RECIPE


def invoke(name, *args):
    return CliRunner().invoke(base.command(recipe(name)), [str(arg) for arg in args])


def test_every_folder_is_a_recipe_with_a_config_and_a_command():
    folders = sorted(path.parent.name for path in Path(base.__file__).parent.glob("*/config.toml"))
    assert tuple(folders) == NAMES
    assert all((Path(base.__file__).parent / name / "__main__.py").is_file() for name in NAMES)


@pytest.mark.long
@needs_data
@pytest.mark.parametrize("name", NAMES)
def test_a_dry_run_checks_data_and_rewards_without_a_gpu(name, tmp_path):
    result = invoke(name, "--data", DATA, "--dry-run", "--limit", 12, "-o", tmp_path)
    assert result.exit_code == 0, result.output
    assert "right answers correct, no empty one" in result.output
    assert f"ok: reward {recipe(name).reward.text}" in result.output
    assert f"ok: evaluate: {tmp_path}/grpo-merged -> {tmp_path}/results.json" in result.output
    assert f"ok: export: {tmp_path}/grpo-merged -> " in result.output
    assert "note: decontamination: train: " in result.output
    assert "ok: reward floor: " in result.output
    assert "without the ground truth" in result.output


@pytest.mark.parametrize("name", NAMES)
def test_missing_data_is_one_line_with_the_cure(name, tmp_path):
    result = invoke(name, "--data", tmp_path, "--dry-run")
    assert result.exit_code == 2
    assert result.output.startswith("error: no file")
    assert invoke(name, "--data", tmp_path / "nowhere").output.startswith("error: no folder")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--dry-run", "--tiny"], "exclude each other"),
        (["--tiny", "--stage", "grpo"], "exclude each other"),
        (["--tiny", "--stage", "ask"], "exclude each other"),
        (["--dry-run", "--stage", "ask"], "exclude each other"),
        (["--limit", "-5"], "is not in the range"),
        (["--limit", "0", "--dry-run"], "is not in the range"),
    ],
)
def test_options_that_make_no_sense_together_are_refused(args, said, tmp_path):
    result = invoke("gsm8k_agent", *args, "--data", tmp_path)
    assert result.exit_code == 2
    assert said in result.output


@needs_data
@pytest.mark.parametrize("name", NAMES)
def test_a_question_is_asked_behind_the_system_prompt_of_the_training(name, monkeypatch, tmp_path):
    turns = (turn for row in prepared(name, 12).train for turn in row["prompt"])
    trained = {turn["content"] for turn in turns if turn["role"] == "system"}
    asked = []
    monkeypatch.setattr(ask, "compare", lambda *_, system: asked.append(system))
    assert invoke(name, "--data", DATA, "--stage", "ask", "-o", tmp_path).exit_code == 0
    assert asked == [*(trained or {""})]


@needs_data
def test_a_reward_that_fails_right_answers_is_found_before_training(tmp_path):
    good = recipe("gsm8k_agent")
    data = prepared("gsm8k_agent", 12)
    bad = base.Recipe(good.folder, good.prepare, lambda row: "I do not know")
    with pytest.raises(UsageError, match="0% of 12 right answers correct"):
        base.check_rewards(bad, data)


@needs_data
def test_gsm8k_rows_carry_worked_thinking_the_calculator_call_and_a_plain_number():
    data = prepared("gsm8k_agent", 20)
    assert data.train[0]["worked"] == (
        "<think>\nNatalia sold 48/2 = 24 clips in May.\nNatalia sold 48+24 = 72 clips altogether in April and May.\n"
        'Final calculation needed: 48+24\n</think>\n\n<tool_call>\ncalculator(expression="48+24")\n</tool_call>\n\n'
        "The final answer is **72**."
    )
    assert "calculator tool" in data.train[0]["prompt"][0]["content"]
    assert data.train[0]["ground_truth"] == "72"
    assert set(data.sft[0]) == {"prompt", "completion"}
    assert len(data.sft) + len(data.sft_eval) == 20  # the best checkpoint is chosen on rows that nothing trains on


@needs_data
def test_grpo_tcr_takes_the_same_number_of_rows_from_each_source_and_says_what_is_missing():
    data = prepared("grpo_tcr", 20)
    counts = {}
    for row in [*data.train, *data.validation]:
        counts[row["data_source"]] = counts.get(row["data_source"], 0) + 1
        assert row["agent_name"] == "tool_agent"
        assert isinstance(row["reward_model"]["ground_truth"], str)
    assert set(counts) == {"deepscaler", "leetcode_code", "big_math", "omni_math"}
    assert len(set(counts.values())) == 1
    assert {row["data_source"] for row in data.validation} == set(counts)
    assert any(note.startswith("gpqa_science: not available") for note in data.notes)
    assert any(
        note.startswith("numina_math: not available") and "big_math takes its place" in note for note in data.notes
    )
    assert not any(note.startswith(("deepscaler", "omni_math")) for note in data.notes), "they are there"
    roles = [turn["role"] for turn in [*data.sft[0]["prompt"], *data.sft[0]["completion"]]]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "assistant"]


@needs_data
@pytest.mark.slow
def test_grpo_tcr_trains_on_490_and_validates_on_10():
    data = recipe("grpo_tcr").data(DATA)
    assert (len(data.train), len(data.validation)) == (490, 10)


@needs_data
def test_the_reasoning_recipe_keeps_2000_rows_for_the_test_and_60_for_the_form():
    data = prepared("reasoning_alignment", None)
    assert (len(data.validation), len(data.pre_sft), len(data.sft)) == (1868, 60, 2000)  # GSM8K in place of OpenR1-Math
    texts = [files.question_of(row) for part in (data.validation, data.pre_sft, data.sft, data.train) for row in part]
    assert len(set(texts)) == len(texts)


@needs_data
def test_dapo_rows_have_single_braces_and_validation_answers_are_plain_integers():
    data = prepared("dapo_math", 12)
    assert "{{" not in data.train[0]["prompt"][0]["content"]
    assert {row["data_source"] for row in data.validation} == {"aime25", "amc23", "aime24"}
    assert all(
        row["reward_model"]["ground_truth"] == str(int(row["reward_model"]["ground_truth"])) for row in data.validation
    )


@pytest.mark.parametrize(
    ("answer", "text"), [("033", "33"), ("27.0", "27"), ("-5", "-5"), ("\\frac{1}{2}", "\\frac{1}{2}")]
)
def test_integers_have_one_spelling(answer, text):
    assert integer(answer) == text


def test_verl_overrides_are_quoted_where_hydra_needs_it():
    section = {"a.b": True, "c": 1e-6, "d": ["x"], "e": "exact(tag='boxed')", "f": "{model}"}
    assert verl_config.overrides(section, {}, "Qwen/Qwen3-4B") == [
        "a.b=true", "c=1e-06", "d=[x]", "e='exact(tag=\\'boxed\\')'", "f=Qwen/Qwen3-4B",
    ]  # fmt: skip


def test_rows_survive_both_file_formats(tmp_path):
    pytest.importorskip("pyarrow")
    row = files.verl_row("q", {"inputs": ["1"]}, data_source="d", index=3, split="train", agent="tool_agent")
    for name in ("rows.jsonl", "rows.parquet"):
        assert files.write([row], tmp_path / name) == 1
        assert files.read(tmp_path / name) == [row]
    assert json.loads(row["reward_model"]["ground_truth"]) == {"inputs": ["1"]}
    assert files.trl_row(row)["ground_truth"] == row["reward_model"]["ground_truth"]


@needs_data
def test_a_verl_recipe_writes_its_files_and_prints_the_commands_in_order(tmp_path):
    result = invoke("dapo_math", "--data", DATA, "--limit", 6, "--model", "/models/base", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    train, merge, validate = result.output.splitlines()[-3:]
    assert train.startswith("python -m verl.trainer.main_ppo ")
    assert f"data.train_files={tmp_path}/train.parquet" in train
    assert "actor_rollout_ref.model.path=/models/base" in train
    assert merge.startswith("python -m verl.model_merger merge ")
    assert merge.endswith(f"--target_dir {tmp_path}/grpo-merged")
    assert f"actor_rollout_ref.model.path={tmp_path}/grpo-merged" in validate
    assert "data.max_response_length=31744" in validate
    assert files.read(tmp_path / "train.parquet")


@needs_data
def test_the_sft_command_is_started_as_many_processes(tmp_path):
    result = invoke("grpo_tcr", "--data", DATA, "--limit", 6, "-o", tmp_path)
    assert result.exit_code == 0, result.output
    sft = result.output.splitlines()[-4]
    assert sft.startswith("torchrun --standalone --nnodes=1 --nproc_per_node=4 -m verl.trainer.sft_trainer ")


@needs_data
def test_a_form_that_a_recipe_does_not_have_is_refused(tmp_path):
    result = invoke("gsm8k_agent", "--data", DATA, "--trainer", "verl", "-o", tmp_path)
    assert result.exit_code == 2
    assert "has no verl form" in result.output


def test_the_template_of_the_four_markers_ends_where_the_model_begins_to_work():
    pytest.importorskip("jinja2")
    from trainers.recipes.trl_stages import _check_template

    template = recipe("unsloth_grpo").config["recipe"]["chat_template"]
    assert _check_template(template).endswith("'<start_working_out>'")
    with pytest.raises(UsageError, match="drops the system message"):
        _check_template("{{ messages[1].content }}")


@pytest.mark.trainer
@pytest.mark.parametrize("name", NAMES)
def test_trl_accepts_every_key(name):
    pytest.importorskip("trl")
    from trainers.recipes import trl_stages

    lines = trl_stages.check(recipe(name).config)
    assert lines
    assert all("accepted by TRL's" in line or "chat template renders" in line for line in lines)


@pytest.mark.trainer
def test_an_unknown_key_and_a_batch_that_does_not_divide_are_refused():
    pytest.importorskip("trl")
    from trainers.recipes import trl_stages

    with pytest.raises(UsageError, match="max_new_tokens"):
        trl_stages.check({"recipe": {}, "grpo": {"max_new_tokens": 5}})
    with pytest.raises(UsageError, match="num_generations"):
        trl_stages.check({"recipe": {}, "grpo": {"per_device_train_batch_size": 1, "num_generations": 4}})
    with pytest.raises(UsageError, match="all samples of a prompt equal"):
        trl_stages.check({"recipe": {}, "grpo": {"generation_kwargs": {"seed": 3407}}})


@needs_data
@pytest.mark.trainer
@pytest.mark.parametrize("name", NAMES)
def test_a_tiny_run_trains_saves_and_evaluates_every_stage(name, tmp_path):
    pytest.importorskip("trl")
    result = invoke(name, "--data", DATA, "--tiny", "--limit", 60, "-o", tmp_path)
    assert result.exit_code == 0, (result.output, result.exception)
    assert "plumbing check: " in result.output
    config = recipe(name).config
    rows = json.loads((tmp_path / "results.json").read_text())
    trained = [stage for stage in ("pre_sft", "sft", "grpo") if stage in config]
    assert [name for name in rows if " " not in name] == ["baseline", *trained]
    assert all({"accuracy", "unjudged", "tokens"} <= set(row) and row["unjudged"] == 0 for row in rows.values())
    for stage in trained:
        assert (tmp_path / f"{stage}-merged" / "config.json").is_file()
        assert not_zero(tmp_path / f"{stage}-adapter") == ("lora" in config)
    if name == "unsloth_grpo":
        answers = ask.compare(config, str(tmp_path / "base"), tmp_path, system="Think.", max_tokens=4)
        assert list(answers) == ["without the adapter", "with the adapter"]


def not_zero(adapter):
    """The saved adapter has a B matrix that left zero; False where none was saved."""
    from safetensors.torch import load_file

    file = adapter / "adapter_model.safetensors"
    return file.is_file() and any(bool(value.any()) for name, value in load_file(file).items() if "lora_B" in name)


@pytest.mark.trainer
def test_an_adapter_that_learned_nothing_is_noticed():
    torch = pytest.importorskip("torch")
    from trainers.recipes.trl_stages import require_trained_adapter

    model = torch.nn.Module()
    model.lora_B = torch.nn.Linear(2, 2, bias=False)
    torch.nn.init.zeros_(model.lora_B.weight)
    with pytest.raises(UsageError, match="all zero"):
        require_trained_adapter(model)
    torch.nn.init.ones_(model.lora_B.weight)
    require_trained_adapter(model)


def test_the_reasoning_recipe_takes_the_number_behind_the_marks_and_no_proofs():
    item = {"question": "2 + 1000?", "answer": "2 + 1000 = <<2+1000=1002>>1002\n#### 1,002", "solution": "s"}
    row = reasoning_alignment._row("gsm8k", 0, item)
    assert row["ground_truth"] == "1002"
    assert row["worked"] == "<think>\n2 + 1000 = 1002\n</think>\n\n\\boxed{1002}"
    other = {"problem": "p", "solution": "s", "answer": " 1,5 "}
    assert reasoning_alignment._row("openr1", 0, other)["ground_truth"] == "1,5"
    for answer in ("", "proof"):
        with pytest.raises(files.UnusableRowError):
            reasoning_alignment._row("openr1", 0, {**other, "answer": answer})


@pytest.mark.parametrize(
    ("answers", "reward", "said"),
    [(["4", "5"], "exact", ""), ([None, None], "exact", "no row"), (["4", "x"], "exact", "5")],
)  # fmt: skip
def test_the_reward_is_tried_on_right_and_empty_answers(answers, reward, said):
    rows = [{"prompt": f"p{n}", "ground_truth": str(4 + n), "answer": answer} for n, answer in enumerate(answers)]
    recipe = SimpleNamespace(reward=load(reward), right_answer=lambda row: row["answer"])
    data = base.Data(train=rows, validation=[])
    if not said:
        base.check_rewards(recipe, data)
        return
    with pytest.raises(UsageError, match=said):
        base.check_rewards(recipe, data)


def test_a_table_of_stages_has_the_published_headings():
    results = {"sft": {"accuracy": 0.5, "score": 1.0}, "grpo": {"accuracy": 0.75, "score": 1.25}}
    assert (
        evaluation.table(results, {"Acc": "accuracy"})
        == "| stage | Acc |\n|---|---|\n| sft | 0.500 |\n| grpo | 0.750 |"
    )
    assert evaluation.table(results).splitlines()[2] == "| sft | 0.500 | 1.000 |"
