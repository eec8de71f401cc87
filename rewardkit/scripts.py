"""The characters of scripts, as they stand between the brackets of a regular expression."""

import re

SCRIPTS = {
    "latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff",
    "han": "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "kana": "\u3040-\u30ff",
    "hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "cyrillic": "\u0400-\u052f",
    "arabic": "\u0600-\u06ff\u0750-\u077f",
    "hebrew": "\u0590-\u05ff",
    "devanagari": "\u0900-\u0963\u0966-\u097f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "thai": "\u0e00-\u0e7f",
    "bengali": "\u0980-\u09ff",
    "tamil": "\u0b80-\u0bff",
    "telugu": "\u0c00-\u0c7f",
    "kannada": "\u0c80-\u0cff",
    "malayalam": "\u0d00-\u0d7f",
    "gujarati": "\u0a80-\u0aff",
    "gurmukhi": "\u0a00-\u0a7f",
}
UNSPACED = ("han", "kana", "thai")
"""Scripts without blanks between words."""
UNSPACED_RANGES = "".join(SCRIPTS[script] for script in UNSPACED)
_SPACED = re.compile(rf"[^\w\s]*[{UNSPACED_RANGES}][^\w\s]*|[^\s{UNSPACED_RANGES}]+")


def spaced_words(text: str) -> list[str]:
    """What stands between blanks. In scripts without blanks, each character with the punctuation around it.

    >>> spaced_words("It is （很贵）.")
    ['It', 'is', '（很', '贵）.']
    """
    return text.split() if text.isascii() else _SPACED.findall(text)
