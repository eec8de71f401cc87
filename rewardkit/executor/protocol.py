"""Protocol between a worker process and its parent: frames with a length in front, which hold lines."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator, Sequence
from itertools import islice

from rewardkit.processes import receive_exactly

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
        self._rest = b""

    @property
    def has_some(self) -> bool:
        """Bytes were received beyond the last frame."""
        return bool(self._rest)

    def receive(self) -> list[bytes] | None:
        """The lines of the next frame; None where the other side is gone.

        Raises:
            ValueError: it is longer than `most` bytes.
        """
        try:
            held = self._rest
            while len(held) < _HEAD.size:
                held += self._more()
            (length,) = _HEAD.unpack_from(held)
            if self._most is not None and length > self._most:
                raise ValueError(f"a frame of {length} bytes")
            body, self._rest = held[_HEAD.size : _HEAD.size + length], held[_HEAD.size + length :]
            if len(body) < length:
                body += receive_exactly(self._channel, length - len(body))
        except (OSError, EOFError):
            return None
        return body.split(b"\n") if body else []

    def _more(self) -> bytes:
        """What is there, in one call."""
        got = self._channel.recv(_PIECE)
        if not got:
            raise EOFError
        return got
