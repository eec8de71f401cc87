"""No test data in training: the gate over all recipes on the real data, and what it refuses."""

import contextlib
import dataclasses
import gzip
import json
from pathlib import Path

import pytest

from rewardkit import UsageError
from trainers.recipes import files, gate
from trainers.recipes.base import Data
from trainers.recipes.transcripts import transcript

from .test_recipes import DATA, NAMES, needs_data, recipe

TEST = [
    f"A farmer has {n} fields and {n + 3} cows, and each cow eats {n} bales a week; how many bales are eaten?"
    for n in range(9)
]
OTHER = [
    f"A tailor sews {n} shirts from {n + 2} rolls of cloth and sells each at {n} dollars; what does he earn?"
    for n in range(9)
]


def rows(texts):
    return [{"prompt": [{"role": "user", "content": text}]} for text in texts]


def benchmark(folder, texts):
    (folder / "gsm8k").mkdir()
    with gzip.open(folder / "gsm8k" / "test.jsonl.gz", "wt") as file:
        file.writelines(json.dumps({"question": text, "answer": "#### 1"}) + "\n" for text in texts)


def test_what_is_validated_on_or_a_benchmark_is_dropped_and_counted(tmp_path):
    benchmark(tmp_path, TEST[:1])
    data = Data(rows([*OTHER, *TEST[:2]]), rows(TEST[1:2]), sft=rows([*OTHER, TEST[0] + " Think step by step."]))
    clean = gate.decontaminate(data, tmp_path)
    assert (len(clean.train), len(clean.sft), len(clean.validation)) == (9, 9, 1)
    assert "decontamination: train: 2 of 11 rows dropped (1 in validation, 1 in gsm8k)" in clean.notes
    assert "decontamination: sft: 1 of 10 rows dropped (1 in gsm8k)" in clean.notes
    assert any("no file for math500" in note for note in clean.notes)


def test_every_stage_is_compared(tmp_path):
    """Also the rows that a checkpoint is chosen by, and whatever stage is added."""
    benchmark(tmp_path, TEST[:1])
    stages = [name for name, value in vars(Data([], [])).items() if isinstance(value, list) and name != "validation"]
    assert {"train", "sft_eval"} <= set(stages)
    data = Data(validation=rows(TEST[1:2]), **{"train": [], **{stage: rows([*OTHER, *TEST[:2]]) for stage in stages}})
    clean = gate.decontaminate(data, tmp_path)
    assert {len(getattr(clean, stage)) for stage in stages} == {9}


def test_a_recipe_that_would_train_on_a_test_set_does_not_start(tmp_path):
    benchmark(tmp_path, TEST)
    with pytest.raises(UsageError, match=r"9 of 10 sft rows are test data \(9 in gsm8k\)"):
        gate.decontaminate(Data(rows(OTHER), [], sft=rows([*TEST, OTHER[0]])), tmp_path)


@pytest.mark.parametrize("row", [{"Question": "q"}, {"question": None}])
def test_a_benchmark_without_the_column_of_its_problems_is_named(row, tmp_path):
    (tmp_path / "gsm8k").mkdir()
    with gzip.open(tmp_path / "gsm8k" / "test.jsonl.gz", "wt") as file:
        file.write(json.dumps({"question": "q"}) + "\n" + json.dumps(row) + "\n")
    with pytest.raises(UsageError, match=r"test\.jsonl\.gz, row 2: no text in column 'question'"):
        gate.decontaminate(Data(rows(OTHER), []), tmp_path)


@pytest.mark.long
@needs_data
def test_transcripts_of_gsm8k_test_questions_are_refused():
    """The former cold start: ToRA's transcripts, all of them of test questions."""
    path = DATA / "completions_tora" / "tora__tora-70b-v1.0__gsm8k.jsonl.gz"
    if not path.is_file():
        pytest.skip("no ToRA transcripts here")
    with pytest.raises(UsageError, match="674 of 674 sft rows are test data"):
        gate.decontaminate(Data([], [], sft=files.read(path)), DATA)


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_recipe_trains_on_what_it_reports_and_the_docs_have_the_counts(name):
    data = recipe(name).data(DATA)
    again = gate.decontaminate(dataclasses.replace(data, notes=()), DATA)
    assert all(": 0 of " in note for note in again.notes if "rows dropped" in note)
    dropped = [note.removeprefix("decontamination: ") for note in data.notes if "rows dropped" in note]
    assert dropped
    shown = f"| `{name}` | {'; '.join(note.replace(' rows dropped', '') for note in dropped)} |"
    page = (Path(__file__).parents[3] / "docs" / "recipes.md").read_text(encoding="utf-8")
    assert shown in page, shown


@needs_data
def test_made_transcripts_are_right_and_of_training_questions():
    items = files.read(DATA / "gsm8k" / "train.jsonl.gz", 400)
    made = []
    for item in items:
        with contextlib.suppress(files.UnusableRowError):
            made.append((item, transcript(item, "")))
    assert len(made) > 300
    for item, row in made:
        answer = item["answer"].partition("####")[2].strip().replace(",", "")
        tools = [turn["content"] for turn in row["completion"] if turn["role"] == "tool"]
        assert float(tools[-1].splitlines()[-1]) == float(answer)
        assert row["completion"][-1]["content"] == f"The answer is \\boxed{{{answer}}}."
        calls = [
            turn["tool_calls"][0]["function"]["arguments"]["code"] for turn in row["completion"] if "tool_calls" in turn
        ]
        assert all(line.startswith("print(") for code in calls for line in code.splitlines())
        assert len(calls) == len(tools)


@pytest.mark.parametrize(
    "solution",
    [
        "She has 5.\n#### 5",
        "She has <<2+2=5>>5.\n#### 5",
        "<<__import__('os')=1>>1\n#### 1",
        "<<9**9**9=1>>1\n#### 1",
        "<<1/0=1>>\n#### 1",
    ],
)
def test_a_solution_without_right_plain_calculations_makes_no_transcript(solution):
    with pytest.raises(files.UnusableRowError, match="step"):
        transcript({"question": "q", "answer": solution}, "")
