"""Length of a completion, in the unit that a reward names."""

from __future__ import annotations

from typing import Literal

from rewardkit.base import Reward
from rewardkit.errors import MissingDataError
from rewardkit.scripts import spaced_words
from rewardkit.types import Sample

Unit = Literal["tokens", "words", "chars"]


class Measured(Reward):
    """A reward that counts in the unit that its option names, and needs tokens only for `tokens`."""

    unit: Unit

    @property
    def own_needs(self) -> frozenset[str]:
        """The needs, without the tokens for another unit."""
        return super().own_needs - ({"completion_tokens"} if self.unit != "tokens" else set())


def length_of(sample: Sample, unit: Unit) -> int:
    """Tokens as the sample says them, or words or characters of the completion. A character of a script without blanks is a word.

    Raises:
        MissingDataError: tokens were asked for and the sample has neither `completion_tokens` nor `completion_ids`.
    """
    if unit == "words":
        return len(spaced_words(sample.completion))
    if unit == "chars":
        return len(sample.completion)
    if sample.tokens is None:
        raise MissingDataError("no completion_tokens or completion_ids; count words instead with unit='words'")
    return sample.tokens
