"""Programs that call things of their own as Python calls its builtins: judged as if they had other names."""

import builtins
import keyword

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

TAKEN = "".join(f"{name} = 3\n" for name in dir(builtins) if not name.startswith("_") and not keyword.iskeyword(name))
SQUARES = "def f(x): return [i * i for i in x]\n"
STACK = "class Stack:\n    def __init__(self): self.items = []\n    def push(self, x): self.items.append(x)\n    def pop(self): return self.items.pop()\n"
ROWS = {
    "pytest": ({"test": "from solution import f\ndef test_f():\n    assert f(list((1, 2))) == [1, 4] and type(f([])) is list"}, SQUARES),
    "objects": ({"functional": "s = Stack()\ns.push({1: (2, {3})})\nassert len(s.items) == 1 and isinstance(s, Stack) and s.pop() == {1: (2, {3})}"}, STACK),
    "check": ({"entry_point": "f", "test": "def check(candidate):\n    for n in range(3):\n        assert candidate(list(range(n))) == [i * i for i in range(n)]"}, SQUARES),
    "calls": ({"test_list": ["assert f([1, 2]) == [1, 4]"]}, SQUARES),
    "objects as arguments": ({"test_list": ["assert sorted(set(f(Pair(1, list((2,)))))) == [1, 2]"]}, "class Pair:\n    def __init__(self, a, b): self.a, self.b = a, b\ndef f(p): return [p.a, *p.b]\n"),
    "a method in place": ({"inputs": [[[3, 1, 2]]], "outputs": [[1, 2, 3]], "fn_name": "f", "starter_code": "class Solution:\n    def f(self, nums: List[int]) -> None:\n"}, "class Solution:\n    def f(self, nums): nums.sort()\n"),
    "operations": ({"inputs": [[["Stack", "push", "pop"], [[], [1], []]]], "outputs": [[None, None, 1]], "fn_name": "Stack", "starter_code": "class Stack:\n    def push(self, x):\n        pass\n"}, STACK),
    "tests in its process": ({"tests_in_process": True, "entry_point": "f", "test": "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(list((1, 2))), [1, 4])\n        self.assertTrue(isinstance(f([]), list))"}, SQUARES),
    "an interactor": ({"inputs": ["5\n"], "outputs": ["5\n"], "interactor": "def interact(input, answer, program):\n    program.write(5)\n    return program.read_int(1, 9) == 5"}, "import sys\nsys.stdout.write(sys.stdin.readline())\nsys.stdout.flush()\n"),
}  # fmt: skip


def score(row, program):
    return Code(cpu_s=2.0).score([Sample(completion=f"```python\n{program}\n```", ground_truth=row)])[0]


@pytest.mark.parametrize("name", ROWS)
def test_a_program_may_reuse_the_name_of_every_builtin(sandbox, name):
    row, program = ROWS[name]
    scored = score(row, program + TAKEN)
    assert scored.verdict is Verdict.CORRECT, scored.reason


@pytest.mark.parametrize(
    "looks",
    [
        "assert not [name for name in globals() if 'rewardkit' in name], sorted(globals())",
        "import functools, types\nfor name, value in list(globals().items()):\n    if isinstance(value, types.FunctionType): globals()[name] = functools.partial(value)",
        "import types\ndef traced(g): return lambda *given: g(*given)\nfor name, value in list(globals().items()):\n    if isinstance(value, types.FunctionType): globals()[name] = traced(value)",
        "for name in list(globals()):\n    if not name.startswith('__'): del globals()[name]",
        "import inspect, sys\nassert not inspect.getmembers(sys.modules[__name__], inspect.isfunction)",
        "_rewardkit_support = _rewardkit_behind = None",
    ],
    ids=["look", "wrap", "trace", "delete", "list", "take"],
)
@pytest.mark.parametrize("name", ["pytest", "objects", "check", "tests in its process"])
def test_a_program_finds_no_name_of_ours_among_its_own(sandbox, name, looks):
    row, program = ROWS[name]
    if name == "tests in its process" and looks.startswith(("assert", "for", "import inspect")):
        pytest.skip("what its tests are judged with stands among its names")
    kept = program if looks.startswith("import") and "inspect" not in looks else ""
    scored = score(row, f"{kept}{looks}\n{program if not kept else ''}")
    assert scored.verdict is Verdict.CORRECT, scored.reason


@pytest.mark.parametrize(
    "taken",
    [
        "isinstance = lambda *a: True",
        "len = lambda x: 2",
        "import builtins\nbuiltins.len = lambda x: 2",
        "__builtins__ = {'len': lambda x: 2, 'isinstance': lambda *a: True}",
    ],
)
@pytest.mark.parametrize("tests", ["assert len(f(1)) == 2 and f(1)[0] == 1", "assert isinstance(f(1), list) and len(f(1)) == 2"])  # fmt: skip
@pytest.mark.parametrize("kind", ["functional", "in process"])
def test_names_of_a_program_do_not_change_what_tests_mean(sandbox, taken, tests, kind):
    in_process = {"tests_in_process": True, "entry_point": "f", "test": f"def test_a():\n    {tests}"}
    row = in_process if kind == "in process" else {"functional": tests}
    assert score(row, f"{taken}\ndef f(x): return (1,)").value == 0.0


@pytest.mark.parametrize(
    "body",
    [
        "self.assertEqual(f(2), 6)",
        "self.assertEqual(f(max(1, 2)), sum(list((6,))))",
        "self.assertEqual((f(1), total), (3, 2))",
        "import pickle\n        self.assertEqual(type(pickle.loads(pickle.dumps(K()))), K)\n        self.assertEqual(f(1), 3)",
        "global SCALE\n        SCALE = 5\n        self.assertEqual(f(2), 10)",
        "with patch(__name__ + '.g', return_value=7):\n            self.assertEqual((f(1), g()), (10, 7))",
    ],
)
@pytest.mark.parametrize("taken", ["", "from math import pow\n", "from numpy import sum\nlist = max = 3\n"])
def test_tests_beside_a_program_share_its_names(sandbox, body, taken):
    tests = f"import unittest\nfrom unittest.mock import patch\nSCALE = 3\nfirst = f(1)\nclass K: pass\nclass T(unittest.TestCase):\n    def test_a(self):\n        {body}\n"
    row = {"tests_in_process": True, "entry_point": "f", "test": tests}
    if "numpy" in taken and sandbox.name != "docker":
        pytest.importorskip("numpy")
    program = f"{taken}total = 0\nclass K: pass\ndef g(): return 0\ndef f(x):\n    global total\n    total += 1\n    return x * SCALE + g()"
    assert score(row, program).verdict is Verdict.CORRECT
