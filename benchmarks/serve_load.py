"""Requests a second and latency of `rewardkit serve`, by a loopback load generator, beside a bare route of the same server.

    flock /tmp/rewardkit-bench.lock python -P benchmarks/serve_load.py [--seconds 5] [--processes 1]

Closed loop: each client has one connection and one request under way. Client and server share the machine, so the figures
are lower bounds. `exact` is next to no work, so it shows what HTTP, queue and worker cost; `math` is real work.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "rewardkit")]
from live import Server  # noqa: E402

from benchmarks._common import load_average, machine, percentile, table, today  # noqa: E402

CASES = [
    ("GET /healthz", "", 0, 16),
    ("exact", "exact", 1, 1),
    ("exact", "exact", 1, 16),
    ("exact", "exact", 1, 256),
    ("math", "math", 1, 16),
    ("math", "math", 64, 4),
    ("math", "math", 1024, 2),
]
"""What is asked, reward, rows in a request, clients."""


def request_bytes(reward: str, rows: int, rng: random.Random) -> bytes:
    """One request with rows that are right half the time."""
    if not rows:
        return b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
    samples = []
    for _ in range(rows):
        top, bottom = rng.randint(1, 999), rng.randint(2, 99)
        thought = "Let us see what follows from the equation above. " * rng.randint(1, 40)
        samples.append(
            {
                "completion": f"{thought}\\boxed{{\\frac{{{top}}}{{{bottom}}}}}",
                "ground_truth": f"{top + rng.randint(0, 1)}/{bottom}",
            }
        )
    body = json.dumps({"reward": reward, "samples": samples}).encode()
    head = f"POST /v1/score HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def client(url: str, requests: list[bytes], until: float, seconds: list[float]) -> None:
    """Ask again and again on one connection."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    turn = 0
    while time.perf_counter() < until:
        start = time.perf_counter()
        writer.write(requests[turn % len(requests)])
        turn += 1
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"not a 200: {head[:60]!r}")
        length = int(
            next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")).split(b":")[1]
        )
        await reader.readexactly(length)
        seconds.append(time.perf_counter() - start)
    writer.close()


async def measure(url: str, requests: list[bytes], clients: int, duration_s: float) -> list[float]:
    """Latencies of all requests that `clients` make within the time."""
    seconds: list[float] = []
    until = time.perf_counter() + duration_s
    await asyncio.gather(
        *(client(url, requests[index:] + requests[:index], until, seconds) for index in range(clients))
    )
    return seconds


def main() -> None:
    """Run the cases and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--processes", default="1")
    parser.add_argument("--workers", default="2")
    options = parser.parse_args()
    server = Server("-r", "exact", "-r", "math", "--workers", options.workers, "--processes", options.processes)
    rows: list[tuple[object, ...]] = []
    try:
        server.wait_ready()
        for name, reward, count, clients in CASES:
            requests = [
                request_bytes(reward, count, random.Random(index))
                for index in range(max(8, clients) if count <= 64 else 4)
            ]
            asyncio.run(measure(server.url, requests, clients, 1.0))
            seconds = asyncio.run(measure(server.url, requests, clients, options.seconds))
            rate = len(seconds) / options.seconds
            p50, p99 = (f"{percentile(seconds, share) * 1000:.1f}" for share in (0.5, 0.99))
            rows.append(
                (name, count or "-", clients, f"{rate:,.0f}", f"{rate * count:,.0f}" if count else "-", p50, p99)
            )
            print(rows[-1], file=sys.stderr)
    finally:
        server.stop(signal.SIGKILL)
    print(
        f"{machine()}, load {load_average()}, {options.processes} HTTP process(es), {options.workers} workers, {today()}\n"
    )
    print(table(("request", "rows", "clients", "req/s", "rows/s", "p50 ms", "p99 ms"), rows))


if __name__ == "__main__":
    main()
