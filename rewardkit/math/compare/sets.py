"""Subsets of the real line: intervals, unions, inequalities and set-builders, all brought to a list of pieces."""

from __future__ import annotations

from functools import cmp_to_key
from typing import TYPE_CHECKING, NamedTuple

from rewardkit.math.compare.names import domain
from rewardkit.math.compare.shapes import bare, spread
from rewardkit.math.latex.tree import EMPTY_SET, Builder, Cond, Node, Num, Op, Rel, Seq, SetOp, Sym, Words
from rewardkit.math.latex.vocabulary import UNNAMED
from rewardkit.math.latex.walk import CONSTANTS, symbols
from rewardkit.math.prove.proof import order
from rewardkit.math.text.words import ALL_REALS, EMPTY_WORDS, says_more

if TYPE_CHECKING:
    from rewardkit.math.compare.compare import Comparing

MAX_PIECES = 64
"""Unions of more are not put in order."""


class UnorderedError(ValueError):
    """Ends of intervals whose order is not known."""


class Cut(NamedTuple):
    """A place on the real line just before a number, or just after it."""

    at: Node
    after: bool


class Piece(NamedTuple):
    """What is between two cuts: [1, 2) is from before 1 to before 2, the point 1 from before 1 to after 1."""

    low: Cut
    high: Cut


class RealSet(NamedTuple):
    """A union of pieces, with the variable it was said about, if any."""

    pieces: tuple[Piece, ...]
    variable: Node | None = None


LOWEST, HIGHEST = Cut(Op("neg", (Sym("oo"),)), after=True), Cut(Sym("oo"), after=False)
REALS = RealSet((Piece(LOWEST, HIGHEST),))


def _placed(left: Node, right: Node) -> int | None:
    """`order`, of two numbers at little cost."""
    if type(left) is Num and type(right) is Num:
        return (left.value > right.value) - (left.value < right.value)
    return order(left, right)


def _before(one: Cut, other: Cut) -> bool:
    place = _placed(one.at, other.at)
    if place is None:
        raise UnorderedError
    return place < 0 or (place == 0 and one.after < other.after)


def merged(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The pieces in order, those that touch as one, without empty ones. Raises UnorderedError."""
    if len(pieces) > MAX_PIECES:
        raise UnorderedError
    kept = [one for one in pieces if _before(*one)]
    kept.sort(key=cmp_to_key(lambda a, b: _before(b.low, a.low) - _before(a.low, b.low)))
    found = kept[:1]
    for piece in kept[1:]:
        last = found[-1]
        if _before(last.high, piece.low):
            found.append(piece)
        elif _before(last.high, piece.high):
            found[-1] = Piece(last.low, piece.high)
    return tuple(found)


def complement(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The rest of the real line. Raises UnorderedError."""
    cuts = [LOWEST, *(cut for piece in merged(pieces) for cut in piece), HIGHEST]
    return merged(tuple(map(Piece, cuts[::2], cuts[1::2])))


def intersect(left: tuple[Piece, ...], right: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """What both hold. Raises UnorderedError."""
    return complement(complement(left) + complement(right))


def same_sets(c: Comparing, gold: RealSet, answer: RealSet) -> bool:
    """The same pieces, said of the same letter if of any."""
    names = {gold.variable, answer.variable} - {None}
    if len(names) > 1 and Sym(UNNAMED) not in names:
        return False
    try:
        a, b = merged(gold.pieces), merged(answer.pieces)
    except UnorderedError:
        a, b = gold.pieces, answer.pieces
    left = list(b)
    for one in a:
        for other in left:
            cuts = zip(one, other, strict=True)
            if all(here.after == there.after and c.equal(here.at, there.at) for here, there in cuts):
                left.remove(other)
                break
        else:
            return c.differ("another set of numbers, or other open and closed ends")
    return not left and c.note("the same set of numbers")


# -- what trees describe ---------------------------------------------------------------------------------------------


def real_set(node: Node) -> RealSet | None:
    """The set that `node` describes, or None where it describes none."""
    try:
        return _described(node)
    except UnorderedError:
        return None


def _described(node: Node) -> RealSet | None:
    if isinstance(node, Seq):
        return _of_seq(node)
    if isinstance(node, Rel):
        return _inside(node) if node.ops == ("in",) else solved(node)
    if isinstance(node, SetOp):
        return _of_operation(node)
    if isinstance(node, Builder):
        return _of_builder(node)
    if isinstance(node, Cond):
        found = _described(node.value) if node.universal and not says_more(node.text) else None
        return None if found is None or thinned(found, node.text) else found
    if isinstance(node, Words):
        return REALS if node.text in ALL_REALS else RealSet(()) if node.text in EMPTY_WORDS else None
    return REALS if node == REAL_LINE else None


REAL_LINE = Sym("bb:R")

NAMED_SETS: dict[str, Node] = {
    **dict.fromkeys(("no solution", "no real solution", "no integer solution"), EMPTY_SET),
    **dict.fromkeys(("integers", "all integers", "any integer"), Sym("bb:Z")),
    **dict.fromkeys(("natural numbers", "all natural numbers"), Sym("bb:N")),
    **dict.fromkeys(("positive integers", "all positive integers"), Op("call:^+", (Sym("bb:Z"),))),
    "infinitely many": Sym("oo"),
}
"""Words that name a set."""


def thinned(found: RealSet, text: str) -> bool:
    """Whether a condition leaves of an interval only the numbers of one kind, and its letter does not count anyway."""
    kind = domain(text)
    counts = kind is not None and kind[1] in _SPARSE and found.variable not in _WHOLE
    return counts and any(piece.low.at != piece.high.at for piece in found.pieces)


_SPARSE = frozenset({"Z", "N", "N_0", "N+", "Q", "Q+"})
_WHOLE = frozenset(map(Sym, "nmkpqNMK"))
"""Letters that count where nothing is said."""


def is_interval(node: Node) -> bool:
    """Whether `node` is written as an interval (or as a pair); numbers that fall are no interval."""
    if not (isinstance(node, Seq) and len(node.items) == 2 and node.opened in {"(", "["} and node.closed in {")", "]"}):
        return False
    low, high = node.items
    falls = isinstance(low, Num) and isinstance(high, Num) and low.value > high.value
    return not (falls and node.opened + node.closed in {"()", "[]"})


def is_set(node: Seq) -> bool:
    """Whether a list is a set and nothing else: a half-open interval, or inequalities joined by "or"."""
    if node.opened in {"(", "["}:
        return node.opened + node.closed in {"(]", "[)"} and is_interval(node)
    if not node.either:
        return False
    items = [bare(one) for one in node.items]
    relations = [one.ops for one in items if isinstance(one, Rel)]
    points = len(relations) == len(items) and set(relations) == {("=",)}
    return bool(relations) and not points and real_set(node) is not None


def _of_seq(node: Seq) -> RealSet | None:
    if is_interval(node):
        low, high = node.items
        place = _placed(low, high) if _are_ends(node.items) else 1
        if place is not None and (place > 0 or (place == 0 and node.opened + node.closed != "[]")):
            return None
        return RealSet((Piece(Cut(low, node.opened == "("), Cut(high, node.closed == "]")),))
    if node.opened == "{":
        wide = spread(node)
        items = wide.items if isinstance(wide, Seq) else ()
        if len(items) == 1 and isinstance(items[0], (Rel, Cond)):
            return _described(items[0])
        return RealSet(tuple(map(_point, items))) if _are_ends(items) else None
    if node.opened or len(node.items) < 2 or any(isinstance(one, Words) for one in node.items):
        return None
    parts = [_described(one) for one in node.items]
    found = [one for one in parts if one is not None]
    variables = {one.variable for one in found if one.variable}
    if len(found) < len(parts) or len(variables) > 1:
        return None
    variable = next(iter(variables), None)
    if not node.either and variable is not None and all(isinstance(one, Rel) for one in node.items):
        both = found[0].pieces
        for one in found[1:]:
            both = intersect(both, one.pieces)
        if both or node.both:
            return RealSet(both, variable)
    return RealSet(tuple(piece for one in found for piece in one.pieces), variable)


def _point(node: Node) -> Piece:
    return Piece(Cut(node, after=False), Cut(node, after=True))


def _are_ends(nodes: tuple[Node, ...]) -> bool:
    return not any(isinstance(one, (Seq, Rel, Words)) for one in nodes)


def _of_operation(node: SetOp) -> RealSet | None:
    left, right = _described(node.args[0]), _described(node.args[1])
    if left is None or right is None:
        return None
    if node.name == "union":
        pieces = left.pieces + right.pieces
    else:
        pieces = intersect(left.pieces, right.pieces if node.name == "inter" else complement(right.pieces))
    return RealSet(pieces, left.variable or right.variable)


def _inside(node: Rel) -> RealSet | None:
    """The set that a letter is said to be in."""
    found = _described(node.args[1]) if isinstance(node.args[0], Sym) else None
    return RealSet(found.pieces, node.args[0]) if found is not None else None


def _of_builder(node: Builder) -> RealSet | None:
    element = node.element
    if isinstance(element, Rel) and element.ops == ("in",) and element.args[1] == REAL_LINE:
        element = element.args[0]
    if not isinstance(element, Sym):
        return None
    conditions = tuple(one for one in node.conditions if one != Rel(("in",), (element, REAL_LINE)))
    if not conditions:
        return REALS
    if any(isinstance(one, Cond) for one in conditions):
        return None
    both = Seq("", "", conditions, node.either, node.both)
    found = _described(conditions[0]) if len(conditions) == 1 else _of_seq(both)
    return RealSet(found.pieces) if found is not None and found.variable in {element, None} else None


# -- equations and inequalities in one letter ------------------------------------------------------------------------


_FLIP: dict[str, str] = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}


def solved(node: Rel) -> RealSet | None:
    """The numbers that make an equation, an inequality or a chain of two true; None where they cannot be told."""
    ops, args = node.ops, node.args
    if not _FLIP.keys() >= set(ops):
        return None
    if len(ops) == 1:
        return _single(ops[0], *args)
    if len(ops) != 2 or ops[0][0] != ops[1][0] or ops[0] in {"=", "!="}:
        return None
    if ops[0][0] == ">":
        ops, args = (_FLIP[ops[1]], _FLIP[ops[0]]), args[::-1]
    low, middle, high = args
    if not _is_variable(middle) or (symbols(low) | symbols(high)) & symbols(middle) or (_placed(low, high) or 0) > 0:
        return None
    return RealSet((Piece(Cut(low, ops[0] == "<"), Cut(high, ops[1] == "<=")),), middle)


def _single(op: str, left: Node, right: Node) -> RealSet | None:
    if not _is_variable(left) and _is_variable(right):
        left, right, op = right, left, _FLIP[op]
    if not _is_variable(left) or (op != "=" and _is_variable(right)):
        return None
    if symbols(right) & symbols(left) or isinstance(right, (Seq, SetOp, Builder, Words, Rel)):
        return None
    return RealSet(_ray(op, right), left)


def _ray(op: str, end: Node) -> tuple[Piece, ...]:
    """The point `end` (=), all but it (!=), or what is below (<) or above it (>)."""
    if op == "=":
        return (_point(end),)
    below, above = Piece(LOWEST, Cut(end, op == "<=")), Piece(Cut(end, op != ">="), HIGHEST)
    return (below, above) if op == "!=" else (below,) if op[0] == "<" else (above,)


def _is_variable(node: Node) -> bool:
    if isinstance(node, Sym):
        return node.name not in CONSTANTS
    return isinstance(node, Op) and node.name.startswith("call:") and node.name != "call:^+"
