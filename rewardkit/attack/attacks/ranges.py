"""Answers that contain every answer."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rewardkit.attack.problem import Attempt, Problem

RANGES = (
    r"(-\infty, \infty)",
    r"\mathbb{R}",
    r"x \in \mathbb{R}",
    "all real numbers",
    r"(-\infty, 0] \cup [0, \infty)",
    r"[0, 1000]",
    r"0 \le x \le 1000",
    r"-10^9 \le x \le 10^9",
    r"x \ge 0",
    r"x \ne 0",
    r"\text{any integer}",
    r"k, \; k \in \mathbb{Z}",
    r"1 \pm 1000",
    "between 0 and 1000",
    "c",
    "x",
    r"\text{NaN}",
)


def ranges(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    """An interval, a union, all real numbers, a free variable, NaN: answers that hold the right one, or compare oddly.

    Judges that test membership, that substitute free letters, or that let a comparison with NaN pass pay them.
    """
    if not problem.is_program:
        for answer in RANGES:
            yield Attempt(answer, problem.answer(answer), guess=answer)
