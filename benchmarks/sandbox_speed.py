"""What a test costs: our sandboxes beside a container, an exec, a bubblewrap or an interpreter per test, and a bare fork.

    python benchmarks/sandbox_speed.py [--rounds 5] [--tests 60] [--out FILE]

One run; all contenders take turns in each round, so that foreign load hits all alike; medians with the range over rounds.
Each test feeds one line to a ten-line program and reads its stdout. One worker everywhere, except where boxes are counted.
The floor is `os.fork(); os._exit(0)` and the wait for it, in the same interpreter with the same modules, inside the same
kind of container. Needs Docker with the sandbox image, and bubblewrap.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from _common import load_average, machine, number, spread, table, today

from sandboxes import Call, Execution, Job, Limits, Sandbox, open_sandbox
from sandboxes.backends.bubblewrap import wrapping
from sandboxes.backends.docker import LABEL_BOX, LABEL_RUN, DockerSandbox
from sandboxes.backends.docker_image import image_name

FEWEST_KILLS = 4
PROGRAM = """import sys
from collections import Counter
def solve(n):
    seen = Counter()
    for i in range(1, n + 1):
        seen[i % 7] += i
    return max(seen.values())
n = int(sys.stdin.readline())
print(solve(n), n + 1)
"""
EXPECTED = "{0} {1}\n"
FORKS = 65
FLOOR = """import os, time
n = 60
for _ in range(5):
    pid = os.fork()
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
start = time.perf_counter()
for _ in range(n):
    pid = os.fork()
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
print((time.perf_counter() - start) / n)
"""
SLOW = 8
"""Containers per test are so slow that this share of the tests is enough for them."""


def expected(n: int) -> str:
    """What the program prints."""
    sums: dict[int, int] = {}
    for i in range(1, n + 1):
        sums[i % 7] = sums.get(i % 7, 0) + i
    return f"{max(sums.values())} {n + 1}\n"


def jobs(tests: int, tag: str = "") -> list[Job]:
    """One stdin test each of one program."""
    return [Job(program=PROGRAM + tag, stdin=f"{n}\n") for n in range(1, tests + 1)]


def check(outputs: list[str]) -> None:
    """A figure counts only if every answer was right."""
    for n, output in enumerate(outputs, 1):
        if output != expected(n):
            raise SystemExit(f"wrong output for {n}: {output!r}")


def ours(sandbox: Sandbox, tests: int, *, one_by_one: bool) -> float:
    """Seconds a test; one by one means that the host looks at each result before the next test starts."""
    start = time.perf_counter()
    facts = sandbox.run(jobs(tests), stop=(lambda _index, facts: not facts.finished) if one_by_one else None)
    spent = time.perf_counter() - start
    check([execution.stdout_text for execution in facts])
    return spent / tests


def command(argv: list[str], tests: int) -> float:
    """Seconds a test of a new process each time."""
    start = time.perf_counter()
    outputs = [
        subprocess.run(argv, input=f"{n}\n", capture_output=True, text=True, check=True).stdout
        for n in range(1, tests + 1)
    ]
    spent = time.perf_counter() - start
    check(outputs)
    return spent / tests


def floor(sandbox: Sandbox) -> float:
    """Seconds a bare fork and exit takes inside a box."""
    return float(sandbox.run([Job(program=FLOOR, limits=Limits(cpu_s=30))])[0].stdout)


def function(sandbox: Sandbox, submissions: int) -> float:
    """Seconds a submission of 100 calls."""
    calls = tuple(Call(args=(n,)) for n in range(100))
    batch = [Job(program=f"def f(n):\n    return n * {k}\n", entry_point="f", calls=calls) for k in range(submissions)]
    start = time.perf_counter()
    facts = sandbox.run(batch)
    spent = time.perf_counter() - start
    for k, execution in enumerate(facts):
        if [call.value for call in execution.calls] != [n * k for n in range(100)]:
            raise SystemExit(f"wrong values of submission {k}")
    return spent / submissions


def own_boxes(sandbox: DockerSandbox) -> list[str]:
    """Ids of the running containers of this sandbox."""
    found = sandbox.api.containers(LABEL_BOX)
    return [box["Id"] for box in found if box["Labels"][LABEL_RUN] == sandbox.run_id and box["State"] == "running"]


def cpu_s(sandbox: DockerSandbox) -> float:
    """CPU seconds of all boxes of this sandbox so far, as their cgroups count them (Docker's own count takes seconds to ask)."""
    total = 0.0
    for box in own_boxes(sandbox):
        pid = sandbox.api.request("GET", f"/containers/{box}/json")["State"]["Pid"]
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            if "cpuacct" in controllers.split(","):
                total += int(Path(f"/sys/fs/cgroup/cpuacct{group}/cpuacct.usage").read_text()) / 1e9
            elif not controllers and (stat := Path(f"/sys/fs/cgroup{group}/cpu.stat")).exists():
                total += int(stat.read_text().split()[1]) / 1e6
    return total


def idle_memory_mb(sandbox: DockerSandbox) -> float:
    """Memory of one idle container without page cache, as Docker counts it."""
    stats = sandbox.api.request("GET", f"/containers/{own_boxes(sandbox)[0]}/stats", query={"stream": 0, "one-shot": 1})
    memory = stats["memory_stats"]
    cached = memory["stats"].get("total_inactive_file", memory["stats"].get("inactive_file", 0))
    return (memory["usage"] - cached) / 2**20


def with_kills(tests: int, every_s: float) -> tuple[int, int, int, float]:
    """Kill boxes of the pool at random while tests run, at least so many and until enough boxes were killed.

    The wrong or lost results, the tests, the kills, and the longest wait for 20 results in seconds.
    """
    done = threading.Event()
    kills: list[str] = []
    choice = random.Random(11)
    with DockerSandbox(workers=2, spares=2) as sandbox:

        def killer() -> None:
            while not done.wait(every_s):
                boxes = own_boxes(sandbox)
                if boxes:
                    kills.append(choice.choice(boxes))
                    sandbox.api.request("POST", f"/containers/{kills[-1]}/kill")

        thread = threading.Thread(target=killer)
        thread.start()
        try:
            marks = [time.perf_counter()]
            facts: list[Execution] = []
            while len(facts) < tests or len(kills) < FEWEST_KILLS:
                numbers = range(len(facts) + 1, len(facts) + 21)
                facts += sandbox.run([Job(program=PROGRAM + f"# {n % 40}\n", stdin=f"{n}\n") for n in numbers])
                marks.append(time.perf_counter())
        finally:
            done.set()
            thread.join()
    wrong = sum(execution.stdout_text != expected(n) for n, execution in enumerate(facts, 1))
    return wrong, len(facts), len(kills), max(b - a for a, b in pairwise(marks))


def start_times(rounds: int) -> tuple[list[float], list[float]]:
    """Seconds to open a sandbox with one box, and seconds a job waits after its box was killed while a spare was warm."""
    cold, replaced = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        with DockerSandbox(workers=1, spares=1) as sandbox:
            sandbox.run(jobs(1))
            cold.append(time.perf_counter() - start)
            time.sleep(2.0)  # the spare gets warm
            for box in sandbox.pool._boxes:
                first = box
                break
            sandbox.api.request("POST", f"/containers/{first.name}/kill")  # type: ignore[attr-defined]
            start = time.perf_counter()
            check([sandbox.run(jobs(1))[0].stdout_text])
            replaced.append(time.perf_counter() - start)
    return cold, replaced


def main() -> None:
    """Measure everything and print markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tests", type=int, default=60)
    parser.add_argument("--kill-tests", type=int, default=600)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    tests, few = args.tests, max(args.tests // SLOW, 4)
    docker = shutil.which("docker") or "docker"
    hardening = [
        "--network",
        "none",
        "--ipc",
        "none",
        "--read-only",
        "--cap-drop",
        "ALL",
        "--security-opt",
        "no-new-privileges",
    ]
    limits = [
        "-u",
        "65534",
        "--memory",
        "512m",
        "--pids-limit",
        "64",
        "--cpus",
        "1",
        "--log-driver",
        "none",
        "--entrypoint",
        "python3",
    ]
    box = subprocess.run(
        [docker, "run", "-d", "--rm", *hardening, *limits, image_name("python"), "-c", "import time; time.sleep(7200)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    bubblewrap = ["bwrap", *wrapping(), "/usr/bin/python3", "-I", "-c", PROGRAM]
    bubblewrap.remove("--as-pid-1")
    times: dict[str, list[float]] = {}
    cpu: dict[str, list[float]] = {}
    counted = {"docker, test by test": tests, "docker, a batch": tests, "floor: fork and exit": FORKS}
    """Tests, or forks, of those that run in our own boxes, to share their CPU time among."""
    try:
        with DockerSandbox(workers=1) as strong, open_sandbox("local", workers=1) as weak:
            contenders: dict[str, Callable[[], float]] = {
                "docker, test by test": lambda: ours(strong, tests, one_by_one=True),
                "docker, a batch": lambda: ours(strong, tests, one_by_one=False),
                "local, test by test": lambda: ours(weak, tests, one_by_one=True),
                "floor: fork and exit": lambda: floor(strong),
                "`docker run` per test": lambda: command(
                    [docker, "run", "-i", "--rm", *hardening, *limits, image_name("python"), "-I", "-c", PROGRAM], few
                ),
                "`docker exec` per test": lambda: command(
                    [docker, "exec", "-i", box, "python3", "-I", "-c", PROGRAM], few
                ),
                "bubblewrap per test": lambda: command(bubblewrap, tests),
                "bare `python -I` per test": lambda: command(["/usr/bin/python3", "-I", "-c", PROGRAM], tests),
                "docker, submission of 100 calls": lambda: function(strong, tests),
            }
            for contender in contenders.values():
                contender()
            begin = load_average()
            for _ in range(args.rounds):
                for name, contender in contenders.items():
                    before = cpu_s(strong) if name in counted else 0.0
                    times.setdefault(name, []).append(contender())
                    if name in counted:
                        cpu.setdefault(name, []).append((cpu_s(strong) - before) / counted[name])
            memory = idle_memory_mb(strong)
        rates: dict[int, list[float]] = {}
        pools = {count: DockerSandbox(workers=count, spares=0) for count in (1, 2, 4)}
        try:
            mixed = [Job(program=PROGRAM + f"# {k}\n", stdin=f"{n}\n") for k in range(20) for n in range(1, 11)]
            for pool in pools.values():
                pool.run(mixed)
            for _ in range(args.rounds):
                for count, pool in pools.items():
                    start = time.perf_counter()
                    pool.run(mixed)
                    rates.setdefault(count, []).append(20 / (time.perf_counter() - start))
        finally:
            for pool in pools.values():
                pool.close()
        cold, replaced = start_times(min(args.rounds, 5))
        wrong, killed_tests, kills, longest = with_kills(args.kill_tests, 1.0)
    finally:
        subprocess.run([docker, "rm", "-f", box], capture_output=True, check=False)
    ratio = {
        name: [value / own for value, own in zip(values, times["docker, test by test"], strict=True)]
        for name, values in times.items()
    }
    rows = [
        [name, spread([value * 1000 for value in values]), number(1 / statistics.median(values)), spread(ratio[name])]
        for name, values in times.items()
    ]
    text = "\n".join(
        [
            f"{machine()}, {today()}, load {begin} before, {load_average()} after, {args.rounds} interleaved rounds",
            "",
            table(["contender", "ms each", "each / s", "time / ours test by test"], rows),
            "",
            table(
                ["what", "figure"],
                [
                    [
                        "test by test over the floor",
                        spread(
                            [
                                own / bare
                                for own, bare in zip(
                                    times["docker, test by test"], times["floor: fork and exit"], strict=True
                                )
                            ]
                        ),
                    ],
                    [
                        "batch over the floor",
                        spread(
                            [
                                own / bare
                                for own, bare in zip(
                                    times["docker, a batch"], times["floor: fork and exit"], strict=True
                                )
                            ]
                        ),
                    ],
                    *[
                        [f"CPU ms in the box, {name}", spread([value * 1000 for value in values])]
                        for name, values in cpu.items()
                    ],
                    ["memory of an idle box, MB", number(memory)],
                    *[
                        [f"rows / s (10 tests a row), {count} box{'es' if count > 1 else ''}", spread(values)]
                        for count, values in rates.items()
                    ],
                    ["open a sandbox and run one test, s", spread(cold)],
                    ["one test after its box was killed, spare warm, s", spread(replaced)],
                    [f"wrong or lost of {killed_tests} tests while {kills} boxes were killed", wrong],
                    ["longest 20 tests of these, s", number(longest)],
                ],
            ),
        ]
    )
    print(text)
    if args.out:
        args.out.write_text(
            text + "\n" + json.dumps({"times": times, "cpu": cpu, "rates": rates}) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
