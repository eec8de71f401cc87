"""Share of the text that is in one language."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from rewardkit.base import SampleReward
from rewardkit.scripts import SCRIPTS, UNSPACED
from rewardkit.types import Sample, Score, Verdict

MAX_CHARS = 200_000
"""Longer texts are read this far."""
_MICRO = "\u00b5"
"""A sign of units, which NFKC takes for Greek."""
MIN_WORDS = 3
"""Fewer words say nothing about a language."""

LANGUAGES = {
    "en": ("latin",), "de": ("latin",), "fr": ("latin",), "es": ("latin",), "it": ("latin",), "pt": ("latin",),
    "vi": ("latin",), "tr": ("latin",), "zh": ("han",), "ja": ("han", "kana"), "ko": ("hangul",), "ru": ("cyrillic",),
    "uk": ("cyrillic",), "bg": ("cyrillic",), "ar": ("arabic",), "fa": ("arabic",), "he": ("hebrew",), "hi": ("devanagari",),
    "el": ("greek",), "th": ("thai",), "bn": ("bengali",), "ta": ("tamil",),
}  # fmt: skip
"""The scripts that a language is written in."""
Language = Literal[
    "en", "de", "fr", "es", "it", "pt", "vi", "tr", "zh", "ja", "ko", "ru", "uk", "bg", "ar", "fa", "he", "hi", "el", "th", "bn", "ta"
]  # fmt: skip

_PHONETIC = "\u0250-\u02ff\u1d00-\u1dbf"
"""Letters for pronunciation, which are of no language."""
_RANGES = {**SCRIPTS, "another": rf"^\W\d_{_PHONETIC}{''.join(SCRIPTS.values())}"}
_WORD = re.compile(
    "|".join(f"(?P<{script}>[{ranges}]{'' if script in UNSPACED else '+'})" for script, ranges in _RANGES.items())
)
_FORMAL = re.compile(
    r"```.*?```|~~~.*?~~~|`[^`\n]*`|\$\$[^$]{0,2000}\$\$|\$[^$\n]{0,500}\$"
    r"|(?<!\\)\\\((?>(?:[^\\]|\\[^()])*)\\\)|(?<!\\)\\\[(?>(?:[^\\]|\\[^\[\]])*)\\\]|\\[a-zA-Z]+|</?[a-zA-Z_]+>|https?://\S+",
    re.DOTALL,
)
"""Closed pieces of code and formulas, and what else is no text."""
_FORMAL_SCRIPTS = frozenset({"latin", "greek"})
"""In code and formulas, words in these scripts are of no language. Words in others count."""


@dataclass(frozen=True, kw_only=True)
class LanguageConsistency(SampleReward):
    """Share of the words that are written in the script of the language, without the Latin and Greek words of code and formulas; 0 if there
    are too few words.

    It compares scripts, so it separates Chinese from English but not English from German. Characters of scripts without blanks count as
    a word each, as DeepSeek-R1's proportion of target language words asks for.
    """

    name: ClassVar[str] = "language_consistency"
    version: ClassVar[int] = 2
    source: ClassVar[str] = "DeepSeek-R1 (arXiv 2501.12948, 2.3.2), by script"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    language: Language = "en"
    """Language whose script is expected."""

    def grade(self, sample: Sample) -> Score:
        """Count words by script."""
        text = sample.completion[:MAX_CHARS]
        formal = (script for piece in _FORMAL.findall(text) for script, _ in words_of(piece))
        counts = Counter(script for script, _ in words_of(_FORMAL.sub(" ", text)))
        counts.update(script for script in formal if script not in _FORMAL_SCRIPTS)
        words, own = counts.total(), sum(counts[script] for script in LANGUAGES[self.language])
        if words < MIN_WORDS:
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason=f"{words} words are too few to tell")
        share = own / words
        strangers = sorted(counts.keys() - set(LANGUAGES[self.language]))
        others = f", others {', '.join(strangers)}" if strangers else ""
        return Score.of(share, reason=f"{share:.1%} of {words} words{others}")


def words_of(text: str) -> Iterator[tuple[str, str]]:
    """The words of a text, each with its script; a character of a script without blanks is a word. Letters in a form of their own, such as
    full-width or mathematical ones, are what NFKC makes of them; signs of units and numbers are none.
    """
    plain = unicodedata.normalize("NFKC", text.replace(_MICRO, ""))[:MAX_CHARS]
    words = ((match.lastgroup or "", match.group()) for match in _WORD.finditer(plain))
    return ((script, word) for script, word in words if script != "another" or word.isalpha())
