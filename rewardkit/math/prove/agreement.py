"""Whether two expressions agree as balls: as constants, at real points, at whole numbers, beyond jumps."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence

from flint import acb, arb, ctx, fmpq

from rewardkit.math.latex.tree import LimitError, Node, ParseError
from rewardkit.math.latex.walk import facts, uses
from rewardkit.math.prove.ball import Balls
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.functions import UndefinedError
from rewardkit.math.prove.points import RANGES, STEPS, edge_points, integer_points, jump_points, longest, points, sizes

PRECISION = 320
"""Bits of working precision."""

AGREE_BITS = 160
"""Two balls agree if they overlap and are narrower than 2**-160 of their size."""

TIGHT = arb(2) ** -AGREE_BITS

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


_NO_VALUE = (UndefinedError, LimitError, ParseError)


def _both(left: Node, right: Node, balls: Balls) -> tuple[acb, acb]:
    """The values of both sides. Raises UndefinedError, LimitError or ParseError."""
    a, b = balls.value(left), balls.value(right)
    if not (a.is_finite() and b.is_finite()):
        raise UndefinedError
    return a, b


def same_values(left: Node, right: Node, names: Sequence[str], *, log_base: int = 0) -> bool | None:
    """Whether constants or, at fixed points, functions of `names` are equal; None where that is undecided."""
    return _same_function(left, right, names, log_base) if names else _same_constant(left, right, log_base)


def _same_constant(left: Node, right: Node, log_base: int) -> bool | None:
    """Compare constants, with more digits where they do not tell."""
    bits = PRECISION + 4 * longest(left, right)
    for _ in range(3):
        ctx.prec = bits
        try:
            a, b = _both(left, right, Balls({}, log_base=log_base))
        except _NO_VALUE:
            return None
        size = _size(a, b)
        if size > 200 and "add" in facts(left).operations | facts(right).operations:
            if size > 8_000:
                return None if a.overlaps(b) else False
            if bits < size + PRECISION:
                bits = size + PRECISION
                continue
        found = agree(a, b)
        if found is False or (found and not (negligible(left, {}) or negligible(right, {}))):
            return found
        bits *= 4
    return None


def _size(a: acb, b: acb) -> int:
    big = max(abs(a).upper(), abs(b).upper())
    mantissa, exponent = big.man_exp()
    return int(exponent) + int(mantissa).bit_length()


def agree(a: acb, b: acb) -> bool | None:
    """Whether two balls are one number: False if they are apart, None if they are too wide."""
    if not a.overlaps(b):
        return False
    scale = abs(a).upper() + abs(b).upper()
    apart = a - b
    radius = apart.real.rad() + apart.imag.rad()
    return True if radius < scale * TIGHT or (scale < TIGHT and radius < TIGHT) else None


def _same_function(left: Node, right: Node, names: Sequence[str], log_base: int) -> bool | None:
    """Compare at fixed real points inside both domains; at complex values only where no real ones are."""
    real_hits = complex_hits = 0
    complex_same = True
    enough = len(RANGES) if uses(STEPS, left, right) else 5
    plane = in_plane(names, left, right)
    for point in points(tuple(names), plane):
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
            if real_hits == 1 and found and (negligible(left, point) or negligible(right, point)):
                return None
            if real_hits >= enough:
                return True
        elif plane and any(real):
            return False
        elif not any(real):
            complex_hits += found is True
            complex_same = complex_same and found is True
    if real_hits >= 2:
        return True
    if real_hits == 0 and complex_hits >= 3:
        return complex_same
    return None


def negligible(node: Node, point: dict[str, acb]) -> bool:
    """Whether some sum in `node` has a term too small to be seen at our precision."""
    if facts(node).operations <= _SEEN:
        return False
    balls = Balls(point, careful=True)
    try:
        balls.value(node)
    except _NO_VALUE:
        return True
    return balls.negligible


_SEEN = frozenset({"mul", "div", "neg", "pow", "sqrt", "abs", "pct", "root"})
"""Operations in which nothing gets lost."""


def in_plane(names: Iterable[str], *nodes: Node) -> frozenset[str]:
    """The letters that stand for complex numbers: z and w beside bars, conjugates and parts, where no x and y are coordinates."""
    found = PLANE.intersection(names)
    shown = found and uses(_SHOW_PLANE, *nodes)
    return found if shown and _COORDINATES.isdisjoint(names) else frozenset()


PLANE = frozenset({"z", "w"})
_COORDINATES = frozenset({"x", "y"})
_SHOW_PLANE = frozenset({"abs", "Re", "Im", "conj", "arg", "call:overline", "call:^*"})


def same_beyond(left: Node, right: Node, names: tuple[str, ...], *, steps: bool) -> bool:
    """What agrees near 0 also where it may change: beside jumps, and beyond the numbers that are in it."""
    places = jump_points(names, sizes(left, right), steps=steps)
    bases = (0, 10) if "log" in facts(left).operations | facts(right).operations else (0,)
    return any(not any(_differ(left, right, Balls(point, log_base=base)) for point in places) for base in bases)


def _differ(left: Node, right: Node, balls: Balls) -> bool:
    """Whether two expressions have different real values at a point."""
    try:
        a, b = _both(left, right, balls)
    except _NO_VALUE:
        return False
    return is_real(a) and is_real(b) and agree(a, b) is False


def same_on_integers(left: Node, right: Node, names: list[str]) -> bool | None:
    """Whether two expressions agree at whole numbers."""
    hits = 0
    near = integer_points(tuple(names))
    far = edge_points(tuple(names), sizes(left, right)) if uses(STEPS, left, right) else ()
    for place, point in enumerate((*near, *far)):
        whole = {name: fmpq(value) for name, value in point.items()}
        try:
            exact = rational(left, whole), rational(right, whole)
            if exact[0] is None or exact[1] is None:
                same = agree(*_both(left, right, Balls({name: acb(value) for name, value in point.items()})))
            else:
                same = exact[0] == exact[1]
        except (UndefinedError, ZeroDivisionError):
            continue
        except (LimitError, ParseError):
            if place >= len(near):
                continue
            return None
        if same is not True:
            return None
        hits += 1
    return True if hits >= 6 else None


def is_real(value: acb) -> bool:
    """Whether a ball is a real number."""
    return value.imag == 0 or (value.imag.contains(0) and value.imag.rad() < TIGHT)
