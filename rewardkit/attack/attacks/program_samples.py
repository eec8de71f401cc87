"""Programs that look answers up."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

from rewardkit.attack.problem import Attempt, Problem

_EXACT = "dict(TABLE).get(str(args), {default})"
_NEAR = "min(TABLE, key=lambda row: abs(len(row[0]) - len(str(args))))[1]"


def program_samples(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    """A table of the prompt's sample inputs and outputs, with a default for other inputs.

    Pays if hidden tests are the samples (LiveCodeBench's public tests, many LeetCode rows), and the share of them in
    mode `fraction`.
    """
    if not problem.is_program or not problem.samples:
        return
    pairs = [(_key(problem, given), problem.value(output)) for given, output in problem.samples]
    table = "TABLE = [" + ", ".join(f"({key!r}, {value})" for key, value in pairs) + "]"
    exact = problem.program(_EXACT.format(default=pairs[-1][1]), before=table)
    yield Attempt("a table of the samples", exact)
    yield Attempt("the nearest sample by length", problem.program(_NEAR, before=table))
    outputs = "\n".join(output for _, output in problem.samples)
    yield Attempt("all sample outputs at once", problem.program(repr(outputs)))


def _key(problem: Problem, given: str) -> str:
    """A sample input as the program sees it: the list of its lines, or of its arguments."""
    if problem.entry_point is None:
        return str([line.strip() for line in given.splitlines()])
    for source in (given, f"f({given})"):
        try:
            call = ast.parse(source, mode="eval").body
            if isinstance(call, ast.Call):
                values = [*call.args, *(keyword.value for keyword in call.keywords)]
                return str([ast.literal_eval(value) for value in values])
        except (SyntaxError, ValueError):
            continue
    return given
