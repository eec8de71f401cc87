"""Read chats in the same way for every trainer: final text, turns, tool calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, cast

Message = Mapping[str, Any]


def is_chat(value: Any) -> TypeGuard[Sequence[Message]]:
    """True for a non-empty list of messages, each a mapping with a `role`."""
    if not isinstance(value, (list, tuple)) or not value:
        return False
    items = cast("Sequence[Any]", value)
    return all(isinstance(item, Mapping) and "role" in item for item in items)


def content_text(message: Message) -> str:
    """The text of one message; content given as a list of typed blocks is joined, without those that are thoughts."""
    content = message.get("content")
    return content if isinstance(content, str) else _blocks_text(message, thoughts=False)


def _blocks_text(message: Message, *, thoughts: bool) -> str:
    """What the blocks of a message that are thoughts say, or the others. Blocks of thoughts are as in Anthropic's Messages and OpenAI's Responses."""
    content = message.get("content")
    if not isinstance(content, (list, tuple)):
        return ""
    texts: list[Any] = []
    for block in cast("Sequence[Any]", content):
        fields = cast("Message", block if isinstance(block, Mapping) else {"text": block})
        is_thought = str(fields.get("type")).startswith(("thinking", "reasoning"))
        if is_thought == thoughts:
            texts.append(fields.get("thinking") or fields.get("text") if thoughts else fields.get("text"))
    return "".join(text for text in texts if isinstance(text, str))


def prompt_text(prompt: object) -> str:
    """The text of a prompt, or of all messages of one that is a chat."""
    if not isinstance(prompt, (list, tuple)):
        return prompt if isinstance(prompt, str) else ""
    messages = cast("Sequence[Message]", [one for one in cast("Sequence[Any]", prompt) if isinstance(one, Mapping)])
    return "\n".join(map(content_text, messages))


def message_text(message: Message) -> str:
    """The text as the model wrote it: thoughts, which chat parsers put in a field or a block of their own, are put back as `<think>`, which is
    not closed if nothing follows.
    """
    reasoning = message.get("reasoning_content") or message.get("reasoning") or _blocks_text(message, thoughts=True)
    text = content_text(message)
    if isinstance(reasoning, str) and reasoning and "</think>" not in text:
        if not text.strip() and not _calls_of(message):
            return f"<think>\n{reasoning.strip()}"
        return f"<think>\n{reasoning.strip()}\n</think>\n\n{text}"
    return text


def final_text(messages: Sequence[Message]) -> str:
    """The text of the last assistant message; empty if the chat has none."""
    for message in reversed(messages):
        if message.get("role") == "assistant":
            return message_text(message)
    return ""


def unreadable(turns: Sequence[Message]) -> str:
    """Why the text of the model cannot be read in its turns: there is none of its messages, or one in a form that is not known; else empty."""
    said = [turn for turn in turns if turn.get("role") == "assistant"]
    if not said:
        return "the chat has no message with the role 'assistant' behind its prompt"
    for turn in said:
        content = turn.get("content")
        parts = cast("Sequence[Any]", content) if isinstance(content, (list, tuple)) else None
        if not (content is None or isinstance(content, str) or (parts is not None and all(map(_is_part, parts)))):
            return (
                f"the content of a message is neither text nor a list of parts with `type` and `text`: {content!r:.100}"
            )
    return ""


def _is_part(part: Any) -> bool:
    """Whether a part of a message is text, or of another kind, such as an image."""
    if not isinstance(part, Mapping):
        return isinstance(part, str)
    fields = cast("Message", part)
    return isinstance(fields.get("text"), str) or not str(fields.get("type") or "text").endswith("text")


def _same(one: Message, other: Message) -> bool:
    """Whether two messages say the same; Arrow and Parquet pad them with None."""
    first, second = ({key: value for key, value in each.items() if value is not None} for each in (one, other))
    return first == second


def completion_turns(messages: Sequence[Message], prompt: Any = None) -> Sequence[Message]:
    """What the model and its tools added to the prompt: from the first assistant message on, or from the first one behind `prompt`, if that
    is a list of messages that the chat begins with. So examples in a prompt are not the model's.
    """
    given = prompt if is_chat(prompt) else ()
    begins = len(given) <= len(messages) and all(map(_same, messages, given))
    start = len(given) if begins else 0
    for index in range(start, len(messages)):
        if messages[index].get("role") == "assistant":
            return messages[index:]
    return ()


def count_turns(messages: Sequence[Message]) -> int:
    """Turns as verl's tool agent loop counts them: user_turns + assistant_turns + 1.

    The prompt is the 1; tool results that answer one assistant message are one user turn. A one-turn answer is 2, and
    k completed tool rounds are 2k + 2 (verl 0.9.1, `tool_agent_loop.py`).
    """
    assistant = user = 0
    previous = ""
    for message in completion_turns(messages):
        role = str(message.get("role"))
        assistant += role == "assistant"
        user += role == "user" or (role in TOOL_ROLES and previous not in TOOL_ROLES)
        previous = role
    return assistant + user + 1


TOOL_ROLES = frozenset({"tool", "function", "ipython"})


def tool_calls(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """All tool calls of a chat in order, each as `tool_call` gives it."""
    calls = [call for message in messages for call in _calls_of(message)]
    return [tool_call(cast("Message", call if isinstance(call, Mapping) else {})) for call in calls]


def _calls_of(message: Message) -> list[Any]:
    """What a message asks of tools, in `tool_calls`, else OpenAI's older `function_call`, else the `tool_use` blocks of Anthropic's Messages."""
    parsed, single = (_from_json(message.get(name)) for name in ("tool_calls", "function_call"))
    if isinstance(parsed, (list, tuple)) and parsed:
        return list(cast("Sequence[Any]", parsed))
    if isinstance(single, Mapping) and any(cast("Message", single).values()):
        return [single]
    return [{**block, "arguments": block.get("input")} for block in blocks_of(message, "tool_use")]


def _from_json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def unreadable_calls(message: Message) -> str:
    """Why the tool calls of a message cannot be read: they are in a form that is not known; else empty."""
    for name, form, wanted in (("tool_calls", (list, tuple), "a list"), ("function_call", Mapping, "an object")):
        if (value := _from_json(message.get(name))) and not isinstance(value, form):
            return f"{name} of a message is {type(value).__name__}, neither {wanted} nor its JSON text: {value!r:.100}"
    return ""


def blocks_of(message: Message, kind: str) -> list[Message]:
    """The blocks of a message's content that have the type `kind`."""
    content = message.get("content")
    blocks = cast("Sequence[Any]", content) if isinstance(content, (list, tuple)) else ()
    fields = (cast("Message", block) for block in blocks if isinstance(block, Mapping))
    return [block for block in fields if block.get("type") == kind]


def tool_call(raw: Message) -> dict[str, Any]:
    """A call as `{"id": ..., "name": ..., "arguments": ...}`; it may come in a `function`, and its arguments as `parameters`."""
    function = raw.get("function")
    inner = cast("Message", function) if isinstance(function, Mapping) else raw
    given = (inner.get(name) for name in ("arguments", "parameters"))
    arguments = next((value for value in given if value is not None), None)
    return {"id": raw.get("id"), "name": inner.get("name"), "arguments": arguments}
