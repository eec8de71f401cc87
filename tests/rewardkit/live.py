"""A real `rewardkit serve` in a process of its own, for tests of servers and clients."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import httpx

TOY = Path(__file__).with_name("toy.py")
TROUBLE = f"trouble={TOY}:Trouble"
"""Does what a completion says: raise, hang, die."""
SAME = f"same={TOY}:Same"
TOKEN = "correct-horse-battery-staple"
BOUND_S = 120
"""Nothing here waits for so long, unless it hangs: a machine under load may be ten times slower."""
T = TypeVar("T")


def wait_for(look: Callable[[], T], why: Callable[[], str] = lambda: "it did not come", bound_s: float = BOUND_S) -> T:
    """What `look` gives, once it gives something; `why` says what is known where it does not."""
    until = time.monotonic() + bound_s
    while not (found := look()):
        if time.monotonic() > until:
            raise AssertionError(why())
        time.sleep(0.02)
    return found


class Server:
    """`rewardkit serve ARGS` on a free port; `log` is what it wrote to stderr."""

    def __init__(self, *args: str, env: dict[str, str] | None = None, **client: Any) -> None:
        command = [sys.executable, "-c", "from rewardkit.cli import main; main()", "serve", *args]
        command += [] if "--port" in args else ["--port", "0"]
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env={**os.environ, **(env or {})}, text=True
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.url = self._wait_for_url()
        self.client = httpx.Client(base_url=self.url, timeout=BOUND_S, **client)

    def _read(self) -> None:
        for line in self.process.stderr:
            self.lines.append(line)

    @property
    def log(self) -> str:
        return "".join(self.lines)

    def _wait_for_url(self) -> str:
        try:
            found = wait_for(lambda: self._said_url() or self.process.poll() is not None, lambda: self.log)
            if not isinstance(found, str):
                raise AssertionError(f"the server did not start:\n{self.log}")
        except BaseException:
            self.stop()
            raise
        return found

    def _said_url(self) -> str | None:
        match = re.search(r" on (https?://\S+)\n", self.log)
        return match and match[1]

    def wait_ready(self) -> None:
        """Until /readyz says so."""
        wait_for(self._is_ready, lambda: f"not ready:\n{self.log}")

    def _is_ready(self) -> bool:
        with contextlib.suppress(httpx.TransportError):
            return self.client.get("/readyz").status_code == 200
        return False

    def wait_workers(self, count: int) -> list[int]:
        """The judging processes, once there are so many: the server is ready with the first."""
        return wait_for(lambda: len(pids := self.workers()) >= count and pids, lambda: f"{self.workers()}\n{self.log}")

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
            return self.process.wait(BOUND_S)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()


class InProcess:
    """An application under uvicorn in a thread of this process. A context manager that gives a client."""

    def __init__(self, app: Any, **client: Any) -> None:
        import uvicorn

        self._sock = socket.create_server(("127.0.0.1", 0))
        self._server = uvicorn.Server(uvicorn.Config(app, lifespan="on", log_config=None, timeout_graceful_shutdown=1))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._sock]})
        self._client = client

    def __enter__(self) -> httpx.Client:
        self._thread.start()
        wait_for(lambda: self._server.started)
        return httpx.Client(base_url=f"http://127.0.0.1:{self._sock.getsockname()[1]}", timeout=BOUND_S, **self._client)

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()


def descendants(pid: int) -> list[int]:
    """Children, and theirs."""
    below: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                below.setdefault(parent, []).append(int(folder.name))
    found = list(below.get(pid, ()))
    for child in found:
        found += below.get(child, ())
    return found


def parent_of(pid: int) -> int:
    """The parent process."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def is_gone(pid: int) -> bool:
    """A process has ended (a zombie has)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_gone(*pids: int) -> None:
    """Until these processes have ended."""
    wait_for(lambda: all(map(is_gone, pids)), lambda: f"still there: {[pid for pid in pids if not is_gone(pid)]}")


def is_worker(pid: int) -> bool:
    """A child of the fork server: it has its own process group."""
    try:
        return os.getpgid(pid) == pid and b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def sleeper(folder: Path) -> str:
    """A program that notes its process and sleeps longer than any test."""
    return f"import os, time\nopen({str(folder)!r} + f'/{{os.getpid()}}', 'w')\ntime.sleep(600)\ndef f(x): return x"


def begun(folder: Path) -> int:
    """The process of such a program, once it is up."""
    return int(wait_for(lambda: [file.name for file in folder.iterdir()])[0])
