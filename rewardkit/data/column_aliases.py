"""Column names that trainers, harnesses and data sets use for the fields of a sample."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any, cast

COMPLETION = ("completion", "response", "output", "generation", "resps", "messages")
"""Columns that hold the completion: the first present one, null or not."""
FINAL_ANSWER = ("ground_truth", "reward_model.ground_truth", "answer", "final_answer")
GROUND_TRUTH = (*FINAL_ANSWER, "solution", "target", "input_output", "gts")
"""Columns that hold the ground truth: the first with a value, since merged tables hold null in the columns of other sets. Beside a final
answer a `solution` is a worked one.
"""
DATA_SOURCE = ("data_source", "source", "dataset")
IDENTITY = ("id", "sample_id", "uid", "doc_id", "task_id", "question_id", "problem_id", "idx", "index")
GROUP = ("group", "group_id", "prompt_id")
PROMPT = ("prompt", "question", "problem", "input", "query", "instruction")
FACTS = ("completion_tokens", "completion_ids", "finish_reason")


def lookup(row: Mapping[str, Any], name: str, absent: Any = None) -> Any:
    """A column's value, `a.b` reaching into a nested mapping; `absent` where there is none."""
    if name in row:
        return row[name]
    head, dot, rest = name.partition(".")
    inner = row.get(head)
    if dot and isinstance(inner, Mapping):
        return lookup(cast("Mapping[str, Any]", inner), rest, absent)
    return absent


def has(row: Mapping[str, Any], name: str) -> bool:
    """Whether the row has the column, be its value null or not."""
    return lookup(row, name, _ABSENT) is not _ABSENT


_ABSENT = object()


def find(row: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str | None, Any]:
    """The first of `names` that the row has a value for, and the value. NaN is none, as tables of floats have it for null."""
    for name in names:
        value = lookup(row, name) if "." in name else row.get(name)
        if value is not None and not (isinstance(value, float) and isnan(value)):
            return name, value
    return None, None


def find_text(row: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str | None, Any]:
    """As `find`, but an empty text counts only if no other of them has a value: tables in CSV hold it for null."""
    first = name, value = find(row, names)
    if name is None or not isinstance(value, str) or value:
        return first
    found = find_text(row, names[names.index(name) + 1 :])
    return first if found[0] is None else found
