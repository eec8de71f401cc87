"""How fast the math verifier is, beside math-verify: ordinary pairs, all pairs with bombs, long completions, groups.

    python -m benchmarks.math_speed [--no-peer]

Each repeat runs in a fresh process, so no cache is warm but the one that a group of equal answers fills itself; imports
and the first calls, one of each kind of text, are not timed. Both sides judge the same rows in the same run; figures are medians with the range.
Times are CPU seconds of the judging process, so that other work on the machine moves them little.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import math_peers
from benchmarks._common import data_dir, load_average, machine, number, percentile, spread, table, today, version
from tools.math_cases import boxed
from tools.math_pairs import Pair, generate

REPEATS = 5
PEER_REPEATS = 1
ORDINARY = 800
LONG = 100
LONG_CHARS = 8_000
GROUPS = 500
GROUP_SIZE = 16
Rows = list[tuple[str, Any]]


def ordinary_rows(pairs: list[Pair]) -> Rows:
    """A sample of the pairs that are not hostile."""
    plain = [(pair.completion, pair.gold) for pair in pairs if not pair.hostile]
    return Random(1).sample(plain, min(ORDINARY, len(plain)))


def hostile_rows(per_label: int) -> Rows:
    """The hostile pairs among them."""
    return [(pair.completion, pair.gold) for pair in generate(0, per_label) if pair.hostile]


def long_rows() -> Rows:
    """Real completions of at least `LONG_CHARS` characters, the longest first kept in a seeded order."""
    from benchmarks import math_sets

    data = data_dir()
    if data is None:
        return []
    rows = [(row.completion, row.gold) for row in math_sets.skythought(data) if len(row.completion) >= LONG_CHARS]
    return Random(2).sample(rows, min(LONG, len(rows)))


def group_rows(pairs: list[Pair]) -> Rows:
    """Groups as in GRPO: one gold, sixteen completions in different words that end in the same answer."""
    rng = Random(3)
    heads = [
        pair
        for pair in pairs
        if not pair.hostile and pair.answer and len(pair.answer) < 80 and "boxed" not in pair.answer
    ]
    chosen = rng.sample(heads, min(GROUPS, len(heads)))
    return [(boxed(rng, pair.answer), pair.gold) for pair in chosen for _ in range(GROUP_SIZE)]


# -- ours, in a fresh process ------------------------------------------------------------------------------------------


def measure_ours(rows: Rows, repeats: int) -> list[dict[str, Any]]:
    """One result a repeat, each from a new process."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False) as handle:
        for row in rows:
            handle.write(json.dumps(row) + "\n")
    try:
        out = []
        for _ in range(repeats):
            command = [sys.executable, str(Path(__file__).with_name("math_worker.py")), handle.name]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            out.append(json.loads(done.stdout))
        return out
    finally:
        Path(handle.name).unlink()


def measure_peer(name: str, rows: Rows, repeats: int) -> list[dict[str, Any]]:
    """The same for a peer; CPU seconds are taken inside its process, a pair that hangs counts its deadline."""
    out = []
    for _ in range(repeats):
        with math_peers.Peer(name) as peer:
            peer.grade("The answer is $\\boxed{\\frac{1}{2}}$.", "0.5")
            before = peer.peak_mb
            replies = [peer.grade(completion, gold) for completion, gold in rows]
            out.append(
                {
                    "seconds": [reply.cpu_s for reply in replies],
                    "before_mb": before,
                    "peak_mb": peer.peak_mb,
                    "hangs": sum(reply.how == "hang" for reply in replies),
                }
            )
    return out


def line(label: str, results: list[dict[str, Any]]) -> list[str]:
    """One row of the table from the repeats."""
    rates = [len(r["seconds"]) / sum(r["seconds"]) for r in results]
    medians = [1000 * statistics.median(r["seconds"]) for r in results]
    tails = [1000 * percentile(r["seconds"], 0.99) for r in results]
    worst = [1000 * max(r["seconds"]) for r in results]
    memory = f"{number(max(r['before_mb'] for r in results))} / {number(max(r['peak_mb'] for r in results))}"
    return [
        label,
        str(len(results[0]["seconds"])),
        spread(rates),
        spread(medians),
        spread(tails),
        spread(worst),
        memory,
    ]


def ratio(ours: list[dict[str, Any]], peer: list[dict[str, Any]]) -> float:
    """How many times as many pairs a second."""
    one = statistics.median(len(r["seconds"]) / sum(r["seconds"]) for r in ours)
    two = statistics.median(len(r["seconds"]) / sum(r["seconds"]) for r in peer)
    return one / two


# -- workers -----------------------------------------------------------------------------------------------------------


def _judge_chunk(rows: Rows) -> int:
    from rewardkit.math import judge

    return sum(judge(completion, gold).equal for completion, gold in rows)


def measure_workers(rows: Rows, workers: int) -> float:
    """Pairs a second with so many processes, started beforehand."""
    chunks = [rows[i : i + 250] for i in range(0, len(rows), 250)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        pool.map(_judge_chunk, [rows[:5]] * workers)
        began = time.perf_counter()
        pool.map(_judge_chunk, chunks, chunksize=1)
        return len(rows) / (time.perf_counter() - began)


def _count(_: int) -> int:
    return sum(range(4_000_000))


def measure_loop(workers: int) -> float:
    """Bare loops a second with so many processes: what the machine itself gains from another one."""
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        pool.map(_count, range(workers))
        began = time.perf_counter()
        pool.map(_count, range(24), chunksize=1)
        return 24 / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", default="math_verify")
    parser.add_argument(
        "--whole-per-label", type=int, default=4, help="pairs of each label and category in the whole set"
    )
    parser.add_argument("--no-peer", action="store_true", help="ours alone")
    args = parser.parse_args()
    pairs = generate(0)
    whole = [(pair.completion, pair.gold) for pair in generate(0, args.whole_per_label)]
    plans: list[tuple[str, Rows, int]] = [
        ("ordinary pairs", ordinary_rows(pairs), PEER_REPEATS),
        (f"all categories with bombs ({len(whole)})", whole, 1),
        ("bombs and other hostile pairs alone", hostile_rows(args.whole_per_label), 1),
        (f"real completions of {LONG_CHARS:,} characters and more", long_rows(), PEER_REPEATS),
    ]
    print(
        f"{today()}; {machine()}; load {load_average()}; rewardkit {version('rewardkit')}, math-verify {version('math-verify')}\n"
    )
    body: list[list[str]] = []
    for label, rows, repeats in plans:
        if not rows:
            continue
        ours = measure_ours(rows, REPEATS)
        body.append(line(f"{label}: ours", ours))
        if not args.no_peer:
            peer = measure_peer(args.peer, rows, repeats)
            body.append(line(f"{label}: {args.peer}", peer))
            body[-1][0] += f" (ours: {number(ratio(ours, peer))} times; {peer[0]['hangs']} hangs)"
    body.append(line(f"groups of {GROUP_SIZE} equal answers: ours", measure_ours(group_rows(pairs), REPEATS)))
    print(
        table(
            ["what", "pairs", "pairs per CPU second", "median CPU ms", "p99", "max", "memory at start / peak, MB"], body
        )
    )
    many = [(pair.completion, pair.gold) for pair in pairs if not pair.hostile]
    print()
    rounds = [(workers, measure_workers(many, workers), measure_loop(workers)) for _ in range(3) for workers in (1, 2)]
    body = []
    for workers in (1, 2):
        ours, loops = zip(*((rate, loop) for count, rate, loop in rounds if count == workers), strict=True)
        body.append([str(workers), spread(ours), spread(loops)])
    print(table(["worker processes", "pairs/s", "bare loops/s"], body))


if __name__ == "__main__":
    main()
