"""OpenAI's HTTP API: URLs, and the meaning of a server's answer: a reply, a temporary failure, or a refusal."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from harness.backends.base import Reply
from rewardkit.chat import content_text
from rewardkit.coerce import MAX_COUNT
from rewardkit.errors import clip, quoted
from rewardkit.exchange import retry_after

BUSY = frozenset({408, 425, 429})
"""Statuses that ask for fewer requests."""
PASSING = frozenset({409, 500, 502, 503, 504, 520, 522, 524, 529})
"""HTTP statuses that may pass."""
FATAL = frozenset({401, 403, 404})
"""Key, permissions, URL or model name are wrong: every request would fail."""
ABORTED = frozenset({"abort", "error"})
"""Finish reasons of replies that the server itself ended (vLLM and SGLang, OpenRouter)."""
MAX_STOPS = 4
"""OpenAI's API takes no more stop sequences."""
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
"""A number of tokens."""


class RequestError(Exception):
    """One request failed permanently; the text says how."""


class RefusedError(Exception):
    """The server will refuse every request of this run; the text says why."""


class PassingError(Exception):
    """A temporary failure: try again."""


class BusyError(Exception):
    """The server asks for fewer requests."""

    def __init__(self, message: str, retry_after_s: float | None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


def read_answer(url: str, status: int, headers: Mapping[str, str], body: bytes, *, chat: bool) -> list[Reply]:
    """The replies in an answer: one, or as many as `n` asked for.

    Raises:
        BusyError, PassingError, RequestError, RefusedError: there is none, and what that means.
    """
    try:
        data: Any = json.loads(body)
    except (ValueError, RecursionError):
        data = None
    if status == 200 and data is None:
        raise PassingError(f"{url} answered with broken JSON: {quoted(body.decode('utf-8', 'replace'))}")
    error = cast("Mapping[str, Any]", data).get("error") if isinstance(data, Mapping) else None
    if status == 200 and not error:
        return parse_replies(data, chat=chat)
    code = code_of(error)
    if code == "content_filter":
        return [Reply("", finish_reason="content_filter")]
    if status == 200 and code.isdigit() and 400 <= int(code) < 600:  # a gateway that passes on another server's failure
        status = int(code)
    raise failure_of(url, status, headers, words_of(error) or body.decode("utf-8", "replace"))


def failure_of(url: str, status: int, headers: Mapping[str, str], words: str) -> Exception:
    """What a status means: a `BusyError`, `PassingError`, `RequestError` or `RefusedError`."""
    message = f"{url} answered {status}: {clip(words, 300)}"
    wait = retry_after(headers.get("Retry-After"), most_s=math.inf)
    if status in BUSY or (status != 200 and wait is not None):
        return BusyError(message, wait)
    if status == 200 or status in PASSING:  # some servers say 200 and put the failure into the body
        return PassingError(message)
    return RefusedError(message) if status in FATAL else RequestError(message)


def words_of(error: Any) -> str:
    """The message in an `error` of a body."""
    if isinstance(error, Mapping):
        table = cast("Mapping[str, Any]", error)
        error = table.get("message") or dict(table)
    return str(error or "")


def code_of(error: Any) -> str:
    """The code in an `error` of a body."""
    return str(cast("Mapping[str, Any]", error).get("code") or "") if isinstance(error, Mapping) else ""


def models_url(url: str) -> str:
    """Where a server lists its models, given the URL of its completions call.

    >>> models_url("http://127.0.0.1:8000/v1/chat/completions")
    'http://127.0.0.1:8000/v1/models'
    """
    return url.removesuffix("/completions").removesuffix("/chat") + "/models"


def listed(models: Sequence[Mapping[str, Any]] | None, name: str) -> dict[str, Any] | None:
    """What a list of models says about one: id, weights (`root`), context length; None if it is not in the list."""
    for each in models or ():
        if each["id"] == name:
            return {key: each[key] for key in ("id", "root", "parent", "max_model_len") if each.get(key) is not None}
    return None


def stop_marks(options: Mapping[str, Any]) -> list[str]:
    """The texts at which an answer ends."""
    until = cast("str | Sequence[str]", options.get("until") or [])
    return [mark for mark in ([until] if isinstance(until, str) else until) if mark]


def cut_at(reply: Reply, stop: Sequence[str]) -> Reply:
    """The reply up to the first of these texts: servers take `MAX_STOPS` of them, the others are looked for here.

    >>> cut_at(Reply("1 + 1 = 2. Question: what else?", finish_reason="length"), ["a:", "b:", "c:", "d:", "Question:"])
    Reply(text='1 + 1 = 2. ', reasoning=None, finish_reason='stop', tokens=None, request_tokens=None, prompt_tokens=None, reasoning_tokens=None, tool_calls=(), model=None, logprobs=None)
    """
    ends = [place for mark in stop[MAX_STOPS:] if (place := reply.text.find(mark)) >= 0]
    return replace(reply, text=reply.text[: min(ends)], finish_reason="stop") if ends else reply


def endpoint(url: str, *, chat: bool) -> str:
    """The full URL of the completions call, given a server, its `/v1`, or the full URL itself.

    >>> endpoint("http://127.0.0.1:8000", chat=True)
    'http://127.0.0.1:8000/v1/chat/completions'
    """
    url = url.rstrip("/")
    if url.endswith("/completions"):
        return url
    base = url if url.endswith("/v1") else f"{url}/v1"
    return f"{base}/chat/completions" if chat else f"{base}/completions"


class _Object(BaseModel):
    """A part of a server's answer. Fields that are not named here are left aside."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Thought(_Object):
    reasoning_tokens: Count | None = None


class _Usage(_Object):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    completion_tokens_details: _Thought | None = None


class _Function(_Object):
    name: str | None = None
    arguments: str | dict[str, JsonValue] | None = None


class _Call(_Object):
    id: str | None = None
    function: _Function | None = None

    def plain(self) -> dict[str, Any]:
        """The call as OpenAI writes it; some servers give the arguments as an object."""
        called = self.function or _Function()
        given = called.arguments
        text = given if isinstance(given, str) else json.dumps(given or {})
        named = {} if self.id is None else {"id": self.id}
        return {**named, "type": "function", "function": {"name": called.name or "", "arguments": text}}


class _Message(_Object):
    content: Any = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(_Object):
    index: int | None = None
    finish_reason: str | None = None
    message: _Message | None = None
    text: str | None = None
    token_ids: list[Any] | None = None
    logprobs: dict[str, Any] | None = None

    def said(self, *, chat: bool) -> _Message | None:
        """The message of a chat, or the text of a completion as one."""
        if chat or self.text is None:
            return self.message if chat else None
        return _Message(content=self.text)


class _Completion(_Object):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None
    model: str | None = None


def parse_replies(data: Any, *, chat: bool) -> list[Reply]:
    """The replies in a server's JSON, without those that it ended itself. If there are several, only their sum of tokens is known
    (`request_tokens`), unless `token_ids` are in each.

    Raises:
        PassingError: it does not have OpenAI's shape, or holds no reply that came to its end.
    """
    try:
        found = _Completion.model_validate(data)
    except ValidationError:
        raise _not_openai(data) from None
    choices = sorted(found.choices, key=lambda each: each.index or 0)
    usage, alone = found.usage or _Usage(), len(choices) == 1
    thought = usage.completion_tokens_details or _Thought()
    replies: list[Reply] = []
    for choice in choices:
        message = choice.said(chat=chat)
        if message is None or choice.finish_reason in ABORTED:
            continue
        tokens = usage.completion_tokens if alone else _length(choice.token_ids)
        is_summed = tokens is None and usage.completion_tokens is not None
        replies.append(
            Reply(
                text=content_text({"content": message.content}),
                reasoning=message.reasoning_content or message.reasoning or None,
                finish_reason=choice.finish_reason,
                tokens=tokens,
                request_tokens=(0 if replies else usage.completion_tokens) if is_summed else None,
                prompt_tokens=0 if replies else usage.prompt_tokens,
                reasoning_tokens=thought.reasoning_tokens if alone else None,
                tool_calls=tuple(call.plain() for call in message.tool_calls or ()),
                model=found.model or None,
                logprobs=None if chat else choice.logprobs,
            )
        )
    if not replies:
        raise _not_openai(data)
    return replies


def _not_openai(data: Any) -> PassingError:
    return PassingError(f"not an OpenAI-compatible answer: {quoted(data, 200)}")


def _length(tokens: list[Any] | None) -> int | None:
    return None if tokens is None else len(tokens)
