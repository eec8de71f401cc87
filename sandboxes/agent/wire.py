"""Frames between host and agent: two big-endian 32-bit lengths, a header, then raw bytes.

The host's headers are marshalled: quick to read, and the host is trusted here. The agent's are JSON, since the host trusts
nothing that comes out of a box. The agent keeps nothing of a program's data in its own heap, since each program runs in a fork
of that heap: the fork itself reads its job, and what comes out waits in a `Scratch`, whose pages forks don't inherit.
"""

import contextlib
import json
import marshal
import mmap
import os
import struct
from typing import Any

__all__ = [
    "MAX_BODY",
    "MAX_HEADER",
    "Closed",
    "Scratch",
    "memfd",
    "pour",
    "read_exactly",
    "read_frame_header",
    "write_frame",
]

LENGTHS = struct.Struct("!II")
MAX_HEADER = 1 << 20
MAX_BODY = 1 << 29
CHUNK = 1 << 18


class Closed(Exception):  # noqa: N818  (an end, not an error)
    """The other side is gone."""


class Scratch:
    """Anonymous memory that a forked child does not get (`MADV_DONTFORK`); `forget` gives the pages back, zeroed."""

    def __init__(self, size: int) -> None:
        self.size = max(size, mmap.PAGESIZE)
        self.memory = mmap.mmap(-1, self.size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.memory.madvise(mmap.MADV_DONTFORK)
        self.view = memoryview(self.memory)
        self.used = 0

    def fill_from(self, fd: int, most: int) -> int:
        """Append up to `most` bytes from the descriptor; how many came."""
        end = min(self.used + most, self.size)
        count = os.readv(fd, [self.view[self.used : end]])
        self.used += count
        return count

    def fill_from_file(self, fd: int, most: int) -> int:
        """Append what a file has beyond the bytes that are here already."""
        end = min(self.used + most, self.size)
        count = os.preadv(fd, [self.view[self.used : end]], self.used)
        self.used += count
        return count

    def pass_on(self, source: int, size: int, target: int) -> None:
        """Move the next `size` bytes of a stream into a pipe and forget them; into nothing where nobody reads it."""
        try:
            while size:
                self.used = 0
                count = self.fill_from(source, min(size, CHUNK))
                if not count:
                    raise Closed
                size -= count
                written = 0
                with contextlib.suppress(BrokenPipeError):
                    while written < count:
                        written += os.write(target, self.view[written:count])
        finally:
            self.forget()

    def content(self) -> memoryview:
        """The bytes so far."""
        return self.view[: self.used]

    def forget(self) -> None:
        """Drop the content."""
        if self.used:
            self.memory.madvise(mmap.MADV_DONTNEED)
            self.used = 0


def read_exactly(fd: int, size: int) -> bytes:
    """Exactly `size` bytes; `Closed` at the end of the stream."""
    data = os.read(fd, min(size, CHUNK)) if size else b""
    if len(data) == size:
        return data
    parts = [data]
    while data and (size := size - len(data)):
        data = os.read(fd, min(size, CHUNK))
        parts.append(data)
    if size:
        raise Closed
    return b"".join(parts)


def read_frame_header(fd: int) -> tuple[dict[str, Any], int]:
    """The next frame's header and the length of the body, which is still to be read."""
    header, body = LENGTHS.unpack(read_exactly(fd, LENGTHS.size))
    if header > MAX_HEADER or body > MAX_BODY:
        raise ValueError(f"frame too large: header {header}, body {body}")
    return marshal.loads(read_exactly(fd, header)), body  # noqa: S302  (the host's own words)


def pour(source: int, size: int, target: int) -> None:
    """Move the next `size` bytes of the stream into another descriptor."""
    while size:
        piece = os.read(source, min(size, CHUNK))
        if not piece:
            raise Closed
        size -= len(piece)
        while piece:
            piece = piece[os.write(target, piece) :]


def memfd(name: str, source: int = -1, size: int = 0) -> int:
    """A new anonymous file with the next `size` bytes of the stream, rewound."""
    target = os.memfd_create(name, os.MFD_CLOEXEC)
    if size:
        pour(source, size, target)
        os.lseek(target, 0, os.SEEK_SET)
    return target


def write_frame(fd: int, header: dict[str, Any], *body: "memoryview | bytes") -> None:
    """Send one frame whole."""
    text = json.dumps(header).encode()
    pieces: list[memoryview] = [memoryview(LENGTHS.pack(len(text), sum(map(len, body))) + text)]
    pieces += [memoryview(part) for part in body if len(part)]
    while pieces:
        sent = os.writev(fd, pieces)
        while pieces and sent >= len(pieces[0]):
            sent -= len(pieces.pop(0))
        if sent:
            pieces[0] = pieces[0][sent:]
