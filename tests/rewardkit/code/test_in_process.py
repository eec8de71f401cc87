"""Tests in the program's own process: honest programs pass, and the ways to cheat that a model would find are not paid."""

import random

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

EQUALS = "class A:\n    def __eq__(self, o): return True\n    __ne__ = __lt__ = __gt__ = __le__ = __ge__ = __contains__ = lambda self, o: True\n    __sub__ = __rsub__ = __add__ = lambda self, o: 0\n    def __abs__(self): return 0\n    def __bool__(self): return True\n    __hash__ = None\n"


def score(row, program, **options):
    return Code(cpu_s=2.0, **options).score([Sample(completion=f"````python\n{program}\n````", ground_truth=row)])[0]


PATCHED = """
import os
import tempfile
import unittest
from unittest.mock import patch

class TestCases(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
    @patch("builtins.print")
    def test_says(self, said):
        task_func(self.folder, 3)
        said.assert_called_once_with(3)
    def test_writes(self):
        self.assertEqual(task_func(self.folder, 4), 16)
        with open(os.path.join(self.folder, "out")) as file:
            self.assertEqual(file.read(), "4")
"""
BESIDE = {"test": PATCHED, "entry_point": "task_func", "tests_in_process": True}
WRITES = "import os\ndef task_func(folder, n):\n    print(n)\n    with open(os.path.join(folder, 'out'), 'w') as file: file.write(str(n))\n    return n * n"
TAMPERING = {
    "asserts that do nothing": "import unittest\nfor name in dir(unittest.TestCase):\n    if name.startswith('assert'): setattr(unittest.TestCase, name, lambda *a, **k: None)\ndef task_func(*a): pass",
    "a test case that runs nothing": "import unittest\nunittest.TestCase.run = lambda self, result=None: setattr(result, 'testsRun', 1)\ndef task_func(*a): pass",
    "a result that takes no failure": "import unittest\nunittest.TestResult.addFailure = unittest.TestResult.addError = lambda *a: None\ndef task_func(*a): pass",
    "assertions that are no errors": "import builtins\nclass A(Exception):\n    def __new__(cls, *a): raise SystemExit(0)\nbuiltins.AssertionError = A\ndef task_func(*a): pass",
    "exits": "import os\ndef task_func(*a): os._exit(0)",
    "an exit at once": "import os\nos._exit(0)",
    "the runner replaced": "def task_func(*a): pass\nimport threading\ndef later():\n    while '_rewardkit_tests' not in globals(): pass\n    globals()['_rewardkit_tests'] = lambda *a: ['passed', '', '']\nthreading.Thread(target=later, daemon=True).start()\nimport time",
    "mocks that are satisfied": "import unittest.mock as m\nm.NonCallableMock.assert_called_once_with = lambda *a, **k: None\nimport unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\nimport builtins\nkeep = open\nbuiltins.open = lambda path, *a: __import__('io').StringIO('4')\ndef task_func(*a): return 16",
    "nothing": "x = 1",
    "wrong": WRITES.replace("n * n", "n * 2"),
}  # fmt: skip


def test_tests_in_process_run_with_patches_and_files(sandbox):
    scored = score(BESIDE, WRITES)
    assert (scored.value, scored.verdict) == (1.0, Verdict.CORRECT), scored.reason
    assert score(BESIDE, WRITES.replace("n * n", "n * 2"), mode="fraction").value == 0.5


@pytest.mark.long
def test_a_test_that_meets_a_limit_costs_no_other(sandbox):
    tests = "".join(f"def test_{n}(): assert f({n}) == {n}\n" for n in range(8))
    program = "def f(n):\n    while n == 3: pass\n    return n"
    sample = Sample(completion=f"```python\n{program}\n```", ground_truth={"test": tests, "tests_in_process": True})
    assert Code(cpu_s=0.5, mode="fraction").score([sample])[0].value == 7 / 8


LEAVES = """
import os, unittest
from unittest.mock import patch
drawn = []

class TestCases(unittest.TestCase):
    def test_makes_a_folder(self):
        os.mkdir("./made")
        self.assertEqual(task_func("./made", 3), 9)
    def test_draws(self):
        try:
            task_func(".", 4)
        except Exception:
            pass
        drawn.append(1)
        self.assertEqual(drawn, [1])
    @patch(__name__ + ".SCALE", 5)
    def test_patches_a_constant(self):
        self.assertEqual(task_func(".", 2), 20)
    def test_state_of_a_module(self):
        task_func(".", 6)
        self.assertEqual(os.drawn, SCALE * 6)
"""


def test_what_a_test_leaves_behind_is_not_there_in_the_next(sandbox):
    prompt = "import os\nSCALE = 1\ndef task_func(folder, n):\n"
    program = WRITES.replace("n * n", "SCALE * n * n").replace("    print(n)", "    os.drawn = n") + "\nSCALE = 1"
    scored = score({**BESIDE, "test": LEAVES, "prompt": prompt}, program)
    assert (scored.value, scored.verdict) == (1.0, Verdict.CORRECT), scored.reason


IMPORTS = {
    "a module": "import solution\ndef test_a(): assert solution.f(1) == 1",
    "a module by another name": "import solution as s\ndef test_a(): assert s.f(1) == 1",
    "a module in a test": "def test_a():\n    import solution\n    assert solution.f(1) == 1",
    "a function": "from solution import f\ndef test_a(): assert f(1) == 1",
    "a function by another name": "from solution import f as g\ndef test_a(): assert g(1) == 1",
    "all": "from solution import *\ndef test_a(): assert f(1) == 1",
    "what is run": "from __main__ import f\ndef test_a(): assert f(1) == 1",
    "nothing": "def test_a(): assert f(1) == 1",
    "a class": "import unittest, solution\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(solution.K().g(1), 1)",
}


@pytest.mark.parametrize("entry", ["", "f", "K"])
@pytest.mark.parametrize("test", IMPORTS.values(), ids=IMPORTS)
def test_tests_in_process_may_import_the_program(sandbox, test, entry):
    row = {"test": test + "\n", "tests_in_process": True, **({"entry_point": entry} if entry else {})}
    program = "def f(x): return x\nclass K:\n    def g(self, x): return f(x)"
    assert [score(row, text).value for text in (program, program.replace("return x", "return 2"))] == [1.0, 0.0]


def test_tests_in_process_that_name_nothing_of_the_program_are_unjudged(sandbox):
    row = {"test": "import importlib\ndef test_a(): assert importlib.import_module('solution').f(1) == 1\n"}
    scored = score({**row, "tests_in_process": True}, "def f(x): return x")
    assert (scored.verdict, "give the row an entry_point" in scored.reason) == (Verdict.UNJUDGED, True)


@pytest.mark.parametrize("name", TAMPERING)
def test_tests_in_process_that_are_tampered_with_are_not_paid(sandbox, name):
    scored = score(BESIDE, TAMPERING[name])
    assert scored.value == 0.0, scored


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"test": "import no_such_package\ndef test_a():\n    assert f(1) == 1\n"}, "no_such_package"),
        ({"test": "import os\ndef test_a():\n    assert f(1) == 1\n", "prompt": "import no_such_package\ndef f(x):\n"}, "no_such_package"),
        ({"test": "import os\ndef test_a():\n    f(1)\n"}, "every test of the row passes without a program"),
        ({"test": "def test_a():\n    f(os.getcwd(), SCALE)\n", "prompt": "import os\nSCALE = 3\ndef f(x, y):\n"}, "every test of the row passes without a program"),
    ],
)  # fmt: skip
def test_rows_whose_tests_in_process_cannot_run_are_unjudged(sandbox, row, said):
    scored = score({**row, "entry_point": "f", "tests_in_process": True}, "def f(x): return 1")
    assert scored.verdict is Verdict.UNJUDGED
    assert said in scored.reason


PLAIN_UNITTEST = """
import os, unittest
class TestCases(unittest.TestCase):
    def test_a(self):
        self.assertEqual(task_func(3), 9)
        self.assertAlmostEqual(task_func(0.5), 0.25)
    def test_b(self):
        self.assertGreater(task_func(4), 15)
        self.assertIn(task_func(5), [25])
        self.assertEqual([task_func(2)], [4])
    @unittest.skip("elsewhere")
    def test_c(self):
        self.fail()
    @unittest.expectedFailure
    def test_d(self):
        self.assertEqual(task_func(3), 10)
class TestLater(unittest.IsolatedAsyncioTestCase):
    async def test_e(self):
        self.assertEqual(task_func(6), 36)
"""
PLAIN_PYTEST = """
import os, pytest
def test_a():
    assert task_func(3) == 9
    assert task_func(0.5) == pytest.approx(0.25)
@pytest.mark.parametrize("n", [4, 5])
def test_b(n):
    assert task_func(n) == n * n and task_func(n) > 15
def test_c():
    pytest.skip("elsewhere")
"""
PLAIN = {name: {"test": text, "entry_point": "task_func", "tests_in_process": True} for name, text in {"unittest": PLAIN_UNITTEST, "pytest": PLAIN_PYTEST}.items()}  # fmt: skip
CHEATS = {
    "skipped tests": "import unittest\ndef task_func(*a): raise unittest.SkipTest",
    "an exception that unittest takes for an end": "import unittest\ndef task_func(*a): raise unittest.case._ShouldStop",
    "pytest's skip": "def task_func(*a): raise globals()['_Skipped']",
    "no failures from the first call on": "import unittest\ndef task_func(*a):\n    unittest.TestResult.addFailure = unittest.TestResult.addError = lambda *a: None",
    "no asserts from the first call on": "import unittest\ndef task_func(*a):\n    for name in dir(unittest.TestCase):\n        if name.startswith('assert'): setattr(unittest.TestCase, name, lambda *a, **k: None)\n    return 16",
    "asserts that wait for the first call": "import unittest\nreal, called = unittest.TestCase.assertEqual, []\nunittest.TestCase.assertEqual = lambda *a: None if called else real(*a)\nunittest.TestCase.assertAlmostEqual = unittest.TestCase.assertEqual\ndef task_func(*a):\n    called.append(1)\n    return 0",
    "other builtins from the first call on": "import builtins\ndef task_func(*a):\n    builtins.AssertionError = ValueError\n    builtins.abs = lambda x: 0\n    return 0",
    "an object that equals everything": f"{EQUALS}def task_func(*a): return A()",
    "a number that equals everything": "class A(float):\n    def __eq__(self, o): return True\n    __hash__ = float.__hash__\ndef task_func(*a): return A(100)",
    "objects in a list": f"{EQUALS}def task_func(*a): return [A()]",
    "words on every descriptor": "import os, json\ndef task_func(*a):\n    for fd in range(3, 256):\n        for line in (['passed', '', ''], ['passed', '', '', ''], {'v': ['passed', '', '', '']}):\n            try: os.write(fd, json.dumps(line).encode() + b'\\n')\n            except OSError: pass\n    os._exit(0)",
    "no test at all": "import unittest\nunittest.TestCase.run = lambda self, result: result\ndef task_func(*a): return 0",
}  # fmt: skip


@pytest.mark.parametrize(
    ("program", "verdict", "said"),
    [
        ("def task_func(n): return n + 1", Verdict.WRONG, "an assert of the tests fails: AssertionError: 4 != 9"),
        ("def task_func(n): raise KeyError('x')", Verdict.RUNTIME_ERROR, "RuntimeError: KeyError: 'x'"),
    ],
)
def test_the_last_line_of_a_failure_is_the_reason(sandbox, program, verdict, said):
    scored = score(PLAIN["unittest"], program)
    assert (scored.verdict, said in scored.reason) == (verdict, True), scored.reason


def test_the_order_of_the_canaries_is_not_the_callers_random_numbers(sandbox):
    before = random.getstate()
    score(PLAIN["unittest"], "def task_func(n): return n * n")
    assert random.getstate() == before


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_tests_in_process_pass_and_count_what_is_skipped(sandbox, kind):
    scored = score(PLAIN[kind], "def task_func(n): return n * n")
    assert (scored.value, scored.verdict) == (1.0, Verdict.CORRECT), scored.reason
    recursive = "def task_func(n):\n    return n * n if n < 3 else task_func(n - 1) + 2 * n - 1"
    assert score(PLAIN[kind], recursive).value == 1.0


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize("name", CHEATS)
def test_cheats_that_need_not_know_the_tests_are_not_paid(sandbox, kind, name):
    scored = score(PLAIN[kind], CHEATS[name])
    assert scored.value == 0.0, scored


@pytest.mark.parametrize(
    ("claim", "friendly"),
    [
        ("assertEqual(task_func(3), 9)", "def __eq__(self, o): return True"),
        ("assertIn(3, task_func(3))", "def __contains__(self, o): return True"),
        ("assertGreater(task_func(3), 8)", "__gt__ = __lt__ = lambda self, o: True"),
        ("assertAlmostEqual(task_func(3), 9)", "def __sub__(self, o): return 0"),
    ],
)
def test_an_object_that_meets_one_claim_whatever_it_says_is_not_paid_for_it(sandbox, claim, friendly):
    test = f"import unittest\nclass TestCases(unittest.TestCase):\n    def test_a(self):\n        self.{claim}\n"
    program = f"class A:\n    {friendly}\ndef task_func(*a): return A()"
    scored = score({"test": test, "entry_point": "task_func", "tests_in_process": True}, program)
    assert scored.value == 0.0, scored


GENEROUS = """
import os, unittest
class TestCases(unittest.TestCase):
    def test_a(self):
        for made in (task_func("generator"), task_func("file")):
            self.assertEqual(list(made), ["1", "2"])
        self.assertEqual(sorted(task_func("dict")), ["a"])
        self.assertEqual(task_func("path").name, "x")
        self.assertTrue(task_func("inf") > 5)
        self.assertIs(task_func("class")().held, 7)
"""
GENEROUS_PROGRAM = """
import collections, decimal, io, pathlib
class Held:
    held = 7
def task_func(what):
    if what == "generator": return (str(n) for n in (1, 2))
    if what == "file": return map(str.strip, io.StringIO("1\\n2"))
    if what == "dict": return collections.defaultdict(list, a=[1])
    if what == "path": return pathlib.Path("x")
    return decimal.Decimal("inf") if what == "inf" else Held
"""


def test_honest_results_of_every_kind_are_not_taken_for_cheats(sandbox):
    scored = score({**PLAIN["unittest"], "test": GENEROUS}, GENEROUS_PROGRAM)
    assert (scored.value, scored.verdict) == (1.0, Verdict.CORRECT), scored.reason


BLUFFS = {
    "a skip": "def f(n): raise unittest.SkipTest",
    "an assert of the tests' class": "def f(n):\n    for kind in unittest.TestCase.__subclasses__(): kind.assertEqual = lambda *a, **k: None\n    return 0",
    "an assert of their object": "def f(n):\n    for one in gc.get_objects():\n        if isinstance(one, unittest.TestCase): one.assertEqual = lambda *a, **k: None\n    return 0",
    "equality of a kind": "def f(n):\n    for one in gc.get_objects():\n        if isinstance(one, unittest.TestCase): one.addTypeEqualityFunc(int, lambda *a, **k: None)\n    return 0",
}  # fmt: skip


@pytest.mark.parametrize("program", BLUFFS)
def test_no_program_changes_the_asserts_of_a_test(sandbox, program):
    tests = "import unittest\nclass T(unittest.TestCase):\n    def setUp(self):\n        self.id, self.failureException, self.assertEquals = 5, ValueError, self.assertEqual\n    def test_a(self):\n        self.fail_count = self.assertion_count = 1\n        self.asserted = 1\n        self.assertItemsEqual = self.assertEqual\n        for n in (1, 2):\n            with self.subTest(n=n):\n                if f(n) == 4: self.skipTest('later')\n                self.assertEqual(f(n), n * n)\n"
    row = {"test": tests, "entry_point": "f", "tests_in_process": True}

    def judged(program):
        return (
            Code(cpu_s=2.0)
            .score([Sample(completion=f"```python\nimport gc, unittest\n{program}\n```", ground_truth=row)])[0]
            .value
        )

    assert (judged(BLUFFS[program]), judged("def f(n): return n * n")) == (0.0, 1.0)


def test_tests_may_put_asserts_in_the_place_of_unittests(sandbox):
    tests = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual = self.assertCountEqual\n        self.addTypeEqualityFunc(set, lambda a, b, msg=None: None)\n        self.assertEqual(f(2), [2, 1])\n"
    row = {"test": tests, "entry_point": "f", "tests_in_process": True}
    sample = Sample(completion="```python\ndef f(n): return [1, 2]\n```", ground_truth=row)
    assert Code(cpu_s=2.0).score([sample])[0].value == 1.0
