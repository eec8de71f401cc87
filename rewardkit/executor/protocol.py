"""Protocol between a worker process and its parent: JSON values in length-prefixed frames.

Texts of models are never pickled: what reads them back makes plain values and nothing else.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rewardkit.errors import UsageError
from rewardkit.processes import receive_exactly
from rewardkit.types import Sample, Score

_HEAD = struct.Struct(">Q")
"""Length of the body that follows, in bytes."""
_LENGTH = struct.Struct(">I")
_COUNT = struct.Struct(">I")
_REFUSED = "the row cannot be handed to a worker"

Row = Sample | bytes
"""What is judged: a sample, or its JSON as it came in. A JSON text in place of an object says why there is no sample."""
Unit = list[Sample | Score]
"""Rows that one call of the reward scores together; a Score stands for a row that could not be read."""


def pack_units(reward: int, units: Sequence[Sequence[Row]]) -> bytes:
    """A job for a worker: the place of its reward, and units of rows."""
    pieces = [_COUNT.pack(reward), _COUNT.pack(len(units))]
    for unit in units:
        pieces.append(_COUNT.pack(len(unit)))
        pieces += _with_length(map(_row_json, unit))
    return _frame(pieces)


def unpack_units(body: bytes) -> tuple[int, Iterator[Unit]]:
    """The place of the reward, and the units of a job."""
    return _COUNT.unpack_from(body)[0], _units(body, _COUNT.size)


def _units(body: bytes, place: int) -> Iterator[Unit]:
    (count,) = _COUNT.unpack_from(body, place)
    place += _COUNT.size
    for _ in range(count):
        (rows,) = _COUNT.unpack_from(body, place)
        place += _COUNT.size
        unit: Unit = []
        for _ in range(rows):
            text, place = _text_at(body, place)
            unit.append(_read_sample(text))
        yield unit


def pack_scores(scores: Iterable[Score]) -> bytes:
    """Scores in the order of their rows."""
    return _frame([json.dumps([score.to_row() for score in scores]).encode()])


def unpack_scores(body: bytes) -> list[Score]:
    """The scores in a frame.

    Raises:
        ValueError, TypeError, AttributeError, RecursionError: it is not a frame of scores.
    """
    return [Score(**row) for row in json.loads(body)]


def receive(channel: socket.socket, *, most: int | None = None) -> bytes | None:
    """The body of the next frame; None where the other side is gone.

    Raises:
        ValueError: it is longer than `most` bytes.
    """
    try:
        (length,) = _HEAD.unpack(receive_exactly(channel, _HEAD.size))
        if most is not None and length > most:
            raise ValueError(f"a frame of {length} bytes")
        return receive_exactly(channel, length)
    except (OSError, EOFError):
        return None


def _frame(pieces: Sequence[bytes]) -> bytes:
    return b"".join((_HEAD.pack(sum(map(len, pieces))), *pieces))


def _with_length(texts: Iterable[bytes]) -> Iterator[bytes]:
    for text in texts:
        yield _LENGTH.pack(len(text))
        yield text


def _text_at(body: bytes, place: int) -> tuple[bytes, int]:
    (length,) = _LENGTH.unpack_from(body, place)
    place += _LENGTH.size
    return body[place : place + length], place + length


def _row_json(row: Row) -> bytes:
    return row if isinstance(row, bytes) else _sample_json(row)


def _sample_json(sample: Sample) -> bytes:
    """The row, or the reason why it cannot be sent."""
    try:
        return sample.to_json().encode()
    except UsageError as error:
        return json.dumps(f"{_REFUSED}: {error}").encode()


def _read_sample(text: bytes) -> Sample | Score:
    try:
        row: Any = json.loads(text)
        return Score.unjudged(row) if isinstance(row, str) else Sample.from_row(row)
    except (ValueError, RecursionError) as error:
        return Score.unjudged(f"{_REFUSED}: {error}")
