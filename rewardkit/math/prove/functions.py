"""Functions of complex balls: powers, factorials, sines and unknown ones. Magnitude is bounded before anything is computed."""

from __future__ import annotations

import math
import zlib

from flint import acb, arb, fmpq, fmpz

from rewardkit.math.latex.tree import LimitError
from rewardkit.math.latex.vocabulary import word_set

MAX_EXPONENT_BITS = 62
"""No power with an exponent beyond 2**62."""

MAX_FACTORIAL_BITS = 40
"""No factorial beyond (2**40)!."""

_NARROW = arb(2) ** -160


class UndefinedError(ValueError):
    """The expression has no value at this point."""


def apply(name: str, x: acb) -> acb:
    """The function `name` at `x`; a generic value where the function is not known."""
    if name == "sqrt":
        return x.sqrt()
    if name == "abs":
        return acb(abs(x))
    if name in {"fact", "gamma"}:
        if not abs(x) < arb(2) ** MAX_FACTORIAL_BITS:
            raise LimitError("a factorial that is too large")
        return (x + 1).gamma() if name == "fact" else x.gamma()
    if name == "dfact":
        integer = x.real.unique_fmpz() if x.imag == 0 else None
        if integer is None or not 0 <= integer <= 2_000:
            return generic("dfact", (x,))
        return acb(arb(_double_factorial(int(integer))))
    if name == "floor":
        return floor(x)
    if name == "ceil":
        return -floor(-x)
    if name in {"exp", "sinh", "cosh", "tanh", "coth", "sech", "csch", "sin", "cos", "tan", "cot", "sec", "csc"}:
        check_exponent(x)
    if name in _INVERSE_OF:
        return apply(_INVERSE_OF[name], 1 / nonzero(x))
    if name == "acot" and x.real > 0:  # below 0, authors differ
        return acb(arb.pi() / 2) - x.atan()
    method = getattr(x, name, None) if name in _METHODS else None
    if method is not None:
        result: acb = method()
        return result
    if name == "ln":
        return nonzero(x).log()
    if name in {"Re", "Im"}:
        return acb(x.real if name == "Re" else x.imag)
    if name == "conj":
        return x.conjugate()
    if name == "sgn":
        return acb(x.real.sgn())
    if name == "arg":
        return acb(x.arg())
    return generic(name, (x,))


_METHODS = word_set(
    "exp sin cos tan cot sec csc sinh cosh tanh coth sech csch asin acos atan asinh acosh atanh erf zeta"
)
_INVERSE_OF = {"asec": "acos", "acsc": "asin"}


def _double_factorial(n: int) -> int:
    total = 1
    while n > 1:
        total *= n
        n -= 2
    return total


def rational_power(base: acb, power: fmpq) -> acb:
    """`base` to a rational power, an odd root of a negative number being negative."""
    if int(abs(power.p)).bit_length() > MAX_EXPONENT_BITS:
        raise LimitError("an exponent that is too large")
    if base == 0:
        if power > 0:
            return acb(0)
        if power == 0:
            return acb(1)
        raise UndefinedError
    if power.q == 1:
        if power < 0:
            return 1 / nonzero(base) ** fmpz(-power.p)
        return base ** fmpz(power.p)
    if power.q == 2:
        rooted = base.sqrt()
        return rational_power(rooted, fmpq(power.p))
    if base.imag == 0 and base.real < 0 and power.q % 2 == 1:
        rooted = (-base).root(int(power.q)) if power.q < 1000 else (-base) ** acb(arb(fmpq(1, power.q)))
        return rational_power(-rooted, fmpq(power.p))
    return nonzero(base) ** acb(arb(power))


def binomial(top: acb, bottom: acb) -> acb:
    """`top` choose `bottom`, by the gamma function where they are large or no whole numbers."""
    for one in (top, bottom):
        if not abs(one) < arb(2) ** MAX_FACTORIAL_BITS:
            raise LimitError("a binomial that is too large")
    if top.imag == 0 and bottom.imag == 0:
        n, k = top.real.unique_fmpz(), bottom.real.unique_fmpz()
        if n is not None and k is not None and top.real == n and bottom.real == k and 0 <= n <= 8_000:
            return acb(arb(math.comb(int(n), int(k)))) if k >= 0 else acb(0)
    value = (top + 1).gamma() / ((bottom + 1).gamma() * (top - bottom + 1).gamma())
    if not value.is_finite():
        raise UndefinedError
    return value


def divide(top: acb, bottom: acb) -> acb:
    """A quotient. Raises UndefinedError where the divisor may be 0."""
    if bottom.contains(0):
        raise UndefinedError
    return top / bottom


def floor(value: acb) -> acb:
    """The largest whole number that is no larger. Raises UndefinedError where the ball does not tell which."""
    if value.imag != 0:
        raise UndefinedError
    down = value.real.floor()
    if not down.is_exact():  # log_2 8 is a ball around 3
        whole = value.real.unique_fmpz()
        if whole is None or not value.real.rad() < _NARROW:
            raise UndefinedError
        return acb(arb(whole))
    return acb(down)


def nonzero(value: acb) -> acb:
    """`value`. Raises UndefinedError where it may be 0."""
    if value.contains(0):
        raise UndefinedError
    return value


def check_exponent(value: acb) -> None:
    """Raise LimitError for an exponent beyond 2**MAX_EXPONENT_BITS."""
    size = abs(value)
    if not size < arb(2) ** MAX_EXPONENT_BITS:
        raise LimitError("an exponent that is too large")


def power_sums(values: tuple[acb, ...]) -> tuple[acb, ...]:
    """Sums of powers, which do not depend on the order."""
    return tuple(sum((one**power for one in values), acb(0)) for power in range(1, len(values) + 1))


def generic(name: str, args: tuple[acb, ...]) -> acb:
    """The value of an unknown function: a cubic with coefficients that the name fixes."""
    seed = zlib.crc32(name.encode()) or 1
    total = acb(arb(fmpq(seed % 9973 + 17, 1009)))
    for index, one in enumerate(args):
        seed = (seed * 1103515245 + 12345 + index) % 2147483647
        total += one * (
            arb(fmpq(seed % 997 + 3, 311)) + one * (arb(fmpq(seed % 89 + 2, 97)) + one * arb(fmpq(seed % 53 + 1, 211)))
        )
    return total
