"""Intervals for the tables."""

from __future__ import annotations

import math

Z_95 = 1.959963984540054


def wilson(successes: float, n: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval for a share (Wilson 1927): honest for small n and near 0 or 1.

    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)

    Raises:
        ValueError: n is not positive.
    """
    if n <= 0:
        raise ValueError(f"n is {n}; a share needs at least one observation")
    share, z2 = successes / n, z * z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if successes <= 0 else max(0.0, middle - half)
    high = 1.0 if successes >= n else min(1.0, middle + half)
    return low, high
