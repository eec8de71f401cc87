"""Read ground truths: recognise the kind of a row and build its problem. One module for each kind."""

from __future__ import annotations

import ast
import dataclasses
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, Protocol, cast

from rewardkit.code.checker import Checker
from rewardkit.code.compare import TextRule
from rewardkit.code.formats import code_contests, humaneval, leetcode, livecodebench, mbpp, python_tests, taco
from rewardkit.code.formats._features import (
    INTERACTIVE,
    TAGS,
    missing_language,
    refuse_language,
    refuse_unsupported,
    with_features,
)
from rewardkit.code.formats._fields import Unsupported, is_set
from rewardkit.code.formats.cases import read_cases
from rewardkit.code.problem import Problem
from rewardkit.errors import GroundTruthError, clip, quoted

__all__ = ["Unsupported", "missing_language", "read_problem", "refuse_language"]

MAX_JSON_CHARS = 1_000_000_000
"""Longer ground truths are refused."""

MAX_KEPT = 128
MAX_KEPT_CHARS = 16_000_000
"""Problems of so many rows, and of rows with so much text together, are kept."""

MAX_DEPTH = 5
"""Rows within rows (`{"tests": "{...}"}`), JSON within JSON."""


class Format(Protocol):
    """A kind of row: a module with these two functions."""

    def claims(self, row: Mapping[str, Any], /) -> bool:
        """True if the keys of a row are this kind's."""
        ...

    def read(self, row: Mapping[str, Any], /) -> Problem:
        """The problem; `GroundTruthError` if the row has none."""
        ...


class _InnerTest:
    """SandboxFusion's rows: `test` is itself a list of cases, mostly as JSON."""

    @staticmethod
    def claims(row: Mapping[str, Any]) -> bool:
        test = row.get("test") if row.get("test") is not None else row.get("test_code")
        return isinstance(test, (list, tuple)) or (isinstance(test, str) and test.lstrip()[:1] in ("[", "{"))

    @staticmethod
    def read(row: Mapping[str, Any]) -> Problem:
        test = row["test"] if row.get("test") is not None else row["test_code"]
        return _read(test, _shared(row), 1)[0]


FORMATS: tuple[Format, ...] = (
    taco,
    code_contests,
    livecodebench,
    mbpp,
    _InnerTest(),
    leetcode,
    python_tests,
    humaneval,
)
"""The first that claims a row reads it."""

SHARED = (
    frozenset(
        [
            "entry_point",
            "fn_name",
            "starter_code",
            "metadata",
            "prompt",
            "import_prefix",
            "test_setup_code",
            "checker",
            "checker_code",
            "generated_checker",
            "compare",
            "weights",
            "special_judge",
            "spj",
            "language",
            "input_mode",
            "input_file",
            "output_file",
            "executable",
            "tests_in_process",
        ]
    )
    | INTERACTIVE
    | TAGS
)
"""Fields that may stand beside the tests, in the row around them, or in `extra_info`."""

_NESTED_BESIDE = ("tests", "test_cases", "unit_tests", "official_tests", "verification_info")
_NESTED = (*_NESTED_BESIDE, "input_output", "ground_truth", "reward_model")


def read_problem(ground_truth: Any, context: Mapping[str, Any] | None = None) -> Problem:
    """The problem of a row, whichever of the known kinds it is; `GroundTruthError` if it is none of them.

    `context` is what stands beside it (`extra_info`, the prompt). Both are plain, as the fields of a `Sample` are. If the ground truth holds no tests, those of the
    context count: readers of rows put columns such as `test` and `entry_point` there. A row that asks for something
    which is not judged here is `Unsupported`, whatever its tests look like: exact comparison would call right programs wrong.
    """
    around = context or {}
    shared = _shared(around)
    use_context = _format(around) is not None or any(around.get(name) is not None for name in _NESTED_BESIDE)
    truth = around if use_context and not _holds_tests(ground_truth) else ground_truth
    try:
        texts = truth if isinstance(truth, str) else json.dumps(truth), json.dumps(shared)
    except (TypeError, ValueError, RecursionError):  # objects: read anew each time
        return _read_row(truth, shared)
    return _KEPT.problem(texts, truth, shared)


def _read_row(truth: Any, shared: Mapping[str, Any]) -> Problem:
    problem, row = _read(truth, shared, 0)
    refuse_unsupported(problem, row)
    problem = with_features(_with_judge(problem, row), row)
    if problem.stdin_tests and not problem.checker and not any(test.expected.strip() for test in problem.stdin_tests):
        raise GroundTruthError("no test expects any output, so a program that prints nothing would pass")
    return problem


class _Kept:
    """The problems that were read last: the completions of a group, and later epochs, share a row.

    Rows are the same if their JSON is (which tells 1 from True and 1.0) and they are equal (which tells lists from tuples).
    """

    def __init__(self) -> None:
        self._rows: OrderedDict[tuple[str, str], tuple[Any, Problem]] = OrderedDict()
        self._chars = 0
        self._lock = Lock()

    def problem(self, texts: tuple[str, str], truth: Any, shared: Mapping[str, Any]) -> Problem:
        """The problem of this row, read if it is not kept."""
        with self._lock:
            kept = self._rows.get(texts)
            if kept is not None:
                self._rows.move_to_end(texts)
        if kept is not None and kept[0] == (truth, shared):
            return kept[1]
        problem = _read_row(truth, shared)
        with self._lock:
            self._chars += 0 if texts in self._rows else sum(map(len, texts))
            self._rows[texts] = (truth, shared), problem
            while len(self._rows) > 1 and (len(self._rows) > MAX_KEPT or self._chars > MAX_KEPT_CHARS):
                old, _ = self._rows.popitem(last=False)
                self._chars -= sum(map(len, old))
        return problem


_KEPT = _Kept()


def _shared(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item for name, item in row.items() if name in SHARED}


def _holds_tests(truth: Any) -> bool:
    """True if the ground truth itself looks like tests, so that those beside it do not count."""
    if isinstance(truth, str):
        text = truth.lstrip()
        return text.startswith(("{", "[{", "assert ")) or "def check(" in text
    if isinstance(truth, Mapping):
        row = cast("Mapping[str, Any]", truth)
        return _format(row) is not None or any(row.get(name) is not None for name in _NESTED)
    return False


def _format(row: Mapping[str, Any]) -> Format | None:
    return next((kind for kind in FORMATS if kind.claims(row)), None)


def _read(value: Any, shared: Mapping[str, Any], depth: int) -> tuple[Problem, Mapping[str, Any]]:
    if depth > MAX_DEPTH:
        raise GroundTruthError(f"the tests are nested deeper than {MAX_DEPTH}")
    if isinstance(value, str):
        return _read_text(value, shared, depth)
    if isinstance(value, (list, tuple)):
        return _read_list(cast("Sequence[Any]", value), shared), shared
    if not isinstance(value, Mapping):
        raise GroundTruthError(f"no tests: the ground truth is {type(value).__name__}")
    row = cast("Mapping[str, Any]", value)
    merged = {**shared, **{name: item for name, item in row.items() if item is not None}}
    reader = _format(merged)
    if reader is not None:
        return reader.read(merged), merged
    for name in _NESTED:
        if row.get(name) is not None:
            return _read(row[name], _shared(merged), depth + 1)
    raise GroundTruthError(
        f"no known test format; the ground truth has {clip(', '.join(sorted(map(str, row))), 80) or 'no keys'}"
    )


def _read_text(text: str, shared: Mapping[str, Any], depth: int) -> tuple[Problem, Mapping[str, Any]]:
    stripped = text.strip()
    if not stripped:
        raise GroundTruthError("the ground truth is empty")
    if stripped[0] in "[{":
        return _read(_parse(stripped), shared, depth + 1)
    if "def check" in stripped or stripped.startswith(("assert ", "import ", "from ")):
        row = {"test": text}
        nameless = _format(row) is humaneval and "def check" not in stripped and not humaneval.entry_of(shared)
        return _read({"test_list": [text]} if nameless else row, shared, depth + 1)
    raise GroundTruthError(f"the ground truth holds no tests: {quoted(stripped)}")


def _parse(text: str) -> Any:
    """JSON, or the text that `str` makes of a dictionary."""
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
        return mbpp.read({**shared, "test_list": list(items)})
    return read_cases(shared, items)


def _with_judge(problem: Problem, row: Mapping[str, Any]) -> Problem:
    """The row's own rule, checker and weights."""
    source = row.get("generated_checker") or row.get("checker_code")
    named = row.get("compare") or row.get("checker")
    if isinstance(named, Mapping):  # {"source": ..., ...}, as Codeforces' packages become rows
        named = cast("Mapping[str, Any]", named).get("source") or cast("Mapping[str, Any]", named).get("name")
    if not source and isinstance(named, str) and "\n" in named.strip():
        source, named = named, None
    if source and not isinstance(source, str):
        raise GroundTruthError(f"checker is no source text: {quoted(source)}")
    if isinstance(named, str) and named and not source:
        TextRule.parse(named)
    elif named and not source:
        raise GroundTruthError(f"checker is no name of a compare rule: {quoted(named)}")
    if (is_set(row.get("special_judge")) or is_set(row.get("spj"))) and not source and not named:
        raise GroundTruthError("several outputs are right and the row brings no special judge to tell")
    if source and not problem.stdin_tests:
        raise Unsupported("a checker beside calls")
    weights = row.get("weights")
    return dataclasses.replace(
        problem,
        compare=named if isinstance(named, str) and named and not source else None,
        checker=Checker.of(source) if source else None,
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
