"""GSM8K: the number after `####`, or the last number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from rewardkit.base import SampleReward
from rewardkit.rewards._text import after_thinking, last_number, numbers
from rewardkit.rewards._truth import truth_number
from rewardkit.types import Sample, Score, Verdict

MAX_CHARS = 20_000
"""Only this many characters at the end of a longer completion are searched."""
_HASHES = re.compile(r"####\s*([^\n]{1,200})")


@dataclass(frozen=True, kw_only=True)
class Gsm8k(SampleReward):
    """1 if the final number equals the ground truth exactly, else 0: the number after the last `####`, else the last number.

    Numbers are compared as numbers, so `1,234.0` is `1234`. A completion that was cut at the token limit has no last
    number. The ground truth may be the number or GSM8K's worked solution with its `#### 72`.
    """

    name: ClassVar[str] = "gsm8k"
    source: ClassVar[str] = "Cobbe et al. 2021 (arXiv 2110.14168); verl's gsm8k methods strict and flexible"
    bounded: ClassVar[bool] = True

    method: Literal["flexible", "strict"] = "flexible"
    """`strict` accepts `#### number` only; `flexible` falls back to the last number of the text."""

    def grade(self, sample: Sample) -> Score:
        """Find the final number and compare exactly."""
        truth = truth_number(sample)
        text = after_thinking(sample.completion)[-MAX_CHARS:]
        marked = _HASHES.findall(text)
        found = next(iter(numbers(marked[-1])), None) if marked else None
        if found is None and self.method == "flexible" and sample.finish_reason != "length":
            found = last_number(text)
        if found is None:
            where = "cut at the token limit" if sample.finish_reason == "length" else "no number"
            return Score.of(False, verdict=Verdict.NO_ANSWER, reason=f"{where}, nothing after ####")
        written, value = found
        return Score.of(value == truth, answer=written, reason=f"{written} against {_plain(truth)}")


def _plain(value: Fraction) -> str:
    return str(value) if value.denominator > 1 else str(value.numerator)
