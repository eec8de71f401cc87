"""The OpenAPI schema of a table of routes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import msgspec

from rewardkit import __version__
from rewardkit.serve.auth import OPEN_PATHS
from rewardkit.serve.http import JSON, Route

_ABOUT = "Verifiable rewards over HTTP. A row that this server fails to judge comes back as `unjudged` with value null."
_ERRORS = {
    400: "The body is not JSON.",
    401: "A token is needed.",
    403: "The reward is not served here.",
    408: "The body arrived too slowly.",
    409: "Lists of one batch differ in length.",
    413: "Too many rows or bytes.",
    415: "Neither JSON nor NDJSON.",
    422: "The body is not of this shape.",
    429: "The queue is full; see Retry-After.",
    503: "The server is starting or shutting down, or no sandbox works.",
    504: "The sandbox was lost, or had no time.",
}


class Error(msgspec.Struct):
    """Why a request was refused, in one line."""

    error: str


def openapi(routes: Iterable[Route], *, has_tokens: bool) -> dict[str, Any]:
    """The schema. With tokens, every route but health needs one."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, has_tokens=has_tokens)
    schema: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "rewardkit", "version": __version__, "description": _ABOUT},
        "paths": paths,
        "components": {"schemas": {"Error": schema_of(Error)}},
    }
    if has_tokens:
        schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"token": []}]
    return schema


def _operation(route: Route, *, has_tokens: bool) -> dict[str, Any]:
    error = {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}
    answers: dict[str, Any] = {"200": {"description": "OK", "content": _content(route.gives)}}
    for status in route.errors:
        if status != 401 or has_tokens:
            content = _content(route.gives) if route.path in OPEN_PATHS else error
            answers[str(status)] = {"description": _ERRORS[status], "content": content}
    operation: dict[str, Any] = {"summary": route.about, "tags": [route.tag], "responses": answers}
    if route.query is not None:
        fields = schema_of(route.query)["properties"]
        operation["parameters"] = [{"name": name, "in": "query", "schema": one} for name, one in fields.items()]
    if route.asks is not None:
        operation["requestBody"] = {"required": True, "content": _content(route.asks)}
    if route.path in OPEN_PATHS:
        operation["security"] = []
    return operation


def _content(given: Any) -> dict[str, Any]:
    """The `content` of a body: by media type, or of one type as JSON."""
    by_type = cast("dict[str, Any]", given) if isinstance(given, dict) else {JSON: {"schema": given}}
    return {
        media: {"schema": one["schema"] if isinstance(one["schema"], dict) else schema_of(one["schema"])}
        for media, one in by_type.items()
    }


def schema_of(kind: Any) -> dict[str, Any]:
    """The schema of a type, complete in itself: what it refers to is in its place."""
    schema = msgspec.json.schema(kind)
    return _inline(schema, schema.pop("$defs", {}))


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    entry = cast("dict[str, Any]", node)
    if "$ref" in entry:
        return _inline(definitions[entry["$ref"].rpartition("/")[2]], definitions)
    return {key: _inline(value, definitions) for key, value in entry.items()}
