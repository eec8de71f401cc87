"""`python -m rewardkit.trainers.recipes.reasoning_alignment`."""

from ..base import command
from . import RECIPE

if __name__ == "__main__":
    command(RECIPE)()
