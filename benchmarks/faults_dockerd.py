"""dockerd is restarted under programs and code rows. A daemon of its own is used, so that no other is touched.

    python -P benchmarks/faults_dockerd.py [run_code|rows|score ...] [--programs 600] [--restarts 2] [--limit 170]

Needs root, dockerd, and the sandbox image in the machine's own Docker. Restarts take turns: SIGTERM, then kill -9.

run_code: programs for `/run_code`; the caller retries 503 and 504 as SandboxFusion's and verl's clients do.
rows: code rows for `/v1/score`, half of them right, through `rewardkit.remote`.
score: the same rows in `rewardkit score -r code`, where no server stands between the rows and Docker.

`wrong` is an answer unlike the truth that was built in, `lost` no answer within the limit; both must be 0. `unjudged` is an
honest answer. A scenario ends after `--limit` seconds, whatever happens. `boxes left` is counted after its end.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "rewardkit")]
from live import Server  # noqa: E402
from private_docker import PrivateDocker  # noqa: E402

import rewardkit  # noqa: E402
from benchmarks._common import load_average, machine, table, today  # noqa: E402
from rewardkit import Sample  # noqa: E402

TESTS = {"fn_name": "f", "inputs": [[1], [2], [3]], "outputs": [2, 4, 6]}


@dataclass
class Run:
    """One scenario under way."""

    daemon: PrivateDocker
    programs: int
    restarts: int
    until: float
    away: list[str] = field(default_factory=list)

    @property
    def left_s(self) -> float:
        """Seconds until the limit."""
        return max(0.0, self.until - time.monotonic())

    def trouble(self, done: Callable[[], int]) -> threading.Thread:
        """Restart the daemon at equal shares of the work."""

        def restart() -> None:
            for turn in range(self.restarts):
                share = self.programs * (turn + 1) // (self.restarts + 1)
                while done() < share and self.left_s:
                    time.sleep(0.02)
                signum = signal.SIGKILL if turn % 2 else signal.SIGTERM
                self.away.append(f"{signal.Signals(signum).name} {self.daemon.restart(signum):.1f} s")

        thread = threading.Thread(target=restart)
        thread.start()
        return thread


def run_code(run: Run) -> str:
    """Programs, one a request, four at a time."""
    done, retries = Counter[str](), Counter[int]()
    server = Server("-r", "exact", "--workers", "1", "--sandbox", "docker", env={"DOCKER_HOST": run.daemon.host})

    def one(index: int) -> None:
        body = {"code": f"print({index} * 2)", "language": "python", "run_timeout": 10, "compile_timeout": 10}
        while run.left_s:
            response = server.client.post("/run_code", json=body)
            if response.status_code not in {503, 504}:
                answer = response.json() if response.status_code == 200 else {}
                right = (answer.get("run_result") or {}).get("stdout") == f"{index * 2}\n"
                done["right" if right else "wrong"] += 1
                return
            retries[response.status_code] += 1
            time.sleep(0.5)
        done["lost"] += 1

    try:
        server.wait_ready()
        thread = run.trouble(done.total)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(one, range(run.programs)))
        thread.join()
    finally:
        server.stop()
    said = ", ".join(f"{count} x {status}" for status, count in retries.items()) or "none"
    return f"{outcome(done)}; answers that said try again: {said}"


def samples(count: int) -> list[Sample]:
    """Code rows; those with an odd number are right."""
    return [
        Sample(id=str(index), completion=f"```python\ndef f(x):\n    return {3 - index % 2} * x + 0 * {index}\n```", ground_truth=TESTS)
        for index in range(count)
    ]  # fmt: skip


def rows(run: Run) -> str:
    """Code rows in batches of 32, two at a time."""
    done = Counter[str]()
    all_rows = samples(run.programs)
    server = Server("-r", "code", "--workers", "2", "--sandbox", "docker", env={"DOCKER_HOST": run.daemon.host})
    reward = rewardkit.remote(server.url, timeout_s=run.left_s)

    def batch(start: int) -> None:
        scores = reward.score(all_rows[start : start + 32])
        done.update(judge(start + at, score.value) for at, score in enumerate(scores))

    try:
        server.wait_ready()
        thread = run.trouble(done.total)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(batch, range(0, run.programs, 32)))
        thread.join()
    finally:
        server.stop()
    return outcome(done)


def score(run: Run) -> str:
    """Code rows in a file."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "rows.jsonl"), Path(folder, "out.jsonl")
        source.write_text("".join(sample.to_json() + "\n" for sample in samples(run.programs)))
        main = [sys.executable, "-c", "from rewardkit.cli import main; main()", "score", str(source), "-r", "code"]
        command = [*main, "--sandbox", "docker", "--quiet", "-o", str(out)]
        process = subprocess.Popen(
            command, env={**os.environ, "DOCKER_HOST": run.daemon.host}, stdout=subprocess.DEVNULL
        )
        thread = run.trouble(lambda: out.read_bytes().count(b"\n") if out.exists() else 0)
        try:
            code = process.wait(run.left_s)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        thread.join()
        lines = [json.loads(line) for line in out.read_text().splitlines()]
    done = Counter(judge(int(line["id"]), line["score"]) for line in lines)
    done["lost"] = run.programs - len({line["id"] for line in lines})
    return f"{outcome(done)}, {len(lines) - len({line['id'] for line in lines})} twice; exit {code}"


def judge(index: int, value: float | None) -> str:
    """Whether a row has the value that it must have."""
    if value is None:
        return "unjudged"
    return "right" if value == index % 2 else "wrong"


def outcome(done: Counter[str]) -> str:
    """Counts, those that should be 0 always."""
    return ", ".join(f"{done[name]:,} {name}" for name in ("right", "wrong", "lost", "unjudged"))


SCENARIOS: dict[str, Callable[[Run], str]] = {"run_code": run_code, "rows": rows, "score": score}


def main() -> None:
    """Run it and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []])
    parser.add_argument("--programs", type=int, default=600)
    parser.add_argument("--restarts", type=int, default=2)
    parser.add_argument("--limit", type=float, default=170.0)
    options = parser.parse_args()
    found: list[tuple[str, str]] = []
    for name in options.scenarios or SCENARIOS:
        with PrivateDocker() as daemon:
            begin = time.monotonic()
            run = Run(daemon, options.programs, options.restarts, until=begin + options.limit)
            try:
                facts = SCENARIOS[name](run)
            except Exception as error:
                facts = f"FAILED: {type(error).__name__}: {str(error)[-300:]}"
            facts = f"{len(run.away)} restarts ({', '.join(run.away)}); {options.programs:,} asked: {facts}; {len(daemon.boxes())} boxes left; {time.monotonic() - begin:.0f} s"
        found.append((f"dockerd restart: {name}", facts))
        print(*found[-1], sep=": ", file=sys.stderr, flush=True)
    print(f"{machine()}, load {load_average()}, {today()}\n")
    print(table(("fault", "outcome"), found))


if __name__ == "__main__":
    main()
