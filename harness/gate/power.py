"""`harness gate --plan`: which drop a gate could detect, computed before a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist, fmean

from harness.gate.baseline import Book, Ledger
from harness.gate.rules import Rules
from rewardkit.stats import t_quantile

POWER = 0.8
FLAT_DIFFICULTY = 2 / 3
"""Share of p (1 - p) that is noise within a problem when difficulty is spread evenly from 0 to 1; used at one answer a
problem, if it cannot be measured."""
NO_CHANGE_SHARE = 5
"""FAIL also needs p <= alpha / 5 in the exact test against "nothing changed": an unchanged model fails at most once in 100 gates."""
UNEVEN = 0.6
"""A drop is planned to differ between problems by this share of its mean (standard deviation), which adds to the noise. With it,
simulated gates see planned drops 80 times in 100 (`benchmarks/harness_coverage.py`, `tests/harness/gate/test_verdict.py`)."""
SAFETY = 1.04
"""A planned drop is this much larger than the formula says: exact tests are a little conservative, and a worse model is noisier."""
MAX_K = 1 << 20
"""Most answers per problem in a plan."""


@dataclass(frozen=True)
class Plan:
    """The power of a regression rule on one task."""

    task: str
    problems: int
    k: int
    margin: float | None
    sees: float
    """Smallest true drop, spread over the problems, that fails the gate with 80 % power; 1 if none does."""
    passes: float | None
    """Chance to pass when nothing has changed."""
    needed_k: int | None
    """Answers a problem, in both runs, for 80 % chance to pass when nothing has changed."""

    @property
    def enough(self) -> bool:
        """True if the margin can be decided with 80 % power."""
        return self.sees < 1 and (self.passes is None or self.passes >= POWER)

    def line(self) -> str:
        """In words."""
        seen = (
            f"a drop of {100 * self.sees:.1f} points that is spread over them (80 % power)"
            if self.sees < 1
            else "no drop"
        )
        text = f"{self.task}: {self.problems} problems x {self.k} answers see {seen}"
        if self.margin is not None and self.passes is not None:
            text += f"; with an allowed drop of {100 * self.margin:.1f} points an unchanged model passes {self.passes:.0%} of the time"
        if self.sees >= 1:
            text += " - too few: take more problems"
        elif not self.enough:
            more = f"{self.needed_k} answers a problem in both runs" if self.needed_k else "more problems"
            text += f" - too few: take {more}, or a wider margin"
        return text


def plan_book(baseline: Book, rules: Rules, *, k: int | None = None) -> list[Plan]:
    """A plan for each task of a baseline, at `k` answers a problem (the baseline's own if None).

    Raises:
        UsageError: rules for a task that it does not hold.
    """
    rules.unused(baseline.ledgers, baseline.place)
    alpha, count = rules.look_alpha, rules.corrected(baseline.ledgers)
    plans: list[Plan] = []
    for ledger in baseline.ledgers.values():
        _, drop, _ = rules.for_task(ledger.task)
        margin = drop.margin if drop else None
        noise = within_variance(ledger)
        plans.append(
            make_plan(ledger.task, ledger.problems, k or ledger.k, noise, margin, alpha, ledger.k, max(1, count))
        )
    return plans


def make_plan(
    task: str,
    problems: int,
    k: int,
    noise: float,
    margin: float | None,
    alpha: float,
    base_k: int | None = None,
    count: int = 1,
) -> Plan:
    """The plan for n problems, k answers each on both sides (or `base_k` in the baseline), and this noise.

    Each of `count` rules passes at alpha by itself; it fails after Holm's correction, at worst at alpha / count.
    """
    error = planned_error(problems, k, base_k or k, noise)
    most = max(k, base_k or k)
    even = seen_drop(error, margin or 0.0, alpha / count, problems, most)
    uneven = math.hypot(error, UNEVEN * even / math.sqrt(problems))
    sees = min(1.0, SAFETY * seen_drop(uneven, margin or 0.0, alpha / count, problems, most))
    if margin is None:
        return Plan(task, problems, k, None, sees, None, None)
    passes = _pass_chance(problems, k, base_k or k, noise, margin, alpha)
    return Plan(task, problems, k, margin, sees, passes, _needed_k(problems, noise, margin, alpha))


def planned_error(problems: int, k: int, base_k: int, noise: float) -> float:
    """The standard error that `margin_test` is expected to find, its two made-up differences included."""
    if problems < 2:
        return 1.0
    spread = noise * (1 / k + 1 / base_k)
    made_up = 2 * max(spread, 1 / (k * base_k)) / (problems - 1)
    return math.sqrt((spread + made_up) / problems)


def seen_drop(error: float, margin: float, alpha: float, problems: int, k: int) -> float:
    """The smallest true drop, spread over the problems, that FAILs with 80 % power: beyond the margin and, more strictly, beyond no change at all.

    The exact test needs a number of problems that all lost at least one of k answers; 1 if there are not so many. A drop that
    sits in fewer problems never FAILs, however large.
    """
    least = math.ceil(math.log2(NO_CHANGE_SHARE / alpha))
    if problems < least:
        return 1.0
    power = _quantile(POWER, problems)
    beyond = _quantile(1 - alpha, problems) + power
    changed = _quantile(1 - alpha / NO_CHANGE_SHARE, problems) + power
    return max(margin + beyond * error, changed * error, least / (k * problems))


def _pass_chance(problems: int, k: int, base_k: int, noise: float, margin: float, alpha: float) -> float:
    if noise == 0.0:  # no problem is expected to change: the rule of three decides
        return float((1 - margin) ** problems <= alpha)
    error = planned_error(problems, k, base_k, noise)
    return NormalDist().cdf(margin / error - _quantile(1 - alpha, problems))


def _needed_k(problems: int, noise: float, margin: float, alpha: float) -> int | None:
    """The smallest k, in both runs, at which an unchanged model passes with 80 % chance; None if there is none."""
    most = 1
    while _pass_chance(problems, most, most, noise, margin, alpha) < POWER:
        most *= 2
        if most > MAX_K:
            return None
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        if _pass_chance(problems, middle, middle, noise, margin, alpha) < POWER:
            least = middle
        else:
            most = middle
    return most


def _quantile(probability: float, problems: int) -> float:
    return t_quantile(probability, problems - 1) if problems > 1 else NormalDist().inv_cdf(probability)


def within_variance(ledger: Ledger) -> float:
    """Mean over problems of p (1 - p), the noise of one answer around its problem's own chance."""
    several = [(right, n) for right, n in ledger.counts.values() if n > 1]
    if several:
        return fmean(right * (n - right) / (n * (n - 1)) for right, n in several)
    single = [right / n for right, n in ledger.counts.values() if n]
    mean = fmean(single) if single else 0.5
    return FLAT_DIFFICULTY * mean * (1 - mean)
