"""Protocol between a worker process and its parent: frames with a length in front, which hold lines."""

from __future__ import annotations

import json
import math
import socket
import struct
from collections.abc import Iterator, Sequence
from itertools import islice

_HEAD = struct.Struct(">Q")
"""Length of the body that follows, in bytes."""
_PIECE = 1 << 16
PUT_OFF = b"null"
"""In place of a result: the row needs more than its budget."""


def pack_units(reward: int, units: Sequence[Sequence[bytes]], budget_s: float) -> bytes:
    """A job for a worker: the place of its reward, the budget of each unit, and units of lines."""
    sizes = None if all(len(unit) == 1 for unit in units) else [len(unit) for unit in units]
    head = json.dumps((reward, budget_s, sizes)).encode()
    return pack_lines([head, *(line for unit in units for line in unit)])


def unpack_units(lines: Sequence[bytes]) -> tuple[int, float, Iterator[list[bytes]]]:
    """The place of the reward, the budget of each unit, and the units of a job."""
    reward, budget_s, sizes = json.loads(lines[0])
    rest = iter(lines[1:])
    units = ([line] for line in rest) if sizes is None else (list(islice(rest, size)) for size in sizes)
    return reward, budget_s, units


def pack_lines(lines: Sequence[bytes]) -> bytes:
    """A frame of lines."""
    body = b"\n".join(lines)
    return _HEAD.pack(len(body)) + body


class Frames:
    """The frames that come from the other side."""

    def __init__(self, channel: socket.socket, *, most: int | None = None) -> None:
        self._channel, self._most = channel, most
        self._held = bytearray()

    @property
    def has_some(self) -> bool:
        """Bytes were received beyond the last frame."""
        return bool(self._held)

    def receive(self, *, pieces: float = math.inf) -> list[bytes] | None:
        """The lines of the next frame; None where the other side is gone. So many `pieces` of it are taken at most.

        Raises:
            ValueError: it is longer than `most` bytes.
            BlockingIOError: it has not come yet, and the socket does not block or all `pieces` were taken.
        """
        while (body := self._next()) is None:
            pieces -= 1
            if pieces < 0:
                raise BlockingIOError
            try:
                got = self._channel.recv(_PIECE)
            except BlockingIOError:
                raise
            except OSError:
                return None
            if not got:
                return None
            self._held += got
        return body.split(b"\n") if body else []

    def _next(self) -> bytes | None:
        """The frame that is there."""
        if len(self._held) < _HEAD.size:
            return None
        (length,) = _HEAD.unpack_from(self._held)
        if self._most is not None and length > self._most:
            raise ValueError(f"a frame of {length} bytes")
        end = _HEAD.size + length
        if len(self._held) < end:
            return None
        body = bytes(self._held[_HEAD.size : end])
        del self._held[:end]
        return body
