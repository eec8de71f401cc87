"""A list of answers against the wanted list."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import GroundTruthError, clip
from rewardkit.rewards._json import items, parse_json
from rewardkit.rewards._text import after_thinking, last_boxed, parse_number, sections
from rewardkit.rewards._truth import as_text
from rewardkit.types import Sample, Score, Verdict

MAX_ITEMS = 2_000
"""A longer list is `malformed`."""
MAX_ANDS = 8
"""In a last item with more of them, each "and" or none separates two items."""
_BULLET = re.compile(r"[ \t]*(?:[-*•]|\d{1,4}[.)])[ \t]+(\S.*)")
_JSON = re.compile(r"(?:^|: )[ \t]*\[", re.MULTILINE)
_CITED = re.compile(r"(?<=[^\W\d])\s?(?:\[\d{1,3}\])+[\s.]*\Z")
"""Numbers of sources behind the last word."""
_MARKUP = str.maketrans("", "", "*`")
_WRAPPING = str.maketrans("", "", "*`$\"'“”")


@dataclass(frozen=True, kw_only=True)
class ListMatch(SampleReward):
    """Agreement of the answered list with the expected one: F1 over items, or 1 and 0 with `partial=False`.

    The answer is a JSON list, the last run of bullets, or items between semicolons, line breaks or else commas, in `<answer>`, the last
    box or the text after the thinking (its last line, from the last ": " on). "and" in the last item separates two items unless
    that is worse. Items are compared without case and blanks, numbers as numbers. A repeated item counts as often as it
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
        readings = read_list(sample.completion)
        if not any(readings):
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason="no list found")
        if len(readings[0]) > MAX_ITEMS:
            return Score.of(
                0, verdict=Verdict.MALFORMED, reason=f"a list of {len(readings[0])} items, at most {MAX_ITEMS} are read"
            )
        wanted = [plain(item) for item in truth]
        value, common, found = max((self._compare(wanted, found) for found in readings), key=itemgetter(0))
        if not self.partial:
            value = float(value == 1)
        return Score.of(
            value, answer=clip(", ".join(found), 500), reason=f"{common} of {len(wanted)} wanted, {len(found)} given"
        )

    def _compare(self, wanted: list[str], found: list[str]) -> tuple[float, int, list[str]]:
        given = [plain(item) for item in found]
        if self.ordered:
            common = sum(a == b for a, b in zip(wanted, given, strict=False))
        else:
            common = (Counter(wanted) & Counter(given)).total()
        return 2 * common / (len(wanted) + len(given)), common, found

    def _truth(self, truth: Any) -> list[str]:
        if isinstance(truth, str):
            is_json = truth.lstrip().startswith(("[", "{"))
            truth = parse_json(truth) if is_json else _split(truth)
        values = [as_text(item) for item in items(truth)]
        if not values:
            raise GroundTruthError("the ground truth is not a list with items")
        return values


def read_list(completion: str) -> list[list[str]]:
    """The readings of the last list of a completion: several if its last item holds "and", the one that separates most first."""
    text = after_thinking(completion)
    tagged, boxed = sections(text, "answer"), last_boxed(text)
    framed = tagged[-1] if tagged else boxed
    place = text if framed is None else framed
    found = _json_list(place) or _last_bullets(place)
    if not found and framed is None:
        lines = [line for line in text.splitlines() if line.strip()]
        place = lines[-1].translate(_MARKUP).rpartition(": ")[2] if lines else ""
        found = _json_list(place)
    return [found] if found else _readings(_split(place))


def _json_list(text: str) -> list[str]:
    """The items of the JSON list that a text ends with, on lines of its own or behind ": ", or that its last fence holds."""
    fences = text.split("```")
    opened = _JSON.search(text)
    whole = text[opened.end() - 1 :].strip(" .\n") if opened else ""
    for place in (fences[-2].partition("\n")[2] if len(fences) > 2 else "", whole):
        if found := items(parse_json(place)):
            return [str(item) for item in found]
    return []


def _split(text: str) -> list[str]:
    text = _CITED.sub("", text.replace("\\{", "").replace("\\}", "")).strip(" .{}[]()\n")
    text = re.sub(r",\s*\n", ", ", text)  # a list between commas goes on in the next line
    found = re.split(r"[;\n]" if ";" in text or "\n" in text else ",", text)
    return [item.strip() for item in found if item.strip()]


def _readings(found: list[str]) -> list[list[str]]:
    """A list with its last item split at each "and", at one of them, and not at all."""
    words = re.split(r"\band\b", found[-1]) if found else []
    cuts = range(1, len(words)) if len(words) <= MAX_ANDS else ()
    lasts = [words, *(["and".join(words[:cut]), "and".join(words[cut:])] for cut in cuts), found[-1:]]
    return [[*found[:-1], *(item.strip() for item in last if item.strip())] for last in lasts]


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
