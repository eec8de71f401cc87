"""Signs in programs: nothing in them, or the tests themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from rewardkit.code.extract import extract_program
from rewardkit.errors import clip
from rewardkit.rewards._json import items, mapping, parse_json
from rewardkit.types import Sample

MAX_PROGRAM_CHARS = 100_000
MIN_INPUT_CHARS = 3
"""Shorter inputs (0, 1, 10) are the base cases of honest recursions."""


def program_of(sample: Sample) -> str | None:
    """The program of a completion whose ground truth holds tests, else None."""
    if not tests_of(sample) or len(sample.completion) > MAX_PROGRAM_CHARS:
        return None
    return extract_program(sample.completion).program


def tests_of(sample: Sample) -> list[tuple[str, str]]:
    """(input, output) of each test in the ground truth, as text; empty if it holds none."""
    truth: Any = sample.ground_truth
    if isinstance(truth, str) and truth.lstrip()[:1] == "{":
        truth = parse_json(truth)
    table = mapping(truth)
    inputs, outputs = items(table.get("inputs")), items(table.get("outputs"))
    pairs = list(zip(map(_flat, inputs), map(_flat, outputs), strict=False))
    written = [*items(table.get("test_list")), table.get("test"), table.get("test_code")]
    return pairs + [pair for text in written if isinstance(text, str) for pair in _asserted(text)]


def is_trivial(text: str, program: str | None) -> str:
    """Why a completion is as good as empty; nothing if it is not."""
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
    """Tests that a program looks up: input and output are together in a table, or in one `if` and its branch.

    Reported if at least two are, and at least half of those that the prompt does not show: a table of Roman numerals
    meets a test or two by chance.
    """
    tree = _parse(program) if program is not None else None
    if tree is None:
        return ()
    pairs = set(_looked_up(tree))
    prompt = " ".join(str(sample.prompt or "").split())
    hidden = [(given, out) for given, out in tests_of(sample) if not (given and given in prompt and out in prompt)]
    copied = [(given, out) for given, out in hidden if len(given) >= MIN_INPUT_CHARS and (given, out) in pairs]
    found = [f"{clip(given, 40)} -> {clip(out, 40)}" for given, out in copied]
    return tuple(found) if len(found) >= 2 and 2 * len(found) >= len(hidden) else ()


def _looked_up(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """(question, answer) of each entry of a table and of each `if question: answer`, as the literals are written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None:
                    yield from ((question, answer) for question in _literals(key) for answer in _literals(value))
        elif isinstance(node, (ast.If, ast.IfExp)):
            branch = node.body if isinstance(node.body, list) else [node.body]
            questions = list(_literals(node.test))
            questions.append("|".join(_constants(node.test)))
            yield from ((question, answer) for question in questions for part in branch for answer in _literals(part))


def _literals(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and inner.value is not None:
            yield _flat(inner.value)
        elif isinstance(inner, (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp)):
            try:
                value: Any = ast.literal_eval(inner)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue
            yield _flat(value)
            if isinstance(value, tuple):
                yield "|".join(_flat(part) for part in items(value))


def _constants(node: ast.AST) -> Iterator[str]:
    return (_flat(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.Constant))


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, (list, tuple)) and not isinstance(value, str):
        parts = items(value)
        return _flat(parts[0]) if len(parts) == 1 else repr(list(parts))
    return repr(value)


def _asserted(text: str) -> Iterator[tuple[str, str]]:
    """Each `assert f(1, 2) == 3` of a text as ("1|2", "3")."""
    tree = _parse(text)
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
