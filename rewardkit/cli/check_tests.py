"""`rewardkit check-tests`: find rows whose reference solutions fail their tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rewardkit.cli import _console
from rewardkit.cli._complete import check_complete
from rewardkit.cli._ready import ready_reward
from rewardkit.cli._say import say
from rewardkit.cli._types import max_unjudged_option
from rewardkit.data.reader import RowReader, Selection
from rewardkit.data.rows import Columns
from rewardkit.errors import UsageError
from rewardkit.store import check_reports, encode, joined, write_whole
from rewardkit.table import print_table
from rewardkit.text import files_of

if TYPE_CHECKING:
    from rewardkit.check_tests import RowCheck

SHOWN = 20


@click.command()
@click.argument("rows", nargs=-1, required=True, metavar="ROWS...")
@click.option(
    "--solution-column", required=True, metavar="C", help="Column with the reference solution, or a list of them."
)
@click.option("-r", "--reward", "reward_text", default="code", show_default=True, help="Text form of the code reward.")
@click.option("-o", "--output", "out", metavar="FILE", help="Write the sound rows to this file, as JSONL.")
@click.option("--report", metavar="FILE", help="Write one JSON object per row to this file: finding and reason.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON instead of a table.")
@click.option("--solutions", default=3, show_default=True, metavar="N", help="Run at most N references of a row.")
@click.option(
    "--workers", default=0, show_default=True, help="Number of judge processes; 0 chooses as in `rewardkit score`."
)
@click.option("--sandbox", help="Run code in this sandbox: auto, docker, local, remote:URL or unsafe.")
@click.option("--limit", type=int, metavar="N", help="Read the first N rows.")
@click.option("--sample", type=int, metavar="N", help="Read N random rows (see --seed).")
@click.option("--seed", default=0, show_default=True, help="Seed for --sample.")
@max_unjudged_option("rows", "cannot be read")
@click.option("--ground-truth-column", metavar="C", help="Column with the ground truth. [default: found by name]")
@click.option("--quiet", is_flag=True, help="Print no progress on stderr.")
def check_tests(rows: tuple[str, ...], **options: Any) -> int:
    """Run the reference solutions in ROWS against the tests of their own rows.

    A row is unsound if a reference is rejected. If several references disagree with each other, several answers are
    probably right, and comparing with one of them calls right programs wrong.
    """
    from rewardkit.check_tests import check_rows, totals
    from rewardkit.rewards.code import Code

    if options["solutions"] < 1 or options["workers"] < 0:
        raise UsageError("--solutions needs 1 or more, --workers 0 or more")
    reward = ready_reward(options["reward_text"], options["sandbox"])
    if not isinstance(reward, Code):
        raise UsageError(f"check-tests runs programs: -r must be a code reward, not {reward.text}")
    columns = Columns(options["solution_column"], options["ground_truth_column"])
    reader = RowReader(rows, columns, Selection(options["limit"], options["sample"], options["seed"]))
    reader.check()
    reads = [*(source.name for source in reader.sources), *files_of(options["reward_text"])]
    outputs = [Path(path) for path in (options["out"], options["report"]) if path is not None]
    check_reports(outputs, reads, overwrite=options["overwrite"])
    checks: list[RowCheck] = []
    sound: list[bytes] = []
    found = check_rows(
        reader.chosen(), options["solution_column"], reward=reward, columns=columns, most=options["solutions"], workers=options["workers"]
    )  # fmt: skip
    with _console.progress(lambda: reader.fraction, enabled=not options["quiet"]) as advance:
        for check, record in found:
            checks.append(check)
            if check.finding == "sound" and options["out"] is not None:
                sound.append(encode(record))
            advance(1)
    if options["out"] is not None:
        write_whole(Path(options["out"]), joined(sound).decode())
    if options["report"] is not None:
        write_whole(Path(options["report"]), "".join(json.dumps(asdict(check)) + "\n" for check in checks))
    counts = totals(checks)
    if options["as_json"]:
        unsound = [asdict(check) for check in checks if check.finding != "sound"]
        click.echo(json.dumps({"kinds": counts, "not_sound": unsound}, ensure_ascii=False))
    else:
        _print(counts, checks)
    unjudged = [check for check in checks if check.finding == "unjudged"]  # a finding, unless nothing else was found
    unread = unjudged if len(unjudged) == len(checks) else [check for check in unjudged if check.kind == "not read"]
    lost = [f"{check.where}: {check.reason}" for check in unread]
    check_complete([reader], reward, len(lost), len(checks), most=options["max_unjudged"], first="".join(lost[:1]))
    return 0


def _print(counts: dict[str, Any], checks: list[RowCheck]) -> None:
    names = ("rows", "sound", "rejected", "disagree", "unjudged")
    rows = [(kind, *(f"{count[name]:,}" for name in names)) for kind, count in counts.items()]
    print_table(("row kind", *names), rows, title="References against their own tests")
    for line in _lines(checks):
        say(line)


def _lines(checks: list[RowCheck]) -> Iterator[str]:
    """The first rows that are not sound, each with its reason."""
    rest = [check for check in checks if check.finding != "sound"]
    for check in rest[:SHOWN]:
        yield f"{check.where}: {check.finding}: {check.reason}"
    if len(rest) > SHOWN:
        yield f"{len(rest) - SHOWN:,} more; --report FILE lists them all"
