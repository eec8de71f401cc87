"""JSON from model text, and values of unknown shape, read without surprises."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

MAX_JSON_CHARS = 200_000
"""Longer text is not read as JSON."""
MAX_DEPTH = 60
"""Deeper values are not read, since later code may recurse over them."""


def parse_json(text: str, *, strict: bool = True) -> Any:
    """The JSON value of a text; None if it is not JSON, too long or nested too deep. If not `strict`, texts may hold raw newlines."""
    if len(text) > MAX_JSON_CHARS:
        return None
    try:
        check_depth(text)
        return json.loads(text, parse_constant=_refuse, strict=strict)
    except (ValueError, RecursionError):
        return None


def check_depth(text: str) -> None:
    """Refuse JSON of a model that is nested too deep, before it is parsed.

    Raises:
        ValueError: it is.
    """
    if text.count("[") + text.count("{") > MAX_DEPTH:
        from sandboxes.json_depth import nests_within

        if not nests_within(text, MAX_DEPTH):
            raise ValueError(f"nested deeper than {MAX_DEPTH}")


def is_deep(value: Any) -> bool:
    """Whether a value is nested deeper than `MAX_DEPTH`."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for outer in level for inner in (*items(outer), *mapping(outer).values())]
    return bool(level)


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def items(value: Any) -> Sequence[Any]:
    """The value if it is a list or a tuple, else an empty list."""
    return cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else ()


def same_json(a: Any, b: Any) -> bool:
    """Equality as JSON has it: 1 equals 1.0, but not true; keys have no order."""
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(a, bool) and isinstance(b, bool) and a == b
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        left, right = mapping(a), mapping(b)
        return left.keys() == right.keys() and all(same_json(left[key], right[key]) for key in left)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        first, second = items(a), items(b)
        return len(first) == len(second) and all(map(same_json, first, second))
    return bool(a == b)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
