"""`python -m trainers.recipes.unsloth_grpo`."""

from trainers.recipes.base import command
from trainers.recipes.unsloth_grpo import RECIPE

if __name__ == "__main__":
    command(RECIPE)()
