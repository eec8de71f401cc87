"""`harness rescore`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from rewardkit.cli._say import say
from rewardkit.cli._types import FolderPath, max_unjudged_option

MAX_SHOWN = 10


@click.command("rescore")
@click.argument("directory")
@click.option("-r", "--reward", help="Judge with this reward. [default: the run's own]")
@click.option(
    "-o", "--output", type=FolderPath(), required=True, help="Directory for the result; the run itself is not changed."
)
@click.option("--overwrite", is_flag=True, help="Replace the run in -o.")
@click.option("--judge_workers", type=click.IntRange(0), help="Number of judge processes [cores - 1].")
@click.option(
    "--row_timeout",
    "row_timeout_s",
    type=float,
    help="Seconds to judge one answer [60; for code 1800].",
)
@max_unjudged_option("answers")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(
    directory: str,
    reward: str | None,
    output: Path,
    overwrite: bool,
    judge_workers: int | None,
    row_timeout_s: float | None,
    max_unjudged: float,
    as_json: bool,
) -> int:
    """Judge the saved answers of a run again, without sampling."""
    from harness.cli.tables import exit_code, print_summaries
    from harness.rescore import rescore
    from rewardkit.executor import check_row_timeout

    check_row_timeout(row_timeout_s)
    done = rescore(
        directory, output, reward=reward, workers=judge_workers, row_timeout_s=row_timeout_s, overwrite=overwrite
    )
    if as_json:
        click.echo(
            json.dumps({"tasks": {each.task: each.to_json() for each in done.summaries}, "changed": len(done.changed)})
        )
        return exit_code(done.summaries, max_unjudged)
    print_summaries([(done.after.name, done.summaries)])
    moved = [pair for pair in done.changed if pair[0].kind != pair[1].kind]
    others = [pair for pair in done.changed if pair[0].kind == pair[1].kind]
    say(
        f"{len(done.changed)} of {len(done.after.answers)} answers are judged differently now"
        + (f": {len(moved)} in class, {len(others)} in value alone" if done.changed else "")
    )
    for old, new in [*moved, *others][:MAX_SHOWN]:
        say(f"  {new.task} #{new.doc_id}.{new.rep}: {old.kind} {old.reward} -> {new.kind} {new.reward}  ({new.reason})")
    if len(done.changed) > MAX_SHOWN:
        say(f"  ... and {len(done.changed) - MAX_SHOWN} more")
    return exit_code(done.summaries, max_unjudged)
