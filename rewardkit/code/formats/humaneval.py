"""HumanEval and rows of its shape: `test` defines `check(candidate)`, `prompt` begins the program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rewardkit.code.asserts import Asserts, NotConvertible, convert_check
from rewardkit.code.formats._fields import is_name, source
from rewardkit.code.formats._sessions import session_problem
from rewardkit.code.literals import NotLiteral
from rewardkit.code.problem import Problem
from rewardkit.code.syntax import parses
from rewardkit.errors import GroundTruthError, quoted

ASSERT_TOLERANCE = 1e-7
"""For asserts that compare floats with `==`: the tolerance that evalplus gives them."""

DRIVER_HEAD = """\
import random as _random
_random.setstate(_random.Random(0).getstate())
del _random
import collections, itertools, math, random, re, string, sys

"""
"""Before a trusted test program, never before a submission. A test that draws random inputs draws the same ones each time; the
asserts of some MBPP rows use a module that only the reference imports (`sys` in 596)."""

_FUNCTION = re.compile(r"^(?:async[ \t]+)?def[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
_CALLS_ITSELF = re.compile(r"^(?:check|test_check)\(", re.MULTILINE)


def claims(row: Mapping[str, Any]) -> bool:
    """True for a row whose `test` is source text."""
    return isinstance(row.get("test") or row.get("test_code"), str)


def read(row: Mapping[str, Any]) -> Problem:
    """Calls if the asserts are data, else a test program in a box of its own."""
    test = source(row, "test", "test_code")
    prompt = row.get("prompt")
    return _read(test, prompt if isinstance(prompt, str) else "", entry_of(row))


def entry_of(row: Mapping[str, Any]) -> str:
    """The function that a row names, or else the last one that its prompt begins; empty if there is none."""
    entry, prompt = row.get("entry_point"), row.get("prompt")
    if isinstance(entry, str) and entry:
        return entry
    names = _FUNCTION.findall(prompt) if isinstance(prompt, str) else []
    return names[-1] if names else ""


def _read(test: str, prompt: str, entry: str) -> Problem:
    if not is_name(entry):
        raise GroundTruthError(f"the row has no usable entry_point: {quoted(entry)}")
    head, stub = _split_prompt(prompt, entry) if _is_python(prompt) else ("", "")
    asserts = _converted(test, entry)
    if asserts is None:
        ending = "" if _CALLS_ITSELF.search(test) or "def check" not in test else "\ncheck(candidate)\n"
        setup = f"{DRIVER_HEAD}{head}"
        return session_problem(
            "humaneval", test + ending, entry=entry, prelude=_prelude(head, entry), stub=stub, setup=setup
        )
    return Problem(
        source="humaneval",
        call_tests=asserts.tests,
        entry_point=asserts.called if asserts.called != "candidate" else entry,
        prelude=_prelude(head, entry),
        stub=stub,
        tolerance=ASSERT_TOLERANCE,
    )


def _converted(test: str, entry: str) -> Asserts | None:
    """The asserts as calls of the entry point, or of the one other function that all of them call; else None."""
    for names in ({"candidate", entry}, set[str]()):
        try:
            return convert_check(test, names)
        except (NotConvertible, NotLiteral):
            continue
    return None


def _is_python(prompt: str) -> bool:
    """True for a prompt that begins a program; prose is no prelude."""
    return parses(prompt) or parses(prompt.rstrip() + "\n    pass\n")


def _split_prompt(prompt: str, entry: str) -> tuple[str, str]:
    """What stands before the entry point (imports, helpers), and the whole prompt if it has the entry point."""
    starts = list(re.finditer(rf"^(?:async[ \t]+)?def[ \t]+{re.escape(entry)}\b", prompt, re.MULTILINE))
    return (prompt[: starts[-1].start()], prompt) if starts else ("", "")


def _prelude(head: str, entry: str) -> str:
    """The prompt's imports and helpers, without the name of the entry point: only the program defines that."""
    return f"{head}\nglobals().pop({entry!r}, None)\n" if head.strip() else ""
