"""Exact rational values, with a bound on their size before any power or factorial is computed."""

from __future__ import annotations

import math
from collections.abc import Mapping

from flint import fmpq, fmpz

from rewardkit.math.latex.tree import LimitError, Node, Num, Op, Sym
from rewardkit.math.latex.vocabulary import word_set

MAX_BITS = 100_000
"""No exact number may grow beyond so many bits."""

MAX_FACTORIAL = 8_000
"""Larger factorials are left to ball arithmetic."""

_NOTHING: dict[str, fmpq] = {}


def rational(node: Node, values: Mapping[str, fmpq] = _NOTHING) -> fmpq | None:
    """The exact value of `node`, or None where it is no rational we can compute. ZeroDivisionError where undefined."""
    if not isinstance(node, Op):
        return node.value if isinstance(node, Num) else values.get(node.name) if isinstance(node, Sym) else None
    name = node.name
    if name not in _KNOWN:
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
    first = args[0]
    if name == "add":
        return _bounded(first + args[1])
    if name == "mul":
        return _bounded(first * args[1])
    if name == "neg":
        return -first
    if name == "pow":
        return _power(first, args[1])
    if name == "div":
        if args[1] == 0:
            raise ZeroDivisionError
        return _bounded(first / args[1])
    if name == "pct":
        return first / 100
    if name == "sqrt":
        return _root(first, 2)
    if name == "root":
        return _root(first, int(args[1].p)) if args[1].q == 1 and 0 < args[1] < 64 else None
    if name == "abs":
        return abs(first)
    if name == "floor":
        return fmpq(first.floor())
    if name == "ceil":
        return fmpq(first.ceil())
    if name == "fact":
        return fmpq(factorial(int(first.p))) if first.q == 1 and 0 <= first <= MAX_FACTORIAL else None
    if name == "binom":
        top, bottom = args
        if top.q != 1 or bottom.q != 1 or not 0 <= bottom <= top or top > MAX_FACTORIAL:
            return None
        return fmpq(_choose(int(top.p), int(bottom.p)))
    if name == "mod":
        if args[1] == 0:
            raise ZeroDivisionError
        return first - args[1] * fmpq((first / args[1]).floor())
    if name == "max":
        return max(args)
    if name == "min":
        return min(args)
    if name in {"gcd", "lcm"}:
        return _divisors(name, args)
    return None


_KNOWN = word_set("add mul neg div pct pow sqrt root abs floor ceil fact binom mod max min gcd lcm")


def factorial(n: int) -> fmpz:
    """N!"""
    return fmpz(math.factorial(n))


def _choose(n: int, k: int) -> fmpz:
    return fmpz(math.comb(n, k))


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
        if below > 64 or base < 0:
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


def _divisors(name: str, args: list[fmpq]) -> fmpq | None:
    if any(one.q != 1 for one in args):
        return None
    found = args[0].p
    for one in args[1:]:
        found = found.gcd(one.p) if name == "gcd" else found.lcm(one.p)
    return _bounded(fmpq(found))
