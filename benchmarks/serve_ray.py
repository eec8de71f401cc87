"""What Ray costs: rows/s of one core, of the local pool, of the Ray engine on this machine, and of a driver that only moves rows.

    flock /tmp/rewardkit-bench.lock python -P benchmarks/serve_ray.py [--rows 40000]

From these, docs/ray.md's model gives rows/s for any number of nodes, with its assumptions. Actors are warm: the first half
of the rows goes unmeasured, so that blocks which were ready before the clock started weigh little. `nap` sleeps a known
time for each row, so two actors have a known best rate that no other process on these cores takes from them: what is
missing of it is what Ray costs an actor.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from benchmarks._common import load_average, machine, table, today  # noqa: E402
from rewardkit import Sample, load  # noqa: E402
from rewardkit.executor import ScoreChunks, score_here, scorer  # noqa: E402
from rewardkit.ray_engine import score_on_ray  # noqa: E402

CHUNK = 64


def chunks(rows: int) -> Iterator[list[Sample]]:
    """Math rows with some text before the answer."""
    rng = random.Random(0)
    for _ in range(rows // CHUNK):
        chunk: list[Sample] = []
        for _ in range(CHUNK):
            top, bottom = rng.randint(1, 999), rng.randint(2, 99)
            thought = "Let us see what follows from the equation above. " * rng.randint(1, 40)
            text = f"{thought}\\boxed{{\\frac{{{top}}}{{{bottom}}}}}"
            chunk.append(Sample(completion=text, ground_truth=f"{top + rng.randint(0, 1)}/{bottom}"))
        yield chunk


NAP_S = 0.001
NAP = f'''
import time
from dataclasses import dataclass
from typing import ClassVar
from rewardkit import Sample, SampleReward, Score

@dataclass(frozen=True)
class Nap(SampleReward):
    """Sleeps, then says yes."""
    name: ClassVar[str] = "nap"
    def grade(self, sample: Sample) -> Score:
        time.sleep({NAP_S})
        return Score.of(True)
'''


def rate(score: ScoreChunks, rows: int) -> float:
    """Rows/s over the second half of the rows; the first half brings everything up."""
    data = list(chunks(rows))
    running = score(iter(data))
    for _ in range(len(data) // 2):
        next(running)
    start = time.perf_counter()
    done = sum(len(scores) for scores in running)
    return done / (time.perf_counter() - start)


def main() -> None:
    """Measure and print a table with the extrapolation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=40_000)
    rows = parser.parse_args().rows
    cores = os.cpu_count() or 1
    math, exact = load("math"), load("exact")
    one = rate(score_here(math), rows // 4)
    pool = rate(scorer(math, workers=cores), rows)
    os.environ["RAY_AUTH_MODE"] = "disabled"
    start = time.perf_counter()
    next(score_on_ray(exact, 1)(chunks(CHUNK)))
    startup_s = time.perf_counter() - start
    ray_math = rate(score_on_ray(math, cores), 2 * rows)
    driver = rate(score_on_ray(exact, cores), 3 * rows)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "nap.py")
        file.write_text(NAP)
        nap = load(f"{file}:Nap")
        nap_here = rate(score_here(nap), 4_096)
        nap_ray = rate(score_on_ray(nap, cores), rows)
    loss = max(0.0, 1 - nap_ray / (cores * nap_here))
    found = [
        ("math, one core, no pool (w)", f"{one:,.0f}"),
        (f"math, local pool of {cores}", f"{pool:,.0f}"),
        (f"math, Ray engine, {cores} actors", f"{ray_math:,.0f}"),
        ("exact, Ray engine: what one driver moves (d), at least", f"{driver:,.0f}"),
        ("Ray start to first rows", f"{startup_s:.1f} s"),
        (f"nap, one process / Ray engine, {cores} actors", f"{nap_here:,.0f} / {nap_ray:,.0f}"),
        ("share of an actor's time that Ray takes (loss)", f"{loss:.0%}"),
    ]
    for nodes in (10, 100, 1_000):
        free = nodes * 16 * one * (1 - loss)
        found.append(
            (f"model: {nodes:,} nodes of 16 cores, ScoreTable / one driver", f"{free:,.0f} / {min(free, driver):,.0f}")
        )
    print(f"{machine()}, load {load_average()}, {rows:,} rows, {today()}\n")
    print(table(("what", "rows/s"), found))


if __name__ == "__main__":
    main()
