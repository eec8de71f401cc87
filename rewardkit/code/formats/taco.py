"""TACO and APPS: `inputs`, `outputs` and, for calls, `fn_name`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rewardkit.code.formats._calls import call_problem, is_wrapped, taco_pair
from rewardkit.code.formats._fields import check_count, is_name, sequence, stdin_tests
from rewardkit.code.problem import Problem
from rewardkit.errors import GroundTruthError, quoted


def claims(row: Mapping[str, Any]) -> bool:
    """True for a row with `inputs` and `outputs`."""
    return row.get("inputs") is not None and row.get("outputs") is not None and not row.get("assert_case")


def read(row: Mapping[str, Any]) -> Problem:
    """Runs with stdin, or calls if a function is named."""
    inputs, outputs = sequence(row, "inputs"), sequence(row, "outputs")
    if len(inputs) != len(outputs):
        raise GroundTruthError(f"the row has {len(inputs)} inputs but {len(outputs)} outputs")
    check_count(len(inputs))
    name = row.get("fn_name")
    if name is None or name == "":
        return Problem(source="taco", stdin_tests=stdin_tests(inputs, outputs, "the row"))
    if not is_name(name):
        raise GroundTruthError(f"fn_name is not a name: {quoted(name)}")
    wrapped = is_wrapped(outputs)
    pairs = [taco_pair(one, other, wrapped=wrapped) for one, other in zip(inputs, outputs, strict=True)]
    return call_problem("taco", row, name, pairs)
