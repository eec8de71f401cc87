"""Memory and rate of `rewardkit score` on files of growing length: memory must not grow with the file.

python benchmarks/score_memory.py [ROWS ...]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = (10_000, 100_000, 1_000_000)
PARTS = 16


def write(path: Path, rows: int) -> None:
    """Rows with different numbers, so that no cache helps, one in three wrong."""
    with path.open("w", encoding="utf-8") as file:
        for i in range(rows):
            text = f"Adding the parts step by step gives {i} and so the result is $\\boxed{{{i + (i % 3 == 0)}}}$."
            source = f"part-{i % PARTS}"
            file.write(json.dumps({"id": i, "data_source": source, "completion": text, "answer": str(i)}) + "\n")


def measure(path: Path, out: Path) -> tuple[float, float, dict[str, object]]:
    """Wall seconds, peak MB and totals of one run."""
    command = [sys.executable, "-m", "rewardkit", "score", str(path), "-r", "math", "-o", str(out), "--json", "--quiet"]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    totals = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, status
    return time.perf_counter() - start, usage.ru_maxrss / 1024, totals


def main() -> None:
    rows = tuple(int(arg) for arg in sys.argv[1:]) or ROWS
    print("| rows | wall s | rows/s | peak MB | accuracy |\n|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for count in rows:
            path = Path(folder) / "rows.jsonl"
            write(path, count)
            wall_s, peak_mb, totals = measure(path, Path(folder) / f"out-{count}.jsonl")
            accuracy = totals["total"]["accuracy"]  # type: ignore[index]
            print(f"| {count:,} | {wall_s:.1f} | {count / wall_s:,.0f} | {peak_mb:.0f} | {accuracy:.4f} |", flush=True)


if __name__ == "__main__":
    main()
