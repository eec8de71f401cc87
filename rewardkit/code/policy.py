"""How strict a judge is: which tests count, what a pass is worth, which limits hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rewardkit.code.compare import TextRule
from sandboxes.base import Limits

Mode = Literal["all_or_nothing", "fraction", "first_k", "weighted"]

BONUS = 0.1
"""`weighted`: what the share of passed tests adds to the 1 of a full pass (open-r1's `weighted_sum`)."""


@dataclass(frozen=True)
class Policy:
    """The options of a judgement, checked by whoever makes one."""

    mode: Mode = "all_or_nothing"
    """`all_or_nothing`: 1 or 0, and the first failing test ends the run. `fraction`: the share of tests passed.
    `first_k`: the share of the first `k` tests; the others only run if all of those pass. `weighted`: 1 for a
    full pass, plus `BONUS` times the share (by the row's own weights, if it has some)."""
    k: int = 10
    limits: Limits = field(default_factory=Limits)
    compare: TextRule | None = None
    """For printed output; None takes the row's own rule, or `tokens`."""
    tolerance: float | None = None
    """For returned floats; None takes the format's."""
    testlib: str = ""
    """The text of testlib.h, for checkers and interactors in C++. Empty: our own."""
    max_tests: int | None = None
    """Only this many tests are run."""

    @property
    def stops_early(self) -> bool:
        """The first failing test decides the value."""
        return self.mode == "all_or_nothing"

    def value(self, passed: list[bool], weights: tuple[float, ...], *, everything: bool) -> float:
        """What these tests are worth. `passed` holds one entry a test that counts; `everything`: no test failed.

        >>> Policy(mode="fraction").value([True] * 7 + [False] * 9, (), everything=False)
        0.4375
        """
        if self.mode == "all_or_nothing":
            return float(everything)
        if self.mode == "first_k":
            first = passed[: self.k]
            return sum(first) / len(first)
        if self.mode == "fraction" or not weights:
            share = sum(passed) / len(passed)
        else:
            used = weights[: len(passed)]
            total = sum(used)
            share = sum(weight for weight, ok in zip(used, passed, strict=True) if ok) / total if total else 0.0
        return share if self.mode == "fraction" else float(everything) + BONUS * share
