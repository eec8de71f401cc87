"""OpenAI-compatible servers: several URLs, least loaded first, with retries. A failed request is one errored sample."""

from __future__ import annotations

import asyncio
import importlib
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from harness.backends.base import MAX_TOKENS, Backend, Deliver, Message, Reply, Request, max_tokens_of
from harness.backends.openai_api import (
    MAX_STOPS,
    BusyError,
    PassingError,
    RefusedError,
    RequestError,
    cut_at,
    endpoint,
    listed,
    models_url,
    read_answer,
    stop_marks,
)
from harness.backends.pacing import MAX_WAIT_S, Servers
from harness.generation import Generation, opened
from rewardkit.errors import IncompleteError, UsageError, describe_error
from rewardkit.model_server import api_key as key_for_server
from rewardkit.model_server import proxy_for

if TYPE_CHECKING:
    from harness.tools.loop import ToolBox

CONNECT_S = 10.0
"""For the list of models."""
PLAIN_PROMPT = "Hi"
"""Sent if a request is refused (400) before any was answered: if this is refused too, the request's form is wrong, not one prompt."""
_OWN = frozenset({"until", "do_sample", "seed", *MAX_TOKENS})

T = TypeVar("T")


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
        outage_s: float = 900.0,
        n: int = 1,
        args: Mapping[str, Any] | None = None,
    ) -> None:
        if not urls:
            raise UsageError("an HTTP model needs base_url=http://host:port/v1 in --model_args")
        self.chat = chat
        self.model = model
        self.first_request_at: float | None = None
        self._urls = [endpoint(url, chat=chat) for url in urls]
        self._proxies = {url: proxy_for(url) for url in self._urls}
        self._concurrency = max(1, concurrency)
        self._retries = max(0, retries)
        self._timeout_s = timeout_s
        self._key = key_for_server(api_key)
        self._extra = dict(extra or {})
        self._tools = tools
        self._retry_wait_s = retry_wait_s
        self._outage_s = outage_s
        self._args = dict(args or {})
        self._n = 1 if tools is not None else max(1, n)
        self._proven = False
        self._session: Any = None
        self._listed: Mapping[str, Any] | None = None

    @property
    def served(self) -> str | None:
        """The model's name on the server."""
        return self.model

    @cached_property
    def likelihoods(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride] - a cached property is one, too
        """lm-eval's model for text completions; a chat gives no likelihoods."""
        from harness.backends.likelihoods import open_likelihoods

        args = {**self._args, "model": self.model}
        return None if self.chat else open_likelihoods(args, self._urls[0], self.complete)

    def identity(self) -> Mapping[str, Any]:
        """The URLs and what the servers say about the model there; None if they do not say."""
        return {"base_url": sorted(self._urls), "served_model": self._listed}

    def connect(self) -> None:
        """Ask each server which models it has: before the output directory is claimed, and for the record.

        Raises:
            IncompleteError: no server can be reached, or does not say its model if none was named.
            UsageError: no model was named and there are several, or the servers do not have the same one.
        """
        asyncio.run(self._connect())

    async def _connect(self) -> None:
        async with self._new_session() as session:
            asked = await asyncio.gather(*(self._models(session, url) for url in self._urls), return_exceptions=True)
        lists = [each for each in asked if not isinstance(each, BaseException)]
        if not lists:  # one that is down may come back while the others answer
            raise next(each for each in asked if isinstance(each, BaseException))
        names = [str(each["id"]) for each in lists[0] or ()]
        if self.model is None and len(names) == 1:
            self.model = names[0]
        if self.model is None:
            url = models_url(self._urls[0])
            said = f"serves {', '.join(names)}" if names else "does not say which models it serves"
            raise UsageError(f"{url} {said}; choose one with --model_args model=...")
        told = [listed(each, self.model) for each in lists]
        if any(each != told[0] for each in told):
            urls = ", ".join(self._urls)
            raise UsageError(f"the servers have different models ({urls} say {told}); give servers of one model")
        self._listed = told[0]

    async def _models(self, session: Any, url: str) -> list[Mapping[str, Any]] | None:
        """What a server lists; None if it answers with something else than a list."""
        url, proxy, problem = models_url(url), self._proxies[url], ""
        limit = _aiohttp().ClientTimeout(total=CONNECT_S)
        for attempt in range(self._retries + 1):
            if attempt:
                await asyncio.sleep(min(MAX_WAIT_S, self._retry_wait_s * 2 ** (attempt - 1)))
            try:
                async with session.get(url, proxy=proxy, timeout=limit) as response:
                    data = await response.json(content_type=None)
                return [dict(item) for item in data["data"] if "id" in item]
            except (ValueError, KeyError, TypeError, RecursionError):
                return None
            except (_aiohttp().ClientError, OSError, TimeoutError) as error:
                problem = describe_error(error)
        raise IncompleteError(f"cannot reach {url} ({problem}); is the server running, and is the URL right?")

    def facts(self) -> Mapping[str, Any]:
        """URLs and the model's name on them."""
        return {"urls": self._urls, "model": self.model, "chat": self.chat}

    def generate(self, requests: Sequence[Request], deliver: Deliver) -> None:
        """Answer all requests, `concurrency` at a time."""
        asyncio.run(self._generate(requests, deliver))

    def complete(self, bodies: Sequence[Mapping[str, Any]]) -> list[Reply]:
        """The replies to these bodies, in order.

        Raises:
            IncompleteError: one of them got none.
        """
        replies: dict[int, Reply] = {}

        async def ask(place: int) -> None:
            try:
                replies[place] = (await self._send(bodies[place], str(place)))[0]
            except RequestError as error:
                raise IncompleteError(str(error)) from None

        asyncio.run(self._each(range(len(bodies)), ask))
        return [replies[place] for place in range(len(bodies))]

    async def _generate(self, requests: Sequence[Request], deliver: Deliver) -> None:
        if self.model is None:
            await self._connect()

        async def answer(group: Sequence[Request]) -> None:
            start = time.monotonic()
            generations = await self._answer(group)
            for request, generation in zip(group, generations, strict=False):
                deliver(request, generation.model_copy(update={"latency_s": round(time.monotonic() - start, 3)}))
            for request in group[len(generations) :]:  # the server gives fewer than `n`, or none
                await answer([request])

        await self._each(self._grouped(requests), answer)

    def _grouped(self, requests: Sequence[Request]) -> list[list[Request]]:
        """Up to `n` samples of one problem each, in order: requests with one prefix follow each other, as servers' caches like it."""
        groups: list[list[Request]] = []
        for request in requests:
            last = groups[-1] if groups else []
            if last and len(last) < self._n and (last[0].task, last[0].doc_id, last[0].prompt) == (
                request.task, request.doc_id, request.prompt,
            ):  # fmt: skip
                last.append(request)
            else:
                groups.append([request])
        return groups

    async def _each(self, items: Sequence[T], work: Callable[[T], Awaitable[None]]) -> None:
        """Do the work of all items, `concurrency` at a time."""
        queue = deque(items)

        async def worker() -> None:
            while queue:
                await work(queue.popleft())

        async with self._new_session() as session:
            self._session = session
            self._servers = Servers(
                self._urls, self._concurrency, first_wait_s=self._retry_wait_s, outage_s=self._outage_s
            )
            self._proving = asyncio.Lock()
            workers = [asyncio.create_task(worker()) for _ in range(min(self._concurrency, len(queue)))]
            try:
                await asyncio.gather(*workers)
            finally:
                for each in workers:
                    each.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

    def _new_session(self) -> Any:
        aiohttp = _aiohttp()
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        limits = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)
        timeout = aiohttp.ClientTimeout(total=self._timeout_s, sock_connect=10)
        return aiohttp.ClientSession(headers=headers, connector=limits, timeout=timeout)

    async def _answer(self, group: Sequence[Request]) -> list[Generation]:
        """The answers to the first requests of a group; an error is one for a request that was sent alone."""
        request = group[0]
        try:
            if self._tools is not None:
                from harness.tools.loop import converse

                return [await converse(request, self._ask, self._tools)]
            body = self._body(request, request.messages, max_tokens_of(request.options), None)
            replies = await self._send({**body, "n": len(group)} if len(group) > 1 else body, request.key)
        except RequestError as error:
            return [request.answered(error=str(error))] if len(group) == 1 else []
        return [self._generation(each, reply) for each, reply in zip(group, replies, strict=False)]

    def _generation(self, request: Request, reply: Reply) -> Generation:
        reply = cut_at(reply, stop_marks(request.options))
        reasoning = (reply.reasoning or "").strip() or None
        return request.answered(
            text=reply.text if reasoning else opened(reply.text, request.prompt),
            reasoning=reasoning,
            finish_reason=reply.finish_reason,
            tokens=reply.tokens,
            request_tokens=reply.request_tokens,
            prompt_tokens=reply.prompt_tokens,
            reasoning_tokens=reply.reasoning_tokens,
            model=reply.model,
        )

    async def _ask(
        self, request: Request, messages: Sequence[Message], max_tokens: int, tools: Sequence[Mapping[str, Any]] | None
    ) -> Reply:
        replies = await self._send(self._body(request, messages, max_tokens, tools), request.key)
        return cut_at(replies[0], stop_marks(request.options))

    async def _send(self, body: Mapping[str, Any], key: str) -> list[Reply]:
        attempt = 0
        while True:
            async with self._servers.slot() as (server, started):
                self.first_request_at = self.first_request_at or time.monotonic()
                try:
                    replies = await self._post(server.url, body)
                except BusyError as error:
                    server.busy(started, error.retry_after_s)
                    self._servers.check(str(error))
                    continue
                except PassingError as error:
                    attempt += not server.open
                    reason = str(error)
                    server.failed(started)
                    self._servers.check(reason)
                except RequestError as error:
                    await self._prove(server.url, body, error)
                    raise
                except RefusedError as error:
                    raise UsageError(
                        f"{error}; answers so far are saved; fix this and continue with --resume"
                    ) from None
                else:
                    server.answered()
                    self._proven = True
                    return replies
            if attempt > self._retries:
                raise RequestError(f"{reason} ({attempt} tries)")
            wait = min(MAX_WAIT_S, self._retry_wait_s * 2 ** max(0, attempt - 1))
            await asyncio.sleep(wait * random.Random(f"{key}{attempt}").uniform(0.7, 1.3))

    async def _prove(self, url: str, body: Mapping[str, Any], error: RequestError) -> None:
        """Find out whether only this prompt is refused (too long, say), if none has been answered yet.

        Raises:
            UsageError: a plain prompt is refused, too.
        """
        async with self._proving:
            if self._proven:
                return
            plain = [{"role": "user", "content": PLAIN_PROMPT}] if "messages" in body else PLAIN_PROMPT
            try:
                await self._post(url, {**body, "messages" if "messages" in body else "prompt": plain})
            except RequestError as again:
                raise UsageError(f"the server refuses every request: {again}") from error
            except (BusyError, PassingError, RefusedError):
                return
            self._proven = True

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

    async def _post(self, url: str, body: Mapping[str, Any]) -> list[Reply]:
        aiohttp = _aiohttp()
        try:
            async with self._session.post(url, json=body, proxy=self._proxies[url]) as response:
                content = await response.read()
            return read_answer(url, response.status, response.headers, content, chat=self.chat)
        except TimeoutError:
            raise PassingError(f"{url} did not answer within {self._timeout_s:g} s") from None
        except (aiohttp.ClientError, OSError) as error:
            raise PassingError(f"{url}: {describe_error(error)}") from None


def _aiohttp() -> Any:
    return importlib.import_module("aiohttp")
