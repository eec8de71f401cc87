"""`rewardkit score`: judge the rows of files and show the totals."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rewardkit.base import Reward
from rewardkit.cli import _console
from rewardkit.cli._advantages import Advantages
from rewardkit.cli._complete import check_complete
from rewardkit.cli._ready import ready_reward
from rewardkit.cli._say import say
from rewardkit.cli._types import max_unjudged_option
from rewardkit.data.reader import RowReader, Selection
from rewardkit.data.rows import Columns
from rewardkit.data.sources import refuse_streams
from rewardkit.data.urls import Upload, is_url
from rewardkit.errors import UsageError
from rewardkit.executor import ROW_TIMEOUT_HELP, check_row_timeout
from rewardkit.groups import Estimator
from rewardkit.judging import Judged, JudgeRecords, check_groups, check_resume, judge, problem_of
from rewardkit.run import row_behind, run_facts, run_identity
from rewardkit.store import RunStore, check_stdout, joined, resumable
from rewardkit.summary import ROUNDING, Summary, Threshold
from rewardkit.table import console
from rewardkit.text import files_of

if TYPE_CHECKING:
    from rewardkit.ray.folder import ShardFolder

EXIT_OK, EXIT_BELOW, EXIT_INCONCLUSIVE = 0, 1, 3


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "-r",
    "--reward",
    "reward_text",
    required=True,
    help="Reward as text, such as 'math + 0.1 * think_format', or a .toml file.",
)
@click.option(
    "-o",
    "--output",
    "out",
    help="Write one JSON object per row to this file or URL (- for stdout; with --engine ray also a folder/ of shards).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the totals as JSON instead of a table.")
@click.option("--show", default=0, metavar="N", help="Also print the first N rows.")
@click.option(
    "--workers",
    default=0,
    show_default=True,
    help="Number of judge processes. 0: this process for rewards that bound their own time and memory, else one worker.",
)
@click.option("--row-timeout", "row_timeout_s", type=float, metavar="S", help=ROW_TIMEOUT_HELP)
@click.option(
    "--sandbox",
    help="Run code in this sandbox: auto, docker, local, remote:URL, unsafe or ./file.py:Name; with options: docker(image='full').",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted run and keep the rows that are written.")
@click.option("--overwrite", is_flag=True, help="Replace an output file that exists.")
@max_unjudged_option("rows")
@click.option(
    "--fail-under",
    multiple=True,
    metavar="METRIC=X",
    help="Exit 1 if a metric is lower: accuracy=0.6 or gsm8k.accuracy=0.6.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Judge on this machine or on a Ray cluster.",
)
@click.option("--limit", type=int, metavar="N", help="Read the first N rows.")
@click.option("--sample", type=int, metavar="N", help="Read N random rows (see --seed).")
@click.option("--seed", default=0, show_default=True, help="Seed for --sample.")
@click.option("--completion-column", metavar="C", help="Column with the completion. [default: found by name]")
@click.option("--ground-truth-column", metavar="C", help="Column with the ground truth. [default: found by name]")
@click.option("--group-by", metavar="C", help="Column that identifies rows with the same prompt.")
@click.option(
    "--advantages",
    type=click.Choice(["grpo", "grpo_no_std", "rloo"]),
    help="Add each row's advantage within its group and count the groups with a signal.",
)
@click.option(
    "--no-timing", is_flag=True, help="Write elapsed_ms as null, so that outputs of two runs are byte-identical."
)
@click.option("--quiet", is_flag=True, help="Print no progress on stderr.")
def score(**options: Any) -> int:
    """Judge the rows of each INPUT: a file (JSONL, JSON, CSV, Parquet, Arrow, .gz, .zst), a folder, a glob, a URL, a hub id, - for stdin.

    \b
    rewardkit score completions.jsonl -r math
    rewardkit score rollouts.jsonl.gz -r "math + 0.1 * think_format" -o scores.jsonl
    rewardkit score answers.jsonl -r math --fail-under accuracy=0.6
    """  # noqa: D301 - click's mark
    asked = Asked(**options)
    thresholds = [Threshold.parse(text) for text in asked.fail_under]
    reward = ready_reward(asked.reward_text, asked.sandbox)
    columns = Columns(asked.completion_column, asked.ground_truth_column, asked.group_by)
    reader = RowReader(asked.files, columns, Selection(asked.limit, asked.sample, asked.seed))
    refuse_streams(reader.sources if asked.resume else (), "--resume reads the input again")
    reader.check()
    check_groups(reward, reader)
    run = Run(asked, reward, reader, upload=asked.upload())
    with resumable(lambda: run.summary.total.n) if run.can_resume else contextlib.nullcontext():
        run.judge()
    if run.upload is not None:
        run.upload.send()
    run.print_totals()
    return _exit_code(run, thresholds)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The options of the command."""

    files: tuple[str, ...]
    reward_text: str
    out: str | None
    as_json: bool
    show: int
    workers: int
    row_timeout_s: float | None
    sandbox: str | None
    resume: bool
    overwrite: bool
    max_unjudged: float
    fail_under: tuple[str, ...]
    engine: str
    limit: int | None
    sample: int | None
    seed: int
    completion_column: str | None
    ground_truth_column: str | None
    group_by: str | None
    advantages: Estimator | None
    no_timing: bool
    quiet: bool

    def __post_init__(self) -> None:
        for name, number in (("--workers", self.workers), ("--show", self.show)):
            if number < 0:
                raise UsageError(f"{name} is {number}; give 0 or more")
        check_row_timeout(self.row_timeout_s)
        if self.resume and self.out in {None, "-"}:
            raise UsageError("--resume needs -o FILE")
        if self.resume and self.advantages is not None:
            raise UsageError("--advantages needs whole groups, so it cannot --resume; score again from the start")
        if self.is_folder and self.advantages is not None:
            raise UsageError("--advantages needs one output file, not a folder of shards")

    @property
    def is_folder(self) -> bool:
        """The output is a folder of shards."""
        return self.engine == "ray" and self.out is not None and self.out.endswith("/")

    def upload(self) -> Upload | None:
        """If the output is a URL, what brings it there."""
        if self.out is None or not is_url(self.out) or self.is_folder:
            return None
        if self.resume:
            raise UsageError(f"--resume needs an output on this machine, not {self.out}")
        return Upload(self.out, overwrite=self.overwrite)


class Run:
    """One run of the command: rows read, judged, written and counted."""

    def __init__(self, asked: Asked, reward: Reward, reader: RowReader, *, upload: Upload | None) -> None:
        self.asked, self.reward, self.reader, self.upload = asked, reward, reader, upload
        self.summary = Summary()
        self.groups = None if asked.advantages is None else Advantages(asked.advantages)
        self.shown: list[dict[str, Any]] = []
        self._records = reader.records()
        self._task = JudgeRecords(reader.columns, timing=not asked.no_timing, groups=self.groups is not None)
        self._output = self._open_output()

    @property
    def can_resume(self) -> bool:
        """True if the output can be continued with --resume."""
        rows = self.groups is None and not self.reward.compares_groups()
        return (rows or self.asked.is_folder) and self.asked.out not in {None, "-"} and self.upload is None

    def judge(self) -> None:
        """Judge and write all rows."""
        with (
            self._output or contextlib.nullcontext(),
            _console.progress(lambda: self.reader.fraction, enabled=not self.asked.quiet) as advance,
        ):
            for batch in self._judged():
                self._write([row.line for row in batch])
                for row in batch:
                    self.summary.add(row.output, row.problem)
                advance(len(batch))
                self.shown += [row.output for row in batch[: max(0, self.asked.show - len(self.shown))]]
            if self._output is not None:
                status = "incomplete" if self.reader.truncated else "done"
                self._output.finish(self.summary.as_dict(), status=status)

    def print_totals(self) -> None:
        """Print the totals, on stderr if the rows go to stdout."""
        stream = sys.stderr if self.asked.out == "-" else sys.stdout
        if self.asked.as_json:
            groups = {} if self.groups is None else {"groups": self.groups.as_dict()}
            totals = {"reward": self.reward.text, "output": self.asked.out, **self.summary.as_dict(), **groups}
            click.echo(json.dumps(totals, ensure_ascii=False), file=stream)
        else:
            screen = console(stream)
            if self.asked.show:
                _console.print_rows(self.shown, screen)
            _console.print_summary(self.summary, self.reward.text, screen)
            if self.groups is not None:
                self.groups.print(screen)
        if self.groups is not None:
            self.groups.warn()

    def _open_output(self) -> RunStore | ShardFolder | None:
        asked = self.asked
        reads = [*(source.name for source in self.reader.sources), *files_of(asked.reward_text)]
        if asked.out == "-":
            check_stdout(reads)
        if asked.out in {None, "-"}:
            return None
        check_resume(self.reward, resume=asked.resume and not asked.is_folder)
        identity = run_identity(self.reward, asked.reward_text, self.reader, timing=not asked.no_timing)
        how = {"resume": asked.resume, "overwrite": asked.overwrite}
        if asked.is_folder:
            from rewardkit.ray.folder import ShardFolder

            return ShardFolder.open(str(asked.out), identity=identity, facts=run_facts(), **how)
        return RunStore.open(
            Path(str(asked.out)) if self.upload is None else self.upload.path,
            identity=identity,
            facts=run_facts(resumable=self.can_resume),
            reads=reads,
            on_row=self._take_over,
            **how,
        )

    def _take_over(self, written: dict[str, Any]) -> None:
        """Count a row of the run that is continued."""
        self.summary.add(written, problem_of(row_behind(written, self._records, self.reader.columns)))

    def _judged(self) -> Iterator[list[Judged]]:
        if self.asked.engine == "ray":
            judged = self._on_ray()
        else:
            workers, row_timeout_s = self.asked.workers, self.asked.row_timeout_s
            judged = judge(self._records, self.reward, self._task, workers=workers, row_timeout_s=row_timeout_s)
        return judged if self.groups is None else self.groups.add(judged)

    def _on_ray(self) -> Iterator[list[Judged]]:
        from rewardkit.ray.folder import ShardFolder
        from rewardkit.ray.pipeline import Work, score_files

        folder = self._output if isinstance(self._output, ShardFolder) else None
        done = self._output.rows_before if isinstance(self._output, RunStore) else 0
        work = Work(self.reward, self._task, self.asked.row_timeout_s, folder)
        return score_files(work, self.reader, workers=self.asked.workers, skip=done)

    def _write(self, lines: list[bytes]) -> None:
        if isinstance(self._output, RunStore):
            self._output.write(lines)
        elif self.asked.out == "-":
            sys.stdout.buffer.write(joined(lines))
            sys.stdout.buffer.flush()


def _exit_code(run: Run, thresholds: list[Threshold]) -> int:
    summary, total, asked = run.summary, run.summary.total, run.asked
    output = "the output" if asked.out == "-" else asked.out
    reasons = "-o FILE writes all reasons" if output is None else f"{output} has all reasons, in the column `error`"
    check_complete(
        [run.reader],
        run.reward,
        total.unjudged,
        total.n,
        most=asked.max_unjudged,
        first=summary.first_error,
        hint=reasons,
    )
    code = EXIT_OK
    for threshold in thresholds:
        value = threshold.value(summary)
        where = f"{threshold.source}.{threshold.metric}" if threshold.source else threshold.metric
        if value is None:
            say(f"error: {where} is not available: no row was judged", err=True)
            return EXIT_INCONCLUSIVE
        if value < threshold.floor - ROUNDING:
            say(f"error: {where} is {value:.4f}, below {threshold.floor:g}", err=True)
            code = EXIT_BELOW
    return code
