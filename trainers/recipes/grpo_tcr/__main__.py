"""`python -m trainers.recipes.grpo_tcr`."""

from trainers.recipes.base import command
from trainers.recipes.grpo_tcr import RECIPE

if __name__ == "__main__":
    command(RECIPE)()
