"""`code_interpreter`: Python in a sandbox, with variables kept through a conversation or fresh in each call."""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sandboxes import Execution, Job, Limits, Sandbox, open_sandbox

NAME = "code_interpreter"
MAX_OUTPUT_CHARS = 4_096
"""Longer tool output is cut in the middle: the model sees how it began and how it ended."""
MAX_CODE_CHARS = 50_000
"""A longer program is answered with an error."""
_FENCE = re.compile(r"\A\s*```(?:python|py)?[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)

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

_REPLAY = """\
import contextlib as _c, io as _i
with _c.redirect_stdout(_i.StringIO()), _c.redirect_stderr(_i.StringIO()):
    for _cell in {cells!r}:
        exec(compile(_cell, "<earlier call>", "exec"), globals())
"""


@dataclass(frozen=True)
class ToolResult:
    """What the model is told, and whether the call did what it asked for."""

    text: str
    ran: bool
    lost: bool = False
    """The sandbox itself failed: the whole sample is an infrastructure error."""


@dataclass
class CodeInterpreter:
    """Runs the model's Python. `state='conversation'` runs the earlier cells that worked again (silently) before each
    call, so variables live on in any sandbox; `state='call'` starts fresh each time.
    """

    sandbox: str = "auto"
    state: Literal["conversation", "call"] = "conversation"
    cpu_s: float = 10.0
    memory_mb: int = 512
    max_output_chars: int = MAX_OUTPUT_CHARS
    box: Sandbox | None = None
    """An open sandbox to use instead of opening one by name."""
    _lock: Any = field(default_factory=threading.Lock, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name that models call it by."""
        return NAME

    @property
    def schema(self) -> Mapping[str, Any]:
        """Its OpenAI function schema."""
        return SCHEMA

    def open(self) -> Sandbox:
        """The sandbox, opened once."""
        with self._lock:
            if self.box is None:
                self.box = open_sandbox(self.sandbox)
            return self.box

    def close(self) -> None:
        """Free the sandbox."""
        with self._lock:
            if self.box is not None:
                self.box.close()
                self.box = None

    async def run_async(self, arguments: Mapping[str, Any], cells: Sequence[str]) -> tuple[ToolResult, str | None]:
        """Run one call after these earlier cells: what the model is told, and the cell to remember."""
        prepared = self._prepare(arguments, cells)
        if isinstance(prepared, ToolResult):
            return prepared, None
        job, code = prepared
        return self._read((await self.open().run_async([job]))[0], code)

    def run(self, arguments: Mapping[str, Any], cells: Sequence[str]) -> tuple[ToolResult, str | None]:
        """Like `run_async`, waiting."""
        prepared = self._prepare(arguments, cells)
        if isinstance(prepared, ToolResult):
            return prepared, None
        job, code = prepared
        return self._read(self.open().run([job])[0], code)

    def _prepare(self, arguments: Mapping[str, Any], cells: Sequence[str]) -> ToolResult | tuple[Job, str]:
        code = arguments.get("code")
        if not isinstance(code, str) or not code.strip():
            return ToolResult('Error: give the program as {"code": "..."}.', ran=False)
        if len(code) > MAX_CODE_CHARS:
            return ToolResult(f"Error: the program is longer than {MAX_CODE_CHARS} characters.", ran=False)
        code = show_last_value(strip_fence(code))
        replay = _REPLAY.format(cells=list(cells)) if cells and self.state == "conversation" else ""
        limits = Limits(cpu_s=self.cpu_s, memory_mb=self.memory_mb)
        return Job(program=code, prelude=replay, limits=limits), code

    def _read(self, execution: Execution, code: str) -> tuple[ToolResult, str | None]:
        text = shorten(describe(execution), self.max_output_chars)
        result = ToolResult(text, ran=execution.finished, lost=execution.lost is not None)
        return result, code if execution.finished else None


def strip_fence(code: str) -> str:
    r"""The program without the Markdown fence that models like to put around it.

    >>> strip_fence("```python\nprint(1)\n```")
    'print(1)'
    """
    match = _FENCE.match(code)
    return match[1] if match else code


def show_last_value(code: str) -> str:
    """As in a notebook: where the last statement is an expression, its value is printed unless it is None.

    >>> show_last_value("x = 2\\nx + 1")
    'x = 2\\nif (_last := (x + 1)) is not None: print(_last)'
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
    """What the model sees: standard output, then the error or the limit."""
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
