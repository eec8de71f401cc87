"""Tests that are programs: they run in a box without the submission, whose names stand for requests to it."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import cast

from rewardkit.code.asserts import parse_tests
from rewardkit.code.formats._fields import Unsupported
from rewardkit.code.problem import Problem
from rewardkit.code.remote import CROSSING, OBJECTS, epilogue
from rewardkit.errors import GroundTruthError

MODULES = ("solution", "main", "program", "submission", "task")
"""What tests import the program as."""

PACKAGES = sys.stdlib_module_names | frozenset(
    ["np", "numpy", "pd", "pandas", "plt", "matplotlib", "torch", "scipy", "sklearn", "sympy", "nx", "networkx", "pytest", "requests"]
)  # fmt: skip
"""Names that mean a package where tests use an attribute of them without an import: no program should have to define them."""

SHARED_NAMES = frozenset(
    [
        "open",
        "input",
        "exec",
        "eval",
        "compile",
        "globals",
        "locals",
        "__import__",
        "breakpoint",
        "caplog",
        "monkeypatch",
        "tmp_path",
        "tmpdir",
        "mocker",
        "patch",
        "mock",
        "MagicMock",
        "Mock",
    ]
)
"""What only means something in the process of the program."""

_CHECKS = re.compile(r"assert|raises|warns|deprecated_call|fail|exit|quit")
"""Names of functions that end a test; `self.assertEqual`, `numpy.testing.assert_allclose`, `pytest.raises`."""
OBSERVERS = frozenset(["assertLogs", "assertNoLogs", "assertWarns", "assertWarnsRegex"])
CONTEXTS = frozenset(["getcontext", "localcontext", "setcontext"])
"""The same as a method of unittest or a function of decimal: what tests watch or set in their own process would not be the program's."""

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)

CURE = "a row with tests_in_process runs them there"


def session_problem(
    kind: str,
    tests: str,
    *,
    entry: str = "",
    prelude: str = "",
    stub: str = "",
    setup: str = "",
    each: Sequence[str] = ("",),
) -> Problem:
    """A problem whose test program runs once for each name in `each` (a function, or `Class.method`)."""
    source = f"{setup}\n{tests}" if setup else tests
    refuse_what_cannot_cross(parse_tests(tests))
    module = parse_tests(source)
    _refuse_idle(module)
    names = sorted({entry} - {""} | free_names(module))
    _refuse_names(module, names, entry)
    named = tuple(filter(None, each))
    drivers = tuple(
        f"_rewardkit_main({source!r}, {names!r}, {entry!r}, {MODULES!r}, {test!r}, {named!r})\n" for test in each
    )
    return Problem(
        source=kind, drivers=drivers, entry_point=OBJECTS, prelude=prelude, epilogue=epilogue(OBJECTS), stub=stub, stub_entry=entry
    )  # fmt: skip


def free_names(module: ast.Module) -> set[str]:
    """Names that tests use and neither they nor Python define."""
    used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return {name for name in used - set(bound_names(module)) if not hasattr(builtins, name)} - {"candidate"}


def imported_names(module: ast.Module) -> set[str]:
    """Names that tests import from the program, or ask it for as a module."""
    nodes, known = list(ast.walk(module)), {*MODULES, "__main__"}
    aliases = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules = {alias.asname or alias.name for alias in aliases if alias.name in known}
    owned = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    asked = {node.attr for node in owned if cast("ast.Name", node.value).id in modules}
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in known]
    return asked | {alias.name for node in imports for alias in node.names} - {"*"}


def test_names(module: ast.Module) -> tuple[str, ...]:
    """The tests that pytest or unittest would find and not skip, those that a class inherits with them. Others (under `if`, in nested
    classes, made by calls) are refused once the module is loaded.
    """
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    found: dict[str, None] = {}
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            family = _family(node, classes)
            if node.name.startswith("Test") or any(map(_is_case, family)):
                found |= {f"{node.name}.{name}": None for name in _methods(family) if name.startswith("test")}
        elif isinstance(node, _FUNCTION) and node.name.startswith("test") and not _is_skipped(node):
            found[node.name] = None
    return tuple(found)


def _family(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """A class and those of the module that it derives from, itself first."""
    family = [node]
    for each in family:  # which grows
        parents = [classes.get(base.id) for base in each.bases if isinstance(base, ast.Name)]
        family += [parent for parent in parents if parent is not None and parent not in family]
    return family


def refuse_what_cannot_cross(module: ast.Module) -> None:
    """`Unsupported` for tests that need the program in their own process: files, streams, patches, other packages."""
    for node in ast.walk(module):
        feature = _shared_feature(node)
        if feature:
            raise Unsupported(f"tests that use {feature} beside the program", CURE)


def _refuse_idle(module: ast.Module) -> None:
    """`GroundTruthError` for tests in which nothing can fail: every program that runs would pass them."""
    if not any(map(_can_fail, ast.walk(module))):
        raise GroundTruthError("the tests assert nothing, so every program would pass them")


def _can_fail(node: ast.AST) -> bool:
    match node:
        case ast.Assert() | ast.Raise():
            return True
        case ast.Call(func=ast.Name(id=name)) | ast.Attribute(attr=name) | ast.alias(name=name):
            return _CHECKS.search(name) is not None
        case _:
            return False


def _refuse_names(module: ast.Module, names: Collection[str], entry: str) -> None:
    """`Unsupported` for packages that nobody imports, classes that derive from the program's, and tests that are skipped by what it defines,
    whatever a program makes of the names.
    """
    owners = [node.value for node in ast.walk(module) if isinstance(node, ast.Attribute)]
    unclear = PACKAGES.intersection(names, (node.id for node in owners if isinstance(node, ast.Name)))
    for name in sorted(unclear - {entry} | _judges(module, names, entry)):
        raise Unsupported(f"tests that use {name!r} without defining it", CURE)
    imports = [node for node in ast.walk(module) if isinstance(node, ast.ImportFrom) and node.module in MODULES]
    own = {*names, *MODULES, *(alias.asname or alias.name for node in imports for alias in node.names)}
    skips = [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and re.search(r"\bskip(If|Unless)$", ast.unparse(node.func))
    ]
    if any(isinstance(inner, ast.Name) and inner.id in own for skip in skips for inner in ast.walk(skip)):
        raise Unsupported("tests that skip by what the program is", CURE)
    bases = [base for node in ast.walk(module) if isinstance(node, ast.ClassDef) for base in node.bases]
    if any(isinstance(inner, ast.Name) and inner.id in own for base in bases for inner in ast.walk(base)):
        raise Unsupported("tests that derive from a class of the program", CURE)


def _judges(module: ast.Module, names: Collection[str], entry: str) -> set[str]:
    """Names that would judge the program, or say what is expected of it, and that only the tests may define: those of Python's library which an
    import should have brought, and beside an entry point functions that are handed a result of it; unless some line is about one of them alone.
    """
    program = {*names, *imported_names(module), "candidate", entry} - {""}
    unclear = {name for name in names if name.startswith("assert") or name in _values()}
    nodes = list(ast.walk(module))
    bound = [pair for node in nodes if (pair := _bound(node))[1]]
    results = _held(bound, {"candidate", entry}) if entry else set[str]()
    for node in nodes if entry else ():
        if isinstance(node, ast.Call) and any(_names(given) & results for given in (*node.args, *node.keywords)):
            made = isinstance(node.func, ast.Name) and node.func.id[:1].isupper()
            unclear |= set[str]() if made else _names(node.func) & set(names)
    lines = [_names(node) for node in nodes if isinstance(node, (ast.Assert, ast.Compare, ast.Expr, ast.Return))]

    def is_alone(name: str) -> bool:
        own, others = _held(bound, {name}), _held(bound, program - {name})
        return any(line & own and not line & others for line in lines)

    return {name for name in unclear - {entry} if not is_alone(name)}


def _bound(node: ast.AST) -> tuple[set[str], set[str]]:
    """The names that an assignment or a loop uses, and those that it binds; none of other nodes."""
    targets = getattr(node, "targets", None) or [target for target in [getattr(node, "target", None)] if target]
    source = getattr(node, "iter", None) or getattr(node, "value", None)
    return (_names(source), set[str]().union(*map(_names, targets))) if targets and source else (set(), set())


def _held(bound: Sequence[tuple[set[str], set[str]]], names: set[str]) -> set[str]:
    """Names, and variables that hold what is made with them."""
    held = set(names)
    for source, targets in (*bound, *bound):  # a loop may stand before what it uses
        if source & held:
            held |= targets
    return held


def _names(node: ast.AST) -> set[str]:
    """Names that a part of the tests uses, of an object of theirs its attributes."""
    found: set[str] = set()
    for one in ast.walk(node):
        match one:
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                found.add(f"self.{name}")
            case ast.Name(id=name) if name != "self":
                found.add(name)
            case _:
                pass
    return found


@cache
def _values() -> frozenset[str]:
    """Names of Python's modules of numbers, containers and dates: a value or a judge in tests that lack the import."""
    modules = ("math", "cmath", "collections", "decimal", "fractions", "datetime", "statistics")
    return frozenset(name for module in modules for name in _public(module)) | {"approx"}


def _public(module: str) -> Iterator[str]:
    """What `from module import *` brings, of a module of Python's own."""
    found = importlib.import_module(module)
    return (name for name in getattr(found, "__all__", vars(found)) if not name.startswith("_"))


def _shared_feature(node: ast.AST) -> str:
    match node:
        case ast.Import(names=names):
            modules = [name.name for name in names]
        case ast.ImportFrom(module="decimal", names=names) if wanted := CONTEXTS & {name.name for name in names}:
            return min(wanted)
        case ast.ImportFrom(module="pytest", names=names) if "skip" in {name.name for name in names}:
            return "pytest.skip"
        case ast.ImportFrom(module=module, names=names):
            modules = [f"{module}.{name.name}" if module == "unittest" else str(module) for name in names]
        case ast.AsyncFunctionDef() | ast.Await():
            return "async functions"
        case ast.Name(id=name) | ast.arg(arg=name) if name in SHARED_NAMES:
            return name
        case ast.Attribute(attr=name) if name in OBSERVERS:
            return name
        case ast.Attribute(value=ast.Name(id="decimal"), attr=name) if name in CONTEXTS:
            return name
        case ast.Attribute(attr=name) | ast.Name(id=name) if name in ("skipTest", "SkipTest"):
            return name
        case ast.Attribute(value=ast.Name(id="pytest"), attr="skip"):
            return "pytest.skip"
        case ast.Attribute(value=ast.Name(id="sys"), attr=("stdin" | "modules" | "argv" | "path") as name):
            return f"sys.{name}"
        case _:
            return ""
    return next((name for name in modules if not _crosses(name)), "")


def _crosses(name: str) -> bool:
    root = name.partition(".")[0]
    return (root in CROSSING or root in MODULES) and not name.startswith("unittest.mock")


def _methods(family: Sequence[ast.ClassDef]) -> list[str]:
    """The methods of a class and of those that it derives from; none if one of them is skipped."""
    if any(map(_is_skipped, family)):
        return []
    own: dict[str, bool] = {}
    for inner in (inner for node in family for inner in node.body):
        if isinstance(inner, _FUNCTION):
            own.setdefault(inner.name, _is_skipped(inner))
        elif isinstance(inner, ast.Assign):  # `test_a = None` takes an inherited one away
            own |= {
                target.id: True for target in inner.targets if isinstance(target, ast.Name) and target.id not in own
            }
    return [name for name, skipped in own.items() if not skipped]


def _is_skipped(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    marks = node.decorator_list
    return any(ast.unparse(mark).partition("(")[0] in ("unittest.skip", "skip", "pytest.mark.skip") for mark in marks)


def _is_case(node: ast.ClassDef) -> bool:
    return any("TestCase" in ast.unparse(base) for base in node.bases)


def bound_names(module: ast.Module) -> Iterator[str]:
    """Names that a source defines or imports itself."""
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case (
                ast.ExceptHandler(name=str() as name)
                | ast.MatchAs(name=str() as name)
                | ast.MatchStar(name=str() as name)
                | ast.MatchMapping(rest=str() as name)
            ):
                yield name
            case ast.ImportFrom(module=str() as name, names=[ast.alias(name="*")]) if (
                name in CROSSING & sys.stdlib_module_names
            ):
                yield from _public(name)
            case _:
                pass
