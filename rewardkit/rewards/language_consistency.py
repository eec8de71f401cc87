"""Share of the text that is in one language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Literal

from rewardkit.base import SampleReward
from rewardkit.scripts import SCRIPTS, UNSPACED
from rewardkit.types import Sample, Score, Verdict

MAX_CHARS = 200_000
"""Longer texts are read this far."""
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

_WORD = re.compile(
    "|".join(
        f"(?P<{script}>[{ranges}]{'' if script in UNSPACED else '+'})"
        for script, ranges in SCRIPTS.items()
    )
)  # fmt: skip
_SKIPPED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\$[^$\n]{0,500}\$|\\[a-zA-Z]+|</?[a-zA-Z_]+>|https?://\S+", re.DOTALL
)


@dataclass(frozen=True, kw_only=True)
class LanguageConsistency(SampleReward):
    """Share of the words that are written in the script of the language, code and formulas excluded; 0 if there are too few words.

    It compares scripts, so it separates Chinese from English but not English from German. Characters of scripts without blanks count as
    a word each, as DeepSeek-R1's proportion of target language words asks for.
    """

    name: ClassVar[str] = "language_consistency"
    source: ClassVar[str] = "DeepSeek-R1 (arXiv 2501.12948, 2.3.2), by script"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    language: Language = "en"
    """Language whose script is expected."""

    def grade(self, sample: Sample) -> Score:
        """Count words by script."""
        share, words, strangers = script_share(sample.completion, self.language)
        if words < MIN_WORDS:
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason=f"{words} words are too few to tell")
        verdict = Verdict.CORRECT if share == 1 else Verdict.PARTIAL if share > 0 else Verdict.WRONG
        others = f", others {', '.join(strangers)}" if strangers else ""
        return Score.of(share, verdict=verdict, reason=f"{share:.1%} of {words} words{others}")


def script_share(text: str, language: str) -> tuple[float, int, list[str]]:
    """Share of words in the language's scripts, number of words, and the other scripts seen."""
    counts: dict[str, int] = {}
    for match in _WORD.finditer(_SKIPPED.sub(" ", text[:MAX_CHARS])):
        script = match.lastgroup or ""
        counts[script] = counts.get(script, 0) + 1
    total = sum(counts.values())
    own = sum(counts.get(script, 0) for script in LANGUAGES[language])
    strangers = sorted(set(counts) - set(LANGUAGES[language]))
    return (own / total if total else 0.0), total, strangers
