"""What tests see of a program elsewhere is what they see of it in their own process; a wrong program is wrong in both."""

import types

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

PROGRAM = """
import abc, collections, dataclasses, datetime, decimal, enum, fractions, itertools, random, operator, sys, uuid
def same(x): return x
def of(kind): return kind
def kind(x): return type(x)
def count(n): yield from range(n)
def pairs(): return {"a": 1, "b": (2, [3])}
def keys(): return pairs().keys()
def values(): return {"a": 1}.values()
def items(): return pairs().items()
def name(): return uuid.UUID(int=1)
def length(): return len
def adder(): return operator.add
def perms(xs): return itertools.permutations(xs)
def nest(n): return [nest(n - 1)] if n else []
def leave(status): sys.exit(status)
def stop(): raise KeyboardInterrupt
class Gone(SystemExit): pass
def go(): raise Gone(3)
class Both(KeyError, AttributeError): pass
def both(): raise Both("k")
class Color(enum.Enum):
    RED = 1
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): pass
class Square(Shape):
    def area(self): return 4
class AppError(Exception): pass
class Lost(AppError, KeyError): pass
def lose(): raise Lost("k")
def errors(): return [ValueError(1), Lost("k")]
class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2
class Name(str, enum.Enum):
    A = "a"
Pair = collections.namedtuple("Pair", "a b")
def sort(*, xs): xs.sort()
class Table(dict): pass
class Recent(collections.deque): pass
class Day(datetime.date): pass
class Raw(bytearray): pass
class Row(list):
    def first(self): return self[0]
class Walk(collections.abc.Iterator):
    def __next__(self): raise StopIteration
class Settings:
    def setcontext(self, x): self.x = x
    def getcontext(self): return self.x
class Steps:
    def __init__(self, n): self.n = n
    def __iter__(self): return iter(range(self.n))
    def __len__(self): return self.n
class V:
    def __init__(self, x): self.x = x
    def __eq__(self, o): return self.x == o.x if isinstance(o, V) else NotImplemented
    def __lt__(self, o): return self.x < o.x if isinstance(o, V) else NotImplemented
def steps(n): return Steps(n)
def roll(n): return [random.randint(1, 6) for _ in range(n)]
def depth(n): return 1 + depth(n - 1) if n else 0
def bad(): raise ValueError("bad thing")
def halves(): return [decimal.Decimal("0.1") + decimal.Decimal("0.2"), fractions.Fraction(1, 3)]
@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: list = dataclasses.field(default_factory=list)
"""
HEAD = "import dataclasses, decimal, random, sys, collections, collections.abc, enum, abc, math, operator, types, typing, uuid, pytest\n"
SAME = [
    "x = list(range(100_000))\nassert same(x) == x",
    "x = [(n, str(n)) for n in range(9_000)]\nassert same(x) == x",
    "x = {str(n): [n, n / 2] for n in range(9_000)}\nassert same(x) == x",
    pytest.param("x = [(n, str(n)) for n in range(50_000)]\nassert same(x) == x", marks=pytest.mark.slow),
    "assert len(same('a' * 3_000_000)) == 3_000_000",
    "x = 1\nfor _ in range(90):\n    x = [x]\nassert same(0) == 0 and len(collections.deque(same([x]))) == 1",
    "assert nest(70) == same(nest(70))",
    *(f"x = {x}\nassert same(x) == x and type(same(x)) is type(x) is kind(x)" for x in ("3", "2 ** 70", "1.5", "1j", "'a'", "None", "b'a'", "bytearray(b'ab')", "range(3)", "(1, [2, {3}], {4: (5,)})", "[]", "[[1], ['a', None]]", "...", "NotImplemented", "collections.Counter('aab')", "frozenset({1})", "[True, 1.0]")),
    "assert kind(3) is int and kind('a') == str and kind(None) is type(None) and of(int) is int",
    "assert isinstance(count(3), types.GeneratorType) and isinstance(count(3), collections.abc.Iterator)",
    "assert isinstance(count(3), typing.Iterator) and not isinstance(count(3), collections.abc.Mapping)",
    "assert collections.Counter(count(3)) == {0: 1, 1: 1, 2: 1}",
    "assert isinstance(name(), uuid.UUID) and str(name()).endswith('01')",
    "assert isinstance(Color.RED, enum.Enum) and issubclass(Color, enum.Enum) and Color(1) is Color.RED",
    "assert issubclass(Shape, abc.ABC) and issubclass(Square, Shape) and not issubclass(Shape, Square)",
    "assert isinstance(Square(), Shape) and isinstance(Square(), abc.ABC) and Square().__class__ is Square",
    "assert Square().__class__.__name__ == 'Square' == type(Square()).__name__ and isinstance(Square, type)",
    "assert issubclass(Table, dict) and issubclass(Table, collections.abc.Mapping) and isinstance(Table(a=1), dict)",
    "assert isinstance(Row([1]), list) and Row([1]).first() == 1 and type(Row()) is Row",
    "assert isinstance(Walk(), collections.abc.Iterator) and list(Walk()) == []",
    "assert isinstance(steps(2), collections.abc.Iterable) and isinstance(steps(2), collections.abc.Sized)",
    "assert not isinstance(steps(2), collections.abc.Iterator) and not isinstance(Square(), collections.abc.Iterable)",
    "assert not callable(steps(2)) and callable(Steps) and callable(steps) and callable(Square().area)",
    "assert keys() == {'a', 'b'} and len(keys()) == 2 and set(keys()) == {'a', 'b'} and sorted(values()) == [1]",
    "assert list(items()) == [('a', 1), ('b', (2, [3]))] and 'a' in keys()",
    "assert length() is len and adder() is operator.add and same(operator.mul) is operator.mul and same(math.sqrt)(4) == 2",
    "assert V(1).__eq__(5) is NotImplemented and V(1).__eq__(V(1)) is True and V(1) != 5 and not V(1) == 'a'",
    "with pytest.raises(TypeError):\n    V(1) < 5",
    "with pytest.raises(SystemExit) as caught:\n    leave(2)\nassert caught.value.code == 2",
    "with pytest.raises(KeyboardInterrupt):\n    stop()",
    "with pytest.raises(SystemExit):\n    go()",
    "with pytest.raises(KeyError):\n    both()\nwith pytest.raises(AttributeError):\n    both()",
    "random.seed(42)\na = roll(20)\nrandom.seed(42)\nassert a == roll(20)\nrandom.seed(1)\nb = [random.randint(1, 6) for _ in range(9)]\nrandom.seed(1)\nassert roll(9) == b",
    "sys.setrecursionlimit(5_000)\nassert depth(2_000) == 2_000",
    "p = Point(1, [2])\nassert dataclasses.asdict(p) == {'x': 1, 'y': [2]} and dataclasses.astuple(p) == (1, [2]) and dataclasses.is_dataclass(Point)",
    "assert [f.name for f in dataclasses.fields(Point)] == ['x', 'y'] and dataclasses.replace(Point(1), x=5) == Point(5) and not dataclasses.is_dataclass(V(1))",
    "from dataclasses import asdict\nassert asdict(same(Point(1))) == {'x': 1, 'y': []} and same([Point(3)]) == [Point(3)]",
    "with pytest.raises(ValueError) as e:\n    bad()\nassert e.match('bad') and e.typename == 'ValueError' and e.exconly() == 'ValueError: bad thing' and 'bad thing' in str(e) and e.errisinstance(ValueError)",
    "with pytest.raises(expected_exception=ValueError, match='thing'):\n    bad()",
    "assert halves()[0] == pytest.approx(decimal.Decimal('0.3')) and halves()[1] == pytest.approx(0.3333333333)",
    "assert not hasattr(Lost.__new__(Lost), 'code') and not hasattr(errors()[1], 'code')",
    "with pytest.raises(ValueError, match='invalid') as caught:\n    same(int)('x')",
    "assert [type(one) for one in errors()] == [ValueError, Lost] and type(errors()[1]).__name__ == 'Lost' and errors()[0].__class__ is ValueError",
    *(f"{how}" for how in ("with pytest.raises(AppError):\n    lose()", "with pytest.raises(KeyError):\n    lose()", "try:\n    lose()\nexcept AppError as e:\n    assert isinstance(e, Lost) and e.__class__ is Lost", "assert issubclass(Lost, AppError) and not issubclass(AppError, Lost) and Lost.__bases__ == (AppError, KeyError)", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        with self.assertRaises(AppError):\n            lose()")),
    "assert Level(1) is Level.LOW and same(Level.HIGH) is Level.HIGH and str(Name.A) == 'Name.A' and repr(Level.LOW) == '<Level.LOW: 1>' and Level.LOW < 2 and Name.A == 'a' and type(Name.A) is Name and Name.A.__class__ is Name",
    "p = same(Pair(1, 2))\nassert p == (1, 2) and p.__class__.__name__ == 'Pair' and repr(p) == 'Pair(a=1, b=2)'",
    "x = [2, 1]\nsort(xs=x)\nassert x == [1, 2]",
    "assert same(same({'a': 1}.keys())) == {'a'} and list(same(keys())) == ['a', 'b'] and sorted(same({'a': 1}.items())) == [('a', 1)] and list(same([values()])[0]) == [1]",
    "r = Recent([1])\nr.append(2)\nassert isinstance(r, Recent) and isinstance(r, collections.deque) and not isinstance(r, str) and list(r) == [1, 2]",
    "import datetime\nd = Day(2020, 2, 3)\nassert isinstance(d, Day) and isinstance(d, datetime.date) and not isinstance(d, str) and d.month == 2",
    "assert isinstance(Raw(b'ab'), bytearray) and not isinstance(Raw(b'ab'), list) and len(Raw(b'ab')) == 2",
    "s = Settings()\ns.setcontext('x')\nassert s.getcontext() == 'x'",
    "class K:\n    __v__ = 3\nmatch same(3):\n    case K.__v__:\n        found = True\n    case _:\n        found = False\nassert found",
    f"assert same({' + '.join(['1'] * 900)}) == 900 and same(1).__class__.__name__.__class__ is str",
]  # fmt: skip
WRONG = {
    "an early end": ("assert same(1) == 1\nassert same(2) == 2", "def same(x):\n    if x == 2: raise SystemExit(0)\n    return x"),
    "an end that is caught": ("try:\n    r = same(1)\nexcept Exception:\n    r = 1\nassert r == 1", "def same(x): raise SystemExit(0)"),
    "an object that is no iterator": ("assert isinstance(count(3), collections.abc.Iterator)", "def count(n): return object()"),
    "an object that is not iterated": ("assert isinstance(steps(3), collections.abc.Iterable)", "def steps(n): return object()"),
    "an object that is not called": ("assert callable(same(3))", "def same(n): return object()"),
    "a class that is called like Python's": ("assert isinstance(name(), uuid.UUID)", "class UUID: pass\ndef name(): return UUID()"),
    "a class that is no number": ("assert isinstance(same(3), int) and same(3) + 0 == 3", "class I:\n    __module__, __qualname__ = 'builtins', 'int'\n    __add__ = __radd__ = lambda s, o: 3\ndef same(x): return I()"),
    "a class that is no float of numpy": ("assert isinstance(same(3), float)", "import types\nclass F: pass\nF.__module__, F.__qualname__ = 'numpy', 'float64'\ndef same(x): return F()"),
    "what skips tests": ("with pytest.raises(ValueError):\n    same(1)", "class E(Exception): pass\nE.__module__, E.__qualname__ = 'numpy.testing', 'SkipTest'\ndef same(x): raise E"),
    "an equality of its own": ("assert same(3).__eq__(3)", "class E:\n    __eq__ = lambda s, o: True\ndef same(x): return E()"),
    "an end that tests catch": ("try:\n    same(1)\nexcept BaseException:\n    pass\nassert True", "import os\ndef same(x): os._exit(0)"),
    "data classes of its own": ("assert dataclasses.asdict(same(3)) == {'x': 1}", "class A:\n    __eq__ = lambda s, o: True\nimport dataclasses\ndataclasses.asdict = lambda o: A()\ndef same(x): return A()"),
    **{f"a wrong answer in {stage}": (f"class TestX:\n    {mark}def {stage}({held}, *_):\n        assert same(1) == 5\n    def test_a(self):\n        assert same(1) == 1", "def same(x): return x") for stage, mark, held in (("setup_method", "", "self"), ("teardown_method", "", "self"), ("setup_class", "@classmethod\n    ", "cls"), ("teardown_class", "@classmethod\n    ", "cls"))},
    **{f"a wrong answer in {stage}": (f"def {stage}(*_):\n    assert same(1) == 5\ndef test_a():\n    assert same(1) == 1", "def same(x): return x") for stage in ("setup_module", "setup_function", "teardown_function", "teardown_module")},
    "a wrong answer in tearDownClass": ("import unittest\nclass T(unittest.TestCase):\n    @classmethod\n    def tearDownClass(cls):\n        assert same(1) == 5\n    def test_a(self):\n        self.assertEqual(same(1), 1)", "def same(x): return x"),
    "a comparison of its own in a result of a method": ("r = Box().all()\nassert r.__eq__(4) or not r.__ne__(4)", "class Any:\n    __eq__ = lambda s, o: True\n    __ne__ = lambda s, o: False\nclass Box:\n    def all(self): return Any()"),
    "an object that holds all": ("missing = object()\nassert missing not in Box().all()", "class Any:\n    def __contains__(self, x): return False\nclass Box:\n    def all(self): return Any()"),
}  # fmt: skip


def score(tests, program):
    sample = Sample(completion=f"```python\n{program}\n```", ground_truth={"functional": f"{HEAD}{tests}\nassert True"})
    return Code(cpu_s=5.0).score([sample])[0]


@pytest.mark.parametrize("tests", SAME)
def test_right_programs_pass_as_in_one_process(sandbox, tests):
    module = types.ModuleType("solution")
    exec(PROGRAM, module.__dict__)
    exec(HEAD + tests, {**module.__dict__})
    scored = score(tests, PROGRAM)
    assert scored.verdict is Verdict.CORRECT, scored.reason


@pytest.mark.parametrize("name", WRONG)
def test_wrong_programs_are_wrong(sandbox, name):
    scored = score(*WRONG[name])
    assert scored.value == 0.0, scored


@pytest.mark.parametrize("check", ["isinstance(r, K)", "type(r) is K", "r.__class__ == K", "K is r.__class__"])
@pytest.mark.parametrize(
    "kind", ["bool", "int", "float", "str", "bytes", "list", "tuple", "dict", "set", "frozenset", "complex", "range", "bytearray", "slice", "NoneType", "ellipsis", "NotImplementedType", "dict_keys", "dict_items", "collections.deque", "collections.Counter", "datetime.date", "fractions.Fraction", "decimal.Decimal"]
)  # fmt: skip
def test_no_class_of_a_program_is_one_whose_objects_are_data(sandbox, kind, check):
    module, _, name = kind.rpartition(".")
    known = "import collections, datetime, fractions, decimal\nNoneType, ellipsis, NotImplementedType, dict_keys, dict_items = map(type, (None, ..., NotImplemented, {}.keys(), {}.items()))\n"
    tests = f"{known}K, r = {kind}, same(3)\nassert {check}"
    forged = (
        f"class I: pass\nI.__module__, I.__qualname__ = {module or 'builtins'!r}, {name!r}\ndef same(x): return I()"
    )
    assert score(tests, forged).value == 0.0


@pytest.mark.parametrize("depth", [150, 600, 5_000])
@pytest.mark.parametrize("program", ["def same(x): return 1", "def same(x): return 2", "def same(x): raise ValueError"])
def test_an_argument_that_cannot_be_sent_leaves_any_program_unjudged(sandbox, depth, program):
    """It is the row's, whatever a program makes of it."""
    scored = score(f"x = 1\nfor _ in range({depth}):\n    x = [x]\nassert same(x) == 1", program)
    assert scored.verdict is Verdict.UNJUDGED
    assert "nested too deep" in scored.reason


@pytest.mark.parametrize(
    "answer",
    [
        "x = []\nfor _ in range(95):\n    x = [x]",
        "x = [0] * 5_000_000",
        pytest.param("x = [[0] * 10] * 200_000", marks=pytest.mark.slow),
    ],
)
def test_an_answer_of_the_program_is_never_too_large_for_its_row(sandbox, answer):
    """Tests that hand answers on are none the less judged."""
    tests = "def g(x): return [[x]] * 10\nassert same(g(same(1))) == 1"
    assert score(tests, f"{answer}\ndef same(y): return x").value == 0.0


@pytest.mark.parametrize(
    "tests",
    [
        "s = Query.of([3, 1])\nassert s.sort(lambda x: -x).items == [3, 1]",
        "s = Query([3, 1]).sort(abs).sort(lambda x: -x)\nassert s.items == [3, 1]",
    ],
)
def test_methods_that_data_have_too_may_be_those_of_a_class_that_tests_name(sandbox, tests):
    program = "class Query:\n    def __init__(self, x): self.items = x\n    @classmethod\n    def of(cls, x): return cls(x)\n    def sort(self, key): return Query(sorted(self.items, key=key))"
    assert score(tests, program).value == 1.0


NUMPY = ["numpy.array([0.1, 0.2])", "numpy.array([[0.1], [0.2]])", "[0.1, 0.2]"]


@pytest.mark.parametrize("value", NUMPY)
def test_approx_takes_arrays(sandbox, value):
    if sandbox.name != "docker":
        pytest.importorskip("numpy")
    tests = f"import numpy\nx = {value}\nassert same(x) == pytest.approx(x) and pytest.approx(x) == same(x) and same(x) != pytest.approx(x + x)\nnumpy.random.seed(3)\na = draw()\nnumpy.random.seed(3)\nassert a == draw()"
    assert (
        score(tests, "import numpy\ndef same(x): return x\ndef draw(): return numpy.random.rand()").verdict
        is Verdict.CORRECT
    )


@pytest.mark.parametrize("expected", ["3.5", "[1.0, 2.0]", "[]", "{'a': 1.0}", "numpy.array([1.0])"])
@pytest.mark.parametrize(
    "wrong", ["numpy.array([])", "[numpy.array([])] * 2", "{'a': numpy.array([])}", "numpy.zeros((2, 0))"]
)
def test_an_empty_array_is_no_number(sandbox, expected, wrong):
    if sandbox.name != "docker":
        pytest.importorskip("numpy")
    tests = f"import numpy\nassert same(0) == pytest.approx({expected})"
    scored = score(tests, f"import numpy\ndef same(x): return {wrong}")
    assert scored.value == (1.0 if (expected, wrong) == ("[]", "numpy.array([])") else 0.0)


WATCHED = {
    "assertWarns": "class T(unittest.TestCase):\n    def test_a(self):\n        with self.assertWarns(DeprecationWarning):\n            same(1)",
    "assertLogs": "class T(unittest.TestCase):\n    def test_a(self):\n        with self.assertLogs() as held:\n            same(1)",
    "getcontext": "decimal.getcontext().prec = 5\nassert same(1) == 1",
    "localcontext": "from decimal import localcontext\nwith localcontext() as held:\n    assert same(1) == 1",
    "traceback of what": "with pytest.raises(ValueError) as e:\n    same(int)('x')\nassert e.traceback",
    "pytest.raises with check": "with pytest.raises(ValueError, check=bool):\n    same(int)('x')",
}


@pytest.mark.parametrize("feature", WATCHED)
@pytest.mark.parametrize("program", ["def same(x): return x", "def same(x): return 0"])
def test_what_tests_can_only_watch_in_the_programs_process_is_named(sandbox, feature, program):
    scored = score(f"import unittest\n{WATCHED[feature]}", program)
    if "ValueError" in WATCHED[feature] and "0" in program and "check" not in feature:
        assert scored.value == 0.0  # it fails before
    else:
        assert scored.verdict is Verdict.UNJUDGED
        assert feature in scored.reason


def test_more_requests_than_are_answered_are_named(sandbox, monkeypatch):
    monkeypatch.setattr("sandboxes.test_driver.MAX_CALLS", 50)
    assert score("assert sum(map(same, range(40))) == 780", "def same(x): return x").value == 1.0
    assert "more than 50 requests" in score("assert sum(map(same, range(60))) == 1770", "def same(x): return x").reason


@pytest.mark.parametrize("mark", ["@unittest.skip('later')", "@pytest.mark.skip(reason='later')", "@pytest.mark.skip"])
def test_tests_that_are_always_skipped_are_none(sandbox, mark):
    tests = f"import unittest\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(same(1), 1)\n    {mark}\n    def test_b(self):\n        self.fail()\n"
    assert [score(tests, f"def same(x): return {x}").value for x in ("x", "0")] == [1.0, 0.0]


@pytest.mark.parametrize(
    "tests",
    [
        "later = pytest.mark.skip(reason='later')\n@later\ndef test_b():\n    assert same(1) == 2\n",
        "@pytest.mark.parametrize('a', [1, pytest.param(2, marks=pytest.mark.skip)])\ndef test_b(a):\n    assert same(a) == 1\n",
        "pytestmark = [pytest.mark.skip(reason='later')]\ndef test_b():\n    assert same(1) == 2\n",
        "class TestB:\n    pytestmark = pytest.mark.skip\n    def test_b(self):\n        assert same(1) == 2\n",
    ],
)
@pytest.mark.parametrize("row", [{}, {"tests_in_process": True, "entry_point": "same"}])
def test_other_marks_that_skip_leave_a_row_unjudged(sandbox, tests, row):
    sample = Sample(completion="```python\ndef same(x): return x\n```", ground_truth={"test": f"{HEAD}{tests}", **row})
    scored = Code(cpu_s=5.0).score([sample])[0]
    assert scored.verdict is Verdict.UNJUDGED
    assert "skip" in scored.reason


AROUND = """
calls = []
class TestStack:
    @classmethod
    def setup_class(cls):
        calls.append("class")
    def setup_method(self):
        self.stack = same([])
    @pytest.mark.parametrize("x", [1, 2, 3])
    def test_push(self, x):
        self.stack.append(x)
        assert same(self.stack) == [x] and calls == ["class"]
"""
DECORATED = """
import unittest
def twice(f):
    def inner(self):
        f(self)
        f(self)
    return inner
class T(unittest.TestCase):
    @twice
    def test_a(self):
        self.assertEqual(same(1), 1)
"""


PLAIN = AROUND.replace("    @classmethod\n", "").replace("setup_class(cls)", "setup_class(self)")
STATIC = AROUND.replace("@classmethod", "@staticmethod").replace("setup_class(cls)", "setup_class()")
KEPT = """
class TestKept:
    def setup_class(self):
        self.held = same([1])
    def test_a(self):
        assert self.held == [1]
    def teardown_class(self):
        assert self.held == same([1])
"""


@pytest.mark.parametrize("tests", [AROUND, PLAIN, STATIC, KEPT, DECORATED])
@pytest.mark.parametrize("row", [{}, {"tests_in_process": True, "entry_point": "same"}])
def test_what_stands_around_tests_runs_as_pytest_and_unittest_run_it(sandbox, tests, row):
    samples = [
        Sample(completion=f"```python\ndef same(x): return {x}\n```", ground_truth={"test": f"{HEAD}{tests}", **row})
        for x in ("x", "[0]")
    ]
    assert [scored.value for scored in Code(cpu_s=5.0).score(samples)] == [1.0, 0.0]


def test_a_part_of_pytest_that_is_not_there_is_named_wherever_it_is_used(sandbox):
    tests = "import pytest\ndef test_a():\n    assert f(1) == 2\n    with pytest.warns(UserWarning):\n        f(2)"
    row = {"tests_in_process": True, "entry_point": "f", "test": tests}
    for x in (1, 2):
        scored = Code(cpu_s=5.0).score([Sample(completion=f"```python\ndef f(x): return {x}\n```", ground_truth=row)])[
            0
        ]
        assert scored.verdict is Verdict.UNJUDGED
        assert "pytest.warns" in scored.reason


SKIPS = [
    "def test_a():\n    try:\n        r = same(3)\n    except NotImplementedError:\n        pytest.skip('no')\n    assert r == 3",
    "from pytest import skip\ndef test_a():\n    if same(3) is None:\n        skip('no')\n    assert same(3) == 3",
    "import unittest\nclass T(unittest.TestCase):\n    def setUp(self):\n        self.held = same(3)\n    def test_a(self):\n        if self.held is None or sys.version_info < (3, 99):\n            self.skipTest('no')\n        self.assertEqual(self.held, 3)",
    "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        if same(3) is None:\n            raise unittest.SkipTest\n        self.assertEqual(same(3), 3)",
    "import unittest\nclass T(unittest.TestCase):\n    @unittest.skipUnless(hasattr(Stack, 'pop'), 'no')\n    def test_a(self):\n        self.assertEqual(same(3), 3)",
]


@pytest.mark.parametrize("tests", SKIPS)
@pytest.mark.parametrize("program", ["def same(x): return x", "def same(x): return None", "def same(x): raise NotImplementedError"])  # fmt: skip
def test_a_program_has_no_say_in_what_is_skipped(sandbox, tests, program):
    """Rows whose tests may skip by what it says are unjudged, whatever it says."""
    scored = score(tests, f"class Stack: pass\n{program}")
    assert scored.verdict is Verdict.UNJUDGED
    assert "skip" in scored.reason.lower()


def test_a_skip_by_the_version_is_no_doing_of_the_program(sandbox):
    tests = "import unittest\nclass T(unittest.TestCase):\n    @unittest.skipIf(sys.version_info < (3, 5), 'old')\n    def test_a(self):\n        self.assertEqual(same(3), 3)"
    assert [score(tests, f"def same(x): return {x}").value for x in ("x", "0")] == [1.0, 0.0]


METHODS = """
class TestStack:
    @pytest.fixture(autouse=True)
    def around(self):
        self.stack = same([1])
        yield
        assert same(self.stack) == [1]
    @pytest.fixture
    def setup_method(self):
        return same(2)
    def test_a(self, setup_method):
        assert self.stack == [1] and setup_method == 2
"""
ORDER = """
held = {}
def setup_function():
    held["x"] = same([])
@pytest.fixture
def pushed():
    held["x"].append(1)
    return same(held["x"])
def test_a(pushed):
    assert pushed == [1]
"""
GENERATOR = """
@pytest.fixture
def made():
    return count(3)
def test_a(made):
    assert list(made) == [0, 1, 2]
"""


@pytest.mark.parametrize("tests", [METHODS, ORDER, GENERATOR])
@pytest.mark.parametrize("row", [{}, {"tests_in_process": True}])
def test_fixtures_are_made_as_in_pytest(sandbox, tests, row):
    programs = (
        "def same(x): return x\ndef count(n): yield from range(n)",
        "def same(x): return 0\ndef count(n): yield [0, 1, 2]",
    )
    samples = [
        Sample(completion=f"```python\n{one}\n```", ground_truth={"test": f"{HEAD}{tests}", **row}) for one in programs
    ]
    assert [scored.value for scored in Code(cpu_s=5.0).score(samples)] == [1.0, 0.0]


def test_what_a_program_changes_in_its_tuples_is_seen(sandbox):
    tests = "n = node()\nassert n == ('a', [])\nlink()\nassert node() == ('a', [1]) and n.__class__.__name__ == 'Node'"
    program = "from collections import namedtuple\nNode = namedtuple('Node', 'a b')\nx = Node('a', [])\ndef node(): return x\ndef link(): x.b.append(1)"
    assert score(tests, program).verdict is Verdict.CORRECT
    assert score(tests.replace("[1])", "[])"), program).value == 0.0
