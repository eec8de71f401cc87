"""Find the problems of a run that are in a training set, and compute its results without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from harness.folder import new_run
from harness.metrics import Summary, summarise_task
from harness.store import Problem, Run, remove_run, write_run
from rewardkit.chat import is_chat, message_text
from rewardkit.data.column_aliases import PROMPT, find_text, lookup
from rewardkit.data.sources import expand, refuse_streams
from rewardkit.errors import IncompleteError, UsageError
from rewardkit.overlap import NGRAM, References

BATCH = 1_000
"""Training rows compared at a time: memory does not grow with the training set."""


@dataclass(frozen=True)
class Overlap:
    """A problem that is in the training set."""

    problem: Problem
    place: str
    """The first training row that shares words with it: file and line."""
    words: str
    """What they share, normalised."""

    def to_json(self) -> dict[str, Any]:
        """Plain values for a file."""
        return {
            "task": self.problem.task,
            "doc_id": self.problem.doc_id,
            "question": self.problem.question,
            "train": self.place,
            "shared": self.words,
        }


@dataclass(frozen=True)
class Contamination:
    """The numbers of one task: of all problems, of those in the training set, of the others."""

    task: str
    problems: int
    found: Sequence[Overlap]
    everything: Summary
    inside: Summary | None
    outside: Summary | None

    @property
    def share(self) -> float:
        """Share of the task's problems that are in the training set."""
        return len(self.found) / self.problems


def contamination(
    run: Run, texts: Callable[[], Iterable[tuple[str, str]]], *, ngram: int = NGRAM
) -> list[Contamination]:
    """Compare the problems of a run with training texts, which `texts` gives as (place, text). It is called twice.

    A problem counts as found if the whole text is equal after normalisation, or `ngram` words in a row are that few
    training texts have (see `rewardkit.overlap`, which the recipes' check of their training data uses, too).
    """
    tasks = {task: [each for each in run.problems.values() if each.task == task] for task in run.tasks}
    references = References({task: [each.question for each in own] for task, own in tasks.items()}, ngram=ngram)
    found: dict[tuple[str, int], Overlap] = {}
    references.without_phrases(text for _, text in texts())
    for rows in _batches(texts()):
        for match in references.overlaps(text for _, text in rows):
            problem = tasks[match.name][match.reference]
            found.setdefault((match.name, match.reference), Overlap(problem, rows[match.index][0], match.words))
    return [_of_task(run, task, [found[key] for key in sorted(found) if key[0] == task]) for task in run.tasks]


def training_texts(files: Sequence[str], column: str | None = None) -> Iterator[tuple[str, str]]:
    """The problem of each row of files, folders, URLs or hub data sets, with its place.

    Raises:
        UsageError: a file cannot be read or has no rows, or a row has no such column.
        IncompleteError: a row cannot be read, or a file ends before its end.
    """
    sources = expand(files)
    refuse_streams(sources, "the training data is read twice")
    for source in sources:
        empty = True
        for line, record, _ in source.read():
            empty = False
            place = f"{source.shown}:{line}"
            if isinstance(record, str):
                raise IncompleteError(f"{place}: {record}")
            value = lookup(record, column) if column else find_text(record, PROMPT)[1]
            if is_chat(value):
                value = "\n".join(message_text(message) for message in value if message.get("role") == "user")
            if not isinstance(value, str):
                wanted = column or " ".join(PROMPT)
                raise UsageError(f"{place} has no problem as text ({wanted}); name its column with --column")
            yield place, value
        if empty:
            raise UsageError(f"{source.shown} has no rows")


def without(run: Run, problems: Iterable[Problem]) -> Run:
    """The run without these problems and the answers to them."""
    left_out = {(each.task, each.hash) for each in problems}
    kept = {key: each for key, each in run.problems.items() if key not in left_out}
    return Run(run.path, run.record, kept, [each for each in run.answers if (each.task, each.problem) not in left_out])


def write_clean(run: Run, found: Iterable[Overlap], place: Path, *, train: Sequence[str], overwrite: bool) -> None:
    """Write the run without the problems that were found to a directory of its own, for all commands that take a run.

    Raises:
        UsageError: the directory is the run's own, or holds a run and `overwrite` is off; or no problem would be left.
    """
    with new_run(place, made_from=[run], overwrite=overwrite, option="--clean"):
        hit = [each.problem for each in found]
        kept = without(run, hit)
        if not kept.problems:
            raise UsageError(f"--clean {place}: every problem of the run is in the training data")
        remove_run(place)
        left_out = {"train": list(train), "problems": len(hit)}
        write_run(place, {**run.record, "left_out": left_out, "results": None}, kept.problems.values(), kept.answers)


def _of_task(run: Run, task: str, found: Sequence[Overlap]) -> Contamination:
    hit = [each.problem for each in found]
    others = [each for each in run.problems.values() if each.task == task and each not in hit]
    inside = summarise_task(without(run, others), task) if hit else None
    outside = summarise_task(without(run, hit), task) if others else None
    return Contamination(task, len(hit) + len(others), found, summarise_task(run, task), inside, outside)


def _batches(texts: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    source = iter(texts)
    while rows := list(islice(source, BATCH)):
        yield rows
