"""Letters written side by side: a word, a function with its argument (xsinx), or a product of variables (ab)."""

from __future__ import annotations

from functools import lru_cache

from rewardkit.math.latex.units import is_unit_word
from rewardkit.math.latex.vocabulary import CONSTANTS, FUNCTIONS, LETTERS, word_set

MAX_WORD_PRODUCT = 3
"""A plain run of so many letters may be a product of variables; a longer one is a word."""

_INSIDE = sorted(
    word_set("arcsin arccos arctan sinh cosh tanh sin cos tan cot sec csc ln log exp sqrt pi"), key=len, reverse=True
)
_SHORT_WORDS = word_set("no yes all any the not odd two six ten one dne is an of to by at on it be as we day set per")
_SUFFIXES = word_set("th st nd rd")


@lru_cache(maxsize=2_048)
def is_word(text: str) -> bool:
    """Whether a run of letters is a word (perhaps a unit), and no function, constant or product of variables."""
    if text in _SUFFIXES:
        return True
    if len(text) == 1 or text in FUNCTIONS or text in CONSTANTS or text in LETTERS:
        return False
    return is_unit_word(text) or is_short_word(text) or (len(text) > MAX_WORD_PRODUCT and split_names(text) is None)


def is_short_word(text: str) -> bool:
    """Whether a short run of letters is a word; Be is the product B e."""
    return text.lower() in _SHORT_WORDS and text != "Be"


def split_names(text: str) -> list[str] | None:
    """`xsinx` as x, sin, x; None where the run is not built from single letters and function names."""
    if len(text) > 12:
        return None
    position = 0
    pieces: list[str] = []
    while position < len(text):
        name = next((one for one in _INSIDE if text.startswith(one, position)), text[position])
        pieces.append(name)
        position += len(name)
    if len(text) > 3 and pieces[-1] == "s":  # pigs, logs, tanks
        return None
    singles = sum(len(piece) == 1 for piece in pieces)
    return pieces if singles < len(pieces) <= 5 and singles <= 2 else None
