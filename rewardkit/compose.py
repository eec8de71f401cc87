"""Rewards made of rewards: weighted sums, gates, routes, bounds."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

from rewardkit.base import Explanation, Reward, as_reward, take_functions
from rewardkit.errors import UsageError
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True)
class Named(Reward):
    """A reward with another label, so that one sum can hold two of a kind."""

    name: ClassVar[str] = "named"
    needs: ClassVar[tuple[str, ...]] = ()
    bounded: ClassVar[bool] = True
    row_wise: ClassVar[bool] = True
    alias: str
    """The label under which it is reported."""
    reward: Reward
    """The reward that gets the label."""

    def __post_init__(self) -> None:
        take_functions(self, "reward")
        if not self.alias:
            raise UsageError("named: give a label that is not empty")

    @property
    def label(self) -> str:
        """The alias."""
        return self.alias

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """The scores of the reward, unchanged."""
        return self.reward.score(samples)

    def explain(self, sample: Sample) -> Explanation:
        """The explanation of the reward, unchanged."""
        return self.reward.explain(sample)


@dataclass(frozen=True)
class Gated(Reward):
    """Pay `reward` only if `gate` is fully met (its verdict is correct), else `otherwise` with the gate's verdict.

    A reward that compares the completions of a prompt compares all of them.
    """

    name: ClassVar[str] = "gated"
    version: ClassVar[int] = 2
    needs: ClassVar[tuple[str, ...]] = ()
    bounded: ClassVar[bool] = True
    row_wise: ClassVar[bool] = True
    gate: Reward
    """The reward whose verdict must be correct."""
    reward: Reward
    """The reward that is paid then."""
    otherwise: float = field(default=0.0, kw_only=True)
    """Value where the gate is not met. Where `reward` goes below it, a policy is paid for missing the gate."""

    def __post_init__(self) -> None:
        take_functions(self, "gate", "reward")
        if not math.isfinite(self.otherwise):
            raise UsageError(f"gated: otherwise={self.otherwise}: give a finite number")

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Score the gate on all samples and the reward on those that pass, with the others of their groups if it compares them."""
        gates = self.gate.score(samples)
        passed = [score.verdict is Verdict.CORRECT for score in gates]
        scored = [index for index, met in enumerate(passed) if met or self.reward.compares_groups(samples[index])]
        paid = dict(zip(scored, self.reward.score([samples[index] for index in scored]), strict=True))
        return [self._join(gate, paid[index] if passed[index] else None) for index, gate in enumerate(gates)]

    def explain(self, sample: Sample) -> Explanation:
        """The gate, and the reward if the gate lets the sample through."""
        gate = self.gate.explain(sample)
        if gate.score.verdict is not Verdict.CORRECT:
            return Explanation(self.text, self._join(gate.score, None), ("the gate is not met",), (gate,))
        reward = self.reward.explain(sample)
        return Explanation(self.text, self._join(gate.score, reward.score), ("the gate is met",), (gate, reward))

    def _join(self, gate: Score, paid: Score | None) -> Score:
        parts: dict[str, float | None] = {self.gate.label: gate.value}
        if gate.value is None:
            return Score.unjudged(f"{self.gate.label}: {gate.reason}", parts=parts)
        if paid is None:
            return replace(gate, value=self.otherwise, parts=parts, outcome=None, reason=f"gate: {gate.reason}")
        return replace(paid, parts={**parts, self.reward.label: paid.value, **paid.parts})


@dataclass(frozen=True)
class BySource(Reward):
    """Route each sample by its `data_source`: shell-style patterns, the first match wins. No match is `unjudged`."""

    name: ClassVar[str] = "by_source"
    needs: ClassVar[tuple[str, ...]] = ("data_source",)
    bounded: ClassVar[bool] = True
    row_wise: ClassVar[bool] = True
    routes: Mapping[str, Reward]
    """Pattern of the data source, and the reward for it."""

    def __post_init__(self) -> None:
        if not self.routes:
            raise UsageError("by_source needs {pattern: reward, ...} with at least one route")
        routes = {pattern: as_reward(reward) for pattern, reward in self.routes.items()}
        object.__setattr__(self, "routes", routes)

    def __hash__(self) -> int:
        return hash(tuple(self.routes.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BySource) and tuple(self.routes.items()) == tuple(other.routes.items())

    @property
    def own_needs(self) -> frozenset[str]:
        """`data_source`, unless a route takes samples without it."""
        return frozenset(() if self.route(Sample()) else self.needs)

    def inside(self, sample: Sample | None = None) -> Iterator[Reward]:
        """All routes, or the one of the sample."""
        return super().inside() if sample is None else filter(None, [self.route(sample)])

    def route(self, sample: Sample) -> Reward | None:
        """The reward that judges this sample."""
        pattern = _match(tuple(self.routes), sample.data_source or "")
        return None if pattern is None else self.routes[pattern]

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Score each route once, on all of its samples."""
        taken = list(map(self.route, samples))
        scores: dict[int, Score] = {}
        places_of: dict[int, list[int]] = {}
        for place, reward in enumerate(taken):
            places_of.setdefault(id(reward), []).append(place)
        for places in places_of.values():
            reward, batch = taken[places[0]], [samples[place] for place in places]
            found = map(self._unrouted, batch) if reward is None else reward.score(batch)
            scores |= zip(places, found, strict=True)
        return [scores[place] for place in range(len(samples))]

    def explain(self, sample: Sample) -> Explanation:
        """The explanation of the route taken."""
        reward = self.route(sample)
        if reward is None:
            return Explanation(self.text, self._unrouted(sample))
        child = reward.explain(sample)
        return Explanation(
            self.text, child.score, (f"data_source {sample.data_source!r} goes to {child.text}",), (child,)
        )

    def _unrouted(self, sample: Sample) -> Score:
        return Score.unjudged(f"no route for data_source {sample.data_source!r}; known: {', '.join(self.routes)}")


@lru_cache(maxsize=4096)
def _match(patterns: tuple[str, ...], name: str) -> str | None:
    return next((pattern for pattern in patterns if fnmatch.fnmatchcase(name, pattern)), None)


def gated(gate: Reward | Callable[..., Any], reward: Reward | Callable[..., Any], *, otherwise: float = 0.0) -> Gated:
    """Pay `reward` only if `gate` is fully met, else `otherwise`."""
    return Gated(as_reward(gate), as_reward(reward), otherwise=otherwise)


def by_source(routes: Mapping[str, Reward | Callable[..., Any]]) -> BySource:
    """Route samples by their `data_source`."""
    return BySource({pattern: as_reward(reward) for pattern, reward in routes.items()})
