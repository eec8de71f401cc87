"""Ground truth to tests: which format a row has, and the problem that it spells."""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from rewardkit.code.compare import TextRule
from rewardkit.code.problem import Problem
from rewardkit.code.stdio import plain, read_cases, read_code_contests, read_livecodebench, read_taco
from rewardkit.code.unit import is_leetcode, read_humaneval, read_leetcode, read_mbpp
from rewardkit.errors import GroundTruthError

MAX_JSON_CHARS = 1_000_000_000
"""Longer ground truths are refused."""

MAX_DEPTH = 5
"""Rows within rows (`{"tests": "{...}"}`), JSON within JSON."""

SHARED = ("entry_point", "fn_name", "starter_code", "metadata", "prompt", "import_prefix", "test_setup_code", "checker",
          "checker_code", "generated_checker", "compare", "weights", "special_judge", "spj")  # fmt: skip
"""Fields that may stand beside the tests, in the row around them, or in `extra_info`."""

Reader = Callable[[Mapping[str, Any]], Problem]

_NESTED_BESIDE = ("tests", "test_cases", "unit_tests", "official_tests", "verification_info")
_NESTED = (*_NESTED_BESIDE, "input_output", "ground_truth", "reward_model")


def read_problem(ground_truth: Any, context: Mapping[str, Any] | None = None) -> Problem:
    """The problem of a row, whichever of the known shapes its ground truth has; `GroundTruthError` where it has none.

    `context` is what stands beside it (`extra_info`, the prompt). Where the ground truth holds no tests, those of the
    context count: readers of rows put columns such as `test` and `entry_point` there. A row that only a special judge
    could decide, and that brings none, is a `GroundTruthError` too: exact comparison would call right programs wrong.
    """
    around = context or {}
    shared = {name: value for name, value in around.items() if name in SHARED}
    use_context = _reader(around) is not None or any(around.get(name) is not None for name in _NESTED_BESIDE)
    truth = around if use_context and not _holds_tests(ground_truth) else ground_truth
    problem, row = _read(truth, shared, 0)
    return _with_judge(problem, row)


def _holds_tests(truth: Any) -> bool:
    """True where the ground truth itself looks like tests, so that those beside it do not count."""
    if isinstance(truth, str):
        text = truth.lstrip()
        return text.startswith(("{", "[{", "assert ")) or "def check(" in text
    if isinstance(truth, Mapping):
        row = cast("Mapping[str, Any]", truth)
        return _reader(row) is not None or any(row.get(name) is not None for name in _NESTED)
    return False


def _read(value: Any, shared: Mapping[str, Any], depth: int) -> tuple[Problem, Mapping[str, Any]]:
    if depth > MAX_DEPTH:
        raise GroundTruthError(f"the tests are nested deeper than {MAX_DEPTH}")
    if isinstance(value, str):
        return _read_text(value, shared, depth)
    value = plain(value)
    if isinstance(value, (list, tuple)):
        return _read_list(cast("Sequence[Any]", value), shared), shared
    if not isinstance(value, Mapping):
        raise GroundTruthError(f"no tests: the ground truth is {type(value).__name__}")
    row = cast("Mapping[str, Any]", value)
    merged = {**shared, **{name: item for name, item in row.items() if item is not None}}
    reader = _reader(row)
    if reader is not None:
        return reader(merged), merged
    for name in _NESTED:
        if row.get(name) is not None:
            outer = {name: item for name, item in merged.items() if name in SHARED}
            return _read(row[name], outer, depth + 1)
    raise GroundTruthError(
        f"no known test format; the ground truth has {', '.join(sorted(map(str, row)))[:80] or 'no keys'}"
    )


def _reader(row: Mapping[str, Any]) -> Reader | None:
    """The reader for the keys of a row."""
    test = row.get("test") if row.get("test") is not None else row.get("test_code")
    if row.get("inputs") is not None and row.get("outputs") is not None and not row.get("assert_case"):
        return read_taco
    if any(row.get(name) is not None for name in ("public_tests", "private_tests", "generated_tests")):
        return read_code_contests
    if row.get("public_test_cases") is not None or row.get("private_test_cases") is not None:
        return read_livecodebench
    if row.get("test_list") is not None or row.get("assert_case") is not None:
        return read_mbpp
    if isinstance(test, (list, tuple)) or (isinstance(test, str) and test.lstrip()[:1] in ("[", "{")):
        return _read_inner_test
    if isinstance(test, str):
        return read_leetcode if is_leetcode(row) else read_humaneval
    return None


def _read_inner_test(row: Mapping[str, Any]) -> Problem:
    """SandboxFusion's rows: `test` is itself a list of cases, mostly as JSON."""
    test = row["test"] if row.get("test") is not None else row["test_code"]
    return _read(test, {name: item for name, item in row.items() if name in SHARED}, 1)[0]


def _read_text(text: str, shared: Mapping[str, Any], depth: int) -> tuple[Problem, Mapping[str, Any]]:
    stripped = text.strip()
    if not stripped:
        raise GroundTruthError("the ground truth is empty")
    if stripped[0] in "[{":
        return _read(_parse(stripped), shared, depth + 1)
    if "def check" in stripped or stripped.startswith(("assert ", "import ", "from ")):
        row = {**shared, "test": text}
        return (read_leetcode if is_leetcode(row) else read_humaneval)(row), row
    raise GroundTruthError(f"the ground truth holds no tests: {stripped[:60]!r}")


@lru_cache(maxsize=16)
def _parse(text: str) -> Any:
    """JSON, or the text that `str` makes of a dictionary. The result is shared: readers never change it."""
    if len(text) > MAX_JSON_CHARS:
        raise GroundTruthError(f"the ground truth has {len(text):,} characters, more than {MAX_JSON_CHARS:,}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise GroundTruthError(f"the tests are not JSON: {reason}") from None


def _read_list(items: Sequence[Any], shared: Mapping[str, Any]) -> Problem:
    if items and all(isinstance(item, str) for item in items):
        return read_mbpp({**shared, "test_list": list(items)})
    return read_cases(shared, items)


def _with_judge(problem: Problem, row: Mapping[str, Any]) -> Problem:
    """The row's own rule, special judge and weights."""
    checker = row.get("generated_checker") or row.get("checker_code")
    named = row.get("compare") or row.get("checker")
    if isinstance(named, str) and named and not checker:
        TextRule.parse(named)
    elif named and not checker:
        raise GroundTruthError(f"checker is no name of a compare rule: {str(named)[:60]!r}")
    needs_judge = bool(row.get("special_judge") or row.get("spj"))
    if needs_judge and not checker and not named:
        raise GroundTruthError("several outputs are right and the row brings no special judge to tell")
    weights = row.get("weights")
    return dataclasses.replace(
        problem,
        compare=named if isinstance(named, str) and named else None,
        checker=checker if isinstance(checker, str) else None,
        weights=_weights(weights, problem.size) if weights is not None else (),
    )


def _weights(weights: Any, size: int) -> tuple[float, ...]:
    values = cast("Sequence[Any]", weights) if isinstance(weights, (list, tuple)) else ()
    if (
        len(values) != size
        or not all(isinstance(item, (int, float)) and 0 <= item < 1e9 for item in values)
        or not any(values)
    ):
        raise GroundTruthError(f"weights must be {size} numbers of at least 0, not all 0")
    return tuple(float(item) for item in values)
