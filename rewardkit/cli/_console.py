"""What people see: tables on stdout, progress on stderr. The only module that draws."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import IO, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rewardkit.summary import METRICS, Summary, Totals

PLAIN_WIDTH = 160
"""Width of tables where no terminal tells its own."""
PLAIN_LINE_EVERY_S = 10.0
_SHORT_CHARS = 44
_COLOURS = {"correct": "green", "partial": "yellow", "unjudged": "magenta"}


def console(stream: IO[str] | None = None) -> Console:
    """A console for a stream (stdout by default); wide and plain where it is not a terminal."""
    target: Any = stream or sys.stdout
    return Console(file=target, width=None if target.isatty() else PLAIN_WIDTH, highlight=False)


def summary_table(summary: Summary, title: str) -> Table:
    """Accuracy | Score | Reward | n | problems | 95 % interval | verdicts | unjudged, a line a data source.

    The problems stand where some have several answers: the interval is over them.
    """
    several = summary.total.problems < summary.total.judged
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("data source", overflow="fold")
    for name in ("Accuracy", "Score", "Reward", "n", *(["problems"] if several else []), "95 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdicts", overflow="fold")
    table.add_column("unjudged", justify="right", no_wrap=True)
    for name, totals in summary.sources.items():
        table.add_row(*_cells(name, totals, several=several))
    if len(summary.sources) > 1:
        table.add_section()
        table.add_row(*_cells("all", summary.total, several=several), style="bold")
    return table


def _cells(name: str, totals: Totals, *, several: bool) -> list[str | Text]:
    interval = "-" if totals.interval is None else f"[{totals.interval[0]:.3f}, {totals.interval[1]:.3f}]"
    counts = "  ".join(
        f"{verdict} {count}" for verdict, count in totals.verdicts.most_common() if verdict != "unjudged"
    )
    unjudged = Text(str(totals.unjudged), style="magenta" if totals.unjudged else "")
    numbers = (_number(totals.mean(metric)) for metric in METRICS)
    sizes = [str(totals.n), str(totals.problems)] if several else [str(totals.n)]
    return [Text(name), *numbers, *sizes, Text(interval), counts or "-", unjudged]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}" if abs(value) >= 10 else f"{value:.3f}"


def rows_table() -> Table:
    """An empty table for single rows."""
    table = Table()
    for name in ("id", "data source", "verdict", "reward", "answer", "reason"):
        table.add_column(
            name, justify="right" if name == "reward" else "left", overflow="fold", no_wrap=name == "reward"
        )
    return table


def add_row(table: Table, row: dict[str, Any]) -> None:
    """Add one output row to the table of rows."""
    verdict = row["verdict"]
    table.add_row(
        Text(shorten(row["id"])),
        Text(row["data_source"] or "-"),
        Text(verdict, style=verdict_style(verdict)),
        _number(row["reward"]),
        Text(shorten(row["answer"] or "-")),
        Text(shorten(row["error"] or row["reason"], 60)),
    )


def shorten(text: str, limit: int = _SHORT_CHARS) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


@contextmanager
def progress(fraction: Callable[[], float | None], *, enabled: bool = True) -> Generator[Callable[[int], None]]:
    """A progress bar with rate and time left on a terminal, a plain line now and then elsewhere, all on stderr.

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
