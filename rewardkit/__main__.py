"""`python -m rewardkit` is the command line."""

from rewardkit.cli import main

if __name__ == "__main__":
    main()
