"""One shape for what can be written in several: plus-minus as a list, lists of lists as matrices, signs taken off."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.relations import is_label
from rewardkit.math.tree import Cond, Matrix, Node, Num, Op, Ratio, Rel, Seq, SetOp, Sym

SCALARS = (Num, Sym, Op, Ratio)
"""The kinds of numbers and expressions; a tuple, since a union is built anew at each call."""


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
        return Seq("", "", (_signed(node, 1), _signed(node, -1)), either=True)
    if isinstance(node, Rel) and node.ops == ("equiv", "mod") and has_sign(node.args[1]):
        both = (Rel(node.ops, (node.args[0], _signed(node.args[1], sign), node.args[2])) for sign in (1, -1))
        return Seq("", "", tuple(both), either=True)
    if isinstance(node, Rel) and node.ops == ("=",) and has_sign(node.args[1]) and is_label(node.args[0]):
        return Seq(
            "",
            "",
            (
                Rel(("=",), (node.args[0], _signed(node.args[1], 1))),
                Rel(("=",), (node.args[0], _signed(node.args[1], -1))),
            ),
        )
    if isinstance(node, Seq) and node.opened in {"", "{"} and any(has_sign(bare(one)) for one in node.items):
        items: list[Node] = []
        for one in node.items:
            wide = spread(bare(one))
            items.extend(wide.items if isinstance(wide, Seq) and not wide.opened else (wide,))
        return Seq(node.opened, node.closed, tuple(items), node.either)
    if isinstance(node, Seq) and node.opened == "(" and any(has_sign(one) for one in node.items):
        return Seq("", "", (_signed(node, 1), _signed(node, -1)))
    return node


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
    parts = [as_matrix(one) if isinstance(one, Matrix | Op) else None for one in node.args]
    if not any(parts) or len(parts) > 2:
        return None
    first = parts[0]
    if node.name == "neg" and first is not None:
        return _scaled(first, Num(fmpq(-1)))
    second = parts[1] if len(parts) == 2 else None
    if node.name == "add" and first is not None and second is not None and _shape(first) == _shape(second):
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
    if node.name == "mul" and first is not None and second is not None and _shape(first)[1] == _shape(second)[0] <= 8:
        columns = tuple(zip(*second.rows, strict=True))
        return Matrix("matrix", tuple(tuple(_dot(row, column) for column in columns) for row in first.rows))
    return None


def determinant(node: Node) -> Node:
    """The value of a determinant of up to three rows; another node as it is."""
    if not (isinstance(node, Matrix) and node.kind == "det" and len(node.rows) == len(node.rows[0]) <= 3):
        return node
    return _expanded(node.rows)


def _expanded(rows: tuple[tuple[Node, ...], ...]) -> Node:
    if len(rows) == 1:
        return rows[0][0]
    total: Node = Num(fmpq(0))
    for index, cell in enumerate(rows[0]):
        minor = tuple(row[:index] + row[index + 1 :] for row in rows[1:])
        term = Op("mul", (cell, _expanded(minor)))
        total = Op("add", (total, Op("neg", (term,)) if index % 2 else term))
    return total


def worked_out(node: Node) -> Node:
    """`node` with its matrices worked out."""
    return (
        (matrix_value(node) or node)
        if isinstance(node, Op) and any(isinstance(one, Matrix | Op) for one in node.args) and _holds_matrix(node)
        else node
    )


def _holds_matrix(node: Node) -> bool:
    """`node` with its matrices worked out."""
    return isinstance(node, Matrix) or (
        isinstance(node, Op) and node.name in {"add", "mul", "neg", "div"} and any(map(_holds_matrix, node.args))
    )


def _shape(node: Matrix) -> tuple[int, int]:
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


def is_scalar(node: Node) -> bool:
    """Whether `node` is a number or an expression."""
    return isinstance(node, SCALARS)


def has_sign(node: Node) -> bool:
    """Whether `node` is a number or an expression."""
    if isinstance(node, Op):
        return node.name in {"pm", "mp"} or any(has_sign(one) for one in node.args)
    if isinstance(node, Rel):
        return node.ops == ("=",) and is_label(node.args[0]) and has_sign(node.args[1])
    return isinstance(node, Seq) and node.opened == "(" and any(has_sign(one) for one in node.items)


def _signed(node: Node, sign: int) -> Node:
    if isinstance(node, Op):
        args = tuple(_signed(one, sign) for one in node.args)
        if node.name in {"pm", "mp"}:
            plus = (node.name == "pm") == (sign > 0)
            return Op("add", (args[0], args[1] if plus else Op("neg", (args[1],))))
        return Op(node.name, args)
    if isinstance(node, Seq):
        return Seq(node.opened, node.closed, tuple(_signed(one, sign) for one in node.items), node.either)
    return node


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
