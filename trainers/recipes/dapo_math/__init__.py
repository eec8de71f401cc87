"""Qwen3-4B-Base-GRPO: GRPO with verl on DAPO-Math-17k, boxed answers, validated on AIME25, AMC23 and AIME24."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from pathlib import Path

from .. import files
from ..base import Data, Recipe
from ..files import Row, Sources

ASK = " Please reason step by step, and put your final answer within \\boxed{}."
MAX_DIGITS = 1_000
"""Longer numbers stay as they are written."""
VALIDATION = ("aime25", "amc23", "aime24")


def prepare(sources: Sources) -> Data:
    """The processed training file and the three test sets, all asked in the same form."""
    validation = [row for name in VALIDATION for row in sources.usable(name, partial(_row, name, "test"))]
    return Data(sources.usable("train", partial(_row, "math_dapo", "train")), validation)


def _row(source: str, split: str, index: int, row: Row) -> Row:
    question, answer = files.problem_of(row)
    return files.verl_row(question + ASK, integer(answer), data_source=source, index=index, split=split)


def integer(answer: str) -> str:
    """Integers in one spelling: AMC writes 27.0, AIME 2024 writes 033, and the strict box compares letter by letter.

    >>> integer("033"), integer("27.0"), integer("x"), integer("2.5"), integer("12345678901234567890")
    ('33', '27', 'x', '2.5', '12345678901234567890')
    """
    try:
        found = Decimal(answer)
        return str(int(found)) if found == found.to_integral_value() and found.adjusted() < MAX_DIGITS else answer
    except ArithmeticError:
        return answer


def right_answer(row: Row) -> str | None:
    """The ground truth in a box."""
    return f"\\boxed{{{row['reward_model']['ground_truth']}}}"


RECIPE = Recipe(Path(__file__).parent, prepare, right_answer)
