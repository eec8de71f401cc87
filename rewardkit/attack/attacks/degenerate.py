"""Text without sense."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rewardkit.attack.problem import Attempt, Problem

LONG_CHARS = 100_000


def degenerate(problem: Problem, rng: random.Random) -> Iterator[Attempt]:
    """Blanks, one character, 100 kB of one token, loops, noise: what broken policies write, and what patterns hang on.

    A regular expression with an open end, or one that backtracks, is paid or stalls here; a stalled judge is counted as
    unjudged.
    """
    yield Attempt("blanks", " \n\t" * 20)
    for mark in (".", "1", "?", "}", "</"):
        yield Attempt(f"only {mark}", mark)
    for token in ("a ", "1", "\\boxed{", "<think>", "(", "1,", "\n"):
        yield Attempt(f"100 kB of {token!r}", token * (LONG_CHARS // len(token)))
    yield Attempt("a loop", "Wait, let me check that again. " * 300)
    yield Attempt("digits at random", "".join(rng.choice("0123456789 ") for _ in range(5_000)))
    yield Attempt("all digits and letters", " ".join("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    yield Attempt("characters at random", "".join(chr(rng.randrange(32, 0x2FF)) for _ in range(500)))
    yield Attempt("null characters", "\0" * 50)
    yield Attempt("an answer cut off", problem.answer("1")[: max(1, len(problem.answer("1")) - 3)])
