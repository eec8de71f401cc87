"""The code interpreter that models call as a tool, in training and in evaluation: it runs a program and returns its output."""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from rewardkit.import_guard import import_ours

import_ours("sandboxes")
from sandboxes import Execution, Job, Limits, Sandbox, open_sandbox  # noqa: E402 - after the guard, which names a folder that hides it

__all__ = [
    "NAME",
    "SCHEMA",
    "CodeInterpreter",
    "ToolResult",
    "describe",
    "program_of",
    "shorten",
    "show_last_value",
    "strip_fence",
]

NAME = "code_interpreter"
"""The tool's name for models."""
MAX_OUTPUT_CHARS = 4_096
"""Longer tool output is cut in the middle: the model sees how it began and how it ended."""
MAX_CODE_CHARS = 50_000
"""A longer program is answered with an error."""
NO_PROGRAM = 'Error: give the program as {"code": "..."}.'
SCHEMA: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": NAME,
        "description": "Runs Python code and returns what it prints. Use it to calculate and to check your work.",
        "parameters": {
            "type": "object",
            "properties": {"code": {"type": "string", "description": "The Python code to run."}},
            "required": ["code"],
        },
    },
}
"""The tool as OpenAI's function schema."""
_FENCE = re.compile(r"\A\s*```(?:python|py)?[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class ToolResult:
    """Result of one tool call: the text for the model, and whether the program ended without an error."""

    text: str
    ran: bool
    lost: bool = False
    """The sandbox itself failed, so the call says nothing about the model."""


@dataclass
class CodeInterpreter:
    """Runs Python in a sandbox, each call a fresh process. Opens its sandbox at the first call; threads may share it."""

    sandbox: str = "auto"
    """A backend's name, as `rewardkit doctor` lists them."""
    cpu_s: float = 10.0
    memory_mb: int = 512
    workers: int | None = None
    """Programs that run at once; None leaves it to the sandbox."""
    max_output_chars: int = MAX_OUTPUT_CHARS
    box: Sandbox | None = None
    """An open sandbox to use instead of opening one by name; it is not pickled along."""
    _lock: Any = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("box", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)

    def run(self, code: str | None, *, prelude: str = "") -> ToolResult:
        """Run one program. `prelude` is trusted source that runs before it in the same namespace."""
        job = self.job(code, prelude)
        return job if isinstance(job, ToolResult) else self.read(self.open().run([job])[0])

    async def run_async(self, code: str | None, *, prelude: str = "") -> ToolResult:
        """Like `run`, from an event loop; calls at the same time share the sandbox's workers."""
        job = self.job(code, prelude)
        return job if isinstance(job, ToolResult) else self.read((await self.open().run_async([job]))[0])

    def job(self, code: str | None, prelude: str = "") -> Job | ToolResult:
        """The job for the sandbox, or an error text for the model."""
        if code is None or not code.strip():
            return ToolResult(NO_PROGRAM, ran=False)
        if len(code) > MAX_CODE_CHARS:
            return ToolResult(f"Error: the program is longer than {MAX_CODE_CHARS} characters.", ran=False)
        limits = Limits(cpu_s=self.cpu_s, memory_mb=self.memory_mb)
        return Job(program=show_last_value(strip_fence(code)), prelude=prelude, limits=limits)

    def read(self, execution: Execution) -> ToolResult:
        """The text about a run for the model."""
        text = shorten(describe(execution), self.max_output_chars)
        return ToolResult(text, ran=execution.finished, lost=execution.lost is not None)

    def open(self) -> Sandbox:
        """The sandbox, opened once."""
        with self._lock:
            if self.box is None:
                self.box = open_sandbox(self.sandbox, workers=self.workers)
            return self.box

    def close(self) -> None:
        """Free the sandbox."""
        with self._lock:
            if self.box is not None:
                self.box.close()
                self.box = None


def program_of(arguments: Any) -> str | None:
    """The program in a tool call's arguments, or None if there is none."""
    if not isinstance(arguments, Mapping):
        return None
    code: Any = cast("Mapping[str, Any]", arguments).get("code")
    return code if isinstance(code, str) else None


def strip_fence(code: str) -> str:
    r"""The program without a Markdown fence around it.

    >>> strip_fence("```python\nprint(1)\n```")
    'print(1)'
    """
    match = _FENCE.match(code)
    return match[1] if match else code


def show_last_value(code: str) -> str:
    r"""As in a notebook: if the last statement is an expression, its value is printed unless it is None.

    >>> show_last_value("x = 2\nx + 1")
    'x = 2\nif (_last := (x + 1)) is not None: print(_last)'
    """
    try:
        body = ast.parse(code).body
        if not body or not isinstance(body[-1], ast.Expr):
            return code
        last = body[-1].value
        if isinstance(last, ast.Call) and isinstance(last.func, ast.Name) and last.func.id == "print":
            return code
        if isinstance(last, (ast.Await, ast.Yield, ast.YieldFrom)):
            return code
        start = code.encode().splitlines(keepends=True)
        head = b"".join(start[: last.lineno - 1]) + start[last.lineno - 1][: last.col_offset]
        if head.strip() and not head.endswith(b"\n"):
            return code
        return f"{head.decode()}if (_last := ({ast.unparse(last)})) is not None: print(_last)"
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError):
        return code


def describe(execution: Execution) -> str:
    """The text for the model: standard output, then the error or the limit."""
    if execution.lost is not None:
        return "Error: the code interpreter is not available."
    lines = [execution.stdout_text.rstrip("\n"), execution.stderr_text.rstrip("\n")]
    if not execution.finished and (execution.limit is not None or not lines[1]):
        lines.append(f"Error: {execution.describe()}")
    return "\n".join(line for line in lines if line) or "(no output; print what you want to see)"


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, cut in the middle."""
    mark = "\n... output cut ...\n"
    if len(text) <= limit:
        return text
    keep = max(0, limit - len(mark))
    return text[: keep // 2] + mark + text[len(text) - (keep - keep // 2) :]
