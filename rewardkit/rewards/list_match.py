"""A list of answers against the wanted list."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from operator import eq, itemgetter
from typing import Any, ClassVar, TypeAlias

from rewardkit.base import SampleReward
from rewardkit.errors import GroundTruthError, clip
from rewardkit.rewards._json import items, parse_json
from rewardkit.rewards._text import WRAPPED, last_boxed, parse_number, sections
from rewardkit.rewards._truth import as_text
from rewardkit.thoughts import after_thinking
from rewardkit.types import Sample, Score, Verdict

MAX_ITEMS = 2_000
"""A longer list is `malformed`."""
MAX_ANDS = 8
"""In an item with more of them, each "and" or none separates two items."""
_BULLET = re.compile(r"[ \t]*(?:[-*•]|\d{1,4}[.)])[ \t]+(\S.*)")
_JSON = re.compile(r"(?:^|: )[ \t]*\[", re.MULTILINE)
_CITED = re.compile(r"(?<=[^\W\d])(?<!\bis)(?<!\bare)\s?(?:\[\d{1,3}\])+[\s.]*\Z")
"""Numbers of sources behind the last word; behind "is" or "are" they are the list."""
Ways: TypeAlias = list[list[str]]
"""The ways to separate an item at "and": nowhere first, everywhere last."""
_MARKUP = str.maketrans("", "", "*`")
_WRAPPING = str.maketrans("−", "-", "*`$\"'“”‘’")


@dataclass(frozen=True, kw_only=True)
class ListMatch(SampleReward):
    """Agreement of the answered list with the expected one: F1 over items, or 1 and 0 with `partial=False`.

    The answer is a JSON list, the last run of bullets, or items between semicolons, line breaks or else commas, in `<answer>`, the last
    box or the text after the thinking (its last line, from the last ": " on). "and" separates two items, and so do commas
    beside semicolons and line breaks, unless that is worse. Commas in numbers (`1,000, 2,000`) and separators in brackets belong to
    their items where that is better, and the whole may be one item. A number in brackets behind a word other than "is" or "are"
    (`Rome [1]`) is a source. Items are compared without case and blanks, numbers as numbers. A repeated item counts as often as it
    is expected. `ordered=True` compares position by position.
    """

    name: ClassVar[str] = "list_match"
    version: ClassVar[int] = 3
    source: ClassVar[str] = "set F1 as in SQuAD's and DROP's list answers (arXiv 1903.00161)"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
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
        separated = [[item for ways in reading for item in ways[-1]] for reading in readings]
        most = max(map(len, separated))
        if most > MAX_ITEMS:
            return Score.of(
                0, verdict=Verdict.MALFORMED, reason=f"a list of {most} items, at most {MAX_ITEMS} are read"
            )
        wanted = [plain(item) for item in truth]
        whole = [[item for ways in reading for item in ways[0]] for reading in readings]
        lists = [*separated, *(self._best(wanted, reading) for reading in readings), *whole]
        value, common, found = max((self._compare(wanted, found) for found in lists), key=itemgetter(0))
        if not self.partial:
            value = float(value == 1)
        return Score.of(
            value, answer=clip(", ".join(found), 500), reason=f"{common} of {len(wanted)} wanted, {len(found)} given"
        )

    def _compare(self, wanted: list[str], found: list[str]) -> tuple[float, int, list[str]]:
        common = self._common(wanted, Counter(wanted), found)
        return 2 * common / (len(wanted) + len(found)), common, found

    def _common(self, wanted: list[str], counts: Counter[str], found: list[str]) -> int:
        given = [plain(item) for item in found]
        if self.ordered:
            return sum(map(eq, wanted, given))
        return (Counter(given) & counts).total()

    def _best(self, wanted: list[str], reading: list[Ways]) -> list[str]:
        """The items, each separated the least that is wanted, else as pays most together with those before it."""
        found: list[str] = []
        common, counts = 0, Counter(wanted)
        for ways in reading:
            rest, size = wanted[len(found) :] if self.ordered else [], len(wanted) + len(found)
            paid = [(self._common(rest, counts, way), way) for way in ways]
            gain, way = next(
                (each for each in paid if each[0] == len(each[1])),
                max(paid, key=lambda each: (common + each[0]) / (size + len(each[1]))),
            )
            common += gain
            found += way
            counts.subtract(map(plain, way))
        return found

    def _truth(self, truth: Any) -> list[str]:
        if isinstance(truth, str):
            is_json = truth.lstrip().startswith(("[", "{"))
            truth = parse_json(truth) if is_json else _split(truth, whole=False)
        values = [as_text(item) for item in items(truth)]
        if not values:
            raise GroundTruthError("the ground truth is not a list with items")
        return values


def read_list(completion: str) -> list[list[Ways]]:
    """The readings of the last list of a completion: JSON and bullets have one, words others: with commas beside other separators or in numbers, with separators in brackets, and as a single item."""
    text = after_thinking(completion)
    tagged, boxed = sections(text, "answer"), last_boxed(text)
    framed = tagged[-1] if tagged else boxed
    place = text if framed is None else framed
    found = _json_list(place) or _last_bullets(place)
    if not found and framed is None:
        lines = [line for line in text.splitlines() if line.strip()]
        place = lines[-1].translate(_MARKUP).rpartition(": ")[2] if lines else ""
        found = _json_list(place)
    if found:
        return [[[[item]] for item in found]]
    splits = [_split(place, each, whole=whole) for whole in (True, False) for each in ("", r"[;\n,]", r"[;\n]|,\s")]
    if any(len(split) > MAX_ITEMS for split in splits):  # which is malformed, whatever the others hold
        return [[[[item]] for item in max(splits, key=len)]]
    lone = [place.strip()] if splits[0] else []
    return [[_ways(item) for item in items] for items in (*splits, lone)]


def _json_list(text: str) -> list[str]:
    """The items of the JSON list that the last fence of a text holds, or that reaches to its last bracket."""
    fences, end = text.split("```"), text.rfind("]") + 1
    places = [fences[-2].partition("\n")[2]] if len(fences) > 2 else []
    if end and not _CITED.search(text[:end]):
        opened = _JSON.search(text)
        places += [text[text.find("[") : end], text[opened.end() - 1 : end] if opened else ""]
    for place in places:
        if found := items(parse_json(place)):
            return [str(item) for item in found]
    return []


def _split(text: str, separators: str = "", *, whole: bool = True) -> list[str]:
    """What stands between the separators; if `whole`, those within a pair of brackets separate nothing."""
    text = _CITED.sub("", WRAPPED.sub(r"\1", text))
    if whole:
        text = _bare(text.replace("\\{", "{").replace("\\}", "}"))
    else:
        text = text.replace("\\{", "").replace("\\}", "").strip(" .{}[]()\n")
    text = re.sub(r",\s*\n", ", ", text)  # a list between commas goes on in the next line
    separators = separators or (r"[;\n]" if ";" in text or "\n" in text else ",")
    items, start, inside = [""], 0, 0
    pairs = _pairs(text) if whole else {}
    for match in re.finditer(rf"[(\[{{]|{separators}", text):
        if match.start() < inside:
            continue
        if match[0] in "([{":
            inside = pairs.get(match.start(), inside)
        else:
            items.append(text[start : match.start()])
            start = match.end()
    return [item.strip() for item in (*items, text[start:]) if item.strip()]


def _pairs(text: str) -> dict[int, int]:
    """The place of each bracket that opens, with that of the one that closes it."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for match in re.finditer(r"[(\[{]|[)\]}]", text):
        if match[0] in "([{":
            opened.append(match.start())
        elif opened:
            pairs[opened.pop()] = match.start()
    return pairs


def _bare(text: str) -> str:
    """Without blanks and points around it, brackets around the whole, and brackets at its ends that have no other half."""
    pairs = _pairs(text)
    closing = set(pairs.values())
    start, end = 0, len(text)
    while start < end:
        last = end - 1
        if text[start].isspace():
            start += 1
        elif text[last].isspace() or text[last] == "." or (text[last] in ")]}" and last not in closing):
            end -= 1
        elif text[start] in "([{" and pairs.get(start, last) == last:
            start, end = start + 1, end - (start in pairs)
        else:
            break
    return text[start:end]


def _ways(item: str) -> Ways:
    words = re.split(r"\band\b", item)
    cuts = range(1, len(words)) if len(words) <= MAX_ANDS else ()
    parts = (["and".join(words[:cut]), "and".join(words[cut:])] for cut in cuts)
    return [[item], *([part.strip() for part in way if part.strip()] for way in (*parts, words))]


def plain(item: str) -> str:
    """An item in normal form: no case, outer blanks or markup, and one spelling for each number."""
    text = unicodedata.normalize("NFC", item.translate(_WRAPPING))
    text = " ".join(text.casefold().split())
    for mark in ",()[]{}":
        text = text.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    text = text.rstrip(" .,;").lstrip(" ,;")
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
