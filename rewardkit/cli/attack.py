"""`rewardkit attack`: what a reward pays to completions that do not know the answer."""

from __future__ import annotations

import datetime as dt
import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from rewardkit import __version__
from rewardkit.cli._complete import check_complete
from rewardkit.cli._ready import ready_reward
from rewardkit.cli._say import say
from rewardkit.cli._types import FloatRange, max_unjudged_option
from rewardkit.data.sources import expand
from rewardkit.errors import UsageError, clip
from rewardkit.registry import first_sentence
from rewardkit.store import check_reports, is_regular_output, meta_path, write_whole
from rewardkit.table import print_table
from rewardkit.text import files_of

if TYPE_CHECKING:
    from rewardkit.attack import Report

EXIT_LEAKS, EXIT_CONTROL_FAILED = 1, 3
SHOWN, SHOWN_CHARS = 3, 80


@click.command()
@click.argument("rows", nargs=-1, metavar="ROWS...")
@click.option("-r", "--reward", "reward_text", help="Text form of the reward, or ./file.py:function.")
@click.option("--list", "list_attacks", is_flag=True, help="List the attacks and exit.")
@click.option("--attack", "attacks", multiple=True, metavar="NAME", help="Run only this attack; may be repeated.")
@click.option("--sandbox", help="Run code in this sandbox: auto, docker, local, remote:URL or unsafe.")
@click.option("--seed", default=0, show_default=True, help="Seed of all random choices.")
@click.option(
    "--budget",
    default=10_000,
    show_default=True,
    metavar="N",
    help="Completions to judge. The control and one row for each attack are always judged.",
)
@click.option(
    "--workers", default=0, show_default=True, help="Number of judge processes; 0 chooses as in `rewardkit score`."
)
@click.option(
    "--row-timeout",
    type=float,
    metavar="S",
    help="Seconds for one completion in a worker.  [default: 3, with a sandbox 1800]",
)
@click.option("--model", metavar="URL", help="Ask the model at this OpenAI-compatible server for completions to try.")
@click.option("--model-name", default="default", show_default=True, help="Model to name in requests to --model.")
@click.option("-o", "--output", metavar="FILE", help="Write one JSON object for each attempt to this file.")
@click.option("--report", "report_path", metavar="FILE", help="Write an HTML report to this file.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON instead of a table.")
@click.option(
    "--fail-over",
    type=FloatRange(0, 1),
    metavar="X",
    help="Exit 1 if an attack is paid above the base rate on a larger share of rows.",
)
@max_unjudged_option("rows")
@click.option("--prompt-column", metavar="C", help="Column with the prompt. [default: found by name]")
@click.option("--ground-truth-column", metavar="C", help="Column with the ground truth. [default: found by name]")
@click.option("--quiet", is_flag=True, help="Print no progress on stderr.")
def attack(rows: tuple[str, ...], **options: Any) -> int:
    """Attack a reward with completions that know the prompts in ROWS but never the ground truths.

    Prints the share of rows that each attack is paid on, and the floor of the reward: the highest mean value that a
    search finds without the ground truth on rows of its own, beside the value of the gold answers.
    """
    from rewardkit.attack import run
    from rewardkit.attack.model import propose
    from rewardkit.attack.registry import choose
    from rewardkit.attack.rows import read
    from rewardkit.data.rows import Columns

    if options["list_attacks"]:
        _print_attacks()
        return 0
    _check(rows, options)
    reward = ready_reward(options["reward_text"], options["sandbox"])
    choose(options["attacks"])
    samples, unread, readers = read(
        rows, Columns(ground_truth=options["ground_truth_column"]), prompt_column=options["prompt_column"]
    )
    model = options["model"]
    report = run(
        reward,
        samples,
        seed=options["seed"],
        budget=options["budget"],
        attacks=options["attacks"],
        workers=options["workers"],
        row_timeout_s=options["row_timeout"],
        propose=None if model is None else functools.partial(propose, model, options["model_name"]),
        tell=(lambda _: None) if options["quiet"] else functools.partial(say, err=True),
    )
    _write_files(report, rows, options)
    if options["as_json"]:
        click.echo(json.dumps(report.as_dict(), ensure_ascii=False))
    else:
        _print(report)
    if options["fail_over"] is not None and report.worst > options["fail_over"]:
        worst = report.findings[0]
        say(
            f"error: {worst.attack} ({worst.variant}) is paid above the base rate on {report.worst:.1%} of rows of "
            f"{worst.data_source}, more than --fail-over {options['fail_over']:g}",
            err=True,
        )
        return EXIT_LEAKS
    most, total = options["max_unjudged"], len(samples) + len(unread)
    check_complete(readers, reward, len(unread), total, most=most, first="".join(unread[:1]))
    if not report.sound:
        return EXIT_CONTROL_FAILED
    lost = report.unjudged
    check_complete(readers, reward, len(lost), report.rows_attacked, most=most, first="".join(lost[:1]))
    return 0


def _check(rows: tuple[str, ...], options: dict[str, Any]) -> None:
    """Refuse options that do not fit, before any work."""
    if not rows or options["reward_text"] is None:
        raise UsageError("attack needs ROWS and -r REWARD; --list shows the attacks")
    if options["budget"] < 1 or options["workers"] < 0:
        raise UsageError("--budget needs 1 or more, --workers 0 or more")
    reads = [*(source.name for source in expand(rows)), *files_of(options["reward_text"])]
    check_reports(_outputs(options), reads, overwrite=options["overwrite"])
    if options["report_path"] is not None:
        from rewardkit.report import engine

        engine()


def _outputs(options: dict[str, Any]) -> list[Path]:
    """The files that will be written: attempts, report, and the meta file of the attempts, which a device has not."""
    paths = [Path(options[name]) for name in ("output", "report_path") if options[name] is not None]
    beside = options["output"] is not None and paths[0].name and is_regular_output(paths[0])
    return [*paths, meta_path(paths[0])] if beside else paths


def _write_files(report: Report, rows: tuple[str, ...], options: dict[str, Any]) -> None:
    facts = {
        "reward": report.reward,
        "rows": ", ".join(Path(row).name for row in rows),
        "completions judged": f"{report.judged:,}",
        "seed": str(report.seed),
        "made by": f"rewardkit {__version__}, {dt.datetime.now(dt.UTC):%Y-%m-%d}",
    }
    if options["output"] is not None:
        path = Path(options["output"])
        write_whole(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in report.rows()))
        if is_regular_output(path):
            write_whole(meta_path(path), json.dumps({**facts, **report.as_dict()}, indent=2) + "\n")
    if options["report_path"] is not None:
        from rewardkit.attack.page import render

        write_whole(Path(options["report_path"]), render(report, facts))


def _print(report: Report) -> None:
    from rewardkit.attack.page import cells, control_line

    for control in sorted(report.controls, key=lambda control: control.passed):
        say(control_line(control))
    say(str(report.floor))
    numbers = ("rows", "paid", "base rate", "above", "mean", "highest")
    several = len({finding.data_source for finding in report.findings}) > 1
    rows: list[list[str | Text]] = []
    for finding in report.findings:
        name, form, source, *values = cells(finding)
        style = "red" if finding.leaked else ""
        rows.append([Text(f"{name} ({clip(form, 36)})", style=style), *([source] if several else []), *values[:-1]])
    columns = ("attack (best form)", *(["data source"] if several else []), *numbers)
    print_table(columns, rows, title=report.reward, text={"data source"})
    for finding in [finding for finding in report.findings if finding.leaked][:SHOWN]:
        example = finding.examples[0]
        text = " ".join(example["completion"].split())
        text = text if len(text) <= SHOWN_CHARS else f"… {text[-SHOWN_CHARS:]}"
        reason = f": {example['reason']}" if example["reason"] else ""
        say(f"{finding.attack} on {example['id']}: '{text}' is paid {example['value']:g}{reason}")
    if report.stalled:
        say(report.stalled)


def _print_attacks() -> None:
    from rewardkit.attack.registry import choose

    columns = ("attack", "what it tries")
    print_table(columns, [(name, first_sentence(attack)) for name, attack in choose().items()], text=columns)
