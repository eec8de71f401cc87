"""Are two scalar expressions the same? Exact rationals first, then balls at fixed random points inside both domains."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache

from flint import acb, arb, ctx, fmpq

from rewardkit.math.ball import Balls, UndefinedError
from rewardkit.math.exact import rational
from rewardkit.math.tree import (
    Builder,
    Cond,
    Labelled,
    LimitError,
    Matrix,
    Node,
    Num,
    Op,
    ParseError,
    Ratio,
    Rel,
    Seq,
    SetOp,
    Sym,
    Unit,
)

PRECISION = 320
"""Bits of working precision."""

AGREE_BITS = 160
"""Two balls agree if they overlap and are narrower than 2**-160 of their size."""

MAX_SYMBOLS = 16
"""Expressions with more variables are not compared by value."""

CONSTANTS = frozenset({"pi", "e", "i", "oo"})
_INTEGER_LETTERS = frozenset({"n", "k", "m", "N", "K", "M", "j", "l", "ell", "p", "q", "r", "d", "t", "s"})
_lock = threading.Lock()


def _new_lock() -> None:
    global _lock  # noqa: PLW0603  (a child process must not inherit a lock that another thread holds)
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


@contextmanager
def working_precision(bits: int = PRECISION) -> Generator[None]:
    """Flint's precision is one for the whole process: set it under a lock, and put it back."""
    with _lock:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def same_value(left: Node, right: Node) -> bool | None:
    """Whether two scalars are equal: True and False are proven (up to 2**-160), None is undecided."""
    if left == right:
        return True
    names = sorted((symbols(left) | symbols(right)) - CONSTANTS)
    if len(names) > MAX_SYMBOLS:
        return None
    steps = bool(names) and (_has_steps(left) or _has_steps(right))
    exact = None if steps else _same_rational(left, right, names)
    if exact is not None:
        return exact
    with working_precision():
        found = _same_function(left, right, names, log_base=0) if names else _same_constant(left, right)
        if (
            found is not True
            and _uses_log(left) != _uses_log(right)
            and not _uses(left, "ln")
            and not _uses(right, "ln")
        ):
            found = (
                _same_function(left, right, names, log_base=10) if names else _same_constant(left, right, log_base=10)
            )
        if found and steps:
            found = _same_on_integers(left, right, names)
        elif (
            found is not True and names and set(names) <= _INTEGER_LETTERS and (_has_parity(left) or _has_parity(right))
        ):
            found = _same_on_integers(left, right, names) or found
    if found is None and isinstance(left, Op) and isinstance(right, Op) and left.name == right.name:
        return _same_parts(left, right)
    return found


def _same_parts(left: Op, right: Op) -> bool | None:
    """Undecided by value: the same operation on the same arguments is the same."""
    if len(left.args) != len(right.args) or not all(
        isinstance(one, Num | Sym | Op) for one in (*left.args, *right.args)
    ):
        return None
    pairs = zip(left.args, right.args, strict=True)
    return True if all(same_value(one, other) for one, other in pairs) else None


def constant_ratio(left: Node, right: Node, *, positive: bool = False) -> bool:
    """Whether left = c * right for one number c (positive where asked), at all points: equations up to a factor."""
    names = sorted((symbols(left) | symbols(right)) - CONSTANTS)
    if not names or len(names) > MAX_SYMBOLS:
        return False
    exact = _rational_ratio(left, right, tuple(names))
    if exact is not None:
        return exact > 0 if positive else exact != 0
    with working_precision():
        first: acb | None = None
        agreed = 0
        for point in _points(tuple(names)):
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
            if agreed == 3 and (_negligible(left, point) or _negligible(right, point)):
                return False
            if first is None:
                first = ratio
            elif _agree(first, ratio) is not True:
                return False
            agreed += 1
        if first is None or agreed < 4:
            return False
        return not positive or bool(first.real > 0)


def _rational_ratio(left: Node, right: Node, names: tuple[str, ...]) -> fmpq | None:
    """The constant left / right, 0 where it is not constant, None where the sides are no rational functions."""
    found: fmpq | None = None
    agreed = 0
    for values in _rational_points(names):
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
    balls = Balls(point, careful=True)
    try:
        balls.value(node)
    except (UndefinedError, LimitError, ParseError):
        return True
    return balls.negligible


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
        return value.real if value.imag.contains(0) and value.imag.rad() < arb(2) ** -AGREE_BITS else None


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


def infinite(node: Node) -> int:
    """1 for infinity, -1 for minus infinity, else 0."""
    if isinstance(node, Sym):
        return int(node.name == "oo")
    if isinstance(node, Op) and node.name == "neg":
        return -infinite(node.args[0])
    if isinstance(node, Op) and node.name == "call:^+":
        return infinite(node.args[0])
    return 0


def symbols(node: Node) -> set[str]:
    """The names of variables and constants in `node`."""
    found: set[str] = set()
    stack: list[Node] = [node]
    while stack:
        one = stack.pop()
        if type(one) is Sym:
            found.add(one.name)
        elif type(one) is not Num:
            stack.extend(children(one))
    return found


def children(node: Node) -> tuple[Node, ...]:
    """The direct parts of `node`."""
    if isinstance(node, Op | Rel | SetOp | Ratio):
        return node.args
    if isinstance(node, Seq):
        return node.items
    if isinstance(node, Matrix):
        return tuple(cell for row in node.rows for cell in row)
    if isinstance(node, Builder):
        return (node.element, *node.conditions)
    if isinstance(node, Unit | Labelled | Cond):
        return (node.value,)
    return ()


def _same_rational(left: Node, right: Node, names: list[str]) -> bool | None:
    """Compare exactly: constants by value, rational functions at random rational points; None where neither applies."""
    agreed = 0
    for values in _rational_points(tuple(names)):
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


_PRIMES = (211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311, 313, 317, 331, 337)


@lru_cache(maxsize=512)
def _rational_points(names: tuple[str, ...]) -> tuple[dict[str, fmpq], ...]:
    """Fixed random rational points: all positive, all negative, mixed, small."""
    rng = random.Random(20_260_101)
    points: list[dict[str, fmpq]] = []
    for signs in ((1, 1), (-1, -1), (1, -1), (-1, 1), (1, 1), (-1, -1), (1, 1)):
        low, high = (3, 200) if len(points) in {3, 6} else (2_000, 99_991)
        values = (fmpq(signs[index % 2] * rng.randint(low, high), rng.choice(_PRIMES)) for index in range(len(names)))
        points.append(dict(zip(names, values, strict=True)))
    return tuple(points)


def _same_constant(left: Node, right: Node, log_base: int = 0) -> bool | None:
    bits = PRECISION
    for _ in range(3):
        ctx.prec = bits
        try:
            a, b = Balls({}, log_base=log_base).value(left), Balls({}, log_base=log_base).value(right)
        except (UndefinedError, LimitError, ParseError):
            return None
        if not (a.is_finite() and b.is_finite()):
            return None
        size = _size(a, b)
        if size > 200 and (_uses(left, "add") or _uses(right, "add")):
            if size > 8_000:
                return None if a.overlaps(b) else False
            if bits < size + PRECISION:
                bits = size + PRECISION
                continue
        found = _agree(a, b)
        if found and (_negligible(left, {}) or _negligible(right, {})):
            found = None
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


def _agree(a: acb, b: acb) -> bool | None:
    if not a.overlaps(b):
        return False
    scale = abs(a).upper() + abs(b).upper()
    if scale == 0:
        return True
    tight = arb(2) ** -AGREE_BITS
    radius = (a - b).real.rad() + (a - b).imag.rad()
    if radius < scale * tight or (scale < tight and radius < tight):
        return True
    return None


def _same_function(left: Node, right: Node, names: list[str], log_base: int) -> bool | None:
    real_hits = complex_hits = 0
    enough = len(_RANGES) if _has_steps(left) or _has_steps(right) else 5
    complex_same = True
    for point in _points(tuple(names)):
        balls = Balls(point, log_base=log_base)
        try:
            a, b = balls.value(left), balls.value(right)
        except UndefinedError:
            continue
        except (LimitError, ParseError):
            return None
        if not (a.is_finite() and b.is_finite()):
            continue
        real = _is_real(a), _is_real(b)
        found = _agree(a, b)
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


def _same_on_integers(left: Node, right: Node, names: list[str]) -> bool | None:
    hits = 0
    for point in _integer_points(tuple(names)):
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
            return None
        if not (a.is_finite() and b.is_finite()):
            continue
        if _agree(a, b) is not True:
            return None
        hits += 1
    return True if hits >= 6 else None


@lru_cache(maxsize=512)
def _integer_points(names: tuple[str, ...]) -> tuple[dict[str, int], ...]:
    """Whole numbers: small ones of all parities, larger ones, a negative one."""
    rng = random.Random(4_242)
    points: list[dict[str, int]] = [dict.fromkeys(names, step) for step in range(31)] if len(names) == 1 else []
    for low, high, count in ((0, 9, 16), (3, 40, 8), (900, 3000, 2), (-9, -1, 2)):
        points.extend({name: rng.randint(low, high) for name in names} for _ in range(count))
    return tuple(points)


def _has_steps(node: Node) -> bool:
    """Whether `node` has pieces that differ only at single points or far out: floors, remainders, maxima."""
    return _uses(node, "floor", "ceil", "mod", "max", "min", "gcd", "lcm", "sgn")


def _is_real(value: acb) -> bool:
    return value.imag == 0 or (value.imag.contains(0) and value.imag.rad() < arb(2) ** -AGREE_BITS)


_RANGES = ((0.6, 3.2), (-3.4, -0.3), (0.04, 0.96), (2.1, 9.7), (-0.95, 0.95), (0.2, 1.4), (-9.0, 9.0), (11.0, 60.0), (-0.5, 0.6), (0.7, 5.0),
           (-40.0, -5.0), (0.1, 0.6), (700.0, 90_000.0))  # fmt: skip


@lru_cache(maxsize=512)
def _points(names: tuple[str, ...]) -> tuple[dict[str, acb], ...]:
    """Fixed random points: positive, negative, small, large, inside (-1, 1)."""
    rng = random.Random(7_331)
    points: list[dict[str, acb]] = []
    for low, high in _RANGES:
        points.append({name: acb(arb(fmpq(int(rng.uniform(low, high) * 2**40) | 1, 2**40))) for name in names})
    return tuple(points)


def _uses(node: Node, *names: str) -> bool:
    stack: list[Node] = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, Op) and one.name in names:
            return True
        stack.extend(children(one))
    return False


def _uses_log(node: Node) -> bool:
    return _uses(node, "log")


def _has_parity(node: Node) -> bool:
    """Whether whole-number variables matter: (-1)^n, floors, remainders, cos(n pi)."""
    if isinstance(node, Op):
        if node.name in {"floor", "ceil", "mod", "fact", "binom", "dfact"}:
            return True
        if (
            node.name == "pow"
            and isinstance(node.args[0], Num | Op)
            and (value := rational(node.args[0])) is not None
            and value < 0
        ):
            return True
        if node.name in {"sin", "cos", "tan", "exp"} and "pi" in symbols(node):
            return True
    return any(_has_parity(one) for one in children(node))
