"""Length against the other completions of the same prompt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, pstdev
from typing import ClassVar, Literal

from rewardkit.base import Explanation, Reward, take_functions
from rewardkit.errors import MissingDataError, UsageError
from rewardkit.grading import failure
from rewardkit.groups import by_group
from rewardkit.rewards._length import Measured, length_of
from rewardkit.types import Sample, Score

MAX_POWER = 700.0
"""The exponential of more is no number."""


@dataclass(frozen=True, kw_only=True)
class LengthGroup(Measured):
    """Pays completions that are shorter than others of their group and penalises longer ones. Needs the completions of one prompt in one batch.

    `kimi` (also open-r1's `len_reward`): `0.5 - (n - min) / (max - min)`, for wrong answers at most 0, all 0 if the lengths are equal.
    `lead`: right answers get `exp(-alpha * z)` with z the standard score of their length among the right ones, wrong ones
    -1. A group is `group`, else the prompt; with fewer than `least` judged completions in the batch, such as in a
    trainer that scores one by one, the samples are `unjudged`.
    """

    name: ClassVar[str] = "length_group"
    version: ClassVar[int] = 2
    source: ClassVar[str] = (
        "Kimi k1.5 (arXiv 2501.12599, 2.3.3) and open-r1 len_reward; GRPO-LEAD (arXiv 2504.09696, eq. 3)"
    )
    needs: ClassVar[tuple[str, ...]] = ("group", "completion_tokens")
    bounded: ClassVar[bool] = True

    outcome: Reward = field(kw_only=False)
    """The reward that judges the answer."""
    form: Literal["kimi", "lead"] = "kimi"
    """The formula, as above."""
    alpha: float = 0.05
    """Only `lead`: how fast the value falls with length."""
    unit: Literal["tokens", "words", "chars"] = "tokens"
    """What is counted as length."""
    least: int = 2
    """Judged completions that a group must have."""

    def __post_init__(self) -> None:
        take_functions(self, "outcome")
        if self.least < 1 or not math.isfinite(self.alpha):
            raise UsageError(f"length_group: needs least >= 1 and a finite alpha, not {self.least}, {self.alpha}")

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Score the outcome, then each group by itself."""
        outcomes = self.outcome.score(samples)
        scores = list(outcomes)
        for key, indices in by_group(samples).items():
            judged = [index for index in indices if outcomes[index].value is not None]
            try:
                if key is None:
                    raise MissingDataError("no group and no prompt: the other completions are not known")
                if len(judged) < self.least:
                    raise MissingDataError(
                        f"{len(judged)} judged completions of the group available, {self.least} are needed"
                    )
                lengths = [length_of(samples[index], self.unit) for index in judged]
            except MissingDataError as error:
                for index in indices:
                    scores[index] = failure(error)
                continue
            values = self._values(lengths, [bool(outcomes[index].accuracy) for index in judged])
            for index, length, value in zip(judged, lengths, values, strict=True):
                scores[index] = self._joined(outcomes[index], value, length, len(judged))
        return scores

    def explain(self, sample: Sample) -> Explanation:
        """The outcome, and the value of a group of this one sample: the others are not available."""
        child = self.outcome.explain(sample)
        return Explanation(self.text, self.score([sample])[0], ("judged as a group of one",), (child,))

    def _joined(self, outcome: Score, value: float, length: int, size: int) -> Score:
        parts = {self.outcome.label: outcome.value, **outcome.parts}
        reason = f"{outcome.reason}; {length} {self.unit} in a group of {size}"
        return replace(outcome, value=value, parts=parts, outcome=None, reason=reason)

    def _values(self, lengths: list[int], right: list[bool]) -> list[float]:
        if not lengths:
            return []
        if self.form == "kimi":
            low, high = min(lengths), max(lengths)
            if low == high:
                return [0.0] * len(lengths)
            shares = [0.5 - (length - low) / (high - low) for length in lengths]
            return [share if ok else min(0.0, share) for share, ok in zip(shares, right, strict=True)]
        counted = [length for length, ok in zip(lengths, right, strict=True) if ok]
        mean, spread = (fmean(counted), pstdev(counted)) if counted else (0.0, 0.0)
        scores = [(length - mean) / spread if spread else 0.0 for length in lengths]
        powers = [min(-self.alpha * z, MAX_POWER) for z in scores]
        return [math.exp(power) if ok else -1.0 for power, ok in zip(powers, right, strict=True)]
