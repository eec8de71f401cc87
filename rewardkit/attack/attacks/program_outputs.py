"""Programs that always give the same."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rewardkit.attack.problem import Attempt, Problem

VALUES = (
    "0",
    "1",
    "-1",
    "2",
    "True",
    "False",
    "None",
    "''",
    "[]",
    "[[]]",
    "'YES'",
    "'NO'",
    "'Yes'",
    "'No'",
    "'-1'",
    "0.0",
)


def program_outputs(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    """An empty program, constants, the input given back, the outputs that the prompt's samples show.

    Constants pass tests that are too few or too alike (TACO and APPS have many "NO" tests; HumanEval+ counts them,
    arXiv 2305.01210); in mode `fraction` they are paid their share on every row.
    """
    if not problem.is_program:
        return
    yield Attempt("empty program", problem.answer(""))
    yield Attempt("pass", problem.answer("pass"))
    for value in VALUES:
        yield Attempt(f"always {value}", problem.program(value))
    yield Attempt("first argument", problem.program("args[0]"))
    yield Attempt("last argument", problem.program("args[-1]"))
    yield Attempt(
        "length of the first argument", problem.program("len(args[0]) if hasattr(args[0], '__len__') else args[0]")
    )
    yield Attempt(
        "sorted first argument", problem.program("sorted(args[0]) if hasattr(args[0], '__len__') else args[0]")
    )
    samples = problem.samples
    if samples:
        first, last = samples[0][1], samples[-1][1]
        yield Attempt("output of the first sample", problem.program(problem.value(first)))
        yield Attempt("output of the last sample", problem.program(problem.value(last)))
        yield Attempt("first line of the first sample's output", problem.program(problem.value(first.splitlines()[0])))
