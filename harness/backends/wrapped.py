"""Any lm-eval model (`hf`, `vllm`, `sglang`, ...) as a backend: asked in chunks, so that answers are saved as it goes."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.backends.base import MAX_TOKENS, Backend, ChatPrompt, Deliver, Message, Reply, Request, max_tokens_of
from harness.backends.weights import local_identity
from harness.generation import opened
from rewardkit.errors import UsageError, describe_error

if TYPE_CHECKING:
    from harness.tools.loop import ToolBox

SEEDED = frozenset({"vllm"})
"""Models whose sampling options take a seed for each request."""
CHUNKS = {"vllm": 512, "sglang": 512}
"""Requests handed over at once; `hf` and others take a few batches at a time."""


class WrappedBackend(Backend):
    """Hands requests to an lm-eval model; counts tokens with its tokenizer, since lm-eval keeps no counts."""

    def __init__(
        self,
        model: Any,
        name: str,
        *,
        tools: ToolBox | None,
        chat: bool,
        args: Mapping[str, Any],
    ) -> None:
        self._model = model
        self._args = dict(args)
        self._name = name
        self._chunk = CHUNKS.get(name) or max(8, 4 * _batch_size(model))
        self._tools = tools
        self._instance: Any = importlib.import_module("lm_eval.api.instance").Instance
        self.chat = chat
        if tools is not None and not self.chat:
            raise UsageError("tools need a model with a chat template; this one has none, or it was turned off")

    @property
    def inner(self) -> Any:
        """The lm-eval model."""
        return self._model

    def render_chat(self, messages: Sequence[Mapping[str, Any]], *, add_generation_prompt: bool = True) -> str:
        """The chat through the model's own template; with tools it stays a chat until it is sent."""
        if self._tools is not None:
            return ChatPrompt.of(messages)
        return self._render(messages, add_generation_prompt=add_generation_prompt)

    def chat_template(self, name: bool | str = False) -> str | None:
        """The model's template."""
        return self._model.chat_template(name)

    def identity(self) -> Mapping[str, Any]:
        """Hashes of local weights and tokenizer, or the revision in the hub's cache."""
        return local_identity(self._args)

    def generate(self, requests: Sequence[Request], deliver: Deliver) -> None:
        """Answer all requests, a chunk at a time."""
        for start in range(0, len(requests), self._chunk):
            chunk = requests[start : start + self._chunk]
            if self._tools is not None:
                from harness.tools.loop import converse_in_rounds

                converse_in_rounds(chunk, self._ask_chats, self._tools, deliver)
                continue
            replies = self._ask([(request, request.prompt, max_tokens_of(request.options)) for request in chunk])
            for request, reply in zip(chunk, replies, strict=True):
                if isinstance(reply, str):
                    deliver(request, request.answered(error=reply))
                    continue
                fields: dict[str, Any] = {"finish_reason": reply.finish_reason, "tokens": reply.tokens}
                deliver(request, request.answered(text=reply.text, **fields))

    def _ask_chats(self, asked: Sequence[tuple[Request, Sequence[Message], int]]) -> list[Reply | str]:
        return self._ask([(request, self._render(messages), left) for request, messages, left in asked])

    def _ask(self, asked: Sequence[tuple[Request, str, int]]) -> list[Reply | str]:
        _seed_torch(asked[0][0].seed)
        instances = [self._to_instance(*item) for item in asked]
        try:
            texts = [str(text) for text in self._model.generate_until(instances, disable_tqdm=True)]
        except Exception as error:  # noqa: BLE001 - a model may fail in any way; one bad prompt must not end the run
            if len(asked) == 1:
                return [describe_error(error)]
            return [reply for item in asked for reply in self._ask([item])]
        return [self._reply(text, *item[1:]) for text, item in zip(texts, asked, strict=True)]

    def _to_instance(self, request: Request, prompt: str, limit: int) -> Any:
        options = {name: value for name, value in request.options.items() if name not in MAX_TOKENS}
        options["max_gen_toks"] = self._fit(limit)
        if self._name in SEEDED:
            options["seed"] = request.seed
        return self._instance(
            "generate_until", dict(request.doc), (prompt, options), 0, (request.task, request.doc_id, 1)
        )

    def _fit(self, limit: int) -> int:
        longest = getattr(self._model, "max_length", None)
        return min(limit, int(longest) * 3 // 4) if isinstance(longest, int) and limit >= longest else limit

    def _reply(self, text: str, prompt: str, limit: int) -> Reply:
        most = self._fit(limit)
        counted = self._count(text)
        tokens = (
            None if counted is None else min(counted, most)
        )  # encoding a text anew may take more tokens than it had
        full = tokens is not None and tokens >= most - 1
        return Reply(opened(text, prompt), finish_reason="length" if full else "stop", tokens=tokens)

    def _count(self, text: str) -> int | None:
        encode = getattr(self._model, "tok_encode", None)
        if encode is None:
            return None
        try:
            return len(encode(text))
        except (TypeError, ValueError, AttributeError):
            return None

    def _render(self, messages: Sequence[Mapping[str, Any]], *, add_generation_prompt: bool = True) -> str:
        history = [dict(message) for message in messages]
        return str(self._model.apply_chat_template(history, add_generation_prompt=add_generation_prompt))


def _batch_size(model: Any) -> int:
    size = getattr(model, "batch_size", 1)
    return int(size) if isinstance(size, int) or (isinstance(size, str) and size.isdigit()) else 8


def _seed_torch(seed: int) -> None:
    """A chunk's random stream depends on its first request, not on how often the run was resumed."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return
    torch.manual_seed(seed)
