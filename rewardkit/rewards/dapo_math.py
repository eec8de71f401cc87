"""DAPO's math reward as verl computes it: string equality near the end of the completion, 1 or -1."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import quoted
from rewardkit.rewards._text import last_boxed
from rewardkit.rewards._truth import truth_text
from rewardkit.types import Sample, Score, Verdict

TAIL_CHARS = 300
"""verl looks at the end of a completion only."""
BOX_CHARS = 100
"""The strict form looks at these last characters of the tail."""

_ANSWER = re.compile(r"(?i)Answer\s*:\s*([^\n]+)")
_REPLACED = (
    ("an ", ""), ("a ", ""), (".$", "$"), ("\\$", ""), (r"\ ", ""), (" ", ""), ("mbox", "text"), (",\\text{and}", ","),
    ("\\text{and}", ","), ("\\text{m}", "\\text{}"),
)  # fmt: skip
"""Minerva's substitutions, in its order."""
_REMOVED = (
    "square", "ways", "integers", "dollars", "mph", "inches", "hours", "km", "units", "\\ldots", "sue", "points", "feet",
    "minutes", "digits", "cents", "degrees", "cm", "gm", "pounds", "meters", "meals", "edges", "students",
    "childrentickets", "multiples", "\\text{s}", "\\text{.}", "\\text{\ns}", "\\text{}^2", "\\text{}^3", "\\text{\n}",
    "\\text{}", r"\mathrm{th}", r"^\circ", r"^{\circ}", r"\;", r",\!", "{,}", '"', "\\dots",
)  # fmt: skip
"""Minerva's removed words, in its order."""
_REWRITTEN = (
    (re.compile(r"(.*?)(\$)(.*?)(\$)(.*)"), r"$\3$"),
    (re.compile(r"(\\text\{)(.*?)(\})"), r"\2"),
    (re.compile(r"(\\textbf\{)(.*?)(\})"), r"\2"),
    (re.compile(r"(\\overline\{)(.*?)(\})"), r"\2"),
    (re.compile(r"(\\boxed\{)(.*)(\})"), r"\2"),
    (re.compile(r"(frac)([^{])(.)"), r"frac{\2}{\3}"),
    (re.compile(r"(sqrt)([^{])"), r"sqrt{\2}"),
)
"""Minerva's LaTeX rules, in its order."""


@dataclass(frozen=True, kw_only=True)
class DapoMath(SampleReward):
    r"""1 if the last `\boxed{}` of the last 100 characters is the ground truth, character by character, else -1.

    `strict=False` compares the last `Answer:` line of the last 300 characters after Minerva normalisation instead;
    `box_fallback=True` then takes the box if there is no such line, as verl 0.9 and later do.
    """

    name: ClassVar[str] = "dapo_math"
    version: ClassVar[int] = 2
    source: ClassVar[str] = (
        "verl math_dapo (DAPO, arXiv 2503.14476); Minerva rules of Lewkowycz et al. (arXiv 2206.14858)"
    )
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    strict: bool = True
    """Compare the last box character by character. If false, compare the `Answer:` line after Minerva normalisation."""
    box_fallback: bool = False
    """Only with `strict=False`: a completion without an `Answer:` line is judged by its box."""

    def grade(self, sample: Sample) -> Score:
        """Cut, extract, compare."""
        truth = truth_text(sample)
        tail = sample.completion[-TAIL_CHARS:]
        if self.strict:
            return _judge(boxed_text(tail), truth, f"no box in the last {BOX_CHARS} characters")
        lines = _ANSWER.findall(tail)
        if lines:
            return _judge(normalize_minerva(lines[-1]), normalize_minerva(truth), "")
        box = boxed_text(tail) if self.box_fallback else None
        answer = None if box is None else normalize_minerva(box)
        return _judge(answer, normalize_minerva(truth), f"no 'Answer:' line in the last {TAIL_CHARS} characters")


def boxed_text(completion: str) -> str | None:
    r"""The content of the last `\boxed{}` in the last 100 characters, or None."""
    return last_boxed(completion[-BOX_CHARS:])


def _judge(answer: str | None, truth: str, missing: str) -> Score:
    if answer is None:
        return Score.of(-1, verdict=Verdict.NO_ANSWER, reason=missing)
    equal = answer == truth
    reason = "equal as text" if equal else f"{quoted(answer)} is not {quoted(truth)}"
    return Score.of(1 if equal else -1, answer=answer, reason=reason)


def normalize_minerva(answer: str) -> str:
    """An answer after Minerva's rules: the part after the last `=`, without units, blanks and LaTeX wrapping."""
    answer = answer.rsplit("=", maxsplit=1)[-1]
    for before, after in _REPLACED:
        answer = answer.replace(before, after)
    for word in _REMOVED:
        answer = answer.replace(word, "")
    for pattern, rewritten in _REWRITTEN:
        answer = pattern.sub(rewritten, answer)
    answer = answer.replace("$", "")
    if answer.replace(",", "").isdigit():
        answer = answer.replace(",", "")
    return answer.strip()
