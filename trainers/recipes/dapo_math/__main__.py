"""`python -m trainers.recipes.dapo_math`."""

from trainers.recipes.base import command
from trainers.recipes.dapo_math import RECIPE

if __name__ == "__main__":
    command(RECIPE)()
