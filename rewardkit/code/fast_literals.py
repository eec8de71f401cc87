"""The commonest tests of all, read without a syntax tree: `def check(candidate):` and below it nothing but lines of the form
`assert candidate(name = value, ...) == value`, with values that JSON and Python spell alike.

Nothing is guessed here: each line is taken whole, or the source goes to the reader that knows all of Python.
"""

from __future__ import annotations

import json
import keyword
import re
from typing import Any, NoReturn, cast

__all__ = ["FastTest", "read_fast"]

FastTest = tuple[tuple[Any, ...], dict[str, Any], Any]
"""Arguments, named arguments, and the value to be returned."""

HEAD = "def check(candidate):\n"
CALL = "    assert candidate("
FOREIGN = re.compile(r"[\\\r\t\f\0]")
"""A source with one of these is not for this reader: they mean something else to Python than to JSON."""
DEEP = 80
"""More brackets than this in a line could be nested as deep as literals may not be."""
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]*) ?= ?")
_WORD = re.compile(r"(True|False|None)\b")
_WORDS = {"True": True, "False": False, "None": None}


def read_fast(source: str) -> list[FastTest] | None:
    r"""The calls and what they must return; None if the source has anything else in it.

    >>> read_fast("def check(candidate):\n    assert candidate(n = 2, rows = [[1], [-1.5]]) == 'a'")
    >>> read_fast("def check(candidate):\n    assert candidate(n = 2, rows = [[1], [-1.5]]) == True")
    [((), {'n': 2, 'rows': [[1], [-1.5]]}, True)]
    """
    if not source.startswith(HEAD) or not source.isascii() or FOREIGN.search(source):
        return None
    tests: list[FastTest] = []
    for line in source[len(HEAD) :].split("\n"):
        if line.startswith(CALL):
            try:
                test = _read_line(line)
            except (ValueError, IndexError, RecursionError):  # no JSON, cut off, nested too deep
                return None
            if test is None:
                return None
            tests.append(test)
        elif line.strip(" "):
            return None
    return tests or None


def _read_line(line: str) -> FastTest | None:
    args: list[Any] = []
    named: dict[str, Any] = {}
    at = len(CALL)
    while line[at] != ")":
        name = _NAME.match(line, at)
        value, at = _value(line, name.end() if name else at)
        if name is None:
            if named:
                return None  # bad syntax
            args.append(value)
        elif name[1] in named or name[1].startswith("__") or keyword.iskeyword(name[1]):
            return None  # bad syntax, too
        else:
            named[name[1]] = value
        if line[at] == ",":
            at += 2 if line[at + 1] == " " else 1
            if line[at] == ")":
                return None
    if not line.startswith(") == ", at):
        return None
    value, at = _value(line, at + len(") == "))
    if at != len(line):
        return None
    if line.count("[") + line.count("{") > DEEP and max(map(_depth, (*args, *named.values(), value))) > DEEP:
        return None
    return tuple(args), named, value


def _value(line: str, at: int) -> tuple[Any, int]:
    word = _WORD.match(line, at)
    return (_WORDS[word[1]], word.end()) if word else _scan(line, at)


def _refuse(_constant: str) -> NoReturn:
    raise ValueError("no literal of Python")


_scan = json.JSONDecoder(parse_constant=_refuse).raw_decode


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        value = list(cast("dict[str, Any]", value).values())
    return 1 + max(map(_depth, cast("list[Any]", value)), default=0) if isinstance(value, list) else 0
