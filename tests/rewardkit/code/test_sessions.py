"""Tests that are programs: objects, in-place changes, several functions, pytest and unittest, with the program in another process."""

import json
import sys

import pytest

from rewardkit import Sample
from rewardkit.code.formats import read_problem
from rewardkit.code.formats._fields import Unsupported
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

LRU_TEST = "l = LRU(2)\nl.put(1, 1)\nl.put(2, 2)\nassert l.get(1) == 1\nl.put(3, 3)\nassert l.get(2) == -1\nassert len(l) == 2 and 3 in l\nassert l.size == 2"
LRU = """
from collections import OrderedDict
class LRU:
    def __init__(self, size):
        self.size, self.kept = size, OrderedDict()
    def get(self, key):
        if key not in self.kept: return -1
        self.kept.move_to_end(key)
        return self.kept[key]
    def put(self, key, value):
        self.kept[key] = value
        self.kept.move_to_end(key)
        if len(self.kept) > self.size: self.kept.popitem(last=False)
    def __len__(self): return len(self.kept)
    def __contains__(self, key): return key in self.kept
"""
KODCODE = """
import pytest
from solution import Stack, EmptyError, square

@pytest.fixture
def stack():
    made = Stack()
    made.push(1)
    yield made
    made.close()

def test_pop(stack):
    assert stack.pop() == 1
    with pytest.raises(EmptyError, match="empty") as caught:
        stack.pop()
    assert caught.value.code == 7

@pytest.mark.parametrize("x, y", [(2, 4), (3, 9), pytest.param(-1, 1)])
def test_square(x, y):
    assert square(x) == y
    assert square(x / 3) == pytest.approx(y / 9)

class TestMore:
    def setup_method(self):
        self.stack = Stack()
    def test_type(self):
        assert isinstance(self.stack, Stack) and type(self.stack) is Stack
        assert not isinstance(self.stack, list)
    def test_iter(self):
        self.stack.push([1]); self.stack.push("b")
        assert list(self.stack) == [[1], "b"]
        assert str(self.stack) == "Stack([[1], 'b'])"
"""
STACK = """
class EmptyError(Exception):
    def __init__(self, text):
        super().__init__(text)
        self.code = 7
class Stack:
    def __init__(self): self.items = []
    def push(self, item): self.items.append(item)
    def pop(self):
        if not self.items: raise EmptyError("stack is empty")
        return self.items.pop()
    def close(self): pass
    def __iter__(self): return iter(self.items)
    def __str__(self): return f"Stack({self.items})"
def square(x): return x * x
"""
UNITTEST = """
import unittest
class TestAccount(unittest.TestCase):
    def setUp(self):
        self.account = Account(10)
    def test_a(self):
        self.account.deposit(5)
        self.assertEqual(self.account.balance, 15)
    def test_b(self):
        with self.assertRaises(ValueError):
            self.account.withdraw(11)
        self.assertIsInstance(self.account, Account)
    def test_c(self):
        for amount in (1, 2):
            with self.subTest(amount=amount):
                self.assertEqual(Account(amount) + Account(1), Account(amount + 1))
        self.assertLess(Account(1), Account(2))
if __name__ == "__main__":
    unittest.main()
"""
ACCOUNT = """
import functools
@functools.total_ordering
class Account:
    def __init__(self, balance): self.balance = balance
    def deposit(self, amount): self.balance += amount
    def withdraw(self, amount):
        if amount > self.balance: raise ValueError("too much")
        self.balance -= amount
    def __add__(self, other): return Account(self.balance + other.balance)
    def __eq__(self, other): return self.balance == other.balance
    def __lt__(self, other): return self.balance < other.balance
"""
IN_PLACE = "xs = [[3, 1], [2]]\nrow = xs[0]\nassert order(xs) is None\nassert xs == [[1, 3], [2]] and row == [1, 3]\nseen = {'a': 1}\ngrow(seen)\nassert seen == {'a': 1, 'b': 2}"
ORDER = "def order(xs):\n    for x in xs: x.sort()\ndef grow(d): d['b'] = 2"
DATES = "import datetime\nassert next_day(datetime.date(2024, 2, 28)) == datetime.date(2024, 2, 29)\nassert Color.RED in colors() and colors()[0] == Color.RED\nassert point() == (1, 2) and point().x == 1"
DATED = "import datetime, enum, collections\nclass Color(enum.Enum):\n    RED = 1\n    BLUE = 2\ndef colors(): return [Color.RED]\ndef next_day(d): return d + datetime.timedelta(days=1)\nPoint = collections.namedtuple('Point', 'x y')\ndef point(): return Point(1, 2)"
CHECK = "def check(candidate):\n    for x in range(4):\n        assert candidate(x) == x * x\n        assert abs(candidate(x) - x * x) < 1e-6\n"
FUNCTIONS = "def test_a():\n    assert double(2) == 4\ndef test_b():\n    assert triple(2) == 6\n"
EQUALS = "class A:\n    def __eq__(self, o): return True\n    __ne__ = __lt__ = __gt__ = __le__ = __ge__ = __contains__ = lambda self, o: True\n    __sub__ = __rsub__ = __add__ = lambda self, o: 0\n    def __abs__(self): return 0\n    def __bool__(self): return True\n    __hash__ = None\n"

VALUES = """
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
for value in (None, True, 7, 10**40, 2.5, 1j, "a", b"a", range(3), Fraction(1, 3), Decimal("0.10"), [1, [2]], (1, (2,)), {1, 2},
              frozenset({1}), deque([1]), {"a": {1: 2}}, Counter("aab"), OrderedDict(b=1, a=2), defaultdict(list, a=[1]),
              date(2024, 2, 29), datetime(2024, 2, 29, 1), time(1, 2), timedelta(1, 2, 3)):
    assert type(same(value)) is type(value) and same(value) == value, value
for value in (7, 2.5, "ab", b"ab", [1, 2], (1, 2), {"a": 1}, {1, 2}, frozenset({1})):
    assert of("Mine", value) == value, value
"""

HONEST = {
    "the state of an object": ({"test_list": [LRU_TEST]}, LRU),
    "pytest": ({"test": KODCODE}, STACK),
    "unittest": ({"test": UNITTEST}, ACCOUNT),
    "changes in place": ({"test_list": [IN_PLACE]}, ORDER),
    "dates, enumerations, named tuples": ({"test_list": [DATES]}, DATED),
    "several functions": ({"functional": FUNCTIONS}, "def double(x): return 2 * x\ndef triple(x): return 3 * x"),
    "statements": ({"functional": "assert double(2) == 4\nassert triple(2) == 6"}, "def double(x): return 2 * x\ndef triple(x): return 3 * x"),
    "Code-R1's check": ({"functional": "def check(candidate):\n    assert candidate(x = 2) == 4\n\ncheck(Solution().f)"}, "class Solution:\n    def f(self, x): return x * x"),
    "a loop": ({"test": CHECK, "entry_point": "f", "prompt": "def f(x):\n"}, "def f(x): return x * x"),
    "a body for the prompt": ({"test": CHECK, "entry_point": "f", "prompt": "def f(x):\n"}, "    return x * x"),
    "generators": ({"functional": "g = count()\nassert next(g) == 0 and next(g) == 1\nassert [x for x, _ in zip(count(), range(3))] == [0, 1, 2]"}, "def count():\n    n = 0\n    while True:\n        yield n\n        n += 1"),
    "star import": ({"test": "from solution import *\ndef test_a():\n    assert double(2) == 4\n"}, "def double(x): return 2 * x"),
    "values of every kind": ({"functional": VALUES}, "def same(x): return x\ndef of(name, x): return type(name, (type(x),), {})(x)"),
    "arithmetic": ({"functional": "v = V(3)\nassert abs(v * 2) == 6 and v + V(1) == V(4) and (2 * v).n == 6 and v.twice() * 2 == V(12)"}, "class V:\n    def __init__(self, n): self.n = n\n    def __add__(self, o): return V(self.n + o.n)\n    def __mul__(self, k): return V(self.n * k)\n    __rmul__ = __mul__\n    def __abs__(self): return abs(self.n)\n    def __eq__(self, o): return self.n == o.n\n    def twice(self): return V(2 * self.n)"),
    "a class method and a context manager": ({"functional": "with Box.of(3) as box:\n    assert box.n == 3\nassert box.closed\nbox.n = 5\nassert box.n == 5 and Box.of(1) != Box.of(2)"}, "class Box:\n    def __init__(self, n): self.n, self.closed = n, False\n    @classmethod\n    def of(cls, n): return cls(n)\n    def __enter__(self): return self\n    def __exit__(self, *e): self.closed = True"),
}  # fmt: skip

HOSTILE = {
    "an object that equals everything": ({"test": CHECK, "entry_point": "f"}, f"{EQUALS}def f(x): return A()"),
    "an object whose difference is nothing": ({"functional": "assert abs(f(1) - 0.5) < 1e-6"}, f"{EQUALS}def f(x): return A()"),
    "an object whose difference is itself": ({"functional": "assert abs(Calc().half(1) - 0.5) < 1e-6"}, f"{EQUALS}    __sub__ = __rsub__ = __neg__ = lambda s, *o: s\nclass Calc:\n    def half(self, x): return A()"),
    "a number by its negation": ({"functional": "assert f(1) - 0.5 == 0 or abs(-(f(1) - 0.5)) < 1e-6"}, f"{EQUALS}    __sub__ = __rsub__ = lambda s, *o: s\n    __neg__ = lambda s: 0\ndef f(x): return A()"),
    "an object that holds everything": ({"functional": "assert 5 in f(1)"}, f"{EQUALS}def f(x): return A()"),
    "an object that is above everything": ({"functional": "assert f(1) > 3"}, f"{EQUALS}def f(x): return A()"),
    "a list that equals everything": ({"functional": "assert f(1) == [1, 2]"}, "class A(list):\n    __eq__ = lambda self, o: True\ndef f(x): return A()"),
    "attributes that equal everything": ({"test_list": [LRU_TEST]}, f"{EQUALS}class LRU:\n    def __init__(self, n): self.size = A()\n    def put(self, k, v): pass\n    def get(self, k): return A()\n    def __len__(self): return 2\n    def __contains__(self, k): return True"),
    "patched unittest": ({"test": UNITTEST}, "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\nunittest.TestCase.run = lambda *a: None\nclass Account:\n    def __init__(self, b): self.balance = 0\n    def deposit(self, n): pass\n    def withdraw(self, n): pass"),
    "patched pytest": ({"test": KODCODE}, "import sys, types\nsys.modules['pytest'] = types.ModuleType('pytest')\nclass EmptyError(Exception): pass\nclass Stack:\n    def __getattr__(self, n): return lambda *a: None\ndef square(x): return 0"),
    "an exit": ({"test": KODCODE}, "import os\nos._exit(0)"),
    "an exit when it is called": ({"functional": FUNCTIONS}, "import os\ndef double(x): os._exit(0)\ntriple = double"),
    "SystemExit when it is called": ({"functional": FUNCTIONS}, "import sys\ndef double(x): sys.exit(0)\ntriple = double"),
    "an answer of its own making": ({"functional": FUNCTIONS}, "class E:\n    def __getattr__(self, n): return 4\ndef double(x): return x\ntriple = double\nimport threading, sys\ndef later():\n    global _rewardkit_objects\n    while '_rewardkit_objects' not in globals(): pass\n    _rewardkit_objects = lambda *a: True\nthreading.Thread(target=later, daemon=True).start()"),
    "a forged refusal": ({"functional": FUNCTIONS}, "class RewardkitUnsupported(Exception): pass\ndef double(x): raise RewardkitUnsupported('no')\ntriple = double"),
    "a forged name error": ({"functional": FUNCTIONS}, "def double(x): raise NameError(\"name 'double' is not defined\")\ntriple = double"),
    "a forged missing module": ({"functional": FUNCTIONS}, "def double(x): raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')\ntriple = double"),
    "a class that says it is int": ({"functional": "assert isinstance(f(1), int) and f(1) == 3"}, f"{EQUALS}A.__class__ = int\ndef f(x): return A()"),
    "no function of the name": ({"functional": FUNCTIONS}, "def other(x): return 4"),
    "no class of the name": ({"test_list": [LRU_TEST]}, "class Cache: pass"),
    "no module of the program": ({"test": KODCODE}, "x = 1"),
    "a program that does not parse": ({"test": KODCODE}, "def f(:"),
    "a program that hangs": ({"functional": FUNCTIONS}, "def double(x):\n    while True: pass\ntriple = double"),
    "looking for the tests": ({"functional": "assert f(1) == 987654321"}, "import gc, re\nkey = ''.join(reversed(' == )1(f tressa')) + '([0-9]+)'\ndef f(x):\n    data = b''\n    with open('/proc/self/mem', 'rb', 0) as memory:\n        for line in open('/proc/self/maps'):\n            begin, end = (int(part, 16) for part in line.split()[0].split('-'))\n            if ' rw' in line:\n                try:\n                    memory.seek(begin)\n                    found = re.search(key.encode(), memory.read(end - begin))\n                    if found: return int(found[1])\n                except (OSError, OverflowError, ValueError): pass\n    return 0"),
}  # fmt: skip

UNSUPPORTED = {
    "patches": ("from unittest.mock import patch\ndef test_a():\n    assert f(1) == 1\n", "unittest.mock"),
    "files": ("def test_a():\n    assert f(open('x').read()) == 1\n", "open"),
    "streams": ("import sys\ndef test_a():\n    sys.stdin = None\n    assert f(1) == 1\n", "sys.stdin"),
    "other packages": ("import pandas as pd\ndef test_a():\n    assert f(pd.DataFrame()) == 1\n", "pandas"),
    "async": ("async def test_a():\n    assert await f(1) == 1\n", "async functions"),
    "objects of the tests": ("class A: pass\ndef test_a():\n    assert f(A()) == 1\n", "hand a A"),
    "derived classes": ("def test_a():\n    class B(f): pass\n    assert f(1) == 1\n", "derive from a class"),
    "no call": ("def test_a():\n    assert 1 == 1\n", "never call the program"),
    "names of nobody": ("def test_a():\n    assert f(1) == np.array(1)\n", "'np' without defining it"),
    "pytest's other parts": ("import pytest\ndef test_a():\n    pytest.deprecated_call(f)\n", "pytest.deprecated_call"),
    "a swallowed refusal": ("def test_a():\n    try:\n        f(object())\n    except BaseException:\n        pass\n    assert f(1) == 1\n", "hand a object"),
}  # fmt: skip


def score(row, program, **options):
    return Code(**{"cpu_s": 2.0, **options}).score(
        [Sample(completion=f"````python\n{program}\n````", ground_truth=row)]
    )[0]


@pytest.mark.parametrize("name", HONEST)
def test_honest_programs_pass(sandbox, name):
    scored = score(*HONEST[name])
    assert (scored.value, scored.verdict) == (1.0, Verdict.CORRECT), scored.reason


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_are_neither_paid_nor_unjudged(sandbox, name):
    scored = score(*HOSTILE[name])
    assert scored.value == 0.0, scored


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_cannot_cross_is_unjudged_and_named(sandbox, name):
    tests, feature = UNSUPPORTED[name]
    scored = score({"test": tests}, "def f(x): return 1" if name != "derived classes" else "class f:\n    pass")
    assert scored.verdict is Verdict.UNJUDGED, scored
    assert feature in scored.reason
    assert scored.reason.startswith("not supported: ")


@pytest.mark.parametrize("name", sorted({"np", "pd", "pytest", "requests", *sys.stdlib_module_names}))
def test_a_package_that_tests_use_and_do_not_import_is_no_name_of_the_program(name):
    """It could be forged, and a right program need not define it."""
    tests = f"from solution import f\ndef test_a():\n    assert {name}.same(f(1), 1)\n"
    with pytest.raises(Unsupported, match=f"tests that use '{name}' without defining it"):
        read_problem({"test": tests})
    read_problem({"test": f"import math\n{name} = math\n{tests}"})


@pytest.mark.parametrize(("name", "binding"), [
    ("datetime", "from datetime import *"), ("heapq", "case [_, *heapq]"), ("types", "case {**types}"),
])  # fmt: skip
def test_a_name_that_tests_bind_is_no_package(name, binding):
    """By an import of all names, by a pattern."""
    bound = f"match [1, 2]:\n    {binding}:\n        pass" if binding.startswith("case") else binding
    tests = f"{bound}\nfrom solution import f\ndef test_a():\n    assert f(1) == {name}.some\n"
    read_problem({"test": tests})


def test_the_entry_point_is_no_package():
    tests = "def check(candidate):\n    assert candidate(1) == 1 and code.__name__ == 'code'\n"
    read_problem({"test": tests, "entry_point": "code"})


WORKS = "import time\ndef test_a():\n    end = time.process_time() + 0.8\n    while time.process_time() < end: pass\n    assert f(1) == 1\n"


FIXTURES = """
import pytest
ran = []
@pytest.fixture
def asked():
    ran.append("asked")
@pytest.fixture
def not_asked():
    ran.append("not asked")
@pytest.fixture(autouse=True)
def always():
    ran.append("always")
def test_a(asked):
    assert (f(1), ran) == (1, ["always", "asked"])
"""


def test_a_fixture_runs_where_it_is_asked_for_or_for_all(sandbox):
    assert score({"test": FIXTURES}, "def f(x): return 1").value == 1.0


@pytest.mark.slow
def test_what_tests_compute_is_not_the_programs_time(sandbox):
    program = "import time\ndef f(x):\n    return x\n"
    assert score({"test": WORKS}, program, cpu_s=0.5).value == 1.0
    slow = score({"test": WORKS}, "def f(x):\n    while True: pass\n", cpu_s=0.5)
    assert (slow.value, slow.verdict) == (0.0, Verdict.TIME_LIMIT)


@pytest.mark.slow
def test_tests_that_a_program_keeps_busy_end(sandbox):
    row = {"test": "def test_a():\n    assert sum(f(1)) == 3\n"}
    endless = (
        "import itertools\nclass A:\n    def __iter__(self): return iter(itertools.count())\ndef f(x): return A()\n"
    )
    scored = score(row, endless, cpu_s=0.3, total_cpu_s=0.6)
    assert (scored.value, scored.verdict) == (0.0, Verdict.TIME_LIMIT), scored.reason


FORGED = [
    ["value", {"t": "list_node", "v": [1]}],
    ["value", {"t": "iterator", "v": [1]}],
    ["value", {"t": "dict_keys", "v": [1]}],
    ["list", [["value", {"t": "tree_node", "v": [1]}]]],
    ["array", [1, 2], "int64"],
    ["array", [{"t": "iterator", "v": []}], "object"],
    ["array", {"t": "list_node", "v": [1]}, "U1"],
    ["class", 7, "E", ["ModuleNotFoundError"]],
    ["object", 7, "x", ["list", [["value", {"t": "iterator", "v": []}]]]],
]


@pytest.mark.parametrize("answer", FORGED, ids=str)
def test_no_answer_is_taken_for_a_value_of_the_tests_own(sandbox, answer):
    """They hand it on, and a kind of value that can't cross would leave the row unjudged."""
    line = json.dumps({"v": ["ok", answer, []]}) + "\n"
    program = f"import os\ndef f(x):\n    os.write(200, {line!r}.encode())\n    return 4\ndef g(x): return 5"
    scored = score({"functional": "x = f(1)\nassert g(x) == 4 and g(f(2)) == 4"}, program)
    assert scored.value == 0.0, scored


def test_each_test_counts(sandbox):
    scored = score({"test": KODCODE}, STACK.replace("x * x", "x * 2"), mode="fraction")
    assert (scored.value, scored.parts) == (0.75, {"passed": 3.0, "tests": 4.0})
    assert scored.verdict is Verdict.PARTIAL


def test_the_programs_process_holds_no_test_source():
    problem = read_problem({"functional": "assert f(1) == 987654321"})
    assert "987654321" not in problem.epilogue + problem.prelude
    assert "987654321" in problem.drivers[0]


def test_an_object_is_written_in_the_form_that_a_test_asks_for(sandbox):
    program = "class Money:\n    def __format__(self, how): return f'[{how}]'\n    def __str__(self): return 'money'\ndef f(): return Money()"
    assert (
        score({"test": "def test_a():\n    assert f'{f():>9}|{f()}|{f()!s}' == '[>9]|[]|money'\n"}, program).value
        == 1.0
    )


def test_arrays_cross_both_ways(sandbox):
    if sandbox.name != "docker":
        pytest.importorskip("numpy")
    tests = "import numpy as np\ndef test_a():\n    for kind in ('int64', 'float32', 'bool'):\n        got = double(np.array([1, 0], dtype=kind))\n        assert isinstance(got, np.ndarray) and got.dtype == kind and got.tolist() == [1, 0]\n"
    assert score({"test": tests}, "import numpy as np\ndef double(x): return np.asarray(x)").value == 1.0
