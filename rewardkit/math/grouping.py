"""What the pieces that a parser has read mean together: products, definitions, groups of a list, shared moduli."""

from __future__ import annotations

import itertools

from rewardkit.math.tree import Node, Num, Op, Ratio, Rel, Seq, Sym, Unit, Words


def product(left: Node, right: Node) -> Node:
    """Two factors side by side; C(n, k) is a number of choices, and a point is named by words too."""
    if right == Sym("Omega") and isinstance(left, Num):
        return Unit(left, "ohm")
    if isinstance(right, Seq) and right.opened == "(" and len(right.items) == 2:
        if left == Sym("C") and _choosable(*right.items):
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


def _choosable(top: Node, bottom: Node) -> bool:
    if isinstance(top, Num) and isinstance(bottom, Num):
        return top.value.q == bottom.value.q == 1 and 0 <= bottom.value <= top.value
    return isinstance(top, Sym | Op) and isinstance(bottom, Num | Sym | Op)


def defined(node: Rel) -> Rel:
    """F: x -> 2x and f = 2x for all x (three bars) as equations."""
    name = node.args[0]
    if (
        node.ops == ("to",)
        and isinstance(name, Ratio)
        and len(name.args) == 2
        and all(isinstance(one, Sym) for one in name.args)
    ):
        function, argument = name.args
        assert isinstance(function, Sym)
        return Rel(("=",), (Op("call:" + function.name, (argument,)), node.args[1]))
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
    if isinstance(first, Rel) and first.ops == ("!=",) and all(isinstance(one, Num | Op) for one in found[1:]):
        return [first, *(Rel(("!=",), (first.args[0], one)) for one in found[1:])]
    if not (isinstance(last, Op) and last.name == "modclass" and isinstance(first, Rel) and first.ops == ("=",)):
        return found
    name, modulus = first.args[0], last.args[1]
    values = [first.args[1], *found[1:-1], last.args[0]]
    if not all(isinstance(one, Num | Sym | Op) for one in values):
        return found
    return [Rel(("equiv", "mod"), (name, one, modulus)) for one in values]


def split_membership(found: list[Node]) -> tuple[list[Node], str | None]:
    r"""Take a trailing "k \in \mathbb{Z}" off a list: it says over what a letter runs."""
    if len(found) > 1:
        last = found[-1]
        if (
            isinstance(last, Rel)
            and last.ops == ("in",)
            and isinstance(last.args[1], Sym | Op)
            and _is_number_set(last.args[1])
        ):
            return found[:-1], f"{symbols_text(last.args[0])} in {symbols_text(last.args[1])}"
    return found, None


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
