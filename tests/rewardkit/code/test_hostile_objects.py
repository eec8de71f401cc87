"""Programs that answer tests with objects, exceptions or forged answers where data are wanted: never paid, never unjudged."""

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

LISTS = "r = f(3)\nr.sort(key=lambda n: -n)\nassert r[0] == 2 and list(r) == [2, 1, 0]"
ROWS = {
    "equality": "assert f(3) == [0, 1, 2]",
    "a number": "assert abs(sum(f(3)) - 3.0) < 1e-6 and f(3) != []",
    "a sort": LISTS,
    "a sentinel": "missing = object()\nassert missing not in f(3) and f(3).count(missing) == 0 and f(3) == [0, 1, 2]",
    "a value of numpy": "import numpy as np\nr = f(3)\nassert abs(r[2] - np.float64(2)) < 1e-6 and r == [0, 1, 2]",
    "an error that is caught": "try:\n    r = f(3)\nexcept Exception:\n    pass\nassert r == [0, 1, 2]",
    "a name that is bound late": "def test_a():\n    try:\n        r = f(3)\n    except Exception:\n        pass\n    assert all(n in r for n in range(3)) and r == [0, 1, 2]",
    "pytest": "import pytest\n@pytest.mark.parametrize('n', [0, 3])\ndef test_a(n):\n    assert f(n) == list(range(n))",
    "unittest": "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(3), [0, 1, 2])",
    "star import": "from solution import *\nimport pytest\ndef test_a():\n    assert sorted(f(3), key=lambda n: abs(n)) == [0, 1, 2]\n    with pytest.raises(TypeError):\n        f()",
    "a value of its own in a context": "with open_it() as held:\n    assert f(3) == [0, 1, 2]",
}  # fmt: skip
AT_ONCE = ("equality", "an error that is caught", "star import")
RIGHT = "import contextlib\n@contextlib.contextmanager\ndef open_it(): yield 3\ndef f(n): return list(range(n))\n"
ANY = "class Any:\n    def __getattr__(self, name): return Any()\n    def __call__(self, *a, **k): return Any()\n    __eq__ = __lt__ = __gt__ = __contains__ = lambda *a: True\n    __sub__ = __rsub__ = __add__ = __radd__ = __mul__ = __neg__ = lambda s, *a: s\n    __abs__ = __float__ = __int__ = __index__ = __len__ = __hash__ = lambda s: 0\n    def __getitem__(self, k): return Any()\n    def __iter__(self): return iter([Any()] * 3)\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\n"
FORGED = "import os, time\ndef f(n): return 1\nos.write(200, b'{\"ready\":1}\\n' + b'%s' + b'\\n')\ntime.sleep(0.2)\n"
PROGRAMS = {
    "an exception class": "class f(ValueError): pass",
    "Python's own exception": "f = ValueError",
    "an exception class of an odd name": "f = type('RewardkitBroken', (Exception,), {})",
    "an exception that is skipped for": "import unittest\nclass E(unittest.SkipTest): pass\ndef f(n): raise unittest.SkipTest('no')",
    "a class": f"{ANY}class f(Any):\n    def __init__(self, *a): pass",
    "an object": f"{ANY}def f(*a): return Any()",
    "itself": f"{ANY}class F(Any):\n    def __call__(self, *a): return self\nf = F()",
    "a function that gives itself": "def f(*a): return f\nf.sort = f.count = f",
    "nothing": "def f(n): pass",
    "an error": "def f(n): raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')",
    "an error of a name": "def f(n): raise NameError('x', name='x')",
    "an error without arguments": "class E(Exception):\n    def __reduce__(self): return 5\n    def __str__(self): raise E\ndef f(n): raise E",
    "a number": "f = 5",
    "a module": "import math as f",
    "names of its own": "def f(n): return 1\ndef globals(): return 5",
    "other names of its own": "def f(n): return 1\nclass D(dict):\n    def __getitem__(self, k): return ValueError\ndef globals(): return D(f=1)",
    "the builtins of the tests": "def f(*a): return [7, 1, 1]\ndef sorted(*a, **k): return [0, 1, 2]\ndef abs(n): return 0\nclass pytest:\n    raises = None",
    "the errors that are swallowed": "import contextlib\nclass open_it:\n    def __enter__(self): return self\n    def __exit__(self, *a): return True\ndef f(n): return 1",
    "an empty answer": FORGED % "{}",
    **{f"the answer {answer}": FORGED % f'{{"v":{answer}}}' for answer in ("5", '["ok",5,[]]', '["ok",{"t":"tuple","v":["dict",[[[],5]]]},[]]', '["ok",{"t":"set","v":[1]},[]]', '["raised",5,[]]', '["ok",1,[[0,[]]]]', '["raised",[1,"E\\\\u0000",[["builtins","ValueError"],5],5,5,5,5],[]]', '["raised",[1,"E",[["pytest","no"]],"",2,[],null],[]]')},
}  # fmt: skip


def score(tests, program, **options):
    sample = Sample(completion=f"````python\n{program}\n````", ground_truth={"functional": tests})
    return Code(cpu_s=0.5, **options).score([sample])[0]


@pytest.mark.parametrize("row", ROWS)
def test_the_right_program_passes(sandbox, row):
    if "numpy" in row and sandbox.name != "docker":
        pytest.importorskip("numpy")
    scored = score(ROWS[row], RIGHT)
    assert scored.verdict is Verdict.CORRECT, scored.reason


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("row", [pytest.param(row, marks=[] if row in AT_ONCE else pytest.mark.slow) for row in ROWS])
def test_a_wrong_program_is_wrong(sandbox, row, program):
    """Whatever a program does, its row is judged: a program would rather be unjudged than wrong."""
    if "numpy" in row and sandbox.name != "docker":
        pytest.importorskip("numpy")
    context = "" if "open_it" in PROGRAMS[program] else RIGHT.partition("def f")[0]
    scored = score(ROWS[row], context + PROGRAMS[program])
    assert scored.value == 0.0, scored


TURNING = """
class Turning:
    asked = 0
    def __init__(self, *given): self.given = given
    def turn(self, *given):
        self.asked += 1
        return self.asked
    __float__ = lambda self: float(self.turn())
    __int__ = __len__ = __hash__ = __index__ = __abs__ = __round__ = turn
    def __iter__(self): return iter(range(self.turn()))
    def __str__(self): return str(self.turn())
    def __contains__(self, item): return self.turn() % 2 == 0
    def __getitem__(self, key): return self.turn()
    def __bool__(self): return self.turn() % 2 == 0
    n = property(turn)
"""
QUESTIONS = ["float(r)", "int(r)", "hash(r)", "range(9)[r]", "abs(r)", "round(r)", "math.pow(r, 2)"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_result_is_one_number_until_tests_change_something(sandbox, question):
    """Else it could be a number for each line of a test that checks a property."""
    tests = f"import math\nr = f(1)\nfirst = ({question})\nassert first == ({question}) == ({question})"
    changed = f"{tests}\nr.turn()\nassert ({question}) != first"
    program = f"{TURNING}\ndef f(*given): return Turning()"
    assert [score(row, program).verdict for row in (tests, changed)] == [Verdict.CORRECT] * 2


OTHERS = ["len(r)", "str(r)", "f'{r}'", "r[0]", "bool(r)", "r.n"]


@pytest.mark.parametrize(
    ("question", "maker"), [*((question, "r = f()") for question in OTHERS), *((question, "r = F()") for question in [*OTHERS, *QUESTIONS, "list(r)", "1 in r"])]
)  # fmt: skip
def test_everything_else_is_asked_each_time(sandbox, question, maker):
    """Time, threads, randomness and questions themselves may change an object."""
    tests = f"import math\n{maker}\nassert ({question}) != ({question})"
    assert score(tests, f"{TURNING}\nF = Turning\ndef f(): return Turning()").verdict is Verdict.CORRECT


CHANGING = "class Pile:\n    def __init__(self): self.items = []\n    def add(self, item):\n        self.items.append(item)\n        return self\n    def __len__(self): return len(self.items)\n    def __iter__(self): return iter(self.items)\n    def __contains__(self, item): return item in self.items\n    def __getitem__(self, place):\n        self.items.append(self.items.pop(place))\n        return self.items[-1]\n    def __iadd__(self, other):\n        self.items += other\n        return self\n    def __float__(self): return float(sum(self.items))\n    first = property(lambda self: self.items[0])\ndef pile(): return Pile()"
STATES = {
    "an object of the tests": "p = Pile()\nassert len(p) == 0 and list(p) == []\np.add(1)\nassert len(p) == 1 and list(p) == [1] == list(p) and 1 in p and float(p) == 1.0\np.add(2)\nassert p.first == 1 and float(p) == 3.0 and p[0] == 1 and p[0] == 2 and list(zip(p, p)) == [(1, 1), (2, 2)]\nq = p\np += [3]\nassert q is p and len(q) == 3",
    "an object of a function": "p = pile()\nassert len(p) == 0\np.add(1)\nassert len(p) == 1 and p.first == 1\nassert p.add(2) is p and list(p) == [1, 2] and 2 in p",
}  # fmt: skip


@pytest.mark.parametrize("name", STATES)
def test_an_object_may_change_when_tests_change_something(sandbox, name):
    assert score(STATES[name], CHANGING).verdict is Verdict.CORRECT


EMPTY = "class A:\n    __sub__ = __xor__ = __rmod__ = lambda s, o: s\n    __bool__ = lambda s: False\n    __len__ = lambda s: 0\n"
FORGED_NUMBERS = {
    "a difference of a class": ("assert abs(f(1) - 0.5) < 1e-6", f"{ANY}class f(Any):\n    def __init__(self, *a): pass"),
    "a member of a class": ("assert 5 in f(1)", f"{ANY}class f(Any):\n    def __init__(self, *a): pass\n    __iter__ = None"),
    "a difference of what another object gave": ("assert abs(Calc().half(1) - 0.5) < 1e-6", f"{ANY}class Calc:\n    def half(self, n): return Any()"),
    "a square": ("r = f(7)\nassert abs(r * r - 7) < 1e-6", "class R:\n    def __mul__(self, other): return 7.0\ndef f(n): return R()"),
    "a property of a number": ("import math\nfor c in (3, 4):\n    r = f(c)\n    assert math.fabs(sum(math.pow(r, i) * x for i, x in enumerate([c, 1, 1]))) < 1e-6", "class R:\n    k = 0\n    def __init__(self, c): self.c = c\n    def __float__(self):\n        self.k += 1\n        return float(-self.c) if self.k == 2 else 0.0\ndef f(c): return R(c)"),
    **{
        f"a {kind} that is empty: {claim}": (claim, f"{EMPTY}def f(n): return A()")
        for kind, claims in {
            "difference": ("assert not (f(3) - 9)", "assert not (f(3) - {1, 2})", "assert len(f(3) - {1, 2}) == 0", "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertFalse(f(3) - 9)"),
            "disjunction": ("assert not f(3) ^ 9",),
            "remainder": ("assert not 9 % f(3)", "assert len(9 % f(3)) == 0"),
        }.items()
        for claim in claims
    },
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED_NUMBERS)
def test_no_object_passes_for_a_number(sandbox, name):
    scored = score(*FORGED_NUMBERS[name])
    assert scored.value == 0.0, scored


@pytest.mark.parametrize("tests", ["assert sorted([1, 'a']) == f(1)", "x = 1 / 0\nassert f(1) == 1", "def test_a():\n    assert f(int('x')) == 1", "assert f(undefined_elsewhere()) == 1\ndef g():\n    def undefined_elsewhere(): pass"])  # fmt: skip
@pytest.mark.parametrize("program", ["def f(n): return 1", "f = ValueError"])
def test_tests_that_fail_by_themselves_leave_any_program_unjudged(sandbox, tests, program):
    assert score(tests, program).verdict is Verdict.UNJUDGED


def test_a_constant_of_the_program_is_judged(sandbox):
    row = "from solution import K\nassert K == 3"
    assert score(row, "K = 3").value == 1.0
    assert (
        score(row, "K = object()").value
        == score(row, "K = 4").value
        == score(row, "class K(Exception): pass").value
        == 0.0
    )


FORGERY = """
import random
TAGS = "tuple set dict Counter deque dict_keys dict_items time bytearray single array class function object kept named error slice live".split()
PLACES = [["builtins", "int"], ["builtins", "ValueError"], ["unittest.case", "SkipTest"], ["numpy.testing", "SkipTest"], ["unittest", "case.SkipTest"],
    ["builtins", "SystemExit"], ["builtins", "exec"], ["solution", "RewardkitUnsupported"], ["collections", "abc.sys"], ["sys", "exit"]]
draw = random.Random({seed})
def forged(depth=4):
    kinds = [lambda: draw.choice([0, -1, 2**70, 1.5, "", "int", "Ellipsis", None, b"", True])]
    if depth:
        several = lambda: [forged(depth - 1) for _ in range(draw.randrange(4))]
        kinds += [several, lambda: (draw.choice(TAGS), *several()), lambda: set(map(str, several())), lambda: {{1: forged(depth - 1)}},
            lambda: ("class", draw.randrange(9), "X", draw.sample(PLACES, 3), ["__iter__", "__class__"]), lambda: ("function", 1, *draw.choice(PLACES)),
            lambda: ("object", draw.randrange(9), draw.choice([None, ["int", 3], ["list", [1]], ["dict", [[1, 2]]]]), draw.randrange(9))]
    return draw.choice(kinds)()
def reply(action, *given):
    if draw.randrange(3):
        return ["ok", forged(), [[draw.choice([0, None]), forged()]] if draw.randrange(4) == 0 else []]
    return ["raised", [draw.randrange(9), "E", draw.sample(PLACES, 2), "said", 3, [forged()], None], []] if draw.randrange(2) else forged()
def f(x):
    global _rewardkit_objects
    _rewardkit_objects = reply
"""
ASKED = [
    "f(0)\nassert f(2) == 987654321",
    "import pytest\nf(0)\nassert f([1]) == pytest.approx(987654321.5)",
    "f(0)\nx = [[1], 2]\nr = f(x)\nassert isinstance(r, float) and abs(r - 987654321.5) < 1e-6 and x == [[1], 3]",
    "def test_a():\n    f(0)\n    try:\n        r = f(2)\n    except Exception:\n        r = 0\n    assert sorted(r) == [987654321, 987654322]",
]


@pytest.mark.long
@pytest.mark.parametrize("tests", ASKED)
def test_forged_answers_are_wrong(sandbox, tests):
    """Whatever stands on the wire: no payment, and no row that is left unjudged."""
    samples = [
        Sample(completion=f"```python\n{FORGERY.format(seed=seed)}\n```", ground_truth={"functional": tests})
        for seed in range(40)
    ]
    assert [scored.value for scored in Code(cpu_s=2.0).score(samples)] == [0.0] * len(samples)


def test_a_failure_that_shows_an_object_is_judged(sandbox):
    """Its text is asked for once more when the failure has been told already, and that must be answered too."""
    assert score("assert f(1) == 5, f(1)", "class A: pass\ndef f(x): return A()").value == 0.0


ANSWERS_YES = "class Y:\n    def __getattr__(self, name):\n        if name.startswith('__'): raise AttributeError(name)\n        return lambda *a, **k: True\n"
NUMBER = "class E:\n    def _s(self, *a): return E()\n    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __pow__ = __truediv__ = _s\n    real = 0.0\n    __float__ = __abs__ = sqrt = rint = conjugate = norm = lambda self: 0.0\n    __round__ = lambda self, n=0: 0.0\n    __str__ = __repr__ = lambda self: '0.0'\n    __format__ = lambda self, how: '0.0'\n    def __iter__(self): raise TypeError\n    __getitem__ = __len__ = __iter__\n"
DIFFERENCES = [
    "math.sqrt(sum((a - b) ** 2 for a, b in zip(two(), [1.0, 2.0])))", "math.sqrt((x - 3) ** 2 + (y - 4) ** 2)", "abs((x - 3) + (y - 4))", "abs((x - 5) * (x - 5))",
    "abs((x - 5).real)", "(x - 5).sqrt()", "next(iter(x - 5))", "(x - 5)[0]", "len(x - 5)", "max(abs(d) for d in x - np.array([1.0, 2.0]))", "round(x - 5, 3)", "np.sqrt((x - 5.0) ** 2)", "np.around(x - 5, 3)",
    "np.linalg.norm(np.array(two()) - np.array([1.0, 2.0]))", "np.sqrt(np.mean((np.array(two()) - np.array([1.0, 2.0])) ** 2))",
]  # fmt: skip


@pytest.mark.parametrize("difference", DIFFERENCES)
def test_nothing_that_comes_of_a_difference_is_data(sandbox, difference):
    tests = f"import math\nfrom solution import two\nx, y = two()\nassert {difference} < 1e-6\n"
    if "np." in difference:
        if sandbox.name != "docker":
            pytest.importorskip("numpy")
        tests = f"import numpy as np\n{tests}"
    scored = score(tests, f"{NUMBER}def two(): return [E(), E()]")
    assert scored.value == 0.0, scored


@pytest.mark.parametrize("claim", ["startswith('abc')", "endswith('abc')", "issubset({1, 2})", "issuperset([1])", "isdisjoint([1])", "isdigit()", "isupper()"])  # fmt: skip
def test_no_object_answers_for_data(sandbox, claim):
    assert score(f"assert f(1).{claim}", f"{ANSWERS_YES}def f(n): return Y()").value == 0.0
    assert score(f"assert Y().{claim}", f"{ANSWERS_YES}def f(n): return Y()").value == 1.0, (
        "the tests ask for this class"
    )


@pytest.mark.parametrize(
    "tests",
    ["r = f(1)\nassert len(r) == 2\nfor a, b in zip(r, [4, 5]):\n    assert a == b", "r = f(1)\nassert len(r) == 2 and all(x > 100 for x in r)",
     "r = f(1)\nassert len(r) == 2 and all(map(lambda x: x > 1, r))", "r = f(1)\nassert len(r) == 2\nfor a, b in zip(reversed(r), [5, 4]):\n    assert a == b", "r = f(1)\nfor a, b in zip(r, [4, 5]):\n    assert a == b\nassert len(r) == 2"],
)  # fmt: skip
@pytest.mark.parametrize("length", ["def __len__(self): return 2", "asked = 0\n    def __len__(self):\n        self.asked += 1\n        return 2 * (self.asked % 2)"])  # fmt: skip
def test_a_result_has_as_many_items_as_its_length_says(sandbox, tests, length):
    program = f"class Y:\n    def __iter__(self): return iter([])\n    __reversed__ = __iter__\n    {length}\ndef f(n): return Y()"
    assert score(tests, program).value == 0.0


LOOPS = [
    "for a, b in zip(map(f, [1, 2]), [2, 3]):\n    assert a == b", "assert all(map(lambda p: f(p[0]) == p[1], [(1, 2)]))", "assert not any(map(lambda p: f(p) != p + 1, [1]))",
    "assert not list(filter(lambda p: f(p[0]) != p[1], [(1, 2)]))", "assert all(f(n) == n + 1 for n in [1, 2])", "assert next(map(f, [1]), 2) == 2",
    "import functools\nassert functools.reduce(lambda a, b: a + b, map(f, [1]), 2) == 4 or not list(map(f, [1]))",
]  # fmt: skip


@pytest.mark.parametrize("raised", ["StopIteration", "E", "E('x')"])
@pytest.mark.parametrize("tests", LOOPS)
def test_no_program_ends_a_loop_of_the_tests(sandbox, tests, raised):
    program = f"class E(StopIteration): pass\ndef f(n): raise {raised}"
    scored = score(tests, program)
    assert scored.value == 0.0, scored
    assert score(tests, "def f(n): return n + 1").value == 1.0


def test_iterators_of_a_program_end(sandbox):
    tests = "r = walk()\nassert next(r) == 1 and next(r, None) is None and list(walk()) == [1]\ntry:\n    f()\nexcept StopIteration:\n    pass\nelse:\n    assert False"
    program = "class Walk:\n    done = False\n    def __iter__(self): return self\n    def __next__(self):\n        if self.done: raise StopIteration\n        self.done = True\n        return 1\ndef walk(): return Walk()\ndef f(): raise StopIteration"
    assert score(tests, program).value == 1.0


EVALPLUS = """
import numpy as np
def assertion(out, exp, atol):
    exact = out == exp
    if atol == 0 and isinstance(exp, float):
        atol = 1e-6
    if not exact and atol != 0:
        assert np.allclose(out, exp, rtol=1e-07, atol=atol)
    else:
        assert exact
assertion(f(1), 0.5, 0)
"""
NUMPY_CLAIMS = [
    EVALPLUS, *(f"import numpy as np\n{line}" for line in (
        "assert np.allclose(f(1), 0.5)", "assert np.allclose(b=0.5, a=f(1))", "assert np.isclose(f(1), 0.5).all()",
        "np.testing.assert_allclose(f(1), 0.5)", "np.testing.assert_allclose(desired=0.5, actual=f(1))", "np.testing.assert_array_equal(f(1), 0.5)",
        "np.testing.assert_almost_equal(f(1), 0.5)", "np.testing.assert_array_almost_equal(f(1), [0.5])", "np.testing.assert_equal(f(1), 0.5)",
        "from numpy.testing import assert_allclose\nassert_allclose(f(1), 0.5)",
    )),
]  # fmt: skip


@pytest.mark.parametrize("tests", NUMPY_CLAIMS)
def test_an_empty_answer_is_close_to_nothing(sandbox, tests):
    if sandbox.name != "docker":
        pytest.importorskip("numpy")
    empty = ("[]", "()", "[[]]", "numpy.array([])", "numpy.zeros((0, 1))", "Empty()")
    programs = [
        f"import numpy\nclass Empty:\n    def __len__(self): return 0\n    def __iter__(self): return iter(())\n    def __getitem__(self, n): raise IndexError\ndef f(n): return {one}"
        for one in empty
    ]
    assert [score(tests, program).value for program in programs] == [0.0] * len(empty)
    assert score(tests, "def f(n): return 0.5").value == 1.0


def test_arrays_keep_their_shape_and_empty_ones_equal_each_other(sandbox):
    if sandbox.name != "docker":
        pytest.importorskip("numpy")
    tests = "import numpy as np\nassert np.allclose(f([]), []) and (f([]) == np.array([])).all() and (f([]) >= 0).all()\nnp.testing.assert_allclose(f([]), [])\nassert repr(f([])) == repr(np.array([])) and f(f([])).size == 0\nr = f([])\nr += 1\nr = f(['a', 'bc'])\nassert r.shape == (2,) and r[1] == 'bc'\nassert f(np.arange(6).reshape(1, 2, 3)).shape == (1, 2, 3)\nassert (f(np.array([[1, 2]])) == [[1, 2]]).all() and g([[1, 2]]).tolist() == [[1, 2]]"
    assert (
        score(tests, "import numpy\ndef f(x): return numpy.asarray(x)\ndef g(x): return numpy.matrix(x)").value == 1.0
    )


OPERATORS = [
    "(r == e).all()",
    "np.all(r == e)",
    "not (r != e).any()",
    "(np.abs(r - e) < 1e-6).all()",
    "np.linalg.norm(r - e) < 1e-6",
    "np.sum((e - r) ** 2) < 1e-6",
]


@pytest.mark.parametrize("claim", OPERATORS)
@pytest.mark.parametrize("expected", ["np.array([5])", "np.array([1, 2])", "np.array([[1], [2]])"])
def test_an_empty_array_equals_no_value_by_operators(sandbox, claim, expected):
    if sandbox.name != "docker":
        pytest.importorskip("numpy")
    tests = f"import numpy as np\nr, e = f(1), {expected}\nassert {claim}"
    programs = [
        f"import numpy\ndef f(n): return numpy.zeros({shape})" for shape in ((0,), (0, 1), (1, 0), (0, 2), (0, 0, 1))
    ]
    assert [score(tests, program).value for program in programs] == [0.0] * len(programs)
    assert score(tests, f"import numpy as np\ndef f(n): return np.array({expected})").value == 1.0
