"""How long the first use of rewardkit takes in a fresh interpreter, beside what it stands on and a peer.

python benchmarks/import_time.py [--rounds 15]

Rounds are interleaved, each in an interpreter of its own; files are compiled and in the page cache after the first, which is dropped.
Times are CPU time of the process, so that other work on the machine moves them little.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile

from _common import load_average, machine, spread, today, version

BEFORE = {"`import rewardkit.math`, pydantic and flint loaded": "import flint\nfrom pydantic import BaseModel"}
LINES = {
    "import rewardkit": "import rewardkit",
    "first name used (`rewardkit.Sample`)": "import rewardkit; rewardkit.Sample",
    "first reward (`rewardkit.load('math')`)": "import rewardkit; rewardkit.load('math')",
    "`import rewardkit.math`, pydantic and flint loaded": "import rewardkit.math",
    "one pydantic model": "from pydantic import BaseModel\nclass One(BaseModel):\n    x: int",
    "import math_verify": "import math_verify",
}


def measure(name: str, compiled: str) -> float | None:
    """Milliseconds that the line takes in a fresh interpreter, its start left out; None where it can't run.

    Bytecode is kept in the folder `compiled`, for both sides, as an installed package has it.
    """
    program = f"{BEFORE.get(name, '')}\nimport time\nstart = time.process_time()\n{LINES[name]}\nprint((time.process_time() - start) * 1e3)"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = compiled
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    return float(done.stdout) if done.returncode == 0 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {name: [] for name in LINES}
    with tempfile.TemporaryDirectory() as compiled:
        for number in range(rounds + 1):
            for name in LINES:
                taken = measure(name, compiled)
                if taken is not None and number:
                    times[name].append(taken)
    versions = ", ".join(f"{name} {version(name)}" for name in ("pydantic", "math-verify"))
    print(f"{today()}, {machine()}, load {load_average()}, {versions}, {rounds} rounds\n")
    print("| in a fresh interpreter | ms: median (fastest-slowest) |\n|---|--:|")
    for name, values in times.items():
        print(f"| {name} | {spread(values) if values else 'not installed'} |")


if __name__ == "__main__":
    main()
