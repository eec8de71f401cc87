"""Tasks given back unevaluated."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from fractions import Fraction

from rewardkit.attack.problem import Attempt, Problem

_ARITHMETIC = re.compile(r"(?:\(?-?\d+(?:\.\d+)?\)?\s*(?:[-+*/^]|\\times|\\cdot|\\div)\s*)+\(?-?\d+(?:\.\d+)?\)?")
_TASKS = (r"\int", r"\sum", r"\prod", r"\lim", r"\gcd", r"\binom", r"\sqrt", r"\frac", r"\begin", r"\log", r"\det", "!")
"""Operators whose working out is the task."""
MAX_BINOMIAL = 1_000


def expressions(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    r"""The operation that the task asks for, not carried out: `\gcd(12, 18)`, `\int_0^1 x^2 dx`, `17 \cdot 23`, `a + b`.

    A judge that evaluates what a completion should have evaluated pays for copying the task. If it joins two
    numbers of the prompt, its value is taken as a guess, since a short program could find it as well.
    """
    if problem.is_program:
        return
    formulas = [formula.rpartition("=")[0] if formula.endswith("=") else formula for formula in problem.formulas]
    tasks = [formula for formula in formulas if any(name in formula for name in _TASKS)]
    if tasks:
        yield Attempt("last formula with a task in it", problem.answer(tasks[-1]))
        yield Attempt("last formula with a task, as an equation", problem.answer(f"x = {tasks[-1]}"))
    plain = _ARITHMETIC.findall(problem.prompt)
    if plain:
        yield Attempt("arithmetic of the prompt", problem.answer(max(plain, key=len)))
    numbers = [number.replace(",", "") for number in problem.numbers][:2]
    if len(numbers) == 2:
        yield from _of_two(problem, *numbers)


def _of_two(problem: Problem, a: str, b: str) -> Iterator[Attempt]:
    left, right = Fraction(a), Fraction(b)
    values = {"+": left + right, "-": left - right, r"\cdot": left * right}
    if right:
        values["/"] = left / right
    for sign, value in values.items():
        yield Attempt(f"a {sign} b", problem.answer(f"{a} {sign} {b}"), guess=(str(value), a, b))
    if left.denominator == right.denominator == 1 and 0 < right <= left < MAX_BINOMIAL:
        m, n = int(left), int(right)
        for name, text, value in (
            ("gcd", rf"\gcd({a}, {b})", math.gcd(m, n)),
            ("mod", rf"{a} \bmod {b}", m % n),
            ("binomial", rf"\binom{{{a}}}{{{b}}}", math.comb(m, n)),
        ):
            yield Attempt(name, problem.answer(text), guess=(str(value), a, b))
