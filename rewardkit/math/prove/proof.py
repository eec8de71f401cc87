"""Are two scalar expressions the same? Exact rationals first, then balls at fixed random points inside both domains."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable

from flint import acb, arb, ctx, fmpq

from rewardkit.math.latex.tree import (
    LimitError,
    Node,
    Num,
    Op,
    ParseError,
    Sym,
)
from rewardkit.math.latex.walk import (
    CONSTANTS,
    canonical,
    facts,
    has_parity,
    has_pieces,
    has_steps,
    infinite,
    jumps_anywhere,
    longest,
    sizes,
    symbols,
    uses,
)
from rewardkit.math.prove.ball import Balls
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.functions import UndefinedError
from rewardkit.math.prove.points import (
    RANGES,
    edge_points,
    integer_points,
    jump_points,
    plane_points,
    rational_points,
    real_points,
)

PRECISION = 320
"""Bits of working precision."""

AGREE_BITS = 160
"""Two balls agree if they overlap and are narrower than 2**-160 of their size."""

_TIGHT = arb(2) ** -AGREE_BITS

MAX_SYMBOLS = 16
"""Expressions with more variables are not compared by value."""

_INTEGER_LETTERS = frozenset({"n", "k", "m", "N", "K", "M", "j", "l", "ell"})
"""Letters that count something where nothing is said; others (t, r, p) may be any real number."""
_lock = threading.Lock()


def _new_lock() -> None:
    global _lock  # noqa: PLW0603  (a child process must not inherit a lock that another thread holds)
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


class working_precision:  # noqa: N801  (reads as a function; a generator as a context manager costs twice as much)
    """Flint's precision is one for the whole process: set it under a lock, and put it back."""

    def __init__(self, bits: int = PRECISION) -> None:
        self.bits = bits

    def __enter__(self) -> None:
        self.lock = _lock
        self.lock.acquire()
        self.before = ctx.prec
        ctx.prec = self.bits

    def __exit__(self, *_: object) -> None:
        ctx.prec = self.before
        self.lock.release()


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
    if ("z" in names or "w" in names) and (complex_names := in_plane(names, one.operations | other.operations)):
        return _same_in_plane(left, right, tuple(names), complex_names)
    steps = bool(names) and (has_steps(left) or has_steps(right))
    exact = _same_rational(left, right, names) if rationals and not steps else None
    pieces = bool(names) and (has_pieces(left) or has_pieces(right))
    if exact is not None and not (exact and pieces):
        return exact
    with working_precision():
        if exact:
            return _same_beyond(left, right, tuple(names), steps=steps)
        found = _same_function(left, right, names, log_base=0) if names else _same_constant(left, right)
        logs = found is not True and ("log" in one.operations) != ("log" in other.operations)
        if logs and "ln" not in one.operations and "ln" not in other.operations:
            found = (
                _same_function(left, right, names, log_base=10) if names else _same_constant(left, right, log_base=10)
            )
        if found and pieces:
            found = _same_beyond(left, right, tuple(names), steps=steps)
        if found and steps:
            found = _same_on_integers(left, right, names)
            if not set(names) <= _INTEGER_LETTERS and jumps_anywhere(left) != jumps_anywhere(right):
                found = None  # what jumps may do so at single points
        elif found is not True and names and set(names) <= _INTEGER_LETTERS and (has_parity(left) or has_parity(right)):
            found = _same_on_integers(left, right, names) or found
    if found is None and canonical(left) == canonical(right):
        return True
    if found is None and isinstance(left, Op) and isinstance(right, Op) and left.name == right.name:
        return _same_parts(left, right)
    return found


def _same_parts(left: Op, right: Op) -> bool | None:
    """Undecided by value: the same operation on the same arguments is the same."""
    if len(left.args) != len(right.args) or not all(
        isinstance(one, (Num, Sym, Op)) for one in (*left.args, *right.args)
    ):
        return None
    pairs = zip(left.args, right.args, strict=True)
    return True if all(same_value(one, other) for one, other in pairs) else None


def constant_ratio(left: Node, right: Node, *, positive: bool = False) -> bool:
    """Whether left = c * right for one number c (positive where asked), at all points: equations up to a factor."""
    names = sorted((symbols(left) | symbols(right)) - CONSTANTS)
    if not names or len(names) > MAX_SYMBOLS:
        return False
    complex_names = in_plane(names, facts(left).operations | facts(right).operations)
    exact = None if complex_names else _rational_ratio(left, right, tuple(names))
    if exact is not None:
        pieces = bool(exact) and (has_pieces(left) or has_pieces(right))
        if pieces and not same_value(left, Op("mul", (Num(exact), right))):
            return False
        return exact > 0 if positive else exact != 0
    with working_precision():
        first: acb | None = None
        agreed = 0
        points = plane_points(tuple(names), complex_names) if complex_names else real_points(tuple(names))
        for point in points:
            try:
                balls = Balls(point, in_plane=bool(complex_names))
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
            if agreed == 3 and (_negligible(left, point) or _negligible(right, point)):
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
    """The constant left / right, 0 where it is not constant, None where the sides are no rational functions."""
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


def _negligible(node: Node, point: dict[str, acb]) -> bool:
    """Whether some sum in `node` has a term too small to be seen at our precision."""
    if facts(node).operations <= _SEEN:
        return False
    balls = Balls(point, careful=True)
    try:
        balls.value(node)
    except (UndefinedError, LimitError, ParseError):
        return True
    return balls.negligible


_SEEN = frozenset({"mul", "div", "neg", "pow", "sqrt", "abs", "pct", "root"})
"""Operations in which nothing gets lost."""


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
        return value.real if value.imag.contains(0) and value.imag.rad() < _TIGHT else None


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


def _same_constant(left: Node, right: Node, log_base: int = 0) -> bool | None:
    bits, digits = PRECISION, -1
    for _ in range(3):
        ctx.prec = bits
        try:
            a, b = Balls({}, log_base=log_base).value(left), Balls({}, log_base=log_base).value(right)
        except (UndefinedError, LimitError, ParseError):
            return None
        if not (a.is_finite() and b.is_finite()):
            return None
        size = _size(a, b)
        if size > 200 and (uses(left, "add") or uses(right, "add")):
            if size > 8_000:
                return None if a.overlaps(b) else False
            if bits < size + PRECISION:
                bits = size + PRECISION
                continue
        found = agree(a, b)
        if found and (_negligible(left, {}) or _negligible(right, {})):
            found = None
        if found and digits < 0 and (digits := longest(left, right)):
            bits += 4 * digits
            continue
        if found is not None:
            return found
        bits *= 4
    return None


def _size(a: acb, b: acb) -> int:
    big = max(abs(a).upper(), abs(b).upper())
    if not big > 1:
        return 0
    mantissa, exponent = big.man_exp()
    return int(exponent) + int(mantissa).bit_length()


def agree(a: acb, b: acb) -> bool | None:
    """Whether two balls are one number: False if they are apart, None if they are too wide."""
    if not a.overlaps(b):
        return False
    scale = abs(a).upper() + abs(b).upper()
    if scale == 0:
        return True
    apart = a - b
    radius = apart.real.rad() + apart.imag.rad()
    if radius < scale * _TIGHT or (scale < _TIGHT and radius < _TIGHT):
        return True
    return None


def _same_function(left: Node, right: Node, names: list[str], log_base: int) -> bool | None:
    real_hits = complex_hits = 0
    enough = len(RANGES) if has_steps(left) or has_steps(right) else 5
    complex_same = True
    for point in real_points(tuple(names)):
        balls = Balls(point, log_base=log_base)
        try:
            a, roots = balls.value(left), balls.imaginary
            balls.imaginary = False
            b = balls.value(right)
        except UndefinedError:
            continue
        except (LimitError, ParseError):
            return None
        if not (a.is_finite() and b.is_finite()):
            continue
        real = is_real(a) and not roots, is_real(b) and not balls.imaginary
        found = agree(a, b)
        if all(real):
            if found is False:
                return False
            real_hits += found is True
            if real_hits == 1 and found and (_negligible(left, point) or _negligible(right, point)):
                return None
            if real_hits >= enough:
                return True
        elif not any(real):
            complex_hits += found is True
            complex_same = complex_same and found is True
    if real_hits >= 2:
        return True
    if real_hits == 0 and complex_hits >= 3:
        return complex_same
    return None


def in_plane(names: Iterable[str], operations: frozenset[str]) -> frozenset[str]:
    """The letters that stand for complex numbers: z and w beside bars, conjugates and parts, where no x and y are coordinates."""
    found = _PLANE.intersection(names)
    if not found or operations.isdisjoint(_IN_PLANE) or not _COORDINATES.isdisjoint(names):
        return frozenset()
    return found


_PLANE = frozenset({"z", "w"})
_COORDINATES = frozenset({"x", "y"})
_IN_PLANE = frozenset({"abs", "Re", "Im", "conj", "arg", "call:overline", "call:^*"})


def _same_in_plane(left: Node, right: Node, names: tuple[str, ...], complex_names: frozenset[str]) -> bool | None:
    """Whether two expressions agree at points of the complex plane."""
    hits = 0
    with working_precision():
        for point in plane_points(names, complex_names):
            try:
                balls = Balls(point, in_plane=True)
                a, b = balls.value(left), balls.value(right)
            except UndefinedError:
                continue
            except (LimitError, ParseError):
                return None
            if not (a.is_finite() and b.is_finite()):
                continue
            if agree(a, b) is not True:
                return False
            hits += 1
    return True if hits >= 4 else None


def _same_beyond(left: Node, right: Node, names: tuple[str, ...], *, steps: bool) -> bool | None:
    """What agrees near 0 also where it may change: beside jumps, and beyond the numbers that stand in it."""
    for log_base in (0, 10):
        for point in jump_points(names, sizes(left, right), steps=steps):
            balls = Balls(point, log_base=log_base)
            try:
                a, b = balls.value(left), balls.value(right)
            except (UndefinedError, LimitError, ParseError):
                continue
            if a.is_finite() and b.is_finite() and is_real(a) and is_real(b) and agree(a, b) is False:
                break
        else:
            return True
        if not (uses(left, "log") or uses(right, "log")):
            break
    return False


def _same_on_integers(left: Node, right: Node, names: list[str]) -> bool | None:
    hits = 0
    near = integer_points(tuple(names))
    far = edge_points(tuple(names), sizes(left, right)) if has_steps(left) or has_steps(right) else ()
    for place, point in enumerate((*near, *far)):
        whole = {name: fmpq(value) for name, value in point.items()}
        balls = Balls({name: acb(value) for name, value in point.items()})
        try:
            exact = rational(left, whole), rational(right, whole)
            if exact[0] is not None and exact[1] is not None:
                if exact[0] != exact[1]:
                    return None
                hits += 1
                continue
            a, b = balls.value(left), balls.value(right)
        except (UndefinedError, ZeroDivisionError):
            continue
        except (LimitError, ParseError):
            if place >= len(near):
                continue
            return None
        if not (a.is_finite() and b.is_finite()):
            continue
        if agree(a, b) is not True:
            return None
        hits += 1
    return True if hits >= 6 else None


def is_real(value: acb) -> bool:
    """Whether a ball is a real number."""
    return value.imag == 0 or (value.imag.contains(0) and value.imag.rad() < _TIGHT)
