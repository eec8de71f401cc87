"""Faults that the reward service survives, counted: what was asked, what was answered, what was lost, what was wrong.

    flock /tmp/rewardkit-bench.lock python -P benchmarks/faults_serve.py [SCENARIO...] [--sandbox local]

Scenarios: workers, restart, crowd, half_open, slow, leave, hostile, disk, boxes, pool, soak. Each one starts a server of its own on a
free port of the loopback and stops it. `lost` are rows without an answer, `wrong` are answers unlike the truth that was
built in; both must be 0. Rows without a verdict are `unjudged`, which is an honest answer and counted apart.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "rewardkit")]
from live import Server, descendants, is_worker  # noqa: E402
from private_docker import PrivateDocker  # noqa: E402

import rewardkit  # noqa: E402
from benchmarks._common import load_average, machine, table, today  # noqa: E402
from rewardkit import Reward, Sample  # noqa: E402

STEP_ROWS = 1_024
PATIENCE_S = 240.0
"""A scenario whose faults have not happened by then is none."""
DAY_STEPS = 432
"""A day of GRPO steps of 1,024 completions, one every 200 s (the generation time in verl#1962)."""
SANDBOX = "docker"
Row = tuple[str, str]


def rows(count: int, seed: int = 0) -> tuple[list[Sample], list[float]]:
    """Math rows and the rewards they must get."""
    rng = random.Random(seed)
    samples: list[Sample] = []
    truth: list[float] = []
    for _ in range(count):
        top, bottom = rng.randint(1, 999), rng.randint(2, 99)
        right = rng.random() < 0.5
        shown = top if right else top + 1
        samples.append(
            Sample(completion=f"So it is \\boxed{{\\frac{{{shown}}}{{{bottom}}}}}.", ground_truth=f"{top}/{bottom}")
        )
        truth.append(float(right))
    return samples, truth


def tally(values: list[float | None], truth: list[float]) -> str:
    """Counts of a batch."""
    open_ = sum(value is None for value in values)
    wrong = sum(value is not None and value != wanted for value, wanted in zip(values, truth, strict=False))
    return f"{len(truth):,} asked, {len(truth) - len(values)} lost, {wrong} wrong, {open_} unjudged"


@contextlib.contextmanager
def serving(*args: str, **env: str) -> Iterator[Server]:
    """A server that is stopped at the end."""
    server = Server(*args, env=env)
    try:
        server.wait_ready()
        yield server
    finally:
        server.stop(signal.SIGKILL)


def judged(reward: Reward, samples: list[Sample], truth: list[float], enough: Callable[[], bool]) -> str:
    """Judge the samples again and again until enough faults have happened: what became of the rows."""
    values: list[float | None] = []
    until = time.monotonic() + PATIENCE_S
    while not values or not enough():
        if time.monotonic() > until:
            raise TimeoutError(f"too few faults in {PATIENCE_S} s")
        values += [score.value for score in reward.score(samples)]
    return tally(values, truth * (len(values) // len(truth)))


def workers() -> list[Row]:
    """kill -9 of judging processes, five times a second, under a stream of batches."""
    samples, truth = rows(20 * STEP_ROWS)
    with serving("-r", "math", "--workers", "2") as server:
        stop, killed = threading.Event(), Counter[str]()

        def killer() -> None:
            while not stop.wait(0.2):
                found = server.workers()
                if found:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(random.choice(found), signal.SIGKILL)
                        killed["workers"] += 1

        thread = threading.Thread(target=killer)
        thread.start()
        said = judged(rewardkit.remote(server.url, batch=256), samples, truth, lambda: killed["workers"] >= 20)
        stop.set()
        thread.join()
    return [("kill -9 of workers", f"{killed['workers']} killed; {said}")]


def restart() -> list[Row]:
    """kill -9 and SIGTERM of the whole server in the middle of batches; the client goes on where it comes back."""
    samples, truth = rows(20 * STEP_ROWS, seed=1)
    port = free_port()
    server = Server("-r", "math", "--workers", "2", "--port", str(port))
    server.wait_ready()
    reward = rewardkit.remote(server.url, batch=64, timeout_s=300)
    restarts, said = 0, list[str]()
    asking = threading.Thread(target=lambda: said.append(judged(reward, samples, truth, lambda: restarts >= 6)))
    asking.start()
    while asking.is_alive() and restarts < 6:
        time.sleep(1)
        server.stop(signal.SIGKILL if restarts % 2 else signal.SIGTERM)
        server = Server("-r", "math", "--workers", "2", "--port", str(port))
        server.wait_ready()
        restarts += 1
    asking.join()
    server.stop(signal.SIGKILL)
    return [("server restart mid-batch (half kill -9, half SIGTERM)", f"{restarts} restarts; {said[0]}")]


async def ask(url: str, body: bytes, timeout_s: float) -> tuple[int, bytes]:
    """One request on a connection of its own."""
    parts = urlsplit(url)
    async with asyncio.timeout(timeout_s):
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            head = f"POST /v1/score HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            answer = await reader.read()
        finally:
            writer.close()
    return int(answer.split(b" ", 2)[1]), answer.partition(b"\r\n\r\n")[2]


def crowd() -> list[Row]:
    """10,000 requests of one row each, all open at once."""
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    samples, truth = rows(10_000, seed=2)

    async def run(url: str) -> tuple[Counter[str], int]:
        outcomes: Counter[str] = Counter()
        wrong = 0

        async def one(sample: Sample, wanted: float) -> None:
            nonlocal wrong
            body = json.dumps({"samples": [sample.to_row()]}).encode()
            try:
                status, answer = await ask(url, body, 300)
            except (OSError, TimeoutError, IndexError) as error:
                outcomes[type(error).__name__] += 1
                return
            outcomes[str(status)] += 1
            wrong += status == 200 and json.loads(answer)["scores"][0]["value"] != wanted

        await asyncio.gather(*(one(sample, wanted) for sample, wanted in zip(samples, truth, strict=True)))
        return outcomes, wrong

    patient = (
        "--deadline",
        "300",
        "--head-timeout",
        "120",
        "--body-timeout",
        "120",
    )  # the client shares two cores with the server
    with serving("-r", "math", "--workers", "2", *patient) as server:
        start = time.perf_counter()
        outcomes, wrong = asyncio.run(run(server.url))
        seconds = time.perf_counter() - start
    counts = ", ".join(f"{count:,} x {name}" for name, count in outcomes.most_common())
    return [("10,000 concurrent requests", f"{counts}; {wrong} wrong; {seconds:.1f} s")]


def half_open() -> list[Row]:
    """Connections that never say anything, that stop in the head, that stop in the body; others are served meanwhile."""
    with serving("-r", "math", "--workers", "2", "--head-timeout", "3", "--body-timeout", "3") as server:
        parts = urlsplit(server.url)
        starts = [
            b"",
            b"POST /v1/score HT",
            b"POST /v1/score HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{",
        ]
        socks = [socket.create_connection((parts.hostname, parts.port)) for _ in range(900)]
        for index, sock in enumerate(socks):
            sock.sendall(starts[index % 3])
        samples, truth = rows(STEP_ROWS, seed=3)
        values = [score.value for score in rewardkit.remote(server.url).score(samples)]
        closed = sum(is_closed(sock) for sock in socks)
        open_now = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
    return [
        (
            "half-open sockets",
            f"900 opened, {closed} closed by the server, {open_now} files open then; {tally(values, truth)}",
        )
    ]


def is_closed(sock: socket.socket) -> bool:
    sock.settimeout(10)
    try:
        while sock.recv(4096):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


def slow() -> list[Row]:
    """Callers that send a byte a second, and callers that ask for a large answer and never read it."""
    samples, truth = rows(4 * STEP_ROWS, seed=4)
    big = json.dumps({"samples": [sample.to_row() for sample in samples], "stream": True}).encode()
    with serving("-r", "math", "--workers", "2", "--body-timeout", "5") as server:
        parts = urlsplit(server.url)
        head = b"POST /v1/score HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        deaf = [socket.create_connection((parts.hostname, parts.port)) for _ in range(20)]
        for sock in deaf:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(head % len(big) + big)
        drip = [socket.create_connection((parts.hostname, parts.port)) for _ in range(100)]
        for sock in drip:
            sock.sendall(head % 1000)
        stop = threading.Event()

        def dribble() -> None:
            while not stop.wait(1):
                for sock in drip:
                    with contextlib.suppress(OSError):
                        sock.send(b" ")

        thread = threading.Thread(target=dribble)
        thread.start()
        values = [score.value for score in rewardkit.remote(server.url, timeout_s=300).score(samples)]
        time.sleep(6)
        stop.set()
        thread.join()
        answers = Counter(sock.recv(64).split(b" ")[1].decode() for sock in drip)
        memory = memory_mb(server.process.pid)
    return [
        (
            "slow clients",
            f"100 byte-a-second bodies answered {dict(answers)}, 20 deaf readers; {memory:.0f} MB; {tally(values, truth)}",
        )
    ]


def leave() -> list[Row]:
    """Callers who ask for programs that sleep for a minute, or rows of such, and hang up; others are served meanwhile."""
    from concurrent.futures import ThreadPoolExecutor

    sleeper = "import time\ntime.sleep(60)"
    row = {"completion": f"```python\n{sleeper}\n```", "ground_truth": {"inputs": ["1"], "outputs": ["2"]}}
    asked = {
        "/run_code": {"code": sleeper, "language": "python", "run_timeout": 60},
        "/v1/score": {"samples": [row] * 4},
    }
    with serving("-r", "code", "--workers", "2", "--sandbox", SANDBOX) as server:
        parts = urlsplit(server.url)
        done, stop, left = Counter[str](), threading.Event(), Counter[str]()

        def go() -> None:
            while not stop.wait(0.3):
                for route, body in asked.items():
                    text = json.dumps(body).encode()
                    head = f"POST {route} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(text)}\r\n\r\n"
                    with socket.create_connection((parts.hostname, parts.port)) as sock:
                        sock.sendall(head.encode() + text)
                        stop.wait(0.3)
                    left["left"] += 1

        def one(index: int) -> None:
            body = {"code": f"print({index} * 2)", "language": "python", "run_timeout": 10, "compile_timeout": 10}
            response = server.client.post("/run_code", json=body)
            right = response.status_code == 200 and response.json()["run_result"]["stdout"] == f"{index * 2}\n"
            done["right" if right else f"HTTP {response.status_code}"] += 1

        thread = threading.Thread(target=go)
        thread.start()
        start = time.perf_counter()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(one, range(600)))
        seconds = time.perf_counter() - start
        stop.set()
        thread.join()
    return [(f"callers who leave their programs behind ({SANDBOX}, 2 boxes)", f"{left['left']} left, with a minute of sleep or four; 600 programs of others meanwhile: {dict(done)}; {seconds:.0f} s")]  # fmt: skip


def hostile() -> list[Row]:
    """1,000 hostile rows of every kind from the math and code corpora in one batch."""
    from tools.math_cases import HOSTILE
    from tools.math_pairs import generate

    samples: list[Sample] = []
    payable: list[bool] = []
    programs = code_corpus()
    for index in range(192):
        name, truth, program = programs[index % len(programs)]
        samples.append(Sample(completion=f"```python\n{program}\n```", ground_truth=truth, data_source="code", id=name))
        payable.append(False)
    pairs = [pair for pair in generate(seed=5, per_label=60, only=HOSTILE) if not pair.unjudged]
    random.Random(0).shuffle(pairs)
    for pair in pairs[: 1000 - len(samples)]:
        samples.append(Sample(completion=pair.completion, ground_truth=pair.gold, data_source="math", id=pair.category))
        payable.append(pair.label)
    text = "by_source({'code': code(cpu_s=1.0), 'math': math})"
    with serving("-r", text, "--workers", "2", "--deadline", "590", "--sandbox", SANDBOX) as server:
        start = time.perf_counter()
        reward = rewardkit.remote(server.url, batch=1000, timeout_s=580)
        scores = reward.score(samples)
        seconds = time.perf_counter() - start
        alive = server.client.get("/readyz").status_code
    verdicts = Counter(score.verdict.value for score in scores)
    paid = sum(score.verdict == "correct" and not may for score, may in zip(scores, payable, strict=True))
    counts = ", ".join(f"{count} {name}" for name, count in verdicts.most_common())
    return [
        (
            f"{len(samples):,} hostile rows in one batch",
            f"{counts}; {paid} paid that may not be; {seconds:.0f} s; readyz {alive}",
        )
    ]


def code_corpus() -> list[tuple[str, dict[str, Any], str]]:
    """Hostile programs with the tests they try to pass."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("hostile", ROOT / "tests" / "sandboxes" / "corpus" / "hostile.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    stdio = {"inputs": [f"{x}\n" for x in module.INPUTS], "outputs": [f"{module.answer(x)}\n" for x in module.INPUTS]}
    calls = {
        "fn_name": "f",
        "inputs": [[x] for x in module.INPUTS],
        "outputs": [module.answer(x) for x in module.INPUTS],
    }
    return [(case.name, stdio if case.kind == "stdio" else calls, case.program) for case in module.HOSTILE]


def disk() -> list[Row]:
    """The disk fills up under `rewardkit score`; with room again, --resume ends with the same bytes. And a log nobody can write."""
    samples, _ = rows(4 * STEP_ROWS, seed=6)
    main = "from rewardkit.cli import main; main()"
    with tempfile.TemporaryDirectory() as folder:
        source, small = Path(folder, "rows.jsonl"), Path(folder, "small")
        source.write_text("".join(json.dumps(sample.to_row()) + "\n" for sample in samples))
        small.mkdir()
        command = [sys.executable, "-c", main, "score", str(source), "-r", "math", "--no-timing", "--quiet", "-o"]
        subprocess.run([*command, str(Path(folder, "whole.jsonl"))], check=True, capture_output=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(small)], check=True)
        try:
            out = small / "out.jsonl"
            full = subprocess.run([*command, str(out)], check=False, capture_output=True, text=True)
            subprocess.run(["mount", "-o", "remount,size=16m", str(small)], check=True)
            again = subprocess.run([*command, str(out), "--resume"], check=False, capture_output=True, text=True)
            same = out.read_bytes() == Path(folder, "whole.jsonl").read_bytes()
        finally:
            subprocess.run(["umount", str(small)], check=True)
    with Path("/dev/full").open("w") as nowhere:
        port = free_port()
        command = [
            sys.executable,
            "-c",
            main,
            "serve",
            "-r",
            "math",
            "--port",
            str(port),
            "--access-log",
            "--workers",
            "1",
        ]
        process = subprocess.Popen(command, stderr=nowhere, stdout=nowhere)
        batch, truth = rows(STEP_ROWS, seed=7)
        values = [score.value for score in rewardkit.remote(f"http://127.0.0.1:{port}").score(batch)]
        process.terminate()
        process.wait(60)
    return [
        ("full disk under score", f"exit {full.returncode}: {full.stderr.strip().splitlines()[-1][:90]!r}; --resume: exit {again.returncode}, same bytes: {same}"),
        ("server whose log cannot be written", tally(values, truth)),
    ]  # fmt: skip


def boxes() -> list[Row]:
    """Sandbox containers are killed under a stream of programs, in a Docker of their own; or the processes of other boxes."""
    from concurrent.futures import ThreadPoolExecutor

    with contextlib.ExitStack() as stack:
        daemon = stack.enter_context(PrivateDocker()) if SANDBOX == "docker" else None
        env = {} if daemon is None else {"DOCKER_HOST": daemon.host}
        server = stack.enter_context(serving("-r", "math", "--workers", "1", "--sandbox", SANDBOX, **env))
        done, stop, killed = Counter[str](), threading.Event(), Counter[str]()

        def one(index: int) -> None:
            body = {"code": f"print({index} * 2)", "language": "python", "run_timeout": 10, "compile_timeout": 10}
            response = server.client.post("/run_code", json=body)
            right = response.status_code == 200 and response.json()["run_result"]["stdout"] == f"{index * 2}\n"
            done["right" if right else f"HTTP {response.status_code}" if response.status_code != 200 else "wrong"] += 1

        def killer() -> None:
            while not stop.wait(1.0):
                killed["boxes"] += kill_box(server, daemon)

        thread = threading.Thread(target=killer)
        thread.start()
        with ThreadPoolExecutor(4) as pool:
            until = time.monotonic() + PATIENCE_S
            while killed["boxes"] < 4 and time.monotonic() < until:
                list(pool.map(one, range(600)))
        stop.set()
        thread.join()
    return [
        (f"kill of {SANDBOX} boxes under /run_code", f"{killed['boxes']} killed; {done.total():,} asked: {dict(done)}")
    ]


def pool() -> list[Row]:
    """kill -9 of the process that holds all boxes, and of workers, in turn, under batches of code rows and /run_code."""
    tests = {"fn_name": "f", "inputs": [[1], [2], [3]], "outputs": [2, 4, 6]}
    wanted = [float(index % 2) for index in range(STEP_ROWS)]
    samples = [
        Sample(completion=f"```python\ndef f(x):\n    return {3 - right:g} * x\n```", ground_truth=tests)
        for right in wanted
    ]
    with serving("-r", "code", "--workers", "2", "--sandbox", SANDBOX, "--deadline", "300") as server:
        stop, killed = threading.Event(), Counter[str]()

        def killer() -> None:
            while not stop.wait(2.0):
                turn = "workers" if killed.total() % 2 else "pools"
                for pid in (server.workers() if turn == "workers" else holders(server))[:1]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                        killed[turn] += 1

        thread = threading.Thread(target=killer)
        thread.start()
        reward = rewardkit.remote(server.url, batch=256, timeout_s=300)
        said = judged(reward, samples, wanted, lambda: min(killed["pools"], killed["workers"]) >= 2)
        stop.set()
        thread.join()
    counts = ", ".join(f"{count} {name}" for name, count in killed.items())
    return [(f"kill -9 of the pool's process and of workers, code rows ({SANDBOX})", f"{counts} killed; {said}")]  # fmt: skip


def holders(server: Server) -> list[int]:
    """The process with the sandboxes, where it is up."""
    return [pid for pid in descendants(server.process.pid) if "multiprocessing.spawn" in command(pid)]


def kill_box(server: Server, daemon: PrivateDocker | None) -> int:
    """Kill one box of this server: a container, or a process under it."""
    if daemon is not None:
        mine = daemon.docker("ps", "-q", "--filter", "label=rewardkit.sandbox=box").stdout.split()
        return int(bool(mine) and daemon.docker("kill", random.choice(mine)).returncode == 0)
    children = [
        pid for pid in descendants(server.process.pid) if not is_worker(pid) and "multiprocessing" not in command(pid)
    ]
    if not children:
        return 0
    with contextlib.suppress(ProcessLookupError):
        os.kill(random.choice(children), signal.SIGKILL)
        return 1
    return 0


def command(pid: int) -> str:
    """The command line of a process; that of our own helpers where it is gone already."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return "multiprocessing"


def soak() -> list[Row]:
    """A day's worth of rows, by count, in steps of 1,024; memory of the server and of its workers along the way."""
    samples, truth = rows(STEP_ROWS, seed=8)
    wrong = open_ = 0
    marks: list[str] = []
    with serving("-r", "math", "--workers", "2") as server:
        reward = rewardkit.remote(server.url, batch=256)
        start = time.perf_counter()
        for step in range(1, DAY_STEPS + 1):
            values = [score.value for score in reward.score(samples)]
            open_ += sum(value is None for value in values)
            wrong += sum(value is not None and value != wanted for value, wanted in zip(values, truth, strict=True))
            if step % (DAY_STEPS // 8) == 0:
                inner = max(memory_mb(pid) for pid in server.workers())
                marks.append(f"{step / DAY_STEPS:.0%}: {memory_mb(server.process.pid):.0f} + {inner:.0f} MB")
                print(f"soak {marks[-1]}, {wrong} wrong, {open_} unjudged", file=sys.stderr, flush=True)
        seconds = time.perf_counter() - start
        retired = server.metric("rewardkit_worker_restarts_total", cause="retired")
    total = DAY_STEPS * STEP_ROWS
    facts = f"{total:,} rows, {total / seconds:,.0f}/s, {wrong} wrong, {open_} unjudged, {retired:.0f} workers retired; server + largest worker at {'; '.join(marks)}"
    return [("soak: a day of rows", facts)]


def memory_mb(pid: int) -> float:
    """Resident memory."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 2**20
    except OSError:
        return 0.0


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


SCENARIOS: dict[str, Callable[[], list[Row]]] = {
    scenario.__name__: scenario
    for scenario in (workers, restart, crowd, half_open, slow, leave, hostile, disk, boxes, pool, soak)
}


def main() -> None:
    """Run the scenarios and print a table."""
    global SANDBOX  # noqa: PLW0603 - set once, from the command line
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, []])
    parser.add_argument("--sandbox", default=SANDBOX)
    options = parser.parse_args()
    SANDBOX = options.sandbox
    found: list[Row] = []
    for name in options.scenarios or SCENARIOS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            found += SCENARIOS[name]()
        except Exception as error:
            found.append((name, f"FAILED: {type(error).__name__}: {str(error)[-300:]}"))
        print(*found[-2:], sep="\n", file=sys.stderr, flush=True)
    print(f"{machine()}, load {load_average()}, {today()}\n")
    print(table(("fault", "outcome"), found))


if __name__ == "__main__":
    main()
