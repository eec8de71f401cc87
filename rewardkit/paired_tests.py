"""Statistics for two runs on the same problems: differences, exact tests, corrections for many tests."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from statistics import NormalDist, fmean

from rewardkit.stats import t_cdf, t_quantile

MONTE_CARLO_DRAWS = 20_000
"""Random sign flips if the exact distribution is out of reach (values that are not counts)."""
MAX_EXACT_BITS = 1 << 28
"""Largest number, in bits, that the exact sign-flip distribution may take (32 MiB)."""
MAX_EXACT_WORK = 1 << 35
"""Most bits, over all changed problems, that the exact distribution may move: 2 s on one core, some 3,000 changed problems."""
MAX_FLIPPED = 2_000
"""Most changed problems that are flipped at random, 1 s. Of more, the normal limit is closer to the truth than so many flips."""
_ZEROS_AND_ONES = bytes.maketrans(b"01", b"\0\1")


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
    per-problem differences of means, by random flips or its normal limit where that is out of reach (`sign_flip_random`).
    The interval is Student's t over those differences.
    """
    if len(before) != len(after) or not before:
        raise ValueError(f"paired runs need the same problems: {len(before)} and {len(after)}")
    scale = math.lcm(*(n for _, n in (*before, *after)))
    steps = [c2 * (scale // n2) - c1 * (scale // n1) for (c1, n1), (c2, n2) in zip(before, after, strict=True)]
    single = all(n == 1 for _, n in (*before, *after))
    p, p_worse = sign_flip_exact(steps) or sign_flip_random(steps, grid=math.gcd(*steps))
    test = "mcnemar" if single else "sign-flip"
    return _difference([step / scale for step in steps], p, p_worse, test, confidence, limit=1.0)


def compare_values(before: Sequence[float], after: Sequence[float], *, confidence: float = 0.95) -> Difference:
    """Compare one real value a problem (scores, rewards): sign-flip permutation test and t interval."""
    diffs = [b - a for a, b in zip(before, after, strict=True)]
    p, p_worse = sign_flip_random(diffs)
    return _difference(diffs, p, p_worse, "sign-flip", confidence)


def _difference(
    diffs: Sequence[float], p: float, p_worse: float, test: str, confidence: float, limit: float = math.inf
) -> Difference:
    low, high = difference_interval(diffs, confidence=confidence, limit=limit)
    better, worse = sum(d > 0 for d in diffs), sum(d < 0 for d in diffs)
    return Difference(fmean(diffs), low, high, p, p_worse, len(diffs), better, worse, test)


def difference_interval(
    diffs: Sequence[float], *, confidence: float = 0.95, limit: float = math.inf
) -> tuple[float, float]:
    """Interval of the mean change, from one-sided bounds as `margin_test` has them. No change is beyond `limit`."""
    low, high, _ = _bounds(diffs, (1 - confidence) / 2, limit)
    return low, high


def _bounds(diffs: Sequence[float], tail: float, limit: float) -> tuple[float, float, float]:
    """Bounds of the mean change, each missed with a chance of `tail`, and its standard error: Student's t, with two made-up differences.

    One made-up difference is positive and one negative, of the root mean square of the differences that are not zero. They widen the spread
    alone. Without them a few changed problems among many unchanged ones show too little spread: t passes a drop equal to the margin up to 54
    times in 100 (30 problems, one answer each), and intervals of 95 % cover 85 %; Bonett and Price (2012) do the same for paired shares.
    Where no problem changed, the spread is not zero but unseen: at most `1 - tail ** (1 / n)` of all problems can change then
    (the rule of three), which bounds the mean change on both sides.
    """
    n, delta = len(diffs), fmean(diffs)
    changed = [diff * diff for diff in diffs if diff]
    if not changed:
        unseen = 1 - tail ** (1 / n)
        return -unseen, unseen, unseen / NormalDist().inv_cdf(1 - tail)
    if n < 2:
        reach = max(1.0, abs(delta))
        return -reach, reach, 1.0
    squares = math.fsum((diff - delta) ** 2 for diff in diffs) + 2 * fmean(changed)
    error = math.sqrt(squares / (n - 1) / n)
    half = t_quantile(1 - tail, n - 1) * error
    return max(-limit, delta - half), min(limit, delta + half), error


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
    """The mean change of per-problem shares against `-margin`: Student's t, or the rule of three where no problem changed (`_bounds`)."""
    n = len(diffs)
    low, high, error = _bounds(diffs, alpha, 1.0)
    if not any(diffs):
        return MarginTest(low, high, (1 - margin) ** n, 1.0, error)
    if n < 2:
        return MarginTest(low, high, 1.0, 1.0, error)
    below = t_cdf((fmean(diffs) + margin) / error, n - 1)
    return MarginTest(low, high, 1 - below, below, error)


def sign_flip_exact(steps: Sequence[int]) -> tuple[float, float] | None:
    """Exact sign-flip test of whole-number differences: (two-sided p, one-sided p of a drop).

    The distribution of the sum under all 2^m sign choices is a product of polynomials (1 + x^(2|d|)). It is kept in
    one big integer, a fixed number of bits a coefficient, so that each factor is one shift and one addition. With steps
    of 0 and 1 only this is McNemar's exact (binomial) test. None if the integer would grow beyond `MAX_EXACT_BITS`,
    or making it take more than `MAX_EXACT_WORK`.

    >>> sign_flip_exact([-1, -1, -1, 0])
    (0.25, 0.125)
    """
    sizes = [abs(step) for step in steps if step]
    if not sizes:
        return 1.0, 1.0
    divisor = math.gcd(*sizes)
    sizes = [size // divisor for size in sizes]
    total, width = sum(sizes), len(sizes) + 1
    if (total + 1) * width > min(MAX_EXACT_BITS, MAX_EXACT_WORK // len(sizes)):
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


def sign_flip_random(diffs: Sequence[float], *, grid: float = 0.0) -> tuple[float, float]:
    """The sign-flip test by random flips, the observed one counted in (Phipson and Smyth 2010): never 0.

    From `MAX_FLIPPED` changed problems on by the normal limit of the same distribution, whose variance is the sum of squares; all differences are
    multiples of `grid`, so that sums are twice that apart, and half of it is their continuity correction.
    """
    changed = [diff for diff in reversed(diffs) if diff]
    if not changed:
        return 1.0, 1.0
    observed = math.fsum(changed)
    if len(changed) > MAX_FLIPPED:
        unit = math.sqrt(2 * math.fsum(diff * diff for diff in changed))
        return min(1.0, math.erfc((abs(observed) - grid) / unit)), math.erfc(-(observed + grid) / unit) / 2
    rng = random.Random(0)
    slack = 1e-9 * sum(abs(diff) for diff in changed)
    lower = extreme = 0
    for _ in range(MONTE_CARLO_DRAWS):
        kept = f"{rng.getrandbits(len(changed)):0{len(changed)}b}".encode().translate(_ZEROS_AND_ONES)
        flipped = 2 * sum(compress(changed, kept)) - observed
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
