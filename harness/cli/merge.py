"""`harness merge`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from rewardkit.cli._say import say
from rewardkit.cli._types import FolderPath, max_unjudged_option


@click.command("merge")
@click.argument("directories", nargs=-1, required=True)
@click.option("-o", "--output", type=FolderPath(), required=True, help="Directory for the whole run.")
@click.option("--overwrite", is_flag=True, help="Replace the run in -o.")
@max_unjudged_option("answers")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(directories: tuple[str, ...], output: Path, overwrite: bool, max_unjudged: float, as_json: bool) -> int:
    """Join the runs of all shards into one, as if `harness run` had asked every problem.

    \b
    harness run ... --shard 1/2 -o runs/part-1
    harness run ... --shard 2/2 -o runs/part-2
    harness merge runs/part-1 runs/part-2 -o runs/whole
    """  # noqa: D301 - click's mark
    from harness.cli.tables import exit_code, print_summaries, run_table
    from harness.merge import merge

    whole = merge(directories, output, overwrite=overwrite)
    if as_json:
        click.echo(json.dumps(run_table(whole), indent=2))
    else:
        print_summaries([(whole.run.name, whole.summaries)])
    say(f"{len(whole.run.answers)} answers of {len(directories)} shards; written to {output}", err=True)
    return exit_code(whole.summaries, max_unjudged)
