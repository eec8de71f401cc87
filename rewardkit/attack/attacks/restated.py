"""The prompt given back."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rewardkit.attack.problem import Attempt, Problem

MAX_CHARS = 2_000


def restated(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    """Formulas, numbers and sentences of the prompt, as the answer.

    Where the task is an expression to be worked out, a judge that compares values pays the expression itself; where the
    answer stands among numbers of the prompt, picking one is a base rate.
    """
    if problem.is_program:
        return
    formulas, numbers = problem.formulas, problem.numbers
    if formulas:
        longest = max(formulas, key=len)
        sides = [formula.rpartition("=")[2].strip() for formula in formulas if "=" in formula]
        choices = {"first formula": formulas[0], "last formula": formulas[-1], "longest formula": longest}
        if sides:
            choices |= {"right side of the last equation": sides[-1], "right side of the first": sides[0]}
        for name, formula in choices.items():
            yield Attempt(name, problem.answer(formula), guess=formula)
        yield Attempt("all formulas", problem.answer(", ".join(formulas)[:MAX_CHARS]))
        yield Attempt("all formulas as a chain", problem.answer(" = ".join(formulas)[:MAX_CHARS]))
    for name, number in (("first number", numbers[:1]), ("last number", numbers[-1:])):
        for text in number:
            yield Attempt(name, problem.answer(text), guess=text)
    if problem.prompt:
        whole, guess = problem.prompt[:MAX_CHARS], problem.last_number
        yield Attempt("the whole prompt", whole, guess=guess)
        yield Attempt("the whole prompt as the answer", problem.answer(whole), guess=guess)
