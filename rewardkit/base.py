"""A reward: a frozen, named, picklable judge of a batch of samples, with a text form."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, cast

from rewardkit import functions
from rewardkit.columns import judge_columns
from rewardkit.data.tables import score_table
from rewardkit.errors import UsageError, quoted
from rewardkit.grading import check_scores, grade_all
from rewardkit.python_file import attribute, place_of
from rewardkit.render import render
from rewardkit.types import Sample, Score


@dataclass(frozen=True)
class Explanation:
    """How one sample was judged, as a tree: the reward's text, its score, its steps, its parts."""

    text: str
    score: Score
    steps: tuple[str, ...] = ()
    children: tuple[Explanation, ...] = ()


class Reward(ABC):
    """Judges samples. Subclasses are frozen dataclasses: their fields are the options, so that equality, hash, pickling and text form come free."""

    name: ClassVar[str]
    """Name of this class in the text form."""
    version: ClassVar[int] = 1
    """Incremented whenever a value changes, since training runs depend on values."""
    source: ClassVar[str] = ""
    """Paper and equation, or the system whose values are reproduced."""
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    """Fields that a sample must have, such as `ground_truth`, and other needs such as `sandbox`."""
    bounded: ClassVar[bool] = False
    """Time and memory of a judgement are bounded by the reward itself, so that it may run in the caller's process. All others
    are judged in a worker process that can be killed."""
    row_wise: ClassVar[bool] = False
    """The score of a row does not depend on other rows, so that rows can be judged one by one. True for SampleRewards."""

    @property
    def needed(self) -> frozenset[str]:
        """What a sample must have: the needs of this reward and of all rewards inside it, less those that it can do without."""
        return self.needed_by()

    def needed_by(self, sample: Sample | None = None) -> frozenset[str]:
        """What any sample must have; with a sample, what this one must have for the rewards that may judge it."""
        return self.own_needs.union(*(one.needed_by(sample) for one in self.inside(sample)))

    @property
    def own_needs(self) -> frozenset[str]:
        """The needs of this reward alone, as its options are."""
        return frozenset(self.needs)

    def inside(self, sample: Sample | None = None) -> Iterator[Reward]:  # noqa: ARG002 - for those that choose by sample
        """The rewards directly inside this one; with a sample, those that may judge it."""
        return _rewards_in(list(vars(self).values()))

    def compares_groups(self, sample: Sample | None = None) -> bool:
        """True if a score, or that of the sample, depends on the other completions of its group."""
        return "group" in self.needs or any(inner.compares_groups(sample) for inner in self.inside(sample))

    @property
    def patterns(self) -> tuple[str, ...]:
        """Regular expressions among the options."""
        return ()

    @property
    def takes_pattern(self) -> bool:
        """It matches a regular expression that somebody else wrote, which may backtrack without end: then nothing is bounded."""
        return bool(self.patterns)

    @abstractmethod
    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Judge each sample. The result has the same length and order; no completion makes it raise."""

    def explain(self, sample: Sample) -> Explanation:
        """Judge one sample and explain how."""
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
        """Score columns and return plain values: the calling convention of TRL's `reward_funcs`. None if unjudged."""
        scores = judge_columns(self, completions, columns, whole_groups=self.compares_groups())[1]
        return [score.value for score in scores]

    def score_table(self, table: Any, *, prefix: str = "reward") -> Any:
        """Judge a pandas or polars frame, a `datasets.Dataset`, an Arrow table or a list of rows.

        Columns are found by their usual names. The result is of the same kind, with the columns `reward`, `reward_accuracy`,
        `reward_score`, `reward_verdict`, `reward_answer` and `reward_reason` added.

        Raises:
            UsageError: a column is missing, or one of the new ones exists already.
        """
        return score_table(self.score, table, prefix=prefix)

    def __add__(self, other: Reward | Callable[..., Any]) -> Weighted:
        return Weighted((*_terms(self), *_terms(other)))

    def __radd__(self, other: Callable[..., Any]) -> Weighted:
        return Weighted((*_terms(other), *_terms(self)))

    def __sub__(self, other: Reward | Callable[..., Any]) -> Weighted:
        return Weighted((*_terms(self), *((-weight, term) for weight, term in _terms(other))))

    def __mul__(self, weight: float) -> Weighted:
        return Weighted(tuple((_number(weight) * own, term) for own, term in _terms(self)))

    __rmul__ = __mul__

    def __neg__(self) -> Weighted:
        return -1.0 * self

    def __reduce_ex__(self, protocol: Any) -> Any:
        made = super().__reduce_ex__(protocol)
        place = place_of(type(self))
        return made if place is None else (_new_from_file, place, *made[2:])


def _new_from_file(path: str, name: str) -> Reward:
    """A reward still without its options: its module cannot be imported by name in another process."""
    return object.__new__(attribute(path, name))


def as_reward(value: object) -> Reward:
    """A reward unchanged, or a plain function as a reward.

    Raises:
        UsageError: it is neither.
    """
    if isinstance(value, Reward):
        return value
    if callable(value) and not isinstance(value, type):
        return Function(value)
    raise UsageError(f"{value!r} is neither a reward nor a function")


def take_functions(owner: Reward, *names: str) -> None:
    """Make plain functions in these fields rewards: the first thing in `__post_init__` of a reward that holds others.

    Raises:
        UsageError: a field holds neither a reward nor a function.
    """
    for name in names:
        object.__setattr__(owner, name, as_reward(getattr(owner, name)))


def reward(function: Callable[..., Any]) -> Function:
    """Decorator: make a function a reward, so that it can be weighted and added: `load("math") + 0.1 * f`."""
    return Function(function)


def _terms(reward: Reward | Callable[..., Any]) -> tuple[tuple[float, Reward], ...]:
    return reward.terms if isinstance(reward, Weighted) else ((1.0, as_reward(reward)),)


class SampleReward(Reward):
    """The base for most rewards: write `grade` for one sample, plain or `async`."""

    concurrency: ClassVar[int] = 32
    """Number of async grades that run at once."""

    @abstractmethod
    def grade(self, sample: Sample) -> Score | Awaitable[Score]:
        """Judge one sample. Raise `GroundTruthError` if the ground truth is unusable."""

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Judge each sample; an exception in `grade` makes the sample `unjudged`, with the reason."""
        return grade_all(self.grade, samples, concurrency=self.concurrency)


@dataclass(frozen=True)
class Weighted(Reward):
    """A sum of weighted rewards. The first term is the outcome: it gives verdict and answer, and its unweighted value
    is the Score column. One unjudged term leaves the whole sum unjudged: an unknown part is an unknown total.
    """

    name: ClassVar[str] = "weighted"
    needs: ClassVar[tuple[str, ...]] = ()
    bounded: ClassVar[bool] = True
    row_wise: ClassVar[bool] = True
    terms: tuple[tuple[float, Reward], ...]

    def __post_init__(self) -> None:
        terms = tuple((_number(weight) * own, one) for weight, term in self.terms for own, one in _terms(term))
        object.__setattr__(self, "terms", terms)
        for weight, term in terms:
            if not math.isfinite(weight):
                raise UsageError(f"the weight of {term.label!r} is {weight}; give a finite number")
        labels = [term.label for _, term in self.terms]
        for label in labels:
            if labels.count(label) > 1:
                raise UsageError(f"two parts are called {label!r}; tell them apart with named('other', ...)")

    @property
    def label(self) -> str:
        """The labels of the terms, joined by plus signs."""
        return "+".join(term.label for _, term in self.terms)

    @property
    def text(self) -> str:
        """The terms as written, with the weight if it is not 1 or the only one."""
        (weight, term), *rest = self.terms
        pieces = [_term_text(weight, term) if rest else f"{weight!r} * {term.text}"]
        for weight, term in rest:
            pieces.append(f"- {_term_text(-weight, term)}" if weight < 0 else f"+ {_term_text(weight, term)}")
        return " ".join(pieces)

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Score every term on the whole batch, then add the values of each sample."""
        columns = [check_scores(term.score(samples), len(samples)) for _, term in self.terms]
        return [self._add(row) for row in zip(*columns, strict=True)]

    def explain(self, sample: Sample) -> Explanation:
        """One child per term."""
        children = tuple(term.explain(sample) for _, term in self.terms)
        score = self._add(tuple(child.score for child in children))
        return Explanation(self.text, score, (f"{score.value} = {self.text}",), children)

    def _add(self, scores: tuple[Score, ...]) -> Score:
        parts: dict[str, float | None] = {}
        total, elapsed_ms = 0.0, 0.0
        missing: list[str] = []
        for (weight, term), score in zip(self.terms, scores, strict=True):
            parts[term.label] = score.value
            parts.update({f"{term.label}.{name}": value for name, value in score.parts.items()})
            elapsed_ms += score.elapsed_ms or 0.0
            if score.value is None:
                missing.append(f"{term.label}: {score.reason}")
            else:
                total += weight * score.value
        if missing:
            return Score.unjudged("; ".join(missing), parts=parts)
        first = scores[0]
        if not math.isfinite(total):
            return Score.unjudged("the sum is too large for a number", parts=parts)
        return replace(first, value=total, parts=parts, outcome=first.outcome_value, elapsed_ms=round(elapsed_ms, 3))


def _number(weight: float) -> float:
    if isinstance(weight, bool) or not isinstance(weight, Real):
        raise UsageError(f"a weight is a number, not {quoted(weight)}")
    try:
        return float(weight)
    except OverflowError:
        return math.inf


def _term_text(weight: float, term: Reward) -> str:
    return term.text if weight == 1 else f"{weight!r} * {term.text}"


@dataclass(frozen=True)
class Function(Reward):
    """A function as a reward. With a parameter `completions` it gets the whole batch as columns and returns one value
    per completion, as in TRL; with one parameter it gets a `Sample` and returns a number or a `Score`. Either may be
    `async`.

    A column of the batch is `completions`, `prompts`, `ground_truth` (also under the name that the function gives it:
    `answer`, `solution`, `target`), `data_source`, `completion_ids` or a key of `extra_info`. None as a value means unjudged.

    Raises:
        UsageError: the parameters fit neither form.
    """

    name: ClassVar[str] = "function"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    function: Callable[..., Any]

    def __post_init__(self) -> None:
        functions.check_function(self.function)

    @property
    def label(self) -> str:
        """The function's own name."""
        return functions.label(self.function)

    @property
    def text(self) -> str:
        """`file.py:name`; the text of a function without a file and name cannot be loaded."""
        place = functions.file_and_name(self.function, self) or ":".join(place_of(self.function) or ())
        return place or f"<function {self.label}>"

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Call the function. An exception leaves the batch (or the sample) unjudged, with the reason."""
        return functions.score(self.function, samples)

    def __reduce_ex__(self, protocol: Any) -> Any:
        place = place_of(self.function)
        if place is not None:
            return _function_from_file, place
        if getattr(functions.held(self.function), "function", None) is self.function:
            # The decorator has taken the function's name: there pickle finds it, and cloudpickle does in a module.
            self.function.__qualname__ = f"{self.label}.function"
        return super().__reduce_ex__(protocol)


def _function_from_file(path: str, name: str) -> Reward:
    return as_reward(attribute(path, name))


def walk(reward: Reward, sample: Sample | None = None) -> Iterator[Reward]:
    """The reward and all rewards inside it, outermost first; with a sample, those that may judge it."""
    yield reward
    for inner in reward.inside(sample):
        yield from walk(inner, sample)


def _rewards_in(value: Any) -> Iterator[Reward]:
    if isinstance(value, Reward):
        yield value
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[Any, Any]", value).values():
            yield from _rewards_in(inner)
    elif isinstance(value, (tuple, list)):
        for inner in cast("Sequence[Any]", value):
            yield from _rewards_in(inner)
