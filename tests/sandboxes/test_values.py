"""Tagged values: exact types across the border, no surprise from what a hostile program sends back."""

import json
import math
from collections import Counter, OrderedDict, defaultdict, deque
from enum import IntEnum
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        (object(), {"t": "object", "type": "object"}),
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
