"""Tests as pytest functions, unittest classes or plain statements: KodCode, Code-R1's and rLLM's `functional`, ClassEval."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rewardkit.code.asserts import parse_tests
from rewardkit.code.formats import humaneval, leetcode
from rewardkit.code.formats._fields import Unsupported, is_set, source
from rewardkit.code.formats._sessions import bound_names, free_names, imported_names, session_problem, test_names
from rewardkit.code.problem import Problem
from rewardkit.code.remote import IN_PROCESS, epilogue, tools
from rewardkit.code.syntax import parse, parses

NETWORK = frozenset({"requests", "urllib.request", "http.client", "socket", "ftplib", "smtplib"})
"""Modules of prompts whose programs connect to other machines."""
PYTEST = frozenset(["approx", "raises", "param", "fixture", "mark", "skip", "fail", "main"])
"""What tests beside a program may use of pytest: the part that `remote/mini_pytest.py` has."""
JUDGES = ("numpy", "numpy.testing", "pandas", "pandas.testing")
"""Modules that tests judge with."""
SOURCES = ("pytest", "functional", "unittest", "test", "test_code")
_ADDRESS = re.compile(r"https?://|\bsocket\.")
_PATCH = re.compile(r"patch|Mock")
_CHECK = re.compile(r"^check\(([\w.()]+)\)\s*\Z", re.MULTILINE)
"""Code-R1's rows: LeetCodeDataset's or HumanEval's `check` with its call behind it."""
_TESTS = re.compile(r"^(?:(?:async )?def test_(?!check\b)|class \w+\(.*TestCase|class Test)", re.MULTILINE)


def claims(row: Mapping[str, Any]) -> bool:
    """True for a source with tests that pytest or unittest would find, and for one under a name of its own."""
    named = any(isinstance(row.get(name), str) for name in SOURCES[:3])
    return named or any(isinstance(row.get(name), str) and _TESTS.search(str(row[name])) for name in SOURCES[3:])


def read(row: Mapping[str, Any]) -> Problem:
    """One test for each function or method; a source without any is one test as a whole."""
    text = source(row, *SOURCES)
    if is_set(row.get("tests_in_process")):
        prompt = row.get("prompt")
        return _beside(text, str(row.get("entry_point") or ""), prompt if isinstance(prompt, str) else "")
    return _read(text)


def _read(text: str) -> Problem:
    checked = _CHECK.search(text)
    if checked:
        row = {"test": text[: checked.start()], "entry_point": checked[1]}
        return leetcode.read(row) if leetcode.claims(row) else humaneval.read(row)
    return session_problem("python_tests", text, each=test_names(parse_tests(text)) or ("",))


def _beside(text: str, entry: str, prompt: str) -> Problem:
    """Tests in the program's own process."""
    module = parse_tests(text)
    prompted = _parsed(prompt)
    if _needs_network(module, prompted):
        raise Unsupported("tests that need a network")
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "pytest" and node.attr not in PYTEST:
            raise Unsupported(f"pytest.{node.attr}")
    tests = test_names(module) or ("",)
    beginning = _beginning(prompted)
    uses = {entry, *imported_names(module), *(free_names(module) - set(bound_names(parse(beginning))))} - {""}
    if not uses:
        raise Unsupported("tests in the program's process that name nothing of it", "give the row an entry_point")
    judges = [name for name in JUDGES if re.search(rf"\b{name.partition('.')[0]}\b", text)]
    return Problem(
        source="python_tests", test_source=text, test_names=tests, test_uses=tuple(sorted(uses)), prelude=tools(judges),
        epilogue=epilogue(IN_PROCESS), imports=beginning, entry_point=IN_PROCESS
    )  # fmt: skip


def _needs_network(tests: ast.Module, prompt: Sequence[ast.stmt]) -> bool:
    """True for tests that download something themselves, or do not patch what the prompt's function connects with. No box has a network."""
    downloads = (node for node in tests.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
    if any(ast.unparse(node.value).startswith("nltk.download(") for node in downloads):
        return True
    by_default = any(_ADDRESS.search(ast.unparse(node.args)) for node in prompt if isinstance(node, ast.FunctionDef))
    modules = {alias.name for node in prompt if isinstance(node, ast.Import) for alias in node.names}
    modules |= {str(node.module) for node in prompt if isinstance(node, ast.ImportFrom)}
    if not by_default and not modules & NETWORK:
        return False
    cases = [_methods(node) for node in tests.body if isinstance(node, ast.ClassDef)]
    return any(not _PATCH.search(text) and (by_default or _ADDRESS.search(text)) for case in cases for text in case)


def _methods(case: ast.ClassDef) -> list[str]:
    """Each test of a class as text, with what runs before it."""
    methods = {node.name: ast.unparse(node) for node in case.body if isinstance(node, ast.FunctionDef)}
    shared = "".join([*map(ast.unparse, case.decorator_list), methods.get("setUp", ""), methods.get("setUpClass", "")])
    return [shared + text for name, text in methods.items() if name.startswith("test")]


def _parsed(prompt: str) -> Sequence[ast.stmt]:
    """The statements of a prompt that begins a program; none if it does not."""
    for text in (prompt, f"{prompt.rstrip()}\n    pass\n"):
        if parses(text):
            return parse(text).body
    return ()


def _beginning(prompt: Sequence[ast.stmt]) -> str:
    """The imports and constants of a prompt."""
    kinds = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
    return "".join(f"{ast.unparse(node)}\n" for node in prompt if isinstance(node, kinds))
