"""A list of answers against the wanted list."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import GroundTruthError, clip
from rewardkit.rewards._json import items, parse_json
from rewardkit.rewards._text import after_thinking, last_boxed, parse_number, sections
from rewardkit.rewards._truth import as_text
from rewardkit.types import Sample, Score, Verdict

MAX_ITEMS = 2_000
"""A longer list is `malformed`."""
_BULLET = re.compile(r"[ \t]*(?:[-*•]|\d{1,4}[.)])[ \t]+(\S.*)")
_WRAPPING = str.maketrans("", "", "*`$\"'“”")


@dataclass(frozen=True, kw_only=True)
class ListMatch(SampleReward):
    """Agreement of the answered list with the expected one: F1 over items, or 1 and 0 with `partial=False`.

    The answer is a JSON list, the last run of bullets, or items between commas, in `<answer>`, the last box or the text after
    the thinking. Items are compared without case and blanks, numbers as numbers. A repeated item counts as often as it
    is expected. `ordered=True` compares position by position.
    """

    name: ClassVar[str] = "list_match"
    version: ClassVar[int] = 3
    source: ClassVar[str] = "set F1 as in SQuAD's and DROP's list answers (arXiv 1903.00161)"
    bounded: ClassVar[bool] = True

    ordered: bool = False
    """Compare position by position."""
    partial: bool = True
    """Pay the F1. If false, 1 or 0."""

    def grade(self, sample: Sample) -> Score:
        """Read the list and compare."""
        truth = self._truth(sample.ground_truth)
        found = read_list(sample.completion)
        if not found:
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason="no list found")
        if len(found) > MAX_ITEMS:
            return Score.of(
                0, verdict=Verdict.MALFORMED, reason=f"a list of {len(found)} items, at most {MAX_ITEMS} are read"
            )
        wanted, given = [plain(item) for item in truth], [plain(item) for item in found]
        if self.ordered:
            common = sum(a == b for a, b in zip(wanted, given, strict=False))
        else:
            common = (Counter(wanted) & Counter(given)).total()
        value = 2 * common / (len(wanted) + len(given))
        if not self.partial:
            value = float(value == 1)
        return Score.of(
            value, answer=clip(", ".join(found), 500), reason=f"{common} of {len(wanted)} wanted, {len(given)} given"
        )

    def _truth(self, truth: Any) -> list[str]:
        if isinstance(truth, str):
            is_json = truth.lstrip().startswith(("[", "{"))
            truth = parse_json(truth) if is_json else [item.strip() for item in truth.split(",") if item.strip()]
        values = [as_text(item) for item in items(truth)]
        if not values:
            raise GroundTruthError("the ground truth is not a list with items")
        return values


def read_list(completion: str) -> list[str]:
    """The items of the last list of a completion; empty if there is none."""
    text = after_thinking(completion)
    tagged, boxed = sections(text, "answer"), last_boxed(text)
    framed = tagged[-1] if tagged else boxed
    text = text if framed is None else framed
    start, end = text.find("["), text.rfind("]")
    parsed = parse_json(text[start : end + 1]) if 0 <= start < end else None
    if parsed is not None and items(parsed):
        return [str(item) for item in items(parsed)]
    bullets = _last_bullets(text)
    if bullets:
        return bullets
    if framed is None:
        lines = [line for line in text.splitlines() if line.strip()]
        text = lines[-1].rpartition(":")[2] if lines else ""
    text = text.replace("\\{", "").replace("\\}", "").strip(" .{}[]()\n")
    return [item.strip() for item in re.split(r",|;|\n|\band\b", text) if item.strip()]


def plain(item: str) -> str:
    """An item in normal form: no case, outer blanks or markup, and one spelling for each number."""
    text = " ".join(item.translate(_WRAPPING).casefold().split()).strip(" .,;")
    number = parse_number(text)
    return text if number is None else str(number)


def _last_bullets(text: str) -> list[str]:
    runs: list[list[str]] = []
    open_run = False
    for line in text.splitlines():
        match = _BULLET.fullmatch(line)
        if match:
            if not open_run:
                runs.append([])
            runs[-1].append(match[1].strip())
            open_run = True
        elif line.strip():
            open_run = False
    return runs[-1] if runs else []
