"""Texts that two data sets share: equal after normalisation, or with a run of 13 words in common."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

NGRAM = 13
"""Words in a row that make two texts the same, as in the decontamination of GPT-3 (arXiv 2005.14165, appendix C)."""
MIN_WORDS = 8
"""A reference that is shorter than an n-gram counts as found where all of its words stand in a row, from this many on."""
MAX_SHARED = 2
"""An n-gram that stands in more references than this is a phrase (`where m and n are relatively prime positive integers`)."""
MAX_CHARS = 20_000
"""Only the beginning of a longer text is compared."""

_LAYOUT = re.compile(
    r"\\(?:left|right|displaystyle|textstyle|mathrm|mathbf|mathit|text|mbox|quad|qquad|[,;:! ])(?![a-z])"
)
_FRACTION = re.compile(r"\\[dt]frac")
_WORD = re.compile(r"[^\W\d_]+|\d+|[-+*/=<>^]")


@dataclass(frozen=True)
class Match:
    """A text that stands among the references."""

    index: int
    """Its place among the texts."""
    reference: int
    """The first reference that it shares words with."""
    words: str
    """What they share, normalised."""


class References:
    r"""The texts that must not be found again: problems of a benchmark, say.

    >>> found = References(["If $x+2=5$, what is $x$?"])
    >>> found.overlaps([r"if \(x + 2 = 5\), what is \(x\)", "What is 2 + 2?"])
    [Match(index=0, reference=0, words='if x + 2 = 5 what is x')]
    """

    def __init__(self, texts: Iterable[str], *, ngram: int = NGRAM) -> None:
        words = [words_of(text) for text in texts]
        self._exact: dict[str, int] = {}
        for index, own in enumerate(words):
            if own:
                self._exact.setdefault(" ".join(own), index)
        kept = [(index, words[index]) for index in self._exact.values()]
        shared = Counter(gram for _, own in kept for gram in set(_grams(own, min(len(own), ngram))))
        self._grams: dict[str, int] = {}
        self._lengths: set[int] = set()
        for index, own in kept:
            if len(own) >= MIN_WORDS:
                self._lengths.add(min(len(own), ngram))
                for gram in _grams(own, min(len(own), ngram)):
                    if shared[gram] <= MAX_SHARED:
                        self._grams.setdefault(gram, index)

    def overlaps(self, texts: Iterable[str]) -> list[Match]:
        """The texts that stand among the references, each with the first thing that it shares."""
        found = ((index, self._find(words_of(text))) for index, text in enumerate(texts))
        return [Match(index, *hit) for index, hit in found if hit is not None]

    def _find(self, words: Sequence[str]) -> tuple[int, str] | None:
        whole = " ".join(words)
        if whole in self._exact:
            return self._exact[whole], whole
        for length in self._lengths:
            for gram in _grams(words, length):
                if gram in self._grams:
                    return self._grams[gram], gram
        return None


def words_of(text: str) -> list[str]:
    """Lower-case words, numbers and operators, without punctuation, braces and LaTeX's layout commands."""
    plain = unicodedata.normalize("NFKC", text[:MAX_CHARS]).casefold()
    return _WORD.findall(_LAYOUT.sub(" ", _FRACTION.sub(r"\\frac", plain)))


def _grams(words: Sequence[str], length: int) -> Iterator[str]:
    for start in range(len(words) - length + 1):
        yield " ".join(words[start : start + length])
