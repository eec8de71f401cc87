# Before tests, in their process: loads them with the names of the program in them, runs one, and says whose fault a failure is.
import contextlib as _contextlib
import symtable as _symtable
import sys as _sys
import types as _types
import unittest as _unittest


class _Type(type):
    def __instancecheck__(cls, value):
        return isinstance(value, type) or (type(value) is Remote and value._rewardkit_class)

    def __call__(cls, *given):
        return _class_of(given[0]) if len(given) == 1 and _is_object(given[0]) else type(*given)


def _found(names):
    """What the program defines of these names."""
    classes = [name for name in names if name.strip("_")[:1].isupper()]
    found = {}
    looks = any(word in _tests[0] for word in ("capsys", "capfd", "stdout", "stderr"))
    for part in (classes, [name for name in names if name not in classes]):  # what an object is may depend on its class
        answer = _ask("names", part, looks)
        if type(answer) is not dict:
            raise ProgramError("the program answered out of turn")
        found.update(answer)
        for value in answer.values() if part is classes else ():
            if type(value) is Remote and value._rewardkit_class:
                _put(value, "_rewardkit_trusted", True)
                _put(value, "_rewardkit_made", True)
    return found


def _compiled(source):
    """Tests with `held.__class__` and its kind as calls: where Python needs a class, the attribute itself can't be an object that
    stands for one. Patterns name no objects of the program's in this way.
    """
    tree = _ast.parse(source)
    for node in reversed(list(_ast.walk(tree))):
        if isinstance(node, (_ast.MatchValue, _ast.MatchMapping, _ast.MatchClass)):
            continue
        for field, value in _ast.iter_fields(node):
            if isinstance(value, list):
                value[:] = map(_as_call, value)
            else:
                setattr(node, field, _as_call(value))
    return compile(tree, "tests.py", "exec", dont_inherit=True)


def _as_call(node):
    if not (isinstance(node, _ast.Attribute) and isinstance(node.ctx, _ast.Load)):
        return node
    if not (node.attr.startswith("__") and node.attr.endswith("__")):
        return node
    function, name = _ast.Name("_rewardkit_attribute", _ast.Load()), _ast.Constant(node.attr)
    called = _ast.Call(function, [node.value, name], [])
    for made in (function, name, called):
        _ast.copy_location(made, node)
    return called


def _attribute(held, name):
    if name == "__class__" and _is_object(held):
        return _class_of(held)
    made = type(held) is Remote and held._rewardkit_made
    return _about(held, "get", name) if made else getattr(held, name)


_BOTH = {
    "random": ["seed"],
    "numpy.random": ["seed"],
    "sys": ["setrecursionlimit"],
    "time": ["sleep"],
    "dataclasses": ["asdict", "astuple", "fields", "is_dataclass", "replace"],
}
"""Functions that tests mean for the program's process: the first for both, those of dataclasses for the one whose object it is. Where
timers and threads of the program may call functions of the tests', the program sleeps in their place.
"""


def _reaches(module, name, own):
    def call(*given, **named):
        if module == "time":
            _told.clear()  # threads of the program's go on
        held = bool(given) and _is_remote(given[0])
        asked = held or (bool(_functions) if module == "time" else module != "dataclasses")
        if asked:
            trusted = held and _trusted(given[0])
            answer = _send_call(("named", module, name), given, named, row=True, trusted=trusted)
            _calls[0] -= not held
        return answer if asked and (held or module == "time") else own(*given, **named)

    return call


def _reach_the_program(source):
    for module, names in _BOTH.items():
        if all(part in source for part in module.split(".")) and any(name in source for name in names):
            with _contextlib.suppress(ImportError):
                found = _importlib.import_module(module)
                for name in names:
                    setattr(found, name, _reaches(module, name, getattr(found, name)))


_COMPARERS = {
    "numpy": ("allclose", "isclose"),
    "numpy.testing": "assert_allclose assert_almost_equal assert_array_almost_equal assert_array_equal assert_equal".split(),
}
"""Functions of numpy for which an empty list, spread over one value, is equal to it."""


def _keeps_empty_apart(compare, numpy):
    def is_empty(value):
        try:
            return numpy.size(value) == 0
        except ValueError:  # lists of several lengths
            return False

    def compared(*given, **named):
        if len(set(map(is_empty, [*given, *named.values()][:2]))) < 2:
            return compare(*given, **named)
        if compare.__name__.startswith("assert"):
            raise AssertionError("one side is empty")
        return numpy.False_

    return compared


def _keep_empty_arrays_apart(source):
    with _contextlib.suppress(ImportError):
        if "numpy" in source:
            import numpy

            for module, names in _COMPARERS.items():
                found = _importlib.import_module(module)
                for name in names:
                    setattr(found, name, _keeps_empty_apart(getattr(found, name), numpy))


def _session(source, names, entry, modules, find):
    """The namespace of the tests, with what they use of the program in it."""
    found = find(sorted({*names, *([entry] if entry else [])}))
    space = {
        "__name__": "tests",
        "type": _Type("type", (), {}),
        "callable": lambda held: _truth(_about(held, "callable")) if type(held) is Remote else callable(held),
        "_rewardkit_attribute": _attribute,
        **{name: found[name] for name in names if name in found},
    }
    _missing.update(name for name in names if name not in found)
    if entry:
        if entry not in found:
            raise ProgramError(f"NameError: the program defines no {entry!r}")
        space["candidate"] = space[entry] = found[entry]
    for module in modules:
        _sys.modules[module] = _ProgramModule(module)
        _sys.modules[module]._rewardkit_find = find
    exec(_compiled(source), space)
    return space


class _ProgramModule(_types.ModuleType):
    def __getattr__(self, name):
        if (
            name == "__all__"
        ):  # what tests use is there: a program that defines `abs` can't change what tests mean by it
            return []
        if name.startswith("__"):
            raise AttributeError(name)
        found = self._rewardkit_find([name])
        if name not in found:
            raise ProgramError(f"ImportError: the program defines no {name!r}")
        return found[name]


class _Used(BaseException):
    """Tests have used what stands for the program."""


def _use(*given, **named):
    _uses.append(True)
    raise _Used


_uses = []
_StandIn = type(
    "_StandIn",
    (),
    {name: _use for name, made in vars(Remote).items() if callable(made) and name != "__init__"}
    | {"__class__": property(_use)},
)


def _need_the_program(source, names, entry, modules, test):
    """Whether tests use the program at all, by themselves: what it is and does has no say in that."""
    with _contextlib.suppress(BaseException):
        _run(_session(source, names, entry, modules, lambda names: dict.fromkeys(names, _StandIn())), test)
    return bool(_uses)


def _run(space, test):
    """Run one test: a function, `Class.method`, or nothing more than the source itself."""
    if test:
        _run_named(space, test, lambda owner, name: owner(name).run(_Strict()))


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


def _rewardkit_main(source, names, entry, modules, test, named):
    """Run one test of a source, of those that are `named`, and say whose fault a failure is."""
    _tests.append(source)
    _reach_the_program(source)
    _keep_empty_arrays_apart(source)
    try:
        space = _session(source, names, entry, modules, _found)
        if named:
            _refuse_unnamed(space, named)
        _run(space, test)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        if _refused:  # a test may catch what it is told
            raise RewardkitUnsupported(_refused[0]) from None
        _blame(error, source)
        if not _calls[0] and not _need_the_program(source, names, entry, modules, test):
            raise RewardkitBroken(f"{type(error).__name__}: {error}") from None
        raise
    if _refused:
        raise RewardkitUnsupported(_refused[0])
    if not _calls[0] and not _need_the_program(source, names, entry, modules, test):
        _refuse("tests that never call the program")


def _blame(error, source):
    """A name or module that is not there is the row's fault, unless the program had to define it or raised the error."""
    if hasattr(error, "_rewardkit"):
        raise ProgramError(f"{error._rewardkit[1]}: {error}") from None
    if hasattr(type(error), "_rewardkit_handle"):
        raise ProgramError(f"an exception of the program's: {error}") from None
    if isinstance(error, NameError) and error.name in _missing:
        raise ProgramError(f"NameError: the program defines no {error.name!r}") from None
    if type(error) is NameError and str(error).startswith("name ") and not _binds(source, error.name):
        _refuse(f"tests that use {error.name!r} without defining it")
    if type(error) is ModuleNotFoundError:
        _refuse(f"tests that import {error.name}, which the box has not")


def _binds(source, name):
    """A source defines a name somewhere outside its functions: whether it got there may have been up to the program."""
    try:
        found = _symtable.symtable(source, "tests.py", "exec").lookup(str(name))
    except KeyError:
        return False
    return found.is_assigned()
