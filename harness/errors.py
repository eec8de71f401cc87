"""Errors of the harness beyond those of rewardkit."""

from __future__ import annotations

from typing import ClassVar

from rewardkit.errors import RewardkitError


class NotComparableError(RewardkitError):
    """Two runs that asked or judged differently: a difference between them would mean nothing."""

    exit_code: ClassVar[int] = 5
