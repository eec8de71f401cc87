"""The protocol between workers and the process with the sandboxes: frames of JSON plus raw bytes, never pickles.

Programs, inputs and outputs travel as bytes behind the JSON. The arguments of calls stay the lines that a box reads, and
returned values are lines too, each read by itself, so that a value nested too deep costs its own call and nothing else.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rewardkit.processes import receive_exactly
from sandboxes.base import Call, CallResult, DriverResult, Execution, Job, as_bytes

_HEAD = struct.Struct(">II")
"""Length of the JSON, number of byte strings after it."""
_SIZE = struct.Struct(">Q")
_UNREADABLE = CallResult(error="unreadable result")


def send(sock: socket.socket, message: Mapping[str, Any], parts: Sequence[bytes] = ()) -> None:
    """Send one frame."""
    text = json.dumps(message).encode()
    sizes = b"".join(_SIZE.pack(len(part)) for part in parts)
    sock.sendall(b"".join((_HEAD.pack(len(text), len(parts)), sizes, text, *parts)))


def receive(sock: socket.socket) -> tuple[dict[str, Any], list[bytes]]:
    """The next frame.

    Raises:
        OSError, EOFError: the other side is gone.
    """
    length, count = _HEAD.unpack(receive_exactly(sock, _HEAD.size))
    sizes = [_SIZE.unpack(receive_exactly(sock, _SIZE.size))[0] for _ in range(count)]
    message = json.loads(receive_exactly(sock, length))
    return message, [receive_exactly(sock, size) for size in sizes]


def pack_jobs(jobs: Sequence[Job]) -> tuple[list[dict[str, Any]], list[bytes]]:
    """Jobs as messages and the bytes that go with them."""
    messages: list[dict[str, Any]] = []
    parts: list[bytes] = []
    for job in jobs:
        fields = job.model_dump(exclude={"program", "stdin", "calls", "files"})
        bounds = None if job.calls is None else [call.most_bytes for call in job.calls]
        messages.append({**fields, "calls": bounds, "files": list(job.files)})
        calls = b"".join([call.line for call in job.calls or ()])
        parts += (as_bytes(job.program), as_bytes(job.stdin), calls, *map(as_bytes, job.files.values()))
    return messages, parts


def unpack_jobs(messages: Sequence[dict[str, Any]], parts: Sequence[bytes]) -> list[Job]:
    """The jobs of a frame."""
    rest = iter(parts)
    return [_job(message, rest) for message in messages]


def _job(message: dict[str, Any], parts: Iterator[bytes]) -> Job:
    program, stdin, lines = next(parts), next(parts), next(parts)
    held = {"calls": _calls(lines, message["calls"]), "files": {name: next(parts) for name in message["files"]}}
    return Job.model_validate({**message, **held, "program": program, "stdin": stdin})


def _calls(lines: bytes, bounds: Sequence[int | None] | None) -> tuple[Call, ...] | None:
    """Calls that are already the lines a box reads; nobody on this side looks at their arguments."""
    if bounds is None:
        return None
    calls = tuple(Call(most_bytes=bound) for bound in bounds)
    for call, line in zip(calls, lines.splitlines(keepends=True), strict=True):
        vars(call)["line"] = line  # as the cached property would
    return calls


def pack_execution(execution: Execution) -> tuple[dict[str, Any], list[bytes]]:
    """Facts as a message and the bytes that go with it."""
    facts = execution.model_dump(exclude={"stdout", "stderr", "calls", "files"})
    lines = b"\n".join(map(_result_line, execution.calls))
    return {**facts, "files": list(execution.files)}, [
        execution.stdout,
        execution.stderr,
        lines,
        *execution.files.values(),
    ]


def unpack_execution(facts: dict[str, Any], parts: Sequence[bytes]) -> Execution:
    """The facts of a frame."""
    stdout, stderr, lines, *files = parts
    driver, names = facts.pop("driver"), facts.pop("files")
    return Execution(
        **facts,
        stdout=stdout,
        stderr=stderr,
        files=dict(zip(names, files, strict=True)),
        driver=None if driver is None else DriverResult(**driver),
        calls=tuple(map(_result, lines.split(b"\n"))) if lines else (),
    )


def _result_line(result: CallResult) -> bytes:
    try:
        return json.dumps([result.value, result.error, result.cpu_s, result.wall_s, result.size]).encode()
    except (ValueError, RecursionError):
        return json.dumps([None, _UNREADABLE.error, result.cpu_s, result.wall_s, result.size]).encode()


def _result(line: bytes) -> CallResult:
    try:
        value, error, cpu_s, wall_s, size = json.loads(line)
    except (ValueError, RecursionError):
        return _UNREADABLE
    return CallResult(value=value, error=error, cpu_s=cpu_s, wall_s=wall_s, size=size)
