"""The package `harness` under a name that no other package has: `python -m rewardkit.harness` is the `harness` command.

Its modules can be run, too: `python -m rewardkit.harness.fake_server`.
"""

import sys
from pathlib import Path

from rewardkit.import_guard import HiddenPackageError, import_ours, leave_working_folder

__path__ = [str(Path(__file__).resolve().parents[1] / "harness")]

if __name__ == "__main__":
    leave_working_folder()
    try:
        main = import_ours("harness.cli").main
    except HiddenPackageError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(error.exit_code)
    main()
