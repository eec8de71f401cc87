"""Which tests of a row count: all that pytest or unittest would run, and only rows whose tests can fail are judged."""

import ast
import math
import sys

import pytest

from rewardkit import Sample
from rewardkit.code.formats import _sessions
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

NOTHING = "def f(*given): return None"
RIGHT = "def f(x): return x * x"

IDLE = {
    "an assert that calls nothing": {"test_list": ["assert 1 == 1"]},
    "a variable that is called so": {"test_list": ["failed = f(2) != 4"]},
    "a call in a list": {"test_list": ["f(2)", "f(3)"]},
    "a call that is printed": {"test_list": ["print(f(2))"]},
    "a result that is kept": {"test_list": ["x = f(2)"]},
    "a comparison without assert": {"test_list": ["f(2) == 4"]},
    "check() that calls": {"test": "def check(candidate):\n    candidate(2)\n", "entry_point": "f"},
    "check() that returns": {"test": "def check(candidate):\n    return candidate(2) == 4\n", "entry_point": "f"},
    "check() that prints": {"test": "def check(candidate):\n    print(candidate(2) == 4)\n", "entry_point": "f"},
    "a pytest function that returns": {"test": "def test_a():\n    return f(2) == 4\n"},
    "a unittest method that calls": {
        "test": "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        f(2)\n"
    },
    "calls that return nothing": {"inputs": [[[1, 2]], [[3, 4]]], "outputs": [None, None], "fn_name": "f"},
    "the same, in lists of one": {"inputs": [[[1, 2]], [[3, 4]]], "outputs": [[None], [None]], "fn_name": "f"},
    "a value that nothing equals": {"inputs": [[2]], "outputs": [math.nan], "fn_name": "f"},
    "the same in an assert": {"test_list": ["assert f(2) == float('nan')"]},
    "the same in a list": {"inputs": [[2]], "outputs": [[1.0, math.nan]], "fn_name": "f"},
    "a name that no function can have": {"inputs": [[2]], "outputs": [4], "fn_name": "None"},
    "the same of check()": {"test": "def check(candidate):\n    assert candidate(2) == 4\n", "entry_point": "class"},
}
ALL_RUN = {
    "a mixin": "import unittest\nclass B:\n    def test_a(self):\n        self.assertEqual(f(2), 4)\nclass T(B, unittest.TestCase):\n    def test_b(self):\n        f(1)\n",
    "a base of its own": "import unittest\nclass B(unittest.TestCase):\n    def check(self): pass\nclass Later(B):\n    def test_a(self):\n        self.assertEqual(f(2), 4)\nclass T(B):\n    def test_b(self):\n        f(1)\n",
    "a base in pytest": "class Base:\n    def test_a(self):\n        assert f(2) == 4\nclass TestX(Base):\n    def test_b(self):\n        f(1)\n",
    "beside a main guard": "def test_a():\n    assert f(2) == 4\nif __name__ == '__main__':\n    def test_c():\n        assert False\n    test_a()\n",
    "under an if that is false": "if False:\n    def test_x():\n        assert False\n    class TestX:\n        def test_a(self):\n            assert False\ndef test_c():\n    assert f(2) == 4\n",
    "an inherited one that is taken away": "import unittest\nclass B:\n    def test_a(self):\n        self.assertEqual(f(2), 4)\n    def test_b(self):\n        self.fail()\nclass T(B, unittest.TestCase):\n    test_b = None\n",
    "asserts by other names": "from unittest import TestCase\nfrom numpy.testing import assert_equal as eq\ndef test_a():\n    same = TestCase().assertEqual\n    same(f(2), 4)\n    eq(f(2), 4)\n",
    "the program by an alias": "import solution\ndef test_a():\n    it = solution\n    assert it.f(2) == 4 and getattr(solution, 'f')(3) == 9\n",
    "an override that is skipped": "import unittest\nclass B(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(2), 4)\nclass T(B):\n    @unittest.skip('later')\n    def test_a(self):\n        self.fail()\n",
    "a class that is skipped": "import unittest\n@unittest.skip('later')\nclass B(unittest.TestCase):\n    def test_a(self):\n        self.fail()\nclass T(B):\n    def test_b(self):\n        self.fail()\ndef test_c():\n    assert f(2) == 4\n",
}
PUT = {
    "under if": "if True:\n    def test_a():\n        assert f(2) == 4\ndef test_b():\n    f(1)\n",
    "under if in a class": "class TestX:\n    if True:\n        def test_a(self):\n            assert f(2) == 4\n    def test_b(self):\n        f(1)\n",
    "under try": "try:\n    import numpy\nexcept ImportError:\n    numpy = None\nelse:\n    pass\ntry:\n    def test_a():\n        assert f(2) == 4\nfinally:\n    pass\ndef test_b():\n    f(1)\n",
    "an attribute": "import unittest\nclass T(unittest.TestCase):\n    def test_b(self):\n        f(1)\ndef g(self):\n    self.assertEqual(f(2), 4)\nT.test_a = g\n",
    "an alias of a function": "def check():\n    assert f(2) == 4\ntest_a = check\ndef test_b():\n    assert f(1) is not f\n",
    "an alias in a class": "import unittest\nclass T(unittest.TestCase):\n    def m(self):\n        self.assertEqual(f(2), 4)\n    test_a = m\n    def test_b(self):\n        f(1)\n",
    "an alias of unittest's class": "import unittest\nB = unittest.TestCase\nclass Foo(B):\n    def test_a(self):\n        self.assertEqual(f(2), 4)\ndef test_b():\n    f(1)\n",
    "a class in a class": "class TestX:\n    class TestInner:\n        def test_a(self):\n            assert f(2) == 4\n    def test_b(self):\n        f(1)\n",
    "type()": "import unittest\ndef g(self):\n    self.assertEqual(f(2), 4)\nT = type('T', (unittest.TestCase,), {'test_a': g})\ndef test_b():\n    f(1)\n",
    "setattr": "import unittest\nclass T(unittest.TestCase):\n    def test_b(self):\n        f(1)\nfor n in (1, 2):\n    setattr(T, f'test_{n}', lambda self, n=n: self.assertEqual(f(n), n * n))\n",
}


def score(row, program):
    return Code(cpu_s=2.0).score([Sample(completion=f"````python\n{program}\n````", ground_truth=row)])[0]


@pytest.mark.parametrize("row", IDLE.values(), ids=IDLE)
def test_a_row_that_no_program_or_every_program_passes_is_unjudged(sandbox, row):
    for program in (NOTHING, RIGHT, "x = 1"):
        scored = score(row, program)
        assert scored.verdict is Verdict.UNJUDGED, scored
        assert scored.reason
        assert "\n" not in scored.reason


@pytest.mark.parametrize("tests", ALL_RUN.values(), ids=ALL_RUN)
def test_every_test_that_is_found_by_pytest_or_unittest_counts(sandbox, tests):
    assert score({"test": tests}, NOTHING).value == 0.0
    scored = score({"test": tests}, RIGHT)
    assert scored.verdict is Verdict.CORRECT, scored.reason


@pytest.mark.parametrize("tests", PUT.values(), ids=PUT)
def test_tests_that_the_source_does_not_name_leave_the_row_unjudged(sandbox, tests):
    for program in (NOTHING, RIGHT):
        scored = score({"test": tests}, program)
        assert scored.verdict is Verdict.UNJUDGED
        assert "under `if`, in a nested class or behind another name" in scored.reason
        beside = score({"test": tests, "tests_in_process": True, "entry_point": "f"}, program)
        assert beside.verdict is Verdict.UNJUDGED
        assert "under `if`, in a nested class or behind another name" in beside.reason


def test_a_circle_of_base_classes_is_read():
    source = "class TestA:\n    def test_a(self): pass\nclass TestB(TestA): pass\nclass TestA(TestB):\n    def test_b(self): pass\n"
    assert "TestA.test_b" in _sessions.test_names(ast.parse(source))


def test_asserts_as_one_text_need_no_entry_point(sandbox):
    tests = "assert f(2) == 4\nassert f(3) == 9"
    assert score(tests, RIGHT).value == 1.0
    assert score(f"import math\n{tests}", RIGHT).value == 1.0
    assert score(tests, NOTHING).value == 0.0


def test_asserts_of_the_set_up_code_count(sandbox):
    row = {"test_list": ["check(f(2), 4)"], "test_setup_code": "def check(one, other):\n    assert one == other\n"}
    assert (score(row, RIGHT).value, score(row, NOTHING).value) == (1.0, 0.0)


@pytest.mark.parametrize("blank", ["", "\n", "\r\n\n"])
def test_only_an_indented_program_continues_its_prompt(sandbox, blank):
    row = {
        "prompt": 'def f(x):\n    """x squared"""\n',
        "entry_point": "f",
        "test": "def check(candidate):\n    assert candidate(3) == 9\n",
    }
    for program in ("    return x * x", "class Solution:\n    def f(self, x): return x * x", "f = lambda x: x * x"):
        scored = score(row, blank + program)
        assert scored.value == 1.0, (program, scored.reason)


DEPTHS = {
    "a function": "def f(n): return n if n < 1 else 1 + f(n - 1) - 1 + 1",
    "a cached function": "from functools import lru_cache\n@lru_cache(None)\ndef f(n): return 0 if n < 1 else 1 + f(n - 1)",
    "a method": "class Solution:\n    def f(self, n):\n        def down(n): return 0 if n < 1 else 1 + down(n - 1)\n        return down(n)",
}


@pytest.mark.parametrize("program", DEPTHS.values(), ids=DEPTHS)
def test_functions_that_are_called_with_data_may_recurse_deep(sandbox, program):
    if "lru_cache" in program and sys.version_info >= (3, 12):
        pytest.skip("Python bounds recursion through C by itself since 3.12")
    scored = score({"inputs": [[9_000]], "outputs": [9_000], "fn_name": "f"}, program)
    assert scored.value == 1.0, scored.reason


ENDLESS = [
    "f(n + 1)",
    "sorted([n], key=f)",
    "max(map(f, [n]))",
    "sum(f(k) for k in [n])",
    "__import__('functools').reduce(lambda one, other: f(n), [1, 2])",
    "__import__('re').sub('x', lambda found: str(f(n)), 'x')",
]


@pytest.mark.parametrize("call", ENDLESS)
def test_a_program_may_catch_its_endless_recursion(sandbox, call):
    """Whatever it goes through: the stack holds as many calls as Python allows."""
    program = (
        f"def deep(n): return {call.replace('f(', 'deep(').replace('key=f', 'key=deep').replace('map(f', 'map(deep')}\n"
    )
    program += "def f(n):\n    try:\n        deep(n)\n    except RecursionError:\n        return n * n\n"
    scored = score({"inputs": [[3]], "outputs": [9], "fn_name": "f"}, program)
    assert scored.value == 1.0, scored.reason


@pytest.mark.parametrize(
    "program",
    [
        "f = {}\nclass Solution:\n    def f(self, x): return x * x",
        "def f(n): return n\nclass Solution:\n    def f(self, x): return f(x) * x",
        "class Solution:\n    def g(self, x): return 0\ndef f(x): return x * x",
    ],
)
def test_the_method_of_solution_is_called_where_it_has_one(sandbox, program):
    assert score({"inputs": [[3]], "outputs": [9], "fn_name": "f"}, program).value == 1.0


def test_elsewhere_a_function_is_called_before_a_method(sandbox):
    program = "class Solution:\n    def __init__(self, x): self.x = x\n    def f(self): return self.x * self.x\ndef f(x): return Solution(x).f()"
    assert score({"test_list": ["assert f(3) == 9"]}, program).value == 1.0
    humaneval = {"test": "def check(candidate):\n    assert candidate(3) == 9\n", "entry_point": "f"}
    assert score(humaneval, program).value == 1.0


def test_tests_that_guard_an_import_pay_no_program_without_it(sandbox):
    for tests in (
        "try:\n    from solution import f\nexcept ImportError:\n    f = None\ndef test_a():\n    assert f is None or f(2) == 4\n",
        "import solution\ndef test_a():\n    if hasattr(solution, 'f'):\n        assert solution.f(2) == 4\n",
    ):
        assert score({"pytest": tests}, RIGHT).value == 1.0
        assert score({"pytest": tests}, NOTHING).value == 0.0
        assert score({"pytest": tests}, "x = 1").value == 0.0


BIG = 3**20_000


def test_programs_read_and_print_integers_of_any_length(sandbox):
    printing = {"inputs": ["20000\n"], "outputs": [format_digits(BIG)]}
    assert score(printing, "print(3 ** int(input()))").value == 1.0
    assert score(printing, "print(3 ** int(input()) + 1)").value == 0.0
    reading = {"inputs": [format_digits(BIG) + "\n"], "outputs": [str(BIG % 7919)]}
    assert score(reading, "print(int(input()) % 7919)").value == 1.0
    calls = {"inputs": [[20_000]], "outputs": [BIG], "fn_name": "f"}
    assert score(calls, "def f(n): return 3 ** n").value == 1.0
    assert score(calls, "def f(n): return 3 ** n + 1").value == 0.0
    asserts = {"test": "def test_a():\n    assert str(f(20_000)) == str(3 ** 20_000)\n"}
    assert score(asserts, "def f(n): return 3 ** n").value == 1.0


def format_digits(number):
    """More digits than Python prints by itself."""
    parts = []
    while number:
        number, low = divmod(number, 10**4000)
        parts.append(f"{low:04000d}")
    return "".join(reversed(parts)).lstrip("0")
