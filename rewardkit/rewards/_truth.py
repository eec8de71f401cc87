"""Read ground truths strictly: if one is unusable, the row is unjudged, never wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

from rewardkit import coerce
from rewardkit.data.problems import answer_text
from rewardkit.errors import GroundTruthError, quoted
from rewardkit.rewards._text import parse_number
from rewardkit.types import Sample

_HASHES = re.compile(r"####\s*(\S[^\n]*)")


def truth_text(sample: Sample) -> str:
    """The ground truth as non-blank text; numbers are written out.

    Raises:
        GroundTruthError: it is absent, blank, or neither text nor a number.
    """
    return as_text(sample.ground_truth)


def truth_float(text: str) -> float:
    """The text of a ground truth as a float, as published graders read it.

    Raises:
        GroundTruthError: it is no finite number.
    """
    try:
        truth = float(text)
    except ValueError:
        truth = math.nan
    if not math.isfinite(truth):
        raise GroundTruthError(f"the ground truth is not a number: {quoted(text)}")
    return truth


def truth_texts(sample: Sample) -> tuple[str, ...]:
    """The accepted answers: one text, or a list of alternatives."""
    truth = sample.ground_truth
    if isinstance(truth, (list, tuple)):
        if not truth:
            raise GroundTruthError("the ground truth is an empty list")
        return tuple(as_text(item) for item in cast("Sequence[Any]", truth))
    return (as_text(truth),)


def truth_number(sample: Sample) -> Fraction:
    """The ground truth as an exact number: a number, text such as `1,234.5`, or a worked solution ending in `#### 72`.

    Raises:
        GroundTruthError: there is no number to read.
    """
    text = truth_text(sample)
    after_hashes = _HASHES.findall(text)
    number = parse_number(after_hashes[-1] if after_hashes else text)
    if number is None:
        raise GroundTruthError(f"the ground truth is not a number: {quoted(text)}")
    return number


def as_text(truth: Any) -> str:
    """One ground truth value as text; a float that is a whole number (27.0, as tables of numbers with gaps hold 27) without its `.0`.

    Raises:
        GroundTruthError: it is absent, blank, or neither text nor a finite number.
    """
    if isinstance(truth, bool) or not isinstance(truth, (str, int, float)):
        kind = "absent" if truth is None else f"of type {type(truth).__name__}"
        raise GroundTruthError(f"the ground truth is {kind}; text or a number is needed")
    if isinstance(truth, int) and truth.bit_length() > 10_000:
        raise GroundTruthError("the ground truth has thousands of digits")
    if isinstance(truth, float) and not math.isfinite(truth):
        raise GroundTruthError(f"the ground truth is {truth}, no number")
    text = answer_text(truth) if isinstance(truth, float) else coerce.text("the ground truth", str(truth))
    if not text.strip():
        raise GroundTruthError("the ground truth is blank")
    return text
