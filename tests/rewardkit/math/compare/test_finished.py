"""An answer that is not finished is refused in whatever form it is given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.math import Policy, compare

TASKS = [
    ("6", r"\gcd(12, 18)"),
    ("1", r"25 \bmod 8"),
    ("55", r"\sum_{k=1}^{10} k"),
    ("5", r"\max(3, 5)"),
    ("2", r"\int_0^2 1\,dx"),
    ("9", r"7^{100} - 13\lfloor \frac{7^{100}}{13}\rfloor"),
    ("76", r"2^{2020} - 100\left\lfloor 2^{2020}/100\right\rfloor"),
    ("31", r"\lfloor \log_{10} 2^{100}\rfloor + 1"),
    ("25", r"\lceil\sqrt{20}\rceil^2"),
    ("3", "⌊7/2⌋"),
    ("4", r"\operatorname{ceil}(7/2)"),
]
ARITHMETIC = [
    ("7", "3 + 4"),
    ("1024", "2^{10}"),
    ("120", "5!"),
    ("10", r"\binom{5}{2}"),
    ("25", r"\binom{5}{1}^2"),
]
FINISHED = [
    ("0.75", r"\frac{3}{4}"),
    (r"\frac{\sqrt2}{2}", r"\frac{1}{\sqrt2}"),
    (r"2\pi", r"2\pi"),
    ("-5", "-5"),
    (r"3+\sqrt5", r"\sqrt5+3"),
]
FORMS = ["{}", "x = {}", "{} = x", r"\text{{The area}} = {}"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("gold", "answer"), TASKS)
@pytest.mark.parametrize("level", ["task", "value"])
def test_an_answer_that_names_the_task_is_refused(level, gold, answer, form):
    judged = compare(gold, form.format(answer), Policy(finished=level))
    assert not judged.equal, judged.reason


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("gold", "answer"), ARITHMETIC)
def test_arithmetic_that_is_still_to_be_done_is_refused_on_request(gold, answer, form):
    assert compare(gold, form.format(answer)).equal
    judged = compare(gold, form.format(answer), Policy(finished="value"))
    assert not judged.equal, judged.reason


@pytest.mark.parametrize("form", ["{}", "x = {}"])
@pytest.mark.parametrize(("gold", "answer"), FINISHED)
@pytest.mark.parametrize("level", ["task", "value"])
def test_fractions_roots_and_constants_are_finished(level, gold, answer, form):
    judged = compare(gold, form.format(answer), Policy(finished=level))
    assert judged.equal, judged.reason


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"\lfloor\sqrt{50}\rfloor", r"\lfloor 5\sqrt2\rfloor"),
        (r"\lceil n/2\rceil", r"\lfloor (n+1)/2\rfloor"),
        (r"n \bmod 2", r"n-2\lfloor n/2\rfloor"),
        (r"\lceil 2^{0.5}\rceil", r"1+\lfloor 2^{0.5}\rfloor"),
    ],
)
def test_a_floor_is_finished_in_a_formula_and_where_the_ground_truth_rounds(gold, answer):
    assert compare(gold, answer).equal


@given(
    st.integers(-20, 20), st.integers(-9, 9).filter(bool), st.integers(-30, 30), st.booleans(), st.sampled_from("xrt")
)
def test_an_equation_that_is_not_solved_is_refused_whichever_way_round(value, factor, shift, turned, name):
    """a x + b = c; with its name alone on one side, still on the other one: x = c - (a - 1) x - b."""
    total = factor * value + shift
    sides = f"{factor}{name}+({shift})", str(total)
    alone = name, f"{total}-({factor - 1}){name}-({shift})"
    for one, other in (sides, *([alone] if factor != 1 else [])):
        if (factor, shift) != (1, 0):
            equation = f"{other}={one}" if turned else f"{one}={other}"
            judged = compare(f"{name}={value}", equation)
            assert not judged.equal, (equation, judged.reason)
    assert compare(f"{name}={value}", f"{value}={name}" if turned else f"{name}={value}").equal
