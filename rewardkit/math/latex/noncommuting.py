"""Products in which the order counts: matrices and group elements, composed functions, cross products, products of sets."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.latex.tree import Node, Num, Op, Rel, Seq, Sym
from rewardkit.math.latex.walk import CONSTANTS, symbols

_MATRICES = frozenset("ABCPQSXY")
"""Capitals that name matrices where several of them are inverted; M, L and T are dimensions too."""

_TRANSPOSED = Sym("T")
_INVERSE = Num(fmpq(-1))
ARROWS = frozenset({"vec", "overrightarrow", "mathbf", "boldsymbol", "bm"})
"""Commands that mark a vector."""


def operated(name: str, left: Node, right: Node, *, arrow: bool) -> Node:
    """Two factors joined by a sign of multiplication that may be none; `arrow` if the second is written as a vector."""
    if name == "times":
        if left == Sym("nabla") or (arrow and (_is_cross(left) or symbols(left) - CONSTANTS)):
            return _cross(left, right)
        one, other = _number_set(left), _number_set(right)
        return Op("call:times" if one and other and one != other else "mul", (left, right))
    if left == Sym("nabla"):  # the divergence of a field
        return Op("call:nabla", (right,))
    if name in {"oplus", "bigoplus"}:
        if any(one.startswith("bb:") for one in symbols(left) | symbols(right)):
            return Op("mul", (left, right))
        return Op("call:oplus", (left, right) if repr(left) <= repr(right) else (right, left))
    return Op("call:" + name if name in _ORDERED else "mul", (left, right))


_ORDERED = frozenset({"circ", "otimes", "rtimes", "star", "wedge"})


def _is_cross(node: Node) -> bool:
    return isinstance(node, Op) and node.name == "call:cross"


def _cross(left: Node, right: Node) -> Node:
    if isinstance(left, Op) and left.name == "neg":
        inside = _cross(left.args[0], right)
        return inside.args[0] if isinstance(inside, Op) and inside.name == "neg" else Op("neg", (inside,))
    if isinstance(left, Sym) and isinstance(right, Sym) and left.name > right.name:
        return Op("neg", (Op("call:cross", (right, left)),))
    return Op("call:cross", (left, right))


def adjoined(left: Sym, right: Node) -> Node | None:
    """Z[x] and Q(i): a ring or field and what is adjoined to it, which is no product; None where nothing is."""
    if isinstance(right, Seq) and right.opened in {"[", "("} and len(right.items) > 1:  # in any order
        return Op("call:adjoin" + right.opened, (left, *sorted(right.items, key=repr)))
    if isinstance(right, Seq) and right.opened == "[" and len(right.items) == 1:
        inside, mark = right.items[0], "["
    else:
        inside, mark = right, "("
    if not isinstance(inside, (Num, Sym, Op)):
        return None
    return Op("call:adjoin" + (mark if symbols(inside) - CONSTANTS else ""), (left, inside))


def _number_set(node: Node) -> str:
    """The name of a set such as R or R^2, else nothing."""
    if isinstance(node, Op) and node.name == "pow":
        node = node.args[0]
    return node.name if isinstance(node, Sym) and node.name.startswith("bb:") and "_" not in node.name else ""


def in_order(node: Node) -> Node:
    """`node` with products such as P^{-1} A P and A^T B as words, whose letters do not change places."""
    if isinstance(node, Op):
        factors = _factors(node)
        if factors is not None:
            return factors
        if node.name == "mul":
            return _by_factors(node)
        return Op(node.name, tuple(in_order(one) for one in node.args))
    if isinstance(node, Seq):
        return Seq(node.opened, node.closed, tuple(in_order(one) for one in node.items), node.either, node.both)
    if isinstance(node, Rel):
        return Rel(node.ops, tuple(in_order(one) for one in node.args))
    return node


MAX_FACTORS = 32
"""Longer products are not looked at as words."""


def _by_factors(node: Op) -> Node:
    """A product that is no word, factor by factor: its beginning is none either where the whole has letters alone."""
    factors: list[Node] = []
    one: Node = node
    while isinstance(one, Op) and one.name == "mul" and (one is node or _factors(one) is None):
        factors.append(one.args[1])
        one = one.args[0]
    found = in_order(one)
    for factor in reversed(factors):
        found = Op("mul", (found, in_order(factor)))
    return found


def _factors(node: Op) -> Node | None:
    """The word that a product of letters is, where it is one of things that do not commute."""
    letters: list[Node] = []
    numbers: list[Node] = []
    stack: list[Node] = [node]
    while stack:
        one = stack.pop()
        if len(letters) + len(stack) > MAX_FACTORS:
            return None
        if isinstance(one, Op) and one.name == "mul":
            stack.extend(reversed(one.args))
        elif isinstance(one, Num):
            numbers.append(one)
        elif (turned := _turned(one)) is not None:
            stack.extend(reversed(turned))
        elif isinstance(one, Sym) or _power_of(one) is not None:
            letters.append(one)
        else:
            return None
    if not _counts(letters):
        return None
    word = _reduced(letters)
    found = word[0] if len(word) == 1 else Op("call:word", tuple(word)) if word else Num(fmpq(1))
    for one in numbers:
        found = Op("mul", (one, found))
    return found


def _power_of(node: Node) -> tuple[str, fmpq | None] | None:
    """(letter, exponent) of a letter to a whole power; None for the exponent of a transposed one."""
    if isinstance(node, Sym):
        return node.name, fmpq(1)
    if isinstance(node, Op) and node.name == "pow" and isinstance(node.args[0], Sym):
        exponent = node.args[1]
        if isinstance(exponent, Num) and exponent.value.q == 1:
            return node.args[0].name, exponent.value
        if exponent == _TRANSPOSED:
            return node.args[0].name, None
    return None


def _turned(node: Node) -> tuple[Node, ...] | None:
    """(A B)^{-1} and (A B)^T as the factors turned round."""
    if not (isinstance(node, Op) and node.name == "pow" and node.args[1] in {_INVERSE, _TRANSPOSED}):
        return None
    factors: list[Node] = []
    stack: list[Node] = [node.args[0]]
    while stack:
        one = stack.pop()
        if isinstance(one, Op) and one.name == "mul":
            stack.extend(reversed(one.args))
        elif isinstance(one, Sym) and one.name in _MATRICES:
            factors.append(one)
        else:
            return None
    return tuple(Op("pow", (one, node.args[1])) for one in reversed(factors)) if len(factors) > 1 else None


def _counts(letters: list[Node]) -> bool:
    """Whether the order of the factors counts: one letter stands with its own inverse, is transposed, or several are inverted."""
    powers = [found for one in letters if (found := _power_of(one)) is not None]
    if len(powers) < 2 or any(name in CONSTANTS for name, _ in powers):
        return False
    plain = {name for name, exponent in powers if exponent is not None}
    if any(exponent is None and (name.isupper() or name in plain) for name, exponent in powers):
        return True
    below = {name for name, exponent in powers if exponent is not None and exponent < 0}
    above = {name for name, exponent in powers if exponent is not None and exponent > 0}
    inverted = {name for name, exponent in powers if exponent == -1}
    return not below.isdisjoint(above) or (len(inverted) > 1 and inverted <= _MATRICES)


def _reduced(letters: list[Node]) -> list[Node]:
    """A word with neighbours of one letter taken together."""
    word: list[Node] = []
    for one in letters:
        power, last = _power_of(one), _power_of(word[-1]) if word else None
        if power is None or last is None or power[0] != last[0] or power[1] is None or last[1] is None:
            word.append(one)
            continue
        total = power[1] + last[1]
        del word[-1]
        if total:
            word.append(Sym(power[0]) if total == 1 else Op("pow", (Sym(power[0]), Num(total))))
    return word


def of_matrices(node: Rel) -> bool:
    """Whether an equation can only be one between matrices: A B = B A, P L = L."""
    if not all(isinstance(one, (Op, Sym)) for one in node.args):
        return False
    left, right = (letters_in_order(one) for one in node.args)
    if left is None or right is None or len(left) + len(right) < 3:
        return False
    return sorted(left) == sorted(right) or (min(len(left), len(right)) == 1 and not set(left).isdisjoint(right))


def letters_in_order(node: Node) -> tuple[str, ...] | None:
    """The letters of a product of capitals, as they are written; None for anything else."""
    if isinstance(node, Sym):
        return (node.name,) if node.name.isupper() and len(node.name) == 1 else None
    if not isinstance(node, Op) or node.name != "mul":
        return None
    found: list[str] = []
    for one in node.args:
        letters = letters_in_order(one)
        if letters is None:
            return None
        found.extend(letters)
    return tuple(found)
