"""Lists of cases, each with its input and output: LiveCodeBench's public tests, SandboxFusion's `test`, open-r1's `test_cases`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from rewardkit.code.formats._calls import call_problem, is_wrapped, json_pair, taco_pair
from rewardkit.code.formats._fields import check_count, metadata, text
from rewardkit.code.problem import Problem, StdinTest
from rewardkit.errors import GroundTruthError, quoted


@dataclass(frozen=True)
class _Case:
    given: Any
    output: Any
    is_call: bool
    name: str | None
    """The function, if the case says it."""


def read_cases(row: Mapping[str, Any], cases: Sequence[Any]) -> Problem:
    """The problem of a list of cases; what is the same for all is in the row around it."""
    check_count(len(cases))
    found = [_case(case) for case in cases]
    if str(row.get("entry_point") or "").startswith("Solution"):
        raise GroundTruthError("LeetCode's input_output does not say the types of its arguments: give its `test` too")
    calls = sum(case.is_call for case in found)
    if not calls:
        return Problem(source="cases", stdin_tests=stdin_cases(cases))
    if calls < len(found):
        raise GroundTruthError("the row mixes stdin tests and functional tests")
    own = next((case.name for case in found if case.name), None)
    name = own or row.get("fn_name") or row.get("entry_point") or metadata(row).get("func_name")
    return call_problem("livecodebench", row, name if isinstance(name, str) else None, _pairs(found))


def stdin_cases(cases: Sequence[Any]) -> tuple[StdinTest, ...]:
    """Cases that are runs of the program, as tests."""
    return tuple(StdinTest(text(case.given), text(case.output)) for case in map(_case, cases))


def _pairs(cases: Sequence[_Case]) -> list[Any]:
    """Texts are LiveCodeBench's form; lists are arguments, as open-r1 and TACO have them."""
    if any(isinstance(case.given, (list, tuple)) for case in cases):
        wrapped = is_wrapped([case.output for case in cases])
        return [taco_pair(case.given, case.output, wrapped=wrapped) for case in cases]
    return [json_pair(text(case.given), case.output) for case in cases]


def _case(case: Any) -> _Case:
    if not isinstance(case, Mapping):
        raise GroundTruthError(f"a test is not an object with input and output: {quoted(case)}")
    fields = cast("Mapping[str, Any]", case)
    given, output = fields.get("input"), fields.get("output")
    if isinstance(given, Mapping):
        given = cast("Mapping[str, Any]", given).get("stdin", "")
    if isinstance(output, Mapping):
        output = cast("Mapping[str, Any]", output).get("stdout")
    is_call = fields.get("testtype") == "functional" or fields.get("type") == "function_call"
    if given is None or (output is None and not (is_call and "output" in fields)):
        raise GroundTruthError("a test lacks its input or its output")
    name = fields.get("fn_name") or metadata(fields).get("func_name")
    return _Case(given, output, is_call, name if isinstance(name, str) else None)
