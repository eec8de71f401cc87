"""Means with intervals. The problem is the unit: answers to one problem are not independent of each other.

An interval over answers is far too narrow (30 problems x 16 answers taken as 480 independent ones cover 59 % instead of 95 %:
`benchmarks/harness_coverage.py`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist, fmean

BOOTSTRAP_DRAWS = 2_000
"""Resamples of a bootstrap: the interval's ends move by less than 1 % of its width between seeds."""
UNSEEN = 1 - 1e-9
"""Below this many, the spread is not seen: one problem, however its shares are rounded."""


@dataclass(frozen=True)
class Estimate:
    """A mean over problems with its interval."""

    value: float
    low: float
    high: float
    n: int
    """Number of problems."""
    method: str
    """`wilson`, `score-t`, `t` for values without bounds, `bootstrap`, or `none` for fewer than two problems."""

    def to_json(self) -> dict[str, float | int | str | None]:
        """Plain values for a results file; an end that is not known (one problem, no bounds) is None, as JSON has no infinity."""
        low, high = (end if math.isfinite(end) else None for end in (self.low, self.high))
        return {"value": self.value, "low": low, "high": high, "n": self.n, "method": self.method}


def pass_at_k(n: int, c: int, k: int) -> float:
    """Unbiased chance that one of k draws is right, given c of n (Chen et al. 2021, eq. 1).

    >>> pass_at_k(n=10, c=5, k=1)
    0.5
    >>> pass_at_k(n=16, c=1, k=16)
    1.0
    """
    if not 0 <= c <= n or not 1 <= k <= n:
        raise ValueError(f"pass@{k} of {c} right among {n} answers: need 0 <= c <= n and 1 <= k <= n")
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def mean_interval(
    values: Sequence[float], *, counts: Sequence[int] | None = None, confidence: float = 0.95, bounded: bool = True
) -> Estimate:
    """The mean over problems: Wilson if every value is 0 or 1, else by Student's t with n - 1 degrees of freedom.

    `counts` says how many problems have each value; without it, one.

    `bounded` says that values lie in [0, 1]; turn it off for rewards. The t test is then inverted as Wilson inverts his,
    with n p (1 - p) / s^2 problems (`score-t`): the spread at another mean is not the one that was seen, and plain t is
    too short on the side of 1/2. If all values are equal, or the rarer kind makes up less than one problem, the spread is
    unseen, not zero: Wilson's interval for n problems is used instead.
    """
    counts = [1] * len(values) if counts is None else counts
    n = sum(counts)
    if n == 0:
        raise ValueError("no problems: a mean needs at least one value")
    mean = fmean(values, counts)
    if bounded and all(value in (0.0, 1.0) for value in values):
        low, high = wilson(mean * n, n, confidence=confidence)
        return Estimate(mean, low, high, n, "wilson")
    if n == 1:
        return Estimate(mean, *((0.0, 1.0) if bounded else (-math.inf, math.inf)), n, "none")
    squares = (count * (value - mean) ** 2 for value, count in zip(values, counts, strict=True))
    spread = math.sqrt(math.fsum(squares) / (n - 1)) if min(values) < max(values) else 0.0
    if bounded and (spread == 0.0 or rarer_kind(values, counts) < UNSEEN):
        low, high = wilson(mean * n, n, confidence=confidence)
        return Estimate(mean, low, high, n, "wilson")
    quantile = t_quantile(0.5 + confidence / 2, n - 1)
    if bounded:
        low, high = _score_interval(mean, n * mean * (1 - mean) / spread**2, quantile)
        return Estimate(mean, low, high, n, "score-t")
    half = quantile * spread / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half, n, "t")


def rarer_kind(values: Sequence[float], counts: Sequence[int]) -> float:
    """How many problems' worth of right or of wrong answers there are, whichever are fewer. Not from the mean: 5 * (1 - 4 / 5) is below 1."""
    right = math.fsum(value * count for value, count in zip(values, counts, strict=True))
    wrong = math.fsum((1 - value) * count for value, count in zip(values, counts, strict=True))
    return min(right, wrong)


def wilson(successes: float, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share (Wilson 1927): it covers as it says also for small n and near 0 and 1.

    >>> tuple(round(end, 3) for end in wilson(8, 10))
    (0.49, 0.943)

    Raises:
        ValueError: n is not positive.
    """
    if n <= 0:
        raise ValueError(f"n is {n}; a share needs at least one observation")
    low, high = _score_interval(successes / n, n, NormalDist().inv_cdf(0.5 + confidence / 2))
    return (0.0 if successes <= 0 else low), (1.0 if successes >= n else high)


def _score_interval(share: float, n: float, z: float) -> tuple[float, float]:
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def clustered_interval(clusters: Mapping[tuple[int, int], int], *, confidence: float = 0.95) -> Estimate:
    """The mean over answers that come in clusters, the answers to one problem: how many clusters have this sum and size.

    Clusters of one size are averaged and taken as one value each. For others the mean over all answers is a ratio, whose spread
    is that of the clusters' residuals (Cochran 1977, section 9A.2).
    """
    counts = list(clusters.values())
    n, total = sum(counts), sum(size * count for (_, size), count in clusters.items())
    if len({size for _, size in clusters}) == 1:
        return mean_interval([right / size for right, size in clusters], counts=counts, confidence=confidence)
    mean = sum(right * count for (right, _), count in clusters.items()) / total
    if mean in (0.0, 1.0):
        return mean_interval([mean], counts=[n], confidence=confidence)
    values = [mean + (right - mean * size) * n / total for right, size in clusters]
    return mean_interval(values, counts=counts, confidence=confidence)


def bootstrap_interval(
    values: Sequence[float], *, confidence: float = 0.95, seed: int = 0, draws: int = BOOTSTRAP_DRAWS
) -> Estimate:
    """The mean over problems with a bootstrap over problems: bias-corrected and accelerated (Efron 1987).

    pass@k over few problems is skewed, where plain percentiles cover too rarely. For small n the tails are taken from
    Student's t and scaled by n / (n - 1) (Hesterberg 2015). If the spread is unseen, Wilson's interval is used instead.
    """
    n = len(values)
    mean = fmean(values) if values else 0.0
    if n < 2 or len(set(values)) == 1 or rarer_kind(values, [1] * n) < UNSEEN:
        return mean_interval(values, confidence=confidence)
    rng = random.Random(seed)
    means = sorted(math.fsum(rng.choices(values, k=n)) / n for _ in range(draws))
    normal = NormalDist()
    below = sum(each < mean for each in means) + 0.5 * sum(each == mean for each in means)
    bias = normal.inv_cdf(min(1 - 1 / draws, max(1 / draws, below / draws)))
    cubes, squares = math.fsum((v - mean) ** 3 for v in values), math.fsum((v - mean) ** 2 for v in values)
    lean = cubes / (6 * squares**1.5)
    z = math.sqrt(n / (n - 1)) * t_quantile(0.5 + confidence / 2, n - 1)
    low, high = (normal.cdf(bias + (bias + end) / (1 - lean * (bias + end))) for end in (-z, z))
    return Estimate(mean, _percentile(means, low), _percentile(means, high), n, "bootstrap")


def _percentile(ordered: Sequence[float], share: float) -> float:
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


@lru_cache(maxsize=1024)
def t_quantile(probability: float, df: int) -> float:
    """Quantile of Student's t, by bisection on its distribution function.

    >>> round(t_quantile(0.975, 29), 3)
    2.045
    """
    if probability < 0.5:
        return -t_quantile(1 - probability, df)
    low, high = 0.0, 2.0
    while t_cdf(high, df) < probability:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, df) < probability else (low, middle)
    return (low + high) / 2


def t_cdf(t: float, df: int) -> float:
    """Distribution function of Student's t with `df` degrees of freedom."""
    from flint import arb  # its import takes 0.1 s

    tail = 0.5 * float(arb(df / (df + t * t)).beta_lower(arb(df) / 2, arb(0.5), regularized=True))
    return 1 - tail if t > 0 else tail
