"""Tagged values: exact types across the border, no surprise from what a hostile program sends back."""

import json
import math
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from itertools import count, islice
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.agent import codec
from sandboxes.agent.codec import MAX_DIGITS, SMALL_INT, dumps
from sandboxes.values import BinaryTree, LinkedList, ValueTooBig, decode, encode

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters())
    | st.binary()
    | st.complex_numbers(allow_nan=False)
)


hashable = st.none() | st.booleans() | st.integers() | st.text()


values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(hashable, inner)
        | st.sets(hashable)
        | st.frozensets(hashable)
        | st.lists(inner).map(deque)
    ),
    max_leaves=20,
)


def same(a, b):
    """Equal with equal types, all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple, deque)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a.items(), b.items(), strict=True))
    return a == b


@given(values)
def test_a_value_comes_back_with_its_exact_types(value):
    assert same(decode(json.loads(json.dumps(encode(value)))), value)


def written(value):
    """The line of a result, the long way."""
    return json.dumps({"v": encode(value)}, separators=(",", ":"))


@given(values | st.lists(st.integers()) | st.lists(st.lists(st.integers())) | st.lists(st.text()))
def test_common_results_are_written_by_a_short_way_that_gives_the_same_line(value):
    assert dumps(value) == written(value)


EDGE = 1 << 63


ROWS = [
    [],
    [[]],
    [[], [1]],
    [[1], [True]],
    [[1], [2.5]],
    [[[1]]],
    [EDGE - 1, 1 - EDGE],
    [EDGE],
    [[-EDGE]],
    [True, 1],
    ["\ud800"],
]


@pytest.mark.parametrize(
    "value", [*ROWS, EDGE, -EDGE, EDGE - 1, 10**400, '\x7f"\\\n', "\u00e9", ["\u00e9", "a"], [None], None]
)
def test_the_short_way_stops_where_values_are_not_themselves(value):
    assert dumps(value) == written(value)


def test_the_short_way_counts_items_too(monkeypatch):
    monkeypatch.setattr("sandboxes.agent.codec.MAX_ITEMS", 5)
    for value in ([0] * 6, [[0, 0], [0, 0]], ["a"] * 6):
        with pytest.raises(ValueTooBig):
            dumps(value)
    assert dumps([[0], [0]]) == '{"v":[[0],[0]]}'


def test_nan_and_infinities_survive():
    assert math.isnan(decode(encode(float("nan"))))
    assert decode(encode([float("inf"), float("-inf")])) == [float("inf"), float("-inf")]


class Liar(int):
    def __add__(self, other):
        return 16

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class LyingList(list):
    def __iter__(self):
        return iter([1, 2, 3])

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return [1, 2, 3]


class Colour(IntEnum):
    RED = 3


class Point(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize(
    ("value", "tagged"),
    [
        (Liar(5), 5),
        (LyingList([9]), [9]),
        (Colour.RED, 3),
        (Point(1, 2), {"t": "tuple", "v": [1, 2]}),
        (defaultdict(int, a=1), {"t": "dict", "v": [["a", 1]]}),
        (Counter("a"), {"t": "dict", "v": [["a", 1]]}),
        (OrderedDict(a=1), {"t": "dict", "v": [["a", 1]]}),
        pytest.param(object(), {"t": "object", "type": "object"}, id="object"),
        (LinkedList([1, 2]), {"t": "list_node", "v": [1, 2]}),
        (BinaryTree([1, None, 2]), {"t": "tree_node", "v": [1, None, 2]}),
        (2**64, {"t": "int", "v": "10000000000000000"}),
        (True, True),
    ],
    ids=repr,
)
def test_a_subclass_counts_as_its_base_class_own_data(value, tagged):
    assert encode(value) == tagged
    assert type(encode(value)) is type(tagged)


class ListNode:
    def __init__(self, val, next=None):  # noqa: A002
        self.val, self.next = val, next


class TreeNode:
    def __init__(self, val, left=None, right=None):
        self.val, self.left, self.right = val, left, right


def test_nodes_travel_by_their_values():
    assert decode(encode(ListNode(1, ListNode(2)))) == LinkedList([1, 2])
    assert decode(encode(TreeNode(1, None, TreeNode(2, TreeNode(3))))) == BinaryTree([1, None, 2, 3])


@pytest.mark.parametrize(
    "value",
    [
        range(2, 9, 3),
        range(0),
        {1: 2}.keys(),
        OrderedDict(a=1).keys(),
        {(1, 2): 3}.items(),
        Fraction(1, 3),
        Decimal("1.50"),
    ],
    ids=repr,
)
def test_what_is_no_literal_comes_back_equal(value):
    found = decode(json.loads(json.dumps(encode(value))))
    assert found == value
    assert isinstance(value, type(found))


@pytest.mark.parametrize(
    "value",
    [(x for x in (1, 2)), map(int, "12"), iter([1, 2]), reversed([2, 1]), {0: 1, 5: 2}.values(), islice((1, 2), 2)],
)
def test_an_iterator_gives_what_it_gave(value):
    assert list(decode(encode(value))) == [1, 2]


def test_what_never_ends_or_takes_long_to_read_is_refused():
    for value in (count(), Fraction(1, 7**9_000), Decimal("1" * 6_000)):
        with pytest.raises(ValueTooBig):
            encode(value)


def test_cycles_and_depth_are_refused():
    ring = ListNode(1)
    ring.next = ring
    loop = TreeNode(1)
    loop.left = loop
    deep = []
    for _ in range(5000):
        deep = [deep]
    for value in (ring, loop, deep):
        with pytest.raises(ValueTooBig):
            encode(value)


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_travel_as_they_are_up_to_64_bits(sign):
    small, large = sign * (SMALL_INT - 1), sign * SMALL_INT
    assert encode(small) == small
    assert encode(large) == {"t": "int", "v": format(large, "x")}
    assert encode([small, 1]) == [small, 1]
    assert encode([large, 1]) == [encode(large), 1]
    for value in (small, large, [small], [large], [1, large, small]):
        assert json.loads(dumps(value)) == {"v": encode(value)}
        assert decode(encode(value)) == value


TOO_LONG = 1 << 4 * MAX_DIGITS


@pytest.mark.parametrize(
    ("value", "fits"),
    [(Fraction(TOO_LONG - 1, 2), True), (Fraction(TOO_LONG, 3), False), (Fraction(1, TOO_LONG - 1), True), (Fraction(1, TOO_LONG), False),
     (Decimal("1" * MAX_DIGITS), True), (Decimal("1" * (MAX_DIGITS + 1)), False)],
)  # fmt: skip
def test_fractions_and_decimals_have_a_bound_on_digits(value, fits):
    if fits:
        assert decode(encode(value)) == value
    else:
        with pytest.raises(ValueTooBig, match="more than 5000 digits"):
            encode(value)


@pytest.mark.parametrize(
    "tagged",
    [{"t": "fraction", "v": [1, 0]}, {"t": "fraction", "v": [1, -2]}, {"t": "fraction", "v": [{"t": "int", "v": format(TOO_LONG, "x")}, 3]},
     {"t": "fraction", "v": [1, {"t": "int", "v": format(TOO_LONG, "x")}]}, {"t": "decimal", "v": "1" * (MAX_DIGITS + 1)}, {"t": "decimal", "v": "NaN"},
     {"t": "decimal", "v": "x"}, {"t": "float", "v": "1.5"}, {"t": "complex", "v": [1]}, {"t": "bytes", "v": "a"}, {"t": "set", "v": 1}],
)  # fmt: skip
def test_what_no_encoder_makes_is_refused(tagged):
    with pytest.raises(ValueTooBig):
        decode(tagged)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_decimals_that_are_no_numbers_are_floats(text):
    assert encode(Decimal(text)) == {"t": "float", "v": repr(float(text))}


@pytest.mark.parametrize(("count", "fits"), [(5, True), (6, False)])
@pytest.mark.parametrize(
    "make",
    [list, tuple, set, deque, iter, dict.fromkeys, lambda items: LinkedList(list(items)), lambda items: [[*items][1:]]],
)
def test_items_are_counted_up_to_a_bound(monkeypatch, make, count, fits):
    monkeypatch.setattr(codec, "MAX_ITEMS", 5)
    if fits:
        encode(make(range(count)))
    else:
        with pytest.raises(ValueTooBig, match="more than 5 items"):
            encode(make(range(count)))


class Text(str):
    __slots__ = ()


class Number(float):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "plain"), [(Text("é"), "é"), (Number(1.5), 1.5), ([Text("a")], ["a"]), ([1, Number(2)], [1, 2.0])]
)
def test_an_instance_of_a_subclass_travels_as_its_base(value, plain):
    assert encode(value) == plain


@pytest.mark.parametrize("value", [range(3, 9, 2), range(5), range(1, 2), range(0), range(5, 0, -1)])
def test_a_range_comes_back_as_one(value):
    assert decode(encode(value)) == value


@pytest.mark.parametrize(
    "value",
    [7, 0.5, "text", [1, [2]], (1, (2,)), {"a": (1,)}, {1, 2}, frozenset({3}), b"x", 1j, deque([1])],
    ids=repr,
)
def test_a_subclass_is_what_it_is_derived_from_or_an_object(value):
    kind = type(value)
    found = encode(type("Derived", (kind,), {})(value))
    assert found in (encode(value), {"t": "object", "type": "Derived"})
    if kind in (int, float, str, list, tuple, dict, set, frozenset):
        assert found == encode(value)
