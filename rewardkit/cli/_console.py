"""Console output of a run: totals and rows on stdout, progress on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

from rewardkit.errors import clip, counted, one_line
from rewardkit.summary import COLUMNS, Summary, number_text
from rewardkit.table import print_table

PLAIN_LINE_EVERY_S = 10.0
_COLOURS = {"correct": "green", "partial": "yellow", "unjudged": "magenta"}


def print_summary(summary: Summary, title: str, screen: Console) -> None:
    """Print the totals, one line per data source, and the count of each verdict."""
    rows = [
        (*cells, Text(unjudged, style="" if unjudged == "0" else "magenta")) for *cells, unjudged in summary.cells()
    ]
    several = len(rows) > 1
    print_table(COLUMNS, rows, title=title, total=several, screen=screen)
    for name, totals in [*summary.sources.items(), *([("all", summary.total)] if several else [])]:
        counts = ", ".join(f"{count:,} {verdict}" for verdict, count in totals.verdicts.most_common())
        problems = f" (answers to {counted(totals.problems, 'problem')})" if totals.problems < totals.judged else ""
        screen.print(Text(f"{one_line(name)}: {counts}{problems}", overflow="fold"))


def print_rows(rows: list[dict[str, Any]], screen: Console) -> None:
    """Print single output rows."""
    columns = ("id", "verdict", "reward", "answer", "reason")
    cells = [
        (
            clip(row["id"], 44),
            Text(row["verdict"], style=verdict_style(row["verdict"])),
            number_text(row["reward"]),
            clip(row["answer"] or "-", 44),
            clip(row["error"] or row["reason"]),
        )
        for row in rows
    ]
    print_table(columns, cells, text={"verdict", "answer", "reason"}, screen=screen)
    screen.print()


@contextmanager
def progress(fraction: Callable[[], float | None], *, enabled: bool = True) -> Generator[Callable[[int], None]]:
    """A progress bar with rate and time left on a terminal, an occasional plain line elsewhere, all on stderr.

    Yields a function that takes the number of rows done since the last call.
    """
    if not enabled:
        yield lambda _rows: None
    elif sys.stderr.isatty():
        with _bar(fraction) as advance:
            yield advance
    else:
        yield _plain_lines(fraction)


@contextmanager
def _bar(fraction: Callable[[], float | None]) -> Generator[Callable[[int], None]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[rows]:,} rows"),
        TextColumn("{task.fields[rate]:,.0f}/s"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    start, rows = time.monotonic(), 0
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0 if fraction() is not None else None, rows=0, rate=0.0)

        def advance(count: int) -> None:
            nonlocal rows
            rows += count
            rate = rows / max(time.monotonic() - start, 1e-9)
            bar.update(task, completed=fraction() or 0.0, rows=rows, rate=rate)

        yield advance


def _plain_lines(fraction: Callable[[], float | None]) -> Callable[[int], None]:
    start = last = time.monotonic()
    rows = 0

    def advance(count: int) -> None:
        nonlocal rows, last
        rows += count
        now = time.monotonic()
        if now - last >= PLAIN_LINE_EVERY_S:
            last = now
            share = fraction()
            done = "" if share is None else f", {share:.0%}"
            left = "" if not share else f", {(now - start) * (1 - share) / share:.0f} s left"
            sys.stderr.write(f"{rows:,} rows{done}, {rows / (now - start):,.0f}/s{left}\n")

    return advance


def verdict_style(verdict: str) -> str:
    """The colour of a verdict."""
    return _COLOURS.get(verdict, "red")
