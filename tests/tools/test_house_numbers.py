"""The limits of CONTRIBUTING, and the table that stands there."""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools import house_numbers  # noqa: E402


def test_no_file_has_more_than_350_lines():
    assert [each for each in house_numbers.files() if each[0] > 350] == []


def test_no_function_has_more_than_60_lines():
    assert [each for each in house_numbers.function_lengths() if each[0] > 60] == []


MUTABLE = {
    "Advantages", "CaseFact", "CodeInterpreter", "Conversation", "ConversationTool", "Counters", "HubSource", "Progress", "RowReader", "Run", "Server",
    "Source", "SourceRows", "Stub", "Totals", "Trial", "Unit", "UrlSource", "Viewed", "Work", "_Flow", "_Source", "_Turn",
}  # fmt: skip
"""Dataclasses that keep account of something under way. All others are values, but for the nodes of the math verifier, which are made often."""


def test_values_are_frozen():
    marks = [(node.name, ast.unparse(mark)) for node in classes() for mark in node.decorator_list]
    found = {name for name, mark in marks if "dataclass" in mark and "frozen=True" not in mark}
    assert found == MUTABLE


def classes():
    trees = (
        ast.parse(path.read_text(encoding="utf-8")) for path in house_numbers.sources() if "math" not in path.parts
    )
    return (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def test_contributing_has_a_place_for_the_table():
    page = (ROOT / "CONTRIBUTING.md").read_text()
    assert house_numbers.TABLE.sub("", page) != page


def test_only_one_character_is_repeated_possessively():
    """Python before 3.11.5 goes wrong where a possessive group can backtrack; an atomic group means the same."""
    group = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+")
    found = [
        f"{path}:{place}"
        for path in house_numbers.sources()
        for place, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if group.search(line)
    ]
    assert found == []
