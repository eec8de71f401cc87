"""`python -m rewardkit.harness` is the `harness` command, under a name that no other package has."""

from rewardkit.import_guard import import_ours

if __name__ == "__main__":
    import_ours("harness.cli").main()
