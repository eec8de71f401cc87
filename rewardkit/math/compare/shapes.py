"""One shape for what can be written in several: plus-minus as a list, lists of lists as matrices, signs taken off."""

from __future__ import annotations

import itertools
import math

from flint import fmpq

from rewardkit.math.compare.names import is_label
from rewardkit.math.latex.tree import Cond, Matrix, Node, Num, Op, Ratio, Rel, Seq, SetOp, Sym
from rewardkit.math.latex.walk import facts

SCALARS = (Num, Sym, Op, Ratio)
"""The kinds of numbers and expressions; a tuple, since a union is built anew at each call."""


def is_scalar(node: Node) -> bool:
    """Whether `node` is a number or an expression."""
    return isinstance(node, SCALARS)


def unnamed_point(node: Node) -> Node:
    """The coordinates of P(2, 3); another node as it is."""
    if isinstance(node, Op):
        first, last = node.args[0], node.args[-1]
        if node.name == "mul" and isinstance(first, Sym) and first.name[:1].isupper() and isinstance(last, Seq):
            return last if (last.opened, last.closed) == ("(", ")") and len(last.items) > 1 else node
        if node.name.startswith("call:") and node.name[5:6].isupper() and len(node.args) in {2, 3}:
            return Seq("(", ")", node.args)
    return node


def bare(node: Node) -> Node:
    """`node` without conditions that only say over what letters run."""
    while True:
        if isinstance(node, Cond) and node.universal:
            node = node.value
        elif isinstance(node, Seq) and not node.opened and len(node.items) == 1:
            node = node.items[0]
        else:
            return node


def single(node: Node) -> Node:
    """`node` without a list of one around it."""
    while isinstance(node, Seq) and not node.opened and len(node.items) == 1:
        node = node.items[0]
    return node


def spread(node: Node) -> Node:
    """Plus-minus written out: 1 ± 2 is the list -1, 3; in a list each member is written out."""
    if isinstance(node, Op) and has_sign(node):
        return Seq("", "", _both_signs(node), either=True)
    if isinstance(node, Rel) and node.ops == ("equiv", "mod") and has_sign(node.args[1]):
        both = (Rel(node.ops, (node.args[0], _signed(node.args[1], sign), node.args[2])) for sign in (1, -1))
        return Seq("", "", tuple(both), either=True)
    if isinstance(node, Rel) and node.ops == ("=",) and has_sign(node.args[1]) and is_label(node.args[0]):
        return Seq("", "", tuple(Rel(("=",), (node.args[0], one)) for one in _both_signs(node.args[1])))
    if (
        isinstance(node, Rel)
        and node.ops == ("=",)
        and isinstance(node.args[0], Op)
        and has_sign(node.args[1])
        and not has_sign(node.args[0])
    ):
        both = _both_signs(node.args[1])
        return Seq("", "", tuple(Rel(("=",), (node.args[0], one)) for one in both), either=True)
    if isinstance(node, Rel) and node.ops == ("!=",) and has_sign(node.args[1]):
        return Seq("", "", tuple(Rel(("!=",), (node.args[0], one)) for one in _both_signs(node.args[1])), both=True)
    if isinstance(node, Rel) and node.ops == ("=",) and has_sign(node.args[0]) and not has_sign(node.args[1]):
        return Seq("", "", tuple(Rel(("=",), (_signed(node.args[0], sign), node.args[1])) for sign in (1, -1)))
    if isinstance(node, Seq) and node.opened in {"", "{"} and any(has_sign(bare(one)) for one in node.items):
        items: list[Node] = []
        for one in node.items:
            wide = spread(bare(one))
            items.extend(wide.items if isinstance(wide, Seq) and not wide.opened else (wide,))
        return Seq(node.opened, node.closed, tuple(items), node.either)
    if isinstance(node, Seq) and node.opened == "(" and any(has_sign(one) for one in node.items):
        points = [_combinations(one) for one in node.items]
        if (
            sum(len(one) > 1 for one in points) > 1
            and math.prod(map(len, points)) <= MAX_SIGNED
            and not any(map(_minus_first, node.items))
        ):
            return Seq("", "", tuple(Seq("(", ")", one) for one in itertools.product(*points)))
        return Seq("", "", (_signed(node, 1), _signed(node, -1)))
    return node


def _minus_first(node: Node) -> bool:
    return "mp" in facts(node).operations


def as_matrix(node: Node) -> Matrix | None:
    """A matrix, also one written as a list of lists."""
    if isinstance(node, Matrix):
        return node
    if isinstance(node, Op):
        return matrix_value(node)
    if isinstance(node, Seq) and (node.opened, node.closed) == ("[", "]") and node.items:
        rows: list[tuple[Node, ...]] = []
        for one in node.items:
            if not (isinstance(one, Seq) and (one.opened, one.closed) == ("[", "]") and one.items):
                return None
            rows.append(one.items)
        return Matrix("matrix", tuple(rows)) if len({len(row) for row in rows}) == 1 else None
    return None


def matrix_value(node: Op) -> Matrix | None:
    """Sums, products and multiples of matrices, worked out."""
    parts = [as_matrix(one) if isinstance(one, (Matrix, Op)) else None for one in node.args]
    if not any(parts) or len(parts) > 2:
        return None
    first = parts[0]
    if node.name == "neg" and first is not None:
        return _scaled(first, Num(fmpq(-1)))
    second = parts[1] if len(parts) == 2 else None
    if node.name == "add" and first is not None and second is not None and shape(first) == shape(second):
        pairs = zip(first.rows, second.rows, strict=True)
        return Matrix("matrix", tuple(tuple(Op("add", both) for both in zip(a, b, strict=True)) for a, b in pairs))
    if node.name == "div" and first is not None and second is None:
        return _scaled(first, Op("div", (Num(fmpq(1)), node.args[1])))
    if node.name == "mul" and (first is None or second is None):
        return (
            _scaled(first, node.args[1])
            if first is not None
            else _scaled(second, node.args[0])
            if second is not None
            else None
        )
    if node.name == "mul" and first is not None and second is not None and shape(first)[1] == shape(second)[0] <= 8:
        columns = tuple(zip(*second.rows, strict=True))
        return Matrix("matrix", tuple(tuple(_dot(row, column) for column in columns) for row in first.rows))
    return None


def shape(node: Matrix) -> tuple[int, int]:
    """(rows, columns) of a matrix."""
    return len(node.rows), len(node.rows[0])


def _scaled(node: Matrix, factor: Node) -> Matrix:
    return Matrix(node.kind, tuple(tuple(Op("mul", (factor, cell)) for cell in row) for row in node.rows))


def _dot(left: tuple[Node, ...], right: tuple[Node, ...]) -> Node:
    total: Node = Num(fmpq(0))
    for a, b in zip(left, right, strict=True):
        total = Op("add", (total, Op("mul", (a, b))))
    return total


def parts_of(node: SetOp) -> tuple[Node, ...]:
    """The members of a chain of one set operation."""
    found: list[Node] = []
    for one in node.args:
        if isinstance(one, SetOp) and one.name == node.name:
            found.extend(parts_of(one))
        else:
            found.append(one)
    return tuple(found)


def has_sign(node: Node) -> bool:
    """Whether a plus-minus stands in a number or an expression, behind a label or in a point."""
    if isinstance(node, Op):
        return not _SIGNS.isdisjoint(facts(node).operations) and (
            node.name in _SIGNS or any(has_sign(one) for one in node.args)
        )
    if isinstance(node, Rel):
        return node.ops == ("=",) and is_label(node.args[0]) and has_sign(node.args[1])
    return isinstance(node, Seq) and node.opened == "(" and any(has_sign(one) for one in node.items)


_SIGNS = frozenset({"pm", "mp"})


def _both_signs(node: Node) -> tuple[Node, ...]:
    """The values of a term with signs of both kinds: two, or all combinations where there are several plus-minus and no minus-plus."""
    if isinstance(node, Op) and "mp" not in facts(node).operations:
        found = _combinations(node)
        if len(found) <= MAX_SIGNED:
            return found
    return _signed(node, 1), _signed(node, -1)


MAX_SIGNED = 8
"""So many combinations of signs are written out."""


def _combinations(node: Node) -> tuple[Node, ...]:
    if not isinstance(node, Op):
        return (node,)
    parts = [_combinations(one) for one in node.args]
    if node.name != "pm" and all(len(one) == 1 for one in parts):
        return (node,)
    if math.prod(map(len, parts)) > MAX_SIGNED:
        return (node,) * (MAX_SIGNED + 1)
    found: list[Node] = []
    for args in itertools.product(*parts):
        if node.name == "pm":
            found.extend((_added(*args), _added(args[0], Op("neg", (args[1],)))))
        else:
            found.append(Op(node.name, args))
    return tuple(found)


def _signed(node: Node, sign: int) -> Node:
    if isinstance(node, Op):
        args = tuple(_signed(one, sign) for one in node.args)
        if node.name in {"pm", "mp"}:
            plus = (node.name == "pm") == (sign > 0)
            return _added(args[0], args[1] if plus else Op("neg", (args[1],)))
        return Op(node.name, args)
    if isinstance(node, Seq):
        return Seq(node.opened, node.closed, tuple(_signed(one, sign) for one in node.items), node.either)
    return node


def _added(left: Node, right: Node) -> Node:
    """A sum, of which nothing is left out but a 0 in front of a sign."""
    if left != Num(fmpq(0)):
        return Op("add", (left, right))
    if isinstance(right, Op) and right.name == "neg" and isinstance(point := right.args[0], Seq):  # ±(1, 2)
        return Seq(point.opened, point.closed, tuple(Op("neg", (one,)) for one in point.items))
    return right


def percent_of(node: Node) -> Node | None:
    """What stands before a percent sign."""
    if isinstance(node, Op):
        if node.name == "pct":
            return node.args[0]
        if node.name == "neg" and (inside := percent_of(node.args[0])) is not None:
            return Op("neg", (inside,))
    return None


def degrees_of(node: Node) -> Node | None:
    """What stands before a degree sign."""
    if isinstance(node, Op):
        if node.name == "deg":
            return node.args[0]
        if node.name in {"neg", "add"}:
            inside = [degrees_of(one) for one in node.args]
            if all(one is not None for one in inside):
                return Op(node.name, tuple(one for one in inside if one is not None))
        if node.name == "mul" and (last := degrees_of(node.args[1])) is not None:
            return Op("mul", (node.args[0], last))
    return None


def without_letter_unit(node: Node, unit: str) -> Node | None:
    """3 m with m read as a variable, against a value in metres."""
    if isinstance(node, Op) and node.name == "mul":
        last = node.args[1]
        if isinstance(last, Sym) and last.name == unit:
            return node.args[0]
        if (
            isinstance(last, Op)
            and last.name == "pow"
            and isinstance(last.args[0], Sym)
            and isinstance(last.args[1], Num)
            and f"{last.args[0].name}^{last.args[1].value}" == unit
        ):
            return node.args[0]
    return None
