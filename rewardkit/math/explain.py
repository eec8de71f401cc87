"""Describe the steps of a judgement, for `rewardkit explain`."""

from __future__ import annotations

from rewardkit.errors import clip
from rewardkit.math.extract.markup import strip_thinking
from rewardkit.math.latex.normalise import repair
from rewardkit.math.latex.numbers import plain_number
from rewardkit.math.latex.parser import parse
from rewardkit.math.latex.tree import LimitError, ParseError
from rewardkit.math.policy import Policy
from rewardkit.math.results import Extraction, Judgement

_MAX_SHOWN = 160


def steps(
    completion: str, golds: tuple[str, ...], extraction: Extraction, policy: Policy, judgement: Judgement
) -> tuple[str, ...]:
    """How a judgement came about: the ground truths as read, what was extracted, the stage that decided."""
    told = [f"gold: {clip(gold, _MAX_SHOWN)!r}, read as {_reading(gold)}" for gold in golds]
    rest = strip_thinking(completion, unfinished=policy.unfinished_thought)
    if len(rest) != len(completion):
        told.append(f"thoughts: {len(completion) - len(rest)} of {len(completion)} characters set aside")
    answer, how = extraction.answer, extraction.how
    if answer is None:
        told.append(f"extract: {extraction.status.value}{f' ({how})' if how else ''}")
    else:
        told.append(f"extract: {clip(answer, _MAX_SHOWN)!r} by {how}, read as {_reading(answer)}")
    told.append(f"{judgement.stage}: {judgement.status.value}, {judgement.reason}")
    return tuple(told)


def _reading(text: str) -> str:
    number = plain_number(text.strip())
    if number is not None:
        return f"the number {clip(str(number), _MAX_SHOWN)}"
    try:
        return _KINDS[type(parse(text)).__name__]
    except LimitError as error:
        return f"text ({error})"
    except ParseError as error:
        return f"text ({error} in {clip(repair(text), _MAX_SHOWN)!r})"


_KINDS = {"Num": "a number", "Sym": "a symbol", "Op": "an expression", "Seq": "a list or tuple", "Rel": "a relation", "SetOp": "a set",
          "Matrix": "a matrix", "Builder": "a set", "Unit": "a quantity", "Based": "digits in a base", "Words": "words",
          "Labelled": "a labelled value", "Cond": "a value with a condition", "Ratio": "a ratio"}  # fmt: skip
