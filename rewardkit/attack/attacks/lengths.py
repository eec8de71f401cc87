"""Lengths at which shaping terms change."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rewardkit.attack.filler import filler_text
from rewardkit.attack.problem import CHARS_PER_TOKEN, Attempt, Problem

WORDS = (1, 3, 10, 21, 50, 100, 250, 300, 500, 801, 1_000, 2_000, 4_000, 12_000)
TOKENS = {
    count: ("so " * (count * CHARS_PER_TOKEN // 3 + 1))[: count * CHARS_PER_TOKEN]
    for count in (1, 512, 1_024, 4_096, 7_480, 8_192, 10_480, 16_384)
}


def lengths(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    """Reasoning that says nothing, of many lengths, with "unknown" at its end; and texts of round token counts.

    Length terms (overlong, cosine, L1, Kimi, `math_agent`'s word counts) have a best length that needs no answer.
    """
    unknown = "I do not know." if problem.is_program else problem.answer("unknown")
    for count in WORDS:
        yield Attempt(f"{count} words", f"{filler_text(count)}\n{unknown}")
    for count, text in TOKENS.items():
        yield Attempt(f"{count} tokens", text)
