"""`harness report`."""

from __future__ import annotations

from pathlib import Path

import click

from rewardkit.cli._say import say


@click.command("report")
@click.argument("directories", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="HTML file to write.",
)
@click.option("--names", help="Names of the runs, separated by commas.")
@click.option("--overwrite", is_flag=True, help="Replace the file if it exists.")
def command(directories: tuple[str, ...], output: Path, names: str | None, overwrite: bool) -> int:
    """Write an HTML report of one or several runs as a single file. With several runs, the first is the baseline."""
    from harness.cli.compare import relabel
    from harness.report import write_report
    from harness.store import input_files, read_run
    from rewardkit.store import check_report

    check_report(output, input_files(directories), overwrite=overwrite)
    runs = relabel([read_run(each) for each in directories], names)
    write_report(runs, output)
    size = output.stat().st_size / 1e6
    say(f"{sum(len(run.answers) for run in runs):,} answers, {size:.1f} MB, written to {output}", err=True)
    return 0
