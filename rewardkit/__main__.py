"""`python -m rewardkit` is the command line."""

from rewardkit.import_guard import leave_working_folder

if __name__ == "__main__":
    leave_working_folder()
    from rewardkit.cli import main

    main()
