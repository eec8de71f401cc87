"""Answers that are options: a letter, a letter with its text, several letters, statements with numbers in circles."""

from __future__ import annotations

import re

from rewardkit.math.patterns import lazy
from rewardkit.math.text.words import SIGNED, plain_words, without_layout

_CHOICE = lazy(r"[(\[{ ]*(?:(?:option|choice|answer)\s+)?[(\[{ ]*([A-Za-z])[ )\]}]*[.):]?[ )\]}]*", re.IGNORECASE)
_CHOICE_TEXT = lazy(
    r"\s*(?:(?:option|choice|answer)\s+)?(?:\(([A-Ja-j])\)|\{?\(?([A-J])\)?\}?\s*[.):\]]|([A-J])(?=\\ |\s*[-–—]\s))(.*)",
    re.IGNORECASE | re.DOTALL,
)


def choice(text: str) -> str | None:
    r"""The letter of a text that is nothing but an option letter: C, (C), C., \textbf{(C)}, Option C."""
    if len(text) > 60 or SIGNED.search(text) is not None:
        return None
    match = _CHOICE.fullmatch(plain_words(text))
    return match[1].upper() if match else None


_LABEL = lazy(r"(?<![A-Za-z\\(])\(?([A-Ka-k])\s*[.):\]](?=[\s}]*[^\s}])")
_CONTINUES = lazy(r"[\s{}]*(?:or\b|and\b|[,;&+*/=^<>|]|-(?!\d)|\\(?:or|lor|cdot|times|cup))")


def choice_with_text(text: str) -> tuple[str, str] | None:
    """(letter, rest) of an option letter with its text: "(B) 12", "B. 12"."""
    plain = text.replace("$", " ")
    plain = without_layout(plain[:40]) + plain[40:]
    match = _CHOICE_TEXT.fullmatch(plain.strip().lstrip("{"))
    if match is None:
        return None
    letter, rest = match[1] or match[2] or match[3], match[4]
    if chr(ord(letter) + 1) in _LABEL.findall(rest) or "(ii)" in rest or _CONTINUES.match(rest) is not None:
        return None  # several options or parts
    rest = rest.strip().lstrip("}").strip()
    return letter.upper(), rest[:-1].rstrip() if rest.endswith("}") and rest.count("}") > rest.count("{") else rest


def bracketed_choice(text: str) -> bool:
    """Whether an option letter is written so that it can be nothing else: with brackets, a stop, or in text."""
    plain = text.strip()
    return plain != plain.strip("()[]. ") or "\\text" in plain or "\\mathrm" in plain or len(plain_words(plain)) > 3


_BETWEEN_CHOICES = lazy(r"[A-J]|\b(?:and|or|both|either)\b|[\s,;&().\\]")


def choices(text: str) -> tuple[frozenset[str], bool, bool] | None:
    """(letters, whether they are apart, whether one of them is enough) of several option letters: "A, C and D", "(A)(C)", "ACD"."""
    if len(text) > 60 or SIGNED.search(text) is not None:
        return None
    plain = plain_words(text)
    letters = [one for one in plain if "A" <= one <= "J"]
    if len(letters) < 2 or len(set(letters)) != len(letters) or _BETWEEN_CHOICES.sub("", plain):
        return None
    apart = len(plain) > len(letters)
    either = " or " in plain
    return (frozenset(letters), apart, either) if apart or letters == sorted(letters) else None


def same_marks(gold: str, answer: str) -> bool | None:
    """Whether two rows of numbers in circles, which name statements, are the same: "②③"; None where a side is none.

    Those that are in another order than 1, 2, 3 have an order, as may all from the first on.
    """
    left, right = _marks(gold), _marks(answer)
    if not left or not right:
        return None
    rising = sorted(left)
    ordered = left != rising or rising == list(range(1, len(rising) + 1))
    return left == right if ordered else rising == sorted(right)


def _marks(text: str) -> list[int]:
    """Several numbers in circles; large ones where they are alternatives."""
    plain = "" if text.isascii() else plain_words(text)
    found, rest = _CIRCLED.findall(plain), _CIRCLED.sub("", plain).strip()
    first = ord("①") - (1 if not rest else 1_000)
    return [ord(one[0]) - first for one in found] if len(found) > 1 and rest in {"", "or", "或"} else []


_CIRCLED = lazy("[\u2460-\u2473](?:[\\s,，、;；]|and|和|及|与)*")
