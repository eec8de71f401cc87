"""Tests as pytest functions, unittest classes or plain statements: KodCode, Code-R1's and rLLM's `functional`, ClassEval."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from rewardkit.code.asserts import parse_tests
from rewardkit.code.formats import humaneval, leetcode
from rewardkit.code.formats._fields import source
from rewardkit.code.formats._sessions import session_problem, test_names
from rewardkit.code.formats.leetcode import CACHED
from rewardkit.code.problem import Problem
from rewardkit.errors import GroundTruthError

SOURCES = ("pytest", "functional", "unittest", "test", "test_code")
_CHECK = re.compile(r"^check\(([\w.()]+)\)\s*\Z", re.MULTILINE)
"""Code-R1's rows: LeetCodeDataset's or HumanEval's `check` with its call behind it."""
_TESTS = re.compile(r"^(?:(?:async )?def test_(?!check\b)|class \w+\(.*TestCase|class Test)", re.MULTILINE)


def claims(row: Mapping[str, Any]) -> bool:
    """True for a source with tests that pytest or unittest would find, and for one under a name of its own."""
    named = any(isinstance(row.get(name), str) for name in SOURCES[:3])
    return named or any(isinstance(row.get(name), str) and _TESTS.search(str(row[name])) for name in SOURCES[3:])


def read(row: Mapping[str, Any]) -> Problem:
    """One test for each function or method; a source without any is one test as a whole."""
    return _read(source(row, *SOURCES))


@lru_cache(maxsize=CACHED)
def _read(text: str) -> Problem:
    checked = _CHECK.search(text)
    if checked:
        row = {"test": text[: checked.start()], "entry_point": checked[1]}
        return leetcode.read(row) if leetcode.claims(row) else humaneval.read(row)
    tests = test_names(parse_tests(text))
    if not tests and "assert" not in text:
        raise GroundTruthError("the tests hold no test and no assert")
    return session_problem("python_tests", text, each=tests or ("",))
