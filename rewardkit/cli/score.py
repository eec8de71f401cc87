"""`rewardkit score`: judge the rows of files and show the totals."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from rewardkit.base import Reward
from rewardkit.cli import _console
from rewardkit.cli._advantages import Advantages
from rewardkit.data.reader import RowReader, Selection
from rewardkit.data.rows import Columns, Row
from rewardkit.data.urls import Upload, is_url
from rewardkit.errors import IncompleteError, UsageError
from rewardkit.executor import ROW_TIMEOUT_HELP, check_row_timeout, scorer
from rewardkit.groups import Estimator
from rewardkit.ray.folder import ShardFolder
from rewardkit.run import output_row, problem_of, run_facts, run_identity, score_rows
from rewardkit.store import RunStore, check_stdout, encode
from rewardkit.summary import METRICS, Summary, Threshold
from rewardkit.text import files_of, load

EXIT_OK, EXIT_BELOW, EXIT_INCONCLUSIVE, EXIT_INCOMPLETE, EXIT_INTERRUPTED = 0, 1, 3, 4, 130
WRITE_ROWS = 64
WRITTEN_KEYS = {"data_source", "verdict", "error", *METRICS}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "-r",
    "--reward",
    "reward_text",
    required=True,
    help="Text form, such as 'math + 0.1 * think_format', or a .toml file.",
)
@click.option(
    "-o",
    "--output",
    "out",
    help="Write one JSON object a row to this file or URL; - for stdout; a folder/ of shards with --engine ray.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the totals as JSON instead of a table.")
@click.option("--show", default=0, metavar="N", help="Also print the first N rows.")
@click.option(
    "--workers",
    default=0,
    show_default=True,
    help="Number of judge processes. 0 judges in this process what bounds its own time and memory, all else in one worker.",
)
@click.option("--row-timeout", "row_timeout_s", type=float, metavar="S", help=ROW_TIMEOUT_HELP)
@click.option("--sandbox", help="Run code in this sandbox: auto, docker, local, remote:URL or unsafe.")
@click.option("--resume", is_flag=True, help="Continue an interrupted run; rows already written stay.")
@click.option("--overwrite", is_flag=True, help="Replace an output file that exists.")
@click.option(
    "--max-unjudged", default=0.005, show_default=True, help="Exit 4 when a larger share of rows has no verdict."
)
@click.option(
    "--fail-under", multiple=True, metavar="METRIC=X", help="Exit 1 below it, e.g. accuracy=0.6 or gsm8k.accuracy=0.6."
)
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True)
@click.option("--limit", type=int, metavar="N", help="Read the first N rows.")
@click.option("--sample", type=int, metavar="N", help="Read N rows, drawn at random with --seed.")
@click.option("--seed", default=0, show_default=True)
@click.option("--completion-column", metavar="C")
@click.option("--ground-truth-column", metavar="C")
@click.option("--group-by", metavar="C", help="Column that tells which rows answer the same prompt.")
@click.option(
    "--advantages",
    type=click.Choice(["grpo", "grpo_no_std", "rloo"]),
    help="Add each row's advantage in its group, and say which groups carry a signal.",
)
@click.option(
    "--no-timing", is_flag=True, help="Write elapsed_ms as null, so that two runs can be compared byte by byte."
)
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def score(
    files: tuple[str, ...],
    reward_text: str,
    out: str | None,
    as_json: bool,
    show: int,
    workers: int,
    row_timeout_s: float | None,
    sandbox: str | None,
    resume: bool,
    overwrite: bool,
    max_unjudged: float,
    fail_under: tuple[str, ...],
    engine: str,
    limit: int | None,
    sample: int | None,
    seed: int,
    completion_column: str | None,
    ground_truth_column: str | None,
    group_by: str | None,
    advantages: Estimator | None,
    no_timing: bool,
    quiet: bool,
) -> int:
    """Judge the rows of each INPUT: a file (JSONL, JSON, CSV, Parquet, Arrow, .gz, .zst), a folder, a glob, a URL, a hub id, - for stdin.

    \b
    rewardkit score completions.jsonl -r math
    rewardkit score rollouts.jsonl.gz -r "math + 0.1 * think_format" -o scores.jsonl
    rewardkit score answers.jsonl -r math --fail-under accuracy=0.6
    """  # noqa: D301 - click's mark
    _check_numbers(max_unjudged, workers, show, row_timeout_s)
    if resume and (out in {None, "-"} or "-" in files):
        raise UsageError("--resume needs -o FILE, and input from files, not from stdin")
    if resume and advantages is not None:
        raise UsageError("--advantages needs whole groups, so it cannot --resume; score again from the start")
    thresholds = [Threshold.parse(text) for text in fail_under]
    reward = load(reward_text)
    if sandbox is not None:
        use_sandbox(sandbox)
    columns = Columns(completion=completion_column, ground_truth=ground_truth_column, group=group_by)
    reader = RowReader(files, columns, Selection(limit, sample, seed))
    reader.check()
    shards = engine == "ray" and out is not None and out.endswith("/")
    upload = Upload(out, overwrite=overwrite) if out is not None and is_url(out) and not shards else None
    if upload is not None and resume:
        raise UsageError(f"--resume needs an output on this machine, not {out}")
    summary = Summary()
    rows = iter(reader)
    reads = [*(source.name for source in reader.sources), *files_of(reward_text)]
    if out == "-":
        check_stdout(reads)
    identity = run_identity(reward, reward_text, reader, timing=not no_timing)
    path = out if upload is None else str(upload.path)
    output = (
        ShardFolder.open(str(out), identity=identity, facts=run_facts(), resume=resume, overwrite=overwrite)
        if shards
        else _open_output(path, identity, reads, Continued(rows, summary), resume=resume, overwrite=overwrite)
    )
    groups = None if advantages is None else Advantages(advantages)
    shown = _console.rows_table()
    judge = _on_ray if engine == "ray" else _here
    judged = _counted(
        judge(reward, reader, rows, output, workers, row_timeout_s, timing=not no_timing), summary, groups
    )
    try:
        with (
            output or contextlib.nullcontext(),
            _console.progress(lambda: reader.fraction, enabled=not quiet) as advance,
        ):
            for batch in _batches(judged):
                _write(output, out, batch)
                advance(len(batch))
                for row in islice(batch, max(0, show - shown.row_count)):
                    _console.add_row(shown, row)
            if output is not None:
                output.finish(summary.as_dict(), status="incomplete" if reader.truncated else "done")
    except KeyboardInterrupt:
        if output is None or groups is not None or upload is not None:
            raise
        click.echo(
            f"interrupted; continue with the same command and --resume, {summary.total.n} rows are done", err=True
        )
        return EXIT_INTERRUPTED
    if upload is not None:
        upload.send()
    _print_totals(reward, summary, groups, shown if show else None, out, as_json=as_json)
    if groups is not None:
        groups.warn()
    return _exit_code(summary, reader, thresholds, max_unjudged)


def _check_numbers(max_unjudged: float, workers: int, show: int, row_timeout_s: float | None) -> None:
    if not 0 <= max_unjudged <= 1:
        raise UsageError(f"--max-unjudged is a share of rows between 0 and 1, not {max_unjudged}")
    if workers < 0:
        raise UsageError(f"--workers is {workers}; give 0 or more")
    if show < 0:
        raise UsageError(f"--show is {show}; give 0 or more")
    check_row_timeout(row_timeout_s)


def _print_totals(
    reward: Reward, summary: Summary, groups: Advantages | None, shown: Table | None, out: str | None, *, as_json: bool
) -> None:
    stream = sys.stderr if out == "-" else sys.stdout
    if as_json:
        totals = {**summary.as_dict(), **({} if groups is None else {"groups": groups.as_dict()})}
        click.echo(json.dumps({"reward": reward.text, "output": out, **totals}, ensure_ascii=False), file=stream)
        return
    tables = [*([] if shown is None else [shown]), _console.summary_table(summary, reward.text)]
    for table in [*tables, *([] if groups is None else groups.tables())]:
        _console.console(stream).print(table)


def use_sandbox(name: str) -> None:
    """Hand the choice to the code rewards, in this process and in workers, by the environment variable they read."""
    import os

    os.environ["REWARDKIT_SANDBOX"] = name


def _here(
    reward: Reward,
    _reader: RowReader,
    rows: Iterator[Row],
    _output: RunStore | ShardFolder | None,
    workers: int,
    row_timeout_s: float | None,
    *,
    timing: bool,
) -> Iterator[tuple[Row, dict[str, Any]]]:
    for row, judged in score_rows(rows, scorer(reward, workers=workers, row_timeout_s=row_timeout_s)):
        yield row, output_row(row, judged if timing else judged.timed(None))


def _on_ray(
    reward: Reward,
    reader: RowReader,
    _rows: Iterator[Row],
    output: RunStore | ShardFolder | None,
    workers: int,
    row_timeout_s: float | None,
    *,
    timing: bool,
) -> Iterator[tuple[Row, dict[str, Any]]]:
    from rewardkit.ray.pipeline import Work, score_files

    folder = output if isinstance(output, ShardFolder) else None
    skip = output.rows_before if isinstance(output, RunStore) else 0
    yield from score_files(Work(reward, row_timeout_s, timing, folder), reader, workers=workers, skip=skip)


@dataclass(frozen=True)
class Continued:
    """Takes over the rows of the run that is continued, each beside the input row that it was made from."""

    rows: Iterator[Row]
    summary: Summary

    def __call__(self, written: dict[str, Any]) -> None:
        """Count one written row.

        Raises:
            UsageError: it is not the judgement of the input row at its place.
        """
        row = next(self.rows, None)
        if row is None or written.get("id") != row.id or not written.keys() >= WRITTEN_KEYS:
            place = (
                "there are more rows than in the input" if row is None else f"{row.where} is not {written.get('id')!r}"
            )
            raise UsageError(f"the output does not fit the input: {place}; start again with --overwrite")
        self.summary.add(written, problem_of(row))


def _open_output(
    out: str | None,
    identity: dict[str, Any],
    reads: list[str],
    continued: Continued,
    *,
    resume: bool,
    overwrite: bool,
) -> RunStore | None:
    if out in {None, "-"}:
        return None
    return RunStore.open(
        Path(str(out)),
        identity=identity,
        facts=run_facts(),
        reads=reads,
        resume=resume,
        overwrite=overwrite,
        on_row=continued,
    )


def _counted(
    judged: Iterator[tuple[Row, dict[str, Any]]], summary: Summary, groups: Advantages | None
) -> Iterator[dict[str, Any]]:
    for row, record in judged if groups is None else groups.add(judged):
        summary.add(record, problem_of(row))
        yield record


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= WRITE_ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _write(output: RunStore | ShardFolder | None, out: str | None, batch: list[dict[str, Any]]) -> None:
    if output is not None:
        output.append(batch)
    elif out == "-":
        sys.stdout.buffer.write(b"".join(encode(row) for row in batch))
        sys.stdout.buffer.flush()


def _exit_code(summary: Summary, reader: RowReader, thresholds: list[Threshold], max_unjudged: float) -> int:
    if reader.truncated:
        raise IncompleteError("; ".join(reader.truncated))
    if summary.unjudged_share > max_unjudged:
        click.echo(
            f"error: {summary.total.unjudged} of {summary.total.n} rows are unjudged, more than --max-unjudged "
            f"{max_unjudged:g}; the first: {summary.first_error}; all reasons stand under `error` in the rows (-o FILE or --show N)",
            err=True,
        )
        return EXIT_INCOMPLETE
    code = EXIT_OK
    for threshold in thresholds:
        value = threshold.value(summary)
        where = f"{threshold.source}.{threshold.metric}" if threshold.source else threshold.metric
        if value is None:
            click.echo(f"error: {where} cannot be told: no row was judged", err=True)
            return EXIT_INCONCLUSIVE
        if value < threshold.floor:
            click.echo(f"error: {where} is {value:.4f}, below {threshold.floor:g}", err=True)
            code = EXIT_BELOW
    return code
