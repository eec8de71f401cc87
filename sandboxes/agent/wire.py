"""Frames between host and supervisor: two big-endian 32-bit lengths, a header, then raw bytes.

The host's headers are marshalled: quick to read, and the host is trusted here. The supervisor's are JSON, since the host trusts
nothing that comes out of a box.
"""

import json
import os
import struct
from fcntl import F_ADD_SEALS, F_SEAL_GROW, F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_WRITE, fcntl
from os import MFD_ALLOW_SEALING, MFD_CLOEXEC, SEEK_SET, lseek, memfd_create, read, write
from typing import Any

__all__ = [
    "Closed",
    "memfd",
    "pour",
    "read_exactly",
    "read_header",
    "write_frame",
]

LENGTHS = struct.Struct("!II")
unpack_lengths, LENGTHS_SIZE = LENGTHS.unpack, LENGTHS.size
MAX_HEADER = 1 << 20
MAX_BODY = 1 << 29
CHUNK = 1 << 18


class Closed(Exception):  # noqa: N818  (an end, not an error)
    """The other side is gone."""


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


def read_header(fd: int) -> tuple[bytes, int]:
    """The next frame's header, as it was sent, and the length of the body, which is still to be read."""
    header, body = unpack_lengths(read_exactly(fd, LENGTHS_SIZE))
    if header > MAX_HEADER or body > MAX_BODY:
        raise ValueError(f"frame too large: header {header}, body {body}")
    return read_exactly(fd, header), body


def pour(source: int, size: int, target: int) -> None:
    """Move the next `size` bytes of the stream into a file."""
    while size:
        piece = read(source, min(CHUNK, size))
        if not piece:
            raise Closed
        size -= len(piece)
        while piece:
            piece = piece[write(target, piece) :]


def memfd(name: str, source: int = -1, size: int = 0, *, sealed: bool = False) -> int:
    """A new anonymous file with the next `size` bytes of the stream, rewound. A sealed one can't be changed by anybody any more."""
    target = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING if sealed else MFD_CLOEXEC)
    if size:
        pour(source, size, target)
        lseek(target, 0, SEEK_SET)
    if sealed:
        fcntl(target, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
    return target


def write_frame(fd: int, header: dict[str, Any], *body: bytes) -> None:
    """Send one frame whole."""
    text = json.dumps(header).encode()
    rest = memoryview(b"".join((LENGTHS.pack(len(text), sum(map(len, body))), text, *body)))
    while rest:
        rest = rest[os.write(fd, rest) :]
