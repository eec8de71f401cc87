"""Python literals from data sets, read from their syntax tree: nothing is evaluated, imported or called."""

from __future__ import annotations

import ast
import operator
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from rewardkit.errors import GroundTruthError, clip
from sandboxes.values import BinaryTree, LinkedList

MAX_DEPTH = 90
"""Deeper nesting is refused, below the bound of the values that can be sent into a box."""
MAX_ITEMS = 4_000_000
"""A literal such as `[0] * 10**6` may spell more items than it has characters; beyond this it is refused."""
MAX_BITS = 40_000
"""Integers with more bits are refused."""


class NotLiteral(GroundTruthError):  # noqa: N818 - a fact about an expression, caught by those who can do without it
    """The expression is not a literal."""


def literal(node: ast.expr) -> Any:
    """The value that a literal spells; `NotLiteral` for anything else.

    Besides Python's literals: `list_node([...])`, `tree_node([...])`, `float("inf")`, `inf`, `set([...])` and its kind, and
    arithmetic on numbers (`10**9 + 7`, `[0] * 5`).

    >>> literal(ast.parse("[1, (-2, {'a': 2**10})]", mode="eval").body)
    [1, (-2, {'a': 1024})]
    """
    return _value(node, 0)


def tree(values: Sequence[Any]) -> BinaryTree | None:
    """The tree that LeetCode's level order spells, without entries that hang nowhere; None if it has no root."""
    if not values:
        return None
    kept: list[Any] = [values[0]]
    parents = deque([True])
    index = 1
    while parents and index < len(values):
        parents.popleft()
        for value in values[index : index + 2]:
            kept.append(value)
            if value is not None:
                parents.append(True)
        index += 2
    while kept and kept[-1] is None:
        kept.pop()
    return BinaryTree(kept) if kept else None


def _value(node: ast.expr, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise NotLiteral(f"a literal is nested deeper than {MAX_DEPTH}")
    if isinstance(node, ast.Constant) and node.value is not ...:
        return node.value
    if isinstance(node, ast.List):
        return [_value(item, depth + 1) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple([_value(item, depth + 1) for item in node.elts])
    if isinstance(node, ast.UnaryOp):
        return _made(node, _SIGNS[type(node.op)], _value(node.operand, depth + 1))
    if isinstance(node, ast.Dict):
        return _dict(node, depth)
    if isinstance(node, ast.Set):
        return _made(node, set, [_value(item, depth + 1) for item in node.elts])
    if isinstance(node, ast.Call):
        return _call(node, depth)
    if isinstance(node, ast.BinOp):
        return _binary(node, depth)
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.Attribute) and ast.unparse(node) in _NAMES:
        return _NAMES[ast.unparse(node)]
    raise _refused(node)


def _refused(node: ast.expr) -> NotLiteral:
    return NotLiteral(f"not a literal: {clip(ast.unparse(node))}")


def _made(node: ast.expr, make: Callable[..., Any], *values: Any) -> Any:
    try:
        return make(*values)
    except (TypeError, ValueError, ArithmeticError):
        raise _refused(node) from None


_NAMES: dict[str, Any] = {
    "inf": float("inf"),
    "nan": float("nan"),
    "math.inf": float("inf"),
    "math.nan": float("nan"),
    "null": None,
    "true": True,
    "false": False,
}


def _dict(node: ast.Dict, depth: int) -> dict[Any, Any]:
    pairs: list[tuple[Any, Any]] = []
    for key, item in zip(node.keys, node.values, strict=True):
        if key is None:
            raise NotLiteral("a dictionary with ** is not a literal")
        pairs.append((_value(key, depth + 1), _value(item, depth + 1)))
    return _made(node, dict, pairs)


def _call(node: ast.Call, depth: int) -> Any:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if node.keywords or len(node.args) > 1 or name not in CALLS:
        raise _refused(node)
    return _made(node, CALLS[name], *[_value(arg, depth + 1) for arg in node.args])


def _nodes(make: Callable[[Any], Any]) -> Callable[..., Any]:
    """What makes nodes of a list, and None of an empty one."""

    def made(values: Any = ()) -> Any:
        if not isinstance(values, (list, tuple)):
            raise TypeError("nodes are made of a list")
        return make(values) if values else None

    return made


CALLS: dict[str, Callable[..., Any]] = {
    "float": float,
    "frozenset": frozenset,
    "list": list,
    "list_node": _nodes(LinkedList),
    "set": set,
    "tree_node": _nodes(tree),
    "tuple": tuple,
}
"""What may be called in a literal."""


def _binary(node: ast.BinOp, depth: int) -> Any:
    left, right = _value(node.left, depth + 1), _value(node.right, depth + 1)
    work = _OPERATORS.get(type(node.op))
    if work is None or not _is_bounded(node.op, left, right):
        raise _refused(node)
    return _made(node, work, left, right)


_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
    ast.Pow: lambda left, right: left**right,
    ast.LShift: lambda left, right: left << right,
}
_SIGNS: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: lambda value: value ^ -1,  # `~True` warns
}


def _is_bounded(op: ast.operator, left: Any, right: Any) -> bool:
    """False if the result could be huge, or if `%` would format text."""
    numbers = isinstance(left, (int, float, complex)) and isinstance(right, (int, float, complex))
    if isinstance(left, int) and isinstance(right, int):
        bits = max(left.bit_length(), 1)
        if isinstance(op, ast.Pow):
            return abs(right) * bits <= MAX_BITS
        if isinstance(op, ast.LShift):
            return 0 <= right <= MAX_BITS and bits <= MAX_BITS
        return bits <= MAX_BITS and right.bit_length() <= MAX_BITS
    if numbers:
        return not isinstance(op, ast.LShift)
    if isinstance(op, ast.Mult):
        sized, times = (left, right) if isinstance(right, int) else (right, left)
        return isinstance(times, int) and isinstance(sized, (list, tuple, str)) and len(sized) * times <= MAX_ITEMS  # pyright: ignore[reportUnknownArgumentType]
    return isinstance(op, ast.Add) and isinstance(left, (list, tuple, str)) and type(left) is type(right)  # pyright: ignore[reportUnknownArgumentType]
