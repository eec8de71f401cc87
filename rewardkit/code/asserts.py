"""Assert statements to (call, expected), from the syntax tree alone. What does not convert is never run on the host."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from rewardkit.code.fast_literals import read_fast
from rewardkit.code.literals import CALLS, literal
from rewardkit.code.problem import CallTest, Expectation
from rewardkit.code.syntax import BROKEN, parse
from rewardkit.errors import GroundTruthError, clip

MAX_TEST_CHARS = 32_000_000
"""Longer test sources are refused; the longest published one has 600,000 characters."""

_SAME = frozenset({"is_same_list", "is_same_tree"})


class NotConvertible(GroundTruthError):  # noqa: N818 - caught by formats that have another way
    """A test statement that is not of the form (call, expected)."""


@dataclass(frozen=True)
class Asserts:
    """The converted statements: the name that they call, and the tests in order."""

    called: str
    tests: tuple[CallTest, ...]


def parse_tests(source: str) -> ast.Module:
    """The syntax tree of a test source; `GroundTruthError` if it is none."""
    if len(source) > MAX_TEST_CHARS:
        raise GroundTruthError(f"the test source has {len(source):,} characters, more than {MAX_TEST_CHARS:,}")
    try:
        return parse(source)
    except SyntaxError as error:
        raise GroundTruthError(f"the tests do not parse: {error.msg} (line {error.lineno})") from None
    except BROKEN as error:
        raise GroundTruthError(f"the tests do not parse: {type(error).__name__}") from None


def convert_check(source: str, names: Collection[str]) -> Asserts:
    """The asserts of `def check(candidate): ...`. Around it only constants, imports and calls of `check` may stand."""
    plain = read_fast(source) if names and len(source) <= MAX_TEST_CHARS else None
    if plain is not None:
        return Asserts(
            "candidate", tuple(CallTest.of(args, named, Expectation.of(value)) for args, named, value in plain)
        )
    module = parse_tests(source)
    check = next((node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == "check"), None)
    if check is None:
        return convert_statements(module.body, names)
    for node in module.body:
        if node is not check and not _is_idle(node):
            raise NotConvertible(f"a test statement is not an assert: {_shown(node)}")
    parameters = [argument.arg for argument in check.args.args]
    return convert_statements(check.body, {*names, *parameters[:1]} if names else names)


def convert_statements(statements: Iterable[ast.stmt], names: Collection[str]) -> Asserts:
    """Convert asserts that call one of `names`, or, if `names` is empty, the name that the first one calls."""
    tests: list[CallTest] = []
    called: set[str] = set()
    for statement in statements:
        if not isinstance(statement, ast.Assert):
            if _is_idle(statement):
                continue
            raise NotConvertible(f"a test statement is not an assert: {_shown(statement)}")
        if isinstance(statement.test, ast.Constant) and statement.test.value:
            continue  # assert True, "..."
        test, name = _convert(statement.test, names or called)
        tests.append(test)
        called.add(name)
    if not tests:
        raise NotConvertible("the test has no assert that calls the program")
    return Asserts(next(iter(called)), tuple(tests))


def _convert(test: ast.expr, names: Collection[str]) -> tuple[CallTest, str]:
    """A call and the value that it must equal. Whatever else an assert says depends on what type the program returns: Python says that, in a session."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            pass
        case ast.Call(func=ast.Name(id=name), args=[left, right], keywords=[]) if name in _SAME:
            pass
        case _:
            raise NotConvertible(f"not of the form call == value: {_shown(test)}")
    if not _is_call_of(left, names) and _is_call_of(right, names):
        left, right = right, left
    if not isinstance(left, ast.Call):
        raise NotConvertible(f"not of the form call == value: {_shown(left)}")
    return _call(left, names, Expectation.of(literal(right)))


def _call(call: ast.Call, names: Collection[str], expected: Expectation) -> tuple[CallTest, str]:
    name = _dotted(call.func)
    if names and name not in names:
        raise NotConvertible(f"calls something else than the program: {_shown(call)}")
    if not names and (not name.isidentifier() or _is_wrapper(call)):
        raise NotConvertible(f"not a plain call: {_shown(call)}")
    args: list[Any] = []
    for arg in call.args:
        if isinstance(arg, ast.Starred):
            starred = literal(arg.value)
            if not isinstance(starred, (list, tuple)):
                raise NotConvertible(f"not a plain call: {_shown(call)}")
            args.extend(starred)  # pyright: ignore[reportUnknownArgumentType]
        else:
            args.append(literal(arg))
    kwargs: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise NotConvertible(f"not a plain call: {_shown(call)}")
        kwargs[keyword.arg] = literal(keyword.value)
    return CallTest.of(tuple(args), kwargs, expected), name


def _is_call_of(node: ast.expr, names: Collection[str]) -> bool:
    """True for a call of one of `names`. Without names any call will do that makes no literal."""
    if not isinstance(node, ast.Call):
        return False
    name = _dotted(node.func)
    return name in names if names else name not in CALLS


def _is_wrapper(call: ast.Call) -> bool:
    """True for Python's own function around a call of the program's: `int(f(5))`, but not `sum(10, 15)`."""
    inner = (node for arg in call.args for node in ast.walk(arg) if isinstance(node, ast.Call))
    return hasattr(builtins, _dotted(call.func)) and any(not hasattr(builtins, _dotted(node.func)) for node in inner)


def _dotted(node: ast.expr) -> str:
    """`f` or `Solution().f` as text; empty for anything that is neither a name nor an attribute."""
    if isinstance(node, ast.Name):
        return node.id
    return ast.unparse(node) if isinstance(node, ast.Attribute) else ""


def _is_idle(node: ast.stmt) -> bool:
    """True for statements that test nothing: docstrings, imports, constants, `pass`, calls of the check itself."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Return(value=None):
            return True
        case ast.Expr(value=ast.Constant() | ast.Name()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id="check" | "test_check" | "print"))):
            return True
        case ast.FunctionDef(name="test_check", body=body):
            return all(_is_idle(inner) for inner in body)
        case ast.Assign(targets=[ast.Name(id="METADATA")]):
            return True
        case _:
            return False


def _shown(node: ast.AST) -> str:
    return clip(ast.unparse(node), 70)
