"""The journal of a run: one row per answer, appended on arrival, so that kill -9 loses no answer that was received.

It is not `answers.jsonl`. The journal holds what was paid for: answers in the order of arrival, failed requests included, not judged.
`answers.jsonl` is made from it at the end: judged, in the order of tasks, only what this run asked, in the columns that
`rewardkit score` reads; `harness rescore` makes another one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from harness.generation import Generation
from rewardkit.errors import UsageError
from rewardkit.store import RunStore, json_object, meta_path

NAME = "journal.jsonl"


class Journal:
    """Answers by key, on disk. Failed requests are kept in the file but asked again on resume.

    Raises:
        UsageError: a line was changed after it was written, or another program wrote the file.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / NAME
        self.answers: dict[str, Generation] = {}

    def __enter__(self) -> Self:
        resume = self.path.exists()
        self._store = RunStore.open(
            self.path, identity={"kind": "harness journal"}, resume=resume, sealed=True, on_row=self._take_over
        )
        return self

    def __exit__(self, kind: object, *_error: object) -> None:
        if kind is None:
            self._store.finish({"answers": len(self.answers)})
        self._store.close()

    def append(self, generation: Generation) -> None:
        """Write one answer down. It survives the death of this process once this returns.

        Raises:
            IncompleteError: the disk is full, or the file cannot be written any more.
        """
        self._store.append([generation.model_dump(mode="json", exclude_defaults=True)])
        self._keep(generation)

    def _take_over(self, row: dict[str, Any]) -> None:
        try:
            self._keep(Generation(**row))
        except (TypeError, ValidationError):
            raise UsageError(f"{self.path} holds a row that is not an answer; restore it, or start a new -o") from None

    def _keep(self, generation: Generation) -> None:
        if generation.error is None:
            self.answers.setdefault(generation.key, generation)


def keys(directory: Path) -> set[str]:
    """The keys of the answers in a journal; none where none can be read."""
    try:
        with (directory / NAME).open("rb") as lines:
            rows = filter(None, map(json_object, lines))
            return {str(row.get("key")) for row in rows if row.get("error") is None}
    except OSError:
        return set()


def journal_files(directory: Path) -> list[Path]:
    """The journal and the facts beside it."""
    return [directory / NAME, meta_path(directory / NAME)]
