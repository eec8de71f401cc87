"""`python -m rewardkit.trainers.recipes.unsloth_grpo`."""

from ..base import command
from . import RECIPE

if __name__ == "__main__":
    command(RECIPE)()
