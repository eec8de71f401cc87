"""Ground truths to tests: every shape that is in use, and one line for every shape that is not."""

import base64
import json
import pickle
import zlib

import pytest
from code_rows import HUMANEVAL, LEETCODE, TACO_CALL, args_of, kwargs_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit import Sample
from rewardkit.code import formats
from rewardkit.code.asserts import convert_check
from rewardkit.code.checker import Checker
from rewardkit.code.formats import read_problem
from rewardkit.code.formats._calls import CALL_PRELUDE
from rewardkit.errors import GroundTruthError


@pytest.mark.parametrize(
    "truth",
    [
        {"inputs": ["1\n", "2\n"], "outputs": ["1\n", "4\n"]},
        '{"inputs": ["1\\n", "2\\n"], "outputs": ["1\\n", "4\\n"]}',
        str({"inputs": ["1\n", "2\n"], "outputs": ["1\n", "4\n"]}),
        {"input_output": '{"inputs": ["1\\n", "2\\n"], "outputs": ["1\\n", "4\\n"]}', "difficulty": "EASY"},
        {"inputs": ["1\n", "2\n"], "outputs": [["1", ""], ["4", ""]], "fn_name": None},
        {"tests": {"inputs": ["1\n", "2\n"], "outputs": ["1\n", "4\n"]}, "problem": "square"},
        {"public_tests": {"input": ["1\n"], "output": ["1\n"]}, "generated_tests": {"input": ["2\n"], "output": ["4\n"]},
         "private_tests": {"input": [], "output": []}},
        {"public_tests": '{"input": ["1\\n"], "output": ["1\\n"]}', "private_tests": [{"input": "2\n", "output": "4\n"}], "generated_tests": ""},
        {"inputs": [["1\n"], ["2\n"]], "outputs": [["1\n"], "4\n"]},
        [{"input": "1\n", "output": "1\n", "testtype": "stdin"}, {"input": "2\n", "output": "4\n", "testtype": "stdin"}],
        {"test": '[{"input": {"stdin": "1\\n"}, "output": {"stdout": "1\\n"}}, {"input": {"stdin": "2\\n"}, "output": {"stdout": "4\\n"}}]'},
        {"public_test_cases": '[{"input": "1\\n", "output": "1\\n", "testtype": "stdin"}]',
         "private_test_cases": base64.b64encode(zlib.compress(pickle.dumps('[{"input": "2\\n", "output": "4\\n", "testtype": "stdin"}]'))).decode()},
        {"official_tests": [{"input": "1\n", "output": "1\n"}, {"input": "2\n", "output": "4\n"}], "generated_checker": None},
        {"verification_info": {"language": "python", "test_cases": [{"type": "stdin_stdout", "input": "1\n", "output": "1\n"},
                                                                     {"type": "stdin_stdout", "input": "2\n", "output": "4\n"}]}},
    ],
)  # fmt: skip
def test_stdin_tests_are_read_from_every_shape(truth):
    problem = read_problem(truth)
    assert [(test.stdin, test.expected) for test in problem.stdin_tests] == [("1\n", "1\n"), ("2\n", "4\n")]
    assert not problem.call_tests


def test_lines_with_and_without_their_ends_are_one_text():
    for lines in (["1", "2", ""], ["1\n", "2\n"]):
        problem = read_problem({"inputs": [lines], "outputs": ["3"]})
        assert problem.stdin_tests[0].stdin == "1\n2\n"


def test_taco_calls_unwrap_singleton_outputs():
    problem = read_problem({"inputs": [[1, "a"], [2, "b"]], "outputs": [[["x"]], [["y"]]], "fn_name": "f"})
    assert problem.entry_point == "f"
    assert [args_of(test) for test in problem.call_tests] == [(1, "a"), (2, "b")]
    first = problem.call_tests[0].expected
    assert first.met_by(["x"], 0.0)
    assert first.met_by([["x"]], 0.0)
    assert not first.met_by("x", 0.0)


def test_taco_outputs_of_several_items_are_not_unwrapped():
    problem = read_problem({"inputs": [[1], [2]], "outputs": [[1], [1, 2]], "fn_name": "f"})
    assert problem.call_tests[0].expected.met_by([1], 0.0)
    assert not problem.call_tests[0].expected.met_by(1, 0.0)


def test_taco_integer_keys_come_back():
    problem = read_problem({"inputs": [[{"1": 2, "-3": 4}, {"a": 1}]], "outputs": [{"5": 6}], "fn_name": "f"})
    assert args_of(problem.call_tests[0]) == ({1: 2, -3: 4}, {"a": 1})
    assert problem.call_tests[0].expected.met_by({"t": "dict", "v": [[5, 6]]}, 0.0)
    assert problem.call_tests[0].expected.met_by({"t": "dict", "v": [["5", 6]]}, 0.0)


def test_prelude_never_defines_the_entry_point():
    problem = read_problem({"inputs": [[1]], "outputs": [1], "fn_name": "gcd"})
    assert problem.prelude.rstrip().endswith("globals().pop('gcd', None)")


@pytest.mark.parametrize(
    "where",
    [
        {"starter_code": "class Solution:\n    def add(self, a: int, b: int) -> int:\n        "},
        {"metadata": '{"func_name": "add"}'},
        {"metadata": {"func_name": "add"}},
        {"fn_name": "add"},
    ],
)
def test_livecodebench_function_is_found(where):
    truth = {"tests": [{"input": "1\n2", "output": "3", "testtype": "functional"}], **where}
    problem = read_problem(truth)
    assert problem.entry_point == "add"
    assert args_of(problem.call_tests[0]) == (1, 2)
    assert problem.call_tests[0].expected.value == 3
    assert read_problem(truth["tests"], where).entry_point == "add"


def test_a_row_that_needs_a_special_judge_is_refused_unless_it_brings_one():
    row = {"inputs": ["1"], "outputs": ["1"]}
    with pytest.raises(GroundTruthError, match="special judge"):
        read_problem({**row, "special_judge": True})
    with pytest.raises(GroundTruthError, match="special judge"):
        read_problem(row, {"special_judge": True})
    assert read_problem({**row, "special_judge": True, "checker": "unordered"}).compare == "unordered"
    assert read_problem({**row, "special_judge": True, "generated_checker": "print(1)"}).checker == Checker.of(
        "print(1)"
    )
    assert read_problem({**row, "special_judge": False}).checker is None
    with pytest.raises(GroundTruthError, match="no compare rule 'mine'"):
        read_problem({**row, "checker": "mine"})


def test_tests_beside_the_ground_truth_count_where_it_holds_none():
    columns = {name: HUMANEVAL[name] for name in ("test", "entry_point", "prompt")}
    expected = read_problem(HUMANEVAL)
    for truth in (None, "    return sum(x)\n", "def f(x): ...", {"answer": 4}, []):
        assert read_problem(truth, columns) == expected
    assert read_problem(HUMANEVAL, {"test": "def check(candidate):\n    assert candidate(1) == 2\n"}) == expected


def test_leetcodes_examples_never_stand_in_for_its_tests():
    examples = [{"input": "n = 2, xs = [1,-2]", "output": "[0]"}]
    assert read_problem(examples, LEETCODE) == read_problem(LEETCODE)
    with pytest.raises(GroundTruthError, match="types"):
        read_problem(examples, {"entry_point": "Solution().f"})


def test_livecodebench_columns_beside_the_ground_truth():
    columns = {
        "tests": [{"input": "1\n2", "output": "3", "testtype": "functional"}],
        "starter_code": "class Solution:\n    def add(self, a, b):",
    }
    assert read_problem(None, columns).entry_point == "add"


def test_ten_thousand_tests_are_read():
    count = 10_000
    problem = read_problem({"inputs": [str(i) for i in range(count)], "outputs": [str(i) for i in range(count)]})
    assert problem.size == count


class Array:
    """What Parquet readers give for a list: something like a numpy array."""

    def __init__(self, *items):
        self.items = items

    def tolist(self):
        return list(self.items)


def test_arrays_of_parquet_files_are_lists():
    truth = {
        "inputs": Array(Array(1, Array(2)), Array(3, Array(4))),
        "outputs": Array(Array(3), Array(7)),
        "fn_name": "add",
    }
    problem = read_problem(Sample(ground_truth=truth).ground_truth)
    assert args_of(problem.call_tests[1]) == (3, [4])
    assert problem.call_tests[1].expected.met_by(7, 0.0)
    sample = Sample(ground_truth={"inputs": Array("1"), "outputs": Array("2")})
    assert read_problem(sample.ground_truth).stdin_tests[0].expected == "2"


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "def f(n):\n", "entry_point": "f", "test": "def check(candidate):\n    assert candidate(4) == 2\n"},
        {"prompt": "def f(n):\n", "entry_point": "f", "test": "def check(candidate):\n    for n in (4,):\n        assert candidate(n) == 2\n"},
        {"test_list": ["assert f(4) == 2"]},
        {"test_list": ["assert f(4) == sum([2])"], "test_setup_code": "x = 1"},
        {"test_list": ["assert f(Node(3)) == 4"], "test_setup_code": "root = Node(1)"},
    ],
)  # fmt: skip
def test_only_rows_in_leetcodes_form_bring_leetcodes_imports(row):
    problem = read_problem(row)
    before = {line for line in problem.prelude.splitlines() if line.startswith(("import ", "from ", "class "))}
    assert before == set()
    assert CALL_PRELUDE in read_problem(TACO_CALL).prelude
    assert CALL_PRELUDE in read_problem({**LEETCODE, "prompt": ""}).prelude


def test_a_humaneval_program_gets_the_imports_of_its_own_prompt():
    row = {"prompt": "from typing import List\n\n\ndef f(n):\n", "entry_point": "f", "test": "def check(candidate):\n    assert candidate(4) == 2\n"}  # fmt: skip
    assert read_problem(row).prelude == "from typing import List\n\n\n\nglobals().pop('f', None)\n"


def test_asserts_without_a_check_function_are_calls_too():
    found = convert_check("assert f(1) == 2\nassert f(x=3) == [4]", {"f"})
    assert found.called == "f"
    assert [(args_of(test), kwargs_of(test)) for test in found.tests] == [((1,), {}), ((), {"x": 3})]


@pytest.mark.parametrize(
    ("case", "read"),
    [
        ({"input": "1", "output": "1"}, True),
        ({"input": "1", "output": None}, False),
        ({"input": "1"}, False),
        ({"output": "1"}, False),
        ({"input": "1", "output": None, "testtype": "functional", "fn_name": "f"}, True),
        ({"input": "1", "testtype": "functional", "fn_name": "f"}, False),
        ({"input": "1", "type": "function_call", "fn_name": "f"}, False),
    ],
)
def test_a_case_has_an_input_and_an_output_and_a_call_may_return_none(case, read):
    if read:
        problem = read_problem([case, {**case, "output": "2"}])
        assert len(problem.stdin_tests) + len(problem.call_tests) == 2
    else:
        with pytest.raises(GroundTruthError, match="input or its output"):
            read_problem([case])


ALIKE = [
    1,
    1.0,
    True,
    -0.0,
    0,
    False,
    None,
    "1",
    [1],
    (1,),
    [[1]],
    ((1,),),
    {"1": 1},
    {1: 1},
    {True: 1},
    float("inf"),
    10**30,
]


@settings(max_examples=60)
@given(st.lists(st.sampled_from(ALIKE), min_size=2, max_size=12), st.booleans())
def test_rows_that_look_alike_are_read_as_if_each_were_the_first(values, as_text):
    """What is kept of a row never changes how another one is read, in whatever order they come."""
    for value in values * 2:
        row = {"inputs": [[value], [0]], "outputs": [value, 5], "fn_name": "f"}
        truth = repr(row).replace("inf", "1e999") if as_text else row
        assert repr(read_problem(truth)) == repr(formats._read_row(truth, {}))


def test_a_row_that_its_owner_changes_is_read_again():
    row = {"inputs": ["1\n"], "outputs": ["1\n"]}
    assert read_problem(row).stdin_tests[0].expected == "1\n"
    row["outputs"][0] = "2\n"
    assert read_problem(row).stdin_tests[0].expected == "2\n"


def test_few_rows_with_little_text_are_kept():
    kept = formats._Kept()
    for number in range(formats.MAX_KEPT + 50):
        row = {"inputs": [f"{number}\n"], "outputs": ["1\n"]}
        assert kept.problem((json.dumps(row), ""), row, {}).size == 1
    assert len(kept._rows) == formats.MAX_KEPT
    huge = {"inputs": ["1" * formats.MAX_KEPT_CHARS], "outputs": ["1\n"]}
    kept.problem((json.dumps(huge), ""), huge, {})
    assert len(kept._rows) == 1


NETWORK_TEST = "import unittest\n{before}class TestCases(unittest.TestCase):\n    {patch}\n    def test_a(self{more}):\n        self.assertEqual(task_func({given!r}), 1)\n"


@pytest.mark.parametrize(
    ("prompt", "parts", "needs"),
    [
        ("import requests\ndef task_func(url):\n", {"given": "https://example.com"}, True),
        ("import requests\ndef task_func(url):\n", {"given": "https://example.com", "patch": "@patch('requests.get')", "more": ", get"}, False),
        ("import requests\ndef task_func(url):\n", {"given": "file:///tmp/page.html"}, False),
        ("import os\ndef task_func(url):\n", {"given": "https://example.com"}, False),
        ("import os\ndef task_func(url='http://example.com'):\n", {"given": ""}, True),
        ("import os\ndef task_func(x):\n", {"given": "", "before": "nltk.download('punkt')\n"}, True),
    ],
)  # fmt: skip
def test_rows_whose_tests_need_a_network_are_refused(prompt, parts, needs):
    test = NETWORK_TEST.format(**{"before": "", "patch": "", "more": "", **parts})
    row = {"test": test, "prompt": prompt, "entry_point": "task_func", "tests_in_process": True}
    if needs:
        with pytest.raises(GroundTruthError, match="tests that need a network"):
            read_problem(row)
    else:
        assert read_problem(row).test_names == ("TestCases.test_a",)


@pytest.mark.parametrize("source", [True, 5, ["def check(): pass"], {"cpp": "int main() {}"}])
@pytest.mark.parametrize("name", ["generated_checker", "checker_code"])
def test_a_checker_that_is_no_text_leaves_the_row_unjudged(name, source):
    with pytest.raises(GroundTruthError, match="no source text"):
        read_problem({"inputs": ["1"], "outputs": ["2"], name: source}, {})


@pytest.mark.parametrize(
    ("truth", "beside", "tests"),
    [
        ('  {"inputs": ["1"], "outputs": ["2"]}', {"inputs": ["3", "4"], "outputs": ["5", "6"]}, 1),
        ("assert f(1) == 2", {"entry_point": "f", "inputs": ["3", "4"], "outputs": ["5", "6"]}, 1),
        (
            "\ndef check(candidate):\n    assert candidate(1) == 2\n",
            {"entry_point": "f", "inputs": ["3"], "outputs": ["5"]},
            1,
        ),
        ("print(int(input()) + 2)", {"inputs": ["3", "4"], "outputs": ["5", "6"]}, 2),
    ],
)
def test_tests_in_the_ground_truth_go_before_those_beside_it(truth, beside, tests):
    assert read_problem(truth, beside).size == tests
