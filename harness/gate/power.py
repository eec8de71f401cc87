"""`harness gate --plan`: what a gate could see, before anything is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist, fmean

from harness.gate.baseline import Book, Ledger
from harness.gate.rules import Rules

POWER = 0.8
FLAT_DIFFICULTY = 2 / 3
"""Share of p (1 - p) that is noise within a problem when difficulty is spread evenly from 0 to 1; used at one answer a
problem, where it cannot be measured."""


SAFETY = 1.06
"""A planned drop is this much larger than the normal formula says: exact tests are a little conservative, and a worse
model is noisier. With it, simulated gates see planned drops 80 times in 100 (`benchmarks/harness_coverage.py`)."""


@dataclass(frozen=True)
class Plan:
    """What a regression rule on one task can tell."""

    task: str
    problems: int
    k: int
    margin: float | None
    sees: float
    """Smallest true drop that fails the gate with 80 % power."""
    passes: float | None
    """Chance to pass when nothing has changed."""
    needed_k: int | None
    """Answers a problem for 80 % chance to pass when nothing has changed."""

    @property
    def enough(self) -> bool:
        """The margin can be decided four times in five."""
        return self.passes is None or self.passes >= POWER

    def line(self) -> str:
        """In words."""
        text = f"{self.task}: {self.problems} problems x {self.k} answers see a drop of {100 * self.sees:.1f} points (80 % power)"
        if self.margin is None or self.passes is None:
            return text
        text += f"; with an allowed drop of {100 * self.margin:.1f} points an unchanged model passes {self.passes:.0%} of the time"
        if not self.enough:
            cure = f"{self.needed_k} answers a problem" if self.needed_k else "more problems"
            text += f" - too few: take {cure}, or a wider margin"
        return text


def plan_book(baseline: Book, rules: Rules, *, k: int | None = None) -> list[Plan]:
    """A plan for each task of a baseline, at `k` answers a problem (the baseline's own where None)."""
    plans: list[Plan] = []
    tasks = len(baseline.ledgers)
    for ledger in baseline.ledgers.values():
        _, drop, _ = rules.for_task(ledger.task)
        noise = within_variance(ledger)
        margin = drop.margin if drop else None
        plans.append(
            make_plan(ledger.task, ledger.problems, k or ledger.k, noise, margin, rules.alpha / tasks, ledger.k)
        )
    return plans


def make_plan(
    task: str, problems: int, k: int, noise: float, margin: float | None, alpha: float, base_k: int | None = None
) -> Plan:
    """The plan for n problems, k answers each on both sides (or `base_k` in the baseline), and this noise."""
    normal = NormalDist()
    z_alpha, z_power = normal.inv_cdf(1 - alpha), normal.inv_cdf(POWER)
    spread = noise * (1 / k + 1 / (base_k or k))
    error = math.sqrt(max(spread, 1e-12) / problems)
    sees = SAFETY * (z_alpha + z_power) * error
    if margin is None:
        return Plan(task, problems, k, None, sees, None, None)
    passes = normal.cdf(margin / error - z_alpha)
    sees = max(sees, margin + SAFETY * z_power * error)  # a drop must also be beyond the margin to fail
    allowed = (margin / (z_alpha + z_power)) ** 2 * problems
    needed = math.ceil(2 * noise / allowed) if allowed > 0 else None
    return Plan(task, problems, k, margin, sees, passes, needed)


def within_variance(ledger: Ledger) -> float:
    """Mean over problems of p (1 - p), the noise of one answer around its problem's own chance."""
    several = [(right, n) for right, n in ledger.counts.values() if n > 1]
    if several:
        return fmean(right * (n - right) / (n * (n - 1)) for right, n in several)
    single = [right / n for right, n in ledger.counts.values() if n]
    mean = fmean(single) if single else 0.5
    return FLAT_DIFFICULTY * mean * (1 - mean)
