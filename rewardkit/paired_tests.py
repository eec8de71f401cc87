"""Statistics for two runs on the same problems: differences, exact tests, corrections for many tests."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

from rewardkit.stats import t_cdf, t_quantile

MONTE_CARLO_DRAWS = 20_000
"""Random sign flips if the exact distribution is out of reach (values that are not counts)."""
MAX_EXACT_BITS = 1 << 28
"""Largest number, in bits, that the exact sign-flip distribution may take (32 MiB)."""


@dataclass(frozen=True)
class Difference:
    """Mean change from one run to another over the problems that both answered."""

    delta: float
    low: float
    high: float
    p: float
    """Two-sided."""
    p_worse: float
    """One-sided: the chance of a drop this large or larger if nothing had changed."""
    n: int
    better: int
    worse: int
    test: str
    """`mcnemar` or `sign-flip`."""


def compare_counts(
    before: Sequence[tuple[int, int]], after: Sequence[tuple[int, int]], *, confidence: float = 0.95
) -> Difference:
    """Compare right answers a problem, each given as (right, asked), same problems in the same order.

    One answer a problem on both sides: McNemar's exact test. More: the exact sign-flip permutation test on the
    per-problem differences of means. The interval is Student's t over those differences.
    """
    if len(before) != len(after) or not before:
        raise ValueError(f"paired runs need the same problems: {len(before)} and {len(after)}")
    scale = math.lcm(*(n for _, n in (*before, *after)))
    steps = [c2 * (scale // n2) - c1 * (scale // n1) for (c1, n1), (c2, n2) in zip(before, after, strict=True)]
    single = all(n == 1 for _, n in (*before, *after))
    p, p_worse = sign_flip_exact(steps) or sign_flip_random([step / scale for step in steps])
    return _difference([step / scale for step in steps], p, p_worse, "mcnemar" if single else "sign-flip", confidence)


def compare_values(before: Sequence[float], after: Sequence[float], *, confidence: float = 0.95) -> Difference:
    """Compare one real value a problem (scores, rewards): sign-flip permutation test and t interval."""
    diffs = [b - a for a, b in zip(before, after, strict=True)]
    p, p_worse = sign_flip_random(diffs)
    return _difference(diffs, p, p_worse, "sign-flip", confidence)


def _difference(diffs: Sequence[float], p: float, p_worse: float, test: str, confidence: float) -> Difference:
    n = len(diffs)
    delta = fmean(diffs)
    low, high = difference_interval(diffs, confidence=confidence)
    return Difference(delta, low, high, p, p_worse, n, sum(d > 0 for d in diffs), sum(d < 0 for d in diffs), test)


def difference_interval(diffs: Sequence[float], *, confidence: float = 0.95) -> tuple[float, float]:
    """Student's t over per-problem differences.

    Where no problem changed, the spread is not zero but unseen: at most `1 - (1 - confidence) ** (1 / n)` of all
    problems can change at this confidence (the rule of three), which bounds the mean change on both sides.
    """
    n = len(diffs)
    delta = fmean(diffs)
    unseen = 1 - ((1 - confidence) / 2) ** (1 / n)
    if n < 2:
        return max(-1.0, delta - 1), min(1.0, delta + 1)
    spread = stdev(diffs)
    if spread == 0.0:
        return delta - unseen, delta + unseen
    half = t_quantile(0.5 + confidence / 2, n - 1) * spread / math.sqrt(n)
    return delta - half, delta + half


@dataclass(frozen=True)
class MarginTest:
    """A mean change held against an allowed drop: evidence that the drop is beyond it, and evidence that it is not."""

    low: float
    high: float
    """One-sided bounds of the mean change, each at the level asked for."""
    p_within: float
    """One-sided p against "the drop is at least the margin": small means that the drop stays within it."""
    p_beyond: float
    """One-sided p against "the drop is at most the margin": small means that the drop is beyond it."""
    error: float
    """Standard error of the mean change."""


def margin_test(diffs: Sequence[float], margin: float, *, alpha: float) -> MarginTest:
    """Student's t against `-margin` over per-problem differences, with two made-up differences beside the real ones.

    One made-up difference is positive and one negative, of the root mean square of the differences that are not zero. They widen the spread
    alone. Without them a few changed problems among many unchanged ones show too little spread, and t passes a
    drop equal to the margin up to 54 times in 100 (30 problems, one answer each); Bonett and Price (2012) do the same for paired shares.
    Where no problem changed the spread is unseen, and the rule of three is used instead.
    """
    n = len(diffs)
    delta = fmean(diffs)
    changed = [diff * diff for diff in diffs if diff]
    if not changed:
        unseen = 1 - alpha ** (1 / n)
        return MarginTest(-unseen, unseen, (1 - margin) ** n, 1.0, unseen / NormalDist().inv_cdf(1 - alpha))
    if n < 2:
        return MarginTest(max(-1.0, delta - 1), min(1.0, delta + 1), 1.0, 1.0, 1.0)
    squares = math.fsum((diff - delta) ** 2 for diff in diffs) + 2 * fmean(changed)
    error = math.sqrt(squares / (n - 1) / n)
    half = t_quantile(1 - alpha, n - 1) * error
    below = t_cdf((delta + margin) / error, n - 1)
    return MarginTest(delta - half, delta + half, 1 - below, below, error)


def sign_flip_exact(steps: Sequence[int]) -> tuple[float, float] | None:
    """Exact sign-flip test of whole-number differences: (two-sided p, one-sided p of a drop).

    The distribution of the sum under all 2^m sign choices is a product of polynomials (1 + x^(2|d|)). It is kept in
    one big integer, a fixed number of bits a coefficient, so that each factor is one shift and one addition. With steps
    of 0 and 1 only this is McNemar's exact (binomial) test. None if the integer would grow beyond `MAX_EXACT_BITS`.

    >>> sign_flip_exact([-1, -1, -1, 0])
    (0.25, 0.125)
    """
    sizes = [abs(step) for step in steps if step]
    if not sizes:
        return 1.0, 1.0
    divisor = math.gcd(*sizes)
    sizes = [size // divisor for size in sizes]
    total, width = sum(sizes), len(sizes) + 1
    if (total + 1) * width > MAX_EXACT_BITS:
        return None
    counts = 1
    for size in sizes:
        counts += counts << (size * width)  # index i stands for the sum 2 i - total
    observed = sum(steps) // divisor
    cut = (observed + total) // 2
    low_cut = (total - abs(observed)) // 2
    everything = 1 << len(sizes)
    lower = _sum_fields(counts, cut + 1, width)
    tail = _sum_fields(counts, low_cut + 1, width)
    p = 1.0 if observed == 0 else min(1.0, 2 * tail / everything)
    return p, lower / everything


def _sum_fields(packed: int, count: int, width: int) -> int:
    """The sum of the lowest `count` fields of `width` bits."""
    size = -(-count * width // 8)
    data = (packed & ((1 << (count * width)) - 1)).to_bytes(size, "little")
    mask = (1 << width) - 1
    total = 0
    for index in range(count):
        start = index * width
        piece = int.from_bytes(data[start // 8 : (start + width) // 8 + 1], "little")
        total += (piece >> (start % 8)) & mask
    return total


def sign_flip_random(diffs: Sequence[float]) -> tuple[float, float]:
    """The sign-flip test by random flips, the observed one counted in (Phipson and Smyth 2010): never 0."""
    changed = [diff for diff in diffs if diff]
    if not changed:
        return 1.0, 1.0
    rng = random.Random(0)
    observed = math.fsum(changed)
    slack = 1e-9 * sum(abs(diff) for diff in changed)
    lower = extreme = 0
    for _ in range(MONTE_CARLO_DRAWS):
        bits = rng.getrandbits(len(changed))
        flipped = math.fsum(diff if bits >> index & 1 else -diff for index, diff in enumerate(changed))
        lower += flipped <= observed + slack
        extreme += abs(flipped) >= abs(observed) - slack
    return (extreme + 1) / (MONTE_CARLO_DRAWS + 1), (lower + 1) / (MONTE_CARLO_DRAWS + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given (Holm 1979).

    >>> holm([0.01, 0.04])
    [0.02, 0.04]
    """
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted
