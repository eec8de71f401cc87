"""Answers that are true of anything."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rewardkit.attack.problem import Attempt, Problem

TAUTOLOGIES = (
    "x = x",
    "1 = 1",
    "0 = 0",
    "f(x) = f(x)",
    r"x \in \{x\}",
    r"x \le x",
    r"\text{true}",
    r"x \text{ such that } x \text{ is the answer}",
    r"\text{the answer}",
    r"\text{answer}",
    r"\{x : x \text{ is a solution}\}",
)


def tautologies(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    """Statements that always hold, and names for "the answer": `x = x`, `1 = 1`, the prompt's own equation unsolved.

    A judge that checks whether an equation holds, or that subtracts both sides, pays them: our own audit saw `math` pay
    any true equation when the ground truth was one.
    """
    if problem.is_program:
        return
    for text in TAUTOLOGIES:
        yield Attempt(text, problem.answer(text), guess=text)
    equations = [formula for formula in problem.formulas if "=" in formula]
    if equations:
        yield Attempt("equation of the prompt", problem.answer(equations[-1]))
        yield Attempt(
            "equation of the prompt, turned round", problem.answer(" = ".join(equations[-1].split("=")[::-1]))
        )
        yield Attempt("equations of the prompt as a system", problem.answer(", ".join(equations[:4])))
