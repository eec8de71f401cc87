"""What the readers of all row kinds share: fields as lists, texts and JSON, each with one line for what it can't be."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from keyword import iskeyword
from typing import Any, TypeGuard, cast

from rewardkit.code.problem import StdinTest
from rewardkit.errors import GroundTruthError, quoted

MAX_TESTS = 100_000
"""Rows with more tests are refused; the largest published one has 1,500."""

MAX_INPUT_CHARS = 64_000_000
"""Longer inputs are refused."""


class Unsupported(GroundTruthError):  # noqa: N818 - a fact about a row: it asks for something that is not judged here
    """A row of a known kind that asks for a feature which is not there. The reason names the feature."""

    def __init__(self, feature: str, cure: str = "") -> None:
        super().__init__(f"not supported: {feature}{'; ' if cure else ''}{cure}")


def sequence(row: Mapping[str, Any], name: str) -> Sequence[Any]:
    """A field that must be a list."""
    value = row.get(name)
    if not isinstance(value, (list, tuple)):
        raise GroundTruthError(f"{name} is not a list but {type(value).__name__}")
    return cast("Sequence[Any]", value)


def text(value: Any) -> str:
    """Input or output as text; some rows hold it as a list of lines, or as a bare number."""
    if isinstance(value, (list, tuple)):
        lines = [text(line) for line in cast("Sequence[Any]", value)]
        value = ("" if lines and all(line.endswith("\n") for line in lines[:-1] or lines) else "\n").join(lines)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise GroundTruthError(f"input and output are text, not {type(value).__name__}")
    found = value if isinstance(value, str) else repr(value)
    if len(found) > MAX_INPUT_CHARS:
        raise GroundTruthError(f"an input or output has {len(found):,} characters, more than {MAX_INPUT_CHARS:,}")
    return found


def source(row: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds source text."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value
    raise GroundTruthError(f"the row has no {' or '.join(names)}")


def parse_json(value: str, what: str) -> Any:
    """JSON, or one line that says what is none."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise GroundTruthError(f"{what} is not JSON: {quoted(value.strip())}") from None


def is_name(value: object) -> TypeGuard[str]:
    """True for what Python lets a function be called."""
    return isinstance(value, str) and value.isidentifier() and not iskeyword(value)


def metadata(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """LiveCodeBench's `metadata`, an object or its JSON."""
    value = row.get("metadata")
    if isinstance(value, str) and value.strip().startswith("{"):
        value = parse_json(value, "metadata")
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def check_count(count: int) -> None:
    """Refuse a row without tests, or with far too many."""
    if not count:
        raise GroundTruthError("the row has no tests")
    if count > MAX_TESTS:
        raise GroundTruthError(f"the row has {count:,} tests, more than {MAX_TESTS:,}")


def stdin_tests(inputs: Sequence[Any], outputs: Sequence[Any], what: str) -> tuple[StdinTest, ...]:
    """Inputs and outputs of the same number, as runs of the program."""
    if len(inputs) != len(outputs):
        raise GroundTruthError(f"{what} has {len(inputs)} inputs but {len(outputs)} outputs")
    return tuple(StdinTest(text(one), text(other)) for one, other in zip(inputs, outputs, strict=True))


def is_set(value: Any) -> bool:
    """True for anything but absence, false and empty text, also if they are spelled as text."""
    return bool(value) and str(value).strip().lower() not in ("false", "0", "none", "null", "no", "")
