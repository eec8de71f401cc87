"""LeetCode submissions a second: the `code` reward in Docker beside graders that isolate nothing.

    python benchmarks/code_speed.py --peers PYTHON --leetcode-dataset DIR [--rounds 5] [--count 60] [--workers 2] [--out FILE]

PYTHON is an interpreter with `pip install --no-deps verl==0.9.1 evalplus` and `numpy psutil sortedcontainers`; DIR a checkout
of newfacade/LeetCodeDataset (neither is part of this repository). Submissions are accepted reference solutions of
LeetCodeDataset v0.3.1 that need less than 0.1 s CPU, about 100 tests each, judged all-or-nothing; rounds of all judges are
interleaved and each judge has the same number of workers. `rewardkit` reads the tests anew in every round; `rewardkit, seen
problems` is a second pass over the same rows, as in a GRPO group.

Two clocks: submissions a second, and CPU milliseconds a submission of all processes (ours: this process and the containers).
On a machine that others use too, all containers together get the share of one process. `--groups /sys/fs/cgroup/cpu` (root, cgroup
v1) puts each peer into a group of its own too, so that both sides are given the same.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rewardkit import Sample
from rewardkit.code import formats
from rewardkit.code.formats import read_problem
from rewardkit.code.problem import Problem
from rewardkit.code.shared import use_sandbox
from rewardkit.rewards.code import Code
from sandboxes.base import Sandbox
from sandboxes.errors import SandboxError
from sandboxes.registry import open_sandbox
from sandboxes.values import decode

DATA = Path(os.environ.get("REWARDKIT_DATA", Path(__file__).parents[2] / "shared" / "data"))
PEERS = ("leetcode_dataset", "prime_code", "evalplus")
TARGETS = {"leetcode_dataset": 3.0, "prime_code": 3.0, "evalplus": 1.7}
FAST_CPU_S = 0.1


class Round(NamedTuple):
    """One pass over all submissions."""

    wall_s: float
    cpu_s: float
    verdicts: tuple[bool | None, ...]

    @property
    def passed(self) -> int:
        """How many were accepted."""
        return sum(verdict is True for verdict in self.verdicts)


class Peer:
    """A peer's process, told to run a round."""

    def __init__(
        self,
        name: str,
        python: str,
        file: Path,
        workers: int,
        place: str,
        groups: Path | None = None,
        box: Sequence[str] = (),
    ) -> None:
        script = Path(__file__).with_name("code_speed_peer.py")
        command = [*box, python, str(script), name, str(file), str(workers), place]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.group = groups / f"code_speed_{self.process.pid}" if groups else None
        if self.group is not None:
            self.group.mkdir()
            (self.group / "cgroup.procs").write_text(str(self.process.pid))
        self._line("ready")

    def round(self) -> Round:
        """Judge all submissions once."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        result = json.loads(self._line("{"))
        return Round(result["s"], result["cpu_s"], tuple(result["verdicts"]))

    def _line(self, start: str) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(start):  # peers print words of their own
                return line
        raise RuntimeError(f"the peer ended with {self.process.wait()}")

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=60)
        if self.group is not None:
            self.group.rmdir()


def read_rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def as_sample(row: dict[str, Any]) -> Sample:
    truth = {name: row[name] for name in ("prompt", "entry_point", "test")}
    return Sample(completion=f"```python\n{row['completion']}\n```", ground_truth=truth, id=row["task_id"])


def as_calls(problem: Problem) -> list[tuple[list[Any], dict[str, Any], Any]] | None:
    """A problem's calls as plain data; None where they are no data that JSON keeps: not every peer can be given those."""
    calls = [
        (
            [decode(value) for value in test.call.args],
            {name: decode(value) for name, value in test.call.kwargs.items()},
            test.expected.value,
        )
        for test in problem.call_tests
        if test.expected.kind in ("equal", "is")
    ]
    try:
        same = json.loads(json.dumps(calls)) == [list(call) for call in calls]
    except (TypeError, ValueError):
        return None
    return calls if same and calls and len(calls) == len(problem.call_tests) else None


def pick(rows: list[dict[str, Any]], sandbox: Sandbox, count: int) -> list[dict[str, Any]]:
    """The first rows whose reference is accepted in less than 0.1 s CPU, with their calls as plain data for the peers."""
    from sandboxes.base import Job, Limits

    picked: list[dict[str, Any]] = []
    for row in rows:
        problem = read_problem({name: row[name] for name in ("prompt", "entry_point", "test")})
        job = Job(
            program=row["completion"], calls=tuple(test.call for test in problem.call_tests), entry_point=problem.entry_point,
            prelude=problem.prelude, limits=Limits(cpu_s=1.0, total_cpu_s=1.0),
        )  # fmt: skip
        facts = sandbox.run([job])[0]
        if facts.cpu_s > FAST_CPU_S or len(facts.calls) < len(problem.call_tests):
            continue
        calls = as_calls(problem)
        if calls is None:
            continue
        program = f"{row['prompt']}\n{row['completion']}"
        method = row["entry_point"].rpartition(".")[2]
        picked.append({**row, "id": row["task_id"], "program": program, "method": method, "calls": calls})
        if len(picked) == count:
            break
    return picked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", help="Python with the peers installed")
    parser.add_argument("--leetcode-dataset", default="", help="a checkout of newfacade/LeetCodeDataset")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument(
        "--groups", type=Path, help="cgroup v1 folder of the cpu controller, to share the machine fairly"
    )
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    try:
        sandbox = open_sandbox(options.sandbox, workers=options.workers)
    except SandboxError as error:
        sys.exit(f"error: {error}")
    with sandbox, use_sandbox(sandbox), tempfile.TemporaryDirectory() as folder:
        rows = pick(
            read_rows(options.data / "leetcode_dataset" / "leetcode_v0.3.1_test.jsonl.gz"), sandbox, options.count
        )
        tests = sum(len(row["calls"]) for row in rows)
        file = Path(folder) / "rows.json"
        file.write_text(json.dumps(rows), encoding="utf-8")
        names = [name for name in PEERS if options.peers and (name != "leetcode_dataset" or options.leetcode_dataset)]
        peers = {
            name: Peer(name, options.peers, file, options.workers, options.leetcode_dataset, options.groups)
            for name in names
        }
        reward = Code(sandbox=options.sandbox)
        samples = [as_sample(row) for row in rows]
        rounds: dict[str, list[Round]] = {}
        for number in range(options.rounds + 1):
            for name in ("rewardkit", "rewardkit, seen problems", *peers):
                if name == "rewardkit":
                    formats._KEPT = formats._Kept()  # as if no problem had been seen
                found = peers[name].round() if name in peers else our_round(reward, samples, sandbox)
                if number:  # the first round warms up
                    rounds.setdefault(name, []).append(found)
                print(
                    f"round {number}: {name} {len(rows) / found.wall_s:.1f} a second, {found.passed} passed",
                    file=sys.stderr,
                )
        for peer in peers.values():
            peer.close()
    report(rows, tests, rounds, options)


def our_round(reward: Code, samples: list[Sample], sandbox: Sandbox) -> Round:
    boxes, used, start = box_cpu_s(sandbox), time.process_time(), time.perf_counter()
    verdicts = tuple(None if score.value is None else score.value == 1.0 for score in reward.score(samples))
    wall_s = time.perf_counter() - start
    return Round(wall_s, time.process_time() - used + box_cpu_s(sandbox) - boxes, verdicts)


def box_cpu_s(sandbox: Sandbox) -> float:
    """CPU seconds of the sandbox's containers so far, as Docker counts them; 0 for another sandbox."""
    from sandboxes.backends.docker import LABEL_RUN, DockerSandbox

    if not isinstance(sandbox, DockerSandbox):
        return 0.0
    total = 0.0
    for found in sandbox.api.containers(f"{LABEL_RUN}={sandbox.run_id}"):
        stats = sandbox.api.request("GET", f"/containers/{found['Id']}/stats?stream=false&one-shot=true")
        total += stats["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9
    return total


def report(rows: list[Any], tests: int, rounds: dict[str, list[Round]], options: argparse.Namespace) -> None:
    count = len(rows)
    lines = []
    for name, theirs in rounds.items():
        rates = sorted(count / found.wall_s for found in theirs)
        ours = rounds["rewardkit, seen problems"]
        lines.append(
            {
                "judge": name,
                "submissions_per_s": round(statistics.median(rates), 1),
                "spread": [round(rates[0], 1), round(rates[-1], 1)],
                "tests_per_s": round(statistics.median(rates) * tests / count),
                "cpu_ms_per_submission": round(statistics.median(found.cpu_s for found in theirs) / count * 1e3, 1),
                "passed": theirs[-1].passed,
                "times_our_wall": round(
                    statistics.median(a.wall_s / b.wall_s for a, b in zip(theirs, ours, strict=True)), 2
                ),
                "times_our_cpu": round(
                    statistics.median(a.cpu_s / b.cpu_s for a, b in zip(theirs, ours, strict=True)), 2
                ),
                "target": TARGETS.get(name),
            }
        )
    result = {
        "submissions": count, "tests": tests, "rounds": options.rounds, "workers": options.workers, "sandbox": options.sandbox,
        "cores": os.cpu_count(), "load": [round(value, 1) for value in os.getloadavg()],
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "judges": lines,
    }  # fmt: skip
    print(json.dumps(result, indent=1))
    if options.out:
        options.out.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
