"""`rewardkit view`: browse samples, judgements and mathematics in a page."""

from __future__ import annotations

import tempfile
import webbrowser
from functools import partial
from pathlib import Path

import click

from rewardkit.cli._complete import check_complete
from rewardkit.cli._ready import ready_reward
from rewardkit.cli._say import say
from rewardkit.cli._types import max_unjudged_option
from rewardkit.data.rows import Columns
from rewardkit.errors import UsageError
from rewardkit.import_guard import import_ours
from rewardkit.store import check_report, write_whole
from rewardkit.text import files_of


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE|DIR...")
@click.option("-r", "--reward", "reward_text", help="Judge the rows of the files now with this reward.")
@click.option("--rows", multiple=True, metavar="FILE", help="Input of a score output, if it is in another folder.")
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the page to this file and do not open it.",
)
@click.option("--overwrite", is_flag=True, help="Replace a page that exists.")
@max_unjudged_option("rows that are judged now")
@click.option("--completion-column", metavar="C", help="Column with the completion. [default: found by name]")
@click.option("--ground-truth-column", metavar="C", help="Column with the ground truth. [default: found by name]")
@click.option("--group-by", metavar="C", help="Column that identifies rows with the same prompt.")
def view(
    paths: tuple[str, ...],
    reward_text: str | None,
    rows: tuple[str, ...],
    out: Path | None,
    overwrite: bool,
    max_unjudged: float,
    completion_column: str | None,
    ground_truth_column: str | None,
    group_by: str | None,
) -> int:
    """Show judged samples in a page: outputs of rewardkit score, directories of harness run, or rows with -r REWARD.

    The page is one file that needs no network. It opens in the browser unless -o names a file for it.
    """
    from rewardkit import view as pages

    columns = Columns(completion=completion_column, ground_truth=ground_truth_column, group=group_by)
    if reward_text is None and any(columns):
        raise UsageError("--completion-column, --ground-truth-column and --group-by need -r REWARD")
    folders = [Path(path).is_dir() for path in paths]
    reward = None if reward_text is None else ready_reward(reward_text)
    viewed: list[pages.Viewed] = []
    if reward is not None:
        viewed = [pages.judged(paths, reward, columns)]
        reads, render = [*viewed[0].reads, *files_of(str(reward_text))], partial(pages.render, viewed)
    elif all(folders):
        store = import_ours("harness.store")
        runs = [store.read_run(path) for path in paths]
        reads, render = store.input_files(paths), partial(import_ours("harness.report.page").render, runs)
    elif any(folders):
        raise UsageError("give either outputs of rewardkit score or directories of harness run")
    else:
        viewed = [pages.scored(Path(path), rows) for path in paths]
        reads, render = [name for each in viewed for name in each.reads], partial(pages.render, viewed)
    if out is not None:
        check_report(out, reads, overwrite=overwrite)
    text = render()
    target = out or Path(tempfile.mkdtemp(prefix="rewardkit-view-")) / "samples.html"
    write_whole(target, text)
    say(f"{len(text) / 1e6:.1f} MB written to {target}", err=True)
    if out is None:
        webbrowser.open(target.as_uri())
    for each in viewed:
        total, most = each.summary.total, 1.0 if reward is None else max_unjudged
        check_complete([each.reader], reward, total.unjudged, total.n, most=most, first=each.summary.first_error)
    return 0
