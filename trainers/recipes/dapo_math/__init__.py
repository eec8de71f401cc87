"""Qwen3-4B-Base-GRPO: GRPO with verl on DAPO-Math-17k, boxed answers, validated on AIME25, AMC23 and AIME24."""

from __future__ import annotations

from pathlib import Path

from .. import files
from ..base import Data, Recipe
from ..files import Row, Sources

ASK = " Please reason step by step, and put your final answer within \\boxed{}."
VALIDATION = ("aime25", "amc23", "aime24")


def prepare(sources: Sources) -> Data:
    """The processed training file and the three test sets, all asked in the same form."""
    train = [
        _row(files.question_of(row), files.answer_of(row), "math_dapo", index, "train")
        for index, row in enumerate(sources.rows("train"))
    ]
    validation = [
        _row(item["problem"], str(item["answer"]), name, index, "test")
        for name in VALIDATION
        for index, item in enumerate(sources.rows(name))
    ]
    return Data(train, validation)


def _row(question: str, answer: str, source: str, index: int, split: str) -> Row:
    return files.verl_row(question + ASK, integer(answer), data_source=source, index=index, split=split)


def integer(answer: str) -> str:
    """Integers in one spelling: AMC writes 27.0, AIME 2024 writes 033, and the strict box compares letter by letter.

    >>> integer("033"), integer("27.0"), integer("x")
    ('33', '27', 'x')
    """
    try:
        return str(int(float(answer)))
    except ValueError:
        return answer


def right_answer(row: Row) -> str | None:
    """The ground truth in a box."""
    return f"\\boxed{{{row['reward_model']['ground_truth']}}}"


RECIPE = Recipe(Path(__file__).parent, prepare, right_answer)
