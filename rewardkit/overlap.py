"""Texts that two data sets share: equal after normalisation, or with 13 consecutive words in common."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rewardkit.scripts import UNSPACED_RANGES

NGRAM = 13
"""Number of consecutive words that count as a match, as in the decontamination of GPT-3 (arXiv 2005.14165, appendix C). Two characters of a script without blanks
count as a word."""
MIN_WORDS = 8
"""A reference that is shorter than an n-gram counts as found if all of its words are in a row, from this many on."""
MAX_SHARED = 2
"""An n-gram that is in more references than this is a phrase (`where m and n are relatively prime positive integers`)."""
MAX_TEXTS = 10
"""An n-gram of the references that more texts have is a phrase, too (`References.without_phrases`; GPT-3's appendix C has the same number)."""
MAX_CHARS = 20_000
"""Only this many characters of a longer text are compared."""

_LAYOUT = re.compile(
    r"\\(?:left|right|displaystyle|textstyle|mathrm|mathbf|mathit|text|mbox|quad|qquad|[,;:! ])(?![a-z])"
)
_FRACTION = re.compile(r"\\[dt]frac")
_CHARACTER = re.compile(rf"[{UNSPACED_RANGES}]")
_WORD = re.compile(rf"[^\W\d_{UNSPACED_RANGES}]+|\d+|[{UNSPACED_RANGES}]|[-+*/=<>^]")


@dataclass(frozen=True)
class Match:
    """A text that is in a reference set."""

    index: int
    """Its place among the texts."""
    name: str
    """The reference set that the reference is of."""
    reference: int
    """Its place in the set."""
    words: str
    """What they share, normalised."""


class References:
    r"""Sets of texts that must not be found again, by name: the problems of benchmarks, say.

    >>> found = References({"quiz": ["If $x+2=5$, what is $x$?"]})
    >>> found.overlaps([r"if \(x + 2 = 5\), what is \(x\)", "What is 2 + 2?"])
    [Match(index=0, name='quiz', reference=0, words='if x + 2 = 5 what is x')]
    """

    def __init__(self, sets: Mapping[str, Iterable[str]], *, ngram: int = NGRAM) -> None:
        self._exact: dict[str, list[tuple[str, int]]] = {}
        self._grams: dict[str, list[tuple[str, int]]] = {}
        self._lengths: set[int] = set()
        for name, texts in sets.items():
            self._add(name, texts, ngram)

    def overlaps(self, texts: Iterable[str]) -> list[Match]:
        """The texts that are in a set: one match for each text and reference, with the first words that they share."""
        return [match for index, text in enumerate(texts) for match in self._find(index, words_of(text))]

    def without_phrases(self, texts: Iterable[str], *, most: int = MAX_TEXTS) -> None:
        """Drop n-grams that more than `most` different texts have. Whole texts are still found."""
        counts: Counter[str] = Counter()
        for text in {" ".join(words_of(text)) for text in texts}:
            words = text.split(" ")
            counts.update({gram for length in self._lengths for gram in _grams(words, length) if gram in self._grams})
        for gram, count in counts.items():
            if count > most:
                del self._grams[gram]

    def _add(self, name: str, texts: Iterable[str], ngram: int) -> None:
        distinct: dict[str, tuple[list[int], list[str]]] = {}
        for index, text in enumerate(texts):
            words = words_of(text)
            distinct.setdefault(" ".join(words), ([], words))[0].append(index)
        distinct.pop("", None)
        sizes = {whole: min(sum(map(_weight, words)), 2 * ngram) for whole, (_, words) in distinct.items()}
        kept = {whole: list(_grams(words, sizes[whole])) for whole, (_, words) in distinct.items()}
        shared = Counter(gram for grams in kept.values() for gram in set(grams))
        for whole, (indices, words) in distinct.items():
            references = [(name, index) for index in indices]
            self._exact.setdefault(whole, []).extend(references)
            if sum(map(_weight, words)) >= 2 * MIN_WORDS:
                self._lengths.add(sizes[whole])
                for gram in set(kept[whole]):
                    if shared[gram] <= MAX_SHARED:
                        self._grams.setdefault(gram, []).extend(references)

    def _find(self, index: int, words: Sequence[str]) -> Iterator[Match]:
        whole = " ".join(words)
        shared: dict[tuple[str, int], str] = dict.fromkeys(self._exact.get(whole, ()), whole)
        for length in self._lengths:
            for gram in _grams(words, length):
                for reference in self._grams.get(gram, ()):
                    shared.setdefault(reference, gram)
        for (name, place), words_shared in shared.items():
            yield Match(index, name, place, words_shared)


def words_of(text: str) -> list[str]:
    """Lower-case words, numbers and operators, and each character of a script without blanks, without punctuation, braces and LaTeX's layout commands."""
    plain = unicodedata.normalize("NFKC", text[:MAX_CHARS]).casefold()
    return _WORD.findall(_LAYOUT.sub(" ", _FRACTION.sub(r"\\frac", plain)))


def _grams(words: Sequence[str], size: int) -> Iterator[str]:
    """Runs of words that weigh `size` together."""
    weights = list(map(_weight, words))
    end = weight = 0
    for start, first in enumerate(weights):
        while weight < size and end < len(words):
            weight += weights[end]
            end += 1
        if weight < size:
            return
        yield " ".join(words[start:end])
        weight -= first


def _weight(word: str) -> int:
    """2, but 1 for a character of a script without blanks, of which a word has about two."""
    return 1 if _CHARACTER.match(word) else 2
