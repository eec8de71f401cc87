"""Patterns that may take exponential time are refused when a reward is made."""

from __future__ import annotations

import json

import pytest

from rewardkit import UsageError, load
from rewardkit.rewards._patterns import problem_of

BAD = [
    "(a+)+b", "(?:a*)*b", "(a{1,2})+b", "(.*a){20}", r"(?:.|\n)*x", "(a|ab)+c", r"(?:\s*<a>.*?</a>)+", "((a)+)*?", "(?=(a+)+b)",
    "(?>(a+)+b)", "(x)(?(1)(a+)+b|c)", "(?:a+){17}",
]  # fmt: skip
GOOD = [
    "", "a+b+", "(?:a++)+b", "(?>a+)*b", "(?:ab|cd)*", r"^<think>.*?</think>\s*<answer>.*?</answer>$", "(?:a{3})+", "(a+){2}", "[ab]*",
    r"(?:\d++,)*+\d+", "(?:a+)++b", "(?:a+){16}",
]  # fmt: skip


@pytest.mark.parametrize("pattern", BAD)
def test_a_pattern_that_may_backtrack_without_end_is_refused(pattern: str) -> None:
    assert problem_of(pattern)
    schema = json.dumps({"properties": {"a": {"anyOf": [{"patternProperties": {pattern: True}}]}}})
    for text in (f"format(pattern={pattern!r})", f"exact + 0.1 * json_schema(schema={schema!r})"):
        with pytest.raises(UsageError, match="atomic"):
            load(text)


@pytest.mark.parametrize("pattern", GOOD)
def test_other_patterns_are_taken(pattern: str) -> None:
    assert not problem_of(pattern)
    schema = json.dumps({"items": {"pattern": pattern}})
    assert load(f"format(pattern={pattern!r}) + json_schema(schema={schema!r})")
