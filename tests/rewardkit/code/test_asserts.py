"""Tests written as asserts (LeetCode, HumanEval, MBPP) become calls, or stay a driver of the program."""

import json

import pytest
from code_rows import HUMANEVAL, LEETCODE, kwargs_of

from rewardkit import Sample
from rewardkit.code.formats import read_problem
from rewardkit.code.remote import OBJECTS
from rewardkit.errors import GroundTruthError
from rewardkit.rewards.code import Code
from sandboxes.values import BinaryTree, LinkedList


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
        ("assert int(f(5)) == 3", OBJECTS, 0),
        ("assert (f(x)) == 3", OBJECTS, 0),
        ("assert abs(f(5)) == 3", OBJECTS, 0),
        ("assert max(f([1])) == 1", OBJECTS, 0),
    ],
)
def test_a_builtin_around_the_call_is_not_the_entry_point(line, entry, calls):
    problem = read_problem({"test_list": [line]})
    assert (problem.entry_point, len(problem.call_tests)) == (entry, calls)


@pytest.mark.parametrize("line", ["assert 5 == candidate(1)", "assert f(1) == 5", "assert candidate(1) == 2.0 / 3.0", "assert candidate(1) == set([1, 2])",
                                  "assert tuple([1]) == candidate(1)"])  # fmt: skip
def test_asserts_of_a_call_and_data_become_calls(line):
    problem = read_problem({**HUMANEVAL, "test": f"import math\ndef check(candidate):\n    {line}\n"})
    assert (len(problem.call_tests), problem.drivers) == (1, ())


RETURNED = ("1", "0", "0.5", "None", "True", "''", "'ab'", "'ba'", "[]", "[0]", "['a', 'b']", "('a', 'b')", "['b', 'a', 'a']", "{'a'}", "{'a': 1, 'b': 2}",
            "{'a': 1, 'b': 2}.keys()", "iter('ab')", "(x for x in 'ab')", "re.match('a', 'ab')", "object()", "Thing()", "print", "complex(0.5)", "1e-9 + 0.5")  # fmt: skip
ASSERTED = ("candidate(1)", "not candidate(1)", "candidate(1) is None", "candidate(1) is True", "set(candidate(1)) == {'a', 'b'}", "list(candidate(1)) == list('ab')",
            "tuple(candidate(1)) == tuple(['a', 'b'])", "list(candidate(1)) == ['a', 'b']", "sorted(candidate(1)) == ['a', 'b']", "abs(candidate(1) - 0.5) < 1e-6",
            "math.isclose(candidate(1), 0.5)")  # fmt: skip


@pytest.mark.parametrize("asserted", ASSERTED)
def test_other_asserts_are_judged_as_in_python_whatever_is_returned(asserted):
    """One reward for all of them: Python itself says here which results are right."""
    samples, right = [], []
    for returned in RETURNED:
        program = f"import re\nclass Thing: pass\ndef f(n): return {returned}\n"
        tests = f"import math\ndef check(candidate):\n    assert {asserted}\n"
        samples.append(Sample(completion=f"```python\n{program}```", ground_truth={**HUMANEVAL, "test": tests}))
        space = {}
        try:
            exec(f"{program}{tests}check(f)\n", space)
            right.append(1.0)
        except Exception:
            right.append(0.0)
    scores = Code(sandbox="unsafe").score(samples)
    assert {returned: score.value for returned, score in zip(RETURNED, scores, strict=True)} == dict(
        zip(RETURNED, right, strict=True)
    )
    assert 0.0 < sum(right) < len(right)


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


@pytest.mark.parametrize(
    "line",
    ["assert (f(x) == [1]) == True", "assert f(x) == y", "assert any(f(x)) == True", "assert f(x == 1) == 1", "assert math.isclose(f(x), 1.0)",
     "assert g(x) + f(x) == 1", "y = f(x)\nassert y == 1"],
)  # fmt: skip
def test_nothing_is_compared_beside_the_program(line):
    problem = read_problem({"test_list": [line], "test_setup_code": "x = y = 1", "entry_point": "f"})
    assert not problem.call_tests
    assert repr(f"x = y = 1\n{line}")[1:-1] in problem.drivers[0]
