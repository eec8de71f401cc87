"""Ground truths that are no tests, or that nobody can judge, are refused in one line."""

import base64
import json
import pickle
import zlib

import pytest
from code_rows import HUMANEVAL, LEETCODE
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.code.formats import read_problem
from rewardkit.errors import GroundTruthError

BAD = {
    "nothing": None,
    "a number": 42,
    "empty text": "  ",
    "prose": "the answer is 4",
    "no JSON": '{"inputs": [',
    "unknown keys": {"answer": 4},
    "no tests": {"inputs": [], "outputs": []},
    "no expected output": {"inputs": ["1", "2"], "outputs": ["", "\n"]},
    "more inputs than outputs": {"inputs": ["1"], "outputs": []},
    "inputs no list": {"inputs": "1", "outputs": ["1"]},
    "an input of another type": {"inputs": [None], "outputs": ["1"]},
    "an output of another type": {"inputs": ["1"], "outputs": [{"a": 1}]},
    "an argument list that is none": {"inputs": [3], "outputs": [1], "fn_name": "f"},
    "fn_name no name": {"inputs": [[3]], "outputs": [1], "fn_name": "f()"},
    "a functional test without function": [{"input": "1", "output": "1", "testtype": "functional"}],
    "a functional test that is no JSON": {
        "tests": [{"input": "x", "output": "1", "testtype": "functional"}],
        "fn_name": "f",
    },
    "a test without output": [{"input": "1"}],
    "a test that is no object": [3],
    "mixed tests": [{"input": "1", "output": "1"}, {"input": "1", "output": "1", "testtype": "functional"}],
    "tests that do not parse": {**HUMANEVAL, "test": "def check(candidate:\n"},
    "no entry point": {"test": "def check(candidate):\n    assert candidate(1) == 1\n"},
    "no asserts at all": {**LEETCODE, "test": "def check(candidate):\n    pass\n"},
    "asserts that are no text": {"test_list": [1]},
    "unittest": {"test": "import unittest\nclass T(unittest.TestCase):\n    pass\n", "entry_point": "f"},
    "named files": {"public_tests": {"input": ["1"], "output": ["1"]}, "input_file": "../a.in"},
    "a file name that is too long": {"public_tests": {"input": ["1"], "output": ["1"]}, "input_file": "a" * 256},
    "a file name that is no text": {"public_tests": {"input": ["1"], "output": ["1"]}, "output_file": "\ud800"},
    "a group of tests that is no object": {"public_tests": 5},
    "packed nonsense": {"private_test_cases": "!!"},
    "packed code": {"private_test_cases": base64.b64encode(zlib.compress(pickle.dumps(print))).decode()},
    "packed broken pickle": {"private_test_cases": base64.b64encode(zlib.compress(b"\x80\x04\x95")).decode()},
    "nested without end": {"tests": {"tests": {"tests": {"tests": {"tests": {"tests": {"tests": {}}}}}}}},
    "too few weights": {"inputs": ["1", "2"], "outputs": ["1", "2"], "weights": [1]},
    "weights of nothing": {"inputs": ["1"], "outputs": ["1"], "weights": [0]},
    "JSON nested past the stack": "[" * 100_000,
    "too many tests": {"inputs": ["1"] * 100_001, "outputs": ["1"] * 100_001},
}


@pytest.mark.parametrize("truth", BAD.values(), ids=BAD.keys())
def test_unusable_ground_truth_is_one_line(truth):
    with pytest.raises(GroundTruthError) as caught:
        read_problem(truth)
    assert str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["inputs", "outputs", "fn_name", "test", "tests", "entry_point", "input", "output", "test_list", "testtype",
                         "public_tests", "private_test_cases", "metadata", "weights", "checker", "special_judge", "prompt"]),
        inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def size_or_reason(truth):
    try:
        return read_problem(truth).size
    except GroundTruthError as error:
        return str(error)


@given(JSON)
def test_no_other_exception_comes_out(truth):
    for value in (truth, json.dumps(truth)):
        found = size_or_reason(value)
        assert found
        assert "\n" not in str(found)
