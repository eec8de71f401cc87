"""Unions of intervals, and the inequalities and equations in one letter that describe them: x < 3, |x - 1| > 2, x^2 < 4."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cmp_to_key

from flint import fmpq

from rewardkit.math.latex.tree import Builder, LimitError, Node, Num, Op, Rel, Seq, SetOp, Sym, Words
from rewardkit.math.latex.walk import facts, infinite, symbols
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.proof import order

MINUS_INFINITY = Op("neg", (Sym("oo"),))
INFINITY = Sym("oo")
MAX_PIECES = 64
"""Unions of more are not put in order."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One interval; a point is closed at both ends, which are the same."""

    low: Node
    high: Node
    low_closed: bool
    high_closed: bool


@dataclass(frozen=True, slots=True)
class RealSet:
    """A union of pieces, with the variable it was said about, if any."""

    pieces: tuple[Piece, ...]
    variable: str | None = None


REALS = RealSet((Piece(MINUS_INFINITY, INFINITY, False, False),))


def canonical(found: RealSet) -> tuple[Piece, ...] | None:
    """The pieces sorted and merged, or None where the ends cannot be ordered."""
    if len(found.pieces) > MAX_PIECES:
        return None
    pieces = list(found.pieces)
    for piece in pieces:
        if order(piece.low, piece.high) is None:
            return None
    undecided = False

    def below(a: Piece, b: Piece) -> int:
        nonlocal undecided
        place = order(a.low, b.low)
        if place is None:
            undecided = True
            return 0
        return place or (int(b.low_closed) - int(a.low_closed))

    pieces.sort(key=cmp_to_key(below))
    if undecided:
        return None
    merged: list[Piece] = []
    for piece in pieces:
        width = order(piece.low, piece.high)
        if width == 1 or (width == 0 and not (piece.low_closed and piece.high_closed)):
            continue
        if merged:
            last = merged[-1]
            gap = order(last.high, piece.low)
            if gap is None:
                return None
            if gap > 0 or (gap == 0 and (last.high_closed or piece.low_closed) and not infinite(last.high)):
                ends = order(last.high, piece.high)
                if ends is None:
                    return None
                high = piece.high if ends < 0 else last.high
                closed = piece.high_closed if ends < 0 else last.high_closed or (ends == 0 and piece.high_closed)
                merged[-1] = Piece(last.low, high, last.low_closed, closed)
                continue
        merged.append(piece)
    return tuple(merged)


def complement(found: RealSet) -> RealSet | None:
    """The rest of the real line."""
    pieces = canonical(found)
    if pieces is None:
        return None
    rest: list[Piece] = []
    low: Node = MINUS_INFINITY
    closed = False
    for piece in pieces:
        rest.append(Piece(low, piece.low, closed, not piece.low_closed))
        low, closed = piece.high, not piece.high_closed
    rest.append(Piece(low, INFINITY, closed, False))
    kept = [
        one
        for one in rest
        if order(one.low, one.high) == -1
        or (order(one.low, one.high) == 0 and one.low_closed and one.high_closed and not infinite(one.low))
    ]
    return RealSet(tuple(kept), found.variable)


def intersect(left: RealSet, right: RealSet) -> RealSet | None:
    """What both hold, or None where ends cannot be ordered."""
    found: list[Piece] = []
    for a in left.pieces:
        for b in right.pieces:
            low, high = order(a.low, b.low), order(a.high, b.high)
            if low is None or high is None:
                return None
            low_node, low_closed = (
                (b.low, b.low_closed) if low < 0 else (a.low, a.low_closed and (low > 0 or b.low_closed))
            )
            high_node, high_closed = (
                (a.high, a.high_closed) if high < 0 else (b.high, b.high_closed and (high > 0 or a.high_closed))
            )
            width = order(low_node, high_node)
            if width is None:
                return None
            if width < 0 or (width == 0 and low_closed and high_closed):
                found.append(Piece(low_node, high_node, low_closed, high_closed))
    return RealSet(tuple(found), left.variable or right.variable)


_FLIP = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}


def solved(node: Rel) -> RealSet | None:
    """The numbers that make an equation, an inequality or a chain of two true; None where they cannot be told."""
    ops, args = node.ops, node.args
    if any(op not in _FLIP for op in ops):
        return None
    if len(ops) == 1:
        return _single(ops[0], args[0], args[1])
    if len(ops) == 2:
        middle = args[1]
        if ops[0] == "=" and isinstance(args[0], Sym) and ops[1] in {"<", "<=", ">", ">="}:
            return None
        if ops[0][0] != ops[1][0] or ops[0] in {"=", "!="}:
            return None
        if not _is_variable(middle):  # -3 < 2x + 1 < 5
            left, right = _single(ops[0], args[0], middle), _single(ops[1], middle, args[2])
            if left is None or right is None or left.variable != right.variable:
                return None
            return intersect(left, right)
        low, high = (args[0], args[2]) if ops[0][0] == "<" else (args[2], args[0])
        low_op, high_op = (ops[0], ops[1]) if ops[0][0] == "<" else (ops[1], ops[0])
        if _mentions(low, middle) or _mentions(high, middle):
            return None
        place = order(low, high)
        if place is not None and place > 0:
            return None
        return RealSet((Piece(low, high, low_op.endswith("="), high_op.endswith("=")),), _name(middle))
    return None


def _single(op: str, left: Node, right: Node) -> RealSet | None:
    if not _is_variable(left) or (_is_variable(right) and not _constant(right) and op != "="):
        if not _is_variable(right) or _is_variable(left):
            return _absolute(op, left, right)
        left, right, op = right, left, _FLIP[op]
    if _mentions(right, left) or isinstance(right, (Seq, SetOp, Builder, Words, Rel)):
        return None
    name = _name(left)
    if op == "=":
        return RealSet((Piece(right, right, True, True),), name)
    if op == "!=":
        return RealSet((Piece(MINUS_INFINITY, right, False, False), Piece(right, INFINITY, False, False)), name)
    if op[0] == "<":
        return RealSet((Piece(MINUS_INFINITY, right, False, op == "<="),), name)
    return RealSet((Piece(right, INFINITY, op == ">=", False),), name)


def roots(node: Rel) -> RealSet | None:
    """The two real roots of an equation of second degree, or the root of one of first degree."""
    return _polynomial("=", *node.args) if node.ops == ("=",) else None


def _absolute(op: str, left: Node, right: Node) -> RealSet | None:
    """|a x + b| < c and |a x + b| > c for a number c >= 0."""
    if not (isinstance(left, Op) and left.name == "abs"):
        left, right, op = right, left, _FLIP[op]
    if not (isinstance(left, Op) and left.name == "abs"):
        return _polynomial(op, left, right) if op != "=" else None
    names = sorted(symbols(left) - {"pi", "e", "i"})
    place = order(right, Num(fmpq(0)))
    if place is None or place < 0 or len(names) != 1:
        return None
    name = names[0]
    inside = left.args[0]
    at = [rational(inside, {name: fmpq(x)}) for x in (0, 1, 2)]
    if at[0] is None or at[1] is None or at[2] is None or at[2] - at[1] != at[1] - at[0] or at[1] == at[0]:
        return None
    slope = Num(at[1] - at[0])
    middle = Num(-at[0] / slope.value)
    half = Op("div", (right, Num(abs(slope.value))))
    low, high = Op("add", (middle, Op("neg", (half,)))), Op("add", (middle, half))
    closed = op.endswith("=")
    if op[0] == "<":
        return RealSet((Piece(low, high, closed, closed),), name)
    if op[0] == ">":
        return RealSet((Piece(MINUS_INFINITY, low, False, closed), Piece(high, INFINITY, closed, False)), name)
    return None


_POLYNOMIAL = frozenset({"add", "mul", "neg", "div", "pow"})


def _polynomial(op: str, left: Node, right: Node) -> RealSet | None:
    """An inequality or equation of first or second degree in one letter, solved: -2x > 6, x^2 < 4."""
    if (
        op not in {"=", "<", "<=", ">", ">="}
        or not isinstance(left, (Num, Sym, Op))
        or not isinstance(right, (Num, Sym, Op))
    ):
        return None
    term = Op("add", (left, Op("neg", (right,))))
    found = facts(term)
    names = found.names - {"pi", "e", "i", "oo"}
    if len(names) != 1 or len(found.names) != 1 or not found.plain or not found.operations <= _POLYNOMIAL:
        return None
    name = next(iter(names))
    try:
        values = [rational(term, {name: fmpq(x)}) for x in range(-3, 4)]
    except (ZeroDivisionError, LimitError):
        return None
    at = [one for one in values if one is not None]
    if len(at) != len(values):
        return None
    second = [at[k] - 2 * at[k + 1] + at[k + 2] for k in range(5)]
    if any(one != second[0] for one in second):
        return None
    a, c = second[0] / 2, at[3]
    b = at[4] - c - a
    closed = op.endswith("=")
    if a == 0:
        if b == 0:
            return None
        end = Num(-c / b)
        if op == "=":
            return RealSet((Piece(end, end, True, True),), name)
        if (op[0] == "<") == (b > 0):
            return RealSet((Piece(MINUS_INFINITY, end, False, closed),), name)
        return RealSet((Piece(end, INFINITY, closed, False),), name)
    under = b * b - 4 * a * c
    if under <= 0:
        return None
    middle, half = Num(-b / (2 * a)), Op("div", (Op("sqrt", (Num(under),)), Num(abs(2 * a))))
    low, high = Op("add", (middle, Op("neg", (half,)))), Op("add", (middle, half))
    if op == "=":
        return RealSet((Piece(low, low, True, True), Piece(high, high, True, True)), name)
    if (op[0] == "<") == (a > 0):
        return RealSet((Piece(low, high, closed, closed),), name)
    return RealSet((Piece(MINUS_INFINITY, low, False, closed), Piece(high, INFINITY, closed, False)), name)


def _constant(node: Node) -> bool:
    return isinstance(node, Sym) and node.name in {"pi", "e", "i", "oo"}


def _is_variable(node: Node) -> bool:
    return (isinstance(node, Sym) and not _constant(node)) or (
        isinstance(node, Op) and node.name.startswith("call:") and node.name != "call:^+"
    )


def _name(node: Node) -> str:
    return node.name if isinstance(node, Sym) else repr(node)


def _mentions(node: Node, variable: Node) -> bool:
    return bool(symbols(node) & symbols(variable))
