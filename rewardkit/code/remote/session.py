# Before tests, in their process: loads them with the names of the program in them, runs one, and says whose fault a failure is.
import sys as _sys
import types as _types
import unittest as _unittest


class _Type(type):
    def __instancecheck__(cls, value):
        return isinstance(value, type) or (type(value) is Remote and value._rewardkit_class)

    def __call__(cls, *given):
        return _ask("class", _pack(given[0])) if len(given) == 1 and type(given[0]) is Remote else type(*given)


def _session(source, names, entry, modules):
    """The namespace of the tests, with the program's names in it."""
    found = dict(_request("names", sorted({*names, *([entry] if entry else [])}))[0])
    space = {"__name__": "tests", "type": _Type("type", (), {})}
    for name in names:
        if name in found:
            space[name] = _unpack(found[name])
        else:
            _missing.add(name)
    if entry:
        if entry not in found:
            raise ProgramError(f"NameError: the program defines no {entry!r}")
        space["candidate"] = space[entry] = _unpack(found[entry])
    for module in modules:
        _sys.modules[module] = _ProgramModule(module)
    exec(compile(source, "tests.py", "exec", dont_inherit=True), space)
    return space


class _ProgramModule(_types.ModuleType):
    def __getattr__(self, name):
        if name == "__all__":
            return [str(found) for found in _request("public")[0]]
        if name.startswith("__"):
            raise AttributeError(name)
        found = dict(_request("names", [name])[0])
        if name not in found:
            raise ProgramError(f"ImportError: the program defines no {name!r}")
        return _unpack(found[name])


def _run(space, test):
    """Run one test: a function, `Class.method`, or nothing more than the source itself."""
    fixtures = {held._rewardkit_fixture[0]: (held, held._rewardkit_fixture[1]) for held in space.values() if hasattr(held, "__code__") and hasattr(held, "_rewardkit_fixture")}  # fmt: skip
    if not test:
        return
    owner, _, name = test.rpartition(".")
    if not owner:
        for before in ("setup_module", "setup_function"):
            if before in space:
                space[before](*[None] * space[before].__code__.co_argcount)
        _run_test(space[name], fixtures)
    elif isinstance(space[owner], type) and issubclass(space[owner], _unittest.TestCase):
        space.get("setUpModule", lambda: None)()
        space[owner].setUpClass()
        space[owner](name).run(_Strict())
        space[owner].doClassCleanups()
    else:
        made = space[owner]()
        for before in ("setup_class", "setup_method", "setUp"):
            if hasattr(made, before):
                method = getattr(made, before)
                method(*[None] * (method.__func__.__code__.co_argcount - 1))
        _run_test(getattr(type(made), name), fixtures, made)


class _Strict(_unittest.TestResult):
    """A failure of a unittest method is raised as it is."""

    def addFailure(self, test, error):
        raise error[1]

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            raise error[1]

    def addUnexpectedSuccess(self, test):
        raise AssertionError("an expected failure passed")


def _rewardkit_main(source, names, entry, modules, test):
    """Run one test of a source, and say whose fault a failure is."""
    try:
        _run(_session(source, names, entry, modules), test)
    except Exception as error:
        if _refused:  # a test may catch what it is told
            raise RewardkitUnsupported(_refused[0]) from None
        _blame(error)
        raise
    if _refused:
        raise RewardkitUnsupported(_refused[0])
    if not _calls[0]:
        _refuse("tests that never call the program")


def _blame(error):
    """A name or module that is not there is the row's fault, unless the program had to define it or raised the error."""
    if getattr(error, "_rewardkit", None) is not None:
        raise ProgramError(f"{error._rewardkit[1]}: {error}") from None
    if isinstance(error, NameError):
        if error.name not in _missing or error.name in _MODULES:
            _refuse(f"tests that use {error.name!r} without defining it")
        raise ProgramError(f"NameError: the program defines no {error.name!r}") from None
    if isinstance(error, ModuleNotFoundError):
        _refuse(f"tests that import {error.name}, which the box has not")
    if not _calls[0] and not isinstance(error, ProgramError):
        raise RewardkitBroken(f"{type(error).__name__}: {error}") from None
