"""The HTTP application: routes, errors, OpenAPI."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from rewardkit import __version__
from rewardkit.serve import api, tracing
from rewardkit.serve.auth import OPEN_PATHS, Auth
from rewardkit.serve.bodies import RefusedError
from rewardkit.serve.contracts import nemo_gym, openrlhf, sandbox_fusion, slime, verl
from rewardkit.serve.metrics import CONTENT_TYPE
from rewardkit.serve.service import Service
from rewardkit.serve.settings import Settings, is_loopback

_ABOUT = "Verifiable rewards over HTTP. A row that this server fails to judge comes back as `unjudged` with value null."


class Health(BaseModel):
    """The state of the server in one word."""

    status: str


def create_app(settings: Settings, boxes: str | None = None) -> FastAPI:
    """The application for one HTTP process. Workers start with it and stop with it.

    `boxes` is the socket of the process that holds the sandboxes; None if nothing runs programs.
    """
    service = Service(settings, boxes)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None, None]:
        async with service.running():
            yield

    app = FastAPI(
        title="rewardkit",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # FastAPI's own tells queries and bodies
    )
    app.state.service = service
    local = is_loopback(settings.host) and not settings.tokens
    app.add_middleware(api.ShortCut, service=service)
    if tracing.is_on():
        app.add_middleware(tracing.Tracing)
    app.add_middleware(
        Auth, tokens=service.tokens, local=local, metrics=service.metrics, access_log=settings.access_log
    )
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _failed)
    _add_health(app, service)
    app.include_router(api.router(service))
    for contract in (openrlhf, slime, nemo_gym, verl):
        app.include_router(contract.router(service))
    if settings.sandbox is not None:
        app.include_router(sandbox_fusion.router(service))
    if settings.tokens:
        _ask_for_token(app)
    return app


def _ask_for_token(app: FastAPI) -> None:
    """Say in the schema that every route but health needs a bearer token."""
    schema = app.openapi()
    schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    schema["security"] = [{"token": []}]
    for path in OPEN_PATHS:
        schema["paths"][path]["get"]["security"] = []


def _add_health(app: FastAPI, service: Service) -> None:
    @app.get("/healthz", tags=["health"])
    async def healthz() -> Health:
        """The server is up."""
        return Health(status="ok")

    @app.get(
        "/readyz",
        tags=["health"],
        responses={503: {"model": Health, "description": "The server is starting or shutting down."}},
    )
    async def readyz(response: Response) -> Health:
        """Ready for requests: a worker is running, the requested sandbox works, and the server is not shutting down."""
        response.status_code = 200 if service.ready else 503
        return Health(status=service.state)

    @app.get(
        "/metrics",
        tags=["health"],
        response_class=Response,
        responses={200: {"content": {CONTENT_TYPE: {"schema": {"type": "string"}}}}, **api.errors(service, 401)},
    )
    async def metrics() -> Response:
        """Prometheus metrics."""
        return Response(service.metrics.render(), media_type=CONTENT_TYPE)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    return api.refused(request.app.state.service, error)


async def _http_error(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers: Any = error.headers
    return JSONResponse({"error": error.detail}, error.status_code, headers=headers)


async def _invalid(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return JSONResponse({"error": f"{'.'.join(map(str, first['loc']))}: {first['msg']}"}, 422)


async def _failed(_request: Request, _error: Exception) -> JSONResponse:
    return JSONResponse({"error": "the server failed; its log says why"}, 500)
