"""TRL (1.16): reward functions that share one computation, weights, column checks, the code interpreter as tool.

A `Reward` is itself a valid entry of `reward_funcs`. This module adds what one object cannot do alone: a sum handed over
part by part, an awaitable form, and tools. Importing it needs neither torch nor TRL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from rewardkit import Reward, Score, UsageError
from rewardkit.columns import RESERVED, is_training, judge_columns, split_groups
from rewardkit.data.column_aliases import DATA_SOURCE, GROUND_TRUTH
from rewardkit.interpreter import CodeInterpreter
from rewardkit.processes import fork_safe_lock

from .alarms import Alarms, without_signal_levelled
from .parts import loaded, terms

__all__ = [
    "CodeEnvironment",
    "OverlappedFunction",
    "RewardFunction",
    "check_columns",
    "code_interpreter",
    "reward_func",
    "reward_funcs",
    "reward_weights",
]


def reward_func(
    reward: Reward | str, *, overlapped: bool = False, signal_only: bool = False
) -> RewardFunction | OverlappedFunction:
    """The whole reward as one function; its parts are logged, not optimised separately.

    With `overlapped`, the function is awaitable: TRL runs it together with the other awaitable ones. With `signal_only`,
    groups whose outcomes are all equal get equal values, so that shaping terms alone give no advantage.
    """
    shared = SharedScores(loaded(reward), readers=1, signal_only=signal_only)
    return _function(RewardFunction(shared), overlapped=overlapped)


def reward_funcs(
    reward: Reward | str, *, overlapped: bool = False, signal_only: bool = False
) -> list[RewardFunction | OverlappedFunction]:
    """One function for each term of the sum, for `reward_funcs`. The batch is scored once, whichever function TRL calls first.

    Give `reward_weights(reward)` to `GRPOConfig` beside it. If one term is unjudged all return None for that sample,
    just as the sum is unjudged. AsyncGRPO ignores weights: give it the whole reward.
    """
    whole = loaded(reward)
    labels = [term.label for _, term in terms(whole)]
    if len(labels) == 1:
        return [reward_func(whole, overlapped=overlapped, signal_only=signal_only)]
    shared = SharedScores(whole, readers=len(labels), signal_only=signal_only)
    return [_function(RewardFunction(shared, part=label), overlapped=overlapped) for label in labels]


def reward_weights(reward: Reward | str) -> list[float]:
    """The weights that belong to `reward_funcs(reward)`, for `GRPOConfig(reward_weights=...)`."""
    whole = loaded(reward)
    weights = [weight for weight, _ in terms(whole)]
    return weights if len(weights) > 1 else [1.0]


class RewardFunction:
    """A picklable function in TRL's convention: the whole reward, or one part of it."""

    def __init__(self, shared: SharedScores, *, part: str | None = None) -> None:
        self.shared = shared
        self.part = part
        self.__name__ = part or shared.reward.label

    def __repr__(self) -> str:
        return f"<{self.__name__} of {self.shared.reward.text}>"

    def __call__(self, *, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """One value per completion; None if it could not be judged."""
        scores = self.shared.scores(self.__name__, completions, columns)
        if self.part is None:
            return [score.value for score in scores]
        return [None if score.value is None else score.parts.get(self.part) for score in scores]


class OverlappedFunction:
    """The awaitable form of a `RewardFunction`: it runs in a thread while TRL's event loop goes on."""

    def __init__(self, function: RewardFunction) -> None:
        self.function = function
        self.__name__ = function.__name__

    async def __call__(self, *, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """One value per completion; None if it could not be judged."""
        return await asyncio.to_thread(self.function, completions=completions, **columns)


class SharedScores:
    """The scores of the batch in hand, computed once for all `readers` of it.

    A batch is known by the identity of its columns, which TRL hands to each function in turn. It is let go once every
    reader has had it, and a reader that asks again gets a fresh computation.
    """

    def __init__(self, reward: Reward, *, readers: int, signal_only: bool = False) -> None:
        self.reward = reward
        self.readers = readers
        self.signal_only = signal_only
        self._alarms = Alarms()
        self._lock = fork_safe_lock()
        self._batch: _Batch | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"reward": self.reward, "readers": self.readers, "signal_only": self.signal_only}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)

    def scores(self, reader: str, completions: Sequence[Any], columns: Mapping[str, Any]) -> list[Score]:
        """The scores of this batch. Whoever comes first computes and logs them, the others wait for it."""
        with self._lock:
            batch = self._batch
            if batch is None or not batch.is_of(completions, columns) or reader in batch.readers:
                batch = self._batch = _Batch(completions, columns, self._judge(completions, columns))
            batch.readers.add(reader)
            if len(batch.readers) == self.readers:
                self._batch = None
            return batch.scores

    def _judge(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> list[Score]:
        whole_groups = self.signal_only or self.reward.compares_groups()
        samples, scores = judge_columns(self.reward, completions, columns, whole_groups=whole_groups)
        signs = self._alarms.check(
            samples,
            scores,
            whole_groups=not split_groups(completions, columns),
            training=is_training(columns) is not False,
        )
        log_metric = columns.get("log_metric")
        if log_metric is not None:
            for name, value in signs.items():
                log_metric(f"alarms/{name}", value)
        return without_signal_levelled(samples, scores) if self.signal_only else scores


class _Batch:
    def __init__(self, completions: Sequence[Any], columns: Mapping[str, Any], scores: list[Score]) -> None:
        self.columns = _lists(completions, columns)
        self.readers: set[str] = set()
        self.scores = scores

    def is_of(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> bool:
        """True for the identical lists, not merely equal ones."""
        other = _lists(completions, columns)
        return self.columns.keys() == other.keys() and all(other[name] is kept for name, kept in self.columns.items())


def _lists(completions: Sequence[Any], columns: Mapping[str, Any]) -> dict[str, Any]:
    return {"completions": completions, **{name: value for name, value in columns.items() if isinstance(value, list)}}


def _function(function: RewardFunction, *, overlapped: bool) -> RewardFunction | OverlappedFunction:
    return OverlappedFunction(function) if overlapped else function


def check_columns(columns: Iterable[str], reward: Reward | str | None = None) -> None:
    """Refuse a data set that TRL or the reward cannot use: `check_columns(dataset.column_names, reward)`.

    Raises:
        UsageError: a column that collides with a keyword that TRL passes itself, or one that the reward needs is absent.
    """
    names = set(columns)
    clash = sorted(names & (RESERVED | {"completions"}))
    if clash:
        name = clash[0]
        raise UsageError(
            f"column {name!r} collides with a keyword that TRL passes to reward functions; "
            f"rename it: dataset.rename_column({name!r}, {name + '_column'!r})"
        )
    if "prompt" not in names:
        raise UsageError(f"the data set has no column 'prompt'; it has {', '.join(sorted(names)) or 'none'}")
    needed = frozenset[str]() if reward is None else loaded(reward).needed
    for need, aliases in (("ground_truth", GROUND_TRUTH), ("data_source", DATA_SOURCE)):
        if need in needed and not names & {alias.partition(".")[0] for alias in aliases}:
            raise UsageError(f"the reward needs {need}; name a column {' or '.join(aliases)}")


def code_interpreter(**options: Any) -> Callable[[str], str]:
    """The tool for `GRPOTrainer(tools=[...])`: runs Python in a sandbox, each call a fresh process.

    Options are those of `rewardkit.interpreter.CodeInterpreter`, for instance `sandbox="docker"`.
    """
    interpreter = CodeInterpreter(**options)

    def code_interpreter(code: str) -> str:
        """Run Python code and return what it prints.

        Args:
            code: The Python program. Print what you want to see.

        Returns:
            Standard output, and the error if there was one.
        """
        return interpreter.run(code).text

    return code_interpreter


class CodeEnvironment:
    """The code interpreter as `GRPOTrainer(environment_factory=CodeEnvironment)`: one a rollout, with its own counts."""

    interpreter: CodeInterpreter | None = None
    """Shared by all rollouts of the process; set it on a subclass for other options."""

    def __init__(self) -> None:
        if type(self).interpreter is None:
            type(self).interpreter = CodeInterpreter()
        self._calls = 0
        self._failures = 0

    def reset(self, **_row: Any) -> None:
        """Start a new rollout."""
        self._calls = self._failures = 0

    def code_interpreter(self, code: str) -> str:
        """Run Python code and return what it prints.

        Args:
            code: The Python program. Print what you want to see.

        Returns:
            Standard output, and the error if there was one.
        """
        result = cast("CodeInterpreter", self.interpreter).run(code)
        self._calls += 1
        self._failures += not result.ran
        return result.text

    def _facts(self) -> dict[str, int]:
        """Calls and failures of this rollout. Underscored: TRL offers every public method to the model as a tool."""
        return {"calls": self._calls, "failures": self._failures}
