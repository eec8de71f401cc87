"""Products in which the order counts: where the formulas themselves show it, they are equal only as they are written.

Law: a formula of several capitals shows it where one of them is inverted, transposed or an exponent of e, or where two products
have the same capitals in another order.
"""

from __future__ import annotations

from rewardkit.math.compare.shapes import parts
from rewardkit.math.latex.tree import Node, Num, Op, Rel, Sym
from rewardkit.math.latex.walk import facts

MAX_WORD = 4
"""Products of so many capitals are lengths: AB CD."""


def order_counts(*nodes: Node) -> bool:
    """Whether one of the formulas shows that its letters do not commute."""
    return any(_may_show(node) and _shows(node) for node in nodes)


def _may_show(node: Node) -> bool:
    """False for most formulas, at little cost."""
    found = facts(node)
    return "mul" in found.operations and (len(found.names) > 1 or "call:^T" in found.operations)


def _shows(node: Node) -> bool:
    words: dict[str, str] = {}
    for one in parts(node):
        if not isinstance(one, Op):
            continue
        if one.name == "pow" and len(_word(one.args[0])) > 1 and _inverted(one.args[1]):
            return True
        if one.name != "mul":
            continue
        factors = _factors(one)
        word = _word(one)
        if _conjugated(factors) or any(isinstance(each, Op) and each.name == "call:^T" for each in factors):
            return True
        if 1 < len(word) < MAX_WORD and words.setdefault("".join(sorted(word)), word) != word:
            return True
    return False


def _factors(node: Node) -> list[Node]:
    """The factors of a product, as they are written."""
    if isinstance(node, Op) and node.name == "mul":
        return [factor for one in node.args for factor in _factors(one)]
    return [node]


def _conjugated(factors: list[Node]) -> bool:
    """Whether x and 1/x stand around another letter: P^{-1} A P, e^A B e^{-A}."""
    seen: dict[str, tuple[int, bool]] = {}
    for at, (base, inverted) in enumerate(map(_base, factors)):
        place, other = seen.setdefault(base, (at, inverted))
        if other != inverted and any(facts(one).names for one in factors[place + 1 : at]):
            return True
    return False


def _base(node: Node) -> tuple[str, bool]:
    """(what is raised, whether to a negative power)."""
    if not isinstance(node, Op) or node.name != "pow":
        return repr(node), False
    base, exponent = node.args
    if base != Sym("e"):
        return repr(base), _inverted(exponent)
    negative = isinstance(exponent, Op) and exponent.name == "neg"
    inside = exponent.args[0] if isinstance(exponent, Op) and negative else exponent
    return (f"e {inside!r}", negative) if _word(inside) else (repr(node), False)


def _inverted(exponent: Node) -> bool:
    return isinstance(exponent, Num) and exponent.value == -1


def _word(node: Node) -> str:
    """The capitals of a product, in their order."""
    if isinstance(node, Op) and node.name == "mul":
        return "".join(map(_word, node.args))
    if isinstance(node, Op) and node.name == "pow":
        return _word(node.args[0])
    return node.name if isinstance(node, Sym) and len(node.name) == 1 and node.name.isupper() else ""


def of_matrices(node: Rel) -> bool:
    """Whether an equation can only be one between matrices: P L = L."""
    if len(node.args) != 2:
        return False
    left, right = map(_word, node.args)
    letters = {len(facts(one).names) for one in node.args}
    return bool(set(left) & set(right)) and letters == {1, 2} and len(left) + len(right) == 3
