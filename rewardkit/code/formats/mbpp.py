"""MBPP: a list of assert statements, with set-up code in some."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping, Sequence
from typing import Any, cast

from rewardkit.code.asserts import NotConvertible, convert_statements, parse_tests
from rewardkit.code.constructed_args import CONSTRUCTED, constructed_calls
from rewardkit.code.formats._sessions import session_problem
from rewardkit.code.formats.humaneval import ASSERT_TOLERANCE, DRIVER_HEAD
from rewardkit.code.literals import NotLiteral
from rewardkit.code.problem import Problem
from rewardkit.errors import GroundTruthError


def claims(row: Mapping[str, Any]) -> bool:
    """True for a row with `test_list`, or verl's `assert_case`."""
    return row.get("test_list") is not None or row.get("assert_case") is not None


def read(row: Mapping[str, Any]) -> Problem:
    """Calls if the asserts are data; else calls that are made behind the program, or a test program."""
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
        called = entry_point or _first_call(module)
        constructed = constructed_calls(module.body, called)
        if constructed is not None:
            epilogue = f"{setup}\n{constructed.source}"
            return Problem(
                source="mbpp",
                call_tests=constructed.tests,
                entry_point=CONSTRUCTED,
                epilogue=epilogue,
                imports=_imports(setup),
                tolerance=ASSERT_TOLERANCE,
            )
        return session_problem("mbpp", statements, entry=entry_point, setup=f"{DRIVER_HEAD}{setup}")
    return Problem(
        source="mbpp",
        call_tests=asserts.tests,
        entry_point=asserts.called,
        tolerance=ASSERT_TOLERANCE,
    )


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


def _list(row: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = row.get(name)
    return cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else ()
