"""lm-eval's own task files, unchanged, run by `harness run` and by lm-eval alone on rows of the right shape: equal prompts, answers, numbers."""

import json
import random
from importlib.metadata import distributions

import pytest

pytestmark = pytest.mark.engine

from harness import catalog  # noqa: E402
from harness.fake_server import Stub, chance  # noqa: E402
from harness.store import read_run  # noqa: E402
from rewardkit.errors import UsageError  # noqa: E402

SUBJECTS = (
    "algebra", "counting_and_probability", "geometry", "intermediate_algebra", "number_theory", "prealgebra", "precalculus",
)  # fmt: skip
needs_antlr = pytest.mark.skipif(
    not any(found.version.startswith("4.11") for found in distributions(name="antlr4-python3-runtime")),
    reason="lm-eval's Minerva tasks need antlr4 4.11",
)
TASKS = {
    "lm-eval:gsm8k": (),
    "lm-eval:gsm8k_cot": (),
    "hendrycks_math500": (),
    "lm-eval:aime24,lm-eval:aime25": (),
    "gpqa_diamond_cot_zeroshot": (),
    "gpqa_diamond_zeroshot": (),
    "minerva_math500": needs_antlr,
    "minerva_math": needs_antlr,
}


def rows_of(columns, count=6):
    """Made-up rows: every `{n}` in a column's text is the row's number."""
    return [
        {name: text.replace("{n}", str(n)).replace("{nn}", str(2 * n)) for name, text in columns.items()}
        for n in range(3, 3 + count)
    ]


MATH = {"problem": "How much is ${n} + {n}$?", "solution": "It is $\\boxed{{nn}}$.", "answer": "{nn}"}
SETS = {
    "openai/gsm8k": {
        "main": {
            "train": rows_of({"question": "Twice {n} apples?", "answer": "Two times {n}.\n#### {nn}"}),
            "test": rows_of({"question": "Ann has {n} pears and buys {n}?", "answer": "We add.\n#### {nn}"}),
        }
    },
    "HuggingFaceH4/MATH-500": {"default": {"test": rows_of(MATH)}},
    "EleutherAI/hendrycks_math": {
        name: {"train": rows_of(MATH, 2), "test": rows_of({**MATH, "problem": f"In {name}: ${{n}} + {{n}}$?"}, 2)}
        for name in SUBJECTS
    },
    "Maxwell-Jia/AIME_2024": {"default": {"train": rows_of({"Problem": "Find {n} + {n}.", "Answer": "{nn}"})}},
    "math-ai/aime25": {"default": {"test": rows_of({"problem": "Find twice {n}.", "answer": "{nn}"})}},
    "Idavidrein/gpqa": {
        "gpqa_diamond": {
            "train": rows_of(
                {
                    "Question": "Which temperature is twice {n}?",
                    "Correct Answer": "{nn} kelvin",
                    **{f"Incorrect Answer {each}": f"{{n}}{each} kelvin" for each in "123"},
                }
            )
        }
    },
}  # fmt: skip


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """Folders with the hub's names in the current directory, which `datasets` reads in the place of the hub."""
    for name, configs in SETS.items():
        place = tmp_path / name
        place.mkdir(parents=True)
        head = []
        for config, splits in configs.items():
            files = [{"split": split, "path": f"{config}-{split}.jsonl"} for split in splits]
            head.append({"config_name": config, "data_files": files})
            for split, rows in splits.items():
                (place / f"{config}-{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (place / "README.md").write_text(f"---\n{json.dumps({'configs': head})}\n---\n")
    monkeypatch.chdir(tmp_path)


def rule(body, _number):
    """One answer for one prompt, in one of four forms, right for some graders."""
    prompt = json.dumps(body.get("messages") or body["prompt"])
    draw = random.Random(chance(prompt))
    value = draw.choice([str(2 * n) for n in range(3, 9)])
    letter = draw.choice("ABCD")
    forms = (
        f"so\n#### {value}", f"So \\boxed{{{value}}}.", f"The answer is ({letter}).", f"({letter}) since The answer is {value}.",
        f"The final answer is ${value}$. I hope it is correct.",
    )  # fmt: skip
    return {"text": draw.choice(forms)}


def plain(body):
    return {name: value for name, value in body.items() if name != "seed"}  # ours differ between problems


def per_answer(samples):
    """What lm-eval's samples say: task, filter and problem with what was asked, answered and judged."""
    return {
        (task, row.get("filter"), row["doc_id"]): (
            json.dumps(row["arguments"], default=str),
            [str(text) for each in row["resps"] for text in each],
            {name: row[name] for name in row["metrics"]},
        )
        for task, rows in samples.items()
        for row in rows
    }


@pytest.mark.parametrize("chat", [False, True], ids=["text", "chat"])
@pytest.mark.parametrize("tasks", [pytest.param(name, marks=marks) for name, marks in TASKS.items()])
def test_equal_prompts_answers_and_numbers(harness, hub, tiny_model, tmp_path, monkeypatch, tasks, chat):
    import datasets
    import lm_eval

    likelihoods = tasks == "gpqa_diamond_zeroshot"
    if likelihoods and chat:
        pytest.skip("a chat gives no likelihoods")
    kind, path = ("local-chat-completions", "/chat/completions") if chat else ("local-completions", "/completions")
    names = [catalog.stock_file(name) for name in tasks.split(",")]
    monkeypatch.setattr(
        datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache-ours"
    )  # it keeps GPQA's shuffled options
    with Stub(rule) as server:
        more = f",tokenizer={tiny_model}" if likelihoods else ""
        args = ("--model_args", f"base_url={server.url},model=stub{more}")
        code, _, err = harness("run", "--model", kind, *args, "--tasks", tasks, "-o", "ours", "--judge_workers", 0)
        assert code == 0, err
        mine = sorted((plain(body) for body in server.requests), key=str)
        server.requests.clear()
        monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache-theirs")
        more = more or ",tokenizer_backend=None,tokenized_requests=False"
        with catalog.quiet():
            theirs = lm_eval.simple_evaluate(
                model=kind,
                model_args=f"base_url={server.url}{path},model=stub{more}",
                tasks=names,
                task_manager=catalog.manager(names),
                apply_chat_template=chat,
                fewshot_as_multiturn=chat,
                bootstrap_iters=0,
            )
        asked = sorted((plain(body) for body in server.requests), key=str)
        if not likelihoods:  # those are sent in batches
            assert mine == asked
    found = read_run("ours")
    judged = per_answer(theirs["samples"])
    assert len(found.answers) == len({(task, doc) for task, _, doc in judged})
    for answer in found.answers:
        of_filters = [each for (task, _, doc), each in judged.items() if (task, doc) == (answer.task, answer.doc_id)]
        metric = found.problems[answer.task, answer.problem].reward.removeprefix("lm-eval: ").partition(",")[0]
        assert any(answer.accuracy == each[2].get(metric) for each in of_filters), (answer, of_filters)
        assert likelihoods or all([answer.text] == each[1] for each in of_filters)
    [results] = (tmp_path / "ours").rglob("results_*.json")
    numbers = json.loads(results.read_text())["results"]
    for name, metrics in theirs["results"].items():
        for metric, value in metrics.items():
            if isinstance(value, float) and "stderr" not in metric:
                assert numbers[name][metric] == pytest.approx(value), (name, metric)
    assert harness("compare", "ours", "ours")[0] == 0


def test_a_task_that_takes_no_examples_keeps_none(harness, hub):
    with Stub(rule) as server:
        tasks = ("--tasks", "lm-eval:aime24", "--num_fewshot", 2)
        code, _, err = harness("run", "--model", server.url, *tasks, "-o", "ours", "--judge_workers", 0)
    assert (code, "aime24 takes no few-shot examples: --num_fewshot 2 is not used there" in err) == (0, True), err
    assert all(json.dumps(body).count("Question:") == 1 + ("Question:" in body["stop"]) for body in server.requests)


@pytest.mark.parametrize("name", ["lm-eval:gsm8kk", "lm-eval:"])
def test_a_task_that_lm_eval_does_not_have_is_one_line(name):
    with pytest.raises(UsageError, match=f"lm-eval has no task '{name.partition(':')[2]}'"):
        catalog.stock_file(name)
