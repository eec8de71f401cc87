"""A trusted test program, in a box that never sees submissions: its `candidate` asks the host, the host asks the other box."""

import builtins
import json
import os
import types
from collections.abc import Callable
from typing import Any, NoReturn

from .codec import encode
from .decode import decode

__all__ = ["drive"]


def drive(
    code: types.CodeType,
    prelude: types.CodeType | None,
    namespace: dict[str, Any],
    entry_point: str,
    answers: Any,
    result: int,
) -> None:
    """Run the test program, and its prelude before it, with a proxy under `candidate` and the entry point's own name.

    Each line but the last is a call: the clocks stand still while the host has it answered, and only then.
    """
    candidate = _proxy(answers, result)
    namespace["candidate"] = candidate
    namespace[entry_point.replace("()", "").rpartition(".")[2]] = candidate
    for part in filter(None, (prelude, code)):
        exec(part, namespace)  # noqa: S102
    _send(result, {"done": 1})


def _proxy(answers: int, result: int) -> Callable[..., Any]:
    lines = os.fdopen(answers, "rb")

    def candidate(*args: Any, **kwargs: Any) -> Any:
        call = [[encode(value) for value in args], [[name, encode(value)] for name, value in kwargs.items()]]
        if '"t": "object"' in json.dumps(call):
            raise TypeError("the test program passes an argument that can't leave its process")
        _send(result, {"call": call})
        line = lines.readline()
        if not line:
            raise EOFError("the program's box is gone")
        answer = json.loads(line)
        if "e" in answer:
            _raise(str(answer["e"]))
        return decode(answer.get("v"))

    return candidate


def _raise(text: str) -> NoReturn:
    """The program's exception again, as the builtin of that name, else as a RuntimeError."""
    name, _, message = text.partition(": ")
    kind: Any = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        raise kind(message)
    raise RuntimeError(text)


def _send(fd: int, line: dict[str, Any]) -> None:
    rest = memoryview(json.dumps(line).encode() + b"\n")
    while rest:
        rest = rest[os.write(fd, rest) :]
