"""One answer for every row."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rewardkit.attack.problem import Attempt, Problem

NUMBERS = ("0", "1", "2", "3", "4", "5", "6", "8", "10", "12", "-1", "100", r"\frac{1}{2}")
WORDS = ("A", "B", "C", "D", "E", "yes", "no", "true", "false", "none", r"\text{no solution}", r"\infty")


def constants(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    """The same answer on every row: the most common ones of the set, small numbers, letters, yes and no.

    The majority-class baseline. What it earns by being right is the base rate, which no reward can refuse; what it
    earns beyond that is a judge that takes another answer for this one.
    """
    if problem.is_program:
        return
    for answer in dict.fromkeys((*problem.common, *NUMBERS, *WORDS)):
        yield Attempt(f"always {answer}", problem.answer(answer), guess=answer)
