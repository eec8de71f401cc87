"""How long the first use of rewardkit takes in a fresh interpreter, beside what it stands on and a peer.

python benchmarks/import_time.py [--rounds 15]

Rounds are interleaved, each in an interpreter of its own; files are in the page cache after the first, which is dropped.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from _common import load_average, machine, spread, today, version

LINES = {
    "import rewardkit": "import rewardkit",
    "first name used (`rewardkit.Sample`)": "import rewardkit; rewardkit.Sample",
    "first reward (`rewardkit.load('math')`)": "import rewardkit; rewardkit.load('math')",
    "one pydantic model": "from pydantic import BaseModel\nclass One(BaseModel):\n    x: int",
    "import math_verify": "import math_verify",
}


def measure(code: str) -> float | None:
    """Milliseconds that `code` takes in a fresh interpreter, its start left out; None where it can't run."""
    program = f"import time\nstart = time.perf_counter()\n{code}\nprint((time.perf_counter() - start) * 1e3)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return float(done.stdout) if done.returncode == 0 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {name: [] for name in LINES}
    for number in range(rounds + 1):
        for name, code in LINES.items():
            taken = measure(code)
            if taken is not None and number:
                times[name].append(taken)
    versions = ", ".join(f"{name} {version(name)}" for name in ("pydantic", "math-verify"))
    print(f"{today()}, {machine()}, load {load_average()}, {versions}, {rounds} rounds\n")
    print("| in a fresh interpreter | ms: median (fastest-slowest) |\n|---|--:|")
    for name, values in times.items():
        print(f"| {name} | {spread(values) if values else 'not installed'} |")


if __name__ == "__main__":
    main()
