"""What a server and its workers say to each other over a socket pair: JSON rows in, one frame of scores a unit out."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from rewardkit.types import Score, Verdict

VERDICTS = tuple(Verdict)
HEAD = struct.Struct(">I")
"""Length of the body that follows, in bytes."""
_ROW = struct.Struct(">BI")
"""Place of the verdict in `VERDICTS`, length of the score's JSON."""

Judged = tuple[Verdict, bytes]
"""A verdict and the score it belongs to, as JSON."""


def pack_job(reward: int, units: Sequence[Sequence[dict[str, Any] | str]]) -> bytes:
    """A job: units of rows to score, each unit in one call of the reward."""
    body = json.dumps([reward, units]).encode()
    return HEAD.pack(len(body)) + body


def unpack_job(body: bytes) -> tuple[int, list[list[dict[str, Any] | str]]]:
    """The reward's place and the units of a job."""
    reward, units = json.loads(body)
    return reward, units


def pack_scores(scores: Sequence[Score]) -> bytes:
    """The scores of one unit."""
    rows: list[bytes] = []
    for score in scores:
        text = score.to_json().encode()
        rows += (_ROW.pack(VERDICTS.index(score.verdict), len(text)), text)
    body = b"".join(rows)
    return HEAD.pack(len(body)) + body


def unpack_scores(body: bytes) -> Iterator[Judged]:
    """Verdict and JSON of each score in a frame."""
    place = 0
    while place < len(body):
        verdict, length = _ROW.unpack_from(body, place)
        place += _ROW.size
        yield VERDICTS[verdict], body[place : place + length]
        place += length


def unjudged(reason: str) -> Judged:
    """A row without a verdict, in the shape of the others."""
    return Verdict.UNJUDGED, Score.unjudged(reason).to_json().encode()
