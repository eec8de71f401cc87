"""Units of judging: single rows if the reward allows it, else the rows of a group."""

from __future__ import annotations

import math
import os

from rewardkit import functions
from rewardkit.base import Function, Reward, SampleReward, walk
from rewardkit.errors import UsageError

ROW_TIMEOUT_S = 60.0
"""Seconds for one row. A slower row is unjudged, and its worker is replaced."""
SANDBOX_ROW_TIMEOUT_S = 1_800.0
"""The same for rewards that run code: their sandbox bounds each program, and many tests take their time."""
SANDBOX_VARIABLE = "REWARDKIT_SANDBOX"
"""Names the sandbox of rewards that say `auto`, in this process and in those that it starts."""
ROW_TIMEOUT_HELP = "Seconds for one row; 60, or 1800 for rewards that run code."


def choose_sandbox(name: str | None) -> None:
    """Run code in this sandbox where rewards say `auto`; None leaves it as it is."""
    if name is not None:
        os.environ[SANDBOX_VARIABLE] = name


def needs_sandbox(reward: Reward) -> bool:
    """True if a reward, or one inside it, runs programs in a sandbox."""
    return any("sandbox" in inner.needs for inner in walk(reward))


def is_bounded(reward: Reward) -> bool:
    """True if a reward and all inside it bound their own time and memory, so that they may run in the caller's process.

    Each class speaks for itself: one that inherits from a bounded class may do anything. So may a regular expression.
    """
    return all(vars(type(inner)).get("bounded", False) and not inner.takes_pattern for inner in walk(reward))


def is_independent(reward: Reward) -> bool:
    """True if rows scored one by one get the scores that they get together."""
    return all(_takes_rows(inner) for inner in walk(reward))


def is_by_row(reward: Reward) -> bool:
    """True if they also take no longer one by one, so that a hung row is known at once: what waits does it better together."""
    return is_independent(reward) and not needs_sandbox(reward) and not any(map(_waits, walk(reward)))


def _takes_rows(reward: Reward) -> bool:
    if isinstance(reward, Function):
        return functions.takes_sample(reward.function)
    return isinstance(reward, SampleReward) or reward.row_wise


def _waits(reward: Reward) -> bool:
    function = reward.function if isinstance(reward, Function) else getattr(reward, "grade", None)
    return function is not None and functions.is_async(function)


def default_row_timeout_s(reward: Reward) -> float:
    """How long one row may take."""
    return SANDBOX_ROW_TIMEOUT_S if needs_sandbox(reward) else ROW_TIMEOUT_S


def check_row_timeout(row_timeout_s: float | None, name: str = "--row-timeout") -> None:
    """Refuse a time limit that is not a positive number; `name` is what the user calls it.

    Raises:
        UsageError: it is not a positive number.
    """
    if row_timeout_s is not None and not 0 < row_timeout_s < math.inf:
        raise UsageError(f"{name} is {row_timeout_s:g}; give a number of seconds above 0")
