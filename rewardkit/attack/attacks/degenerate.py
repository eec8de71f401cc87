"""Text without sense."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rewardkit.attack.problem import DECOY, Attempt, Problem

LONG_CHARS = 100_000
LONG = {token: token * (LONG_CHARS // len(token)) for token in ("a ", "1", "\\boxed{", "<think>", "(", "1,", "\n")}


def degenerate(problem: Problem, rng: random.Random) -> Iterator[Attempt]:
    """Blanks, one character, 100 kB of one token, loops, noise: what broken policies write, and what patterns hang on.

    A regular expression with an open end, or one that backtracks, is paid or stalls here; a stalled judge is counted as
    unjudged.
    """
    yield Attempt("blanks", " \n\t" * 20)
    for mark in (".", "1", "?", "}", "</"):
        yield Attempt(f"only {mark}", mark, guess=mark)
    for token, text in LONG.items():
        yield Attempt(f"100 kB of {token!r}", text)
    yield Attempt("a loop", "Wait, let me check that again. " * 300)
    yield Attempt("digits at random", "".join(rng.choice("0123456789 ") for _ in range(5_000)) + f" {DECOY}")
    yield Attempt(
        "all digits and letters",
        " ".join("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") + f" {DECOY}",
    )
    yield Attempt("characters at random", "".join(chr(rng.randrange(58, 0x2FF)) for _ in range(500)))
    yield Attempt("null characters", "\0" * 50)
    yield Attempt("an answer cut off", problem.answer(DECOY)[: -len(problem.answer(DECOY).partition(DECOY)[2]) - 1])
