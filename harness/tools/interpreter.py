"""`code_interpreter` in a conversation: variables kept from call to call, or each call fresh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rewardkit.interpreter import NAME, SCHEMA, CodeInterpreter, ToolResult, program_of, show_last_value, strip_fence

State = Literal["conversation", "call"]

_REPLAY = """\
import contextlib as _c, io as _i
with _c.redirect_stdout(_i.StringIO()), _c.redirect_stderr(_i.StringIO()):
    for _cell in {cells!r}:
        exec(compile(_cell, "<earlier call>", "exec"), globals())
"""


@dataclass
class ConversationTool:
    """The interpreter as one conversation sees it. With `state='conversation'` the earlier cells that worked run again,
    silently, before each call, so that variables persist in any sandbox; random numbers and clocks start again.
    """

    interpreter: CodeInterpreter = field(default_factory=CodeInterpreter)
    state: State = "conversation"

    @property
    def name(self) -> str:
        """The tool's name for models."""
        return NAME

    @property
    def schema(self) -> Mapping[str, Any]:
        """Its OpenAI function schema."""
        return SCHEMA

    async def run_async(self, arguments: Mapping[str, Any], cells: Sequence[str]) -> tuple[ToolResult, str | None]:
        """Run one call after these earlier cells: the text for the model, and the cell to remember."""
        code = program_of(arguments)
        result = await self.interpreter.run_async(code, prelude=self._prelude(cells))
        return result, _cell(code, result)

    def close(self) -> None:
        """Close the sandbox."""
        self.interpreter.close()

    def _prelude(self, cells: Sequence[str]) -> str:
        return _REPLAY.format(cells=list(cells)) if cells and self.state == "conversation" else ""


def _cell(code: str | None, result: ToolResult) -> str | None:
    return show_last_value(strip_fence(code)) if code is not None and result.ran else None
