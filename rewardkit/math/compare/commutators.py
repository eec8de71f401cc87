"""Formulas that show that their letters do not commute, AB - BA and e^A B e^{-A}: equal as matrices or not at all."""

from __future__ import annotations

from flint import acb, acb_mat, fmpq

from rewardkit.math.latex.tree import LimitError, Node, Num, Op, ParseError, Rel, Sym
from rewardkit.math.latex.walk import facts, symbols
from rewardkit.math.prove.ball import Balls
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.functions import UndefinedError, generic
from rewardkit.math.prove.proof import AGREE_BITS, working_precision

MAX_POWER = 12
"""No higher powers of a matrix are worked out."""

MAX_WORD = 12
"""Products of more letters show nothing."""

SIZE = 3
"""The letters are tried as matrices of so many rows."""

_TINY = fmpq(1, 2**AGREE_BITS)


def order_lost(gold: Node, answer: Node) -> bool:
    """Whether two formulas, equal for numbers, are not equal for matrices, as which the letters of one of them stand."""
    equations = isinstance(gold, Rel) and isinstance(answer, Rel)
    left, right = _formula(gold, equations), _formula(answer, equations)
    if left is None or right is None or not (_keeps_places(left) or _keeps_places(right)):
        return False
    letters = {name for name in symbols(left) | symbols(right) if _is_matrix(name)}
    with working_precision():
        try:
            one, other = (_Matrices(letters).value(node) for node in (left, right))
        except (ParseError, LimitError, UndefinedError, ArithmeticError, ValueError):
            return left != right
        return not (_multiples(one, other) if equations else _same(one, other))


def _formula(node: Node, equation: bool) -> Op | Sym | Num | None:
    """A formula, the value behind a name, or the difference of the sides of an equation."""
    if isinstance(node, (Op, Sym, Num)):
        return node
    if not isinstance(node, Rel) or node.ops != ("=",):
        return None
    left, right = node.args
    if not isinstance(left, (Op, Sym, Num)) or not isinstance(right, (Op, Sym, Num)):
        return None
    return Op("add", (left, Op("neg", (right,)))) if equation else right


def _is_matrix(name: str) -> bool:
    return len(name) == 1 and name.isupper()


def _keeps_places(node: Op | Sym | Num) -> bool:
    """Whether two terms have the same capitals in another order, or e^X stands before and e^{-X} behind one."""
    found = facts(node)
    if "mul" not in found.operations or sum(map(_is_matrix, found.names)) < 2:
        return False
    orders: dict[tuple[str, ...], tuple[str, ...]] = {}
    stack: list[Node] = [node]
    while stack:
        one = stack.pop()
        if not isinstance(one, Op):
            continue
        if one.name != "mul":
            stack.extend(one.args)
            continue
        factors = _factors(one)
        word = tuple(name for factor in factors for name in _letters(factor))
        if _shows(word) and orders.setdefault(tuple(sorted(word)), word) != word:
            return True
        if _turns(factors):
            return True
        stack.extend(factor for factor in factors if isinstance(factor, Op))
    return False


def _factors(node: Op) -> list[Node]:
    found: list[Node] = []
    stack: list[Node] = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, Op) and one.name == "mul":
            stack.extend(reversed(one.args))
        else:
            found.append(one)
    return found


def _letters(factor: Node) -> tuple[str, ...]:
    if isinstance(factor, Sym):
        return (factor.name,) if _is_matrix(factor.name) else ()
    if isinstance(factor, Op) and factor.name == "pow" and isinstance(factor.args[0], Sym):
        power = factor.args[1]
        if isinstance(power, Num) and power.value in range(2, MAX_POWER) and _is_matrix(factor.args[0].name):
            return (factor.args[0].name,) * int(power.value.p)
    return ()


def _shows(word: tuple[str, ...]) -> bool:
    """AB, ABC, ABAB; AB CD and AD BC may be lengths."""
    return len(set(word)) > 1 and (len(word) < 4 or (len(set(word)) == 2 and len(word) <= MAX_WORD))


def _turns(factors: list[Node]) -> bool:
    """Whether e^X and e^{-X} stand around a letter."""
    powers = [
        (place, one.args[1])
        for place, one in enumerate(factors)
        if isinstance(one, Op) and one.name == "pow" and one.args[0] == Sym("e") and any(map(_is_matrix, symbols(one)))
    ]
    return any(
        Op("neg", (one,)) == other or Op("neg", (other,)) == one
        for first, one in powers
        for last, other in powers
        if last - first > 1 and any(_letters(factor) for factor in factors[first + 1 : last])
    )


class _Matrices:
    """Evaluate formulas with fixed matrices in the place of capitals and fixed numbers in the place of other letters."""

    def __init__(self, letters: set[str]) -> None:
        self.letters = letters
        self.balls = Balls({})
        self.one = acb_mat([[acb(int(i == j)) for j in range(SIZE)] for i in range(SIZE)])

    def letter(self, name: str) -> acb_mat:
        """The matrix that a capital stands for; I is the unit matrix."""
        if name == "I":
            return self.one
        return acb_mat([[generic(f"{name}{i}{j}", ()) for j in range(SIZE)] for i in range(SIZE)])

    def value(self, node: Node) -> acb_mat:
        """The matrix of `node`; a number is that multiple of the unit matrix."""
        if isinstance(node, Sym) and node.name in self.letters:
            return self.letter(node.name)
        if self.letters.isdisjoint(symbols(node)):
            return self.one * self.balls.value(node)
        if not isinstance(node, Op):
            raise ParseError("no formula")
        if node.name == "pow":
            return self.power(*node.args)
        args = [self.value(one) for one in node.args]
        if node.name == "add":
            return args[0] + args[1]
        if node.name == "neg":
            return -args[0]
        if node.name == "mul":
            return args[0] * args[1]
        if node.name == "div":
            return args[0] * args[1].inv()
        if node.name in {"exp", "tr", "det"}:
            return (
                args[0].exp()
                if node.name == "exp"
                else self.one * getattr(args[0], {"tr": "trace"}.get(node.name, "det"))()
            )
        if node.name == "call:word":
            total = args[0]
            for one in args[1:]:
                total = total * one
            return total
        raise ParseError(f"{node.name} of matrices")

    def power(self, base: Node, exponent: Node) -> acb_mat:
        """A whole power, an inverse, a transposed matrix, or a power of e."""
        if base == Sym("e"):
            return self.value(exponent).exp()
        below = self.value(base)
        if exponent == Sym("T"):
            return below.transpose()
        power = rational(exponent)
        if power is None or power.q != 1 or abs(power) > MAX_POWER:
            raise ParseError("no whole power")
        found = self.one
        for _ in range(abs(int(power.p))):
            found = found * below
        return found if power >= 0 else found.inv()


def _entries(matrix: acb_mat) -> list[acb]:
    return [matrix[i, j] for i in range(SIZE) for j in range(SIZE)]


def _same(one: acb_mat, other: acb_mat) -> bool:
    return all(_near(a, b) for a, b in zip(_entries(one), _entries(other), strict=True))


def _multiples(one: acb_mat, other: acb_mat) -> bool:
    """Whether one matrix is the other times a number."""
    first, second = _entries(one)[0], _entries(other)[0]
    return all(_near(a * second, b * first) for a, b in zip(_entries(one), _entries(other), strict=True))


def _near(a: acb, b: acb) -> bool:
    return bool(a.overlaps(b)) and bool(abs(a - b).upper() <= (abs(a).upper() + 1) * _TINY)
