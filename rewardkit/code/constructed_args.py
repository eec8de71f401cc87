"""Asserts whose arguments are not literals (an object of the program's own class, a type): the call is made in the box
and only its result comes out. The expected value, which must be a literal, stays here.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from rewardkit.code.literals import NotLiteral, literal
from rewardkit.code.problem import CallTest, Expectation
from rewardkit.code.remote import behind

CONSTRUCTED = "_rewardkit_constructed"
"""The function that makes the call of a given number; it is defined behind the program."""

_WRAPPERS = frozenset({"float", "int", "len", "list", "round", "set", "sorted", "str", "tuple"})


@dataclass(frozen=True)
class ConstructedCalls:
    """Source that defines `CONSTRUCTED`, and the tests that call it with 0, 1, 2 and so on."""

    source: str
    tests: tuple[CallTest, ...]


def constructed_calls(statements: Sequence[ast.stmt], entry: str) -> ConstructedCalls | None:
    """The asserts as calls made in the box; None if one is not of the form `entry(...) == literal`.

    The left side may hold nothing that compares: a comparison made beside the program could be fooled by it.
    """
    calls: list[str] = []
    tests: list[CallTest] = []
    for statement in statements:
        match statement:
            case ast.Assert(test=ast.Compare(left=ast.Call() as call, ops=[ast.Eq()], comparators=[right])):
                pass
            case _:
                return None
        if not _is_plain_call(call, entry):
            return None
        try:
            expected = Expectation.of(literal(right))
        except NotLiteral:
            return None
        tests.append(CallTest.of((len(calls),), {}, expected))
        calls.append(ast.unparse(call))
    source = f"""\
def {CONSTRUCTED}(number):
    import builtins
    return eval({calls!r}[number], {{name: held for name, held in _program.items() if not hasattr(builtins, name) or name == {entry!r}}})
"""
    return ConstructedCalls(behind(source, CONSTRUCTED), tuple(tests)) if tests else None


def _is_plain_call(call: ast.Call, entry: str) -> bool:
    """True for a call of the entry point, perhaps inside `int(...)` and its kind, without any comparison in it."""
    if any(isinstance(node, (ast.Compare, ast.BoolOp, ast.Lambda, ast.NamedExpr)) for node in ast.walk(call)):
        return False
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name == entry:
        return True
    inner = call.args[0] if len(call.args) == 1 and not call.keywords else None
    return name in _WRAPPERS and isinstance(inner, ast.Call) and _is_plain_call(inner, entry)
