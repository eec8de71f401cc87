"""Are two scalar expressions the same? Exact rationals first, then balls at fixed random points inside both domains."""

from __future__ import annotations

from flint import acb, arb, fmpq

from rewardkit.math.latex.tree import LimitError, Node, Num, Op, ParseError, Sym
from rewardkit.math.latex.walk import CONSTANTS, canonical, facts, infinite, symbols
from rewardkit.math.prove.agreement import (
    TIGHT,
    agree,
    in_plane,
    negligible,
    same_beyond,
    same_constant,
    same_function,
    same_on_integers,
    working_precision,
)
from rewardkit.math.prove.ball import Balls
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.functions import UndefinedError
from rewardkit.math.prove.points import points, rational_points
from rewardkit.math.prove.questions import has_parity, has_pieces, has_steps, jumps_anywhere

MAX_SYMBOLS = 16
"""Expressions with more variables are not compared by value."""

_INTEGER_LETTERS = frozenset({"n", "k", "m", "N", "K", "M", "j", "l", "ell"})
"""Letters that count something where nothing is said; others (t, r, p) may be any real number."""


def same_value(left: Node, right: Node, *, rationals: bool = True) -> bool | None:
    """Whether two scalars are equal: True and False are proven (up to 2**-160), None is undecided.

    Without `rationals`, they are known not to be two rational numbers.
    """
    if left == right:
        return True
    one, other = facts(left), facts(right)
    names = sorted((one.names | other.names) - CONSTANTS)
    if len(names) > MAX_SYMBOLS:
        return None
    real = bool(names) and not in_plane(names, left, right)
    steps = real and (has_steps(left) or has_steps(right))
    letters = _as_letters(left, right, one.names | other.names)
    tried = (rationals or letters) and not steps and (real or not names)
    exact = _same_rational(left, right, [*names, *letters]) if tried else None
    pieces = real and (has_pieces(left) or has_pieces(right))
    if exact is not None and not (exact and pieces):
        return exact
    with working_precision():
        if exact:
            return same_beyond(left, right, tuple(names), steps=steps)
        found = same_function(left, right, names, log_base=0) if names else same_constant(left, right)
        logs = found is not True and ("log" in one.operations) != ("log" in other.operations)
        if logs and "ln" not in one.operations and "ln" not in other.operations:
            found = same_function(left, right, names, log_base=10) if names else same_constant(left, right, log_base=10)
        if found and pieces:
            found = same_beyond(left, right, tuple(names), steps=steps)
        if found and steps:
            found = same_on_integers(left, right, names)
            if not set(names) <= _INTEGER_LETTERS and jumps_anywhere(left) != jumps_anywhere(right):
                found = None  # what jumps may do so at single points
        elif found is not True and names and set(names) <= _INTEGER_LETTERS and (has_parity(left) or has_parity(right)):
            found = same_on_integers(left, right, names) or found
    if found is None and canonical(left) == canonical(right):
        return True
    return found


def _as_letters(left: Node, right: Node, names: frozenset[str]) -> list[str]:
    """The constants that may be tried as letters: pi, which solves no equation, and i where both sides are a + bi."""
    if names.isdisjoint(_LIKE_LETTERS) or not names.isdisjoint({"e", "oo"}):
        return []
    degrees = _degree(left), _degree(right)
    return sorted(names & _LIKE_LETTERS) if all(one in {0, 1} for one in degrees) else []


_LIKE_LETTERS = frozenset({"pi", "i"})


def _degree(node: Node) -> int | None:
    """The degree of i; None where pi or i stands elsewhere than in sums, products, quotients and whole powers."""
    if symbols(node).isdisjoint(_LIKE_LETTERS):
        return 0
    if not isinstance(node, Op):
        return int(node == Sym("i")) if isinstance(node, Sym) else None
    degrees = [degree for one in node.args if (degree := _degree(one)) is not None]
    if len(degrees) < len(node.args):
        return None
    if node.name in {"add", "neg", "pct"}:
        return max(degrees)
    if node.name == "mul":
        return sum(degrees)
    if node.name == "div" and not degrees[1]:
        return degrees[0]
    power = node.args[-1]
    whole = node.name == "pow" and isinstance(power, Num) and power.value.q == 1 and not degrees[0]
    return 0 if whole else None


def constant_ratio(left: Node, right: Node, *, positive: bool = False) -> bool:
    """Whether left = c * right for one number c (positive where asked), at all points: equations up to a factor."""
    names = sorted((symbols(left) | symbols(right)) - CONSTANTS)
    if not names or len(names) > MAX_SYMBOLS:
        return False
    plane = in_plane(names, left, right)
    exact = None if plane else _rational_ratio(left, right, tuple(names))
    if exact is not None:
        pieces = bool(exact) and (has_pieces(left) or has_pieces(right))
        if pieces and not same_value(left, Op("mul", (Num(exact), right))):
            return False
        return exact > 0 if positive else exact != 0
    with working_precision():
        first: acb | None = None
        agreed = 0
        for point in points(tuple(names), plane):
            try:
                balls = Balls(point)
                top, bottom = balls.value(left), balls.value(right)
            except (UndefinedError, LimitError):
                continue
            except ParseError:
                return False
            if not (top.is_finite() and bottom.is_finite()) or bottom.contains(0) or top.contains(0):
                if top.is_finite() and bottom.is_finite() and bottom.contains(0) != top.contains(0):
                    return False
                continue
            ratio = top / bottom
            if agreed == 3 and (negligible(left, point) or negligible(right, point)):
                return False
            if first is None:
                first = ratio
            elif agree(first, ratio) is not True:
                return False
            agreed += 1
        if first is None or agreed < 4:
            return False
        return not positive or bool(first.real > 0)


def _rational_ratio(left: Node, right: Node, names: tuple[str, ...]) -> fmpq | None:
    """The constant left / right, 0 where it is not constant, None where the sides are not rational functions."""
    found: fmpq | None = None
    agreed = 0
    for values in rational_points(names):
        try:
            a, b = rational(left, values), rational(right, values)
        except (ZeroDivisionError, LimitError):
            continue
        if a is None or b is None:
            return None
        if a == 0 or b == 0:
            if a != b:
                return fmpq(0)
            continue
        if found is not None and a / b != found:
            return fmpq(0)
        found = a / b
        agreed += 1
    return found if agreed >= 4 else None


def real_value(node: Node) -> arb | None:
    """The real ball of a constant, or None."""
    if symbols(node) - CONSTANTS:
        return None
    with working_precision():
        try:
            value = Balls({}).value(node)
        except (UndefinedError, LimitError, ParseError):
            return None
        if not value.is_finite():
            return None
        if value.imag == 0:
            return value.real
        return value.real if value.imag.contains(0) and value.imag.rad() < TIGHT else None


def order(left: Node, right: Node) -> int | None:
    """-1, 0 or 1 as left is below, equal to or above right; None where that is not proven. Infinity is understood."""
    low, high = infinite(left), infinite(right)
    if low or high:
        return (low > high) - (low < high)
    a, b = rational(left), rational(right)
    if a is not None and b is not None:
        return (a > b) - (a < b)
    x, y = real_value(left), real_value(right)
    if x is None or y is None:
        return None
    if x < y:
        return -1
    if x > y:
        return 1
    return 0 if same_value(left, right) else None


def _same_rational(left: Node, right: Node, names: list[str]) -> bool | None:
    """Compare exactly: constants by value, rational functions at random rational points; None where neither applies."""
    agreed = 0
    for values in rational_points(tuple(names)):
        try:
            a = rational(left, values)
            if a is None:
                return None
            b = rational(right, values)
        except ZeroDivisionError:
            continue
        except LimitError:
            return None
        if b is None:
            return None
        if a != b:
            return False
        agreed += 1
        if not names or agreed == 4:
            return True
    return None
