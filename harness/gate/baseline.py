"""The data a gate needs from a run: right answers per problem, and facts that make runs comparable. Small enough to commit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.compare import FACTS, fact, facts_of
from harness.errors import NotComparableError
from harness.identity import SUBJECT, digest
from harness.metrics import counts_of, summarise_task
from harness.store import Run, read_run
from rewardkit.errors import UsageError, clip
from rewardkit.store import refuse_url, write_whole

FORMAT = 2


class Ledger(BaseModel):
    """One task of one run: (right, judged) for each problem hash, and the facts that must agree."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    version: str
    scorer: str
    template: str
    task_file: str
    data: str
    k: int
    sampling: dict[str, Any]
    tools: dict[str, Any] | None
    counts: dict[str, tuple[int, int]]
    """Right and judged answers by problem hash; the hash is of prompt and target."""
    errors: float
    """Share of expected answers that could not be generated or judged."""
    truncated: float
    format: float | None

    @property
    def problems(self) -> int:
        """How many problems have a judged answer."""
        return sum(n > 0 for _, n in self.counts.values())


@dataclass(frozen=True)
class Book:
    """All tasks of one run or of one baseline file."""

    name: str
    place: str
    ledgers: Mapping[str, Ledger]
    date: str = ""
    model: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Which model answered: id, URL, revision or hash of weights, tokenizer and chat template."""
    part: str = ""
    """What left problems out of a run; empty if it asked all."""
    empty: Sequence[str] = ()
    """Tasks of the run of which it holds no problem."""

    @property
    def scope(self) -> str:
        """Words for messages, with a blank in front: that problems were left out, and by what; empty if none were."""
        return f" (a part: the run had {self.part})" if self.part else ""


def of_run(run: Run) -> Book:
    """The ledger of a finished run."""
    ledgers: dict[str, Ledger] = {}
    for task in run.tasks:
        summary = summarise_task(run, task)
        ledgers[task] = Ledger(
            task=task,
            **facts_of(run, task),
            k=summary.k,
            sampling=dict(fact(run, task, "generation_kwargs") or {}),
            tools=run.record.get("tools"),
            counts={problem: counts_of(answers) for problem, answers in run.by_problem(task).items()},
            errors=1 - summary.complete,
            truncated=summary.truncated,
            format=summary.format,
        )
    model = {name: run.identity[name] for name in SUBJECT if name in run.identity}
    empty = [task for task in run.record.get("tasks") or () if task not in ledgers]
    return Book(run.name, str(run.path), ledgers, str(run.record.get("date") or ""), model, _part(run), empty)


def _part(run: Run) -> str:
    shard, limit = cast("dict[str, int] | None", run.identity.get("shard")), run.record.get("limit")
    options = [f"--shard {shard['index']}/{shard['of']}"] if shard else []
    if limit is not None and (shard or any(len(run.by_problem(task)) >= limit for task in run.tasks)):
        options.append(f"--limit {limit}")
    if cast("Mapping[str, Any]", run.record.get("model_args") or {}).get("only"):
        options.append("only=true")
    left_out = cast("Mapping[str, Any]", run.record.get("left_out") or {}).get("problems")
    cleaned = f"{left_out} problems left out by contamination --clean" if left_out else ""
    return ", ".join(filter(None, (" ".join(options), cleaned)))


def read_book(place: str | Path) -> Book:
    """A baseline: a file that `write_baseline` wrote, or a run's directory.

    Raises:
        UsageError: it is neither.
        NotComparableError: the file was changed after it was written.
    """
    path = Path(place)
    if path.is_dir():
        return of_run(read_run(path))
    try:
        data = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
        if data["format"] != FORMAT:
            raise UsageError(
                f"baseline {place} has format {data['format']!r}, this version reads {FORMAT}; write it again"
            )
        if data["sha256"] != _hash(data):
            raise NotComparableError(
                f"baseline {place} was changed after it was written (its hash does not match); "
                f"write it again with `harness gate RUN --update-baseline {place} --overwrite`"
            )
        ledgers = {row["task"]: Ledger.model_validate(row) for row in data["tasks"]}
    except OSError as error:
        raise UsageError(
            f"no run or baseline at {place}: {error.strerror}; `harness run -o DIR` makes a run, "
            f"`harness gate RUN --update-baseline FILE` a baseline"
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError, ValidationError) as error:
        raise UsageError(f"{place} is not a baseline file: {clip(str(error), 200)}") from None
    return Book(str(data.get("name") or path.name), str(place), ledgers, str(data.get("date") or ""), data["model"])


def write_baseline(book: Book, path: str | Path) -> None:
    """Write a baseline file: one line per task, so that changes are visible in review. Its folder is made if it is missing."""
    head = {
        "format": FORMAT,
        "name": book.name,
        "date": book.date or datetime.now(UTC).isoformat(timespec="seconds"),
        "model": dict(book.model),
    }
    rows = [ledger.model_dump(mode="json") for ledger in book.ledgers.values()]
    head["sha256"] = _hash({**head, "tasks": rows})
    tasks = ",\n  ".join(json.dumps(row, sort_keys=True) for row in rows)
    refuse_url(Path(path))
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder of {path}: {error.strerror}") from None
    write_whole(Path(path), json.dumps(head)[:-1] + ', "tasks": [\n  ' + tasks + "\n]}\n")


def _hash(data: Mapping[str, Any]) -> str:
    return digest({name: value for name, value in data.items() if name != "sha256"})


def incomparable(base: Ledger, run: Ledger, *, also_k: frozenset[int]) -> list[str]:
    """Why a run cannot be compared with this baseline; empty if it can.

    `also_k`: numbers of answers a problem that were declared beforehand besides the baseline's own.
    """
    reasons = [
        f"{name} is {was!r} in the baseline and {now!r} here"
        for name, was, now in (
            *((words, getattr(base, name), getattr(run, name)) for name, words in FACTS.items()),
            ("sampling", base.sampling, run.sampling),
            ("tools", base.tools, run.tools),
        )
        if was != now
    ]
    if base.k != run.k and run.k not in also_k:
        reasons.append(f"k is {base.k} in the baseline and {run.k} here")
    missing, new = base.counts.keys() - run.counts.keys(), run.counts.keys() - base.counts.keys()
    if missing or new:
        reasons.append(
            f"{len(missing)} problems of the baseline are not in this run and {len(new)} are new "
            "(another prompt, target or --limit)"
        )
    return reasons
