"""Literals of test files: arithmetic gives what Python gives, and nothing that could be huge is worked out."""

import ast
import itertools
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.code.literals import MAX_BITS, MAX_DEPTH, MAX_ITEMS, NotLiteral, literal

OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "<<": operator.lshift, "**": operator.pow,
}  # fmt: skip


def read(text):
    return literal(ast.parse(text, mode="eval").body)


@given(st.sampled_from(sorted(OPERATORS)), st.integers(-50, 50), st.integers(-9, 9))
def test_arithmetic_of_small_numbers_is_pythons(sign, left, right):
    try:
        value = OPERATORS[sign](left, right)
    except (ArithmeticError, ValueError):
        with pytest.raises(NotLiteral):
            read(f"({left}) {sign} ({right})")
        return
    found = read(f"({left}) {sign} ({right})")
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "text", [f"1 << {MAX_BITS + 1}", f"2 ** {MAX_BITS + 1}", f"(1 << {MAX_BITS}) << 1 << 1", "9 ** 9 ** 9", "'a' % 3"]
)
def test_what_could_be_huge_or_formats_text_is_refused(text):
    with pytest.raises(NotLiteral):
        read(text)


VALUES = [3, 2.5, True, "a", "%s", [1], (1, 2), {1, 2}, {1: 2}, None]


@pytest.mark.parametrize(
    "text", ["tau", "math.tau", "x.y", "f(1)", "float(x)", "lambda: 1", "[x for x in [1]]", "x if y else z", "f'{x}'"]
)
def test_what_names_no_value_of_its_own_is_no_literal(text):
    with pytest.raises(NotLiteral):
        read(text)


@pytest.mark.parametrize("sign", OPERATORS)
def test_of_what_is_no_number_only_sequences_of_one_kind_are_added_and_repeated(sign):
    for left, right in itertools.product(VALUES, VALUES):
        numbers = all(isinstance(one, (int, float)) for one in (left, right))
        added = sign == "+" and isinstance(left, (str, list, tuple)) and type(left) is type(right)
        pair = sorted((left, right), key=lambda one: isinstance(one, int))
        repeated = sign == "*" and isinstance(pair[0], (str, list, tuple)) and isinstance(pair[1], int)
        if added or repeated:
            assert read(f"{left!r} {sign} {right!r}") == OPERATORS[sign](left, right)
        elif not numbers:
            with pytest.raises(NotLiteral):
                read(f"{left!r} {sign} {right!r}")


def test_the_bound_itself_is_worked_out():
    assert read(f"1 << {MAX_BITS - 1}") == 1 << (MAX_BITS - 1)
    assert read(f"2 ** {MAX_BITS // 2}") == 2 ** (MAX_BITS // 2)


NESTS = ["[{}]", "({},)", "{{1: {}}}", "-{}", "[1, {}]", "list([{}])"]


@pytest.mark.parametrize("nest", NESTS)
def test_nesting_is_bounded_whatever_nests(nest):
    """A third of the bound is read, a few more than the bound are not."""
    for depth, allowed in ((MAX_DEPTH // 3, True), (MAX_DEPTH + 5, False)):
        text = "1"
        for _ in range(depth):
            text = nest.format(text)
        if allowed:
            read(text)
        else:
            with pytest.raises(NotLiteral, match="nested"):
                read(text)


def test_a_sequence_may_be_repeated_up_to_the_bound():
    assert len(read(f"'ab' * {MAX_ITEMS // 2}")) == MAX_ITEMS
    for text in (f"'ab' * {MAX_ITEMS // 2 + 1}", f"{MAX_ITEMS + 1} * [0]"):
        with pytest.raises(NotLiteral):
            read(text)
