"""Tests as pytest functions, unittest classes or plain statements: KodCode, Code-R1's and rLLM's `functional`, ClassEval."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from rewardkit.code.asserts import parse_tests
from rewardkit.code.formats import humaneval, leetcode
from rewardkit.code.formats._fields import Unsupported, is_set, source
from rewardkit.code.formats._sessions import free_names, session_problem, test_names
from rewardkit.code.problem import Problem
from rewardkit.code.remote import IN_PROCESS, in_process, tools
from rewardkit.code.syntax import parse, parses
from rewardkit.errors import GroundTruthError

NETWORK = ("requests", "urllib.request", "http.client", "socket", "ftplib", "smtplib")
"""Modules of prompts whose programs connect to other machines, which no box can. Their tests put something in the place of that."""
JUDGES = ("numpy", "numpy.testing", "pandas", "pandas.testing")
"""Modules that tests judge with."""
SOURCES = ("pytest", "functional", "unittest", "test", "test_code")
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
    tests = test_names(parse_tests(text))
    if not tests and "assert" not in text:
        raise GroundTruthError("the tests hold no test and no assert")
    return session_problem("python_tests", text, each=tests or ("",))


def _beside(text: str, entry: str, prompt: str) -> Problem:
    """Tests in the program's own process."""
    module = parse_tests(text)
    beginning = _beginning(prompt)
    connects = next((name for name in NETWORK if re.search(rf"^(?:import|from) {name}\b", beginning, re.MULTILINE)), "")
    if connects and not all(_is_patched(node) for node in module.body if isinstance(node, ast.ClassDef)):
        raise Unsupported(f"tests that need a network ({connects} is not patched)")
    tests = test_names(module) or ("",)
    uses = {entry} - {""} or free_names(module)
    judges = [name for name in JUDGES if re.search(rf"\b{name.partition('.')[0]}\b", text)]
    return Problem(
        source="python_tests", test_source=text, test_names=tests, test_uses=tuple(sorted(uses)), prelude=tools(judges),
        epilogue=in_process(), imports=beginning, entry_point=IN_PROCESS
    )  # fmt: skip


def _is_patched(case: ast.ClassDef) -> bool:
    """True if each test of a class, its `setUp` or the class as a whole patches something."""
    methods = {node.name: ast.unparse(node) for node in case.body if isinstance(node, ast.FunctionDef)}
    shared = "".join([*map(ast.unparse, case.decorator_list), methods.get("setUp", ""), methods.get("setUpClass", "")])
    tests = [text for name, text in methods.items() if name.startswith("test")]
    return all(re.search(r"patch|Mock", shared + text) for text in tests)


def _beginning(prompt: str) -> str:
    """The imports and constants of a prompt that begins a program."""
    for text in (prompt, f"{prompt.rstrip()}\n    pass\n"):
        if parses(text):
            kinds = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
            found = [node for node in parse(text).body if isinstance(node, kinds)]
            return "".join(f"{ast.unparse(node)}\n" for node in found)
    return ""
