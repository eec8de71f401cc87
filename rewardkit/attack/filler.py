"""Reasoning that says nothing, of any length."""

from __future__ import annotations

import functools

_FILLER = (
    "First we note what is given and what is asked. Step 1: we name the quantities. Then 8191 + 7919 = 16110 and 16110 * 3 = 48330. Next we compare "
    "both sides, collect the terms that are alike, and check the sign of each. Finally we look back at the question. "
)


@functools.lru_cache(maxsize=64)
def filler_text(words: int) -> str:
    """Reasoning that says nothing, of a given number of words, numbered so that no two stretches are equal."""
    texts: list[str] = []
    while len(texts) < words:
        texts += [word.replace("7919", str(len(texts) + 7919)) for word in _FILLER.split()]
    return " ".join(texts[:words])
