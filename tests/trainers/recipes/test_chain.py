"""Stages are chained: each loads what the one before it saved, and a missing link is said before anything runs."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from rewardkit import UsageError
from trainers.recipes import ask, chain, models, trl_stages, verl_config
from trainers.recipes.base import Data
from trainers.recipes.chain import Link

from .test_recipes import NAMES, recipe


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("trainer", ["trl", "verl"])
def test_each_stage_loads_what_the_stage_before_saved_and_the_last_is_evaluated_and_exported(name, trainer, tmp_path):
    config = recipe(name).config
    if trainer == "verl" and "verl" not in config:
        pytest.skip("no verl form")
    links = chain.links(config, "base", tmp_path, trainer)
    chain.check(links, "base")
    assert links[0].loads == "base"
    assert [link.stage for link in links[-2:]] == ["evaluate", "export"]
    assert {link.loads for link in links[-2:]} == {str(tmp_path / "grpo-merged")}
    if trainer == "verl":
        loaded = verl_config.loads(config, verl_config.commands(config, {}, "base", tmp_path))
        chain.check(links, "base", loaded)
        assert loaded.keys() == {link.stage for link in links[:-2]}


def test_a_command_that_loads_something_else_is_refused(tmp_path):
    config = recipe("grpo_tcr").config
    config["verl"]["actor_rollout_ref.model.path"] = "Qwen/Qwen3-4B-Instruct-2507"  # as it once was: SFT for nothing
    with pytest.raises(
        UsageError, match=r"grpo loads Qwen/Qwen3-4B-Instruct-2507, but the stage before it saves .*sft-merged"
    ):
        verl_config.check(config, Data([], []), "base", tmp_path)
    with pytest.raises(UsageError, match="does not say which model"):
        verl_config.loads({"verl": {}}, {"verl": ["python -m verl.trainer.main_ppo"]})


def test_a_gap_in_a_chain_is_refused():
    with pytest.raises(UsageError, match="the chain is broken"):
        chain.check([Link("sft", "base", "a"), Link("grpo", "base", "b")], "base")


def test_a_stage_alone_needs_what_it_loads(tmp_path):
    chain.require("base", "base", "sft")
    with pytest.raises(UsageError, match="run the previous stage first"):
        chain.require(str(tmp_path / "sft-merged"), "base", "grpo")


@pytest.mark.parametrize("name", ["gsm8k_agent", "reasoning_alignment"])
def test_a_stage_alone_leaves_the_results_of_the_others(name, tmp_path, monkeypatch):
    def evaluate(stages, stage, _source, _data):
        stages.results[stage] = {"accuracy": len(stage)}

    for method in ("sft", "grpo"):
        monkeypatch.setattr(trl_stages.Stages, method, lambda *_: None)
    monkeypatch.setattr(trl_stages.Stages, "evaluate", evaluate)
    monkeypatch.setattr(trl_stages.Stages, "short_prompts", lambda _, rows: rows)
    monkeypatch.setattr(chain, "require", lambda *_: None)
    own, tokenizer, found = recipe(name), SimpleNamespace(pad_token="x", eos_token="x"), {}
    for only in ("all", "sft", "grpo", "all"):
        stages = trl_stages.Stages(own.config, own.reward, tokenizer, tmp_path)
        stages.all("base", SimpleNamespace(train=[], sft=[], pre_sft=[], sft_eval=[], validation=[]), only=only)
        found[only] = json.loads((tmp_path / "results.json").read_text())
        if only == "sft":
            (tmp_path / "results.json").write_text(json.dumps({**found["sft"], "sft": {"accuracy": -1}}))
    assert (
        list(found["sft"])
        == list(found["grpo"])
        == list(found["all"])
        == ["baseline", *(key for key in trl_stages.CONFIGS if key in own.config)]
    )
    assert found["grpo"]["sft"] == {"accuracy": -1}
    assert found["all"]["sft"] == {"accuracy": 3}


def test_unsloth_loads_the_model_where_it_is_installed_and_nothing_else_changes(monkeypatch):
    calls = []
    fast = SimpleNamespace(
        from_pretrained=lambda **options: (calls.append(options) or "model", "tokenizer"),
        get_peft_model=lambda model, **options: calls.append(options) or f"{model} with LoRA",
    )
    config = recipe("unsloth_grpo").config
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    assert models.unsloth(config, "base") is None
    monkeypatch.setattr(models, "find_spec", lambda name: name)
    monkeypatch.setitem(sys.modules, "unsloth", SimpleNamespace(FastLanguageModel=fast))
    assert models.unsloth(config, "base") == "model with LoRA"
    assert calls[0] == {
        "model_name": "base", "max_seq_length": 2048, "load_in_4bit": False, "fast_inference": True, "max_lora_rank": 32,
        "gpu_memory_utilization": 0.7,
    }  # fmt: skip
    assert (calls[1]["r"], calls[1]["lora_alpha"], calls[1]["random_state"]) == (32, 64, 3407)
    assert models.unsloth(recipe("gsm8k_agent").config, "base") is None


@pytest.mark.trainer
def test_asking_before_training_says_so(tmp_path):
    pytest.importorskip("trl")
    with pytest.raises(UsageError, match="no trained model"):
        ask.compare(recipe("unsloth_grpo").config, "base", tmp_path, system="")


@pytest.mark.parametrize("own", [{}, {"max_completion_length": 5}])
def test_an_evaluation_allows_as_many_tokens_as_the_training_unless_it_says_otherwise(own, monkeypatch, tmp_path):
    allowed = []
    monkeypatch.setattr(trl_stages.models, "load", lambda *_: None)
    monkeypatch.setattr(trl_stages, "answers", lambda *_, max_tokens, **__: allowed.append(max_tokens) or [])
    config = recipe("dapo_math").config | {
        "evaluate": {"reward": "exact", **own},
        "grpo": {"max_completion_length": 7168},
    }
    trl_stages.Stages(
        config, recipe("dapo_math").reward, SimpleNamespace(pad_token="x", eos_token="x"), tmp_path
    ).evaluate("grpo", "m", Data([], []))
    assert allowed == [own.get("max_completion_length", 7168)]


def test_the_merge_command_names_one_folder_whatever_is_in_its_name(tmp_path):
    folder = tmp_path / "my runs" / "it's"
    folder.mkdir(parents=True)
    (folder / "latest_checkpointed_iteration.txt").write_text("7")
    line = verl_config._merge(folder, f"{folder}-merged", "actor")
    said = subprocess.run(
        ["bash", "-c", f"set -- {line}; printf '%s\\n' \"$@\""], capture_output=True, text=True, check=True
    )
    words = said.stdout.splitlines()
    assert words[words.index("--local_dir") + 1] == f"{folder}/global_step_7/actor"
    assert words[words.index("--target_dir") + 1] == f"{folder}-merged"
