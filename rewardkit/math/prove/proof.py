"""Are two scalar expressions the same? Exact rationals first, then balls at fixed random points inside both domains."""

from __future__ import annotations

from collections.abc import Iterator

from flint import acb, arb, fmpq

from rewardkit.math.latex.tree import LimitError, Node, Num, Op, ParseError, Rel
from rewardkit.math.latex.walk import CONSTANTS, canonical, facts, infinite, symbols, uses
from rewardkit.math.prove import agreement
from rewardkit.math.prove.ball import Balls
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.functions import UndefinedError
from rewardkit.math.prove.points import PIECEWISE, STEPS, has_parity, jumps_anywhere, points, rational_points

MAX_SYMBOLS = 16
"""Expressions with more variables are not compared by value."""

ENOUGH = 4
"""At so many points rational functions that agree are one."""

_INTEGER_LETTERS = frozenset({"n", "k", "m", "N", "K", "M", "j", "l", "ell"})
"""Letters that count something where nothing is said; others (t, r, p) may be any real number."""


def same_value(left: Node, right: Node) -> bool | None:
    """Whether two scalars are equal: True and False are proven (up to 2**-160), None is undecided."""
    one, other = facts(left), facts(right)
    names, operations = one.names | other.names, one.operations | other.operations
    letters = sorted(names - CONSTANTS)
    if len(letters) > MAX_SYMBOLS:
        return None
    plane = bool(letters) and not agreement.PLANE.isdisjoint(letters) and bool(agreement.in_plane(letters, left, right))
    steps = not (plane or STEPS.isdisjoint(operations)) and bool(letters)
    pieces = not (plane or PIECEWISE.isdisjoint(operations)) and bool(letters)
    exact = None
    if not (plane or steps):
        exact = _same_rational(left, right, tuple(letters)) if letters else None
        if exact is not None and not (exact and pieces):
            return exact
    with agreement.working_precision():
        if exact:
            return agreement.same_beyond(left, right, tuple(letters), steps=steps)
        found = agreement.same_values(left, right, letters)
        if found is not True and "ln" not in operations and ("log" in one.operations) != ("log" in other.operations):
            found = agreement.same_values(left, right, letters, log_base=10)
        if found and pieces:
            found = agreement.same_beyond(left, right, tuple(letters), steps=steps)
        counted = _INTEGER_LETTERS.issuperset(letters)
        if found and steps:
            found = agreement.same_on_integers(left, right, letters)
            if not counted and jumps_anywhere(left) != jumps_anywhere(right):
                found = None  # what jumps may do so at single points
        elif found is not True and letters and counted and (has_parity(left) or has_parity(right)):
            found = agreement.same_on_integers(left, right, letters) or found
    return True if found is None and canonical(left) == canonical(right) else found


def constant_ratio(left: Node, right: Node, *, positive: bool = False) -> bool:
    """Whether left = c * right for one number c (positive where asked), at all points: equations up to a factor."""
    names = sorted((symbols(left) | symbols(right)) - CONSTANTS)
    if not names or len(names) > MAX_SYMBOLS:
        return False
    plane = agreement.in_plane(names, left, right)
    exact = None if plane else _rational_ratio(left, right, tuple(names))
    if exact is not None:
        pieces = bool(exact) and uses(PIECEWISE, left, right)
        if pieces and not same_value(left, Op("mul", (Num(exact), right))):
            return False
        return exact > 0 if positive else exact != 0
    with agreement.working_precision():
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
            if agreed == 3 and (agreement.negligible(left, point) or agreement.negligible(right, point)):
                return False
            if first is None:
                first = ratio
            elif agreement.agree(first, ratio) is not True:
                return False
            agreed += 1
        if first is None or agreed < 4:
            return False
        return not positive or bool(first.real > 0)


def _rational_ratio(left: Node, right: Node, names: tuple[str, ...]) -> fmpq | None:
    """The constant left / right, 0 where it is not constant, None where the sides are not rational functions."""
    ratios: list[fmpq] = []
    for a, b in _at_rationals(left, right, names):
        if a is None or b is None:
            return None
        if a == 0 or b == 0:
            if a != b:
                return fmpq(0)
        else:
            ratios.append(a / b)
            if ratios[0] != ratios[-1]:
                return fmpq(0)
    return ratios[0] if len(ratios) >= ENOUGH else None


def _same_rational(left: Node, right: Node, names: tuple[str, ...]) -> bool | None:
    """Compare rational functions exactly, at random rational points; None where a side is none."""
    for agreed, (a, b) in enumerate(_at_rationals(left, right, names), 1):
        if a is None or b is None:
            return None
        if a != b or agreed == ENOUGH:
            return a == b
    return None


def _at_rationals(left: Node, right: Node, names: tuple[str, ...]) -> Iterator[tuple[fmpq | None, fmpq | None]]:
    """The exact values of both sides at the points at which both have one; None of a side that is not rational."""
    for values in rational_points(names):
        try:
            a = rational(left, values)
            yield a, None if a is None else rational(right, values)
        except (ZeroDivisionError, LimitError):
            continue


def real_value(node: Node) -> arb | None:
    """The real ball of a constant, or None."""
    if symbols(node) - CONSTANTS:
        return None
    with agreement.working_precision():
        try:
            value = Balls({}).value(node)
        except (UndefinedError, LimitError, ParseError):
            return None
        return value.real if value.is_finite() and agreement.is_real(value) else None


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
    if x < y or x > y:
        return 1 if x > y else -1
    return 0 if same_value(left, right) else None


_BEYOND = (fmpq(1, 7), fmpq(1), fmpq(53, 10))
"""How far beyond a bound a formula is tried."""


def is_natural(node: Node, letter: str, relation: str, bound: fmpq) -> bool:
    """Whether a formula has no real value where a letter does not satisfy a condition: 1/x where x != 0, ln x where x > 0."""
    value = node.args[-1] if isinstance(node, Rel) else node
    outside = [bound] if relation in {"!=", "<", ">"} else []
    if relation != "!=":
        outside += [bound - step if relation[0] == ">" else bound + step for step in _BEYOND]
    with agreement.working_precision():
        return all(not _has_value(value, letter, at) for at in outside)


def _has_value(node: Node, letter: str, at: fmpq) -> bool:
    balls = Balls({letter: acb(arb(at))})
    try:
        found = balls.value(node)
    except (UndefinedError, LimitError, ParseError, ZeroDivisionError):
        return False
    return found.is_finite() and agreement.is_real(found) and not balls.imaginary
