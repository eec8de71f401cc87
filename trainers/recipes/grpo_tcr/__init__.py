"""GRPO-TCR (DemyAgent): SFT cold start on tool transcripts, then GRPO with a tool call reward over five balanced sources."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

from rewardkit.code.formats import read_problem
from rewardkit.errors import GroundTruthError
from rewardkit.rewards._text import balanced, last_boxed

from ...trl import code_interpreter
from .. import files
from ..base import Data, Recipe
from ..files import Row, Sources, UnusableRowError
from ..transcripts import demonstration, transcript

MATH = "\n\nThink step by step. You may run Python with the tool code_interpreter. Put the final answer in \\boxed{}."
CODE = (
    "\n\nWrite a Python program. You may try it with the tool code_interpreter. "
    "Give the final program in one ```python block."
)
TRAIN, TEST = 490, 10
MAX_ANSWER_CHARS = 60
"""The strict box looks at the last 100 characters only, so longer ground truths could never be met."""
STAND_INS = {"taco_code": "leetcode_code", "numina_math": "big_math"}
"""If a source is not available, another one takes its place, under its own name."""


def prepare(sources: Sources) -> Data:
    """490 training and 10 validation rows, the same number of each source, shuffled; transcripts for the cold start."""
    rows: dict[str, list[Row]] = {}
    notes: list[str] = []
    for name in ("deepscaler", "taco_code", "numina_math", "gpqa_science", "omni_math"):
        taken = name if sources.has(name) else STAND_INS.get(name, name)
        if not sources.has(name):
            notes.append(f"{name}: not available ({sources.table[name]['file']}, --hub); {_instead(taken, name)}")
        if sources.has(taken):
            rows[taken] = sources.usable(taken, partial(_row, taken))
    if not rows:
        sources.rows("deepscaler")  # says which file is missing
    mixed = _balanced(rows, random.Random(0))
    split = TEST if len(mixed) >= TRAIN + TEST else len(rows)
    notes.append(f"the same number of rows of each of {', '.join(rows)}")
    cold = sources.usable("cold_start", _cold_start)
    validation = [{**row, "extra_info": {**row["extra_info"], "split": "test"}} for row in mixed[:split]]
    return Data(mixed[split:], validation, sft=cold, max_train=TRAIN, notes=tuple(notes))


def _instead(taken: str, name: str) -> str:
    return "left out" if taken == name else f"{taken} takes its place"


def _balanced(rows: dict[str, list[Row]], rng: random.Random) -> list[Row]:
    """The same number of each source, taking turns; twice what is needed, for the gate drops some."""
    size = min(2 * (TRAIN + TEST) // len(rows), *map(len, rows.values()), 10**9)
    chosen = [rng.sample(own, size) for own in rows.values()]
    return [row for group in zip(*chosen, strict=True) for row in group]


def _cold_start(_: int, item: Row) -> Row:
    return demonstration(item) if "completion" in item else transcript(item, MATH)


def _row(source: str, index: int, row: Row) -> Row:
    ability = "code" if source.endswith("_code") else "math"
    question, truth = _program(source, row) if ability == "code" else _problem(row)
    return files.verl_row(
        question, truth, data_source=source, index=index, split="train", ability=ability, agent="tool_agent"
    )


def _program(source: str, row: Row) -> tuple[str, Any]:
    truth = row.get("input_output") if source == "taco_code" else None
    truth = truth or {name: files.text_of(row, name) for name in ("prompt", "test", "entry_point")}
    try:
        read_problem(json.loads(truth) if isinstance(truth, str) else truth)
    except (GroundTruthError, ValueError):
        raise UnusableRowError("tests that can't be read") from None
    return files.text_of(row, "question", "query") + CODE, truth


def _problem(row: Row) -> tuple[str, str]:
    question, answer = files.problem_of(row)
    if answer == "proof":
        raise UnusableRowError("a proof")
    answer = last_boxed(answer) or answer
    if balanced(f"{{{answer}}}", 0) != answer:
        raise UnusableRowError("an answer that no box can hold")
    if len(answer) > MAX_ANSWER_CHARS:
        raise UnusableRowError(f"an answer of more than {MAX_ANSWER_CHARS} characters")
    return question + MATH, answer


def right_answer(row: Row) -> str | None:
    """The ground truth in a box; None for code, whose tests need a sandbox."""
    truth = row["reward_model"]["ground_truth"]
    return None if row["ability"] == "code" else f"\\boxed{{{truth}}}"


RECIPE = Recipe(Path(__file__).parent, prepare, right_answer, tools=lambda: [code_interpreter()])
