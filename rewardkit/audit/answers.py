"""Signs in how an answer is given: several boxes, hedges, an answer before any reasoning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rewardkit.math import all_boxed, compare, strip_thinking
from rewardkit.math.latex.squeezed import squeeze

TAIL_CHARS = 2_000
"""Boxes further from the end than this are scratch work, not rival answers."""
EARLY_WORDS = 12
"""An answer after fewer words than this stands before any reasoning..."""
MIN_WORDS_AFTER = 60
"""...where at least so many words follow it."""
MAX_COMPARED = 20
"""Boxes that are compared with each other."""

_STATED = re.compile(r"\\boxed\b|####\s*\S|(?i:\b(?:final )?answer\s*(?:is|:))|<answer>")
_OR = re.compile(r"\\text\s*\{\s*or\s*\}|\bor\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"(?i)\b(?:answer|result)\s*(?:is|:)\s*(?:either\s+)?\S{1,40}\s+or\s+(?:maybe\s+|possibly\s+)?[-\d$\\(][^\n]{0,40}"
)


@dataclass(frozen=True)
class AnswerSigns:
    """What was seen: rival boxes, the words of a hedge, the words before an early answer. Empty where nothing was."""

    boxes: tuple[str, ...]
    hedge: str
    early: str


def answer_signs(completion: str, prompt: str = "") -> AnswerSigns:
    """Read one completion; boxes that the prompt holds are quotations."""
    text = strip_thinking(completion)
    tail = text[-TAIL_CHARS:]
    return AnswerSigns(rival_boxes(tail, all_boxed(prompt)), _hedge(tail), _early(completion))


def rival_boxes(text: str, quoted: Sequence[str] = ()) -> tuple[str, ...]:
    """Contents of the boxes where they give different answers to one question, else nothing.

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


def restates(answer: str, prompt: str, truth: str) -> bool:
    r"""Whether an answer is a formula of the prompt, with a sign that still has to be worked out, and not the ground truth itself.

    >>> restates(r"\gcd(12, 18)", r"Find $\gcd(12,18)$.", "6"), restates("6", "Is it 6?", "6")
    (True, False)
    """
    formula = squeeze(answer)
    if len(formula) < MIN_FORMULA_CHARS or _WORKED_OUT.fullmatch(formula) is not None or formula == squeeze(truth):
        return False
    return formula in squeeze(prompt)


MIN_FORMULA_CHARS = 3
"""A shorter answer stands in most prompts by chance."""

_WORKED_OUT = re.compile(r"[-\w.,:%$ ]*|\\frac\{-?\d+\}\{-?\d+\}|[\[({][-\d., ]*[\])}]|\\?\w+")
"""A number, a fraction, a point, a word: nothing is left to do."""


def _listed(text: str, contents: list[str]) -> bool:
    """Whether hardly any words stand between the boxes: then they are members of one list."""
    start, end = text.find("\\boxed"), text.rfind("\\boxed")
    between = re.sub(r"\\boxed\s*\{[^{}]*\}", " ", text[start:end])
    words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\\[A-Za-z]+", " ", between))
    return len(words) <= 4 * (len(contents) - 1)


def _hedge(text: str) -> str:
    boxed = all_boxed(text)
    if boxed and _OR.search(boxed[-1]):
        return boxed[-1][:80]
    match = None
    for match in _HEDGE.finditer(text):  # noqa: B007 - the last one counts
        pass
    return " ".join(match[0].split()) if match else ""


def _early(completion: str) -> str:
    match = _STATED.search(completion)
    if match is None:
        return ""
    before, after = completion[: match.start()].split(), completion[match.end() :].split()
    if len(before) >= EARLY_WORDS or len(after) < MIN_WORDS_AFTER:
        return ""
    return " ".join(completion[: match.end() + 30].split())[:80] or match[0]
