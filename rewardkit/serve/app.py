"""The ASGI application: who gets in, which route answers, what is counted and logged."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from contextlib import nullcontext

from rewardkit.serve import routes, tracing
from rewardkit.serve.auth import OPEN_PATHS, check_is_local, find_token
from rewardkit.serve.contracts import nemo_gym, openrlhf, sandbox_fusion, slime, verl
from rewardkit.serve.http import Answer, Receive, RefusedError, Request, Route, Scope, Send, encode
from rewardkit.serve.openapi import openapi
from rewardkit.serve.service import Service
from rewardkit.serve.settings import Settings, is_loopback

log = logging.getLogger("rewardkit.serve")
access_log = logging.getLogger("rewardkit.serve.access")


class App:
    """One HTTP process. Workers start with it and stop with it.

    Access log and metrics have method, route, status, time and the token's name: no header, no query, no body.
    """

    def __init__(self, service: Service, table: list[Route]) -> None:
        self.service = service
        self._routes: dict[str, dict[str, Route]] = {}
        for route in table:
            self._routes.setdefault(route.path, {})[route.method] = route
        self._local = is_loopback(service.settings.host) and not service.settings.tokens
        self.is_traced = tracing.is_on()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or run for the time of the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        request, start = Request(scope, receive), time.perf_counter()
        methods = self._routes.get(request.path)
        path, status = request.path if methods else "other", 500
        try:
            self._let_in(request)
            span = tracing.of_request(request, path) if self.is_traced else nullcontext()
            with span as note:
                answer = await self._answer(request, methods)
                status = answer.status
                if note is not None:
                    note(status)
                await answer.send(send)
        except RefusedError as refused:
            status = refused.status
            await refused.answer().send(send)
        except (
            asyncio.CancelledError
        ):  # the server ends without waiting: a second Ctrl-C, or rows that outlast the drain time
            status = 503
            with contextlib.suppress(RuntimeError):  # part of an answer was sent
                await Answer(encode({"error": "the server has ended; use another one"}), status).send(send)
        finally:
            self._note(request, path, status, time.perf_counter() - start)

    def _let_in(self, request: Request) -> None:
        """Find the caller.

        Raises:
            RefusedError: 401 without a token, 403 from another machine or a web page.
        """
        tokens = self.service.tokens
        if self._local:
            check_is_local(request)
        elif tokens and request.path not in OPEN_PATHS:
            request.token = find_token(tokens, request)
            if len(tokens) > 1:  # callers with one token take turns by connection
                request.caller = request.token.name

    async def _answer(self, request: Request, methods: dict[str, Route] | None) -> Answer:
        try:
            if methods is None:
                return Answer(encode({"error": "Not Found"}), 404)
            route = methods.get("GET" if request.method == "HEAD" else request.method)
            if route is None:
                return Answer(encode({"error": "Method Not Allowed"}), 405, headers={"allow": ", ".join(methods)})
            return await route.answer(request)
        except RefusedError as refused:
            self.service.metrics.rejected.labels(refused.why).inc()
            return refused.answer()
        except Exception:
            log.exception("%s %s failed", request.method, request.path if methods else "other")
            return Answer(encode({"error": "the server failed; its log says why"}), 500)

    def _note(self, request: Request, path: str, status: int, seconds: float) -> None:
        metrics, token = self.service.metrics, request.token
        metrics.requests.labels(path, str(status)).inc()
        metrics.seconds.labels(path).observe(seconds)
        if token is not None:
            metrics.caller_requests.labels(token.name, str(status)).inc()
        if self.service.settings.access_log:
            name = "-" if token is None else token.name
            access_log.info("%s %s %d %.1f ms %s", request.method, path, status, seconds * 1000, name)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Workers are up from the first message of the server to its last."""
        await receive()
        async with contextlib.AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self.service.running())
            except Exception as error:
                log.exception("the server did not start")
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                return
            await send({"type": "lifespan.startup.complete"})
            with contextlib.suppress(asyncio.CancelledError):  # as above
                await receive()
        await send({"type": "lifespan.shutdown.complete"})


def routes_of(service: Service) -> list[Route]:
    """What it answers, without the document that describes it."""
    table = [*routes.routes(service), nemo_gym.SEED_SESSION]
    for module in (openrlhf, slime, nemo_gym, verl):
        table += [contract.route(service) for contract in module.CONTRACTS]
    return table if service.settings.sandbox is None else table + sandbox_fusion.routes(service)


def create_app(settings: Settings, boxes: str | None = None) -> App:
    """The application. `boxes` is the socket of the process that holds the sandboxes; None if nothing runs programs."""
    service = Service(settings, boxes)
    table = routes_of(service)
    schema = encode(openapi(table, has_tokens=bool(settings.tokens)))

    async def describe(_: Request) -> Answer:
        return Answer(schema)

    return App(service, [*table, Route("/openapi.json", describe, "This schema.", "GET")])
