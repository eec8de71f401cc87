# ruff: noqa: PLW1510, UP031, FURB192
"""Our engine and lm-eval's own path side by side: the same tasks, the same stub server, the same answers, in one run.

Measured: wall time, time to the first request, what one failing prompt does, what kill -9 does, whether repeats differ,
and what judging adds to a run that generation limits.

    [REWARDKIT_DATA=...] [PARTS=1,5] [RUNS=3] python -m benchmarks harness_engine
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from benchmarks._common import data_dir
from harness.fake_server import Stub, answering, chance, question_of, read_golds

DATA = data_dir() or sys.exit("set REWARDKIT_DATA to the folder of real data")
GOLDS = read_golds([DATA / "math500" / "test.jsonl.gz"])
PARTS = {int(part) for part in os.environ.get("PARTS", "1,2,3,4,5").split(",")}
RUNS = int(os.environ.get("RUNS", "3"))
ENVIRONMENT = {**os.environ, "HF_HUB_OFFLINE": "1"}
TASKS = subprocess.run(
    [sys.executable, "-m", "harness.cli", "tasks", "--path"], capture_output=True, text=True, check=True
).stdout.strip()


def ours(url: str, out: Path, *more: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "harness.cli",
        "run",
        "--model",
        url,
        "--tasks",
        "math500",
        "-o",
        str(out),
        "--concurrency",
        "32",
        "--model_args",
        "max_retries=2,retry_wait=0.05",
        *more,
    ]


def theirs(url: str, out: Path, *more: str) -> list[str]:
    args = f"model=stub,base_url={url}/chat/completions,num_concurrent=32,max_retries=2"
    return [
        sys.executable,
        "-m",
        "lm_eval",
        "--model",
        "local-chat-completions",
        "--model_args",
        args,
        "--tasks",
        "math500",
        "--include_path",
        TASKS,
        "--apply_chat_template",
        "--output_path",
        str(out),
        "--log_samples",
        *more,
    ]


def timed(command: list[str], rule, limit_s: float = 400) -> dict:
    first: list[float] = []

    def noting(body, number):
        if not first:
            first.append(time.monotonic())
        return rule(body, number)

    with Stub(noting) as stub:
        start = time.monotonic()
        done = subprocess.run(
            [part.replace("URL", stub.url) for part in command],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=limit_s,
        )
        wall = time.monotonic() - start
        return {
            "rc": done.returncode,
            "wall_s": wall,
            "first_s": first[0] - start if first else None,
            "sent": len(stub.requests),
            "stub": stub,
        }


def scores(out: Path) -> dict | None:
    found = sorted(out.rglob("results_*.json"))
    return json.loads(found[-1].read_text())["results"]["math500"] if found else None


def main() -> None:
    rule = answering(GOLDS, 0.6)

    def seedless(body, number):
        return rule({**body, "seed": 0}, number)

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        if 1 in PARTS:
            print(f"1. the same 500 answers, {RUNS} runs each, median")
            for name, make in (("harness", ours), ("lm-eval", theirs)):
                runs = [timed(make("URL", root / f"{name}{n}"), seedless) for n in range(RUNS)]
                wall, first = (statistics.median(run[key] for run in runs) for key in ("wall_s", "first_s"))
                found = scores(root / f"{name}0")
                print(
                    f"   {name:<8} wall {wall:6.1f} s, first request after {first:5.1f} s, accuracy {found and found['accuracy,all']:.4f}"
                )

        if 2 in PARTS:
            print("2. one prompt of 500 always answers 500")
            bad = sorted(GOLDS)[0]

            def failing(body, number):
                return {"status": 500, "text": "boom"} if question_of(body).startswith(bad) else seedless(body, number)

            for name, make in (("harness", ours), ("lm-eval", theirs)):
                run = timed(make("URL", root / f"fail-{name}"), failing)
                found = scores(root / f"fail-{name}")
                print(
                    f"   {name:<8} exit {run['rc']}, results {'written, accuracy %.4f' % found['accuracy,all'] if found else 'none'}"
                )

        if 3 in PARTS:
            print("3. kill -9 half way, then again")

            def slow(body, number):
                return {**seedless(body, number), "wait_s": 0.4}

            for name, make, again in (("harness", ours, ["--resume"]), ("lm-eval", theirs, [])):
                out = root / f"kill-{name}"
                extra = [] if name == "harness" else ["--use_cache", str(root / "cache")]
                with Stub(slow) as stub:
                    command = make(stub.url, out, *extra)
                    process = subprocess.Popen(
                        command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                    )
                    limit = time.monotonic() + 120
                    while len(stub.requests) < 250 and time.monotonic() < limit:
                        time.sleep(0.05)
                    os.kill(process.pid, signal.SIGKILL)
                    process.wait()
                    before = len(stub.requests)
                    subprocess.run([*command, *again], env=ENVIRONMENT, capture_output=True, timeout=400)
                    print(f"   {name:<8} {before} requests before the kill, {len(stub.requests) - before} after it")

            print(
                "4. four repeats at temperature 0.6: distinct answers to a problem, when the server honours seeds as vLLM does"
            )
            for name, make in (("harness", ours), ("lm-eval", theirs)):
                distinct: dict[str, set[float]] = defaultdict(set)

                def seeded(body, number, distinct=distinct):
                    distinct[question_of(body)].add(chance(question_of(body), body.get("seed")))
                    return rule(body, number)

                command = make(
                    "URL",
                    root / f"rep-{name}",
                    *(["--repeats", "4", "--limit", "100"] if name == "harness" else ["--limit", "100"]),
                )
                if name == "lm-eval":
                    tasks = root / "tasks4"
                    tasks.mkdir()
                    (tasks / "math500.yaml").write_text(f"include: {TASKS}/math500.yaml\nrepeats: 4\n")
                    command[command.index("--include_path") + 1] = str(tasks)
                timed(command, seeded)
                print(f"   {name:<8} {statistics.fmean(len(each) for each in distinct.values()):.2f} of 4")

        if 5 in PARTS:
            print("5. what judging adds: 2,000 answers that take the server 1 s each, 32 at once (63 s of generation)")

            def second(body, number):
                return {**rule(body, number), "wait_s": 1.0}

            run = timed(ours("URL", root / "judge", "--repeats", "4"), second)
            record = json.loads((root / "judge" / "run.json").read_text())
            rows = [json.loads(line) for line in (root / "judge" / "answers.jsonl").read_text().splitlines()]
            busy = sum(row.get("judge_ms") or 0 for row in rows) / 1000
            sampling = record["seconds"] - record["first_request_s"]
            print(
                f"   from first request to written results {sampling:.1f} s; {busy:.1f} s of judging inside it, {record['judged']} of {record['submitted']} judged"
            )


if __name__ == "__main__":
    main()
