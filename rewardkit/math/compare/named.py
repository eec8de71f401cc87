"""Other names of one thing: vectors in i, j, k, points with a letter, lengths between bars, sequences with another index."""

from __future__ import annotations

import re

from flint import fmpq

from rewardkit.math.compare.relations import rename
from rewardkit.math.latex.tree import Node, Num, Op, Seq, Sym
from rewardkit.math.latex.walk import symbols

_BASIS = ("i", "j", "k")
_INDEXED = re.compile(r"([A-Za-z]+)_([a-z])")


def in_basis(node: Node, size: int) -> tuple[Node, ...] | None:
    """The `size` coordinates of a sum such as 2i - j + 3k, each term of which has one of the unit vectors, else None."""
    if size not in {2, 3} or not isinstance(node, Op) or not {"j", "k"} & symbols(node):
        return None
    found: dict[str, Node] = {}
    stack: list[tuple[Node, bool]] = [(node, False)]
    while stack:
        one, minus = stack.pop()
        if isinstance(one, Op) and one.name == "add":
            stack.extend((part, minus) for part in one.args)
            continue
        if isinstance(one, Op) and one.name == "neg":
            stack.append((one.args[0], not minus))
            continue
        term = _along(one)
        if term is None or term[0] in found:
            return None
        found[term[0]] = Op("neg", (term[1],)) if minus else term[1]
    if size == 2 and "k" in found:
        return None
    return tuple(found.get(letter, Num(fmpq(0))) for letter in _BASIS[:size])


def _along(term: Node) -> tuple[str, Node] | None:
    """(unit vector, coefficient) of one term."""
    if isinstance(term, Sym) and term.name in _BASIS:
        return term.name, Num(fmpq(1))
    if isinstance(term, Op) and term.name in {"mul", "div"} and len(term.args) == 2:
        first, second = term.args
        letters = [symbols(one) & set(_BASIS) for one in term.args]
        if term.name == "mul" and not letters[0] and (inside := _along(second)) is not None:
            return inside[0], Op("mul", (first, inside[1]))
        if not letters[1] and (inside := _along(first)) is not None:
            return inside[0], Op(term.name, (inside[1], second))
    return None


def point(node: Node) -> Node:
    """The coordinates of P(2, 3) and of 1/3 (1, 2); another node as it is."""
    if isinstance(node, Op) and node.args:
        last = node.args[-1]
        if (
            node.name == "mul"
            and isinstance(node.args[0], Sym)
            and node.args[0].name[:1].isupper()
            and isinstance(last, Seq)
            and last.opened == "("
        ):
            return last
        if node.name == "mul" and isinstance(last, Seq) and last.opened == "(" and isinstance(node.args[0], (Num, Op)):
            return Seq("(", ")", tuple(Op("mul", (node.args[0], one)) for one in last.items))
        if node.name.startswith("call:") and node.name[5:6].isupper() and len(node.args) in {2, 3}:
            return Seq("(", ")", node.args)
    return node


def length(label: Node) -> Node:
    """AB where |AB| or AB under a bar names a length; another node as it is."""
    while isinstance(label, Op) and label.name in {"abs", "call:overline"} and len(label.args) == 1:
        inside = label.args[0]
        if not (isinstance(inside, Op) and all(name.isupper() for name in symbols(inside))):
            break
        label = inside
    return label


def reindexed(gold: Node | None, answer: Node | None, value: Node) -> tuple[Node | None, Node]:
    """The answer's label and value with its index spelled as in the ground truth: a_k = 2k for a_n = 2n."""
    if isinstance(gold, Sym) and isinstance(answer, Sym) and gold != answer:
        one, other = _INDEXED.fullmatch(gold.name), _INDEXED.fullmatch(answer.name)
        if (
            one is not None
            and other is not None
            and one[1] == other[1]
            and not any(name == one[2] or name.endswith((f"_{one[2]}", f"_{other[2]}")) for name in symbols(value))
        ):
            return gold, rename(value, {other[2]: one[2]})
    return answer, value
