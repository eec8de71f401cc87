"""Exact rational values, with a bound on their size before any power or factorial is computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial, reduce

from flint import fmpq, fmpz

from rewardkit.math.latex.tree import LimitError, Node, Num, Op, Sym

MAX_BITS = 100_000
"""No exact number may grow beyond this many bits."""

MAX_FACTORIAL = 8_000
"""Larger factorials are left to ball arithmetic."""

MAX_DEGREE = 64
"""No higher roots are taken."""

_NOTHING: dict[str, fmpq] = {}


def rational(node: Node, values: Mapping[str, fmpq] = _NOTHING) -> fmpq | None:
    """The exact value of `node`, or None where it is not a rational we can compute. ZeroDivisionError where undefined."""
    if not isinstance(node, Op):
        return node.value if isinstance(node, Num) else values.get(node.name) if isinstance(node, Sym) else None
    operation = _OPERATIONS.get(node.name)
    if operation is None:
        return None
    args: list[fmpq] = []
    for one in node.args:
        if type(one) is Num:  # a call costs more than the look
            value = one.value
        elif type(one) is Sym:
            value = values.get(one.name)
        else:
            value = rational(one, values)
        if value is None:
            return None
        args.append(value)
    return operation(*args)


def exact_value(node: Node) -> fmpq | None:
    """The exact value of `node`; None also where it is undefined or too large."""
    try:
        return rational(node)
    except (ZeroDivisionError, LimitError):
        return None


def _divide(top: fmpq, bottom: fmpq) -> fmpq:
    if bottom == 0:
        raise ZeroDivisionError
    return _bounded(top / bottom)


def _factorial(n: fmpq) -> fmpq | None:
    return fmpq(fmpz(math.factorial(int(n.p)))) if n.q == 1 and 0 <= n <= MAX_FACTORIAL else None


def _choose(top: fmpq, bottom: fmpq) -> fmpq | None:
    if top.q != 1 or bottom.q != 1 or not 0 <= bottom <= top or top > MAX_FACTORIAL:
        return None
    return fmpq(fmpz(math.comb(int(top.p), int(bottom.p))))


def bits(value: fmpq) -> int:
    """The size of a rational number."""
    return int(value.p).bit_length() + int(value.q).bit_length()


def _bounded(value: fmpq) -> fmpq:
    if value.height_bits() > MAX_BITS // 2 and value.p.height_bits() + value.q.height_bits() > MAX_BITS:
        raise LimitError(f"a number of more than {MAX_BITS} bits")
    return value


def _power(base: fmpq, exponent: fmpq) -> fmpq | None:
    below = exponent.q
    if below != 1:
        if below > MAX_DEGREE or base < 0:
            return None
        rooted = _root(base, int(below))
        return None if rooted is None else _power(rooted, fmpq(exponent.p))
    power = int(exponent.p)
    if base == 0:
        if power < 0:
            raise ZeroDivisionError
        return fmpq(1) if power == 0 else fmpq(0)
    size = 2 * base.height_bits()
    if size == 2:  # 1 and -1
        return fmpq(1) if base == 1 or power % 2 == 0 else fmpq(-1)
    if abs(power) > MAX_BITS or (abs(power) * size > MAX_BITS and abs(power) * bits(base) > MAX_BITS):
        return None
    return base**power if power >= 0 else 1 / base**-power


def _root(value: fmpq, degree: int) -> fmpq | None:
    if degree <= 0 or (value < 0 and degree % 2 == 0):
        return None
    sign = -1 if value < 0 else 1
    top, bottom = abs(value.p).root(degree), value.q.root(degree)
    found = fmpq(sign * top, bottom)
    return found if found**degree == value else None


def _folded(join: Callable[[fmpz, fmpz], fmpz], *args: fmpq) -> fmpq | None:
    if any(one.q != 1 for one in args):
        return None
    return _bounded(fmpq(reduce(join, (one.p for one in args))))


_OF_ONE: dict[str, Callable[[fmpq], fmpq | None]] = {
    "neg": lambda one: -one, "abs": abs, "pct": lambda one: one / 100, "sqrt": lambda one: _root(one, 2), "fact": _factorial,
    "floor": lambda one: fmpq(one.floor()), "ceil": lambda one: fmpq(one.ceil()),
}  # fmt: skip
_OF_TWO: dict[str, Callable[[fmpq, fmpq], fmpq | None]] = {
    "add": lambda left, right: _bounded(left + right), "mul": lambda left, right: _bounded(left * right), "div": _divide,
    "mod": lambda top, bottom: top - bottom * fmpq(_divide(top, bottom).floor()), "pow": _power, "binom": _choose,
    "root": lambda one, degree: _root(one, int(degree.p)) if degree.q == 1 and 0 < degree < MAX_DEGREE else None,
}  # fmt: skip
_OPERATIONS: dict[str, Callable[..., fmpq | None]] = {
    **_OF_ONE, **_OF_TWO, "gcd": partial(_folded, fmpz.gcd), "lcm": partial(_folded, fmpz.lcm),
    "max": lambda *args: max(args) if len(args) > 1 else None, "min": lambda *args: min(args) if len(args) > 1 else None,
}  # fmt: skip
