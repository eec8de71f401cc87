"""Sources that run in boxes, so that tests in one process use functions, classes and objects of a program in another.

`program_side` is put behind the program and answers requests; the others are put before the tests and make names of the
program stand for requests. What crosses is data: numbers, texts, containers, and numbers that stand for objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from textwrap import indent

OBJECTS, IN_PROCESS, TALK = "_rewardkit_objects", "_rewardkit_tests", "_rewardkit_talk"
"""What answers requests behind the program: of tests elsewhere, to run tests there, or to talk to the program as a script."""

_PARTS = {OBJECTS: ("data", "questions", "program_side"), IN_PROCESS: ("mini_pytest", "in_process")}

CROSSING = frozenset(
    [
        "abc", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools",
        "hashlib", "heapq", "io", "itertools", "json", "math", "numbers", "numpy", "operator", "pytest", "random", "re", "statistics",
        "string", "sys", "textwrap", "time", "types", "typing", "unittest", "uuid", "__future__",
    ]
)  # fmt: skip
"""What tests may import: modules that act on values, or on streams of the tests' own, so that it is the same on which side of the border they are."""


def behind(source: str, name: str) -> str:
    """What defines a name of a source behind a program. The source is among names of its own, so that those of the program (`list = [1, 2]`)
    mean nothing to it; `_program` holds them.
    """
    return f"""\
{_function(source, name)}import builtins as _rewardkit_builtins
{name} = _rewardkit_behind.__class__(_rewardkit_behind.__code__, {{"__builtins__": _rewardkit_builtins}})(_rewardkit_builtins.globals())
"""


@cache
def support(entry_point: str) -> str:
    """The end of the prelude of such a problem: what its epilogue calls, in a module, so that the program finds no name of ours among its own.

    Preludes are compiled once for all the programs that follow.
    """
    if entry_point not in _PARTS:
        return ""
    source = "\n".join(map(_text, _PARTS[entry_point]))
    return f"""\
{_function(source, entry_point)}import builtins as _rewardkit_builtins, sys as _rewardkit_sys
_rewardkit_sys.modules["_rewardkit_support"] = _rewardkit_sys.__class__("_rewardkit_support")
_rewardkit_sys.modules["_rewardkit_support"].behind = _rewardkit_behind.__class__(_rewardkit_behind.__code__, {{"__builtins__": _rewardkit_builtins}})
del _rewardkit_behind, _rewardkit_builtins, _rewardkit_sys
"""


def epilogue(name: str) -> str:
    """What follows a program whose objects tests use, or beside which they run, where `support` went before it."""
    return f"""\
import builtins as _rewardkit_builtins, _rewardkit_support
{name} = _rewardkit_support.behind(_rewardkit_builtins.globals())
"""


def _function(source: str, name: str) -> str:
    return f"""\
def _rewardkit_behind(_program):
{indent(source, "    ")}
    return {name}
"""


@cache
def test_side() -> str:
    """What goes before tests that use objects of a program elsewhere."""
    parts = ("mini_pytest", "data", "packing", "functions", "live", "classes", "loops", "objects", "session")
    return "\n".join([f"_CROSSING = {sorted(CROSSING)!r}", *map(_text, parts)])


def tools(modules: Iterable[str]) -> str:
    """What goes before such a program, with the modules whose functions tests judge with."""
    imports = "".join(f"try:\n    import {name}\nexcept ImportError:\n    pass\n" for name in modules)
    return f"{imports}{behind(_text('tools'), '_rewardkit_tools')}"


def conversation(interactor: str, given: str, answer: str) -> str:
    """The test program that lets an interactor talk to the program about one input."""
    return f"{_text('conversation')}\n{interactor}\n_converse(interact, {given!r}, {answer!r})\n"


def conversation_by_testlib(given: str, answer: str) -> str:
    """The same for an interactor in C++; behind the binaries of the interactor and, where the row has one, its checker."""
    return f"{_text('conversation_cpp')}\n_converse(_interactor, _checker, {given!r}, {answer!r})\n"


def talking(program: str) -> str:
    """A program as a script that the interactor's side talks to."""
    return f"_rewardkit_source = {program!r}\n{_text('talking')}"


def _text(name: str) -> str:
    return (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
