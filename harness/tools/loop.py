"""A conversation with tools: one state machine, driven one message at a time over HTTP or in rounds for a batch model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.backends.base import Message, Reply, Request, max_tokens_of
from harness.generation import Generation, split_thinking
from harness.tools.hermes import MAX_CALLS_PER_TURN, Call, parse_openai, parse_text, system_prompt
from harness.tools.interpreter import ConversationTool
from rewardkit.chat import count_turns
from rewardkit.interpreter import ToolResult

Format = Literal["hermes", "openai"]
Ask = Callable[[Request, Sequence[Message], int, Sequence[Mapping[str, Any]] | None], Awaitable[Reply]]


@dataclass(frozen=True)
class ToolBox:
    """The tools of a run and the limits of a conversation."""

    interpreter: ConversationTool
    max_turns: int = 16
    """Messages that the model may write in one conversation."""
    format: Format = "hermes"
    """`hermes`: calls are in the text, on any server. `openai`: the server parses them. Both are understood in replies."""

    @property
    def schemas(self) -> list[Mapping[str, Any]]:
        """The tools in OpenAI's shape."""
        return [self.interpreter.schema]

    def facts(self) -> dict[str, Any]:
        """What a record of the run says about the tools."""
        return {
            "tools": [self.interpreter.name],
            "max_turns": self.max_turns,
            "format": self.format,
            "state": self.interpreter.state,
            "max_output_chars": self.interpreter.interpreter.max_output_chars,
        }


@dataclass
class Conversation:
    """One rollout: its messages so far, and the turns and tokens that are left."""

    request: Request
    box: ToolBox
    messages: list[Message] = field(default_factory=list[Message])
    cells: list[str] = field(default_factory=list[str])
    tokens: int = 0
    prompt_tokens: int | None = None
    reasoning_tokens: int | None = None
    model: str | None = None
    written: int = 0
    calls: int = 0
    errors: int = 0
    finish_reason: str | None = None
    stopped: str | None = None
    final: tuple[str | None, str] = (None, "")
    lost: bool = False

    def __post_init__(self) -> None:
        self.messages = self.request.messages
        if self.box.format == "hermes":
            prompt = system_prompt(self.box.schemas)
            if self.messages and self.messages[0].get("role") == "system":
                own = str(self.messages[0].get("content") or "")
                self.messages[0] = {**self.messages[0], "content": f"{own}\n\n{prompt}"}
            else:
                self.messages.insert(0, {"role": "system", "content": prompt})

    @property
    def left(self) -> int:
        """Tokens that the model may still write: the response budget is shared by all turns."""
        return max_tokens_of(self.request.options) - self.tokens

    def accept(self, reply: Reply) -> list[Call]:
        """Take in the model's message: the calls to run now, none if the conversation is over."""
        self.written += 1
        self.tokens += reply.tokens if reply.tokens is not None else max(1, len(reply.text) // 4)
        self.prompt_tokens = _added(self.prompt_tokens, reply.prompt_tokens)
        self.reasoning_tokens = _added(self.reasoning_tokens, reply.reasoning_tokens)
        self.finish_reason = reply.finish_reason
        self.model = reply.model
        reasoning = (reply.reasoning or "").strip() or None
        text = split_thinking(reply.text)[1]
        self.final = (reasoning, reply.text)
        message: Message = {"role": "assistant", "content": reply.text}
        if reasoning:
            message["reasoning_content"] = reasoning
        calls = parse_openai(reply.tool_calls)
        if calls:
            message["tool_calls"] = [dict(call) for call in reply.tool_calls]
        elif "<tool_call>" in text and reply.finish_reason != "length":
            calls = parse_text(text)
        self.messages.append(message)
        if reply.finish_reason == "length":
            self.stopped = "budget" if self.written > 1 else None
            return []
        if not calls:
            return []
        if self.written >= self.box.max_turns:
            self.stopped = "max_turns"
            return []
        if self.left <= 0:
            self.stopped = "budget"
            return []
        return calls

    def problem(self, call: Call, index: int) -> ToolResult | None:
        """The error that answers a call which cannot be run, in words that the model can act on."""
        if index >= MAX_CALLS_PER_TURN:
            return ToolResult(f"Error: at most {MAX_CALLS_PER_TURN} calls in one message.", ran=False)
        if call.problem:
            return ToolResult(f"Error: {call.problem}.", ran=False)
        if call.name != self.box.interpreter.name:
            return ToolResult(f"Error: no tool {call.name!r}; there is {self.box.interpreter.name}.", ran=False)
        return None

    async def run(self, calls: Sequence[Call]) -> None:
        """Run these calls and put their answers into the conversation."""
        for index, call in enumerate(calls):
            result, cell = self.problem(call, index), None
            if result is None:
                result, cell = await self.box.interpreter.run_async(call.arguments, self.cells)
            self.answer(call, result, cell)

    def answer(self, call: Call, result: ToolResult, cell: str | None) -> None:
        """Put a tool's answer into the conversation."""
        self.calls += 1
        self.errors += not result.ran
        self.lost = self.lost or result.lost
        if cell is not None:
            self.cells.append(cell)
        if call.identity is not None:
            self.messages.append({"role": "tool", "tool_call_id": call.identity, "content": result.text})
        else:
            self.messages.append({"role": "tool", "name": call.name or "error", "content": result.text})

    def for_server(self) -> list[Message]:
        """The messages as a server without tool support takes them: tool answers go in a user message.

        This is what the Hermes and Qwen templates make of `tool` messages, so the model reads the same text.
        """
        if self.box.format == "openai":
            return list(self.messages)
        sent: list[Message] = []
        for message in self.messages:
            if message.get("role") != "tool":
                plain = {name: value for name, value in message.items() if name != "reasoning_content"}
                if plain.get("role") == "assistant" and isinstance(plain.get("content"), str):
                    plain["content"] = split_thinking(str(plain["content"]))[1]
                sent.append(plain)
                continue
            text = f"<tool_response>\n{message['content']}\n</tool_response>"
            if sent and sent[-1].get("role") == "user" and str(sent[-1]["content"]).endswith("</tool_response>"):
                sent[-1] = {"role": "user", "content": f"{sent[-1]['content']}\n{text}"}
            else:
                sent.append({"role": "user", "content": text})
        return sent

    def generation(self) -> Generation:
        """The rollout as the journal keeps it."""
        if self.lost:
            return self.request.answered(error="the sandbox of the tool failed")
        reasoning, text = self.final
        return self.request.answered(
            text=text,
            reasoning=reasoning,
            finish_reason=self.finish_reason,
            tokens=self.tokens,
            prompt_tokens=self.prompt_tokens,
            reasoning_tokens=self.reasoning_tokens,
            messages=tuple(self.messages),
            turns=count_turns(self.messages),
            tool_calls=self.calls,
            tool_errors=self.errors,
            stopped=self.stopped,
            model=self.model,
        )


def _added(total: int | None, more: int | None) -> int | None:
    """The sum of two counts, of which each may be unknown."""
    return more if total is None else total + (more or 0)


async def converse(request: Request, ask: Ask, box: ToolBox) -> Generation:
    """Run one conversation to its end. Conversations are independent: a slow one delays no other."""
    talk = Conversation(request, box)
    tools = box.schemas if box.format == "openai" else None
    while True:
        calls = talk.accept(await ask(request, talk.for_server(), talk.left, tools))
        if not calls:
            return talk.generation()
        await talk.run(calls)


def converse_in_rounds(
    requests: Sequence[Request],
    ask: Callable[[Sequence[tuple[Request, Sequence[Message], int]]], Sequence[Reply | str]],
    box: ToolBox,
    done: Callable[[Request, Generation], None],
) -> None:
    """Hold many conversations with a model that answers whole batches: one message of each live one a round.

    A reply that is a plain text is an error message for that conversation.
    """
    live = [Conversation(request, box) for request in requests]
    while live:
        replies = ask([(talk.request, talk.for_server(), talk.left) for talk in live])
        going: list[Conversation] = []
        for talk, reply in zip(live, replies, strict=True):
            if isinstance(reply, str):
                done(talk.request, talk.request.answered(error=reply))
                continue
            if calls := talk.accept(reply):
                with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:  # no loop becomes the thread's own
                    runner.run(talk.run(calls))
                going.append(talk)
            else:
                done(talk.request, talk.generation())
        live = going
