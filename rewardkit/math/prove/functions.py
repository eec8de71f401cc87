"""Functions of complex balls: powers, factorials, sines and unknown ones. Magnitude is bounded before anything is computed."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from functools import partial

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
    function = _OF_ONE.get(name)
    return generic(name, (x,)) if function is None else function(x)


def raised(base: acb, power: fmpq) -> acb:
    """`base` to a rational power, an odd root of a negative number being negative."""
    if int(abs(power.p)).bit_length() > MAX_EXPONENT_BITS:
        raise LimitError("an exponent that is too large")
    if base == 0:
        if power < 0:
            raise UndefinedError
        return acb(power == 0)
    if power.q == 1:
        if power < 0:
            return 1 / nonzero(base) ** fmpz(-power.p)
        return base ** fmpz(power.p)
    if base.imag == 0 and base.real < 0 and power.q % 2 == 1:
        rooted = (-base).root(int(power.q)) if power.q < 1000 else (-base) ** acb(arb(fmpq(1, power.q)))
        return raised(-rooted, fmpq(power.p))
    return nonzero(base) ** acb(arb(power))


def _gamma(x: acb) -> acb:
    if not abs(x) < arb(2) ** MAX_FACTORIAL_BITS:
        raise LimitError("a factorial that is too large")
    return x.gamma()


def _double_factorial(x: acb) -> acb:
    whole = x.real.unique_fmpz() if x.imag == 0 else None
    if whole is None or not 0 <= whole <= 2_000:
        return generic("dfact", (x,))
    return acb(arb(math.prod(range(int(whole), 1, -2))))


def _extreme(x: acb, *others: acb, larger: bool) -> acb:
    if not others:
        return generic("max" if larger else "min", (x,))  # of a set or a function that has a name
    for one in others:
        if not (x.imag == 0 and one.imag == 0):
            raise UndefinedError
        if bool(one.real > x.real) == larger and not one.overlaps(x):
            x = one
    return x


def _bounded(name: str) -> Callable[[acb], acb]:
    """A function that grows, or turns, so fast that its argument must not be large."""
    method: Callable[[acb], acb] = getattr(acb, name)

    def call(x: acb) -> acb:
        check_exponent(x)
        return method(x)

    return call


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
    return top / nonzero(bottom)


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


_OF_ONE: dict[str, Callable[[acb], acb]] = {
    **{name: _bounded(name) for name in word_set("exp sin cos tan cot sec csc sinh cosh tanh coth sech csch")},
    **{name: getattr(acb, name) for name in word_set("sqrt asin acos atan asinh acosh atanh erf zeta")},
    "abs": lambda x: acb(abs(x)), "Re": lambda x: acb(x.real), "Im": lambda x: acb(x.imag), "conj": lambda x: x.conjugate(),
    "sgn": lambda x: acb(x.real.sgn()), "arg": lambda x: acb(x.arg()), "floor": floor, "ceil": lambda x: -floor(-x),
    "fact": lambda x: _gamma(x + 1), "gamma": _gamma, "dfact": _double_factorial, "ln": lambda x: nonzero(x).log(),
    "asec": lambda x: (1 / nonzero(x)).acos(), "acsc": lambda x: (1 / nonzero(x)).asin(),
    "acot": lambda x: acb(arb.pi() / 2) - x.atan() if x.real > 0 else generic("acot", (x,)),  # below 0, authors differ
}  # fmt: skip
_SIGNS_OF_ONE: dict[str, Callable[[acb], acb]] = {
    "neg": lambda x: -x, "pct": lambda x: x / 100, "deg": lambda x: x * acb(arb.pi()) / 180,
}  # fmt: skip
_OF_TWO: dict[str, Callable[[acb, acb], acb]] = {
    "mul": lambda left, right: left * right,
    "div": divide,
    "mod": lambda top, bottom: top - bottom * floor(divide(top, bottom)),
    "binom": binomial,
    "logb": lambda base, x: divide(nonzero(x).log(), nonzero(base).log()),
}
OF_VALUES: dict[str, Callable[..., acb]] = {
    **_SIGNS_OF_ONE, **_OF_TWO, "max": partial(_extreme, larger=True), "min": partial(_extreme, larger=False),
}  # fmt: skip
"""Operations that are functions of the values of their arguments."""
