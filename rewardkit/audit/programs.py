"""Signs in programs: nothing in them, or the tests themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from rewardkit.code.extract import extract_program
from rewardkit.rewards._json import items, mapping, parse_json
from rewardkit.types import Sample

MIN_LITERAL_CHARS = 3
"""Shorter outputs (0, 1, no) stand in honest programs too."""
MAX_PROGRAM_CHARS = 100_000


def program_of(sample: Sample) -> str | None:
    """The program of a completion whose ground truth holds tests, else None."""
    if not tests_of(sample) or len(sample.completion) > MAX_PROGRAM_CHARS:
        return None
    return extract_program(sample.completion).program


def tests_of(sample: Sample) -> list[tuple[str, str]]:
    """(input, output) of each test in the ground truth, as text; empty where it holds none."""
    truth: Any = sample.ground_truth
    if isinstance(truth, str) and truth.lstrip()[:1] == "{":
        truth = parse_json(truth)
    table = mapping(truth)
    inputs, outputs = items(table.get("inputs")), items(table.get("outputs"))
    pairs = list(zip(map(_flat, inputs), map(_flat, outputs), strict=False))
    return pairs + [pair for line in items(table.get("test_list")) for pair in _asserted(str(line))]


def is_trivial(text: str, program: str | None) -> str:
    """Why a completion is as good as empty; nothing where it is not."""
    if not text.strip():
        return "blank"
    if program is None:
        return "" if any(char.isalnum() for char in text) else "no letter or digit"
    tree = _parse(program)
    if tree is None:
        return ""
    working = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.Call, ast.BinOp, ast.Compare, ast.Assign, ast.For, ast.While))
    ]
    returns = [node for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value is not None]
    constant = all(isinstance(node.value, ast.Constant) for node in returns)
    return "a program that computes nothing" if not working and constant else ""


def copied_tests(program: str | None, sample: Sample) -> tuple[str, ...]:
    """Tests whose input and output both stand in the program as literals, where at least two do, or all of several lines.

    Tests that the prompt shows as examples are left out: quoting them in a comment or a doctest is honest.
    """
    tree = _parse(program) if program is not None else None
    if tree is None:
        return ()
    literals = set(_literals(tree))
    prompt = " ".join(str(sample.prompt or "").split())
    found: list[str] = []
    for given, expected in tests_of(sample):
        shown = given and given in prompt and expected in prompt
        if shown or len(given) < MIN_LITERAL_CHARS or expected not in literals:
            continue
        if given in literals or all(part in literals for part in given.split("|") if part):
            found.append(f"{given[:40]} -> {expected[:40]}")
    return tuple(found) if len(found) >= 2 else ()


def _literals(tree: ast.AST) -> Iterator[str]:
    documented = (ast.Module, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    docstrings = {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)}  # fmt: skip
    for node in ast.walk(tree):
        if id(node) in docstrings:
            continue
        if isinstance(node, ast.Constant) and node.value is not None:
            yield _flat(node.value)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp)):
            try:
                value: Any = ast.literal_eval(node)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue
            yield _flat(value)
            if isinstance(value, tuple):
                yield "|".join(_flat(part) for part in items(value))


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, (list, tuple)) and not isinstance(value, str):
        parts = items(value)
        return _flat(parts[0]) if len(parts) == 1 else repr(list(parts))
    return repr(value)


def _asserted(line: str) -> Iterator[tuple[str, str]]:
    """`assert f(1, 2) == 3` as ("1|2", "3")."""
    tree = _parse(line)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Call) and len(node.comparators) == 1:
            try:
                arguments = [_flat(ast.literal_eval(argument)) for argument in node.left.args]
                yield "|".join(arguments), _flat(ast.literal_eval(node.comparators[0]))
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue


def _parse(program: str) -> ast.Module | None:
    try:
        return ast.parse(program[:MAX_PROGRAM_CHARS])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
