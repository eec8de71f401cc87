"""A reward: a frozen, named, picklable judge of a batch of samples, with a text form."""

from __future__ import annotations

import dataclasses
import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

from rewardkit.grading import grade_all
from rewardkit.types import Sample, Score

if TYPE_CHECKING:
    from rewardkit.compose import Weighted


@dataclass(frozen=True)
class Explanation:
    """How one sample was judged, as a tree: the reward's text, its score, its steps in words, its parts."""

    text: str
    score: Score
    steps: tuple[str, ...] = ()
    children: tuple[Explanation, ...] = ()


class Reward(ABC):
    """Judges samples. Subclasses are frozen dataclasses: their fields are the options, so that equality, hash,
    pickling and the text form come free.
    """

    name: ClassVar[str]
    """The word that stands for this class in the text form."""
    version: ClassVar[int] = 1
    """Raised whenever a value changes: training runs depend on values, not just on signatures."""
    source: ClassVar[str] = ""
    """Paper and equation, or the system whose values are reproduced."""
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    """What a sample must carry, and other needs such as `sandbox`."""
    bounded: ClassVar[bool] = False
    """Time and memory of a judgement are bounded by the reward itself, so that it may run in the caller's process. All others
    are judged in a worker process that can be killed."""
    row_wise: ClassVar[bool] = False
    """Each row is scored by itself, as far as this reward goes: so a row that hangs holds up no other. SampleRewards are."""

    @abstractmethod
    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Judge each sample. The result has the same length and order; no completion makes it raise."""

    def explain(self, sample: Sample) -> Explanation:
        """Judge one sample and say how."""
        return Explanation(self.text, self.score([sample])[0])

    @property
    def label(self) -> str:
        """Short name of this reward as a part: the key in `Score.parts` and in trainers' logs."""
        return self.name

    @property
    def __name__(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The label: trainers log a reward function under this name."""
        return self.label

    @property
    def text(self) -> str:
        """The text form. For every registered reward, `load(reward.text) == reward`."""
        return render(self)

    def __str__(self) -> str:
        return self.text

    def __call__(self, *, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Columns in, plain values out: the calling convention of TRL's `reward_funcs`. None where unjudged."""
        from rewardkit.columns import score_columns

        return score_columns(self, completions=completions, **columns)

    def score_table(self, table: Any, *, prefix: str = "reward") -> Any:
        """Judge a pandas or polars frame, a `datasets.Dataset`, an Arrow table or a list of rows.

        Columns are found by their usual names. The result is of the same kind, with the columns `reward`, `reward_accuracy`,
        `reward_score`, `reward_verdict`, `reward_answer` and `reward_reason` more.

        Raises:
            UsageError: a column is missing, or one of the new ones is there already.
        """
        from rewardkit.data.tables import score_table

        return score_table(self, table, prefix=prefix)

    def __add__(self, other: Reward | Callable[..., Any]) -> Weighted:
        from rewardkit.compose import Weighted

        return Weighted((*_terms(self), *_terms(other)))

    def __radd__(self, other: Callable[..., Any]) -> Weighted:
        from rewardkit.compose import Weighted

        return Weighted((*_terms(other), *_terms(self)))

    def __sub__(self, other: Reward | Callable[..., Any]) -> Weighted:
        from rewardkit.compose import Weighted

        return Weighted((*_terms(self), *((-weight, term) for weight, term in _terms(other))))

    def __mul__(self, weight: float) -> Weighted:
        from rewardkit.compose import Weighted

        return Weighted(tuple((weight * own, term) for own, term in _terms(self)))

    __rmul__ = __mul__

    def __neg__(self) -> Weighted:
        return -1.0 * self

    def __reduce_ex__(self, protocol: Any) -> Any:
        from rewardkit.registry import is_from_file
        from rewardkit.text import load

        if is_from_file(type(self)):  # its module cannot be imported by name in another process
            return (load, (self.text,))
        return super().__reduce_ex__(protocol)


def _terms(reward: Reward | Callable[..., Any]) -> tuple[tuple[float, Reward], ...]:
    from rewardkit.compose import Weighted
    from rewardkit.functions import as_reward

    return reward.terms if isinstance(reward, Weighted) else ((1.0, as_reward(reward)),)


class SampleReward(Reward):
    """The base for most rewards: write `grade` for one sample, plain or `async`."""

    concurrency: ClassVar[int] = 32
    """How many async grades run at once."""

    @abstractmethod
    def grade(self, sample: Sample) -> Score | Awaitable[Score]:
        """Judge one sample. Raise `GroundTruthError` where the ground truth is unusable."""

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Judge each sample; what `grade` raises becomes `unjudged`, with the reason."""
        return grade_all(self.grade, samples, concurrency=self.concurrency)


def walk(reward: Reward) -> Iterator[Reward]:
    """The reward and all rewards inside it, outermost first."""
    yield reward
    for value in vars(reward).values():
        for inner in _rewards_in(value):
            yield from walk(inner)


def needs(reward: Reward) -> frozenset[str]:
    """What a reward and all rewards inside it need of a sample."""
    return frozenset(need for inner in walk(reward) for need in inner.needs)


def _rewards_in(value: Any) -> Iterator[Reward]:
    if isinstance(value, Reward):
        yield value
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[Any, Any]", value).values():
            yield from _rewards_in(inner)
    elif isinstance(value, (tuple, list)):
        for inner in cast("Sequence[Any]", value):
            yield from _rewards_in(inner)


def render(reward: Reward) -> str:
    """The text form of a reward that is not a sum: its name and the options that differ from their defaults."""
    from rewardkit.registry import public_name

    arguments: list[str] = []
    for field in dataclasses.fields(cast("Any", reward)):
        value = getattr(reward, field.name)
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        if default is dataclasses.MISSING and not field.kw_only:
            arguments.append(_literal(value))
        elif default is dataclasses.MISSING or value != default or type(value) is not type(default):
            arguments.append(f"{field.name}={_literal(value)}")
    name = public_name(type(reward))
    return f"{name}({', '.join(arguments)})" if arguments else name


def _literal(value: Any) -> str:
    if isinstance(value, Reward):
        return value.text
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return "{" + ", ".join(f"{_literal(key)}: {_literal(item)}" for key, item in items) + "}"
    if isinstance(value, (tuple, list)):
        items = [_literal(item) for item in cast("Sequence[Any]", value)]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return repr(value)


def is_async(reward: Reward) -> bool:
    """True where the reward grades with `async def`."""
    return isinstance(reward, SampleReward) and inspect.iscoroutinefunction(reward.grade)
