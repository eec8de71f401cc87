"""`harness compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rewardkit.cli._say import say
from rewardkit.cli._types import FloatRange
from rewardkit.errors import clip
from rewardkit.table import print_table

if TYPE_CHECKING:
    from harness.compare import Comparison
    from harness.store import Run

MAX_FLIPS = 12
"""Number of flipped problems that are listed for each task without --all-flips."""
TESTS = {"mcnemar": "McNemar's exact test", "sign-flip": "sign-flip permutation test"}


@click.command("compare")
@click.argument("directories", nargs=-1, required=True, metavar="BASELINE RUN...")
@click.option("--names", help="Names of the columns, separated by commas: baseline,SFT,GRPO.")
@click.option(
    "--confidence",
    type=FloatRange(0.5, 0.999),
    default=0.95,
    show_default=True,
    help="Confidence of the intervals.",
)
@click.option("--all-flips", is_flag=True, help="List every problem that flipped.")
@click.option("--html", type=click.Path(), help="Also write an HTML report of these runs to this file.")
@click.option("--overwrite", is_flag=True, help="Replace the file of --html if it exists.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(
    directories: tuple[str, ...],
    names: str | None,
    confidence: float,
    all_flips: bool,
    html: str | None,
    overwrite: bool,
    as_json: bool,
) -> int:
    """Compare runs with the first one, problem by problem. Accuracy: McNemar's exact test for one answer per problem,
    else the exact sign-flip permutation test; intervals are Student's t over differences per problem; p-values are
    corrected over tasks and runs (Holm).
    """
    from harness.compare import compare_runs
    from harness.store import input_files, read_run
    from rewardkit.errors import UsageError
    from rewardkit.store import check_report

    if len(directories) < 2:
        raise UsageError("give at least two runs: harness compare BASELINE RUN")
    if html is not None:
        check_report(Path(html), input_files(directories), overwrite=overwrite)
    runs = [read_run(each) for each in directories]
    runs = relabel(runs, names)
    found = compare_runs(runs, confidence=confidence)
    try:  # whoever reads the lines may be gone after the first, and the disk may be full
        if html is not None:
            from harness.report import write_report

            write_report(runs, html, confidence=confidence)
            say(f"written to {html}", err=True)
    finally:
        if as_json:
            click.echo(json.dumps([each.to_json() for each in found], indent=2))
        else:
            _print(runs, found, confidence=confidence, all_flips=all_flips)
    return 0


def relabel(runs: list[Run], labels: str | None) -> list[Run]:
    """Runs under the names that `--names` gives, else distinguished if two have the same name.

    Raises:
        UsageError: there is not one name for each run.
    """
    from dataclasses import replace

    from rewardkit.errors import UsageError

    names = [part.strip() for part in labels.split(",")] if labels else [run.name for run in runs]
    if len(names) != len(runs):
        raise UsageError(f"--names has {len(names)} names for {len(runs)} runs")
    if labels and len(set(names)) < len(names):
        raise UsageError(f"--names has the same name twice: {labels}; each run needs one of its own")
    if len(set(names)) < len(names):
        names = [run.path.name for run in runs]
    if len(set(names)) < len(names):
        names = [str(run.path) for run in runs]
    return [replace(run, record={**run.record, "name": name}) for run, name in zip(runs, names, strict=True)]


def _print(runs: list[Run], found: list[Comparison], *, confidence: float, all_flips: bool) -> None:
    scale = {"accuracy": 100.0}
    columns = ["task", "metric", *(run.name for run in runs)]
    many = len(runs) > 2
    shown = (f"change [{100 * confidence:g} %]", "p", "p Holm")
    columns += [f"{run.name} {what}" if many else what for run in runs[1:] for what in shown]
    rows: list[list[str]] = []
    keys = list(dict.fromkeys((each.task, each.metric) for each in found))
    for task, metric in keys:
        by_run = {each.other: each for each in found if (each.task, each.metric) == (task, metric)}
        unit = scale.get(metric, 1.0)
        digits = 1 if unit == 100 else 3
        first = next(iter(by_run.values()))
        row = [task, metric + (" %" if unit == 100 else ""), f"{unit * first.before:.{digits}f}"]
        cells: list[str] = []
        for run in runs[1:]:
            each = by_run.get(run.name)
            row.append("-" if each is None else f"{unit * each.after:.{digits}f}")
            if each is None:
                cells += ["-", "-", "-"]
                continue
            change = each.change
            cells.append(
                f"{unit * change.delta:+.{digits}f} [{unit * change.low:+.{digits}f}, {unit * change.high:+.{digits}f}]"
            )
            cells += [_p(change.p), _p(each.p_holm)]
        rows.append(row + cells)
    print_table(columns, rows, text={"metric"})
    for each in found:
        if each.metric == "accuracy":
            _print_flips(each, all_flips=all_flips)


def _print_flips(each: Comparison, *, all_flips: bool) -> None:
    gained = [flip for flip in each.flips if flip.gained]
    lost = [flip for flip in each.flips if not flip.gained]
    say(
        f"\n{each.task}, {each.other} against {each.base}: {len(gained)} problems gained, {len(lost)} lost "
        f"({each.change.n} paired, {TESTS[each.change.test]})"
    )
    for note in each.notes:
        say(f"  note: {note}")
    for word, flips in (("lost", lost), ("gained", gained)):
        shown = flips if all_flips else flips[:MAX_FLIPS]
        for flip in shown:
            say(f"  {word} #{flip.doc_id} {flip.before:.2f} -> {flip.after:.2f}  {clip(flip.question, 90)}")
        if len(shown) < len(flips):
            say(f"  ... and {len(flips) - len(shown)} more {word} (--all-flips)")


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"
