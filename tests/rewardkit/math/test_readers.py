"""What is read from a text: one table for each reader in tests/cases/math_readers/. A new finding is a new row.

A row holds the `text`, what is `found` in it (null: nothing) and the reason `why`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rewardkit.math.extract.clauses import stating_clause
from rewardkit.math.extract.complement import told
from rewardkit.math.extract.conclusion import said_by_sentence
from rewardkit.math.extract.sentences import counted, lone_number
from rewardkit.math.extract.statement import stated_answer

READERS: dict[str, Callable[[str], str | None]] = {
    "counted": counted,
    "lone_number": lone_number,
    "said_by_sentence": said_by_sentence,
    "stated_answer": lambda text: (stated_answer(text) or (None,))[0],
    "stating_clause": stating_clause,
    "told": told,
}
_TABLES = sorted((Path(__file__).parents[2] / "cases" / "math_readers").glob("*.jsonl"))
_ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    f"{table.stem}-{number} {row['text'][:48]}": (table.stem, row)
    for table in _TABLES
    for number, row in enumerate(map(json.loads, table.read_text(encoding="utf-8").splitlines()), start=1)
}


@pytest.mark.parametrize(("reader", "row"), _ROWS.values(), ids=_ROWS)
def test_a_reader_finds_what_its_table_says(reader: str, row: dict[str, Any]) -> None:
    assert READERS[reader](row["text"]) == row["found"], row["why"]


def test_each_reader_has_its_table_and_each_text_stands_once() -> None:
    assert {table.stem for table in _TABLES} == set(READERS)
    assert len({(reader, row["text"]) for reader, row in _ROWS.values()}) == len(_ROWS)
