"""Which language a text is in: by script, and among Latin ones by their commonest words."""

from __future__ import annotations

import re

from rewardkit.errors import GroundTruthError
from rewardkit.rewards.language_consistency import LANGUAGES, script_share

_COMMON = {
    "en": "the of and to in is that it for was on are as with be this have from or by not but what all were your can there",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son nous",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si",
    "it": "di e il la che in a per è un del non sono con una si le della i da al come più gli dei nel alla anche",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem",
    "nl": "de van het een en in is dat op te zijn met die voor niet aan er om ook als dan maar bij nog uit wordt",
}
"""About thirty of the commonest words of each language."""
_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_TOKEN = re.compile(r"[^\W\d_]+")
MIN_SHARE = 0.6
"""At least this share of the text must be in the language's script."""


def is_language(text: str, language: str) -> bool:
    """Whether a text is in a language, given by its ISO 639-1 code. A text that is too short counts as being in it.
    Raises: GroundTruthError: the language is not supported.
    """
    if language not in LANGUAGES or (LANGUAGES[language] == ("latin",) and language not in _COMMON):
        raise GroundTruthError(f"cannot distinguish language {language!r} from others")
    share, words, _ = script_share(text, language)
    if words < 3:
        return True
    if share < MIN_SHARE:
        return False
    return language not in _COMMON or _commonest(text) in {language, None}


def _commonest(text: str) -> str | None:
    tokens = [token.lower() for token in _TOKEN.findall(text)]
    votes = {language: sum(token in words for token in tokens) for language, words in _WORDS.items()}
    best = max(votes, key=lambda language: votes[language])
    return best if votes[best] else None
