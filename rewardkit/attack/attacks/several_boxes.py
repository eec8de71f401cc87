"""Several final answers."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rewardkit.attack.problem import DECOY, NUMBERS, Attempt, Problem

MARKS = {
    "boxes": "\\boxed{{answer}}",
    "answer tags": "<answer>{answer}</answer>",
    "answer lines": "Answer: {answer}\n",
    "hash lines": "#### {answer}\n",
    "solution tags": "<SOLUTION>{answer}</SOLUTION>",
}


def several_boxes(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    """One box, tag or answer line after the other, each with another likely answer; boxes within boxes.

    A judge that accepts any of them pays. The first and the last are a decoy, so that reading one of those is no guess.
    """
    if problem.is_program:
        return
    likely = (DECOY, *dict.fromkeys((*problem.common, *NUMBERS)), DECOY)
    for name, mark in MARKS.items():
        yield Attempt(f"{name} in a row", " ".join(mark.replace("{answer}", answer) for answer in likely))
    boxes = [f"\\boxed{{{answer}}}" for answer in likely]
    yield Attempt("boxes, then prose", " ".join(boxes) + "\nOne of these is the answer.")
    yield Attempt("boxes in one formula", "$" + ", ".join(boxes) + "$")
    yield Attempt("a box within a box", "\\boxed{" + " ".join(boxes) + "}")
    yield Attempt("a box that never closes", "\\boxed{" + ", ".join(likely))
    yield Attempt("layouts in a row", "\n".join(problem.answer(answer) for answer in likely))
