"""A plain function as the reward to attack: `./file.py:f` in TRL's convention, or `f(sample)`."""

from __future__ import annotations

import importlib.util
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, cast

from rewardkit.errors import UsageError
from rewardkit.fields import GROUND_TRUTH
from rewardkit.reward import Reward
from rewardkit.text import load
from rewardkit.types import Sample, Score

_FILE = re.compile(r"(?P<path>\S+\.py):(?P<name>\w+)")


def load_target(text: str) -> Reward:
    """The reward of a text form; `./file.py:name` may also name a function."""
    match = _FILE.fullmatch(text.strip())
    if match and Path(match["path"]).expanduser().is_file():
        found = _member(str(Path(match["path"]).expanduser().resolve()), match["name"])
        if inspect.isfunction(found):
            return FunctionReward(str(Path(match["path"]).expanduser().resolve()), match["name"])
    return load(text)


@dataclass(frozen=True)
class FunctionReward(Reward):
    """The values of a function: `f(completions, **columns) -> list[float]` as TRL calls it, or `f(sample) -> float | Score`."""

    name: ClassVar[str] = "function"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")

    path: str
    function: str

    @property
    def text(self) -> str:
        """The file and the name of the function."""
        return f"{self.path}:{self.function}"

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Call the function. None is unjudged; what it raises is handled where batches are judged."""
        function = _member(self.path, self.function)
        parameters = inspect.signature(function).parameters
        if "completions" not in parameters:
            return [_as_score(function(sample)) for sample in samples]
        values = function(**_columns(samples, parameters))
        return [_as_score(value) for value in values]


def _as_score(value: Any) -> Score:
    if isinstance(value, Score):
        return value
    return Score.unjudged("the function gave None") if value is None else Score.of(float(value))


def _columns(samples: Sequence[Sample], parameters: Mapping[str, inspect.Parameter]) -> dict[str, list[Any]]:
    """The keyword columns that TRL would pass: the data set's own, and the ground truth under its usual names."""
    table: dict[str, list[Any]] = {name: [sample.ground_truth for sample in samples] for name in GROUND_TRUTH}
    for name in sorted({name for sample in samples for name in sample.extra_info}):
        table[name] = [sample.extra_info.get(name) for sample in samples]
    table["data_source"] = [sample.data_source for sample in samples]
    table["prompts"] = [sample.prompt for sample in samples]
    table["completions"] = [
        sample.completion
        if isinstance(sample.prompt, str) or sample.prompt is None
        else [{"role": "assistant", "content": sample.completion}]
        for sample in samples
    ]
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return table
    return {name: table[name] for name in parameters if name in table}


@cache
def _member(path: str, name: str) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path} does not import: {type(error).__name__}: {error}") from error
    if not hasattr(module, name):
        raise UsageError(f"{path} has no {name!r}")
    return cast("Callable[..., Any]", getattr(module, name))
