"""Our patterns on long texts: none splits a run of one character in exponentially many ways, none shares one among three repeats."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pytest

import harness
import rewardkit
import sandboxes
import trainers
from rewardkit.errors import MissingExtraError
from rewardkit.math.patterns import _Lazy

codes: Any = importlib.import_module("re._constants")  # re has no public parser
parser: Any = importlib.import_module("re._parser")

LONGEST = 6
"""So many equal characters are looked at."""

CHARACTERS = "aZ0 _-,.é中\\{}()$*#\n\t=+/:'\"|<>&%[]"

REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT)
SINGLE = (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN)


def splits(pattern: str, flags: int) -> list[str]:
    """The characters of which a repeat in the pattern takes several at once as well as one after the other."""
    tree = list(parser.parse(pattern, flags))
    while tree and tree[-1][0] in REPEATS and tree[-1][1][0] == 0:
        tree.pop()  # nothing fails behind it, so that it is not tried again
    return [char for char in CHARACTERS if any(_look(tree, char, flags))]


def _look(items: Iterable[tuple[Any, Any]], char: str, flags: int) -> Iterator[bool]:
    for kind, value in items:
        if kind in REPEATS and value[1] >= 4 and not all(one in SINGLE for one, _ in value[2]):
            yield len(_lengths(value[2], char, flags) - {0}) > 1
        for part in _parts(kind, value):
            yield from _look(part, char, flags | (value[1] if kind is codes.SUBPATTERN else 0))


def _parts(kind: Any, value: Any) -> list[Any]:
    if kind is codes.BRANCH:
        return value[1]
    if kind is codes.SUBPATTERN:
        return [value[3]]
    if kind in (*REPEATS, codes.POSSESSIVE_REPEAT):
        return [value[2]]
    if kind in (codes.ASSERT, codes.ASSERT_NOT):
        return [value[1]]
    return [value] if kind is codes.ATOMIC_GROUP else []


def _lengths(items: Iterable[tuple[Any, Any]], char: str, flags: int) -> set[int]:
    """How many of `char` in a row the items match."""
    found = {0}
    for kind, value in items:
        found = _sums(found, _length(kind, value, char, flags))
    return found


def _length(kind: Any, value: Any, char: str, flags: int) -> set[int]:
    if kind in SINGLE:
        return {1} if char in _taken(kind, tuple(value) if kind is codes.IN else value, flags) else set()
    if kind is codes.SUBPATTERN:
        flags |= value[1]
    inside = [_lengths(part, char, flags) for part in _parts(kind, value)]
    if kind in (codes.BRANCH, codes.SUBPATTERN):
        return set().union(*inside)
    if kind is codes.ATOMIC_GROUP:
        return set(sorted(inside[0])[-1:])
    if kind in (*REPEATS, codes.POSSESSIVE_REPEAT):
        found, so_far = set[int](), {0}
        for times in range(min(int(value[1]), LONGEST) + 1):
            found |= so_far if times >= value[0] else set()
            so_far = _sums(so_far, inside[0])
        return found if kind in REPEATS else set(sorted(found)[-1:])
    return {0}  # assertions, anchors, back references


@cache
def _taken(kind: Any, value: Any, flags: int) -> frozenset[str]:
    """The characters that a part of one character takes."""
    one = parser.SubPattern(parser.State(), [(kind, list(value) if kind is codes.IN else value)])
    compiled = re._compiler.compile(one, flags)  # type: ignore[attr-defined]
    return frozenset(filter(compiled.fullmatch, CHARACTERS))


def _sums(left: set[int], right: set[int]) -> set[int]:
    return {one + other for one in left for other in right if one + other <= LONGEST}


def power(pattern: str, flags: int) -> int:
    """The most repeats that can share one run of characters, each with any part of it."""
    return max((_shared(path) for path in _paths(list(parser.parse(pattern, flags)), flags)), default=0)


Step = tuple[bool, frozenset[str], bool]
"""Whether a part repeats without end, the characters it takes, whether it may be left out."""


def _paths(items: list[tuple[Any, Any]], flags: int) -> list[list[Step]]:
    """The steps of a pattern, by the alternatives taken."""
    paths: list[list[Step]] = [[]]
    for kind, value in items:
        one = value[2][0] if kind in REPEATS and len(value[2]) == 1 else (None, None)
        if kind is codes.BRANCH:
            ways = [path for part in value[1] for path in _paths(list(part), flags)]
        elif kind is codes.SUBPATTERN:
            ways = _paths(list(value[3]), flags | value[1])
        elif kind in REPEATS and value[1] == 1:
            ways = [*_paths(list(value[2]), flags), *([] if value[0] else [[]])]
        else:
            takes = frozenset(char for char in CHARACTERS if _length(kind, value, char, flags) - {0})
            endless = kind in REPEATS and value[1] > 1_000 and one[0] in SINGLE
            ways = [[(endless, takes, 0 in _length(kind, value, "a", flags))]]
        paths = [[*path, *way] for path in paths for way in ways][:500]
    return paths


def _shared(path: list[Step]) -> int:
    """The longest row of endless repeats that take one character, with nothing between them that does not."""
    best = 0
    while path and path[-1][0]:
        path.pop()  # cannot fail
    for start, (endless, taken, _) in enumerate(path):
        if not endless:
            continue
        shared, takes = 1, set(taken)
        for also, others, optional in path[start + 1 :]:
            if not takes & others and not optional:
                break
            if also and takes & others:
                shared += 1
                takes |= others
        best = max(best, shared)
    return best


BAD = [r"(?:a+)*b", r"(?:[ /]?[a-z]{2,}){0,8}=", r"(?:\w+ ?)+\Z", r"(?:a|aa)*b", r"(?:a*)*b", r"(?i:(?:A|a+)+b)"]
GOOD = [
    r"(?:[ /]?[a-z]{2,}+){0,8}=",
    r"(?:\w+ )+\Z",
    r"(?:a|ab)*c",
    r"(?:\w+|\s)*",
    r"(?>a+)*b",
    r"(?:(?:\d,?){3}){2}x",
]


@pytest.mark.parametrize("pattern", BAD)
def test_a_pattern_that_splits_is_found(pattern: str):
    assert splits(pattern, 0)


@pytest.mark.parametrize("pattern", GOOD)
def test_other_patterns_are_not(pattern: str):
    assert not splits(pattern, 0)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\s*\s*\s*x", 3),
        (r"if +([^{}]*(?:[=<>]|le)[^{}]*)\}", 3),
        (r"a*b*c*0", 1),
        (r"\s*+\s*+(?:x|\s*)\s*y", 2),
        (r".*a.*0", 2),
    ],
)
def test_repeats_that_share_a_run_are_counted(pattern: str, expected: int):
    assert power(pattern, 0) == expected


def patterns() -> dict[tuple[str, int], str]:
    """The patterns of the modules that can be imported here, each with its name."""
    found: dict[tuple[str, int], str] = {}
    for package in (rewardkit, harness, sandboxes, trainers):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.endswith("__main__"):
                continue
            # extras; text that runs beside a program
            with contextlib.suppress(ImportError, MissingExtraError, NameError):
                for name, value in vars(importlib.import_module(module.name)).items():
                    for one in () if name == "__builtins__" else _within(value):  # a dictionary that can hold itself
                        found.setdefault((one.pattern, one.flags), f"{module.name}.{name}")
    return found


def _within(value: object) -> Iterator[Any]:
    """The patterns in a value of a module, also in its tables."""
    if isinstance(value, (_Lazy, re.Pattern)) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _within(one)
    elif isinstance(value, dict):
        yield from _within(list(value.values()))


@pytest.mark.long
def test_none_of_our_patterns_splits():
    ours = patterns()
    assert len(ours) > 300
    assert {name: chars for (pattern, flags), name in ours.items() if (chars := splits(pattern, flags))} == {}


@pytest.mark.long
def test_no_three_repeats_of_one_of_our_patterns_share_a_run():
    """Those of `rewardkit attack` read prompts of the user's own, each once."""
    ours = {name: one for one, name in patterns().items() if not name.startswith("rewardkit.attack.")}
    assert {name: pattern for name, (pattern, flags) in ours.items() if power(pattern, flags) > 2} == {}
