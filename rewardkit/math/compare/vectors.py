"""Points and vectors: sums and multiples worked out, coordinates along i, j and k, points with a name."""

from __future__ import annotations

from collections.abc import Callable

from flint import fmpq

from rewardkit.math.latex.tree import Node, Num, Op, Ratio, Seq, Sym
from rewardkit.math.latex.walk import substitute, symbols
from rewardkit.math.prove.proof import same_value

SCALARS = (Num, Sym, Op, Ratio)
"""The kinds of numbers and expressions; a tuple, since a union is built anew at each call."""


def is_scalar(node: Node) -> bool:
    """Whether `node` is a number or an expression."""
    return isinstance(node, SCALARS)


def vector_value(node: Node) -> Seq | None:
    """Sums and multiples of points, worked out: (1, 2) + t(3, 4) is (1 + 3t, 2 + 4t)."""
    if isinstance(node, Seq):
        return node if node.opened in {"(", "<"} and len(node.items) > 1 and node.closed in {")", ">"} else None
    if not isinstance(node, Op) or node.name not in {"add", "neg", "mul", "div"}:
        return None
    first, last = vector_value(node.args[0]), vector_value(node.args[-1])
    if node.name == "neg":
        return None if first is None else _each(first, lambda one: Op("neg", (one,)))
    if node.name == "add":
        if first is None or last is None or len(first.items) != len(last.items):
            return None
        pairs = zip(first.items, last.items, strict=True)
        return Seq("(", ")", tuple(Op("add", both) for both in pairs))
    if first is not None and last is None and is_scalar(node.args[1]):
        return _each(first, lambda one: Op(node.name, (one, node.args[1])))
    factor = node.args[0]
    if node.name == "mul" and first is None and last is not None and is_scalar(factor):
        if isinstance(factor, Sym) and factor.name[:1].isupper():
            return None  # P(2, 3) is a point with its name
        return _each(last, lambda one: Op("mul", (factor, one)))
    return None


def unnamed_point(node: Node, other: Node) -> Node:
    """The coordinates of P(2, 3), and of 2i - j where the other side is a tuple; another node as it is."""
    if isinstance(node, Op) and isinstance(other, Seq) and (along := in_basis(node, len(other.items))) is not None:
        return Seq(other.opened, other.closed, along)
    if isinstance(node, Op) and len(node.args) in {2, 3}:
        first, last = node.args[0], node.args[-1]
        if node.name == "mul" and isinstance(first, Sym) and first.name[:1].isupper() and vector_value(last) is last:
            return last
        if node.name.startswith("call:") and node.name[5:6].isupper():
            return Seq("(", ")", node.args)
    return node


def in_basis(node: Node, size: int) -> tuple[Node, ...] | None:
    """The coordinates of a vector along i, j and k: 2i - j + 3k."""
    if size not in {2, 3} or not {"j", "k"} & symbols(node) or (size == 2 and "k" in symbols(node)):
        return None
    zero, one = Num(fmpq(0)), Num(fmpq(1))
    parts = tuple(_at(node, {axis: one if axis == name else zero for axis in "ijk"}) for name in "ijk"[:size])
    total = parts[0]
    for part in parts[1:]:
        total = Op("add", (total, part))
    linear = same_value(_at(node, dict.fromkeys("ijk", zero)), zero) and same_value(
        _at(node, dict.fromkeys("ijk", one)), total
    )
    return parts if linear else None


def _at(node: Node, values: dict[str, Num]) -> Node:
    for name, value in values.items():
        node = substitute(node, name, value)
    return node


def _each(point: Seq, change: Callable[[Node], Node]) -> Seq:
    return Seq("(", ")", tuple(map(change, point.items)))
