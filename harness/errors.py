"""Errors of the harness beyond those of rewardkit."""

from __future__ import annotations

from typing import ClassVar

from rewardkit.errors import RewardkitError


class NotComparableError(RewardkitError):
    """Two runs used different prompts or judges, so their difference would have no meaning."""

    exit_code: ClassVar[int] = 5
