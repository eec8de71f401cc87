"""How rows and scores travel between a server and its workers: as msgspec reads and writes JSON, and as Python's own where it does not."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, cast

import msgspec

from rewardkit.executor.task import ScoreSamples
from rewardkit.groups import group_key
from rewardkit.types import Sample, Score, Verdict

_scores: msgspec.json.Decoder[list[Score]] = msgspec.json.Decoder(list[Score])


class _Group(msgspec.Struct):
    """The fields of a row that say which group it is of."""

    group: Any = None
    prompt: Any = None
    data_source: Any = None


_group = msgspec.json.Decoder(_Group)


class FastScores(ScoreSamples):
    """`ScoreSamples` with a faster reader and writer; the values are the same."""

    def from_line(self, line: bytes) -> Any:
        """A sample, or a score that says why there is none."""
        try:
            row = msgspec.json.decode(line)
            return Sample.from_row(cast("dict[str, Any]", row)) if isinstance(row, dict) else super().from_line(line)
        except (ValueError, RecursionError, msgspec.DecodeError):
            return super().from_line(line)

    def group(self, line: bytes) -> str | None:
        """As `group_key` has it."""
        try:
            found = _group.decode(line)
            return group_key(Sample(group=found.group, prompt=found.prompt, data_source=found.data_source))
        except (ValueError, RecursionError, msgspec.DecodeError):
            return super().group(line)

    def result_line(self, result: Score) -> bytes:
        """All fields."""
        try:
            return msgspec.json.encode(result)
        except UnicodeEncodeError:  # a lone surrogate
            return super().result_line(result)

    def results(self, lines: Sequence[bytes]) -> list[Score]:
        """Checked scores."""
        try:
            found = _scores.decode(b"[%b]" % b",".join(lines))
        except (ValueError, RecursionError, msgspec.DecodeError):
            return super().results(lines)
        if any((score.value is None) != (score.verdict is Verdict.UNJUDGED) for score in found):
            raise ValueError("a value without a verdict, or a verdict without a value")
        return found


SCORES = FastScores()


def set_up_worker(sandbox: str | None, path: str | None) -> None:
    """In a fresh worker: the sandbox that code rewards use, and the socket of the process that holds it."""
    os.environ["OMP_NUM_THREADS"] = "1"
    if path is not None:
        from rewardkit.sandbox_pool.client import use_pool

        use_pool(path, sandbox)
