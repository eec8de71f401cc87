"""Products in which the order counts: where the formulas themselves show it, they are equal only as they are written.

Law: a formula shows it where a letter stands on both sides of another one as x and 1/x, where two products have the same
capitals in another order, where a product is inverted or a letter is transposed.
"""

from __future__ import annotations

from rewardkit.math.latex.tree import Node, Op, Rel, Sym
from rewardkit.math.latex.walk import facts, symbols

MAX_FACTORS = 32
"""Longer products are not looked at."""

MAX_WORD = 4
"""Products of more capitals are lengths: AB CD."""


def order_counts(*nodes: Node) -> bool:
    """Whether one of the formulas shows that its letters do not commute."""
    return any(_may_show(node) and _shows(node) for node in nodes)


def _may_show(node: Node) -> bool:
    """False for most formulas, at little cost: those with one letter, or without capitals and powers."""
    found = facts(node)
    if "mul" not in found.operations:
        return False
    if "call:^T" in found.operations:
        return True
    return len(found.names) > 1 and ("pow" in found.operations or any(map(str.isupper, found.names)))


def of_matrices(node: Rel) -> bool:
    """Whether an equation can only be one between matrices: P L = L."""
    if node.ops != ("=",):
        return False
    words = [
        _capitals(factors) if len(factors) == len(_capitals(factors)) else () for factors in map(_factors, node.args)
    ]
    shared = set(words[0]) & set(words[1])
    return bool(shared) and sum(map(len, words)) > 2 and min(map(len, words)) == 1


def _shows(node: Node) -> bool:
    words: dict[tuple[str, ...], tuple[str, ...]] = {}
    stack: list[Node] = list(node.args) if isinstance(node, Rel) else [node]
    while stack:
        one = stack.pop()
        if not isinstance(one, Op):
            continue
        if one.name == "pow" and _inverted(one.args[1]) and len(_capitals(_factors(one.args[0]))) > 1:
            return True
        if one.name != "mul":
            stack.extend(one.args)
            continue
        factors = _factors(one)
        if _conjugated(factors) or (
            len(factors) > 1 and any(isinstance(f, Op) and f.name == "call:^T" for f in factors)
        ):
            return True
        word = _capitals(factors)
        if len(set(word)) > 1 and len(word) < MAX_WORD and words.setdefault(tuple(sorted(word)), word) != word:
            return True
        stack.extend(factors)
    return False


def _factors(node: Node) -> list[Node]:
    """The factors of a product, as they are written."""
    found: list[Node] = []
    stack = [node]
    while stack and len(found) <= MAX_FACTORS:
        one = stack.pop()
        if isinstance(one, Op) and one.name == "mul":
            stack.extend(reversed(one.args))
        else:
            found.append(one)
    return found


def _capitals(factors: list[Node]) -> tuple[str, ...]:
    """The capitals of a product, in their order."""
    names = (one.args[0] if isinstance(one, Op) and one.name == "pow" else one for one in factors)
    return tuple(one.name for one in names if isinstance(one, Sym) and len(one.name) == 1 and one.name.isupper())


def _conjugated(factors: list[Node]) -> bool:
    """Whether x and 1/x stand around another letter: P^{-1} A P, e^A B e^{-A}."""
    powers = [_base(one) for one in factors]
    for first, one in enumerate(powers):
        for last in range(first + 2, len(powers)):
            other = powers[last]
            if one is None or other is None or one[0] != other[0] or one[1] == other[1]:
                continue
            if any(isinstance(between, (Sym, Op)) and symbols(between) for between in factors[first + 1 : last]):
                return True
    return False


def _base(node: Node) -> tuple[str, bool] | None:
    """(what is raised, whether to a negative power) of a letter, or of e to the power of a capital."""
    if isinstance(node, Sym):
        return node.name, False
    if not isinstance(node, Op) or node.name != "pow" or not isinstance(node.args[0], Sym):
        return None
    base, exponent = node.args
    assert isinstance(base, Sym)
    if base.name != "e":
        return (base.name, True) if _inverted(exponent) else None
    negative = isinstance(exponent, Op) and exponent.name == "neg"
    inside = exponent.args[0] if isinstance(exponent, Op) and negative else exponent
    return (f"e {inside!r}", negative) if _capitals(_factors(inside)) else None


def _inverted(exponent: Node) -> bool:
    return repr(exponent) == _MINUS_ONE


_MINUS_ONE = "Num(value=-1, places=None)"
