"""`python -m trainers.recipes.reasoning_alignment`."""

from trainers.recipes.base import command
from trainers.recipes.reasoning_alignment import RECIPE

if __name__ == "__main__":
    command(RECIPE)()
