"""CPU that a request costs `rewardkit serve`, its HTTP process and its workers apart, beside FastAPI + math-verify.

    python -P benchmarks/serve_request.py [--requests 1500] [--turns 2] [--tree DIR]

One connection asks again and again; server and client take turns, so that other load moves seconds but hardly CPU time. Completions have
250 or 4,000 characters. `--tree` is another checkout whose server is measured. The peer is a route of FastAPI under uvicorn that calls
math-verify's `parse` and `verify`.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "rewardkit")]
from live import Server, descendants  # noqa: E402

from benchmarks._common import load_average, machine, table, today, version  # noqa: E402

THOUGHT = "Let us see what follows from the equation above. "


def row(reward: str, index: int, chars: int) -> dict[str, str]:
    """A right row, unlike all others."""
    thought = THOUGHT * (chars // len(THOUGHT))
    if reward == "format":
        return {"completion": f"<think>{thought}</think><answer>{index}</answer>", "ground_truth": ""}
    return {
        "completion": f"{thought}So it is \\boxed{{\\frac{{{2 * index + 1}}}{{4}}}}.",
        "ground_truth": f"{2 * index + 1}/4",
    }


PEER = """
from fastapi import FastAPI
import logging
logging.disable()
from math_verify import parse, verify
from pydantic import BaseModel
class Row(BaseModel):
    completion: str
    ground_truth: str
class Rows(BaseModel):
    samples: list[Row]
app = FastAPI()
@app.post("/v1/score")
async def score(rows: Rows):
    def one(row):
        return float(verify(parse("$" + row.ground_truth + "$", parsing_timeout=None), parse(row.completion, parsing_timeout=None), timeout_seconds=None))
    return {"scores": [{"value": one(row)} for row in rows.samples]}
"""


def cpu_s(*pids: int) -> float:
    """CPU seconds of processes, by their clocks."""
    return sum(time.clock_gettime(~pid << 3 | 2) for pid in pids)  # as clock_getcpuclockid makes it


def ask(sock: socket.socket, bodies: Sequence[bytes], rows: int) -> None:
    """One request after the other; each answer must give every row 1."""
    head = b"POST /v1/score HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    for body in bodies:
        sock.sendall(head % len(body) + body)
        top, rest = b"", b""
        while not rest:
            top += sock.recv(1 << 16)
            head_part, found, rest = top.partition(b"\r\n\r\n")
            length = next((int(line.split(b":")[1]) for line in head_part.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)  # fmt: skip
            rest = rest if found and length else b""
        while len(rest) < length:
            rest += sock.recv(1 << 16)
        if [score["value"] for score in json.loads(rest)["scores"]] != [1.0] * rows:
            raise SystemExit(f"wrong answer: {rest[:200]!r}")


def cost(url: str, pid: int, reward: str, rows: int, chars: int, requests: int) -> tuple[str, str]:
    """Milliseconds of CPU a request: of the process, and of those below it."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        batches = [
            [row(reward, place * rows + index, chars) for index in range(rows)] for place in range(requests + 20)
        ]
        bodies = [json.dumps({"samples": batch}).encode() for batch in batches]
        ask(sock, bodies[:20], rows)
        own, below = cpu_s(pid), cpu_s(*descendants(pid))
        ask(sock, bodies[20:], rows)
        spent = cpu_s(pid) - own, cpu_s(*descendants(pid)) - below
    return f"{1000 * spent[0] / requests:.2f}", f"{1000 * spent[1] / requests:.2f}"


def served(tree: Path, reward: str, rows: int, chars: int, requests: int) -> tuple[str, str]:
    """The cost of a request to the server of a checkout."""
    server = Server("-r", reward, "--workers", "1", env={"PYTHONPATH": str(tree)})
    try:
        server.wait_ready()
        return cost(server.url, server.process.pid, reward, rows, chars, requests)
    finally:
        server.stop(signal.SIGKILL)


def peer(rows: int, chars: int, requests: int) -> tuple[str, str]:
    """The same for FastAPI + math-verify."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "peer.py").write_text(PEER)
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            port = sock.getsockname()[1]
        command = [sys.executable, "-m", "uvicorn", "peer:app", "--port", str(port), "--no-access-log", "--log-level", "error"]  # fmt: skip
        process = subprocess.Popen(command, cwd=folder)
        try:
            until = time.monotonic() + 60
            while time.monotonic() < until:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.2)
            return cost(f"http://127.0.0.1:{port}", process.pid, "math", rows, chars, requests)
        finally:
            process.kill()
            process.wait()


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1_500)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--tree", type=lambda text: Path(text).resolve(), default=ROOT)
    options = parser.parse_args()
    os.chdir(options.tree)
    found: list[tuple[object, ...]] = []
    for turn in range(1, options.turns + 1):
        for rows, chars in ((1, 250), (64, 250), (64, 4_000)):
            requests = max(100, options.requests // rows)
            for reward in ("format", "math"):
                spent = served(options.tree, reward, rows, chars, requests)
                found.append((turn, f"rewardkit serve, {reward}", rows, chars, *spent))
            spent = peer(rows, chars, requests)
            found.append((turn, f"FastAPI + math-verify {version('math-verify')}", rows, chars, *spent))
    print(f"{machine()}, load {load_average()}, {today()}, {options.tree.name}\n")
    print(
        table(
            ("turn", "server", "rows a request", "characters", "HTTP process, ms of CPU", "workers, ms of CPU"), found
        )
    )


if __name__ == "__main__":
    main()
