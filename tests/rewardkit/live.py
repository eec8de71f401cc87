"""A real `rewardkit serve` in a process of its own, for tests of servers and clients."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx

TOY = Path(__file__).with_name("toy.py")
TROUBLE = f"trouble={TOY}:Trouble"
"""Does what a completion says: raise, hang, die."""
SAME = f"same={TOY}:Same"
TOKEN = "correct-horse-battery-staple"


class Server:
    """`rewardkit serve ARGS` on a free port; `log` is what it wrote to stderr."""

    def __init__(self, *args: str, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-c", "from rewardkit.cli import main; main()", "serve", "--port", "0", *args]
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env={**os.environ, **(env or {})}, text=True
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.url = self._wait_for_url()
        self.client = httpx.Client(base_url=self.url, timeout=60)

    def _read(self) -> None:
        for line in self.process.stderr:
            self.lines.append(line)

    @property
    def log(self) -> str:
        return "".join(self.lines)

    def _wait_for_url(self) -> str:
        for _ in range(600):
            if match := re.search(r" on (http://\S+)", self.log):
                return match[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.stop()
        raise AssertionError(f"the server did not start:\n{self.log}")

    def wait_ready(self, *, ready: bool = True) -> None:
        """Until /readyz says so."""
        for _ in range(600):
            with contextlib.suppress(httpx.TransportError):
                if (httpx.get(f"{self.url}/readyz").status_code == 200) is ready:
                    return
            time.sleep(0.05)
        raise AssertionError(f"not ready:\n{self.log}")

    def score(self, *completions: object, **body: object) -> httpx.Response:
        """Score completions whose ground truth is `yes`."""
        samples = [{"completion": completion, "ground_truth": "yes"} for completion in completions]
        return self.client.post("/v1/score", json={"samples": samples, **body})

    def metric(self, name: str, **labels: str) -> float:
        """One number from /metrics; 0 where it is not there yet."""
        inner = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
        wanted = f"{name}{{{inner}}}" if inner else name
        for line in self.client.get("/metrics").text.splitlines():
            if line.startswith(wanted + " "):
                return float(line.split()[-1])
        return 0.0

    def workers(self) -> list[int]:
        """Pids of the judging processes."""
        return [pid for pid in descendants(self.process.pid) if is_worker(pid)]

    def stop(self, signum: int = signal.SIGTERM) -> int:
        """Tell it to stop and wait until it has."""
        if self.process.poll() is None:
            self.process.send_signal(signum)
        try:
            return self.process.wait(60)
        finally:
            if self.process.poll() is None:
                self.process.kill()


def descendants(pid: int) -> list[int]:
    """Children, and theirs."""
    try:
        text = "".join(file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/children"))
    except OSError:
        return []
    children = [int(child) for child in text.split()]
    return children + [inner for child in children for inner in descendants(child)]


def is_worker(pid: int) -> bool:
    """A child of the fork server: it has its own process group."""
    try:
        return os.getpgid(pid) == pid and b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
