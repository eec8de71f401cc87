"""Returned values against expected ones: Python's ==, tuple as list, floats within tolerance, nothing hostile hashed."""

import math
import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit.code.problem import CallTest, Expectation
from rewardkit.code.values import MAX_KEY_DEPTH, has_nan, same_value, show
from rewardkit.errors import GroundTruthError
from sandboxes.values import BinaryTree, LinkedList, encode

TOLERANCE = 1e-5
SAME = [
    (3, 3), (3.0, 3), (True, 1), (1, True), (3, 3.0), (3.000001, 3.0), ((1, 2), [1, 2]), ([1, 2], (1, 2)), ([(1, 2)], [[1, 2]]),
    ({"a": 1}, {"a": 1}), ({1: (2,)}, {1: [2]}), ({1, 2}, {2, 1}), (frozenset({1}), {1}), (None, None), ("a", "a"), (b"a", b"a"),
    (2**70, 2**70), (math.inf, math.inf), ({0.1 + 0.2}, {0.3}), (LinkedList([1, 2]), LinkedList([1, 2])), (1 + 2j, 1 + 2j),
    (BinaryTree([1, None, 2]), BinaryTree([1, None, 2])), ([], ()), ({(1, 2): 3}, {(1, 2): 3}), (1e300 * 1.000001, 1e300),
    (Fraction(3), 3), (Fraction(1, 3), 0.333333), (Decimal("3.0"), 3), (Decimal("0.1"), 0.1), ({1: 2}.keys(), {1}), ([Fraction(3)], [3]),
]  # fmt: skip
DIFFERENT = [
    (-1000001, -1000000), (3, 4), (3.1, 3.0), ("3", 3), (3, "3"), ([1], [1, 2]), ([1, 2], [2, 1]), (None, 0), (0, None), (None, []),
    (math.nan, math.nan), (math.nan, 1.0), (1.0, math.nan), ([math.nan], [math.nan]), (math.inf, 1e308), (-math.inf, math.inf),
    ({1, 2}, [1, 2]), ([1, 2], {1, 2}), ({"a": 1}, {"a": 2}), ({"a": 1}, {"b": 1}), ({"a": 1, "b": 1}, {"a": 1}), ("", None),
    ({0.5}, {0.6}), ([1], LinkedList([1])), (LinkedList([1]), [1]), (LinkedList([1]), BinaryTree([1])), (b"a", "a"), (True, "True"),
    (3.000001, 3), (10**400, 1.0), ({math.nan}, {math.nan}), ({(1, 2): 3}, {(1, 3): 3}), (object(), 1), (object(), "object"),
    (Fraction(7, 2), 3), (Decimal("3.1"), 3), (Decimal("1e400"), 1.0), (Decimal("1e400"), math.inf), (Fraction(10**400), math.inf), (10**400, math.inf), (range(2), [0, 1]), (iter([1]), [1]), ({1: 2}.values(), [2]),
]  # fmt: skip


@pytest.mark.parametrize(("actual", "expected"), SAME)
def test_equal_values_are_the_same(actual, expected):
    assert same_value(encode(actual), expected, TOLERANCE)
    assert Expectation.of(expected).met_by(encode(actual), TOLERANCE)


@pytest.mark.parametrize(("actual", "expected"), DIFFERENT)
def test_other_values_are_wrong(actual, expected):
    assert not same_value(encode(actual), expected, TOLERANCE)
    if not has_nan(expected):
        assert not Expectation.of(expected).met_by(encode(actual), TOLERANCE)


@pytest.mark.parametrize("expected", [math.nan, [1.0, math.nan], {"a": (math.nan,)}, {math.nan}])
def test_a_test_that_expects_nan_is_refused(expected):
    with pytest.raises(GroundTruthError, match="no program could pass"):
        Expectation.of(expected)


@pytest.mark.parametrize("number", [3, 2**70, 0.5, math.inf, True, 1 + 2j])
def test_an_array_without_dimensions_is_its_number(number):
    assert same_value({"t": "ndarray", "v": encode(number), "dtype": "int64"}, number, TOLERANCE)
    assert not same_value({"t": "ndarray", "v": encode(number), "dtype": "int64"}, [number], TOLERANCE)
    assert not same_value({"t": "ndarray", "v": [encode(number)], "dtype": "int64"}, number, TOLERANCE)


def test_instances_of_the_submissions_classes_equal_nothing():
    class AlwaysEqual:
        def __eq__(self, other):
            return True

        __hash__ = object.__hash__

    class Sly(int):
        def __eq__(self, other):
            return True

        __hash__ = int.__hash__

    assert not Expectation.of([1]).met_by(encode(AlwaysEqual()), TOLERANCE)
    assert not Expectation.of(1).met_by(encode(Sly(2)), TOLERANCE)


def test_integers_chosen_to_collide_cost_no_time():
    """A set of these as keys of a table would take 20,000 squared steps: dicts keep colliding keys in one chain."""
    step = (1 << 61) - 1
    hostile = {"t": "set", "v": [index * step for index in range(20_000)]}
    expected = set(range(20_000))
    start = time.process_time()
    assert not same_value(hostile, expected, TOLERANCE)
    assert not same_value({"t": "dict", "v": [[key, 0] for key in hostile["v"]]}, dict.fromkeys(expected, 0), TOLERANCE)
    assert not same_value({"t": "set", "v": [{"t": "frozenset", "v": hostile["v"]}]}, {frozenset({1})}, TOLERANCE)
    for tag in ("numpy", "int", "complex", "float", "fraction"):
        for inner in (hostile, [hostile, 1], [{"t": "float", "v": hostile}, 1]):
            assert not same_value({"t": tag, "v": inner}, 5.0, TOLERANCE)
            show({"t": tag, "v": inner})
    small = [{"t": "frozenset", "v": hostile["v"][:900]}]
    assert not same_value({"t": "dict", "v": [[{"t": "tuple", "v": small * 4_000}, 1]]}, {1: 1}, TOLERANCE)
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("value", "holds"),
    [(math.nan, True), (1.0, False), (2, False), (complex(0, math.nan), True), (1j, False), ({math.nan: 1}, True), ({1: [math.nan]}, True),
     ({1: 2}, False), (LinkedList([1, math.nan]), True), (BinaryTree([1]), False), ((1, (math.nan,)), True), ({math.nan}, True), ([], False),
     (None, False), ("nan", False), (b"nan", False)],
)  # fmt: skip
def test_a_nan_is_found_wherever_it_is(value, holds):
    assert has_nan(value) is holds


@pytest.mark.parametrize(("expected", "far"), [(4.0, 2.0), (0.5, 0.5), (-4.0, 2.0), (0.0, 0.5)])
def test_a_float_is_right_within_the_tolerance_absolute_or_relative(expected, far):
    assert same_value(expected + far, expected, 0.5)
    assert same_value(expected - far, expected, 0.5)
    assert not same_value(expected + far + 1e-9, expected, 0.5)
    assert not same_value(expected - far - 1e-9, expected, 0.5)


@pytest.mark.parametrize(("depth", "same"), [(0, True), (MAX_KEY_DEPTH, True), (MAX_KEY_DEPTH + 1, False)])
def test_keys_nest_up_to_a_bound(depth, same):
    key = ()
    for _ in range(depth):
        key = (key,)
    tagged = {"t": "tuple", "v": []}
    for _ in range(depth):
        tagged = {"t": "tuple", "v": [tagged]}
    assert same_value({"t": "set", "v": [tagged]}, {key}, TOLERANCE) is same


def test_a_key_that_nests_without_end_is_none():
    key = 1
    for _ in range(900):
        key = {"t": "tuple", "v": [key]}
    assert not same_value({"t": "set", "v": [key]}, {1}, TOLERANCE)


@pytest.mark.parametrize(
    "tagged",
    [{}, {"t": "set"}, {"t": "dict", "v": [1]}, {"t": "dict", "v": [[1]]}, {"t": "int", "v": "zz"}, {"t": "new", "v": []},
     {"t": "float", "v": "1"}, {"t": 3}, {"t": []}, {"t": {}}, {"t": "set", "v": [[1]]}, {"t": "dict", "v": [[[1], 2]]}, {"t": "bytes", "v": "!"}, {"v": 1},
     {"t": "ndarray"}, {"t": "ndarray", "v": {"t": "set", "v": [1]}}, {"t": "ndarray", "v": {"t": "ndarray", "v": 2}}],
)  # fmt: skip
@pytest.mark.parametrize("expected", [1, 1.5, "a", None, [1], {1}, {1: 2}, LinkedList([1]), b"a", True])
def test_forged_tags_equal_nothing_and_never_raise(tagged, expected):
    assert not Expectation.of(expected).met_by(tagged, TOLERANCE)
    show(tagged)


def test_json_makes_strings_of_keys():
    expected = Expectation.of({"1": "a", "true": 2}, json_keys=True)
    assert expected.met_by(encode({1: "a", "true": 2}), TOLERANCE)
    assert not Expectation.of({"1": "a"}).met_by(encode({1: "a"}), TOLERANCE)


@pytest.mark.parametrize("value", [object(), [object()], {1: (object(),)}, ...])
def test_expected_value_of_no_kind_we_know_is_refused(value):
    with pytest.raises(GroundTruthError, match="type"):
        Expectation.of(value)


def test_expected_value_that_nests_without_end_is_refused():
    value: list = []
    for _ in range(200):
        value = [value]
    with pytest.raises(GroundTruthError):
        Expectation.of(value)
    with pytest.raises(GroundTruthError):
        CallTest.of((value,), {}, Expectation.of(1))


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner),
    max_leaves=20,
)


@settings(max_examples=40)
@given(PLAIN)
def test_a_value_is_the_same_as_itself(value):
    assert same_value(encode(value), value, 0.0)
    assert Expectation.of(value).met_by(encode(value), 0.0)


@settings(max_examples=40)
@given(PLAIN, PLAIN)
def test_zero_tolerance_agrees_with_python(one, other):
    if "(" not in repr((one, other))[1:-1]:  # tuple and list differ in Python alone
        assert same_value(encode(one), other, 0.0) == (one == other)


@settings(max_examples=40)
@given(PLAIN)
def test_shown_values_are_short(value):
    assert len(show(encode(value))) <= 83


@given(st.lists(st.integers(0, 2), max_size=3), st.lists(st.integers(0, 2), max_size=3))
def test_nodes_are_equal_by_kind_and_values(one, other):
    assert (LinkedList(one) == LinkedList(other)) == (one == other)
    assert LinkedList(one) != BinaryTree(one)
    assert LinkedList(one) != one
    assert len({LinkedList(one), LinkedList(one), BinaryTree(one)}) == 2
