"""The tables of docs/math.md say what the code does."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from rewardkit.math import Policy, compare
from rewardkit.math.latex import lexer, numbers, parser, statements
from rewardkit.math.prove import exact
from rewardkit.math.prove.functions import MAX_EXPONENT_BITS

_TEXT = (Path(__file__).parents[3] / "docs" / "math.md").read_text()
_ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \| (yes|no) \|", re.MULTILINE)
_OPTION = re.compile(r"^\| `(\w+)` \| `([^`]+)` \| [^|]+ \|$", re.MULTILINE)


@pytest.mark.parametrize(("gold", "answer", "equal"), _ROW.findall(_TEXT))
def test_each_row_of_the_equality_table(gold, answer, equal):
    judgement = compare(gold, answer)
    assert judgement.equal == (equal == "yes"), judgement.reason


def test_the_equality_table_is_read():
    assert len(_ROW.findall(_TEXT)) >= 50


def test_the_table_of_options_is_complete():
    fields = {field.name: repr(field.default).replace("'", '"') for field in dataclasses.fields(Policy)}
    assert dict(_OPTION.findall(_TEXT)) == fields


def test_the_table_of_bounds_is_true():
    bounds = dict(
        re.findall(r"^\| ([a-z][^|`]+?) \| ([\d,^]+) \| `(?:malformed|output_limit)` \|$", _TEXT, re.MULTILINE)
    )
    assert bounds == {
        "characters of an answer": f"{parser.MAX_CHARS:,}",
        "tokens": f"{lexer.MAX_TOKENS:,}",
        "nesting (doubled brackets do not count)": f"{statements.MAX_DEPTH}",
        "digits of a number": f"{numbers.MAX_DIGITS:,}",
        "bits of an exact number": f"{exact.MAX_BITS:,}",
        "size of an exponent": f"2^{MAX_EXPONENT_BITS}",
    }
