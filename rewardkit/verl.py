"""verl's scoring functions, as in `reward.custom_reward_function.path=pkg://rewardkit.verl`: the names of `trainers.verl`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainers.verl import *
else:
    from rewardkit.trainers.verl import *
