"""CodeContests: public, private and generated tests, each a pair of lists `input` and `output`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from rewardkit.code.formats._fields import check_count, parse_json, sequence, stdin_tests
from rewardkit.code.formats.cases import stdin_cases
from rewardkit.code.problem import Problem, StdinTest
from rewardkit.errors import GroundTruthError

GROUPS = ("public_tests", "private_tests", "generated_tests")


def claims(row: Mapping[str, Any]) -> bool:
    """True for a row with one of the three groups."""
    return any(row.get(name) is not None for name in GROUPS)


def read(row: Mapping[str, Any]) -> Problem:
    """All tests of the three groups, in this order."""
    tests: list[StdinTest] = []
    for name in GROUPS:
        group = row.get(name)
        if isinstance(group, str) and group.strip():
            group = parse_json(group, name)
        if not group:
            continue
        if isinstance(group, (list, tuple)):
            tests += stdin_cases(cast("Sequence[Any]", group))
        elif isinstance(group, Mapping):
            part = cast("Mapping[str, Any]", group)
            tests += stdin_tests(sequence(part, "input"), sequence(part, "output"), name)
        else:
            raise GroundTruthError(f"{name} is not an object with input and output but {type(group).__name__}")
    check_count(len(tests))
    return Problem(source="code_contests", stdin_tests=tuple(tests))
