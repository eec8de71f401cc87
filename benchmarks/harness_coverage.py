"""Do the intervals cover, and does the gate alarm, as they say? By simulation, on problems of known difficulty.

Each simulated benchmark draws problems with a chance of being solved from a Beta distribution, then k answers each. An
interval should hold the true mean of that distribution 95 times in 100; a gate should fail an unchanged model at most
5 times in 100 and see the drop that its plan promises 80 times in 100.

    python benchmarks/harness_coverage.py [--draws 2000] [--only intervals|gate]
"""

from __future__ import annotations

import argparse
import random
from statistics import fmean

from harness.gate.baseline import Book, Ledger
from harness.gate.power import make_plan
from harness.gate.rules import Regression, Rules
from harness.gate.verdict import Outcome, decide
from rewardkit.stats import bootstrap_interval, mean_interval, pass_at_k, wilson

SHAPES = {
    "AIME 30 x 16": (30, 16),
    "GPQA 198 x 4": (198, 4),
    "MATH-500 500 x 1": (500, 1),
    "MATH-500 500 x 4": (500, 4),
    "GSM8K 1319 x 1": (1319, 1),
}
DIFFICULTY = {"hard (20 %)": (0.4, 1.6), "even (60 %)": (1.2, 0.8), "easy (90 %)": (2.7, 0.3)}


def solved(rng: random.Random, chances: list[float], k: int) -> list[int]:
    return [sum(rng.random() < p for _ in range(k)) for p in chances]


def coverage(draws: int) -> None:
    print(
        f"{'benchmark':<18}{'difficulty':<14}{'avg@k':>8}{'pass@k':>8}{'as if answers were independent':>32}   (per cent of {draws} intervals)"
    )
    for name, (n, k) in SHAPES.items():
        for label, (a, b) in DIFFICULTY.items():
            rng = random.Random(f"{name}{label}")
            j = min(k, 4)
            truth, truth_pass = a / (a + b), true_pass(a, b, j)
            hits = hits_pass = naive = 0
            for draw in range(draws):
                counts = solved(rng, [rng.betavariate(a, b) for _ in range(n)], k)
                estimate = mean_interval([c / k for c in counts])
                hits += estimate.low <= truth <= estimate.high
                low, high = wilson(sum(counts), n * k)
                naive += low <= truth <= high
                if k > 1 and draw < draws // 2:
                    boot = bootstrap_interval([pass_at_k(k, c, j) for c in counts], seed=draw, draws=1000)
                    hits_pass += boot.low <= truth_pass <= boot.high
            passes = f"{100 * hits_pass / (draws // 2):.1f}" if k > 1 else "-"
            print(f"{name:<18}{label:<14}{100 * hits / draws:>8.1f}{passes:>8}{100 * naive / draws:>32.1f}", flush=True)


def true_pass(a: float, b: float, j: int) -> float:
    """1 - E[(1 - p)^j] for p ~ Beta(a, b)."""
    miss = 1.0
    for step in range(j):
        miss *= (b + step) / (a + b + step)
    return 1 - miss


def book(counts: list[int], k: int) -> Book:
    ledger = Ledger(
        task="t",
        version="1",
        scorer="math@1",
        template="",
        task_file="",
        data="",
        k=k,
        sampling={},
        tools=None,
        errors=0.0,
        truncated=0.0,
        format=1.0,
        counts={f"p{i}": (c, k) for i, c in enumerate(counts)},
    )
    return Book("r", "r", {"t": ledger})


def gate(draws: int) -> None:
    print(
        f"\n{'benchmark':<18}{'margin':>8}{'no change: fails':>18}{'passes':>8}{'planned':>9}{'drop':>7}{'seen':>7}{'planned':>9}   (per cent of {draws} gates)"
    )
    for name, (n, k) in SHAPES.items():
        rng = random.Random(name)
        noise = fmean(p * (1 - p) for p in (rng.betavariate(1.2, 0.8) for _ in range(20_000)))
        for margin in (0.01, 0.03):
            plan = make_plan("t", n, k, noise, margin, 0.05)
            rules = Rules(regression=Regression(margin=margin))
            fails = passes = seen = 0
            for _ in range(draws):
                chances = [rng.betavariate(1.2, 0.8) for _ in range(n)]
                base = book(solved(rng, chances, k), k)
                same = decide(book(solved(rng, chances, k), k), base, rules).outcome
                fails += same is Outcome.FAIL
                passes += same is Outcome.PASS
                worse = [max(0.0, p - plan.sees * _room(p)) for p in chances]
                shift = fmean(chances) - fmean(worse)
                worse = [
                    max(0.0, p - plan.sees / max(shift, 1e-9) * (p - w)) for p, w in zip(chances, worse, strict=True)
                ]
                seen += decide(book(solved(rng, worse, k), k), base, rules).outcome is Outcome.FAIL
            print(
                f"{name:<18}{100 * margin:>7.0f}%{100 * fails / draws:>18.1f}{100 * passes / draws:>8.1f}"
                f"{100 * (plan.passes or 0):>9.1f}{100 * plan.sees:>6.1f}%{100 * seen / draws:>7.1f}{80.0:>9.1f}",
                flush=True,
            )


def _room(p: float) -> float:
    """Problems that are nearly always or nearly never solved lose little."""
    return 4 * p * (1 - p)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--only", choices=["intervals", "gate"])
    given = parser.parse_args()
    if given.only != "gate":
        coverage(given.draws)
    if given.only != "intervals":
        gate(max(100, given.draws // 5))
