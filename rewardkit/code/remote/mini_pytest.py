# Before tests, in their process: the part of pytest that tests of single functions and classes use. A name that is not here is
# reported, so that the row is left unjudged.
import contextlib as _contextlib
import decimal as _decimal
import fractions as _fractions
import inspect as _inspect
import io as _io
import itertools as _itertools
import math as _math
import re as _re
import sys as _sys
import types as _types
import typing as _typing
import unittest as _unittest


class RewardkitUnsupported(BaseException):
    """The tests need something that is not there: the row's kind, not the program, is at fault."""


class _Skipped(Exception):
    pass


class _Approx:
    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs, nan_ok

    def __repr__(self):
        return f"approx({self.expected!r})"

    __hash__ = None
    __array_ufunc__ = None

    def __eq__(self, actual):
        expected = self.expected
        numpy = _sys.modules.get("numpy")
        if numpy is not None and isinstance(actual, numpy.ndarray):
            scalar = not isinstance(expected, (dict, list, tuple, numpy.ndarray))
            numbers = actual.ravel().tolist() if scalar else [actual.tolist()]
            return bool(numbers) and all(self == one for one in numbers)
        if numpy is not None and isinstance(expected, numpy.ndarray):
            return self._of(expected.tolist()) == actual
        if isinstance(expected, dict):
            return (
                isinstance(actual, dict)
                and actual.keys() == expected.keys()
                and all(self._of(expected[key]) == actual[key] for key in expected)
            )
        if isinstance(expected, (list, tuple)):
            same = isinstance(actual, (list, tuple)) and len(actual) == len(expected)
            return same and all(self._of(one) == other for one, other in zip(expected, actual))
        if isinstance(expected, bool):
            return isinstance(actual, bool if numpy is None else (bool, numpy.bool_)) and expected == actual
        expected, actual = (
            float(one) if type(one) in (_decimal.Decimal, _fractions.Fraction) else one for one in (expected, actual)
        )
        if not isinstance(expected, (int, float, complex)) or not isinstance(actual, (int, float, complex)):
            return expected == actual
        if _math.isnan(expected) if isinstance(expected, float) else False:
            return self.nan_ok and isinstance(actual, float) and _math.isnan(actual)
        if expected == actual:
            return True
        if abs(expected) == float("inf"):
            return False
        absolute = 1e-12 if self.abs is None else self.abs
        relative = (0.0 if self.abs is not None else 1e-6) if self.rel is None else self.rel
        return abs(expected - actual) <= max(absolute, relative * abs(expected))

    def _of(self, expected):
        return _Approx(expected, self.rel, self.abs, self.nan_ok)


class _Raises:
    """What is expected to be raised; then, what pytest calls the information about it."""

    def __init__(self, expected, match=None):
        self._expected, self._pattern, self.value, self.type = expected, match, None, None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None:
            raise AssertionError(f"DID NOT RAISE {self._expected}")
        if not issubclass(kind, self._expected):
            return False
        self.value, self.type = error, kind
        return self._pattern is None or self.match(self._pattern)

    def match(self, pattern):
        if not _re.search(pattern, str(self.value)):
            raise AssertionError(f"{str(self.value)!r} does not match {pattern!r}")
        return True

    def exconly(self, tryshort=False):
        return f"{self.typename}: {self.value}" if str(self.value) else self.typename

    def errisinstance(self, kinds):
        return isinstance(self.value, kinds)

    typename = property(lambda self: self.type.__name__)

    def __repr__(self):
        return f"<ExceptionInfo {self.value!r} tblen=1>"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise RewardkitUnsupported(f"{name} of what pytest.raises gives")


def _raises(expected_exception, *args, match=None, **named):
    if not args:
        for name in named:
            raise RewardkitUnsupported(f"pytest.raises with {name}")
        return _Raises(expected_exception, match)
    with _Raises(expected_exception) as caught:
        args[0](*args[1:], **named)
    return caught


class _Param:
    def __init__(self, *values, id=None, marks=()):
        _refuse_skips(marks)
        self.values = values


class _Skip:
    """A mark that skips. Tests that are decorated with it by its name are not run at all."""

    def __call__(self, *marked, **named):
        if not (marked and callable(marked[0])):
            return self
        marked[0].pytestmark = [self]
        return marked[0]


def _refuse_skips(marks):
    if any(isinstance(mark, _Skip) for mark in (marks if isinstance(marks, (list, tuple)) else [marks])):
        raise RewardkitUnsupported("pytest.mark.skip that is no decorator")


class _Marks:
    skip = _Skip()

    def __getattr__(self, name):
        if name == "parametrize":
            return _parametrize
        if name in ("timeout", "filterwarnings", "slow", "order", "run", "dependency"):
            return lambda *args, **named: args[0] if args and callable(args[0]) and not named else (lambda test: test)
        raise RewardkitUnsupported(f"pytest.mark.{name}")


def _parametrize(names, values, ids=None, indirect=False):
    if indirect:
        raise RewardkitUnsupported("pytest.mark.parametrize with indirect")
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    sets = []
    for value in values:
        given = value.values if isinstance(value, _Param) else (value,) if len(names) == 1 else tuple(value)
        sets.append(dict(zip(names, given)))

    def mark(test):
        test._rewardkit_sets = [*getattr(test, "_rewardkit_sets", []), sets]
        return test

    return mark


def _fixture(function=None, *, params=None, scope=None, autouse=False, name=None, ids=None):
    if params is not None:
        raise RewardkitUnsupported("pytest fixtures with params")

    def mark(made):
        made._rewardkit_fixture = (name or made.__name__, autouse)
        return made

    return mark if function is None else mark(function)


def _skip(reason="", **named):
    raise _Skipped(reason)


def _fail(reason="", **named):
    raise AssertionError(reason)


def _missing(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise RewardkitUnsupported(f"pytest.{name}")


def _pytest_module():
    module = _types.ModuleType("pytest")
    module.approx, module.raises, module.param, module.fixture, module.mark = (
        _Approx,
        _raises,
        _Param,
        _fixture,
        _Marks(),
    )
    module.skip, module.fail, module.main, module.__getattr__ = _skip, _fail, (lambda *args, **named: 0), _missing
    return module


def _refuse_unnamed(space, named):
    """Refuse tests that pytest or unittest would find among these names, if they are none of those that are run."""
    paths = [test.rpartition(".") for test in named]
    run = [getattr(space.get(owner), name, None) if owner else space.get(name) for owner, _, name in paths]
    for path, held in _tests_in(space, ""):
        if path not in named and not any(held is one for one in run):
            raise RewardkitUnsupported(f"tests under `if`, in a nested class or behind another name ({path})")


def _tests_in(names, path):
    own = [pair for pair in names.items() if issubclass(type(pair[1]), (_types.FunctionType, type))]
    for name, held in own:
        if getattr(held, "__unittest_skip__", False) or hasattr(held, "pytestmark"):
            continue
        if not issubclass(type(held), type):
            found = [(path + name, held)] if held.__code__.co_filename == "tests.py" else []
            yield from found if name.startswith("test") else []
        elif name.startswith("Test") or (issubclass(held, _unittest.TestCase) and not path):
            yield from _tests_in({one: getattr(held, one, None) for one in dir(held)}, f"{path}{name}.")


def _run_named(space, test, run_case):
    """Run a test by its name: a function, or `Class.method`, with what stands around it. The number of its parameter sets that are
    skipped, or what `run_case` says of a unittest.
    """
    owner, _, name = test.rpartition(".")
    found = space[owner] if owner else None
    function = getattr(found, name) if owner else space[name]
    for marks in (space.get("pytestmark", ()), getattr(found, "pytestmark", ()), getattr(function, "pytestmark", ())):
        _refuse_skips(marks)
    if isinstance(found, type) and issubclass(found, _unittest.TestCase):
        stages, outer = ("setUpModule", "tearDownModule"), ("setUpClass", "tearDownClass", "doClassCleanups")
    else:
        stages, outer = ("setup_module", "teardown_module"), ("setup_class", "teardown_class")
    with _between(space.get, *stages), _between(lambda stage: _stage(found, stage), *outer):
        if "setUpClass" in outer:
            return run_case(found, name)
        return _run_test(space, found, function)


def _stage(held, name):
    """A stage of an object or a class. `def setup_class(self)` gets the class, as pytest gives it."""
    found = getattr(held, name, None)
    if hasattr(found, "_rewardkit_fixture"):
        return None
    wants = type(found) is _types.FunctionType and len(_inspect.signature(found).parameters)
    return found.__get__(held) if wants else found


@_contextlib.contextmanager
def _between(find, *stages):
    """The first half of some stages, by their names, before a test, the others after it."""
    for place, stage in enumerate(stages):
        if place == len(stages) // 2:
            yield
        if (found := find(stage)) is not None:
            found(*[None] * len(_inspect.signature(found).parameters))


def _fixtures(values, held=None):
    """The fixtures among some values, by name, each with whether all tests use it; those of a class are bound to its object."""
    found = [one for one in values if type(one) is _types.FunctionType and hasattr(one, "_rewardkit_fixture")]
    made = [(one._rewardkit_fixture, one if held is None else one.__get__(held)) for one in found]
    return {name: (fixture, autouse) for (name, autouse), fixture in made}


def _run_test(space, owner, test):
    """Run a test function with each of its parameter sets, each time with fresh fixtures and a new object of its class."""
    skipped = 0
    for chosen in _itertools.product(*getattr(test, "_rewardkit_sets", [])):
        given = {name: value for part in chosen for name, value in part.items()}
        ends, made, fixtures = [], {}, _fixtures(list(space.values()))
        if owner is None:
            bound, around = test, _between(space.get, "setup_function", "teardown_function")
        else:
            held = owner()
            bound = test.__get__(held)
            fixtures |= _fixtures([getattr(owner, name) for name in dir(owner)], held)
            stages = ("setup_method", "setUp", "tearDown", "teardown_method")
            around = _between(lambda stage, held=held: _stage(held, stage), *stages)
        with around:
            for name, (_, autouse) in fixtures.items():
                if autouse:
                    _fixture_value(name, fixtures, made, ends)
            for name in _inspect.signature(bound).parameters:
                if name not in given:
                    given[name] = _fixture_value(name, fixtures, made, ends)
            try:
                bound(**given)
            except _Skipped:
                skipped += 1
            for end in reversed(ends):
                next(end, None)
    return skipped


def _capsys():
    before = _sys.stdout, _sys.stderr
    _sys.stdout, _sys.stderr = _io.StringIO(), _io.StringIO()
    yield _Captured()
    _sys.stdout, _sys.stderr = before


class _Captured:
    """What is printed while a test runs."""

    def readouterr(self):
        """What was printed since it was last asked."""
        texts = _sys.stdout.getvalue(), _sys.stderr.getvalue()
        _sys.stdout, _sys.stderr = _io.StringIO(), _io.StringIO()
        return _Printed(*texts)


class _Printed(_typing.NamedTuple):
    out: str
    err: str


_FIXTURES = {"capsys": _capsys, "capfd": _capsys}


def _fixture_value(name, fixtures, made, ends):
    if name not in fixtures and name not in _FIXTURES:
        raise RewardkitUnsupported(f"the pytest fixture {name!r}")
    if name not in made:
        fixture = fixtures[name][0] if name in fixtures else _FIXTURES[name]
        needs = {
            inner: _fixture_value(inner, fixtures, made, ends)
            for inner in _inspect.signature(fixture).parameters
            if inner != "self"
        }
        value = fixture(**needs)
        if _inspect.isgeneratorfunction(fixture):
            ends.append(value)
            value = next(value)
        made[name] = value
    return made[name]


_sys.modules["pytest"] = _pytest_module()
