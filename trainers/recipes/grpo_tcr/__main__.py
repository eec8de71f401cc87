"""`python -m rewardkit.trainers.recipes.grpo_tcr`."""

from ..base import command
from . import RECIPE

if __name__ == "__main__":
    command(RECIPE)()
