"""`python -m rewardkit.harness` is the `harness` command, under a name that no other package has."""

from rewardkit.import_guard import import_ours, leave_working_folder

if __name__ == "__main__":
    leave_working_folder()
    import_ours("harness.cli").main()
