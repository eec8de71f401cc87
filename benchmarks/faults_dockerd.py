"""dockerd is restarted under a stream of programs for /run_code. A daemon of its own is used, so that no other is touched.

    python -P benchmarks/faults_dockerd.py [--programs 400] [--restarts 2]

Needs root, dockerd, and the sandbox base image in the machine's own Docker. The caller retries 503 and 504, as
SandboxFusion's and verl's clients do. A program counts as `right`, `wrong`, or `given up` after a minute of retries.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "rewardkit")]
from live import Server  # noqa: E402

from benchmarks._common import load_average, machine, table, today  # noqa: E402

BASE = "rewardkit-sandbox-base:debian"


class Daemon:
    """A dockerd with folders and a socket of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.host = f"unix://{folder}/docker.sock"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        folder = self.folder
        command = [
            "dockerd", "--iptables=false", "--ip6tables=false", "--bridge=none", "--data-root", f"{folder}/data",
            "--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/pid", "-H", self.host,
        ]  # fmt: skip
        with (folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(600):
            if subprocess.run(["docker", "-H", self.host, "version"], capture_output=True, check=False).returncode == 0:
                return
            time.sleep(0.1)
        raise SystemExit(f"dockerd did not start: {(folder / 'log').read_text()[-500:]}")

    def stop(self, signum: int) -> None:
        """Stop it and wait until it is gone."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signum)
            self.process.wait(60)


def run_one(url: str, index: int, done: Counter[str], retries: Counter[int]) -> None:
    """Run a program, with retries."""
    body = {"code": f"print({index} * 2)", "language": "python", "run_timeout": 10, "compile_timeout": 10}
    until = time.monotonic() + 60
    while time.monotonic() < until:
        response = httpx.post(f"{url}/run_code", json=body, timeout=60)
        if response.status_code not in {503, 504}:
            answer = response.json() if response.status_code == 200 else {}
            right = (answer.get("run_result") or {}).get("stdout") == f"{index * 2}\n"
            done["right" if right else f"wrong: {response.status_code} {str(answer)[:80]}"] += 1
            return
        retries[response.status_code] += 1
        time.sleep(0.5)
    done["given up"] += 1


def main() -> None:
    """Run it and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=400)
    parser.add_argument("--restarts", type=int, default=2)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="rewardkit-dockerd-"))
    daemon = Daemon(folder)
    done, retries = Counter[str](), Counter[int]()
    try:
        daemon.start()
        save = subprocess.Popen(["docker", "save", BASE], stdout=subprocess.PIPE)
        subprocess.run(["docker", "-H", daemon.host, "load", "-q"], stdin=save.stdout, check=True, stdout=sys.stderr)
        env = {"DOCKER_HOST": daemon.host}
        build = [sys.executable, "-c", "from rewardkit.cli import main; main()", "sandbox", "build"]
        subprocess.run(build, check=True, env={**os.environ, **env}, stdout=sys.stderr)
        server = Server("-r", "exact", "--workers", "1", "--sandbox", "docker", env=env)
        server.wait_ready()
        restarts = 0

        def trouble() -> None:
            nonlocal restarts
            for turn in range(options.restarts):
                share = options.programs * (turn + 1) // (options.restarts + 1)
                while sum(done.values()) < share:
                    time.sleep(0.02)
                daemon.stop(signal.SIGKILL if turn % 2 else signal.SIGTERM)
                daemon.start()
                restarts += 1

        thread = threading.Thread(target=trouble)
        thread.start()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda index: run_one(server.url, index, done, retries), range(options.programs)))
        thread.join()
        server.stop()
    finally:
        daemon.stop(signal.SIGTERM)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{machine()}, load {load_average()}, {today()}\n")
    outcome = f"{restarts} restarts (SIGTERM, then kill -9); {options.programs} asked: {dict(done)}; answers that said try again: {dict(retries)}"
    print(table(("fault", "outcome"), [("dockerd restart under /run_code", outcome)]))


if __name__ == "__main__":
    main()
