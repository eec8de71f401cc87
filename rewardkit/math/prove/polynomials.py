"""Rational equations without their fractions: y = 1/x is xy = 1."""

from __future__ import annotations

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from rewardkit.math.latex.tree import Node, Num, Op, Sym
from rewardkit.math.latex.walk import CONSTANTS, facts

MAX_DEGREE = 6
"""Higher powers are not multiplied out."""

MAX_TERMS = 60
"""Nor longer polynomials."""

MAX_BITS = 64
"""Nor larger numbers."""

_OPERATIONS = frozenset({"add", "mul", "neg", "div", "pow"})

Fraction = tuple[fmpq_mpoly, fmpq_mpoly]


def same_solutions(left: Node, right: Node) -> bool:
    """Whether left = 0 and right = 0 have the same solutions: one numerator, and no solution of it where only one side is defined."""
    one, other = facts(left), facts(right)
    if "div" not in one.operations | other.operations and "pow" not in one.operations | other.operations:
        return False
    names = sorted(one.names)
    if (
        one.names != other.names
        or not (one.plain and other.plain)
        or not one.operations | other.operations <= _OPERATIONS
    ):
        return False
    if not 2 <= len(names) <= 4 or not CONSTANTS.isdisjoint(names):
        return False
    context = fmpq_mpoly_ctx.get(tuple(f"v{index}" for index in range(len(names))), Ordering.lex)
    gens = dict(zip(names, context.gens(), strict=True))
    a, b = _fraction(left, gens, context), _fraction(right, gens, context)
    if a is None or b is None or not a[0] or not b[0]:
        return False
    if a[0] / a[0].leading_coefficient() != b[0] / b[0].leading_coefficient():
        return False
    factors = {str(factor): factor for _, found in (a[1].factor(), b[1].factor()) for factor, _ in found}
    return all(_never_both(a[0], factor) for factor in factors.values())


def as_letters(*nodes: Node) -> tuple[Node, ...]:
    """Equations with sines and their like as letters of their own: what holds whatever these are holds of them."""
    if all(facts(one).operations.isdisjoint(_ATOMS) for one in nodes):
        return nodes
    return tuple(map(_with_letters, nodes))


_ATOMS = frozenset({"sin", "cos", "tan", "exp", "ln"})


def _with_letters(node: Node) -> Node:
    if not isinstance(node, Op):
        return node
    return Sym(repr(node)) if node.name in _ATOMS else Op(node.name, tuple(map(_with_letters, node.args)))


def _never_both(numerator: fmpq_mpoly, factor: fmpq_mpoly) -> bool:
    """Whether a factor of first degree in one letter is nowhere 0 together with the numerator."""
    used = [index for index, degree in enumerate(factor.degrees()) if degree]
    if len(used) != 1 or factor.total_degree() != 1:
        return False
    name = factor.context().name(used[0])
    slope = factor.coefficient(0)
    root = -(factor - slope * factor.context().gen(used[0]))
    constant = fmpq(0) if not root else root.leading_coefficient()
    rest = numerator.subs({name: constant / slope})
    return bool(rest) and rest.is_constant()


def _fraction(node: Node, gens: dict[str, fmpq_mpoly], context: fmpq_mpoly_ctx) -> Fraction | None:
    """Numerator and denominator in lowest terms."""
    found = _raw(node, gens, context)
    if found is None or max(map(len, found)) > MAX_TERMS or max(one.total_degree() for one in found) > MAX_DEGREE:
        return None
    shared = found[0].gcd(found[1])
    return found[0] / shared, found[1] / shared


def _raw(node: Node, gens: dict[str, fmpq_mpoly], context: fmpq_mpoly_ctx) -> Fraction | None:
    one = context.constant(1)
    if isinstance(node, Num):
        return (context.constant(node.value), one) if node.value.height_bits() <= MAX_BITS else None
    if isinstance(node, Sym):
        return gens[node.name], one
    if not isinstance(node, Op):
        return None
    first = _raw(node.args[0], gens, context)
    if first is None:
        return None
    top, bottom = first
    if node.name == "neg":
        return -top, bottom
    if node.name == "pow":
        exponent = node.args[1]
        if not isinstance(exponent, Num) or exponent.value.q != 1 or abs(exponent.value) > MAX_DEGREE:
            return None
        power = int(exponent.value.p)
        if power < 0:
            top, bottom, power = bottom, top, -power
        if (
            not bottom
            or (len(top) + len(bottom)) ** min(power, 4) > MAX_TERMS**2
            or max(top.total_degree(), bottom.total_degree()) * power > MAX_DEGREE
        ):
            return None
        return top**power, bottom**power
    second = _raw(node.args[1], gens, context)
    if second is None:
        return None
    if node.name == "div":
        if not second[0]:
            return None
        second = second[1], second[0]
    if (
        max(len(one) for one in (*first, *second)) > MAX_TERMS
        or max(one.total_degree() for one in (*first, *second)) > 2 * MAX_DEGREE
    ):
        return None
    if node.name == "add":
        return top * second[1] + second[0] * bottom, bottom * second[1]
    return top * second[0], bottom * second[1]
