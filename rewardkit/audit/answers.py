"""Signs in how an answer is given: several boxes, hedges, an answer before any reasoning, a formula of the prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rewardkit.errors import clip
from rewardkit.math import all_boxed, compare, strip_thinking

TAIL_CHARS = 2_000
"""Boxes further from the end than this are scratch work, not rival answers."""
EARLY_WORDS = 12
"""An answer after fewer words than this comes before any reasoning..."""
MIN_WORDS_AFTER = 60
"""...where at least this many words follow it."""
MAX_COMPARED = 20
"""Boxes that are compared with each other."""

_STATED = re.compile(r"\\boxed\b|####\s*\S|(?i:\b(?:final )?answer\s*(?:is|:))|<answer>")
_OR = re.compile(r"\\text\s*\{\s*or\s*\}|\bor\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"(?i)\b(?:answer|result)\s*(?:is|:)\s*(?:either\s+)?\S{1,40}\s+or\s+(?:maybe\s+|possibly\s+)?[-\d$\\(][^\n]{0,40}"
)
_LAYOUT = re.compile(r"\\left|\\right|\\displaystyle|\\[,;:! ]|[\s$]|(?<=\\)[dt](?=frac)")
_CALCULATION = re.compile(
    r"[\w)}\]!][-+*^=<>]|\\(?:cdot|times|div|bmod|binom|sqrt|sum|prod|int|lim|gcd|max|min|det|log|ln|sin|cos|tan)(?![A-Za-z])|\)[(\w]"
)
"""A sign or command that leaves something to do; fractions and signs of numbers do not."""


@dataclass(frozen=True)
class AnswerSigns:
    """What was seen: rival boxes, the words of a hedge, the words before an early answer. Empty if nothing was."""

    boxes: tuple[str, ...]
    hedge: str
    early: str


def answer_signs(completion: str, prompt: str = "") -> AnswerSigns:
    """Read one completion; boxes that the prompt holds are quotations."""
    text = strip_thinking(completion)
    tail = text[-TAIL_CHARS:]
    return AnswerSigns(rival_boxes(tail, all_boxed(prompt)), _hedge(tail), _early(completion))


def rival_boxes(text: str, quoted: Sequence[str] = ()) -> tuple[str, ...]:
    """Contents of the boxes if they give different answers to one question, else nothing.

    Boxes that name different things (`x = 1`, `y = 2`) or are listed beside each other are parts of one answer.
    """
    contents = [content.strip() for content in all_boxed(text)[-MAX_COMPARED:]]
    contents = [content for content in contents if content and content not in quoted]
    distinct: list[str] = []
    for content in contents:
        if not any(content == known or compare(known, content).equal for known in distinct):
            distinct.append(content)
    if len(distinct) < 2 or _listed(text, contents):
        return ()
    return tuple(distinct)


def restated(answer: str | None, prompt: str) -> str:
    """The answer if it is a calculation or a relation that the prompt holds as it stands, else an empty text."""
    bare = _LAYOUT.sub("", answer or "")
    return clip(answer or "", 80) if _CALCULATION.search(bare) and bare in _LAYOUT.sub("", prompt) else ""


def _listed(text: str, contents: list[str]) -> bool:
    """Whether hardly any words are between the boxes: then they are members of one list."""
    start, end = text.find("\\boxed"), text.rfind("\\boxed")
    between = re.sub(r"\\boxed\s*\{[^{}]*\}", " ", text[start:end])
    words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\\[A-Za-z]+", " ", between))
    return len(words) <= 4 * (len(contents) - 1)


def _hedge(text: str) -> str:
    boxed = all_boxed(text)
    if boxed and _OR.search(boxed[-1]):
        return clip(boxed[-1], 80)
    found = _HEDGE.findall(text)
    return " ".join(found[-1].split()) if found else ""


def _early(completion: str) -> str:
    match = _STATED.search(completion)
    if match is None:
        return ""
    before, after = completion[: match.start()].split(), completion[match.end() :].split()
    if len(before) >= EARLY_WORDS or len(after) < MIN_WORDS_AFTER:
        return ""
    return clip(completion[: match.end() + 30], 80)
