"""The code interpreter that models call as a tool: a program in, what it printed out, each call a fresh process."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from typing import Any

from sandboxes import Execution, Job, Limits, Sandbox, open_sandbox

MAX_OUTPUT_CHARS = 4_096
"""Longer tool output is cut in the middle: the model sees how it began and how it ended."""
_FENCE = re.compile(r"\A\s*```(?:python|py)?[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
SCHEMA: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "code_interpreter",
        "description": "Run Python code and return what it prints.",
        "parameters": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": "The Python program. Print what you want to see."}
            },
            "required": ["code"],
        },
    },
}
"""The tool as OpenAI's function schema."""


@dataclass(frozen=True)
class ToolResult:
    """What one tool call gave: the text for the model, and whether the program ended by itself without an error."""

    text: str
    ran: bool
    lost: bool = False
    """The sandbox itself failed, so the call says nothing about the model."""


@dataclass
class CodeInterpreter:
    """Runs Python in a sandbox. Safe to share between threads; it opens its sandbox at the first call and pickles."""

    sandbox: str = "auto"
    """A backend name, as `rewardkit doctor` lists them."""
    cpu_s: float = 10.0
    memory_mb: int = 512
    workers: int | None = None
    max_output_chars: int = MAX_OUTPUT_CHARS
    box: Sandbox | None = field(default=None, repr=False, compare=False)
    """An open sandbox to use instead; it is not pickled along."""
    _lock: Any = field(default_factory=threading.Lock, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("box", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)

    def run(self, code: str) -> ToolResult:
        """Run one program."""
        return self._read(self._open().run([self._job(code)])[0])

    async def run_async(self, code: str) -> ToolResult:
        """Run one program from an event loop; calls at the same time share the sandbox's workers."""
        return self._read((await self._open().run_async([self._job(code)]))[0])

    def close(self) -> None:
        """Free the sandbox."""
        with self._lock:
            if self.box is not None:
                self.box.close()
                self.box = None

    def _open(self) -> Sandbox:
        with self._lock:
            if self.box is None:
                self.box = open_sandbox(self.sandbox, workers=self.workers)
            return self.box

    def _job(self, code: str) -> Job:
        return Job(program=strip_fence(code), limits=Limits(cpu_s=self.cpu_s, memory_mb=self.memory_mb))

    def _read(self, execution: Execution) -> ToolResult:
        text = shorten(describe(execution), self.max_output_chars)
        return ToolResult(text, ran=execution.finished, lost=execution.lost is not None)


def strip_fence(code: str) -> str:
    r"""The program without the Markdown fence that models like to put around it.

    >>> strip_fence("```python\nprint(1)\n```")
    'print(1)'
    """
    match = _FENCE.match(code)
    return match[1] if match else code


def describe(execution: Execution) -> str:
    """What the model sees: standard output, then the error or the limit."""
    if execution.lost is not None:
        return "The code interpreter is not available."
    lines = [execution.stdout_text.rstrip("\n"), execution.stderr_text.rstrip("\n")]
    if not execution.finished and (execution.limit is not None or not lines[1]):
        lines.append(f"Error: {execution.describe()}")
    text = "\n".join(line for line in lines if line)
    return text or "(no output; print what you want to see)"


def shorten(text: str, limit: int) -> str:
    r"""At most `limit` characters, cut in the middle.

    >>> shorten("a" * 30, 20)
    'aaa\n... cut ...\naaaa'
    """
    if len(text) <= limit:
        return text
    mark = "\n... cut ...\n"
    keep = max(0, limit - len(mark))
    return text[: keep // 2] + mark + text[len(text) - (keep - keep // 2) :]
