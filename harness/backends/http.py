"""OpenAI-compatible servers: several URLs, least in flight first, retries, one errored sample for one failed request."""

from __future__ import annotations

import asyncio
import importlib
import os
import random
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from harness.backends.base import Backend, Deliver, Message, Reply, Request, max_tokens_of
from harness.generation import Generation, split_thinking
from rewardkit.errors import IncompleteError, UsageError

if TYPE_CHECKING:
    from harness.tools.loop import ToolBox

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""HTTP statuses that may pass; others are the request's own fault and are not tried again."""
BREAKER = 24
"""So many failed requests in a row, none answered in between, end the run: the server is down."""
MAX_WAIT_S = 30.0
"""Longest pause between two tries."""
CONNECT_S = 10.0
"""For the list of models."""
MAX_STOPS = 4
"""OpenAI's API takes no more stop sequences."""
_OWN = frozenset(
    {"until", "do_sample", "max_gen_toks", "max_tokens", "max_new_tokens", "max_completion_tokens", "seed"}
)


class RequestError(Exception):
    """One request failed for good; the text says how."""


@dataclass
class Server:
    """One URL and how many requests are with it right now."""

    url: str
    in_flight: int = 0


class HttpBackend(Backend):
    """Chat completions (or text completions, with `chat=False`) from one or several servers."""

    def __init__(
        self,
        urls: Sequence[str],
        model: str | None,
        *,
        chat: bool = True,
        concurrency: int = 64,
        retries: int = 4,
        timeout_s: float = 3600.0,
        api_key: str | None = None,
        extra: Mapping[str, Any] | None = None,
        tools: ToolBox | None = None,
        retry_wait_s: float = 0.5,
    ) -> None:
        if not urls:
            raise UsageError("an HTTP model needs base_url=http://host:port/v1 in --model_args")
        self.chat = chat
        self.model = model
        self.first_request_at: float | None = None
        self._servers = [Server(endpoint(url, chat=chat)) for url in urls]
        self._concurrency = max(1, concurrency)
        self._retries = max(0, retries)
        self._timeout_s = timeout_s
        self._key = api_key or os.environ.get("OPENAI_API_KEY")
        self._extra = dict(extra or {})
        self._tools = tools
        self._retry_wait_s = retry_wait_s
        self._failures_in_a_row = 0
        self._last_error = ""
        self._session: Any = None
        self._listed: Mapping[str, Any] | None = None

    @property
    def served(self) -> str | None:
        """The model's name on the server."""
        return self.model

    def identity(self) -> Mapping[str, Any]:
        """The URLs and what the servers say about the model there; None where they do not say."""
        return {"base_url": sorted(server.url for server in self._servers), "served_model": self._listed}

    def connect(self) -> None:
        """Ask each server which models it has: before the output directory is claimed, and for the record.

        Raises:
            IncompleteError: a server cannot be reached, or does not say its model where none was named.
            UsageError: no model was named and there are several, or the servers do not have the same one.
        """
        asyncio.run(self._connect())

    async def _connect(self) -> None:
        async with self._new_session() as session:
            lists = [await self._models(session, server) for server in self._servers]
        names = [str(each["id"]) for each in lists[0] or ()]
        if self.model is None and len(names) == 1:
            self.model = names[0]
        if self.model is None:
            url = models_url(self._servers[0].url)
            said = f"serves {', '.join(names)}" if names else "does not say which models it serves"
            raise UsageError(f"{url} {said}; choose one with --model_args model=...")
        told = [listed(each, self.model) for each in lists]
        if any(each != told[0] for each in told):
            urls = ", ".join(server.url for server in self._servers)
            raise UsageError(f"the servers do not have the same model ({urls} say {told}); give servers of one model")
        self._listed = told[0]

    async def _models(self, session: Any, server: Server) -> list[Mapping[str, Any]] | None:
        """What a server lists; None where it answers with something else than a list."""
        url = models_url(server.url)
        problem = ""
        for attempt in range(self._retries + 1):
            if attempt:
                await asyncio.sleep(min(MAX_WAIT_S, self._retry_wait_s * 2 ** (attempt - 1)))
            try:
                async with session.get(url, timeout=_aiohttp().ClientTimeout(total=CONNECT_S)) as response:
                    data = await response.json(content_type=None)
                return [dict(item) for item in data["data"] if "id" in item]
            except (ValueError, KeyError, TypeError):
                return None
            except (_aiohttp().ClientError, OSError, TimeoutError) as error:
                problem = f"{type(error).__name__}: {error}".rstrip(": ")
        raise IncompleteError(f"cannot reach {url} ({problem}); is the server up, and the URL right?")

    def facts(self) -> Mapping[str, Any]:
        """URLs and the model's name on them."""
        return {"urls": [server.url for server in self._servers], "model": self.model, "chat": self.chat}

    def generate(self, requests: Sequence[Request], deliver: Deliver) -> None:
        """Answer all requests, `concurrency` at a time."""
        asyncio.run(self._generate(requests, deliver))

    async def _generate(self, requests: Sequence[Request], deliver: Deliver) -> None:
        if self.model is None:
            await self._connect()
        async with self._new_session() as session:
            self._session = session
            queue = deque(requests)
            workers = [
                asyncio.create_task(self._work(queue, deliver)) for _ in range(min(self._concurrency, len(queue)))
            ]
            try:
                await asyncio.gather(*workers)
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

    def _new_session(self) -> Any:
        aiohttp = _aiohttp()
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        limits = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)
        timeout = aiohttp.ClientTimeout(total=self._timeout_s, sock_connect=10)
        return aiohttp.ClientSession(headers=headers, connector=limits, timeout=timeout)

    async def _work(self, queue: deque[Request], deliver: Deliver) -> None:
        while queue:
            request = queue.popleft()
            start = time.monotonic()
            generation = await self._answer(request)
            deliver(request, generation.model_copy(update={"latency_s": round(time.monotonic() - start, 3)}))
            self._trip(generation.error)

    def _trip(self, error: str | None) -> None:
        if error is None:
            self._failures_in_a_row = 0
            return
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= BREAKER:
            raise IncompleteError(
                f"{BREAKER} requests in a row failed, the last with: {error}. "
                "Answers so far are safe; when the server is back, go on with --resume"
            )

    async def _answer(self, request: Request) -> Generation:
        try:
            if self._tools is not None:
                from harness.tools.loop import converse

                return await converse(request, self._ask, self._tools)
            reply = await self._ask(request, request.messages, max_tokens_of(request.options), None)
        except RequestError as error:
            return request.answered(error=str(error))
        reasoning, text = split_thinking(
            reply.text, reply.reasoning, prefilled=request.prompt.rstrip().endswith("<think>")
        )
        return request.answered(
            text=text,
            reasoning=reasoning,
            finish_reason=reply.finish_reason,
            tokens=reply.tokens,
            prompt_tokens=reply.prompt_tokens,
            model=reply.model,
        )

    async def _ask(
        self, request: Request, messages: Sequence[Message], max_tokens: int, tools: Sequence[Mapping[str, Any]] | None
    ) -> Reply:
        body = self._body(request, messages, max_tokens, tools)
        reason = "not tried"
        for attempt in range(self._retries + 1):
            if attempt:
                wait = min(MAX_WAIT_S, self._retry_wait_s * 2 ** (attempt - 1))
                await asyncio.sleep(wait * random.Random(f"{request.key}{attempt}").uniform(0.7, 1.3))
            try:
                return cut_at(await self._post(body), stop_marks(request.options))
            except _PassingError as error:
                reason = str(error)
        raise RequestError(f"{reason} ({self._retries + 1} tries)")

    def _body(
        self, request: Request, messages: Sequence[Message], max_tokens: int, tools: Sequence[Mapping[str, Any]] | None
    ) -> dict[str, Any]:
        options = request.options
        stop = stop_marks(options)
        body: dict[str, Any] = {"model": self.model, "max_tokens": max_tokens, "seed": request.seed}
        if not options.get("do_sample", True) or options.get("temperature") is None:
            body["temperature"] = 0.0 if not options.get("do_sample") else 1.0
        if stop:
            body["stop"] = stop[:MAX_STOPS]
        body.update({name: value for name, value in options.items() if name not in _OWN and name not in body})
        body.update(self._extra)
        if not self.chat:
            return {**body, "prompt": request.prompt}
        if tools:
            body["tools"] = list(tools)
        return {**body, "messages": list(messages)}

    async def _post(self, body: Mapping[str, Any]) -> Reply:
        aiohttp = _aiohttp()
        server = min(self._servers, key=lambda each: each.in_flight)
        server.in_flight += 1
        if self.first_request_at is None:
            self.first_request_at = time.monotonic()
        try:
            async with self._session.post(server.url, json=body) as response:
                if response.status != 200:
                    text = (await response.text())[:300].strip()
                    message = f"{server.url} answered {response.status}: {text}"
                    raise _PassingError(message) if response.status in RETRIED else RequestError(message)
                return parse_reply(await response.json(content_type=None), chat=self.chat)
        except TimeoutError:
            raise _PassingError(f"{server.url} did not answer within {self._timeout_s:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _PassingError(f"{server.url}: {type(error).__name__}: {error}"[:300]) from None
        finally:
            server.in_flight -= 1


def _aiohttp() -> Any:
    return importlib.import_module("aiohttp")


class _PassingError(Exception):
    """A failure that may pass: try again."""


def models_url(url: str) -> str:
    """Where a server lists its models, given the URL of its completions call.

    >>> models_url("http://127.0.0.1:8000/v1/chat/completions")
    'http://127.0.0.1:8000/v1/models'
    """
    return url.removesuffix("/completions").removesuffix("/chat") + "/models"


def listed(models: Sequence[Mapping[str, Any]] | None, name: str) -> dict[str, Any] | None:
    """What a list of models says about one: id, weights (`root`), context length; None where it is not in the list."""
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
    Reply(text='1 + 1 = 2. ', reasoning=None, finish_reason='stop', tokens=None, prompt_tokens=None, tool_calls=(), model=None)
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


def parse_reply(data: Any, *, chat: bool) -> Reply:
    """One reply out of a server's JSON.

    Raises:
        RequestError: it does not have OpenAI's shape.
    """
    try:
        choice = cast("Mapping[str, Any]", data["choices"][0])
        usage = cast("Mapping[str, Any]", data.get("usage") or {})
        message = cast("Mapping[str, Any]", choice["message"]) if chat else {"content": choice["text"]}
    except (KeyError, IndexError, TypeError):
        raise RequestError(f"not an OpenAI-compatible answer: {str(data)[:200]}") from None
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    calls = message.get("tool_calls") or ()
    return Reply(
        text=str(message.get("content") or ""),
        reasoning=str(reasoning) if reasoning else None,
        finish_reason=choice.get("finish_reason"),
        tokens=usage.get("completion_tokens"),
        prompt_tokens=usage.get("prompt_tokens"),
        tool_calls=tuple(dict(call) for call in calls),
        model=str(data["model"]) if data.get("model") else None,
    )
