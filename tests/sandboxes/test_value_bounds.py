"""What values may hold: they nest up to a bound, and what no encoder makes is refused."""

import math
from collections import deque
from decimal import Decimal
from fractions import Fraction

import pytest

from sandboxes.agent.codec import MAX_DEPTH, SMALL_INT
from sandboxes.agent.decode import MAX_LEVELS
from sandboxes.values import ValueTooBig, decode, encode


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


@pytest.mark.long
def test_deep_garbage_raises_one_error():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueTooBig):
        decode(deep)


@pytest.mark.parametrize("name", ["Fraction", "Decimal", "ListNode", "TreeNode", "ndarray", "deque"])
def test_a_class_with_the_name_of_a_known_one_is_an_object_of_its_own(name):
    assert encode(type(name, (), {"__module__": "solution"})()) == {"t": "object", "type": name}


def nested(depth, wrap, leaf=1):
    value = leaf
    for _ in range(depth):
        value = wrap(value)
    return value


@pytest.mark.parametrize("leaf", [1, SMALL_INT, -1j, Fraction(SMALL_INT, 7), Decimal("0.5"), math.inf, b"a"], ids=repr)
@pytest.mark.parametrize("wrap", [lambda x: [x], lambda x: (x,), lambda x: {1: x}, lambda x: deque([x])])
def test_all_that_can_be_encoded_can_be_decoded(wrap, leaf):
    for deepest in (nested(MAX_DEPTH, wrap, leaf), nested(MAX_DEPTH + 1, wrap)):
        assert decode(encode(deepest)) == deepest
    with pytest.raises(ValueTooBig, match="deeper than 100"):
        encode(nested(MAX_DEPTH + 2, wrap))


def test_tagged_data_nests_up_to_a_bound():
    assert decode(nested(MAX_LEVELS, lambda x: [x])) == nested(MAX_LEVELS, lambda x: [x])
    for wrap in (lambda x: [x], lambda x: {"t": "tuple", "v": [x]}):
        with pytest.raises(ValueTooBig):
            decode(nested(MAX_LEVELS + 1, wrap))
