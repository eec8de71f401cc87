"""Plain functions as rewards: `def f(completions, **columns) -> list[float]`, as TRL calls them, or `def f(sample) -> float | Score`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from rewardkit.base import Reward
from rewardkit.chat import completion_turns
from rewardkit.data.column_aliases import GROUND_TRUTH
from rewardkit.errors import MissingDataError, UsageError
from rewardkit.grading import check_samples, grade_all, run_coroutine, score_batch
from rewardkit.types import Sample, Score

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class Function(Reward):
    """A function as a reward. With a parameter `completions` it gets the whole batch as columns and returns one value a
    completion, by TRL's convention; with one parameter it gets a `Sample` and returns a number or a `Score`. Either may be `async`.

    A column of the batch is `completions`, `prompts`, `ground_truth` (also under the name that the function gives it:
    `answer`, `solution`, `target`), `data_source`, `completion_ids` or a key of `extra_info`. None as a value means unjudged.

    Raises:
        UsageError: the parameters fit neither form.
    """

    name: ClassVar[str] = "function"
    version: ClassVar[int] = 1
    needs: ClassVar[tuple[str, ...]] = ("completion",)

    function: Callable[..., Any]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise UsageError(f"{self.function!r} is not a function")
        parameters = self._parameters
        first = next(iter(parameters.values()), None)
        takes_one = first is not None and first.kind in _POSITIONAL and set(_required(parameters)) <= {first.name}
        if "completions" not in parameters and not takes_one:
            raise UsageError(
                f"{self.label} takes {', '.join(parameters) or 'nothing'}; a reward function takes `completions` and columns, or one sample"
            )

    @property
    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        try:
            return inspect.signature(self.function).parameters
        except (TypeError, ValueError) as error:
            raise UsageError(f"cannot read the parameters of {self.function!r}: {error}") from None

    @property
    def label(self) -> str:
        """The function's own name."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def text(self) -> str:
        """`file.py:name`; a function that no file holds by name has a text that cannot be loaded."""
        module = sys.modules.get(self.function.__module__)
        file = getattr(module, "__file__", None)
        if file is None or getattr(module, self.label, None) not in {self, self.function}:
            return f"<function {self.label}>"
        return f"{Path(file).resolve()}:{self.label}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        from rewardkit.registry import is_from_file
        from rewardkit.text import load

        if is_from_file(self.function):
            return (load, (self.text,))
        return super().__reduce_ex__(protocol)

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Call the function. What it raises leaves the batch (or the sample) unjudged, with the reason."""
        check_samples(samples)
        if "completions" not in self._parameters:
            return grade_all(self._grade_later if _is_async(self.function) else self._grade, samples)
        return score_batch(self._score_columns, samples)

    def _grade(self, sample: Sample) -> Score:
        return _as_score(self.function(sample), self.label)

    async def _grade_later(self, sample: Sample) -> Score:
        return _as_score(await self.function(sample), self.label)

    def _score_columns(self, samples: Sequence[Sample]) -> list[Score]:
        if not samples:
            return []
        values = self.function(**self._columns(samples))
        found = list(run_coroutine(values) if inspect.iscoroutine(values) else values)
        return [_as_score(value, self.label) for value in found]

    def _columns(self, samples: Sequence[Sample]) -> dict[str, list[Any]]:
        """The columns that the function takes: all of them where it has `**columns`."""
        rows = [_columns_of(sample) for sample in samples]
        present = dict.fromkeys(name for row in rows for name in row)
        takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in self._parameters.values())
        missing = [name for name in _required(self._parameters) if name not in present]
        if missing:
            raise MissingDataError(f"{self.label} needs a column {missing[0]!r}; there are {', '.join(present)}")
        wanted = [name for name in present if takes_all or name in self._parameters]
        return {name: [row.get(name) for row in rows] for name in wanted}


def reward(function: Callable[..., Any]) -> Function:
    """Decorator: make a function a reward, so that it can be weighted and added: `load("math") + 0.1 * f`."""
    return Function(function)


def as_reward(value: object) -> Reward:
    """A reward as it is, a plain function as a reward.

    Raises:
        UsageError: it is neither.
    """
    if isinstance(value, Reward):
        return value
    if callable(value) and not isinstance(value, type):
        return Function(value)
    raise UsageError(f"{value!r} is neither a reward nor a function")


def _required(parameters: Mapping[str, inspect.Parameter]) -> list[str]:
    return [
        name
        for name, parameter in parameters.items()
        if parameter.kind not in _VARIABLE and parameter.default is inspect.Parameter.empty
    ]


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _columns_of(sample: Sample) -> dict[str, Any]:
    """The columns that TRL would give for one sample."""
    completion = sample.completion if sample.messages is None else list(completion_turns(sample.messages))
    facts = {
        "completions": completion,
        "prompts": sample.prompt,
        "completion_ids": sample.completion_ids,
        "data_source": sample.data_source,
        "id": sample.id,
    }
    truths = {} if sample.ground_truth is None else dict.fromkeys(_TRUTHS, sample.ground_truth)
    return {**truths, **sample.extra_info, **{name: value for name, value in facts.items() if value is not None}}


_TRUTHS = tuple(name for name in GROUND_TRUTH if "." not in name)


def _as_score(value: Any, label: str) -> Score:
    if isinstance(value, Score):
        return value
    if value is None:
        return Score.unjudged(f"{label} returned None")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{label} returned {type(value).__name__}, not a number") from None
    return Score.of(number)
