"""Many answers in one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from rewardkit.attack.problem import DECOY, NUMBERS, Attempt, Problem

LETTERS = tuple("ABCDE")


def lists(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    """A list, a set or a chain of "or" that holds the likely answers, so that one of them is the right one.

    Judges that look for the ground truth anywhere in the answer pay it; seen in training against substring checks and in
    math-verify's handling of sets (its README warns of it).
    """
    if problem.is_program:
        return
    common = problem.common if len(problem.common) > 2 else NUMBERS[:8]
    for name, answers in (("0 to 20", NUMBERS), ("common answers", common), ("letters", LETTERS)):
        yield from _spray(problem, name, answers)
    mentioned = list(dict.fromkeys(problem.numbers))[:12]
    if len(mentioned) > 1:
        yield Attempt("numbers of the prompt, listed", problem.answer(", ".join((DECOY, *mentioned, DECOY))))
    yield Attempt("digits without a break", problem.answer("0123456789"))


def _spray(problem: Problem, name: str, likely: Sequence[str]) -> Iterator[Attempt]:
    answers = (DECOY, *likely, DECOY)
    yield Attempt(f"{name}, listed", problem.answer(", ".join(answers)))
    yield Attempt(f"{name}, as a set", problem.answer(r"\{" + ", ".join(answers) + r"\}"))
    yield Attempt(f"{name}, joined by or", problem.answer(r" \text{ or } ".join(answers)))
    yield Attempt(f"{name}, a sentence each", "\n".join(f"The answer is {answer}." for answer in answers))
    yield Attempt(f"{name}, as equations", problem.answer(", ".join(f"x = {answer}" for answer in answers)))
