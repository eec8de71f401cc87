"""Functions and iterators that tests hand to a program: it calls them as in one process, and can forge nothing by them."""

import types

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

PROGRAM = """
import asyncio, functools, inspect, threading, time
from concurrent.futures import ThreadPoolExecutor
def apply(f, *args, **named): return f(*args, **named)
def twice(f): return [f(), f()]
def same(x): return x
def take(n, items):
    items = iter(items)
    return [next(items) for _ in range(n)]
def first(items):
    found = next(items)
    items.close()
    return found
def delegate(items):
    def outer():
        result = yield from items
        yield result
    return list(outer())
def talk(generator, values):
    return [next(generator), *map(generator.send, values)]
def safe(f, on_error=lambda error: None):
    try:
        return True, f()
    except Exception as error:
        on_error(error)
        return False, error
def describe(f):
    try:
        f()
    except Exception as error:
        return f"{type(error).__name__}: {error} ({error.code})"
def leave_by(f):
    try:
        f()
    except SystemExit as error:
        return error.code
def counted(f):
    f.n = 0
    return f
def count_of(f): return f.n
def defaults(f):
    return [one.default for one in inspect.signature(f).parameters.values() if one.default is not one.empty]
def compose(*functions):
    return lambda x: functools.reduce(lambda value, f: f(value), reversed(functions), x)
def memoize(f):
    kept = {}
    @functools.wraps(f)
    def wrapper(*args):
        if args not in kept:
            kept[args] = f(*args)
        return kept[args]
    return wrapper
def retry(f, times):
    for last in range(times - 1, -1, -1):
        try:
            return f()
        except Exception:
            if not last:
                raise
def wrapped(f):
    try:
        f()
    except ValueError as error:
        raise RuntimeError("wrapped") from error
def curry(f):
    def curried(*args):
        if len(args) >= len(inspect.signature(f).parameters) == f.__code__.co_argcount:
            return f(*args)
        return lambda *more: curried(*args, *more)
    return curried
def enforce(f):
    @functools.wraps(f)
    def checked(*args):
        for value, kind in zip(args, f.__annotations__.values()):
            if not isinstance(value, kind):
                raise TypeError(kind.__name__)
        return f(*args)
    return checked
def route(path):
    def mark(f):
        f.path = path
        return f
    return mark
def side_by_side(f, items):
    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(f, items))
def debounce(f, seconds):
    timer = None
    def later():
        nonlocal timer
        if timer:
            timer.cancel()
        timer = threading.Timer(seconds, f)
        timer.start()
    return later
class Emitter:
    def __init__(self):
        self.listeners = {}
    def on(self, name, listener):
        self.listeners.setdefault(name, []).append(listener)
    def off(self, name, listener):
        self.listeners[name].remove(listener)
    def emit(self, name, *args):
        return [listener(*args) for listener in self.listeners.get(name, [])]
class Pipeline:
    def __init__(self):
        self.steps = []
    def use(self, step):
        self.steps.append(step)
        return step
    def run(self, context, place=0):
        if place < len(self.steps):
            self.steps[place](context, lambda: self.run(context, place + 1))
        return context
class Stack:
    def __init__(self):
        self.items, self.listener = [], None
    def push(self, item):
        self.items.append(item)
        if self.listener:
            self.listener(self, item)
"""

SAME = {
    "a lambda": "assert apply(lambda x: x + 1, 3) == 4",
    "functions in containers": "assert [apply(f, 4) for f in same({'a': lambda x: x + 1, 'b': lambda x: x * 2}).values()] == [5, 8]",
    "in a row": "assert compose(lambda x: x + 1, lambda x: x * 2, abs)(-5) == 11",
    "it is itself": "f = lambda: 1\nassert same(f) is f and same([f])[0] is f and same(f)() == 1",
    "what it closes over": "n = 0\ndef f():\n    global n\n    n += 1\n    return n\nassert twice(f) == [1, 2] and n == 2",
    "defaults": "def f(a, b=2, *rest, k=3, **named): return a, b, rest, k, named\nassert apply(f, 1) == (1, 2, (), 3, {})\nassert apply(f, 1, k=5) == (1, 2, (), 5, {})\nassert apply(f, 1, 7, 8, z=9) == (1, 7, (8,), 3, {'z': 9})",
    "a later default": "def f(a, b=2, c=3, /, d=4): return a, b, c, d\nassert apply(f, 1, 9, d=8) == (1, 9, 3, 8)",
    "a default that changes": "def f(x, seen=[]):\n    seen.append(x)\n    return len(seen)\nassert (apply(f, 1), apply(f, 1), len(f.__defaults__[0])) == (1, 2, 2)",
    "too few arguments": "import pytest\nwith pytest.raises(TypeError):\n    apply(lambda a, b: 1, 2)\nassert apply(lambda: 1) == 1",
    "methods": "class Counter:\n    n = 0\n    def add(self, by=1):\n        self.n += by\n        return self.n\nheld = Counter()\nassert twice(held.add) == [1, 2] and held.n == 2",
    "partial": "import functools\nassert apply(functools.partial(pow, 2), 5) == 32",
    "methods and getters of Python's own": "import operator\nassert [apply(f, 'ab') for f in (str.upper, operator.itemgetter(1), '{}!'.format)] == ['AB', 'b', 'ab!']\nassert apply('{a}'.format, a=3) == '3'",
    "attributes": "def f(): return 1\nf.kind = 'x'\nassert memoize(f).kind == 'x'",
    "a generator that is sent to": "def echo():\n    got = yield 'ready'\n    while True:\n        got = yield got * 2\nassert talk(echo(), [1, 2]) == ['ready', 2, 4]",
    "a generator that is closed": "ended = []\ndef items():\n    try:\n        yield from [1, 2]\n    finally:\n        ended.append(True)\nassert first(items()) == 1 and ended == [True]",
    "what a generator returns": "def gen():\n    yield 1\n    return 'end'\nassert delegate(gen()) == [1, 'end']",
    "a method of a list": "got = []\ne = Emitter()\ne.on('a', got.append)\ne.emit('a', 5)\ne.emit('b', 6)\nassert got == [5]\ne.off('a', got.append)\ne.emit('a', 7)\nassert got == [5]",
    "memoize": "calls = []\n@memoize\ndef square(n):\n    'of a number'\n    calls.append(n)\n    return n * n\nassert (square(3), square(3), square(4)) == (9, 9, 16) and calls == [3, 4]\nassert (square.__name__, square.__doc__) == ('square', 'of a number')",
    "recursion through the program": "@memoize\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nassert fib(30) == 832040",
    "signatures": "@curry\ndef add(a, b, c): return a + b + c\nassert add(1)(2)(3) == add(1, 2)(3) == 6",
    "annotations": "import pytest\n@enforce\ndef f(a: int, b: str): return a\nassert f(1, 'x') == 1\nwith pytest.raises(TypeError, match='int'):\n    f('1', 'x')",
    "written on": "@route('/x')\ndef handler(): return 1\nassert handler.path == '/x' and handler() == 1",
    "errors of the tests": "import pytest\nclass Bad(ValueError):\n    def __init__(self, code):\n        super().__init__(f'code {code}')\n        self.code = code\nn = 0\ndef flaky():\n    global n\n    n += 1\n    if n < 3: raise Bad(n)\n    return n\nassert retry(flaky, 3) == 3\nn = 0\nwith pytest.raises(Bad) as caught:\n    retry(flaky, 2)\nassert caught.value.code == 2\nn = 0\nwith pytest.raises(RuntimeError) as caught:\n    wrapped(flaky)\nassert caught.value.__cause__.code == 1",
    "errors as values": "class Bad(Exception):\n    def __init__(self, code):\n        super().__init__(code)\n        self.code = code\n    def __str__(self): return f'bad {self.code}'\ndef bad(): raise Bad(7)\ndone, error = safe(bad)\nassert not done and isinstance(error, Bad) and error.code == 7\nassert describe(bad) == 'Bad: bad 7 (7)'\nseen = []\nassert safe(bad, seen.append)[1] is seen[0]",
    "an exit": "import sys\nassert leave_by(lambda: sys.exit(3)) == 3 and leave_by(lambda: 4) is None",
    "deep recursion through the program": "@memoize\ndef count(n): return n and 1 + count(n - 1)\nassert count(400) == 400",
    "recursion without an end": "import pytest\n@memoize\ndef again(n): return again(n + 1)\nwith pytest.raises(RecursionError):\n    again(0)\nassert apply(abs, -1) == 1 and memoize(lambda: 2)() == 2",
    "what both sides count": "@counted\ndef f(): f.n += 1\nf()\nf()\nassert same(f) is f and f.n == 2 and count_of(f) == 2",
    "what is said about it": "def f(bid: int, ask: 'text' = 5, *, k=None) -> str: return ask - bid\ng = memoize(f)\nassert g(2, 7) == 5\nassert (g.__name__, g.__doc__, g.__annotations__) == (f.__name__, None, f.__annotations__)\nassert defaults(f) == [5, None]",
    "what they change in a container": "p = Pipeline()\n@p.use\ndef first(context, following):\n    context['a'] = 1\n    following()\n    context['end'] = True\n@p.use\ndef second(context, following):\n    context['b'] = context['a'] + 1\n    following()\nheld = {'s': 0}\nassert p.run(held) == {'s': 0, 'a': 1, 'b': 2, 'end': True} == held",
    "asking in turn": "s = Stack()\ns.listener = lambda stack, item: stack.push(item - 1) if item else None\ns.push(3)\nassert s.items == [3, 2, 1, 0]",
    "from threads": "assert side_by_side(lambda x: x * x, range(20)) == [x * x for x in range(20)]",
    "from a timer": "import time\ngot = []\ndebounce(lambda: got.append(1), 0.01)()\ntime.sleep(0.5)\nassert got == [1]",
    "a timer that never ends": "call = debounce(lambda: 1, 0.05)\nassert call() is None",
    "iterators": "import itertools\nassert take(3, itertools.count(1)) == [1, 2, 3]\nrest = iter([1, 2, 3])\nassert take(1, rest) == [1] and next(rest) == 2\nassert take(2, (x * x for x in [2, 3])) == [4, 9]",
    "generators": "def count(n): yield from range(n)\nassert take(2, count(5)) == [0, 1] and list(apply(count, 3)) == [0, 1, 2]",
    "a function that gives one": "assert apply(lambda x: lambda y: x + y, 2)(3) == 5",
    "one of the program's comes back": "assert apply(lambda f: f, take) is take",
}  # fmt: skip

WRONG = {
    "never called": "def apply(f, *args): return 4",
    "called with something else": "def apply(f, *args): return f(4)",
    "one that takes the function for its result": "def apply(f, *args): return f",
    "an error that no function raised": "def apply(f, *args):\n    error = ValueError()\n    error._rewardkit_theirs = 7\n    raise error",
    "calls without an end": "def apply(f, *args):\n    while True: f(3)",
    "calls in a thread": "import threading\ndef apply(f, *args):\n    def again():\n        while True: f(3)\n    threading.Thread(target=again, daemon=True).start()\n    return 3",
    "a result without a value": "class A:\n    def __eq__(self, other): return True\ndef apply(f, *args): return A()",
    "another default": "def apply(f, *args):\n    f.__dict__['__defaults__'] = (4,)\n    return f",
    "the channel": "def apply(f, *args):\n    return _sandbox_exchange(['ok', 4, []])",
    "questions out of turn": "def apply(f, *args):\n    return _sandbox_exchange(['asks', [99, [], []], []])",
    "a question that is none": "def apply(f, *args):\n    return _sandbox_exchange(['asks', 5, []])",
}  # fmt: skip
CALLED = "calls = []\ndef f(x):\n    calls.append(x)\n    return x + 1\nassert apply(f, 3) == 4\nassert calls == [3]"


def score(tests, program):
    sample = Sample(completion=f"```python\n{program}\n```", ground_truth={"functional": tests})
    return Code(cpu_s=2.0).score([sample])[0]


@pytest.mark.long
@pytest.mark.parametrize("name", SAME)
def test_functions_of_tests_are_called_as_in_one_process(sandbox, name):
    alone = types.ModuleType("solution")
    exec(PROGRAM, vars(alone))
    exec(SAME[name], {key: value for key, value in vars(alone).items() if key[:2] != "__"} | {"__name__": "tests"})
    scored = score(SAME[name], PROGRAM)
    assert scored.value == 1.0, scored.reason


@pytest.mark.parametrize("name", WRONG)
def test_programs_that_misuse_a_function_are_wrong(sandbox, monkeypatch, name):
    monkeypatch.setattr("sandboxes.test_driver.MAX_CALLS", 500)
    assert score(CALLED, "def apply(f, *args): return f(*args)").value == 1.0
    scored = score(CALLED, WRONG[name])
    assert scored.value == 0.0, scored


def test_a_failed_assert_in_a_function_is_the_programs_to_handle(sandbox):
    """As in one process: what it swallows has not happened, what it lets through fails the test."""
    tests = "def f(x): assert x == 2\nassert apply(f, 3) is None"
    assert score(tests, "def apply(f, x): return f(x)").value == 0.0
    swallows = "def apply(f, x):\n    try: return f(x)\n    except AssertionError: return None"
    assert score(tests, swallows).value == 1.0


METHODS = """
class Calculator:
    @memoize
    def add(self, a, b): return a + b
class Case:
    maker = Emitter
    stack = Stack()
    call = staticmethod(apply)
    def run(self): return self.maker().emit("x"), self.stack.items, self.call(abs, -1)
assert Case().run() == ([], [], 1)
"""


def test_a_decorated_method_of_tests_leaves_the_row_unjudged(sandbox):
    """The program would need the object of the tests."""
    assert score(METHODS, PROGRAM).value == 1.0
    scored = score(f"{METHODS}assert Calculator().add(1, 2) == 3", PROGRAM)
    assert scored.verdict is Verdict.UNJUDGED
    assert "hand a Calculator" in scored.reason


FORGED = """
import pytest
def bad(): raise KeyError(1)
def f(x, expected=4): return x == expected
with pytest.raises(KeyError):
    apply(bad)
with pytest.raises(KeyError):
    apply(bad)
assert same(f)(apply(lambda: 4))
"""


@pytest.mark.parametrize("place", ["-1", "0", "9", "'x'", "None"])
def test_what_a_program_says_of_errors_and_defaults_is_checked(sandbox, place):
    right = "def same(x): return x\ndef apply(f): return f()"
    assert score(FORGED, right).value == 1.0
    forged = f"error = ValueError()\nerror._rewardkit_theirs = {place}\ndef apply(f): raise error"
    assert score(FORGED, f"def same(x): return x\n{forged}").value == 0.0
    defaults = "def same(f):\n    f.__dict__['__defaults__'] = (5,)\n    return f\ndef apply(f): return f() + (f.__name__ != 'bad')"
    assert score(FORGED, defaults).value == 0.0


@pytest.mark.long
@pytest.mark.parametrize("size", ["[0] * x", "'a' * x", "nested(x)"])
def test_no_result_of_a_function_leaves_a_row_unjudged_by_its_size(sandbox, size):
    tests = f"def nested(x): return [nested(x - 1)] if x else []\ndef f(x): return {size}\nassert apply(f) == 3"
    for times in (200, 30_000_000):
        assert score(tests, f"def apply(f):\n    f({times})\n    return 2").value == 0.0


@pytest.mark.parametrize("handed", ["A()", "A", "Mock()", "open"])
@pytest.mark.parametrize("program", ["def same(x): return 1", "def same(x): return 2", "def same(x): return x()"])
def test_what_is_no_function_leaves_the_row_unjudged(sandbox, handed, program):
    tests = f"class A:\n    def __call__(self): return 1\nclass Mock(A): pass\nassert same({handed}) == 1"
    assert score(tests, program).verdict is Verdict.UNJUDGED
