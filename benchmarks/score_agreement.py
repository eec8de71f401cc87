"""`rewardkit score FILE -r math` on real completions with verdicts, beside math-verify on the same rows in the same run.

python -m benchmarks.score_agreement            # needs the real data and math-verify 0.9 in this environment

Ours is the command as a user types it: start, reading, judging and writing are in its seconds and its memory. math-verify
judges in one process of its own, with its defaults; its import is left out of its seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import math_sets
from benchmarks._common import data_dir, load_average, machine, table, today, version
from benchmarks.math_peers import Peer
from benchmarks.math_sets import Row

SETS: dict[str, Callable[[Path], list[Row]]] = {
    "SkyThought, 7 models, 4 benchmarks": math_sets.skythought,
    "Qwen2.5-Math, 53 prompts x 8": math_sets.qwen_math,
    "GSM8K, 4 systems of OpenAI": math_sets.gsm8k_openai,
    "GSM8K, ToRA": math_sets.tora,
}


def ours(rows: Sequence[Row], folder: Path) -> tuple[list[bool], float, float]:
    """Verdicts, seconds and peak MB of the command line on these rows."""
    source, out = folder / "rows.jsonl", folder / "scores.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps({"id": row.name, "completion": row.completion, "ground_truth": row.gold}) + "\n")
    command = [sys.executable, "-m", "rewardkit", "score", str(source), "-r", "math", "-o", str(out), "--quiet"]
    start = time.perf_counter()
    process = subprocess.Popen([*command, "--max-unjudged", "1"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    assert status == 0, status
    verdicts = [json.loads(line)["accuracy"] == 1 for line in out.read_text(encoding="utf-8").splitlines()]
    out.unlink()
    return verdicts, seconds, usage.ru_maxrss / 1024


def theirs(rows: Sequence[Row]) -> tuple[list[bool], float, float]:
    """The same of math-verify."""
    with Peer("math_verify") as peer:
        peer.grade("\\boxed{1}", "1")
        start = time.perf_counter()
        verdicts = [peer.grade(row.completion, row.gold).accepted for row in rows]
        return verdicts, time.perf_counter() - start, peer.peak_mb


def line(name: str, grader: str, rows: Sequence[Row], measured: tuple[list[bool], float, float]) -> list[str]:
    verdicts, seconds, peak_mb = measured
    missed = sum(row.label and not verdict for row, verdict in zip(rows, verdicts, strict=True))
    paid = sum(verdict and not row.label for row, verdict in zip(rows, verdicts, strict=True))
    accuracy = f"{100 * (1 - (missed + paid) / len(rows)):.2f}"
    return [
        name,
        f"{len(rows):,}",
        grader,
        accuracy,
        str(missed),
        str(paid),
        f"{len(rows) / seconds:,.0f}",
        f"{peak_mb:.0f}",
    ]


def main() -> None:
    data = data_dir()
    if data is None:
        raise SystemExit("set REWARDKIT_DATA to the folder of real data")
    print(
        f"{today()}, {machine()}, load {load_average()}; rewardkit {version('rewardkit')}, math-verify {version('math-verify')}\n"
    )
    lines: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, read in SETS.items():
            rows = read(data)
            lines.append(line(name, "`rewardkit score`", rows, ours(rows, Path(folder))))
            lines.append(line(name, "math-verify", rows, theirs(rows)))
    heading = ["set", "rows", "grader", "agrees, %", "false negatives", "false positives", "rows/s", "peak MB"]
    print(table(heading, lines))


if __name__ == "__main__":
    main()
