"""Right programs whose objects change by themselves, and objects that methods, attributes, operators and nested classes give."""

import pytest

from rewardkit import Sample
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
    "being read": "assert len(r) == 3 and list(r) == [1, 2, 3] and list(r) == [] and len(r) == 0",
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
