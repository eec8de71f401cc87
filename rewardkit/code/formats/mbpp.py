"""MBPP: a list of assert statements, with set-up code in some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rewardkit.code.asserts import NotConvertible, convert_statements, parse_tests
from rewardkit.code.formats._sessions import session_problem
from rewardkit.code.formats.humaneval import ASSERT_TOLERANCE, DRIVER_HEAD
from rewardkit.code.literals import NotLiteral
from rewardkit.code.problem import Problem
from rewardkit.errors import GroundTruthError


def claims(row: Mapping[str, Any]) -> bool:
    """True for a row with `test_list`, or verl's `assert_case`."""
    return row.get("test_list") is not None or row.get("assert_case") is not None


def read(row: Mapping[str, Any]) -> Problem:
    """Calls if the asserts are data, else a test program."""
    statements = [item for name in ("test_list", "challenge_test_list", "assert_case") for item in _list(row, name)]
    imports = [*_list(row, "test_imports"), str(row.get("test_setup_code") or row.get("test_setup") or "")]
    if not statements or not all(isinstance(item, str) for item in statements):
        raise GroundTruthError("test_list holds no assert statements")
    entry = row.get("entry_point")
    setup = "\n".join(str(line) for line in imports if line)
    return _read("\n".join(cast("list[str]", statements)), setup, entry if isinstance(entry, str) else "")


def _read(statements: str, setup: str, entry_point: str) -> Problem:
    names = {entry_point} if entry_point else set[str]()
    module = parse_tests(statements)
    try:
        if setup:
            raise NotConvertible("the tests need set-up code")
        asserts = convert_statements(module.body, names)
    except (NotConvertible, NotLiteral):
        return session_problem("mbpp", statements, entry=entry_point, setup=f"{DRIVER_HEAD}{setup}")
    return Problem(
        source="mbpp",
        call_tests=asserts.tests,
        entry_point=asserts.called,
        tolerance=ASSERT_TOLERANCE,
    )


def _list(row: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = row.get(name)
    return cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else ()
