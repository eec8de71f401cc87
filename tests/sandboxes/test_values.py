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

from sandboxes.agent.codec import dumps
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


@pytest.mark.parametrize(
    "garbage",
    [
        {},
        {"t": "int"},
        {"t": "int", "v": "zz"},
        {"t": "set", "v": [[]]},
        {"t": "dict", "v": [[1]]},
        {"t": "bytes", "v": "!"},
        {"t": "float", "v": "1e5"},
        {"t": ["tuple"], "v": []},
        {"t": "tuple", "v": "ab"},
        {"t": "complex", "v": ["a", "b"]},
        {"t": "none", "v": 1},
        {"t": "str", "v": [-1]},
        {"t": "decimal", "v": "sNaN"},
        {"t": "decimal", "v": "x"},
        {"t": "decimal", "v": "1" * 6_000},
        {"t": "fraction", "v": [1, 0]},
        {"t": "fraction", "v": [1]},
        {"t": "fraction", "v": [1, {"t": "int", "v": "f" * 9_000}]},
        {"t": "range", "v": [1, 1]},
        {"t": "dict_items", "v": [1]},
    ],
    ids=str,
)
def test_garbage_raises_one_error(garbage):
    with pytest.raises(ValueTooBig):
        decode(garbage)


def test_deep_garbage_raises_one_error():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueTooBig):
        decode(deep)


@pytest.mark.parametrize("name", ["Fraction", "Decimal", "ListNode", "TreeNode", "ndarray", "deque"])
def test_a_class_with_the_name_of_a_known_one_is_an_object_of_its_own(name):
    assert encode(type(name, (), {"__module__": "solution"})()) == {"t": "object", "type": name}
