"""Rewards and tools of rewardkit inside trainers: TRL, verl and, through a few lines each, the others.

This package imports neither torch nor a trainer.
"""

from rewardkit.trainers import share_modules

DISTRIBUTION = "rewardkit"
"""Tells `rewardkit.import_guard` that this is our package and not another one of the same name."""

share_modules()
