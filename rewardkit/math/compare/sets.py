"""Subsets of the real line: intervals, unions, inequalities and set-builders, brought to one list of pieces."""

from __future__ import annotations

from rewardkit.math.compare.inequalities import REALS, Piece, RealSet, complement, intersect, roots, solved
from rewardkit.math.compare.labels import domain
from rewardkit.math.compare.shapes import bare, spread
from rewardkit.math.latex.tree import Builder, Cond, Node, Num, Op, Rel, Seq, SetOp, Sym, Unit, Words
from rewardkit.math.prove.proof import order
from rewardkit.math.text.words import ALL_REALS, EMPTY_WORDS, says_more


def real_set(node: Node) -> RealSet | None:
    """The set that `node` describes, or None where it describes none."""
    if isinstance(node, Unit):
        return real_set(node.value)
    if isinstance(node, Cond):
        found = real_set(node.value) if node.universal and not says_more(node.text) else None
        return None if found is None or thinned(found, node.text) else found
    if isinstance(node, Seq):
        return _of_seq(node)
    if isinstance(node, SetOp):
        return _of_operation(node)
    if isinstance(node, Rel):
        return _inside(node) if node.ops == ("in",) else solved(node)
    if isinstance(node, Builder):
        return _of_builder(node)
    if isinstance(node, Sym):
        return REALS if node.name == "bb:R" else None
    if isinstance(node, Words):
        if node.text in ALL_REALS:
            return REALS
        return RealSet(()) if node.text in EMPTY_WORDS else None
    if isinstance(node, Op) and node.name == "add" and isinstance(node.args[1], Op) and node.args[1].name == "neg":
        taken = node.args[1].args[0]
        if (
            isinstance(node.args[0], Sym)
            and node.args[0].name == "bb:R"
            and isinstance(taken, Seq)
            and taken.opened == "{"
        ):
            return _of_operation(SetOp("minus", (node.args[0], taken)))
    return None


def thinned(found: RealSet, text: str) -> bool:
    """Whether a condition leaves of an interval only the numbers of one kind, and its letter does not count anyway."""
    kind = domain(text)
    if kind is None or kind[1] not in _SPARSE or found.variable in _WHOLE:
        return False
    if kind[0] and found.variable and kind[0] != found.variable:
        return False
    return any(piece.low != piece.high for piece in found.pieces)


_SPARSE = frozenset({"Z", "N", "N_0", "Q"})
_WHOLE = frozenset("nmkpqNMK")
"""Letters that count where nothing is said."""


def is_interval(node: Node) -> bool:
    """Whether `node` is written as an interval (or as a pair); numbers that fall are no interval."""
    if not (isinstance(node, Seq) and len(node.items) == 2 and node.opened in {"(", "["} and node.closed in {")", "]"}):
        return False
    low, high = node.items
    return not (
        isinstance(low, Num)
        and isinstance(high, Num)
        and low.value > high.value
        and node.opened + node.closed in {"()", "[]"}
    )


_SETS = (SetOp, Builder)


def is_set(node: Node) -> bool:
    """Whether `node` is a set and nothing else: a union, a set-builder, a half-open interval."""
    if isinstance(node, _SETS) or (isinstance(node, Sym) and node.name == "bb:R"):
        return True
    if isinstance(node, Op) and node.name == "add":
        return real_set(node) is not None
    if isinstance(node, Seq):
        if node.opened in {"(", "["}:
            return (
                is_interval(node)
                and (node.opened, node.closed) != ("(", ")")
                and (node.opened, node.closed) != ("[", "]")
            )
        return (
            node.either
            and any(isinstance(bare(one), Rel) for one in node.items)
            and real_set(node) is not None
            and not _all_points(node)
        )
    return False


def _all_points(node: Seq) -> bool:
    return all(isinstance(one := bare(item), Rel) and one.ops == ("=",) for item in node.items)


def _of_seq(node: Seq) -> RealSet | None:
    if is_interval(node):
        low, high = node.items
        if any(isinstance(one, (Seq, Rel, Words)) for one in node.items):
            return None
        place = order(low, high)
        if place is not None and (place > 0 or (place == 0 and (node.opened, node.closed) != ("[", "]"))):
            return None
        return RealSet((Piece(low, high, node.opened == "[", node.closed == "]"),))
    if node.opened == "{":
        wide = spread(node)
        node = wide if isinstance(wide, Seq) else node
        if len(node.items) == 1 and isinstance(node.items[0], (Rel, Cond)):
            return real_set(node.items[0])
        return (
            RealSet(tuple(Piece(one, one, True, True) for one in node.items))
            if not any(isinstance(one, (Seq, Rel, Words)) for one in node.items)
            else None
        )
    if node.opened:
        return None
    if any(isinstance(one, Words) for one in node.items):
        return None
    parts = [real_set(one) for one in node.items]
    found: list[RealSet] = []
    for part in parts:
        if part is None:
            return None
        found.append(part)
    if len(found) < 2:
        return None
    variables = {one.variable for one in found if one.variable}
    if len(variables) > 1:
        return None
    variable = next(iter(variables), None)
    if not node.either and variable is not None and all(isinstance(one, Rel) for one in node.items):
        meet = found[0]
        for one in found[1:]:
            both = intersect(meet, one)
            if both is None:
                return None
            meet = both
        if meet.pieces or node.both:
            return RealSet(meet.pieces, variable)
    return RealSet(tuple(piece for one in found for piece in one.pieces), variable)


def _of_operation(node: SetOp) -> RealSet | None:
    left, right = real_set(node.args[0]), real_set(node.args[1])
    if left is None or right is None:
        return None
    variable = left.variable or right.variable
    if node.name == "union":
        return RealSet(left.pieces + right.pieces, variable)
    if node.name == "inter":
        return intersect(left, right)
    away = complement(right)
    return intersect(left, away) if away is not None else None


def _inside(node: Rel) -> RealSet | None:
    """The set that a letter is said to be in."""
    if not isinstance(node.args[0], Sym):
        return None
    found = real_set(node.args[1])
    return RealSet(found.pieces, node.args[0].name) if found is not None else None


def _of_builder(node: Builder) -> RealSet | None:
    element = node.element
    name: str | None = None
    if isinstance(element, Sym):
        name = element.name
    elif isinstance(element, Rel) and element.ops == ("in",) and isinstance(element.args[0], Sym):
        name = element.args[0].name
        if not (isinstance(element.args[1], Sym) and element.args[1].name == "bb:R"):
            return None
    if name is None:
        return None
    conditions = [one for one in node.conditions if not _says_real(one, name)]
    if not conditions:
        return REALS
    if any(isinstance(one, Cond) and _counts_otherwise(one, name) for one in conditions):
        return None
    described = (
        _of_seq(Seq("", "", tuple(conditions), node.either, node.both))
        if len(conditions) > 1
        else real_set(only := conditions[0]) or (roots(only) if isinstance(only, Rel) else None)
    )
    if described is None or described.variable not in {name, None}:
        return None
    return RealSet(described.pieces, None)


def _counts_otherwise(node: Cond, name: str) -> bool:
    """Whether a condition counts by a letter, not that of the members, over other numbers than the integers."""
    letter, _, numbers = node.text.partition(" in ")
    return letter != name and bool(numbers) and numbers != "bb:Z"


def _says_real(node: Node, name: str) -> bool:
    return (
        isinstance(node, Rel)
        and node.ops == ("in",)
        and node.args[0] == Sym(name)
        and isinstance(node.args[1], Sym)
        and node.args[1].name == "bb:R"
    )
