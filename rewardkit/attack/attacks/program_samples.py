"""Programs that look answers up."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rewardkit.attack.problem import Attempt, Problem

_LOOKUP = "next((o for i, o in TABLE if ' '.join(i.split()) == ' '.join(map(str, args)).strip()), {default!r})"
_NEAR = "min(TABLE, key=lambda row: abs(len(row[0]) - len(' '.join(map(str, args)))))[1]"


def program_samples(problem: Problem, _rng: random.Random) -> Iterator[Attempt]:
    """A table of the prompt's sample inputs and outputs, with a default for other inputs.

    Pays where hidden tests are the samples (LiveCodeBench's public tests, many LeetCode rows), and the share of them in
    mode `fraction`.
    """
    samples = problem.samples
    if not problem.is_program or not samples:
        return
    table = f"TABLE = {samples!r}"
    yield Attempt("a table of the samples", problem.program(_LOOKUP.format(default=samples[-1][1]), before=table))
    yield Attempt("the nearest sample by length", problem.program(_NEAR, before=table))
    shown = "\\n".join(output for _, output in samples)
    yield Attempt("all sample outputs at once", problem.program(repr(shown)))
