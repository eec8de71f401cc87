"""Laws: a text equals itself, order does not matter where it should not, a changed value is never accepted."""

from __future__ import annotations

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

_PLAIN_PIECES = ["1", "10", "2.5", "x", "y", "C", "by", "ab", "dx", "+", "-", "/", "^", "_", "(", ")", "(a)", "(1)", "(x)=", "{", "}", "{-}", "\\{", "\\}", "[", "]", ",", ":", "=", "<", ">", " ", "x10^",
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
