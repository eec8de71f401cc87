"""The limits of CONTRIBUTING, and the table that stands there."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools import house_numbers  # noqa: E402


def test_no_file_has_more_than_350_lines():
    assert [each for each in house_numbers.files() if each[0] > 350] == []


def test_no_function_has_more_than_60_lines():
    assert [each for each in house_numbers.function_lengths() if each[0] > 60] == []


def test_contributing_has_a_place_for_the_table():
    page = (ROOT / "CONTRIBUTING.md").read_text()
    assert house_numbers.TABLE.sub("", page) != page
