"""GSM8K: the number after `####`, or the last number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal, cast

from rewardkit.base import SampleReward
from rewardkit.rewards._text import NUMBER, parse_number
from rewardkit.rewards._truth import truth_number, truth_text
from rewardkit.thoughts import after_thinking
from rewardkit.types import Sample, Score, Verdict

MAX_CHARS = 20_000
"""Only this many characters at the end of a longer completion are searched."""
_HASHES = re.compile(r"####\s*([^\n]{1,200})")
_NUMBER = re.compile(NUMBER.pattern + r"(?:[eE][-+]?\d{1,3}(?!\w))?(?:/\d++)?")
_THOUSANDS = re.compile(r"(?<=\d)(?:,\\!|\{,\}|\\[,!])(?=\d{3}(?!\d))")
"""A separator of LaTeX: `70,\\!000`, `70{,}000`, `70\\,000`."""
_FRONT = re.compile(r"(\D*+)(\d?)")
_COMMAND = re.compile(r"\\[a-zA-Z]+")
_WORD = re.compile(r"[^\W\d_]\s")
_COLON = re.compile(r":[^\w:]*\Z")


@dataclass(frozen=True, kw_only=True)
class Gsm8k(SampleReward):
    """1 if the final number equals the ground truth exactly, else 0: the number after the last `####`, else the last number. With words
    in front of its number, as in `#### Step 2: ...`, a line is a heading of Markdown.

    Numbers are compared as numbers, so `1,234.0` is `1234` and `3/4` is `0.75`. A completion that was cut at the token limit has no last
    number. The ground truth may be the number or GSM8K's worked solution with its `#### 72`.
    """

    name: ClassVar[str] = "gsm8k"
    source: ClassVar[str] = "Cobbe et al. 2021 (arXiv 2110.14168); verl's gsm8k methods strict and flexible"
    version: ClassVar[int] = 2
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    method: Literal["flexible", "strict"] = "flexible"
    """`strict` accepts `#### number` only; `flexible` falls back to the last number of the text."""

    def grade(self, sample: Sample) -> Score:
        """Find the final number and compare exactly."""
        truth = truth_number(replace(sample, ground_truth=_respelled(truth_text(sample))))
        text = _respelled(after_thinking(sample.completion)[-MAX_CHARS:])
        marked = [line for line in _HASHES.findall(text) if not _is_heading(line)]
        found = next(_numbers(marked[-1]), None) if marked else None
        if found is None and self.method == "flexible" and sample.finish_reason != "length":
            found = next(_numbers(text, last=True), None)
        if found is None:
            where = "cut at the token limit" if sample.finish_reason == "length" else "no number"
            return Score.of(False, verdict=Verdict.NO_ANSWER, reason=f"{where}, nothing after ####")
        written, value = found
        return Score.of(value == truth, answer=written, reason=f"{written} against {truth}")


def _is_heading(line: str) -> bool:
    """Whether a line is a heading of Markdown such as `#### Step 4: ...`: words stand in front of its first number, and no colon behind them."""
    front, digit = cast("re.Match[str]", _FRONT.match(line)).groups()
    front = _COMMAND.sub("", front)
    return not digit or (_WORD.search(front) is not None and _COLON.search(front) is None)


def _respelled(text: str) -> str:
    """One spelling for minus signs and thousands separators."""
    return _THOUSANDS.sub(",", text.replace("\u2212", "-"))


def _numbers(text: str, *, last: bool = False) -> Iterator[tuple[str, Fraction]]:
    """The numbers in a text as written and exactly: in each form that a ground truth may have. From the last one, if so asked."""
    written = _NUMBER.findall(text)
    for number in reversed(written) if last else written:
        value = parse_number(number)
        if value is not None:
            yield number, value
