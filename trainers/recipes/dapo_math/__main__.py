"""`python -m rewardkit.trainers.recipes.dapo_math`."""

from ..base import command
from . import RECIPE

if __name__ == "__main__":
    command(RECIPE)()
