"""`python -m rewardkit.trainers.recipes.gsm8k_agent`."""

from ..base import command
from . import RECIPE

if __name__ == "__main__":
    command(RECIPE)()
