"""Ground truths to tests: every shape that is in use, and one line for every shape that is not."""

import base64
import json
import pickle
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit.code import formats
from rewardkit.code.asserts import convert_check
from rewardkit.code.checker import Checker
from rewardkit.code.constructed_args import CONSTRUCTED
from rewardkit.code.formats import read_problem
from rewardkit.code.formats._calls import CALL_PRELUDE
from rewardkit.code.judge import with_stub
from rewardkit.code.remote import OBJECTS
from rewardkit.errors import GroundTruthError
from sandboxes.values import BinaryTree, LinkedList, decode

LEETCODE = {
    "prompt": "from typing import *\ninf = float('inf')\n",
    "entry_point": "Solution().f",
    "test": "def check(candidate):\n    assert candidate(n = 2, xs = [1, -2]) == [inf, -1.5]\n",
}


TACO_CALL = {"inputs": [[1]], "outputs": [1], "fn_name": "f"}


def args_of(test):
    return tuple(decode(value) for value in test.call.args)


def kwargs_of(test):
    return {name: decode(value) for name, value in test.call.kwargs.items()}


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


def test_leetcode_asserts_become_calls():
    problem = read_problem(LEETCODE)
    assert problem.entry_point == "Solution.f"
    assert problem.prelude == LEETCODE["prompt"]
    assert kwargs_of(problem.call_tests[0]) == {"n": 2, "xs": [1, -2]}
    assert problem.call_tests[0].expected.value == [float("inf"), -1.5]


def test_seed_names_of_leetcode_fields_work_too():
    row = {"import_prefix": LEETCODE["prompt"], "test_code": LEETCODE["test"], "entry_point": "Solution().f"}
    assert read_problem(json.dumps(row)) == read_problem(LEETCODE)


def test_leetcode_nodes_become_lists_and_trees():
    test = (
        "def check(candidate):\n"
        "    assert is_same_list(candidate(l1 = list_node([2,4]), l2 = list_node([])), list_node([7]))\n"
        "    assert is_same_tree(candidate(root = tree_node([1,None,2,None,None,3])), tree_node([]))\n"
    )
    first, second = read_problem({**LEETCODE, "test": test}).call_tests
    assert kwargs_of(first) == {"l1": LinkedList([2, 4]), "l2": None}
    assert first.expected.value == LinkedList([7])
    assert kwargs_of(second) == {"root": BinaryTree([1, None, 2])}
    assert second.expected.value is None


@pytest.mark.parametrize(
    "line",
    [
        "assert sorted(candidate(1)) == [1]",
        "assert candidate(open('/etc/passwd').read()) == 1",
        "assert candidate(1) == __import__('os').getpid()",
        "assert candidate(1) > 0",
        "x = candidate(1)",
        "for i in range(3): assert candidate(i) == i",
        "assert candidate(10 ** 10 ** 10) == 1",
        "assert candidate([0] * 10 ** 9) == 1",
        "assert candidate('a' * 10 ** 9) == 1",
        "assert candidate(1 << 10 ** 9) == 1",
        "assert candidate(f'{1}') == 1",
        "assert candidate(*[1], **{'a': 1}) == 1",
        "assert candidate((lambda: 1)()) == 1",
        "assert candidate({**{}}) == 1",
        "assert candidate({[]: 1}) == 1",
        "assert other(1) == 1",
        "assert candidate(1) == " + "[" * 95 + "]" * 95,
    ],
)
def test_leetcode_row_with_an_assert_that_is_no_data_is_refused_whole(line):
    test = LEETCODE["test"] + f"    {line}\n"
    with pytest.raises(GroundTruthError) as caught:
        read_problem({**LEETCODE, "test": test})
    assert "\n" not in str(caught.value)


HUMANEVAL = {
    "prompt": 'from typing import List\n\ndef helper(x):\n    return x\n\ndef f(x: List[int]) -> int:\n    """Doc."""\n',
    "entry_point": "f",
    "test": "METADATA = {}\n\ndef check(candidate):\n    assert candidate([1, 2]) == 3, 'no'\n    assert True\n",
}


def test_humaneval_asserts_become_calls_with_the_prompts_helpers():
    problem = read_problem(HUMANEVAL)
    assert (problem.entry_point, problem.drivers, len(problem.call_tests)) == ("f", (), 1)
    assert "helper" in problem.prelude
    assert "def f" not in problem.prelude
    assert problem.stub == HUMANEVAL["prompt"]


def test_humaneval_prompt_in_prose_is_no_prelude():
    problem = read_problem({**HUMANEVAL, "prompt": "Write a function f that adds."})
    assert "Write" not in problem.prelude
    assert problem.stub == ""


def test_asserts_that_call_another_name_name_the_entry_point():
    test = "def check(candidate):\n    assert other(1) == 2\n    assert other(2) == 3\ncheck(f)\n"
    problem = read_problem({**HUMANEVAL, "test": test})
    assert (problem.entry_point, len(problem.call_tests)) == ("other", 2)


@pytest.mark.parametrize(
    ("line", "entry", "calls"),
    [
        ("assert sum(10, 15) == 6", "sum", 1),
        ("assert int(f(5)) == 3", CONSTRUCTED, 1),
        ("assert (f(x)) == 3", CONSTRUCTED, 1),
        ("assert abs(f(5)) == 3", OBJECTS, 0),
        ("assert max(f([1])) == 1", OBJECTS, 0),
    ],
)
def test_a_builtin_around_the_call_is_not_the_entry_point(line, entry, calls):
    problem = read_problem({"test_list": [line]})
    assert (problem.entry_point, len(problem.call_tests)) == (entry, calls)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("assert candidate(1) is None", "is"), ("assert candidate(1)", "truthy"), ("assert not candidate(1)", "falsy"),
        ("assert abs(candidate(1) - 0.5) < 1e-6", "near"), ("assert math.isclose(candidate(1), 0.5, rel_tol=0.001)", "near"),
        ("assert set(candidate(1)) == set((1, 2))", "as_set"), ("assert 5 == candidate(1)", "equal"), ("assert f(1) == 5", "equal"),
        ("assert tuple(candidate(1)) == tuple([1])", "equal"), ("assert candidate(1) == 2.0 / 3.0", "equal"),
    ],
)  # fmt: skip
def test_assert_forms(line, kind):
    problem = read_problem({**HUMANEVAL, "test": f"import math\ndef check(candidate):\n    {line}\n"})
    assert [test.expected.kind for test in problem.call_tests] == [kind]


@pytest.mark.parametrize(
    "line", ["for i in range(3):\n        assert candidate([i]) == i", "assert candidate(helper([1])) == 1", "x = candidate([1])\n    assert x == 1"]
)  # fmt: skip
def test_other_statements_go_to_a_driver(line):
    problem = read_problem({**HUMANEVAL, "test": f"def check(candidate):\n    {line}\n"})
    assert not problem.call_tests
    (driver,) = problem.drivers
    tests = driver.partition("_rewardkit_main(")[2].rpartition("_rewardkit_main(")[2]
    assert "check(candidate)" in tests
    assert "def helper" in tests
    assert "def f(" not in tests


def test_mbpp_asserts_name_their_function():
    problem = read_problem({"test_list": ["assert f(1, [2]) == {3}", "assert f(2) == (4,)"], "test_setup_code": ""})
    assert problem.entry_point == "f"
    assert [test.expected.value for test in problem.call_tests] == [{3}, (4,)]
    assert read_problem(["assert f(1, [2]) == {3}", "assert f(2) == (4,)"]) == problem


def test_arguments_of_the_programs_own_classes_are_made_behind_it():
    row = {
        "test_list": ["assert int(f(root)) == 41", "assert (f(root, int)) == [42]"],
        "test_setup_code": "root = Node(1)",
    }
    problem = read_problem(row)
    assert [args_of(test) for test in problem.call_tests] == [(0,), (1,)]
    assert [test.expected.value for test in problem.call_tests] == [41, [42]]
    program = with_stub(problem, "def f(*a): ...")
    assert program.startswith("def f(*a): ...\n\nroot = Node(1)\n")
    assert "lambda: int(f(root)), lambda: f(root, int)" in program
    assert "41" not in program
    assert "42" not in program


@pytest.mark.parametrize(
    "line",
    ["assert (f(x) == [1]) == True", "assert f(x) == y", "assert any(f(x)) == True", "assert f(x == 1) == 1", "assert math.isclose(f(x), 1.0)",
     "assert g(x) + f(x) == 1", "y = f(x)\nassert y == 1"],
)  # fmt: skip
def test_nothing_is_compared_beside_the_program(line):
    problem = read_problem({"test_list": [line], "test_setup_code": "x = y = 1", "entry_point": "f"})
    assert not problem.call_tests
    assert repr(f"x = y = 1\n{line}")[1:-1] in problem.drivers[0]


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


BAD = {
    "nothing": None,
    "a number": 42,
    "empty text": "  ",
    "prose": "the answer is 4",
    "no JSON": '{"inputs": [',
    "unknown keys": {"answer": 4},
    "no tests": {"inputs": [], "outputs": []},
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
    "asserts that call nothing": {"test_list": ["assert 1 == 1"]},
    "asserts that are no text": {"test_list": [1]},
    "unittest": {"test": "import unittest\nclass T(unittest.TestCase):\n    pass\n", "entry_point": "f"},
    "named files": {"public_tests": {"input": ["1"], "output": ["1"]}, "input_file": "../a.in"},
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
    problem = read_problem(truth)
    assert args_of(problem.call_tests[1]) == (3, [4])
    assert problem.call_tests[1].expected.met_by(7, 0.0)
    assert read_problem({"inputs": Array("1"), "outputs": Array("2")}).stdin_tests[0].expected == "2"


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
