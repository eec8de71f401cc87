"""Patterns that may take exponential time are refused before anyone is served."""

from __future__ import annotations

import json

import pytest

from rewardkit.errors import UsageError
from rewardkit.rewards._patterns import problem_of
from rewardkit.serve.settings import Settings

BAD = [
    "(a+)+b", "(?:a*)*b", "(a{1,2})+b", "(.*a){20}", r"(?:.|\n)*x", "(a|ab)+c", r"(?:\s*<a>.*?</a>)+", "((a)+)*?", "(?=(a+)+b)",
    "(?>(a+)+b)", "(x)(?(1)(a+)+b|c)", "(?:a+){17}",
]  # fmt: skip
GOOD = [
    "", "a+b+", "(?:a++)+b", "(?>a+)*b", "(?:ab|cd)*", r"^<think>.*?</think>\s*<answer>.*?</answer>$", "(?:a{3})+", "(a+){2}", "[ab]*",
    r"(?:\d++,)*+\d+", "(?:a+)++b", "(?:a+){16}",
]  # fmt: skip


@pytest.mark.parametrize("pattern", BAD)
def test_a_pattern_that_may_backtrack_without_end_is_not_served(pattern: str) -> None:
    assert problem_of(pattern)
    schema = json.dumps({"properties": {"a": {"anyOf": [{"patternProperties": {pattern: True}}]}}})
    for text in (f"format(pattern={pattern!r})", f"exact + 0.1 * json_schema(schema={schema!r})"):
        with pytest.raises(UsageError, match="atomic"):
            Settings((text,)).load()


@pytest.mark.parametrize("pattern", GOOD)
def test_other_patterns_are_served(pattern: str) -> None:
    assert not problem_of(pattern)
    schema = json.dumps({"items": {"pattern": pattern}})
    assert len(Settings((f"format(pattern={pattern!r})", f"json_schema(schema={schema!r})")).load()) == 2
