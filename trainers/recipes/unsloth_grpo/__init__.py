"""Unsloth's GRPO-only recipe: four markers, four rewards, LoRA; under Unsloth if it is installed, else in plain TRL."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from .. import files
from ..base import Data, Recipe
from ..dapo_math import integer
from ..files import Row, Sources

SYSTEM = """You are given a problem.
Think about the problem and provide your working out.
Place it between <start_working_out> and <end_working_out>.
Then, provide your solution between <SOLUTION></SOLUTION>"""


def prepare(sources: Sources) -> Data:
    """DAPO-Math-17k with the four markers in the system prompt; AMC23 for the table."""
    train = sources.usable("train", partial(_row, "dapo_math"))
    return Data(train, sources.usable("amc23", partial(_row, "amc23")))


def _row(source: str, _: int, row: Row) -> Row:
    question, answer = files.problem_of(row)
    return {"prompt": files.chat(SYSTEM, question), "ground_truth": integer(answer), "data_source": source}


def right_answer(row: Row) -> str | None:
    """An answer in the asked form."""
    return f"<start_working_out>2 + 2<end_working_out>\n<SOLUTION>{row['ground_truth']}</SOLUTION>"


RECIPE = Recipe(Path(__file__).parent, prepare, right_answer, system=SYSTEM)
