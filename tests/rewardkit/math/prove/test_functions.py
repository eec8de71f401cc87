"""Values of functions: those of mpmath, at real and complex points; bounds and missing values."""

from __future__ import annotations

import contextlib
import math
from fractions import Fraction

import pytest
from flint import acb, arb, fmpq

from rewardkit.math import judge
from rewardkit.math.latex.tree import LimitError
from rewardkit.math.prove.agreement import working_precision
from rewardkit.math.prove.ball import power_sums
from rewardkit.math.prove.functions import (
    MAX_EXPONENT_BITS,
    MAX_FACTORIAL_BITS,
    OF_VALUES,
    UndefinedError,
    apply,
    binomial,
    floor,
    generic,
    raised,
)

mpmath = pytest.importorskip("mpmath")

REAL = [fmpq(*pair) for pair in ((-7, 2), (-1, 1), (-1, 3), (0, 1), (1, 4), (1, 1), (5, 2), (8, 1))]
PLANE = [(one, other) for one in REAL[1::2] for other in (fmpq(-3, 2), fmpq(2, 5))]
POINTS = [(one, fmpq(0)) for one in REAL] + PLANE

SAME_NAME = [
    "exp",
    "sin",
    "cos",
    "tan",
    "cot",
    "sec",
    "csc",
    "sinh",
    "cosh",
    "tanh",
    "coth",
    "sech",
    "csch",
    "sqrt",
    "asin",
    "acos",
    "atan",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "zeta",
    "gamma",
    "asec",
    "acsc",
]
REFERENCE = {
    **{name: name for name in SAME_NAME},
    "ln": "log", "fact": "factorial", "abs": "fabs", "conj": "conj", "Re": "re", "Im": "im", "arg": "arg", "floor": "floor", "ceil": "ceil", "sgn": "sign",
}  # fmt: skip
OF_REALS = {"floor", "ceil", "sgn"}


def expected(name, point):
    """mpmath's value; None where it has none."""
    real, imaginary = (mpmath.mpf(int(part.p)) / int(part.q) for part in point)
    try:
        value = mpmath.mpc(getattr(mpmath, name)(mpmath.mpc(real, imaginary) if imaginary else real))
    except (ZeroDivisionError, ValueError):
        return None
    return value if mpmath.isfinite(value) else None


def close(found, value):
    return abs(complex(found) - complex(value)) <= 1e-12 * (1 + abs(complex(value)))


@pytest.mark.parametrize("name", REFERENCE)
def test_a_function_has_the_value_that_mpmath_gives(name):
    """On the real line, where branch cuts lie, the value may be that of either side."""
    compared = 0
    with working_precision(), mpmath.workdps(30):
        for point in POINTS:
            value = None if name in OF_REALS and point[1] else expected(REFERENCE[name], point)
            if value is None:
                continue
            compared += 1
            either_side = name in {"asin", "acos", "acosh", "atanh", "asec", "acsc"} and not point[1]
            found = complex(apply(name, acb(arb(point[0]), arb(point[1]))))
            assert close(found, value) or (either_side and close(found.conjugate(), value)), (name, point)
    assert compared >= 6


@pytest.mark.parametrize("name", ["ln", "cot", "csc", "asec", "acsc", "gamma"])
def test_what_has_no_value_at_0(name):
    with working_precision(), contextlib.suppress(UndefinedError):
        assert not apply(name, acb(0)).is_finite()


@pytest.mark.parametrize("name", ["exp", "sin", "tan", "cosh"])
def test_arguments_are_bounded_before_anything_is_computed(name):
    with working_precision():
        with pytest.raises(LimitError):
            apply(name, acb(2) ** MAX_EXPONENT_BITS)
        apply(name, acb(2) ** (MAX_EXPONENT_BITS - 1) if name in {"sin", "tan"} else acb(1_000))


@pytest.mark.parametrize("call", [lambda big: apply("fact", big), lambda big: apply("gamma", big), lambda big: binomial(big, acb(2)), lambda big: binomial(acb(2), big)])  # fmt: skip
def test_factorials_are_bounded(call):
    with working_precision():
        with pytest.raises(LimitError):
            call(acb(2) ** MAX_FACTORIAL_BITS)
        call(acb(2) ** MAX_FACTORIAL_BITS / 4 + acb(arb(fmpq(1, 3))))


@pytest.mark.parametrize("n", range(-1, 12))
def test_double_factorials(n):
    with working_precision():
        found = apply("dfact", acb(n))
        if n < 0:
            assert complex(found) == complex(generic("dfact", (acb(n),)))
        else:
            assert found == math.prod(range(n, 1, -2))


def test_double_factorials_of_large_numbers_and_fractions_are_unknown():
    with working_precision():
        assert apply("dfact", acb(2_000)) == math.prod(range(2_000, 1, -2))
        for one in (acb(2_001), acb(arb(fmpq(1, 2))), acb(1, 1)):
            assert complex(apply("dfact", one)) == complex(generic("dfact", (one,)))


def test_binomials_are_counts_for_whole_numbers_and_gammas_otherwise():
    with working_precision(), mpmath.workdps(30):
        for n in range(9):
            for k in range(-2, 11):
                assert binomial(acb(n), acb(k)) == (math.comb(n, k) if k >= 0 else 0)
        assert binomial(acb(8_000), acb(3)) == math.comb(8_000, 3)
        for n, k in ((8_001, 2), (9_000, 4)):
            assert binomial(acb(n), acb(k)).real.contains(math.comb(n, k))
        for top, bottom in ((fmpq(1, 2), 2), (fmpq(-1, 3), 3), (fmpq(7, 2), fmpq(1, 2)), (5, fmpq(1, 2))):
            value = mpmath.binomial(*(mpmath.mpf(int(fmpq(one).p)) / int(fmpq(one).q) for one in (top, bottom)))
            assert close(binomial(acb(arb(top)), acb(arb(bottom))), value)
        with pytest.raises(UndefinedError):
            binomial(acb(-1), acb(3))


@pytest.mark.parametrize(
    "power",
    [
        fmpq(*pair)
        for pair in (
            (-3, 1),
            (-1, 1),
            (-2, 3),
            (-1, 2),
            (0, 1),
            (1, 3),
            (1, 2),
            (2, 3),
            (3, 2),
            (1, 1001),
            (2, 1),
            (5, 1),
        )
    ],
)
def test_powers_with_rational_exponents(power):
    """Of a positive number as everywhere; odd roots of a negative one are negative, even ones are imaginary; 0 has no negative power."""
    exponent = Fraction(int(power.p), int(power.q))
    with working_precision():
        for base in (0.25, 1.0, 8.0):
            assert close(raised(acb(base), power), base ** float(exponent))
        real = abs(8.0 ** float(exponent))
        turned = -1 if exponent.numerator % 2 else 1
        value = complex(raised(acb(-8), power))
        if exponent.denominator % 2:
            assert close(value, turned * real)
        else:
            assert close(value, (-8 + 0j) ** float(exponent))
        if power < 0:
            with pytest.raises(UndefinedError):
                raised(acb(0), power)
        else:
            assert raised(acb(0), power) == (1 if power == 0 else 0)


@pytest.mark.parametrize("power", [fmpq(2**MAX_EXPONENT_BITS), fmpq(-(2**MAX_EXPONENT_BITS), 3)])
def test_exponents_are_bounded(power):
    with pytest.raises(LimitError):
        raised(acb(2), power)


def test_the_larger_and_the_smaller_of_several_values():
    values = [acb(arb(one)) for one in (fmpq(1, 2), fmpq(-3), fmpq(7, 4), fmpq(7, 4), fmpq(0))]
    with working_precision():
        assert OF_VALUES["max"](*values) == values[2]
        assert OF_VALUES["min"](*values) == values[1]
        assert OF_VALUES["max"](*values[::-1]) == values[2]
        assert OF_VALUES["min"](*values[::-1]) == values[1]
        for at in range(2):
            pair = [acb(1), acb(1)]
            pair[at] = acb(1, 1)
            with pytest.raises(UndefinedError):
                OF_VALUES["max"](*pair)


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("thing", ["A", "f(x)", "x_1", "S"])
def test_the_extreme_of_one_thing_is_not_the_thing(name, thing):
    gold = rf"\frac{{1}}{{2}}\{name} {thing}+3"
    assert judge(rf"\boxed{{3+\frac{{\{name} {thing}}}{{2}}}}", gold).equal
    assert not judge(rf"\boxed{{\frac{{1}}{{2}}{thing}+3}}", gold).equal
    assert not judge(rf"\boxed{{{thing}}}", rf"\{name} {thing}").equal


def test_operations_on_values():
    with working_precision():
        half, three = acb(arb(fmpq(1, 2))), acb(3)
        assert OF_VALUES["neg"](three) == -3
        assert OF_VALUES["pct"](acb(50)) == half
        assert close(OF_VALUES["deg"](acb(180)), math.pi)
        assert OF_VALUES["mul"](half, three) == OF_VALUES["div"](three, acb(2))
        assert [OF_VALUES["mod"](acb(n), three) for n in range(-3, 4)] == [n % 3 for n in range(-3, 4)]
        assert close(OF_VALUES["logb"](acb(2), acb(8)), 3)
        for name, args in {"div": (three, acb(0)), "mod": (three, acb(0)), "logb": (acb(1), three)}.items():
            with pytest.raises(UndefinedError):
                OF_VALUES[name](*args)
        with pytest.raises(UndefinedError):
            OF_VALUES["logb"](three, acb(0))


def test_the_floor_of_a_ball_is_known_where_it_holds_one_whole_number_closely():
    with working_precision():
        around = acb(8).log() / acb(2).log()
        assert not around.real.is_exact()
        assert floor(around) == 3
        assert floor(acb(arb(fmpq(-7, 2)))) == -4
        for one in (acb(arb(3, 1e-9)), acb(3, 1)):
            with pytest.raises(UndefinedError):
                floor(one)


def test_the_angle_of_acot_is_known_above_0_only():
    with working_precision():
        assert close(apply("acot", acb(2)), math.pi / 2 - math.atan(2))
        assert complex(apply("acot", acb(-2))) == complex(generic("acot", (acb(-2),)))


def test_unknown_functions_differ_by_name_by_argument_and_by_place():
    with working_precision():
        values = [
            generic(name, args)
            for name in "fgh"
            for args in ((acb(1),), (acb(2),), (acb(1), acb(2)), (acb(2), acb(1)), ())
        ]
        assert all(not one.overlaps(other) for at, one in enumerate(values) for other in values[:at])
        assert complex(generic("f", (acb(1),))) == complex(apply("f", acb(1)))


def test_power_sums_do_not_depend_on_the_order_and_tell_values_apart():
    a, b, c = acb(2), acb(arb(fmpq(1, 3))), acb(5)
    assert [complex(one) for one in power_sums((a, b, c))] == pytest.approx(
        [complex(one) for one in power_sums((c, a, b))]
    )
    assert close(power_sums((a, b, c))[1], 4 + 1 / 9 + 25)
