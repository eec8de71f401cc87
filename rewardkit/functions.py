"""Call plain functions: `def f(completions, **columns) -> list[float]`, as TRL does, or `def f(sample) -> float | Score`."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rewardkit.data.column_aliases import GROUND_TRUTH
from rewardkit.errors import NO_COLUMN, MissingDataError, UsageError
from rewardkit.grading import check_samples, grade_all, run_coroutine, score_batch
from rewardkit.types import Sample, Score

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

AnyFunction = Callable[..., Any]
trainer_keywords: ContextVar[Mapping[str, Any]] = ContextVar("trainer_keywords", default=MappingProxyType({}))
"""What TRL passes to the reward function that is being called and is no column: `trainer_state`, `log_metric`, `log_extra`."""


def check_function(function: AnyFunction) -> None:
    """Refuse a callable that fits neither form.

    Raises:
        UsageError: it is not a function, or its parameters fit neither form.
    """
    if not callable(function):
        raise UsageError(f"{function!r} is not a function")
    parameters = _parameters(function)
    first = next(iter(parameters.values()), None)
    takes_one = first is not None and first.kind in _POSITIONAL and set(_required(parameters)) <= {first.name}
    if "completions" not in parameters and not takes_one:
        raise UsageError(
            f"{label(function)} takes {', '.join(parameters) or 'nothing'}; "
            "a reward function takes `completions` and columns, or one sample"
        )


def takes_sample(function: AnyFunction) -> bool:
    """True if it takes one sample per call, not columns."""
    return "completions" not in _parameters(function)


def is_async(function: AnyFunction) -> bool:
    """True if it is `async def`."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def label(function: AnyFunction) -> str:
    """The function's own name."""
    return str(getattr(function, "__name__", type(function).__name__))


def file_and_name(function: AnyFunction, *others: object) -> str | None:
    """`file.py:name`; None for a function that no file holds by name, itself or as one of `others`."""
    file = getattr(sys.modules.get(function.__module__), "__file__", None)
    if file is None or not any(held(function) is one for one in (function, *others)):
        return None
    return f"{Path(file).resolve()}:{label(function)}"


def held(function: AnyFunction) -> object:
    """What the module of a function holds under its name: the function, or what a decorator made of it."""
    return getattr(sys.modules.get(function.__module__), label(function), None)


def score(function: AnyFunction, samples: Sequence[Sample]) -> list[Score]:
    """Call the function. An exception leaves the batch (or the sample) unjudged, with the reason."""
    check_samples(samples)
    if not takes_sample(function):
        return score_batch(lambda batch: _score_columns(function, batch), samples)

    def grade(sample: Sample) -> Score:
        return _as_score(function(sample), label(function))

    async def grade_later(sample: Sample) -> Score:
        return _as_score(await function(sample), label(function))

    return grade_all(grade_later if is_async(function) else grade, samples)


def _score_columns(function: AnyFunction, samples: Sequence[Sample]) -> list[Score]:
    if not samples:
        return []
    values = function(**_columns(function, samples))
    values = run_coroutine(values) if inspect.iscoroutine(values) else values
    kind = type(values).__name__
    if isinstance(values, (str, bytes, Mapping, AbstractSet)):  # their items are not one for each completion, in order
        raise TypeError(f"{label(function)} returned {kind}, not a list of numbers")
    return [_as_score(value, label(function)) for value in values]


def _columns(function: AnyFunction, samples: Sequence[Sample]) -> dict[str, Any]:
    """The columns, and what the trainer passes beside them, that the function takes: all if it has `**columns`."""
    parameters = _parameters(function)
    rows = [_columns_of(sample) for sample in samples]
    present = dict.fromkeys(name for row in rows for name in row)
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    from_trainer = {name: value for name, value in trainer_keywords.get().items() if takes_all or name in parameters}
    missing = [name for name in _required(parameters) if name not in present and name not in from_trainer]
    if missing:
        raise MissingDataError(f"{label(function)} {NO_COLUMN} {missing[0]!r}; there are {', '.join(present)}")
    wanted = [name for name in present if takes_all or name in parameters]
    return {name: [row.get(name) for row in rows] for name in wanted} | from_trainer


def _parameters(function: AnyFunction) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise UsageError(f"cannot read the parameters of {function!r}: {error}") from None


def _required(parameters: Mapping[str, inspect.Parameter]) -> list[str]:
    return [
        name
        for name, parameter in parameters.items()
        if parameter.kind not in _VARIABLE and parameter.default is inspect.Parameter.empty
    ]


def _columns_of(sample: Sample) -> dict[str, Any]:
    """The columns that TRL would give for one sample."""
    extra = sample.extra_info
    keys = {"data_source": sample.data_source, "id": sample.id, "group": sample.group}
    facts = {
        "completions": sample.completion if sample.messages is None else list(sample.turns),
        "prompts": list(sample.prompt) if isinstance(sample.prompt, tuple) else sample.prompt,
        "completion_ids": None if sample.completion_ids is None else list(sample.completion_ids),
        "extra_info": extra,
        # a number as the data has it, though the sample holds its text
        **{name: extra[name] if str(extra.get(name)) == text else text for name, text in keys.items()},
    }
    truths = {} if sample.ground_truth is None else dict.fromkeys(_TRUTHS, sample.ground_truth)
    return {**truths, **extra, **{name: value for name, value in facts.items() if value is not None}}


_TRUTHS = tuple(name for name in GROUND_TRUTH if "." not in name)


def _as_score(value: Any, label: str) -> Score:
    if isinstance(value, Score):
        return value
    if value is None:
        return Score.unjudged(f"{label} returned None")
    number = _number(value)
    if number is None:
        return Score.unjudged(f"{label} returned {type(value).__name__}, not a number")
    if not math.isfinite(number):
        return Score.unjudged(f"{label} returned {number}, not a finite number")
    return Score.of(number)


def _number(value: Any) -> float | None:
    if isinstance(value, (str, bytes)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
