"""Compare a table with the expected table, cell by cell."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardkit import coerce
from rewardkit.base import SampleReward
from rewardkit.errors import GroundTruthError
from rewardkit.rewards._json import items, mapping, parse_json
from rewardkit.rewards.list_match import plain
from rewardkit.thoughts import after_thinking
from rewardkit.types import Sample, Score, Verdict

MAX_CELLS = 10_000
"""A larger table is `malformed`."""

Table = list[list[str]]
Cells = tuple[str | None, ...]
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


@dataclass(frozen=True, kw_only=True)
class TableMatch(SampleReward):
    """Share of cells that agree with the expected table, or 1 and 0 with `partial=False`.

    The answer is the last Markdown table after the thinking (a heading and a rule `|---|`), else a CSV fence. Columns are found by their heading, in any
    order; rows by position, or in any order with `ordered=False`: rows that agree are paired first, then others with the same
    first cell. Extra cells and rows lower the value; cells that are left out are empty. The ground truth is a list of objects, a
    list of rows with a heading, the JSON text of either, or Markdown or CSV text; null is an empty cell.
    """

    name: ClassVar[str] = "table_match"
    version: ClassVar[int] = 5
    source: ClassVar[str] = "rewardkit"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    ordered: bool = True
    """Pair rows by position. If false, rows that agree, then others by their first column."""
    partial: bool = True
    """Pay the share of equal cells. If false, 1 or 0."""

    def grade(self, sample: Sample) -> Score:
        """Read both tables and compare the cells."""
        wanted = truth_table(sample.ground_truth)
        found = last_table(after_thinking(sample.completion))
        if not found:
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason="no table found")
        cells = len(found) * max(map(len, found))
        if cells > MAX_CELLS:
            return Score.of(
                0, verdict=Verdict.MALFORMED, reason=f"a table of {cells} cells, at most {MAX_CELLS} are read"
            )
        right, total = self._compare(wanted, found)
        value = right / total
        if not self.partial:
            value = float(right == total)
        return Score.of(value, reason=f"{right} of {total} cells agree")

    def _compare(self, wanted: Table, found: Table) -> tuple[int, int]:
        heading, *rows = _plain(wanted)
        given, *body = _plain(found)
        places: defaultdict[str, deque[int]] = defaultdict(deque)
        for place, name in enumerate(given):
            places[name].append(place)
        columns = [places[name].popleft() if places[name] else None for name in heading]
        made: list[Cells] = [tuple(None if column is None else row[column] for column in columns) for row in body]
        expected: list[Cells] = [tuple(row) for row in rows]
        pairs = zip(expected, made, strict=False) if self.ordered else _paired(expected, made)
        right = sum(column is not None for column in columns)
        right += sum(sum(a == b for a, b in zip(*pair, strict=True)) for pair in pairs)
        extra = max(0, len(given) - len(heading)) * len(found) + sum(len(row) - len(given) for row in body)
        return right, len(heading) * max(len(wanted), len(found)) + extra


def _plain(table: Table) -> Table:
    """The cells in normal form, and no row shorter than the heading."""
    width = len(table[0])
    return [[plain(cell) for cell in row] + [""] * (width - len(row)) for row in table]


def _paired(wanted: list[Cells], made: list[Cells]) -> Iterator[tuple[Cells, Cells]]:
    """Rows that agree, then the others with the same first cell, in their order."""
    same = Counter(wanted) & Counter(made)
    yield from ((row, row) for row in same.elements())
    waiting: defaultdict[str | None, deque[Cells]] = defaultdict(deque)
    for row in _without(made, same):
        waiting[row[0]].append(row)
    for row in _without(wanted, same):
        if waiting[row[0]]:
            yield row, waiting[row[0]].popleft()


def _without(rows: Iterable[Cells], some: Counter[Cells]) -> Iterator[Cells]:
    left = Counter(some)
    for row in rows:
        left[row] -= 1
        if left[row] < 0:
            yield row


def last_table(text: str) -> Table:
    """The last Markdown table of a text as rows of cells, heading first; else its last CSV fence; else nothing.

    As on GitHub, a table is a heading, a rule (`|---|`) with as many cells, and the lines with bars that follow; outer bars may be left out.
    """
    table: Table = []
    lines = [_cells(line.strip()) for line in text.splitlines()]
    place = 0
    while place + 1 < len(lines):
        if _is_rule(lines[place + 1]) and len(lines[place]) == len(lines[place + 1]):
            end = next((after for after in range(place + 2, len(lines)) if not lines[after]), len(lines))
            if end > place + 2 or not table:
                table = [lines[place], *lines[place + 2 : end]]
            place = end
        else:
            place += 1
    if table:
        return table
    start = text.rfind("```csv")
    end = text.find("```", start + 6) if start >= 0 else -1
    return _csv(text[start + 6 : end]) if end >= 0 else []


def _is_rule(cells: list[str]) -> bool:
    return any(cells) and all(not cell or _RULE.fullmatch(cell) for cell in cells)


def _cells(line: str) -> list[str]:
    """The cells of a line, none if it has no bar."""
    cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(line)]
    first = not cells[0]
    last = not cells[-1] and len(cells) > 1 + first
    return cells[first : len(cells) - last] if len(cells) > 1 else []


def _csv(text: str) -> Table:
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text.strip())) if row]
    except csv.Error:
        return []


def truth_table(truth: Any) -> Table:
    """A ground truth as rows of cells, heading first.

    Raises:
        GroundTruthError: it is no table.
    """
    rows = items(parse_json(truth) if isinstance(truth, str) else truth)
    if isinstance(truth, str) and not rows:
        bars = truth.lstrip().startswith("|")
        lines = [cells for line in truth.splitlines() if (cells := _cells(line.strip()))] if bars else []
        table = last_table(truth) or ([] if any(map(_is_rule, lines)) else lines) or ([] if bars else _csv(truth))
    else:
        kinds = {"object" if mapping(row) else "list" if items(row) else "neither" for row in rows}
        if len(kinds) > 1:
            raise GroundTruthError("the rows of the ground truth are of several kinds; give objects, or lists alone")
        if kinds == {"object"}:
            heading = list(dict.fromkeys(key for row in rows for key in mapping(row)))
            table = [heading, *([_cell(mapping(row).get(key)) for key in heading] for row in rows)]
        else:
            table = [list(map(_cell, items(row))) for row in rows]
    if len(table) < 2 or not table[0]:
        raise GroundTruthError(
            "the ground truth is not a table with a heading (in Markdown, with a rule below it) and a row"
        )
    if max(map(len, table)) > len(table[0]):
        raise GroundTruthError("a row of the ground truth has more cells than its heading")
    if len(table) * len(table[0]) > MAX_CELLS:
        raise GroundTruthError(f"the ground truth has more than {MAX_CELLS:,} cells")
    return table


def _cell(value: Any) -> str:
    return "" if coerce.present(value) is None else str(value)
