"""What the pieces that a parser has read mean together: products, definitions, groups of a list, shared moduli."""

from __future__ import annotations

import itertools

from flint import fmpq

from rewardkit.math.latex import brackets
from rewardkit.math.latex.tree import Node, Num, Op, Ratio, Rel, Seq, Sym, Unit, Words
from rewardkit.math.latex.walk import CONSTANTS, symbols


def beside(left: Node, right: Node) -> Node:
    """Two factors side by side, brackets and all."""
    if type(left) is Num and (type(right) is Op or (type(right) is Sym and right.name != "Omega")):
        return Op("mul", (left, right))  # as most are
    if isinstance(left, Sym) and left.name.startswith("bb:"):  # Z[x], Q(i): no product
        return Op("call:adjoin", (left, right))
    if isinstance(right, Sym) and right.name.startswith("bb:") and isinstance(left, Op) and left.name == "pow":
        return Op(f"call:{left!r}", (right,))  # C^1(R)
    return product(brackets.unwrapped(left), brackets.unwrapped(right))


def product(left: Node, right: Node) -> Node:
    """Two factors side by side; C(n, k) is a number of choices, and a point is named by words too."""
    if isinstance(right, Sym) and right.name == "Omega":
        if isinstance(left, Num) or left == Sym("pi") or (isinstance(left, Op) and symbols(left) <= CONSTANTS):
            return Unit(left, "ohm")
        if isinstance(left, Op) and left.args[-1] in _KILO and isinstance(left.args[0], Num):
            return Unit(left.args[0], "kohm" if left.args[-1] == Sym("k") else "Mohm")
    if isinstance(right, Unit) and right.unit in {"degC", "degF", "degK"}:
        return Unit(Op("mul", (left, right.value)), right.unit)
    if isinstance(right, Seq) and right.opened == "(" and len(right.items) == 2:
        if isinstance(left, Sym) and left.name == "C" and _choosable(*right.items):
            return Op("binom", right.items)
        if isinstance(left, Words) and left.text in {
            "point",
            "the point",
            "vertex",
            "center",
            "centre",
            "at",
            "coordinates",
        }:
            return right
    return Op("mul", (left, right))


_KILO = frozenset({Sym("k"), Sym("M")})


def _choosable(top: Node, bottom: Node) -> bool:
    if isinstance(top, Num) and isinstance(bottom, Num):
        return top.value.q == bottom.value.q == 1 and 0 <= bottom.value <= top.value
    return isinstance(top, (Sym, Op)) and isinstance(bottom, (Num, Sym, Op))


def defined(node: Rel) -> Rel:
    """F: x -> 2x and f = 2x for all x (three bars) as equations."""
    name = node.args[0]
    if (
        node.ops == ("to",)
        and isinstance(name, Ratio)
        and len(name.args) == 2
        and all(isinstance(one, Sym) and not one.name.startswith("bb:") for one in name.args)
    ):
        function, argument = name.args
        assert isinstance(function, Sym)
        return Rel(("=",), (Op("call:" + function.name, (argument,)), node.args[1]))
    if node.ops == ("to",) and isinstance(name, Sym) and name.name in symbols(node.args[1]) - CONSTANTS:
        return Rel(("=",), (Op("call:f", (name,)), node.args[1]))
    if node.ops == ("equiv",) and isinstance(last := node.args[1], Op) and last.name == "mod":  # p = 1 mod 4
        return Rel(("equiv", "mod"), (name, *last.args))
    if "equiv" in node.ops:
        return Rel(tuple("=" if op == "equiv" else op for op in node.ops), node.args)
    return node


def found_at(breaks: list[int]) -> int:
    """The place of the last break."""
    return breaks[-1] if breaks else -1


def grouped(found: list[Node], breaks: list[int]) -> list[Node]:
    """Members between semicolons or "or": x = 1, y = 2; x = 3, y = 4. Kept flat unless each group has as many equations."""
    edges = [0, *[one for one in breaks if one < len(found)], len(found)]
    groups = [found[low:high] for low, high in itertools.pairwise(edges)]
    if len({len(one) for one in groups}) != 1 or len(groups[0]) < 2:
        return found
    if not all(isinstance(one, Rel) and one.ops == ("=",) for group in groups for one in group):
        return found
    return [Seq("", "", tuple(one)) for one in groups]


def residues(found: list[Node]) -> list[Node]:
    """One modulus behind several residues is the modulus of each, n = 1, 5 (mod 6); x is neither of 0, 1 is said of each."""
    first, last = found[0], found[-1]
    if isinstance(first, Rel) and first.ops == ("!=",) and all(isinstance(one, (Num, Op)) for one in found[1:]):
        return [first, *(Rel(("!=",), (first.args[0], one)) for one in found[1:])]
    if not (isinstance(last, Op) and last.name == "modclass" and isinstance(first, Rel) and first.ops == ("=",)):
        return found
    name, modulus = first.args[0], last.args[1]
    values = [first.args[1], *found[1:-1], last.args[0]]
    if not all(isinstance(one, (Num, Sym, Op)) for one in values):
        return found
    return [Rel(("equiv", "mod"), (name, one, modulus)) for one in values]


def split_membership(found: list[Node]) -> tuple[list[Node], str | None]:
    r"""Take a trailing "k \in \mathbb{Z}" off a list: it says over what a letter runs."""
    if len(found) > 1:
        last = found[-1]
        if (
            isinstance(last, Rel)
            and last.ops == ("in",)
            and isinstance(last.args[1], (Sym, Op))
            and _is_number_set(last.args[1])
        ):
            kept = found[:-1]
            while len(kept) > 1 and _is_counter(kept[-1], kept[:-1]):  # m, l in Z
                kept = kept[:-1]
            return kept, f"{symbols_text(last.args[0])} in {symbols_text(last.args[1])}"
        if isinstance(last, Sym) and last.name == "..." and (counted := _counted_both_ways(found)) is not None:
            return counted
        if len(found) == 2 and isinstance(last, Rel) and _starts_index(last, found[0]):
            return found[:1], f"{symbols_text(last.args[0])} in bb:N"
    return found, None


def _is_counter(node: Node, before: list[Node]) -> bool:
    """Whether a lone letter occurs in the formulas before it, as one that counts."""
    return isinstance(node, Sym) and any(isinstance(one, (Op, Rel)) and node.name in symbols(one) for one in before)


def _counted_both_ways(found: list[Node]) -> tuple[list[Node], str] | None:
    r"""A list that ends in k = 0, \pm1, \pm2, ..., which says that k is an integer."""
    zero = next((place for place, one in enumerate(found) if isinstance(one, Rel) and one.args[-1] == Num(fmpq(0))), 0)
    start = found[zero]
    if not zero or not isinstance(start, Rel) or start.ops != ("=",) or not isinstance(start.args[0], Sym):
        return None
    steps = [Op("pm", (Num(fmpq(0)), Num(fmpq(step)))) for step in range(1, len(found) - zero - 1)]
    return (found[:zero], f"{start.args[0].name} in bb:Z") if steps and found[zero + 1 : -1] == steps else None


_INDICES = frozenset({"n", "k", "m", "j"})
_STARTS = frozenset({(">=", 0), (">=", 1), (">", 0)})


def _starts_index(last: Rel, first: Node) -> bool:
    """Whether `last` says no more than that the index in `first` counts from 0 or 1: n >= 1."""
    index, low = last.args[0], last.args[-1]
    if len(last.args) != 2 or not isinstance(low, Num) or not isinstance(index, Sym) or index.name not in _INDICES:
        return False
    if low.value.q != 1 or (last.ops[0], int(low.value.p)) not in _STARTS:
        return False
    value = first.args[1] if isinstance(first, Rel) and first.ops == ("=",) and len(first.args) == 2 else first
    return isinstance(value, Op) and index.name in symbols(value)


def symbols_text(node: Node) -> str:
    """The name of a symbol; another node in full."""
    return node.name if isinstance(node, Sym) else repr(node)


def _is_number_set(node: Node) -> bool:
    if isinstance(node, Sym):
        return node.name.startswith("bb:") or node.name in {"Z", "N", "R", "Q"}
    return (
        isinstance(node, Op)
        and node.name in {"pow", "call:_", "add", "neg"}
        and any(_is_number_set(one) for one in node.args)
    )
