"""Regular expressions whose matching time can double with each character of the text, found without a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, cast

codes: Any = import_module("re._constants")  # re has no public parser
parser: Any = import_module("re._parser")

MANY = 16
"""What may match more often than this counts as repeated."""


def problem_of(pattern: str) -> str:
    """Why a pattern may take exponential time; empty where nothing was found. The pattern must compile.

    Looked for are a repeat of varying length inside a repeat, and alternatives inside a repeat that can begin alike; not optional parts
    (`x?`), nor what takes a power of the length, as `.*.*x` does. What is possessive or atomic is never gone back into.

    >>> problem_of("(a+)+b")
    'a repeat inside a repeat'
    >>> problem_of("(?>a+)+b")
    ''
    """
    return _look(parser.parse(pattern), repeated=False)


def _look(items: Iterable[tuple[Any, Any]], *, repeated: bool) -> str:
    for kind, value in items:
        repeat = kind in (codes.MAX_REPEAT, codes.MIN_REPEAT)
        if repeated and repeat and value[1] > max(1, value[0]):
            return "a repeat inside a repeat"
        if kind is codes.BRANCH and repeated and _begin_alike(value[1]):
            return "alternatives inside a repeat that can begin alike"
        within = repeated and kind not in (codes.ATOMIC_GROUP, codes.POSSESSIVE_REPEAT)
        for part in _parts(value):
            if problem := _look(part, repeated=within or (repeat and value[1] > MANY)):
                return problem
    return ""


def _begin_alike(branches: Iterable[Any]) -> bool:
    firsts = [list(branch)[:1] for branch in branches]
    letters = {first[0][1] for first in firsts if first and first[0][0] is codes.LITERAL}
    return len(letters) < len(firsts)


def _parts(value: Any) -> Iterator[Any]:
    """The patterns inside the value of a node."""
    if isinstance(value, parser.SubPattern):
        yield value
    elif isinstance(value, (list, tuple)):
        for inner in cast("Iterable[Any]", value):
            yield from _parts(inner)
