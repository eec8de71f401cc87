"""`rewardkit audit`: signs of gaming and of judge faults in a file of completions."""

from __future__ import annotations

import json
from pathlib import Path

import click

from rewardkit import __version__
from rewardkit.data.reader import RowReader
from rewardkit.data.rows import Columns
from rewardkit.errors import IncompleteError
from rewardkit.store import check_report, write_whole
from rewardkit.text import files_of, load


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("-r", "--reward", "reward_text", default="math", show_default=True, help="Text form of the reward.")
@click.option(
    "--second", default="dapo_math", show_default=True, help="The second verifier: a reward, math_verify, or none."
)
@click.option("-o", "--output", "--out", "out", help="Write the HTML page here.")
@click.option("--overwrite", is_flag=True, help="Replace an output file that exists.")
@click.option("--json", "as_json", is_flag=True, help="All findings on stdout as JSON.")
@click.option("--fail", is_flag=True, help="Exit 1 when a check raises an alarm.")
@click.option("--completion-column", metavar="C")
@click.option("--ground-truth-column", metavar="C")
@click.option("--group-by", metavar="C", help="Column that tells which rows answer the same prompt.")
def audit(
    files: tuple[str, ...],
    reward_text: str,
    second: str,
    out: str | None,
    overwrite: bool,
    as_json: bool,
    fail: bool,
    completion_column: str | None,
    ground_truth_column: str | None,
    group_by: str | None,
) -> int:
    """Score the rows of FILES and look for what a policy may have learned to exploit, and for where judges disagree."""
    from rewardkit.audit import collect, run_checks
    from rewardkit.audit.page import lines, render
    from rewardkit.audit.second import second_verifier
    from rewardkit.report import engine

    reward = load(reward_text)
    other = second_verifier(second)
    columns = Columns(completion=completion_column, ground_truth=ground_truth_column, group=group_by)
    reader = RowReader(files, columns)
    reader.check()
    if out is not None:
        engine()
        check_report(
            Path(out),
            [*(source.name for source in reader.sources), *files_of(reward_text), *files_of(second)],
            overwrite=overwrite,
        )
    rows = list(collect(reader, reward, other))
    findings = run_checks(rows)
    facts = {
        "files": ", ".join(files),
        "rows": f"{len(rows):,}",
        "reward": reward.text,
        "second verifier": second,
        "made by": f"rewardkit {__version__}",
    }
    if out is not None:
        write_whole(Path(out), render(findings, facts))
    if as_json:
        found = [{**finding.model_dump(), "share": finding.share} for finding in findings]
        click.echo(json.dumps({**facts, "findings": found}, ensure_ascii=False))
    else:
        for line in lines(findings):
            click.echo(line)
    if all(row.value is None for row in rows):
        raise IncompleteError(f"no row could be judged: {rows[0].reason}")
    return int(fail and any(finding.alarm for finding in findings))
