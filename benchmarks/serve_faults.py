"""What honest callers of `rewardkit serve` wait for while others misbehave: p50 and p99, rows lost, rows judged twice.

    python -P benchmarks/serve_faults.py [SCENARIO...] [--tree DIR] [--seconds 15]

Honest callers ask on eight connections, one row at a time. `--tree` is another checkout whose server and client are measured. Scenarios:
none, loops (four connections that send nothing else) and mixed (three rows of ten) with programs, calm and pattern (an operator's pattern that backtracks), hangups, bodies, stopped (one of two servers gets SIGSTOP).
`lost` are honest rows without the right value, `twice` rows that the servers judged beyond those that were asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "rewardkit")]
from live import Server  # noqa: E402

from benchmarks._common import load_average, machine, percentile, table, today  # noqa: E402

CLIENTS = 8
WORKERS = "4"
SLOW_FILE = """
import re
from dataclasses import dataclass
from rewardkit import SampleReward, Score
@dataclass(frozen=True)
class Pattern(SampleReward):
    name = "pattern"
    def grade(self, sample):
        return Score.of(bool(re.fullmatch(r"(a+)+b", sample.completion)))
"""
TESTS = {"fn_name": "f", "inputs": [[i] for i in range(8)], "outputs": [2 * i for i in range(8)]}
Outcome = tuple[str, str, str, str, str, str]


def program(index: int) -> dict[str, Any]:
    """A right program, unlike all others."""
    return {"completion": f"```python\ndef f(x):\n    return 2 * x + 0 * {index}\n```", "ground_truth": TESTS}


def loop(index: int) -> dict[str, Any]:
    """A program that loops."""
    return {"completion": f"```python\ndef f(x):\n    while {index} > -1: pass\n```", "ground_truth": TESTS}


@dataclass
class Honest:
    """What honest callers saw."""

    seconds: list[float] = field(default_factory=list[float])
    asked: int = 0
    lost: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Why rows were lost."""

    def took(self, seconds: float, answer: dict[str, Any]) -> None:
        """An answer came after so long."""
        self.seconds.append(seconds)
        (score,) = answer.get("scores", [{"value": None, "reason": str(answer)[:100]}])
        if score["value"] != 1.0:
            self.lose(score["reason"])

    def lose(self, reason: str) -> None:
        """A row has no right value."""
        self.lost += 1
        self.reasons[reason] += 1


async def ask(url: str, body: bytes, *, hang_up_s: float | None = None) -> Any:
    """One request on a connection of its own; None where we hang up first."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        head = f"POST /v1/score HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        if hang_up_s is not None:
            await asyncio.sleep(hang_up_s)
            return None
        answer = await reader.read()
        return json.loads(answer.partition(b"\r\n\r\n")[2])
    finally:
        writer.close()


def request(*rows: dict[str, Any]) -> bytes:
    return json.dumps({"samples": rows}).encode()


async def honest(url: str, row: Callable[[int], dict[str, Any]], until: float, seen: Honest, first: int) -> None:
    """Ask for one row after the other on one connection."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    index = first * 1_000_000
    while time.perf_counter() < until:
        index += 1
        body = request(row(index))
        since = time.perf_counter()
        head = f"POST /v1/score HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        seen.asked += 1
        lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:"))
        answer = json.loads(await reader.readexactly(length))
        seen.took(time.perf_counter() - since, answer)
    writer.close()


async def under(url: str, row: Callable[[int], dict[str, Any]], others: Callable[[], Coroutine[Any, Any, None]] | None, seconds: float) -> Honest:  # fmt: skip
    """Honest callers while others do what they do."""
    seen = Honest()
    await asyncio.gather(*(honest(url, row, time.perf_counter() + 2, Honest(), 99) for _ in range(CLIENTS)))  # warm up
    noise = asyncio.create_task(others()) if others else None
    until = time.perf_counter() + seconds
    await asyncio.gather(*(honest(url, row, until, seen, client) for client in range(CLIENTS)))
    if noise:
        noise.cancel()
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await noise
    return seen


async def hostile_clients(url: str, count: int, row: Callable[[int], dict[str, Any]]) -> None:
    """Closed loop: `count` connections that ask for bad rows only."""

    async def one(client: int) -> None:
        for index in range(10**6):
            with contextlib.suppress(OSError, ValueError):
                await ask(url, request(row(client * 10**6 + index)))

    await asyncio.gather(*map(one, range(count)))


@contextlib.asynccontextmanager
async def server(tree: Path, *args: str) -> AsyncIterator[Server]:
    """A server of a checkout."""
    one = await asyncio.to_thread(Server, *args, env={"PYTHONPATH": str(tree)})
    try:
        await asyncio.to_thread(one.wait_ready)
        yield one
    finally:
        await asyncio.to_thread(one.stop, signal.SIGKILL)


@contextlib.contextmanager
def pattern_file() -> Iterator[Path]:
    """A file with an operator's reward that backtracks."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "slow.py")
        file.write_text(SLOW_FILE)
        yield file


async def measure(name: str, tree: Path, seconds: float) -> Outcome:
    """One scenario."""
    code = ("-r", "code", "--workers", WORKERS, "--sandbox", "unsafe")
    with pattern_file() as file:
        pattern = ("-r", f"pattern={file}:Pattern", "--workers", WORKERS, "--row-timeout", "30")
        fast = {"completion": "aaab", "ground_truth": ""}
        slow = {"completion": "a" * 40, "ground_truth": ""}
        options, row = (pattern, lambda _: fast) if name in ("calm", "pattern", "bodies") else (code, program)
        async with server(tree, *options) as one:
            noises: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
                "loops": lambda: hostile_clients(one.url, 4, loop),
                "pattern": lambda: hostile_clients(one.url, 4, lambda _: slow),
                "hangups": lambda: hang_up(one.url, 50),
                "bodies": lambda: large_bodies(one.url),
            }
            if name == "mixed":
                seen = await mixed(one.url, seconds)
            else:
                seen = await under(one.url, row, noises.get(name), seconds)
            peak = peak_mb(one.process.pid)
    return outcome(name, seen, seconds, f"{peak:.0f}")


async def hang_up(url: str, rate: int) -> None:
    """Callers who leave 5 ms after they asked."""
    running: set[asyncio.Task[Any]] = set()
    for index in range(10**6):
        task = asyncio.create_task(ask(url, request(program(-index)), hang_up_s=0.005))
        running.add(task)
        task.add_done_callback(running.discard)
        await asyncio.sleep(1 / rate)


async def mixed(url: str, seconds: float) -> Honest:
    """Ten rows a second, each on a connection of its own, three of ten a loop; only the others are counted."""
    seen = Honest()

    async def one(index: int) -> None:
        since = time.perf_counter()
        try:
            answer = await ask(url, request(program(index)))
            seen.took(time.perf_counter() - since, answer)
        except (OSError, ValueError) as error:
            seen.lose(repr(error))

    await one(-1)
    seen.seconds.clear()
    running: list[asyncio.Task[Any]] = []
    loops: list[asyncio.Task[Any]] = []
    for index in range(round(10 * seconds)):
        bad = index % 10 in (0, 3, 6)
        (loops if bad else running).append(asyncio.create_task(ask(url, request(loop(index))) if bad else one(index)))
        await asyncio.sleep(0.1)
    _, late = await asyncio.wait(running, timeout=90)
    for task in [*loops, *late]:
        task.cancel()
    for _ in late:
        seen.lose("no answer within 90 s")
    return seen


async def large_bodies(url: str) -> None:
    """60 MB of empty lists, again and again."""
    body = b'{"samples": [' + b"[]," * 20_000_000 + b"[]]}"
    while True:
        with contextlib.suppress(OSError, ValueError):
            await ask(url, body)


def outcome(name: str, seen: Honest, seconds: float, note: str) -> Outcome:
    p50, p99 = (f"{percentile(seen.seconds, share) * 1000:.0f}" if seen.seconds else "-" for share in (0.5, 0.99))
    reasons = "".join(f"; {count} lost: {reason}" for reason, count in seen.reasons.most_common(3))
    return name, f"{len(seen.seconds) / seconds:.1f}", p50, p99, str(seen.lost), note + reasons


def peak_mb(pid: int) -> float:
    """Most memory of the HTTP process so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


CLIENT = """
import json, sys, time
import rewardkit
from rewardkit import Sample
rows = [Sample(completion=f"\\\\boxed{{{i}}}", ground_truth=str(i)) for i in range(2560)]
reward = rewardkit.remote(json.loads(sys.argv[1]), timeout_s=20.0)
reward.score(rows[:64])
print("go", flush=True); sys.stdin.readline()
since = time.perf_counter()
values = [score.value for score in reward.score(rows)]
print(json.dumps([time.perf_counter() - since, sum(value != 1.0 for value in values)]))
"""


def start_client(tree: Path, urls: list[str]) -> subprocess.Popen[str]:
    """A process with the client of a checkout."""
    command = [sys.executable, "-P", "-c", CLIENT, json.dumps(urls)]
    env = {**os.environ, "PYTHONPATH": str(tree)}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)


async def stopped(tree: Path) -> Outcome:
    """2,560 rows through two servers, one of which is stopped at the start."""
    async with server(tree, "-r", "math", "--workers", "2") as one, server(tree, "-r", "math", "--workers", "2") as two:
        with start_client(tree, [one.url, two.url]) as client:
            assert client.stdin is not None
            assert client.stdout is not None
            client.stdout.readline()
            os.kill(one.process.pid, signal.SIGSTOP)
            client.stdin.write("\n")
            client.stdin.flush()
            seconds, lost = json.loads(await asyncio.to_thread(client.stdout.readline))
        os.kill(one.process.pid, signal.SIGCONT)
        await asyncio.sleep(3)
        judged = sum(s.metric("rewardkit_rows_total", reward="math", verdict="correct") for s in (one, two)) - 64
    return (
        "stopped",
        f"{2560 / seconds:.1f}",
        "-",
        "-",
        str(lost),
        f"{seconds:.1f} s, {max(0, judged - 2560 + lost):.0f} twice",
    )


SCENARIOS = ("none", "loops", "mixed", "calm", "pattern", "hangups", "bodies", "stopped")


def main() -> None:
    """Run the scenarios and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []])
    parser.add_argument("--tree", type=lambda text: Path(text).resolve(), default=ROOT)
    parser.add_argument("--seconds", type=float, default=15)
    options = parser.parse_args()
    os.chdir(options.tree)  # where `python -c` looks first
    found: list[Outcome] = []
    for name in options.scenarios or SCENARIOS:
        run = stopped(options.tree) if name == "stopped" else measure(name, options.tree, options.seconds)
        found.append(asyncio.run(run))
        print(found[-1], file=sys.stderr, flush=True)
    print(f"{machine()}, load {load_average()}, {today()}, {options.tree.name}\n")
    print(table(("fault", "rows/s", "p50 ms", "p99 ms", "lost", "peak MB, or note"), found))


if __name__ == "__main__":
    main()
