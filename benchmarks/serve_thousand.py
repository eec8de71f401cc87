"""A step of 100,000 code submissions on 1,000 nodes, simulated with figures that are measured here first.

    python -P benchmarks/serve_thousand.py [--nodes 1000] [--rows 100000] [--boxes 8]

Measured, with one server and the real client: how long an honest program and a loop keep a worker, what a row costs the HTTP process
and the client in CPU, and how long a worker that was killed is away. Simulated: each node has `--boxes` workers and a quarter as many for slow
rows, and the executor's own queue decides whose turn it is (tests/rewardkit/simulated.py); a client sends one batch to each node. A node that
dies is given up after two probes, and its batch is judged again by another (rewardkit/client.py). Networks are taken as free of cost.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import sys
import time
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "rewardkit")]
from live import Server  # noqa: E402
from simulated import Machine, Row  # noqa: E402

import rewardkit  # noqa: E402
from benchmarks._common import load_average, machine, percentile, table, today  # noqa: E402
from benchmarks.serve_faults import loop, program  # noqa: E402
from rewardkit import Sample  # noqa: E402
from rewardkit.client import PATIENCE_S, PROBE_S  # noqa: E402
from rewardkit.serve.settings import SLOW_SHARE  # noqa: E402

DEADLINE_S = 120.0
SPREAD = 1.0
"""Sigma of the log-normal time of honest programs: the slowest of a hundred takes ten times the median."""


@dataclass(frozen=True)
class Costs:
    """Seconds."""

    row: float
    loop: float
    http: float
    client: float
    restart: float


def measure() -> Costs:
    """One server with one worker, asked by the real client."""
    server = Server("-r", "code", "--workers", "1", "--sandbox", "unsafe")
    try:
        server.wait_ready()
        reward = rewardkit.remote(server.url, timeout_s=300)
        rows = [Sample(**program(index)) for index in range(2_000)]
        reward.score(rows[:100])
        since, http, ours = time.perf_counter(), cpu_s(server.process.pid), time.process_time()
        scores = reward.score(rows[100:])
        seconds = time.perf_counter() - since
        assert all(score.value == 1.0 for score in scores)
        done = len(scores)
        http, ours = (cpu_s(server.process.pid) - http) / done, (time.process_time() - ours) / done
        since = time.perf_counter()
        reward.score([Sample(**loop(0))])
        looped = time.perf_counter() - since
        for pid in server.workers():
            os.kill(pid, signal.SIGKILL)
        since = time.perf_counter()
        reward.score(rows[:1])
        return Costs(seconds / done, looped, http, ours, time.perf_counter() - since)
    finally:
        server.stop(signal.SIGKILL)


def cpu_s(pid: int) -> float:
    """CPU seconds of one process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Outcome:
    """What came out of a step."""

    honest: list[float]
    hostile: list[float]
    lost: int = 0
    """Honest rows that were not judged by the deadline."""
    unjudged: int = 0
    """Loops that were not."""
    twice: int = 0


def node(rows: list[tuple[float, float]], boxes: int, costs: Costs) -> list[float]:
    """When each row of one node is judged; rows are pairs of arrival and the seconds they take, and those that come at once are one
    batch.
    """
    made = [Row(at, seconds, loops=seconds >= costs.loop, caller=str(at)) for at, seconds in rows]
    batches = [list(batch) for _, batch in groupby(made, key=lambda row: row.at)]
    Machine(boxes, max(1, round(boxes * SLOW_SHARE)), restart_s=costs.restart, look_s=1.0).judge(batches)
    return [row.judged for row in made]


def step(nodes: int, rows: int, boxes: int, costs: Costs, *, hostile: float, clients: int, dead: int = 0, together: bool = False) -> Outcome:  # fmt: skip
    """One step: `clients` processes send a batch to each node; `dead` nodes end when they have judged half of theirs."""
    rng = random.Random(0)
    times = [costs.loop if rng.random() < hostile else costs.row * rng.lognormvariate(0, SPREAD) for _ in range(rows)]
    if together:  # the loops are answers to a few prompts, which stand side by side
        times.sort()
    batches = [times[place * rows // nodes : (place + 1) * rows // nodes] for place in range(nodes)]
    sent = [(place // clients + 1) * len(batch) * costs.client for place, batch in enumerate(batches)]
    outcome = Outcome([], [])
    for place, (at, batch) in enumerate(zip(sent, batches, strict=True)):
        work = [(at + len(batch) * costs.http, seconds) for seconds in batch]
        if place < dead:  # judged by another node after its own batch
            half = statistics.median(node(work, boxes, costs))
            again = half + PATIENCE_S + 2 * PROBE_S
            outcome.twice += len(batch) // 2
            own = [
                (sent[-1 - place] + len(batches[-1 - place]) * costs.http, seconds) for seconds in batches[-1 - place]
            ]
            ends = node([*own, *((again, seconds) for seconds in batch)], boxes, costs)[len(own) :]
        else:
            ends = node(work, boxes, costs)
        for end, seconds in zip(ends, batch, strict=True):
            bad, late = seconds >= costs.loop, end - at > DEADLINE_S
            outcome.lost += late and not bad
            outcome.unjudged += late and bad
            (outcome.hostile if bad else outcome.honest).append(min(end, at + DEADLINE_S))
    return outcome


def main() -> None:
    """Measure, simulate, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--boxes", type=int, default=8)
    options = parser.parse_args()
    costs = measure()
    ms = {name: f"{1000 * value:.3g} ms" for name, value in vars(costs).items()}
    cases = {
        "no hostile rows, one client": {"hostile": 0.0, "clients": 1},
        "no hostile rows, 64 clients": {"hostile": 0.0, "clients": 64},
        "5 % loops, one client": {"hostile": 0.05, "clients": 1},
        "5 % loops, 64 clients": {"hostile": 0.05, "clients": 64},
        "20 % loops, 64 clients": {"hostile": 0.2, "clients": 64},
        "5 % loops, 50 nodes die": {"hostile": 0.05, "clients": 64, "dead": 50},
        "5 % loops, all on 50 nodes": {"hostile": 0.05, "clients": 64, "together": True},
    }
    found: list[tuple[object, ...]] = []
    for name, case in cases.items():
        one = step(options.nodes, options.rows, options.boxes, costs, **case)
        loops = f"{max(one.hostile):.1f}" if one.hostile else "-"
        found.append(
            (
                name,
                *(f"{percentile(one.honest, share):.2f}" for share in (0.5, 0.99, 1)),
                loops,
                one.lost,
                one.unjudged,
                one.twice,
            )
        )
    print(f"{machine()}, load {load_average()}, {today()}; measured: {ms}\n")
    print(
        table(
            (
                "step",
                "honest p50 s",
                "p99 s",
                "last s",
                "last loop s",
                "honest rows lost",
                "loops unjudged",
                "judged twice",
            ),
            found,
        )
    )


if __name__ == "__main__":
    main()
