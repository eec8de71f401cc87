"""`harness contamination`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rewardkit.cli._say import say
from rewardkit.cli._types import FloatRange, FolderPath
from rewardkit.errors import clip
from rewardkit.overlap import NGRAM
from rewardkit.table import print_table

if TYPE_CHECKING:
    from harness.contamination import Contamination

MAX_LISTED = 12
"""Number of problems that are printed; -o writes all of them."""


@click.command("contamination")
@click.argument("directory", metavar="RUN")
@click.option(
    "--train",
    "files",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Training data: a file, folder, URL or hub id. May be repeated.",
)
@click.option(
    "--column", metavar="C", help="Column with the problem [prompt, question, problem, input, query, instruction]."
)
@click.option(
    "--ngram",
    type=click.IntRange(1),
    default=NGRAM,
    show_default=True,
    help="Number of consecutive words that count as a match.",
)
@click.option("-o", "--output", metavar="FILE", help="Write the problems that were found to this file as JSON lines.")
@click.option(
    "--clean",
    type=FolderPath(),
    metavar="DIR",
    help="Write the run without these problems to this directory, for compare, gate and report.",
)
@click.option("--overwrite", is_flag=True, help="Replace the outputs of -o and --clean if they exist.")
@click.option(
    "--fail-over",
    type=FloatRange(0, 1),
    metavar="X",
    help="Exit 1 if a larger share of a task's problems is found.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(
    directory: str,
    files: tuple[str, ...],
    column: str | None,
    ngram: int,
    output: str | None,
    clean: Path | None,
    overwrite: bool,
    fail_over: float | None,
    as_json: bool,
) -> int:
    """List the problems of RUN that are in training data, and print its results without them."""
    from harness.contamination import contamination, training_texts, write_clean
    from harness.store import input_files, read_run, run_files
    from rewardkit.data.sources import expand
    from rewardkit.store import check_report, refuse_doubled, write_whole

    if output is not None:
        reads = [*input_files([directory]), *(source.name for source in expand(files))]
        check_report(Path(output), reads, overwrite=overwrite)
        refuse_doubled([Path(output), *(run_files(clean) if clean is not None else [])])
    run = read_run(directory)
    found = contamination(run, partial(training_texts, files, column), ngram=ngram)
    overlaps = [each for task in found for each in task.found]
    if output is not None:
        lines = (json.dumps(each.to_json(), ensure_ascii=False) for each in overlaps)
        write_whole(Path(output), "".join(f"{line}\n" for line in lines))
    try:  # whoever reads the lines may be gone after the first
        if clean is not None:
            write_clean(run, overlaps, clean, train=files, overwrite=overwrite)
    finally:
        if as_json:
            click.echo(json.dumps([_json(each) for each in found], indent=2))
        else:
            _print(found)
    return int(fail_over is not None and any(each.share > fail_over for each in found))


def _json(each: Contamination) -> dict[str, object]:
    parts = {"all": each.everything, "in_training_data": each.inside, "not_in_training_data": each.outside}
    numbers = {
        name: None if part is None or part.accuracy is None else part.accuracy.to_json() for name, part in parts.items()
    }
    listed = [one.to_json() for one in each.found]
    return {"task": each.task, "problems": each.problems, "found": len(listed), "accuracy": numbers, "overlaps": listed}


def _print(found: Sequence[Contamination]) -> None:
    from harness.cli.tables import interval

    columns = ("task", "problems", "found", "accuracy % [95 %]", "found %", "without found %")
    rows = [
        (
            each.task,
            str(each.problems),
            str(len(each.found)),
            *(interval(part.accuracy if part else None) for part in (each.everything, each.inside, each.outside)),
        )
        for each in found
    ]
    print_table(columns, rows)
    overlaps = [each for task in found for each in task.found]
    for each in overlaps[:MAX_LISTED]:
        question = clip(each.problem.question)
        say(f"{each.problem.task} {each.problem.doc_id}: {question!r} is in {each.place}")
    if len(overlaps) > MAX_LISTED:
        say(f"{MAX_LISTED} of {len(overlaps)} problems are listed; -o writes all of them")
