"""The parts of a JSON value, and the value with another part: what tests of readers change."""

import copy
from collections.abc import Iterator
from typing import Any

Path = tuple[Any, ...]


def places_in(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of each part of a value, its own first."""
    yield path
    for name, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places_in(inner, (*path, name))


def put(whole: Any, path: Path, value: Any) -> Any:
    """The whole with this value at a path."""
    if not path:
        return value
    whole = copy.copy(whole)
    whole[path[0]] = put(whole[path[0]], path[1:], value)
    return whole
