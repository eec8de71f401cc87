"""Rate, CPU time and memory of `rewardkit score` on files of growing length: memory must not grow with the file.

python benchmarks/score_memory.py [ROWS ...] [--reward R] [--workers N ...] [--beside CHECKOUT] [--rounds N] [--chars N]

With `--beside` another checkout scores the same files in turns with this one, so that both meet the same load. CPU time is that of
the command and all processes that it started. Each row of the table is the median of its rounds.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROWS = (10_000, 100_000, 1_000_000)
PARTS = 16
HERE = Path(__file__).parents[1]
RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from rewardkit.cli import main; main()"
_PR_SET_CHILD_SUBREAPER = 36


class Cost(NamedTuple):
    """What one run took."""

    wall_s: float
    cpu_s: float
    """Of all processes."""
    peak_mb: float
    """Of the command's own process."""
    accuracy: float


def write(path: Path, rows: int, chars: int) -> None:
    """Rows with different numbers, so that no cache helps, one in three wrong."""
    thought = ("Let us see what follows from the equation above. " * (chars // 49 + 1))[:chars]
    with path.open("w", encoding="utf-8") as file:
        for i in range(rows):
            text = f"{thought}Adding the parts gives {i} and so the result is $\\boxed{{{i + (i % 3 == 0)}}}$."
            source = f"part-{i % PARTS}"
            file.write(json.dumps({"id": i, "data_source": source, "completion": text, "answer": str(i)}) + "\n")


def measure(checkout: Path, path: Path, reward: str, workers: int) -> Cost:
    """One run."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["-r", reward, "-o", f"{folder}/out.jsonl", "--json", "--quiet", "--workers", str(workers)]
        command = [sys.executable, "-P", "-c", RUN, str(checkout), "score", str(path), *options]
        before, start = children_s(), time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder)
        assert process.stdout is not None
        totals = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        wall_s = time.perf_counter() - start
        assert status == 0, status
        while has_children():
            os.wait()
    return Cost(wall_s, children_s() - before, usage.ru_maxrss / 1024, totals["total"]["accuracy"])


def children_s() -> float:
    """CPU time of all processes that have ended below this one."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def has_children() -> bool:
    """Processes that a command left behind are children of this one: it is their reaper."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", type=int, default=ROWS)
    parser.add_argument("--reward", default="math")
    parser.add_argument("--workers", type=int, nargs="*", default=[0])
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--chars", type=int, default=0, help="Text before the answer of each row.")
    asked = parser.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    checkouts = [HERE, *([asked.beside.resolve()] if asked.beside else [])]
    print(
        "| rows | checkout | workers | wall s | rows/s | CPU s | peak MB | accuracy | load |\n|--:|:--|--:|--:|--:|--:|--:|--:|--:|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for count in asked.rows:
            path = Path(folder) / "rows.jsonl"
            write(path, count, asked.chars)
            turns = [(workers, checkout) for workers in asked.workers for checkout in checkouts]
            found: dict[tuple[int, Path], list[Cost]] = {turn: [] for turn in turns}
            for _ in range(asked.rounds):
                for workers, checkout in turns:
                    found[workers, checkout].append(measure(checkout, path, asked.reward, workers))
            for (workers, checkout), costs in found.items():
                wall_s, cpu_s, peak_mb, accuracy = map(median, zip(*costs, strict=True))
                print(
                    f"| {count:,} | {'this' if checkout is HERE else 'beside'} | {workers} | {wall_s:.2f} | {count / wall_s:,.0f} "
                    f"| {cpu_s:.2f} | {peak_mb:.0f} | {accuracy:.4f} | {os.getloadavg()[0]:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
