"""`rewardkit audit`: signs of gaming and of judge faults in a file of completions."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rewardkit import __version__
from rewardkit.cli._complete import check_complete
from rewardkit.cli._console import progress
from rewardkit.cli._ready import check_ready, ready_reward
from rewardkit.cli._say import say
from rewardkit.cli._types import max_unjudged_option
from rewardkit.data.reader import RowReader
from rewardkit.data.rows import Columns, Record, Row
from rewardkit.data.sources import refuse_streams
from rewardkit.errors import UsageError
from rewardkit.executor import ROW_TIMEOUT_HELP, check_row_timeout
from rewardkit.judging import check_groups, check_resume, output_row, problem_of
from rewardkit.run import row_behind, run_facts, run_identity
from rewardkit.store import RunStore, check_output, check_report, files_beside, refuse_doubled, resumable, write_whole
from rewardkit.text import files_of
from rewardkit.types import Score

if TYPE_CHECKING:
    from rewardkit.audit.facts import Facts
    from rewardkit.audit.finding import Finding
    from rewardkit.report import samples


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("-r", "--reward", "reward_text", default="math", show_default=True, help="Text form of the reward.")
@click.option(
    "--second",
    help="Second verifier: a reward, math_verify, or none. [default: dapo_math with math, boxed_accuracy and dapo_math, else none]",
)
@click.option("-o", "--output", "--out", "out", help="Write an HTML page to this file.")
@click.option(
    "--rows", "rows_out", metavar="FILE", help="Also write each row's judgement, as `rewardkit score -o` does."
)
@click.option(
    "--resume", is_flag=True, help="Continue an interrupted audit; rows already in --rows FILE are not judged again."
)
@click.option("--overwrite", is_flag=True, help="Replace output files that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print all findings as JSON.")
@click.option(
    "--workers", default=0, show_default=True, help="Number of judge processes; 0 chooses as in `rewardkit score`."
)
@click.option("--row-timeout", "row_timeout_s", type=float, metavar="S", help=ROW_TIMEOUT_HELP)
@click.option("--fail", is_flag=True, help="Exit 1 when a check raises an alarm.")
@max_unjudged_option("rows")
@click.option("--completion-column", metavar="C", help="Column with the completion. [default: found by name]")
@click.option("--ground-truth-column", metavar="C", help="Column with the ground truth. [default: found by name]")
@click.option("--group-by", metavar="C", help="Column that identifies rows with the same prompt.")
def audit(
    files: tuple[str, ...],
    reward_text: str,
    second: str | None,
    out: str | None,
    rows_out: str | None,
    resume: bool,
    overwrite: bool,
    as_json: bool,
    workers: int,
    row_timeout_s: float | None,
    fail: bool,
    max_unjudged: float,
    completion_column: str | None,
    ground_truth_column: str | None,
    group_by: str | None,
) -> int:
    """Score the rows of FILES and look for signs of reward hacking and for disagreement between judges."""
    from rewardkit.audit import page, run_checks
    from rewardkit.audit.facts import judge
    from rewardkit.audit.second import default_second, second_verifier
    from rewardkit.report import engine

    check_row_timeout(row_timeout_s)
    if resume and rows_out is None:
        raise UsageError("--resume needs --rows FILE")
    reward = ready_reward(reward_text)
    check_resume(reward, resume=resume)
    second, boxed_by = (second, None) if second else (default_second(reward), reward)
    if (other := second_verifier(second)) is not None:
        check_ready(other)
    columns = Columns(completion=completion_column, ground_truth=ground_truth_column, group=group_by)
    reader = RowReader(files, columns)
    refuse_streams(reader.sources if resume else (), "--resume reads the input again")
    reader.check()
    check_groups(reward, reader)
    reads = [*(source.name for source in reader.sources), *files_of(reward_text), *files_of(second)]
    if out is not None:
        engine()
        check_report(Path(out), reads, overwrite=overwrite or resume)
    keep = None
    if rows_out is not None:
        check_output(Path(rows_out), reads)
        refuse_doubled([Path(rows_out), *files_beside(Path(rows_out)), *([Path(out)] if out is not None else [])])
        asked = f"{second} on {'all' if boxed_by is None else 'boxed'} rows"
        run = {**run_identity(reward, reward_text, reader, timing=True), "second": asked}
        start = partial(RunStore.open, identity=run, facts=run_facts(resumable=not reward.compares_groups()))
        keep = partial(start, rows_out, reads=reads, resume=resume, overwrite=overwrite)
    judged = partial(judge, reward=reward, second=other, boxed_by=boxed_by, columns=columns, workers=workers)
    rows = _facts(reader, partial(judged, row_timeout_s=row_timeout_s), keep)
    findings = run_checks(rows)
    facts = {"files": ", ".join(files), "rows": f"{len(rows):,}", "reward": reward.text, "second verifier": second, "made by": f"rewardkit {__version__}"}  # fmt: skip
    if out is not None:
        write_whole(Path(out), page.render(findings, facts, *_named_samples(reader, rows, findings)))
    _print(findings, {**facts, "rows": len(rows)}, as_json=as_json)
    if fail and any(finding.alarm for finding in findings):
        return 1
    lost = [f"{row.where}: {row.reason}" for row in rows if row.value is None]
    check_complete([reader], reward, len(lost), len(rows), most=max_unjudged, first="".join(lost[:1]))
    return 0


def _facts(
    reader: RowReader,
    judged: Callable[[Iterator[Record]], Iterator[tuple[Row, dict[str, Any]]]],
    keep: Callable[..., RunStore] | None,
) -> list[Facts]:
    """The facts of all rows. `keep` opens the file of judged rows: rows that are there are not judged again."""
    from rewardkit.audit.facts import facts_of

    rows: list[Facts] = []
    left = reader.records()

    def again(written: Mapping[str, Any]) -> None:
        rows.append(facts_of(row_behind(written, left, reader.columns), written))

    with (
        resumable(lambda: len(rows)) if keep else contextlib.nullcontext(),
        keep(on_row=again) if keep else contextlib.nullcontext() as store,
        progress(lambda: reader.fraction) as advance,
    ):
        for row, record in judged(left):
            if store is not None:
                store.append([record])
            rows.append(facts_of(row, record))
            advance(1)
        if store is not None:
            store.finish(status="incomplete" if reader.truncated else "done")
    return rows


def _print(findings: Sequence[Finding], facts: Mapping[str, object], *, as_json: bool) -> None:
    from rewardkit.audit.page import lines

    if as_json:
        found = [{**finding.model_dump(), "share": finding.share} for finding in findings]
        click.echo(json.dumps({**facts, "findings": found}, ensure_ascii=False))
    else:
        for line in (f"second verifier: {facts['second verifier']}", *lines(findings)):
            say(line)


def _named_samples(
    reader: RowReader, facts: Sequence[Facts], findings: Sequence[Finding]
) -> tuple[dict[str, samples.Entry], dict[Hashable, samples.Problem]]:
    """The samples that the findings name, by place, and their problems; nothing if the input cannot be read twice."""
    from rewardkit.view import entry, problem

    named = {where for finding in findings for where, _ in finding.examples}
    entries: dict[str, samples.Entry] = {}
    problems: dict[Hashable, samples.Problem] = {}
    streams = [source.shown for source in reader.sources if source.is_stream]
    if named and streams:
        say(f"the page shows no samples: {streams[0]} can be read only once; save it to a file", err=True)
    if streams:
        return entries, problems
    for row, fact in zip(reader, facts, strict=True):
        if row.where in named:
            key = problem_of(row)
            problems.setdefault(key, problem(row))
            score = Score(value=fact.value, verdict=fact.verdict, answer=fact.answer, reason=fact.reason)
            entries[row.where] = entry(row, output_row(row, score), run="", key=key, rep=0, reward=None)
    return entries, problems
