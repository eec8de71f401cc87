"""Right programs whose objects change by themselves, and objects that methods, attributes, operators and nested classes give."""

import contextlib
import sys

import pytest

from rewardkit import Sample
from rewardkit.code.formats import read_problem
from rewardkit.errors import GroundTruthError
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

BAG = "class Bag:\n    def __init__(self, *items): self.items = set(items)\n    def add(self, item):\n        self.items.add(item)\n        return self\n    def with_item(self, item): return Bag(*self.items, item)\n    def __contains__(self, item): return item in self.items\n"
VECTOR = "class V:\n    def __init__(self, x, y): self.x, self.y = x, y\n    @classmethod\n    def unit(cls): return cls(1, 0)\n    def plus(self, o): return V(self.x + o.x, self.y + o.y)\n    __add__ = plus\n    def scale(self, k):\n        self.x, self.y = self.x * k, self.y * k\n        return self\n    def __mul__(self, o): return self.x * o.x + self.y * o.y\n    def __matmul__(self, k): return V(self.x * k, self.y * k)\n    def __abs__(self): return abs(self.x) + abs(self.y)\n    @property\n    def half(self): return V(self.x / 2, self.y / 2)\n    @property\n    def parts(self): return [V(self.x, 0), V(0, self.y)]\n    def __getitem__(self, k): return V(self.x, 0)\n    def __iter__(self): return iter(self.parts)\n"
GIVEN = {
    "fluent calls": ("b = Bag().add(1).add(2)\nassert 1 in b and 3 not in b and b.add(3) is b and 3 in b", BAG),
    "new objects of methods": ("assert 2 in Bag(1).with_item(2) and 3 not in Bag(1).with_item(2)", BAG),
    "a nested class": ("assert 1 in G.Bag(1, 2) and 3 not in G.Bag(1)", f"{BAG}class G: Bag = Bag"),
    "a list with methods": ("assert 1 in Bags().first() and 2 not in Bags().first()", f"{BAG}class Bags(list):\n    def first(self): return Bag(1)"),
    "a method": ("v = V(1, 2).plus(V(1, 0))\nassert v * v == 8", VECTOR),
    "a method that gives its object": ("v = V(1, 2)\nv.scale(2)\nassert v * v == 20 and abs(v @ 2) == 12", VECTOR),
    "a class method": ("assert V.unit() * V.unit() == 1", VECTOR),
    "an operator": ("v = V(1, 2) + V(1, 0)\nassert v * v == 8", VECTOR),
    "an attribute": ("assert V(2, 4).half * V(2, 4).half == 5", VECTOR),
    "an item": ("assert V(2, 4)[0] * V(2, 4)[0] == 4", VECTOR),
    "a copy": ("import copy\nv = copy.copy(V(1, 2))\nassert v * v == 5", VECTOR),
    "a class of an object": ("v = type(V(1, 2))(1, 1)\nassert v * v == 2", VECTOR),
    "objects in a list": ("assert [p * p for p in V(1, 2).parts] == [1, 4] == [p * p for p in V(1, 2)]", VECTOR),
}  # fmt: skip
LIVE = "import threading, time, random\nclass Live:\n    def __init__(self):\n        self.end, self.items, self.n = float('inf'), [1, 2, 3], 0.0\n    def expire(self): self.end = time.monotonic() + 0.05\n    def start(self): threading.Timer(0.05, lambda: self.items.append(4)).start()\n    def deposit(self, n): self.n += n\n    def __float__(self): return self.n\n    def __len__(self): return len(self.items)\n    def __iter__(self):\n        while self.items: yield self.items.pop(0)\n    def __bool__(self): return time.monotonic() < self.end\n    def __str__(self): return 'live' if self else 'dead'\n    __repr__ = __str__\n    def __format__(self, how): return str(self)\n    def __contains__(self, item): return bool(self)\n    def __eq__(self, o): return bool(self) == bool(o)\n    live = property(__bool__)\n    chance = property(lambda self: random.random())\n    @property\n    def next(self):\n        self.n += 1\n        return int(self.n)\ndef live(): return Live()\n"
CHANGES = {
    "time": "assert r and r.live and str(r) == repr(r) == f'{r}' == 'live'\nr.expire()\nwhile r: time.sleep(0.01)\nassert not r and not r.live and str(r) == repr(r) == f'{r}' == 'dead'",
    "a thread": "assert len(r) == 3\nr.start()\nwhile len(r) == 3: time.sleep(0.01)\nassert len(r) == 4",
    "being read": "assert len(r) == 3 and list(r) == [1, 2, 3]\nr.deposit(1)\nassert list(r) == [] and len(r) == 0",
    "a property": "assert (r.next, r.next) == (1, 2)",
    "randomness": "assert len({r.chance for _ in range(9)}) == 9",
    "a method": "assert float(r) == 0\nr.deposit(5)\nassert float(r) == 5",
}


def verdict(tests, program):
    sample = Sample(completion=f"```python\n{program}\n```", ground_truth={"functional": tests})
    return Code(cpu_s=2.0).score([sample])[0].verdict


@pytest.mark.parametrize("name", GIVEN)
def test_what_an_object_of_the_tests_gives_is_an_object_too(sandbox, name):
    assert verdict(*GIVEN[name]) is Verdict.CORRECT


@pytest.mark.parametrize("maker", ["Live", "live"])
@pytest.mark.parametrize("name", CHANGES)
def test_an_object_may_change_by_itself(sandbox, name, maker):
    assert verdict(f"import time\nr = {maker}()\n{CHANGES[name]}", LIVE) is Verdict.CORRECT


def test_what_a_membership_and_an_equality_say_may_change(sandbox):
    tests = "import time\na, b = Live(), Live()\nassert 5 in a and a == b\nb.end += 9\na.expire()\nwhile 5 in a: time.sleep(0.01)\nassert 5 not in a and a != b"
    assert verdict(tests, LIVE) is Verdict.CORRECT


@pytest.mark.parametrize("name", ["io", "os", "json", "csv", "sys", "np"])
def test_a_package_is_named_by_an_attribute(sandbox, name):
    program = f"def {name}(x): return x + 1"
    assert verdict(f"assert {name}(1) == 2", program) is Verdict.CORRECT
    assert verdict(f"assert {name}(1) == 2 and {name}.x", program) is Verdict.UNJUDGED


YES = "class Same:\n    def __init__(self, *a, **k): pass\n    def __eq__(self, other): return True\n    __hash__ = None\n"
JUDGES = [
    "from solution import *\ndef test_a():\n    assert isclose(f(1), 0.5)", "assert Counter(f(1)) == Counter([1, 2])", "assert f(1) == Decimal('1.5')", "assert f(1) == sqrt(9)",
    "from solution import f\ndef test_a():\n    assert f(1) == deque([1, 2])", "r = f(1)\nassert isclose(r, 0.5)", "assert abs(f(1) - pi) < 1e-6", "assert_equal(f(1), 6)", "expected = [Decimal('1.5')]\nfor n, e in zip([1], expected):\n    assert f(n) == e",
    "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.r = f(1)\n        self.assertTrue(isclose(self.r, 6))", "ok = isclose(f(1), 0.5)\nassert ok", "assert f(1) == approx(6)",
]  # fmt: skip


@pytest.mark.parametrize("tests", JUDGES)
def test_no_program_gives_its_own_judge(sandbox, tests):
    """A name of Python's library that is not imported, and judges a result or says what is expected."""
    names = ("isclose", "sqrt", "assert_equal", "Counter", "Decimal", "deque", "approx")
    program = f"{YES}{' = '.join(names)} = Same\npi = 5\ndef f(n): return Same()"
    scored = [verdict(tests, program), verdict(tests, "def f(n): return 5")]
    assert scored == [Verdict.UNJUDGED] * 2


@pytest.mark.parametrize(
    "tests",
    ["assert compare(candidate(1), 6)", "r = candidate(1)\n    assert compare(r, 6)", "assert compare(f(1), 6)"],
)
def test_beside_an_entry_point_nothing_else_of_the_program_judges(sandbox, tests):
    def check(before):
        truth = {"test": f"{before}def check(candidate):\n    {tests}\n", "entry_point": "f"}
        program = "def compare(a, b): return True\ndef f(n): return 5"
        return Code(cpu_s=2.0).score([Sample(completion=f"```python\n{program}\n```", ground_truth=truth)])[0].verdict

    assert check("") is Verdict.UNJUDGED
    assert check("def compare(a, b): return a == b\n") is Verdict.WRONG


@pytest.mark.parametrize(
    "tests",
    [
        "assert gcd(4, 6) == 2",
        "assert count([1], 1) == 1\nassert add(1, 2) == 3",
        "assert decode(encode(5)) == 5",
        "assert log == [1]\nassert gcd(4, 6) == 2",
    ],
)
def test_names_like_those_of_the_library_may_be_what_is_asked_for(sandbox, tests):
    program = "import math\nlog = [1]\ndef gcd(a, b): return math.gcd(a, b)\ndef count(xs, x): return xs.count(x)\ndef add(a, b): return a + b\ndef mean(xs): return sum(xs) / len(xs)\ndef encode(x): return -x\ndecode = encode"
    assert verdict(tests, program) is Verdict.CORRECT


def test_what_arithmetic_of_a_result_gives_may_be_a_key(sandbox):
    program = "class Money:\n    def __init__(self, n): self.n = n\n    def __mul__(self, k): return Money(self.n * k)\n    def __eq__(self, other): return self.n == other.n\n    def __hash__(self): return hash(self.n)\ndef money(n): return Money(n)"
    assert (
        verdict("assert len({money(1) * 2, money(2)}) == 1 and {money(2): 'a'}[money(1) * 2] == 'a'", program)
        is Verdict.CORRECT
    )


LONG = {
    "a chain of attributes": lambda n: "assert f(1)" + ".a" * n + " > 0",
    "many lines": lambda n: "x = f(1)\n    assert abs(x - sqrt(2)) < g(x)\n    " * n,
    "many terms": lambda n: f"assert f(1) > {' + '.join(['x'] * n)}",
    "many arguments": lambda n: f"assert f({', '.join(['x'] * n)}) > 0",
}


@pytest.mark.parametrize("name", LONG)
def test_reading_tests_takes_time_with_their_length(name):
    """Eight times as long, at most sixteen times as many calls of functions."""

    def calls(length):
        counted = [0]

        def count(_frame, event, _arg):
            counted[0] += event == "call"

        tests = f"def check(candidate):\n    {LONG[name](length)}\n    assert candidate(1) > 0\n"
        sys.setprofile(count)
        try:
            with contextlib.suppress(GroundTruthError):
                read_problem({"test": tests, "entry_point": "f"})
        finally:
            sys.setprofile(None)
        return counted[0]

    calls(5)
    assert calls(200) < 16 * calls(25)
