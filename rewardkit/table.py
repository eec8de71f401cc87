"""Print tables: no line is wider than the console, and no number is cut."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import IO, Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rewardkit.errors import one_line

PLAIN_WIDTH = 80
"""Width if there is no terminal and COLUMNS is not set."""
_TEXT_WIDTH = 20
"""A column of text is never made narrower for the sake of a column of numbers beside it; that one goes below instead."""
_GAP = 3

Cell = str | Text


def console(stream: IO[str] | None = None) -> Console:
    """A console for a stream (stdout by default): plain, and `PLAIN_WIDTH` wide, if it is not a terminal."""
    target: Any = stream or sys.stdout
    columns = os.environ.get("COLUMNS", "")
    plain = int(columns) if columns.isdecimal() and int(columns) else PLAIN_WIDTH
    return Console(file=target, width=None if target.isatty() else plain, highlight=False)


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    title: str = "",
    text: Collection[str] = (),
    total: bool = False,
    screen: Console | None = None,
) -> None:
    """Print a table whose first column names the rows. If it is too wide, further columns follow below it, with the names again.

    The first column and those in `text` are set flush left and folded if they are long; all others are numbers. With
    `total` the last row is set apart.
    """
    screen = screen or console()
    cells = [[_cell(cell) for cell in row] for row in rows]
    if title:
        screen.print(Text(one_line(title), style="bold", overflow="fold"))
    for places in _blocks(columns, cells, {columns[0], *text}, screen.width):
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for place in places:
            is_text = columns[place] in {columns[0], *text}
            fits = is_text or _width(place, columns, cells) <= screen.width // 2
            table.add_column(
                Text(columns[place]),
                justify="left" if is_text else "right",
                no_wrap=fits and not is_text,
                overflow="fold",
            )
        for row in cells:
            if total and row is cells[-1]:
                table.add_section()
            table.add_row(*(row[place] for place in places), style="bold" if total and row is cells[-1] else None)
        screen.print(table)


def _cell(cell: Cell) -> Text:
    return Text(one_line(cell)) if isinstance(cell, str) else Text(one_line(cell.plain), style=cell.style)


def _blocks(
    columns: Sequence[str], rows: Sequence[Sequence[Text]], text: Collection[str], width: int
) -> Iterator[list[int]]:
    """The columns of each part of the table: as many as are beside each other, each part led by the first column."""
    wanted = [_width(place, columns, rows) for place in range(len(columns))]
    least = [min(size, _TEXT_WIDTH) if name in text else size for name, size in zip(columns, wanted, strict=True)]
    block, used = [0], least[0]
    for place in range(1, len(columns)):
        if len(block) > 1 and used + _GAP + least[place] > width:
            yield block
            block, used = [0], least[0]
        block.append(place)
        used += _GAP + least[place]
    yield block


def _width(place: int, columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> int:
    return max(cell_len(columns[place]), *(row[place].cell_len for row in rows), 1)
