"""Rate and memory of `rewardkit score` on files of growing length: memory must not grow with the file.

python benchmarks/score_memory.py [ROWS ...] [--workers N] [--beside CHECKOUT] [--rounds N]

With `--beside` another checkout scores the same files in turns with this one, so that both meet the same load.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = (10_000, 100_000, 1_000_000)
PARTS = 16
HERE = Path(__file__).parents[1]
RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from rewardkit.cli import main; main()"


def write(path: Path, rows: int) -> None:
    """Rows with different numbers, so that no cache helps, one in three wrong."""
    with path.open("w", encoding="utf-8") as file:
        for i in range(rows):
            text = f"Adding the parts step by step gives {i} and so the result is $\\boxed{{{i + (i % 3 == 0)}}}$."
            source = f"part-{i % PARTS}"
            file.write(json.dumps({"id": i, "data_source": source, "completion": text, "answer": str(i)}) + "\n")


def measure(checkout: Path, path: Path, workers: int) -> tuple[float, float, float, float]:
    """Wall seconds, CPU seconds of the command's own process, its peak MB, and the accuracy of one run."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["-r", "math", "-o", f"{folder}/out.jsonl", "--json", "--quiet", "--workers", str(workers)]
        command = [sys.executable, "-P", "-c", RUN, str(checkout), "score", str(path), *options]
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder)
        assert process.stdout is not None
        totals = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, status
        wall_s = time.perf_counter() - start
    return wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, totals["total"]["accuracy"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=int, default=ROWS)
    parser.add_argument("--workers", type=int, nargs="*", default=[0])
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    asked = parser.parse_args()
    checkouts = [HERE, *([asked.beside.resolve()] if asked.beside else [])]
    print(
        "| rows | checkout | workers | wall s | rows/s | CPU s | peak MB | accuracy | load |\n|--:|:--|--:|--:|--:|--:|--:|--:|--:|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for count in asked.rows:
            path = Path(folder) / "rows.jsonl"
            write(path, count)
            for _ in range(asked.rounds):
                for workers in asked.workers:
                    for checkout in checkouts:
                        wall_s, cpu_s, peak_mb, accuracy = measure(checkout, path, workers)
                        print(
                            f"| {count:,} | {'this' if checkout is HERE else 'beside'} | {workers} | {wall_s:.1f} | {count / wall_s:,.0f} "
                            f"| {cpu_s:.1f} | {peak_mb:.0f} | {accuracy:.4f} | {os.getloadavg()[0]:.1f} |",
                            flush=True,
                        )


if __name__ == "__main__":
    main()
