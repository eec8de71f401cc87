"""Rows whose tests are Python asserts: LeetCodeDataset, HumanEval, MBPP and their kin."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from rewardkit.code.asserts import Asserts, NotConvertible, convert_check, convert_statements, parse_tests
from rewardkit.code.literals import NotLiteral
from rewardkit.code.made import MADE, made_calls
from rewardkit.code.problem import Problem
from rewardkit.code.stdio import CALL_PRELUDE
from rewardkit.code.syntax import parses
from rewardkit.errors import GroundTruthError

LEETCODE_TOLERANCE = 1e-5
"""LeetCode accepts answers within 1e-5 of its own."""

ASSERT_TOLERANCE = 1e-7
"""For asserts that compare floats with `==`: the tolerance that evalplus gives them."""

CACHED = 128
"""Converted problems kept in memory, for each format: the samples of a GRPO group share one. Large ones take a few MB."""

_LEETCODE_ENTRY = re.compile(r"Solution(?:\(\))?\.([A-Za-z_]\w*)")
_CALLS_ITSELF = re.compile(r"^(?:check|test_check)\(", re.MULTILINE)


def read_leetcode(row: Mapping[str, Any]) -> Problem:
    """A LeetCodeDataset row. Every assert must convert; a row with one that does not is refused."""
    prelude = row.get("import_prefix") or row.get("prompt")
    test, entry = _text(row, "test", "test_code"), _text(row, "entry_point")
    return _leetcode(test, entry, prelude if isinstance(prelude, str) else "")


def read_humaneval(row: Mapping[str, Any]) -> Problem:
    """A HumanEval row, or one of its shape: `test` defines `check(candidate)`, `prompt` begins the program."""
    test = _text(row, "test", "test_code")
    prompt = row.get("prompt")
    entry = row.get("entry_point")
    return _humaneval(test, prompt if isinstance(prompt, str) else "", entry if isinstance(entry, str) else "")


def read_mbpp(row: Mapping[str, Any]) -> Problem:
    """An MBPP row: a list of assert statements, with set-up code in some."""
    statements = [item for name in ("test_list", "challenge_test_list", "assert_case") for item in _list(row, name)]
    imports = [*_list(row, "test_imports"), str(row.get("test_setup_code") or row.get("test_setup") or "")]
    if not statements or not all(isinstance(item, str) for item in statements):
        raise GroundTruthError("test_list holds no assert statements")
    entry = row.get("entry_point")
    setup = "\n".join(str(line) for line in imports if line)
    return _mbpp("\n".join(cast("list[str]", statements)), setup, entry if isinstance(entry, str) else "")


def is_leetcode(row: Mapping[str, Any]) -> bool:
    """True for an entry point that is a method of `Solution`."""
    return bool(_LEETCODE_ENTRY.fullmatch(str(row.get("entry_point") or "").strip()))


@lru_cache(maxsize=CACHED)
def _leetcode(test: str, entry_point: str, prelude: str) -> Problem:
    match = _LEETCODE_ENTRY.fullmatch(entry_point.strip())
    if match is None:
        raise GroundTruthError(f"the entry point {entry_point[:60]!r} is no method of Solution")
    try:
        asserts = convert_check(test, {"candidate", entry_point.strip()})
    except (NotConvertible, NotLiteral) as error:
        raise GroundTruthError(f"refused, since this is not judged by data alone: {error}") from None
    return Problem(
        source="leetcode",
        call_tests=asserts.tests,
        entry_point=f"Solution.{match[1]}",
        prelude=prelude if prelude.strip() and parses(prelude) else CALL_PRELUDE,
        tolerance=LEETCODE_TOLERANCE,
    )


@lru_cache(maxsize=CACHED)
def _humaneval(test: str, prompt: str, entry_point: str) -> Problem:
    if "unittest" in test and "TestCase" in test:
        raise GroundTruthError("unittest classes patch the program's own process, where it could forge the result")
    entry = entry_point or _last_function(prompt)
    if not entry.isidentifier():
        raise GroundTruthError(f"the row has no usable entry_point: {entry[:60]!r}")
    head, stub = _split_prompt(prompt, entry) if _is_python(prompt) else ("", "")
    asserts = _converted(test, entry)
    ending = "" if _CALLS_ITSELF.search(test) or "def check" not in test else "\ncheck(candidate)\n"
    return Problem(
        source="humaneval",
        call_tests=asserts.tests if asserts else (),
        driver=None if asserts else f"{_DRIVER_HEAD}{head}\n{test}\n{ending}",
        entry_point=asserts.called if asserts and asserts.called != "candidate" else entry,
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


@lru_cache(maxsize=CACHED)
def _mbpp(statements: str, setup: str, entry_point: str) -> Problem:
    names = {entry_point} if entry_point else set[str]()
    module = parse_tests(statements)
    try:
        if setup:
            raise NotConvertible("the tests need set-up code")
        asserts = convert_statements(module.body, names)
    except (NotConvertible, NotLiteral):
        called = entry_point or _first_call(module)
        made = made_calls(module.body, called)
        if made is not None:
            epilogue = f"{setup}\n{made.source}"
            return Problem(
                source="mbpp",
                call_tests=made.tests,
                entry_point=MADE,
                epilogue=epilogue,
                imports=_imports(setup),
                tolerance=ASSERT_TOLERANCE,
            )
        driver = f"{_DRIVER_HEAD}{setup}\n{statements}\n"
        return Problem(source="mbpp", driver=driver, entry_point=called)
    return Problem(
        source="mbpp",
        call_tests=asserts.tests,
        entry_point=asserts.called,
        tolerance=ASSERT_TOLERANCE,
    )


_DRIVER_HEAD = """\
import random as _random
_random.seed(0)
del _random
import collections, itertools, math, random, re, string, sys

"""
"""Before a trusted test program, never before a submission. A test that draws random inputs draws the same ones each time; the
asserts of some MBPP rows use a module that only the reference imports (`sys` in 596)."""


def _is_python(prompt: str) -> bool:
    """True for a prompt that begins a program; prose is no prelude."""
    return parses(prompt) or parses(prompt.rstrip() + "\n    pass\n")


def _split_prompt(prompt: str, entry: str) -> tuple[str, str]:
    """What stands before the entry point (imports, helpers), and the whole prompt where it has the entry point."""
    starts = list(re.finditer(rf"^(?:async[ \t]+)?def[ \t]+{re.escape(entry)}\b", prompt, re.MULTILINE))
    return (prompt[: starts[-1].start()], prompt) if starts else ("", "")


def _prelude(head: str, entry: str) -> str:
    """The prompt's imports and helpers, without the name of the entry point: only the program defines that."""
    return f"{head}\nglobals().pop({entry!r}, None)\n" if head.strip() else ""


def _last_function(prompt: str) -> str:
    names = re.findall(r"^(?:async[ \t]+)?def[ \t]+([A-Za-z_]\w*)", prompt, re.MULTILINE)
    return names[-1] if names else ""


def _imports(setup: str) -> str:
    """The imports of set-up code. A row whose set-up code does not parse is refused: behind a program, it would be the program's error."""
    statements = [item for item in parse_tests(setup).body if isinstance(item, (ast.Import, ast.ImportFrom))]
    return "".join(f"{ast.unparse(item)}\n" for item in statements)


def _first_call(module: ast.Module) -> str:
    """The first function that the asserts call and Python does not provide; else the first one at all."""
    calls = [
        node.func.id for node in ast.walk(module) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    if not calls:
        raise GroundTruthError("the asserts call no function")
    return next((name for name in calls if not hasattr(builtins, name)), calls[0])


def _text(row: Mapping[str, Any], *names: str) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value
    raise GroundTruthError(f"the row has no {' or '.join(names)}")


def _list(row: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = row.get(name)
    return cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else ()
