"""Compare a table with the expected table, cell by cell."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import GroundTruthError
from rewardkit.rewards._json import items, mapping
from rewardkit.rewards._text import after_thinking
from rewardkit.rewards.list_match import plain
from rewardkit.types import Sample, Score, Verdict

MAX_CELLS = 10_000
"""A larger table is `malformed`."""

Table = list[list[str]]


@dataclass(frozen=True, kw_only=True)
class TableMatch(SampleReward):
    """Share of cells that agree with the expected table, or 1 and 0 with `partial=False`.

    The answer is the last Markdown table after the thinking, else a CSV fence. Columns are found by their heading, in any
    order; rows by position, or in any order with `ordered=False` (rows are paired by their first column). Extra cells
    and rows lower the value. The ground truth is a list of objects, a list of rows with a heading, or Markdown or CSV
    text.
    """

    name: ClassVar[str] = "table_match"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "rewardkit"
    bounded: ClassVar[bool] = True

    ordered: bool = True
    """Pair rows by position. If false, by their first column."""
    partial: bool = True
    """Pay the share of equal cells. If false, 1 or 0."""

    def grade(self, sample: Sample) -> Score:
        """Read both tables and compare the cells."""
        wanted = _truth(sample.ground_truth)
        found = last_table(after_thinking(sample.completion))
        if not found:
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason="no table found")
        cells = sum(map(len, found))
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
        columns = [given.index(name) if name in given else None for name in heading]
        pool = list(range(len(body)))
        right = sum(column is not None for column in columns)
        for number, row in enumerate(rows):
            place = self._place(number, row, columns[0], body, pool)
            if place is None:
                continue
            pool.remove(place)
            right += sum(
                column is not None and column < len(body[place]) and body[place][column] == cell
                for column, cell in zip(columns, row, strict=False)
            )
        extra_columns = max(0, len(given) - len(heading))
        total = len(heading) * max(len(wanted), len(found)) + extra_columns * len(found)
        return right, total

    def _place(self, number: int, row: list[str], key: int | None, body: Table, pool: list[int]) -> int | None:
        if self.ordered:
            return number if number < len(body) else None
        if key is None or not row:
            return None
        return next((place for place in pool if key < len(body[place]) and body[place][key] == row[0]), None)


def _plain(table: Table) -> Table:
    return [[plain(cell) for cell in row] for row in table]


def last_table(text: str) -> Table:
    """The last Markdown table of a text as rows of cells, heading first; else its last CSV fence; else nothing."""
    tables: list[Table] = []
    running = False
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.count("|") >= 1 and stripped.startswith("|"):
            if not running:
                tables.append([])
            running = True
            cells = [cell.strip() for cell in stripped.strip("|").split("|")]
            if not all(cell and not cell.strip("-: ") for cell in cells):
                tables[-1].append(cells)
        else:
            running = False
    if tables:
        return tables[-1]
    start = text.rfind("```csv")
    end = text.find("```", start + 6) if start >= 0 else -1
    return _csv(text[start + 6 : end]) if end >= 0 else []


def _csv(text: str) -> Table:
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text.strip())) if row]
    except csv.Error:
        return []


def _truth(truth: Any) -> Table:
    if isinstance(truth, str):
        table = last_table(truth) or _csv(truth)
    else:
        rows = items(truth)
        kinds = {"object" if mapping(row) else "list" if items(row) else "neither" for row in rows}
        if len(kinds) > 1:
            raise GroundTruthError("the rows of the ground truth are of several kinds; give objects, or lists alone")
        if kinds == {"object"}:
            heading = list(dict.fromkeys(key for row in rows for key in mapping(row)))
            table = [heading, *([str(mapping(row).get(key, "")) for key in heading] for row in rows)]
        else:
            table = [[str(cell) for cell in items(row)] for row in rows]
    if len(table) < 2 or not table[0]:
        raise GroundTruthError("the ground truth is not a table with a heading and a row")
    return table
