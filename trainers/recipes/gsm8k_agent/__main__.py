"""`python -m trainers.recipes.gsm8k_agent`."""

from trainers.recipes.base import command
from trainers.recipes.gsm8k_agent import RECIPE

if __name__ == "__main__":
    command(RECIPE)()
