"""GRPO-TCR (DemyAgent): SFT cold start on tool transcripts, then GRPO with a tool call reward over five balanced sources."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rewardkit.code.tests import read_problem
from rewardkit.errors import GroundTruthError
from trainers.recipes import files
from trainers.recipes.base import Data, Recipe
from trainers.recipes.files import Row
from trainers.trl import code_interpreter

MATH = "\n\nThink step by step. You may run Python with the tool code_interpreter. Put the final answer in \\boxed{}."
CODE = (
    "\n\nWrite a Python program. You may try it with the tool code_interpreter. "
    "Give the final program in one ```python block."
)
MAX_ANSWER_CHARS = 60
"""The strict box looks at the last 100 characters only, so longer ground truths could never be met."""
_ASKED = re.compile(r"\s*Let's think step by step[^.]*\\boxed\{\}\.\s*\Z")
_TRANSCRIPT = re.compile(r"(.*?)```python\n(.*?)```\s*```output\n(.*?)```\s*(.*)", re.DOTALL)


def prepare(folder: Path, limit: int | None) -> Data:
    """The same number of rows from each source that is there, shuffled; AIME for validation; ToRA transcripts for SFT."""
    sources: dict[str, list[Row]] = {}
    notes: list[str] = []
    for name, read, missing in SOURCES:
        rows = read(folder, limit)
        if rows:
            sources[name] = rows
        else:
            notes.append(f"{name}: {missing}")
    size = min(map(len, sources.values()))
    rng = random.Random(0)
    train = [row for rows in sources.values() for row in rng.sample(rows, size)]
    rng.shuffle(train)
    validation = [
        _math(item["problem"], str(item["answer"]), name, index, "test")
        for name in ("aime25", "aime24")
        for index, item in enumerate(files.read(folder / "aime" / f"{name}.jsonl.gz", limit))
    ]
    return Data(train, validation, sft=_cold_start(folder, limit), notes=(*notes, f"{size} rows of each source"))


def _math(question: str, answer: str, source: str, index: int, split: str = "train") -> Row:
    return files.verl_row(question + MATH, answer, data_source=source, index=index, split=split, agent="tool_agent")


def _deepscaler(folder: Path, limit: int | None) -> list[Row]:
    rows = files.read(folder / "deepscaler" / "deepscaler_dsr_sub.parquet", limit)
    return [
        _math(_ASKED.sub("", row["prompt"][0]["content"]), row["reward_model"]["ground_truth"], "deepscaler", index)
        for index, row in enumerate(rows)
        if len(row["reward_model"]["ground_truth"]) <= MAX_ANSWER_CHARS
    ]


def _omni_math(folder: Path, limit: int | None) -> list[Row]:
    rows = files.read(folder / "omni_math_rule" / "omni_math_rule.jsonl.gz", limit)
    return [
        _math(row["problem"], row["answer"], "omni_math", index)
        for index, row in enumerate(rows)
        if len(row["answer"]) <= MAX_ANSWER_CHARS
    ]


def _numina_math(folder: Path, limit: int | None) -> list[Row]:
    rows = files.read(folder / "bigmath_rl" / "bigmath_rl_tinyv.parquet", limit)
    return [
        _math(
            _ASKED.sub("", row["prompt"][-1]["content"]), str(row["reward_model"]["ground_truth"]), "numina_math", index
        )
        for index, row in enumerate(rows)
        if len(str(row["reward_model"]["ground_truth"])) <= MAX_ANSWER_CHARS
    ]


def _taco_code(folder: Path, limit: int | None) -> list[Row]:
    """TACO with its tests where the hub's file lies in `taco/train.parquet`, else LeetCodeDataset."""
    own = folder / "taco" / "train.parquet"
    if own.is_file():
        found = [(row["question"], row["input_output"]) for row in files.read(own, limit)]
    else:
        rows = files.read(folder / "leetcode_dataset" / "leetcode_v0.2.0_train.jsonl.gz", limit)
        found = [(row["query"], {name: row[name] for name in ("prompt", "test", "entry_point")}) for row in rows]
    return [
        files.verl_row(
            question + CODE,
            truth,
            data_source="taco_code",
            index=index,
            split="train",
            ability="code",
            agent="tool_agent",
        )
        for index, (question, truth) in enumerate(found)
        if _readable(truth)
    ]


def _readable(truth: Any) -> bool:
    try:
        read_problem(truth)
    except GroundTruthError:
        return False
    return True


def _gpqa_science(folder: Path, limit: int | None) -> list[Row]:
    path = folder / "gpqa" / "train.jsonl.gz"
    rows = files.read(path, limit) if path.is_file() else []
    return [_math(row["question"], row["answer"], "gpqa_science", index) for index, row in enumerate(rows)]


SOURCES: tuple[tuple[str, Callable[[Path, int | None], list[Row]], str], ...] = (
    ("deepscaler", _deepscaler, "no rows"),
    ("taco_code", _taco_code, "no rows with readable tests"),
    ("numina_math", _numina_math, "no rows"),
    (
        "gpqa_science",
        _gpqa_science,
        "left out: its authors ask not to spread it; put question and answer into gpqa/train.jsonl.gz",
    ),
    ("omni_math", _omni_math, "no rows"),
)


def _cold_start(folder: Path, limit: int | None) -> list[Row]:
    """Right tool transcripts as chats with tool calls, in verl's multi-turn SFT form."""
    rows = files.read(folder / "completions_tora" / "tora__tora-70b-v1.0__gsm8k.jsonl.gz", limit)
    return [row for item in rows if item["pred"] == [item["gt"]] and (row := transcript(item)) is not None]


def transcript(item: Row) -> Row | None:
    """One ToRA transcript (a program, its output, the answer) as messages; None where it has another form."""
    match = _TRANSCRIPT.fullmatch(item["code"][0].strip())
    if match is None:
        return None
    thought, program, output, final = (part.strip() for part in match.groups())
    call = {"type": "function", "function": {"name": "code_interpreter", "arguments": {"code": program}}}
    turns: list[Row] = [
        {"role": "user", "content": item["question"] + MATH},
        {"role": "assistant", "content": thought, "tool_calls": [call]},
        {"role": "tool", "name": "code_interpreter", "content": output},
        {"role": "assistant", "content": final},
    ]
    return {"prompt": turns[:1], "completion": turns[1:]}


def right_answer(row: Row) -> str | None:
    """The ground truth in a box; None for code, whose tests need a sandbox."""
    truth = row["reward_model"]["ground_truth"]
    return None if row["ability"] == "code" else f"\\boxed{{{truth}}}"


RECIPE = Recipe(Path(__file__).parent, prepare, right_answer, tools=lambda: [code_interpreter()])
