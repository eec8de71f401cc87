"""Rewards and tools for TRL: the names of `trainers.trl`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainers.trl import *
else:
    from rewardkit.trainers.trl import *
