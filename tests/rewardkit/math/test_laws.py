"""Laws: reflexivity, symmetry, scaling, names of bound letters, order, and that a changed value is never accepted."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rewardkit.math import Policy, Status, compare, extract, judge, parse, verify
from rewardkit.math.latex.normalise import PLAIN, normalised

_PIECES = ["1", "2", "x", "y", "+", "-", "*", "/", "^", "_", "(", ")", "[", "]", "{", "}", ",", "=", "<", "|", "\\frac", "\\sqrt", "\\boxed{", "\\text{", "}", "\\pi",
           "\\le", "\\cup", "\\{", "\\}", "\\%", "!", "'", "$", " ", "\\\\", "&", "\\sin", "\\log", "\\pm", " and ", " or ", "answer is ", "0.5", "1,000", "e-", ":", ";",
           "\\begin{pmatrix}", "\\end{pmatrix}", "\\infty", "√", "²", "½", "−", "\\sum_", "\\left", "\\right", ".", "cm", "yes", "\\in", "\\mathbb{R}", "^\\circ"]  # fmt: skip
SOUP = st.lists(st.sampled_from(_PIECES), max_size=14).map("".join) | st.text(max_size=40)

_PLAIN_PIECES = ["\\lfloor ", "\\max", "\\gcd ", "\\approx", "(\\approx 3)", "\\equiv ", "\\equiv_7", "1", "10", "2.5", "x", "y", "C", "by", "ab", "dx", "+", "-", "/", "^", "_", "(", ")", "(a)", "(1)", "(x)=", "{", "}", "{-}", "\\{", "\\}", "[", "]", ",", ":", "=", "<", ">", " ", "x10^",
                 "m/s", " in ", " & ", "&", "|", "'", "!", "\\$", "\\%", "$", "...", ".", "\\frac", "\\sqrt", "\\cdot", "\\pm", "\\le ", "\\in", "\\left", "\\right", "\\left.", "^\\circ", "\\circ ",
                 "\\begin{pmatrix}", "\\end{pmatrix}", "\\\\", "\\,", "\\sin", "(x>0)", "{ =}"]  # fmt: skip
PLAIN = st.lists(st.sampled_from(_PLAIN_PIECES), min_size=1, max_size=6).map("".join).filter(PLAIN.match)

NUMBERS = st.fractions(min_value=-10_000, max_value=10_000, max_denominator=1_000)
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LONG = settings(max_examples=5_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def latex(value: Fraction) -> str:
    sign = "-" if value < 0 else ""
    return (
        f"{value.numerator}"
        if value.denominator == 1
        else rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
    )


def expressions() -> st.SearchStrategy[str]:
    leaf = NUMBERS.map(latex) | st.sampled_from(["x", "y", r"\pi", r"\sqrt{2}", "a"])

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        two = st.tuples(inner, inner)
        return (
            two.map(lambda p: f"({p[0]})+({p[1]})")
            | two.map(lambda p: rf"({p[0]})\cdot({p[1]})")
            | two.map(lambda p: f"({p[0]})-({p[1]})")
            | inner.map(lambda t: f"({t})^2")
            | inner.map(lambda t: rf"\sin({t})")
        )

    return st.recursive(leaf, grow, max_leaves=5)


def never_raises(completion, gold, lenient):
    policy = Policy(lenient=lenient)
    judgement = judge(completion, gold, policy)
    assert judgement.equal == (judgement.status is Status.EQUAL)
    assert "\n" not in judgement.reason
    extract(completion, policy)
    verify(parse(gold), parse(completion))


@QUICK
@given(SOUP, SOUP, st.booleans())
def test_judging_never_raises(completion, gold, lenient):
    never_raises(completion, gold, lenient)


@QUICK
@given(SOUP)
@example("0.\x1f")
def test_a_text_equals_itself(text):
    judgement = compare(text, text)
    assert judgement.equal or judgement.status in {Status.BAD_GOLD, Status.MALFORMED}


@QUICK
@given(PLAIN)
def test_what_is_spelled_plainly_is_not_normalised(text):
    assert normalised(text) == text


@QUICK
@given(expressions())
def test_an_expression_equals_itself_in_other_dress(text):
    assert compare(text, f"$({text})$ ").equal


@QUICK
@given(expressions(), expressions())
def test_comparison_of_expressions_is_symmetric(left, right):
    assert compare(left, right).equal == compare(right, left).equal


@QUICK
@given(expressions(), NUMBERS.filter(bool))
def test_a_changed_value_is_never_accepted(text, change):
    assert not compare(text, f"({text})+({latex(change)})").equal


@QUICK
@given(NUMBERS, NUMBERS)
def test_numbers_are_equal_exactly_when_they_are(left, right):
    assert compare(latex(left), latex(right)).equal == (left == right)
    assert compare(latex(left), f"{left.numerator}/{left.denominator}").equal


@QUICK
@given(st.lists(NUMBERS, min_size=2, max_size=6, unique=True), st.randoms())
def test_order_counts_in_tuples_only(values, rng):
    shuffled = list(values)
    rng.shuffle(shuffled)
    one, other = (", ".join(map(latex, members)) for members in (values, shuffled))
    assert compare(one, other).equal
    assert compare(rf"\{{{one}\}}", rf"\{{{other}\}}").equal
    assert compare(f"({one})", f"({other})").equal == (values == shuffled)


@QUICK
@given(NUMBERS, NUMBERS, st.sampled_from(["[]", "()", "[)", "(]"]), st.sampled_from(["[]", "()", "[)", "(]"]))
def test_open_and_closed_ends_differ(low, high, one, other):
    if low >= high:
        return
    left, right = (f"{ends[0]}{latex(low)},{latex(high)}{ends[1]}" for ends in (one, other))
    assert compare(left, right).equal == (one == other)


LETTERS = st.sampled_from(["x", "y", "u", "v", "w", "t"])
LINES = st.tuples(*[st.integers(-9, 9).filter(bool)] * 3)
"""Coefficients of a line in two letters."""


def line(a: int, b: int, c: int, sign: str = "=") -> str:
    return f"{a}x+({b})y{sign}{c}"


@QUICK
@given(LINES, st.integers(-9, 9).filter(bool))
def test_both_sides_of_an_equation_may_be_scaled(coefficients, factor):
    scaled = [factor * one for one in coefficients]
    assert compare(line(*coefficients), line(*scaled)).equal
    assert not compare(line(*coefficients), line(*scaled[:2], scaled[2] + 1)).equal


@QUICK
@given(LINES, st.integers(-9, 9).filter(bool))
def test_an_inequality_is_scaled_by_positive_factors_only_or_turns(coefficients, factor):
    scaled = [factor * one for one in coefficients]
    kept, turned = ("<", ">") if factor > 0 else (">", "<")
    assert compare(line(*coefficients, "<"), line(*scaled, kept)).equal
    assert not compare(line(*coefficients, "<"), line(*scaled, turned)).equal


@QUICK
@given(st.integers(1, 9), st.integers(0, 9), LETTERS, LETTERS)
def test_a_bound_letter_may_have_any_name(factor, shift, one, other):
    for text in (
        r"\int_0^1 f({0})\,d{0}",
        r"\{{{0}\mid {0}>FACTOR\}}",
        r"\{{FACTOR {0}+SHIFT\mid {0}\in\mathbb{{Z}}\}}",
    ):
        written = text.replace("FACTOR", str(factor)).replace("SHIFT", str(shift))
        assert compare(written.format(one), written.format(other)).equal


@QUICK
@given(st.integers(2, 9), st.sampled_from("kmn"), st.sampled_from("kmn"))
def test_the_letter_of_a_family_may_have_any_name(factor, one, other):
    for text in (r"x={1}{0}\pi, {0}\in\mathbb{{Z}}", r"\frac{{\pi}}{{7}}+{1}{0}\pi, {0}\in\mathbb{{Z}}"):
        assert compare(text.format(one, factor), text.format(other, factor)).equal
        assert not compare(text.format(one, factor), text.format(other, factor + 1)).equal


@QUICK
@given(NUMBERS.filter(bool), NUMBERS, LETTERS, LETTERS)
def test_a_free_letter_keeps_its_name(factor, constant, one, other):
    left, right = (f"{latex(factor)}{letter}^2+{letter}-({latex(constant)})" for letter in (one, other))
    assert compare(left, right).equal == (one == other)


@QUICK
@given(
    hole=st.integers(-99, 99),
    other=st.integers(-99, 99),
    form=st.sampled_from([r"\frac{3}{x-(%d)}", r"y=\frac{x}{x-(%d)}", r"f(x)=\frac{1}{x-(%d)}"]),
)
def test_a_condition_may_say_where_a_formula_has_no_value_and_nowhere_else(hole, other, form):
    formula = form % hole
    assert compare(formula, rf"{formula}, x \ne {hole}").equal
    assert other == hole or not compare(formula, rf"{formula}, x \ne {other}").equal


@QUICK
@given(st.lists(NUMBERS, min_size=1, max_size=5))
def test_a_verdict_does_not_depend_on_what_was_judged_before(values):
    pairs = [(latex(one), latex(other)) for one in values for other in values]
    first = [judge(rf"\boxed{{{answer}}}", gold).equal for gold, answer in pairs]
    again = [judge(rf"\boxed{{{answer}}}", gold).equal for gold, answer in reversed(pairs)]
    assert first == again[::-1] == [one == other for one in values for other in values]


@QUICK
@given(
    NUMBERS,
    st.sampled_from(["The answer is {}.", "#### {}", "<answer>{}</answer>", r"So $\boxed{{{}}}$.", "Answer: {}", "{}"]),
)
def test_the_way_of_stating_does_not_change_the_verdict(value, statement):
    text = str(value)
    assert judge(statement.format(text), latex(value)).equal
    assert not judge(statement.format(text), latex(value + 1)).equal


@QUICK
@given(st.fractions(min_value=-100, max_value=100, max_denominator=97), st.integers(12, 17))
def test_a_long_decimal_is_a_rounded_value_and_a_short_one_is_exact(value, digits):
    decimal = f"{Decimal(value.numerator) / Decimal(value.denominator):.{digits}f}"
    exact = Fraction(decimal) == value
    significant = len(decimal.lstrip("-0.").replace(".", ""))
    assert compare(latex(value), decimal).equal == (exact or significant >= 12)
    short = f"{float(value):.4f}"
    assert compare(latex(value), short).equal == (Fraction(short) == value)


PLACES = [
    "x={}",
    "({}, 500)",
    r"\{{{}, 500\}}",
    "500, {}, 600",
    "[{}, 500)",
    "x>{}",
    r"{}\text{{ cm}}",
    r"\begin{{pmatrix}}{}\\7\end{{pmatrix}}",
]


@QUICK
@given(st.fractions(min_value=-100, max_value=100, max_denominator=97), st.sampled_from(PLACES))
def test_a_long_decimal_is_a_rounded_value_wherever_a_number_stands(value, place):
    decimal = f"{Decimal(value.numerator) / Decimal(value.denominator):.17f}"
    assert judge(rf"\boxed{{{place.format(decimal)}}}", place.format(latex(value))).equal
    assert not judge(rf"\boxed{{{place.format(decimal)}}}", place.format(latex(value + Fraction(1, 1000)))).equal


@pytest.mark.slow
@LONG
@given(SOUP, SOUP, st.booleans())
def test_judging_never_raises_at_length(completion, gold, lenient):
    never_raises(completion, gold, lenient)


@pytest.mark.slow
@LONG
@given(expressions(), NUMBERS.filter(bool))
def test_a_changed_value_is_never_accepted_at_length(text, change):
    assert not compare(text, f"({text})+({latex(change)})").equal
