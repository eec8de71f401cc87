"""LeetCodeDataset: `test` defines `check(candidate)` for a method of `Solution`. Every assert must convert to a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rewardkit.code.asserts import NotConvertible, convert_check
from rewardkit.code.compare import DEFAULT_TOLERANCE
from rewardkit.code.formats._calls import CALL_PRELUDE
from rewardkit.code.formats._fields import Unsupported, source
from rewardkit.code.literals import NotLiteral
from rewardkit.code.problem import Problem
from rewardkit.code.syntax import parses
from rewardkit.errors import GroundTruthError

_ENTRY = re.compile(r"Solution(?:\(\))?\.([A-Za-z_]\w*)")


def claims(row: Mapping[str, Any]) -> bool:
    """True for asserts on a method of `Solution`."""
    return isinstance(row.get("test") or row.get("test_code"), str) and bool(_ENTRY.fullmatch(_entry_of(row)))


def read(row: Mapping[str, Any]) -> Problem:
    """A row with one assert that is no data is refused whole."""
    prelude = row.get("import_prefix") or row.get("prompt")
    return _read(source(row, "test", "test_code"), _entry_of(row), prelude if isinstance(prelude, str) else "")


def _entry_of(row: Mapping[str, Any]) -> str:
    return str(row.get("entry_point") or "").strip()


def _read(test: str, entry_point: str, prelude: str) -> Problem:
    try:
        asserts = convert_check(test, {"candidate", entry_point})
    except (NotConvertible, NotLiteral) as error:
        raise GroundTruthError(f"refused, since this is not judged by data alone: {error}") from None
    if all(case.expected.value is None for case in asserts.tests):
        raise Unsupported("a method that returns nothing, whose tests do not say what it changes")
    return Problem(
        source="leetcode",
        call_tests=asserts.tests,
        entry_point=f"Solution.{entry_point.rpartition('.')[2]}",
        prelude=prelude if prelude.strip() and parses(prelude) else CALL_PRELUDE,
        tolerance=DEFAULT_TOLERANCE,
    )
