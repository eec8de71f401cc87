"""The interface of a backend: requests in, generations out."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.generation import Generation
from rewardkit.errors import UsageError, clip

MOST = 1e9
"""Larger numbers are taken for a mistake: seconds, tokens and requests of a run are far fewer."""
MAX_TOKENS = ("max_gen_toks", "max_tokens", "max_new_tokens", "max_completion_tokens")
"""The names of the token limit; tasks use the first."""
Message = dict[str, Any]


class ChatPrompt(str):
    """A chat as lm-eval carries it: the JSON of its messages, which are also here as they are."""

    __slots__ = ("messages",)
    messages: tuple[Message, ...]

    @classmethod
    def of(cls, messages: Sequence[Mapping[str, Any]]) -> ChatPrompt:
        """The prompt for these messages."""
        prompt = cls(json.dumps([dict(message) for message in messages], ensure_ascii=False))
        prompt.messages = tuple(dict(message) for message in messages)
        return prompt


@dataclass(frozen=True)
class Request:
    """One answer to be generated."""

    key: str
    task: str
    doc_id: int
    rep: int
    seed: int
    prompt: str
    """Plain text, or a `ChatPrompt`."""
    options: Mapping[str, Any]
    """Sampling options in lm-eval's words (`max_gen_toks`, `until`, `temperature`, ...)."""
    doc: Mapping[str, Any]
    """What the judge is given."""
    stock: Mapping[str, Any] | None = None
    """The task's row, if the judge is given something else."""

    @property
    def row(self) -> Mapping[str, Any]:
        """The task's row."""
        return self.doc if self.stock is None else self.stock

    @property
    def messages(self) -> list[Message]:
        """The prompt as a chat."""
        if isinstance(self.prompt, ChatPrompt):
            return [dict(message) for message in self.prompt.messages]
        return [{"role": "user", "content": self.prompt}]

    def answered(self, **fields: Any) -> Generation:
        """The generation for this request."""
        return Generation(key=self.key, task=self.task, doc_id=self.doc_id, rep=self.rep, seed=self.seed, **fields)


@dataclass(frozen=True)
class Reply:
    """One message of a model."""

    text: str
    reasoning: str | None = None
    finish_reason: str | None = None
    tokens: int | None = None
    request_tokens: int | None = None
    """As in `Generation`."""
    prompt_tokens: int | None = None
    reasoning_tokens: int | None = None
    """Those of `tokens` that were thought, if the server counts them."""
    tool_calls: tuple[Mapping[str, Any], ...] = field(default=())
    """Calls that the server parsed, in OpenAI's shape."""
    model: str | None = None
    """The model that answered, as the server names it."""
    logprobs: Mapping[str, Any] | None = None
    """Of the tokens, if they were asked for."""


Deliver = Callable[[Request, Generation], None]


class Backend(ABC):
    """Answers requests in any order, and delivers each answer as soon as it is complete."""

    chat: bool = False
    """Prompts are chats, whatever the task."""

    @abstractmethod
    def generate(self, requests: Sequence[Request], deliver: Deliver) -> None:
        """Answer all requests, calling `deliver` once for each from this thread.

        A request that fails is delivered with `error` set.

        Raises:
            IncompleteError: going on is pointless (the server is down or refuses everything, the disk is full).
        """

    def render_chat(self, messages: Sequence[Mapping[str, Any]], *, add_generation_prompt: bool = True) -> str:
        """A chat as the prompt that this backend takes."""
        _ = add_generation_prompt
        return ChatPrompt.of(messages)

    def chat_template(self, name: bool | str = False) -> str | None:
        """The model's own template, for the record; None if it has none."""
        _ = name
        return ""

    @property
    def inner(self) -> Any:
        """The lm-eval model inside, or None."""
        return None

    @property
    def likelihoods(self) -> Any:
        """The lm-eval model that compares likelihoods of given texts, or None. Built when it is first asked for."""
        return self.inner

    @property
    def served(self) -> str | None:
        """The model's name as the server says it, if that is how it is known."""
        return None

    def identity(self) -> Mapping[str, Any]:
        """Facts that identify the model: `base_url`, `served_model`, `revision`, `weights`, `tokenizer`, as far as they are known."""
        return {}

    def facts(self) -> Mapping[str, Any]:
        """Facts about this backend for the run's record."""
        return {}

    def close(self) -> None:  # noqa: B027 - most backends hold nothing
        """Release its resources."""


def number_of(options: Mapping[str, Any], name: str, default: float, *, least: float = 0.0) -> float:
    """A number among the arguments of a model or its sampling options.

    Raises:
        UsageError: it is none, or beyond `least` and `MOST`.
    """
    value = default if options.get(name) is None else options[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= MOST:
        raise UsageError(f"{name} is {clip(repr(value), 40)}; give a number from {least:g} to {MOST:g}")
    return value


def count_of(options: Mapping[str, Any], name: str, default: int, *, least: int = 1) -> int:
    """The same for a whole number.

    Raises:
        UsageError: it is none, or beyond `least` and `MOST`.
    """
    value = number_of(options, name, default, least=least)
    if value != int(value):
        raise UsageError(f"{name} is {value!r}; give a whole number")
    return int(value)


def max_tokens_of(options: Mapping[str, Any], default: int = 16_384) -> int:
    """The token limit among sampling options, by any of its names.

    Raises:
        UsageError: it is no whole number, or none that leaves room for an answer.
    """
    for name in MAX_TOKENS:
        if options.get(name) is not None:
            return count_of(options, name, default)
    return default
