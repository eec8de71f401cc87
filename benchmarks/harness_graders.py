"""Grader against grader on the same real answers: `math` of rewardkit and the graders of lm-eval's own tasks.

Tasks are lm-eval's, built from its installed YAML with rows of ours in the columns of the hub's data set, and judged as
`harness run --reward math` judges them. Where people or several graders have settled an answer, the table says who was right.

REWARDKIT_DATA=... python -m benchmarks harness_graders    # lm-eval's Minerva tasks need antlr4-python3-runtime==4.11
"""

from __future__ import annotations

import gzip
import importlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks._common import data_dir, machine, today, version
from harness import catalog
from harness.own_metric import ground_truth_of
from harness.task_index import stock_tasks
from rewardkit import Sample, load

DATA = data_dir() or Path()
Row = dict[str, Any]


@dataclass
class Case:
    """One answer, and whether it is right where that is known."""

    text: str
    label: bool | None


@dataclass
class Source:
    """Problems as the hub has them, and answers to each."""

    task: str
    about: str
    rows: list[Row] = field(default_factory=list)
    cases: list[list[Case]] = field(default_factory=list)
    reward: str = "math"

    def add(self, row: Row, case: Case) -> None:
        self.rows.append(row)
        self.cases.append([case])


def read(name: str) -> list[Row]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@cache
def verdicts() -> dict[tuple[str, str, str], bool | None]:
    known = {"correct": True, "incorrect": False}
    rows = read("completions_skythought/verdicts.jsonl.gz")
    return {(row["file"], str(row["idx"]), str(row["sample"])): known.get(row["verdict"]) for row in rows}


def gsm8k() -> Iterator[Source]:
    models = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
    trained = Source("gsm8k", "4 fine-tuned GPT-3 runs, written as the task asks (`####`)")
    for row in read("completions_gsm8k_openai/gsm8k_openai_175b_6b.jsonl.gz"):
        doc = {"question": row["question"], "answer": row["ground_truth"].replace("\nA: ", "\n#### ")}
        for model in models:
            text = str(row[model]["solution"]).replace("\nA: ", "\n#### ").replace("\nA:", "\n####")
            trained.add(doc, Case(text, bool(row[model]["is_correct"])))
    yield trained
    boxed = Source("gsm8k", "ToRA-70B, answer in a box")
    for row in read("completions_tora/tora__tora-70b-v1.0__gsm8k.jsonl.gz"):
        doc = {"question": row["question"], "answer": f"#### {row['gt']}"}
        boxed.add(doc, Case(row["code"][0], None))
    yield boxed


def skythought(task: str, name: str, columns: Mapping[str, str]) -> Source:
    source = Source(task, "Qwen2.5, Gemma 2, Llama 3.1, Sky-T1")
    for path in sorted((DATA / "completions_skythought").glob(f"*__{name}.jsonl.gz")):
        for row in read(f"completions_skythought/{path.name}"):
            doc = {ours: str(row[theirs]) for ours, theirs in columns.items()}
            for number, text in enumerate(row["code"]):
                source.add(doc, Case(text, verdicts().get((path.name, str(row["idx"]), str(number)))))
    return source


def sheets(task: str, year: str, columns: Mapping[str, str]) -> Source:
    source = Source(task, "GPT-4o and Claude 3.5 Sonnet")
    for model in ("gpt-4o", "claude-3-5-sonnet"):
        for row in read(f"completions_dynamic_cheatsheet/dynamic_cheatsheet__{model}__aime_{year}.jsonl.gz"):
            doc = {ours: str(row[theirs]) for ours, theirs in columns.items()}
            source.add(doc, Case(str(row["final_output"]), None))
    return source


SAYINGS = (
    "The answer is ({}).", "So the correct choice is ({}).", "$\\boxed{{{}}}$", "**Answer: {}**", "The answer is {}", "({})",
    "Final answer: option {}, since (A) and (B) break the rule.", "The answer is \\boxed{{\\text{{({})}}}}.",
)  # fmt: skip


def gpqa() -> Source:
    """200 made-up questions with the columns of the real, gated file; half of the answers are right."""
    source = Source(
        "gpqa_diamond_cot_zeroshot", "made-up questions, 8 ways to say a letter", reward="choice(letters='ABCD')"
    )
    draw = random.Random(0)
    for number in range(200):
        wrong = {f"Incorrect Answer {n}": f"{number + n} kelvin" for n in (1, 2, 3)}
        source.rows.append({"Question": f"Question {number}?", "Correct Answer": f"{number} kelvin", **wrong})
        source.cases.append([Case(saying, draw.random() < 0.5) for saying in SAYINGS])
    return source


def build(source: Source) -> Any:
    """lm-eval's task with these rows."""
    catalog.include_ours()
    loader: Any = importlib.import_module("lm_eval.tasks._yaml_loader")
    config = loader.load_yaml(stock_tasks()[source.task])
    table = importlib.import_module("datasets").Dataset.from_list(source.rows)
    splits = {config.get(name) for name in ("test_split", "validation_split", "training_split")} - {None}
    config |= {"custom_dataset": lambda **_: dict.fromkeys(splits, table), "num_fewshot": 0}
    config.pop("class", None)
    return importlib.import_module("lm_eval.api.task").ConfigurableTask(config=config)


def said(case: Case, target: str, number: int) -> str:
    """The answer's text; a made-up one gets the right letter or the next one."""
    if case.text not in SAYINGS:
        return case.text
    letter = target.strip("()")
    return case.text.format(letter if case.label else "ABCD"[("ABCD".index(letter) + 1 + number % 3) % 4])


def lm_evals(task: Any, cases: Sequence[tuple[Row, str, bool | None]]) -> dict[str, list[bool]]:
    """What each filter and metric of the task says of each answer."""
    instance_of: Any = importlib.import_module("lm_eval.api.instance").Instance
    filters = list(getattr(task, "_filters", []))
    found: dict[str, list[bool]] = {}
    for each in filters:
        instances = [instance_of("generate_until", dict(doc), ("", {}), 0, ("", 0, 1)) for doc, _, _ in cases]
        for instance, (_, text, _) in zip(instances, cases, strict=True):
            instance.resps = [text]
        each.apply(instances)
        for instance, (doc, _, _) in zip(instances, cases, strict=True):
            for name, value in task.process_results(doc, [instance.filtered_resps[each.name]]).items():
                full = f"{name}, {each.name}" if len(filters) > 1 else name
                found.setdefault(full, []).append(float(value) == 1)
    return found


def compare(source: Source) -> None:
    task = build(source)
    cases = [
        (doc, said(case, str(task.doc_to_target(doc)), number), case.label)
        for doc, some in zip(task.eval_docs, source.cases, strict=True)
        for number, case in enumerate(some)
    ]
    samples = [
        Sample(completion=text, ground_truth=ground_truth_of(doc, task.doc_to_target(doc))) for doc, text, _ in cases
    ]
    scores = load(source.reward).score(samples)
    ours = [score.accuracy for score in scores]
    name = source.reward.partition("(")[0]
    for grader, theirs in lm_evals(task, cases).items():
        pairs = [(mine, other, case[2]) for mine, other, case in zip(ours, theirs, cases, strict=True)]
        judged = [pair for pair in pairs if pair[0] is not None]
        only_ours = [label for mine, other, label in judged if mine and not other]
        only_theirs = [label for mine, other, label in judged if other and not mine]
        cells = [
            f"`{source.task}`: {grader}", source.about, str(len(pairs)),
            f"{sum(bool(mine) for mine, _, _ in pairs)} (`{name}`)", str(sum(other for _, other, _ in pairs)),
            rightly(only_ours, True), rightly(only_theirs, True), str(len(pairs) - len(judged)),
        ]  # fmt: skip
        print(f"| {' | '.join(cells)} |")


def rightly(labels: Sequence[bool | None], truth: bool) -> str:
    """How many, and how many of those with a label have this one."""
    known = [label for label in labels if label is not None]
    return f"{len(labels)}" + (f" ({sum(label is truth for label in known)} of {len(known)} rightly)" if known else "")


def main() -> None:
    print(f"{today()}; {machine()}; rewardkit {version('rewardkit')}, lm-eval {version('lm_eval')}, "
          f"math-verify {version('math-verify')}, sympy {version('sympy')}\n")  # fmt: skip
    print(
        "| task of lm-eval: grader | answers of | answers | right by ours | right by lm-eval's | ours alone | lm-eval's alone | unjudged |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    maths = {"problem": "question", "solution": "gt_cot", "answer": "answer"}
    sources = [
        *gsm8k(),
        skythought("minerva_math500", "math500", maths),
        skythought("hendrycks_math500", "math500", maths),
        skythought("aime24", "aime24", {"Problem": "question", "Answer": "gt"}),
        sheets("aime24", "2024", {"Problem": "raw_input", "Answer": "target"}),
        sheets("aime25", "2025", {"problem": "raw_input", "answer": "target"}),
        gpqa(),
    ]
    for source in sources:
        compare(source)


if __name__ == "__main__":
    main()
