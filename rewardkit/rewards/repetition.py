"""N-gram repetition penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rewardkit.base import SampleReward
from rewardkit.errors import MissingDataError, UsageError
from rewardkit.scripts import spaced_words
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class Repetition(SampleReward):
    """`max_penalty` times the share of repeated n-grams: 0 without repetition, near `max_penalty` for a loop.

    `unit='words'` gives open-r1's values (lower-cased words; of Chinese, Japanese and Thai, characters), `unit='tokens'` TRL's (token ids).
    """

    name: ClassVar[str] = "repetition"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "Yeo et al. 2025 (arXiv 2502.03373, C.2); open-r1 (words) and TRL (tokens)"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    ngram: int = 3
    """Length of the n-grams."""
    max_penalty: float = -1.0
    """The penalty for a text that only repeats itself; 0 or less."""
    unit: Literal["words", "tokens"] = "words"
    """What the n-grams are made of."""

    def __post_init__(self) -> None:
        if self.ngram < 1 or self.max_penalty > 0:
            raise UsageError(f"repetition: needs ngram >= 1 and max_penalty <= 0, not {self.ngram}, {self.max_penalty}")

    def grade(self, sample: Sample) -> Score:
        """Count n-grams."""
        repeated, total = count_repeated(self._units(sample), self.ngram)
        share = repeated / total if total else 0.0
        verdict = Verdict.CORRECT if not repeated else Verdict.PARTIAL
        value = self.max_penalty * (1 - (total - repeated) / total) if repeated else 0.0
        return Score.of(value, verdict=verdict, reason=f"{repeated} of {total} {self.ngram}-grams repeat ({share:.0%})")

    def _units(self, sample: Sample) -> Sequence[object]:
        if self.unit == "words":
            return spaced_words(sample.completion.lower())
        if sample.completion_ids is None:
            raise MissingDataError("no completion_ids; count words instead with unit='words'")
        return sample.completion_ids


def count_repeated(units: Sequence[object], n: int) -> tuple[int, int]:
    """How many n-grams occurred before, and how many there are."""
    grams = list(zip(*(units[offset:] for offset in range(n)), strict=False))
    return len(grams) - len(set(grams)), len(grams)
