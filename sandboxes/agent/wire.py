"""Frames between host and agent: two big-endian 32-bit lengths, a header, then raw bytes.

The host's headers are marshalled: quick to read, and the host is trusted here. The agent's are JSON, since the host trusts
nothing that comes out of a box. The agent keeps nothing of a program's data in its own heap, since each program runs in a fork
of that heap: the fork itself reads its job, and what comes out waits in a `Scratch`, whose pages forks don't inherit.
"""

import contextlib
import json
import mmap
import os
import struct
from marshal import loads as load_data
from os import MFD_CLOEXEC, SEEK_SET, lseek, memfd_create, read, write
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
    "write_text_frame",
]

LENGTHS = struct.Struct("!II")
unpack_lengths, LENGTHS_SIZE = LENGTHS.unpack, LENGTHS.size
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
    data = read(fd, size) if size else b""
    if len(data) == size:
        return data
    parts = [data]
    while data and (size := size - len(data)):
        data = os.read(fd, min(size, CHUNK))
        parts.append(data)
    if size:
        raise Closed
    return b"".join(parts)


def read_frame_header(fd: int) -> tuple[Any, int]:
    """The next frame's header and the length of the body, which is still to be read."""
    header, body = unpack_lengths(read_exactly(fd, LENGTHS_SIZE))
    if header > MAX_HEADER or body > MAX_BODY:
        raise ValueError(f"frame too large: header {header}, body {body}")
    return load_data(read_exactly(fd, header)), body  # noqa: S302  (the host's own words)


def pour(source: int, size: int, target: int) -> None:
    """Move the next `size` bytes of the stream into another descriptor."""
    while size:
        piece = read(source, min(CHUNK, size))
        if not piece:
            raise Closed
        size -= len(piece)
        while piece:
            written = write(target, piece)
            if written == len(piece):
                break
            piece = piece[written:]


def memfd(name: str, source: int = -1, size: int = 0) -> int:
    """A new anonymous file with the next `size` bytes of the stream, rewound."""
    target = memfd_create(name, MFD_CLOEXEC)
    if size:
        pour(source, size, target)
        lseek(target, 0, SEEK_SET)
    return target


def write_frame(fd: int, header: dict[str, Any], *body: "memoryview | bytes") -> None:
    """Send one frame whole."""
    write_text_frame(fd, json.dumps(header).encode(), *body)


def write_text_frame(fd: int, text: bytes, *body: "memoryview | bytes") -> None:
    """Send one frame whole, whose header is JSON already."""
    size = sum(map(len, body))
    head = LENGTHS.pack(len(text), size) + text
    pieces = [head, *body] if size else [head]
    left = len(head) + size - os.writev(fd, pieces)
    while left:
        skip = len(head) + size - left
        rest: list[memoryview] = []
        for piece in pieces:
            if skip < len(piece):
                rest.append(memoryview(piece)[skip:])
            skip = max(skip - len(piece), 0)
        left -= os.writev(fd, rest)
