"""Time that rewards add to a GRPO step of 1,024 completions: TRL's and verl's adapters in-process, in a pool and over HTTP,
beside verl's naive manager with math-verify and prime_code.

    python -P benchmarks/serve_overhead.py [--sets math code mixed] [--sandbox docker] [--rows 1024] [--budget 150]

Needs one environment with trl, verl and math-verify, the real data, and Docker for the hostile rows of the peer.

TRL: the whole batch is judged while the step waits. verl: a stub generates for ten seconds, its rollouts end one by one,
each is judged at once by the reward manager, and the figure is what is left to wait for after the last one.

`math` are real answers to MATH-500; `code` are right and wrong programs with eight tests each; `mixed` is 70 % math, 25 %
code and 5 % hostile rows, answers and programs half and half. The peer gets the same rows and `--budget` seconds after
generation; what has not come back by then is counted as `did not return`. It runs in a container without network, since
prime_code runs a hostile program as its own user.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import logging
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "rewardkit")]
from benchmarks._common import data_dir, load_average, machine, number, table, today, version  # noqa: E402
from benchmarks.faults_serve import code_corpus  # noqa: E402
from rewardkit import Reward, Sample, Score, load  # noqa: E402
from rewardkit.executor import Executor  # noqa: E402

ROWS = 1_024
GENERATION_S = 10.0
REWARDS = {"math": "math", "code": "code", "mixed": "by_source({'math': math, 'code': code(cpu_s=1.0)})"}
XS = (0, 1, 2, 3, 10, 1000, -4, 10**12)
NEVER = "may not be paid"
"""The id of hostile rows whose reward is 0 by construction."""
IMAGE = "rewardkit-sandbox-base:debian"
LOST = object()
Values = list[Any]
"""Numbers, None for unjudged, LOST for what did not come back in time."""


def math_rows(count: int) -> list[Sample]:
    """Real answers of several models to MATH-500."""
    folder = data_dir()
    if folder is None:
        raise SystemExit("no real data; set REWARDKIT_DATA")
    found: list[Sample] = []
    for path in sorted((folder / "completions_skythought").glob("*math500*.jsonl.gz")):
        with gzip.open(path, "rt") as file:
            found += [
                Sample(completion=row["code"][0], ground_truth=row["gt"], data_source="math")
                for row in map(json.loads, file)
            ]
    return [found[index * len(found) // count] for index in range(count)]


def code_rows(count: int) -> list[Sample]:
    """Programs with eight tests, functions and scripts in turn, two of three right; no two alike."""
    rng = random.Random(0)
    rows: list[Sample] = []
    for index in range(count):
        a, b = rng.randint(1, 99), rng.randint(1, 99)
        outputs = [a * x * x + b for x in XS]
        slip = " + (x == 1000)" if index % 3 == 0 else ""
        body = f"    total = 0\n    for _ in range({a}):\n        total += x * x\n    return total + {b}{slip}"
        program = f"def f(x):\n{body}"
        truth: dict[str, Any] = {"fn_name": "f", "inputs": [[x] for x in XS], "outputs": outputs}
        if index % 2:
            program += "\n\nprint(f(int(input())))"
            truth = {"inputs": [f"{x}\n" for x in XS], "outputs": [f"{value}\n" for value in outputs]}
        rows.append(Sample(completion=f"```python\n{program}\n```", ground_truth=truth, data_source="code"))
    return rows


def hostile_rows(count: int) -> list[Sample]:
    """Hostile answers and hostile programs, half and half."""
    from tools.math_cases import HOSTILE
    from tools.math_pairs import generate

    pairs = [pair for pair in generate(seed=5, per_label=5, only=HOSTILE) if not pair.unjudged]
    rows = [
        Sample(completion=pair.completion, ground_truth=pair.gold, data_source="math", id=None if pair.label else NEVER)
        for pair in random.Random(1).sample(pairs, count // 2)
    ]
    for _, truth, program in random.Random(1).sample(code_corpus(), count - len(rows)):
        rows.append(Sample(completion=f"```python\n{program}\n```", ground_truth=truth, data_source="code", id=NEVER))
    return rows


def batch(name: str, count: int) -> list[Sample]:
    """The rows of a set, in an order that mixes them."""
    if name == "math":
        return math_rows(count)
    if name == "code":
        return code_rows(count)
    hostile = count // 20
    code = count // 4
    rows = math_rows(count - code - hostile) + code_rows(code) + hostile_rows(hostile)
    random.Random(2).shuffle(rows)
    return rows


@dataclass(frozen=True)
class Pooled(Reward):
    """A reward in worker processes that stay up."""

    name: ClassVar[str] = "pooled"
    pool: Any

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        chunks = [list(samples[start : start + 64]) for start in range(0, len(samples), 64)]
        return [score for scores in self.pool.map(chunks) for score in scores]


def trl_step(reward: Reward, samples: list[Sample]) -> tuple[float, Values]:
    """Seconds that TRL waits for its reward function, called as TRL calls it."""
    from trainers.trl import reward_func

    function: Any = reward_func(reward)
    chats = [[{"role": "assistant", "content": sample.completion}] for sample in samples]
    columns = {
        "ground_truth": [sample.ground_truth for sample in samples],
        "data_source": [sample.data_source for sample in samples],
    }
    start = time.perf_counter()
    values = function(completions=chats, **columns)
    return time.perf_counter() - start, values


Manager = Callable[[int], Awaitable[float | None]]


def our_manager(reward: Reward, samples: list[Sample]) -> Manager:
    """verl's reward loop with our manager."""
    from omegaconf import OmegaConf

    from trainers.verl_manager import RewardkitManager

    manager = RewardkitManager(OmegaConf.create({"reward": {"reward_kwargs": {"reward": "exact"}}}), tokenizer(samples))
    manager.reward = reward
    rollouts = items(samples)

    async def judge(index: int) -> float | None:
        result = await manager.run_single(rollouts[index])
        return None if result["reward_extra_info"]["unjudged"] else result["reward_score"]

    return judge


def naive_manager(samples: list[Sample]) -> Manager:
    """verl's own manager with the judges its users give it: `math_verify` and `prime_code`, both verl's."""
    from omegaconf import OmegaConf
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
    from verl.utils.reward_score import math_verify, prime_code

    def compute_score(data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None) -> float:
        if data_source == "math":
            return float(math_verify.compute_score(solution_str, ground_truth))
        return float(prime_code.compute_score(solution_str, primes_own(ground_truth), continuous=True)[0])

    manager = NaiveRewardManager(OmegaConf.create({"reward": {}}), tokenizer(samples), compute_score)
    rollouts = items(samples)

    async def judge(index: int) -> float | None:
        return (await manager.run_single(rollouts[index]))["reward_score"]

    return judge


def primes_own(truth: dict[str, Any]) -> dict[str, Any]:
    """Tests as prime_code takes them: arguments and values of functions are lines of JSON."""
    if "fn_name" not in truth:
        return dict(truth)
    inputs = ["\n".join(map(json.dumps, arguments)) for arguments in truth["inputs"]]
    return {**truth, "inputs": inputs, "outputs": [json.dumps(value) for value in truth["outputs"]]}


def tokenizer(samples: list[Sample]) -> Any:
    """Each row's text is one token: its number."""
    return SimpleNamespace(decode=lambda ids, **_: samples[int(ids[0])].completion)


def items(samples: list[Sample]) -> list[Any]:
    """One-row DataProtos, as the reward loop gets them."""
    import numpy as np
    import torch
    from tensordict import TensorDict
    from verl import DataProto

    made: list[Any] = []
    for index, sample in enumerate(samples):
        tensors = TensorDict(
            {"responses": torch.tensor([[index]]), "attention_mask": torch.ones((1, 1), dtype=torch.long)}, batch_size=1
        )
        facts = {
            "data_source": sample.data_source,
            "reward_model": {"ground_truth": sample.ground_truth},
            "extra_info": {},
            "__num_turns__": 2,
        }
        made.append(DataProto(tensors, {name: np.array([value], dtype=object) for name, value in facts.items()}))
    return made


async def verl_step(judge: Manager, count: int, budget_s: float) -> tuple[float, Values]:
    """Seconds to wait after the last rollout of a ten-second generation, where each is judged as it ends."""
    values: Values = [LOST] * count
    start = time.perf_counter()

    async def one(index: int) -> None:
        await asyncio.sleep(GENERATION_S * (index + 1) / count)
        values[index] = await judge(index)

    tasks = [asyncio.create_task(one(index)) for index in range(count)]
    await asyncio.wait(tasks, timeout=GENERATION_S + budget_s)
    seconds = max(0.0, time.perf_counter() - start - GENERATION_S)
    for task in tasks:
        task.cancel()
    return seconds, values


def ours(name: str, samples: list[Sample]) -> list[tuple[str, ...]]:
    """Rows of the table for our adapters."""
    from live import Server

    text, cores = REWARDS[name], os.cpu_count() or 1
    server = Server("-r", text, "--workers", str(cores), "--deadline", "600")
    pool = Executor(load(text), workers=cores)
    found: list[tuple[str, ...]] = []
    try:
        server.wait_ready()
        ways: dict[str, Reward] = {
            "in-process": load(text),
            f"pool of {cores}": Pooled(pool),
            "HTTP": load(f"remote('{server.url}', timeout_s=600.0)"),
        }
        for way, reward in ways.items():
            warm = [sample for sample in samples if sample.id is None][: 64 * cores]
            reward.score(warm)  # imports, pools and boxes come up outside the clock
            seconds, values = trl_step(reward, samples)
            found.append(line(name, f"TRL, {way}", number(seconds), "-", samples, values))
            lap, values = asyncio.run(verl_step(our_manager(reward, samples), len(samples), 600.0))
            found.append(line(name, f"verl, {way}", "-", number(lap), samples, values))
    finally:
        pool.close()
        server.stop(signal.SIGKILL)
    return found


def line(name: str, way: str, waits: str, after: str, samples: list[Sample], values: Values) -> tuple[str, ...]:
    """One row of the table, also told at once."""
    lost = sum(value is LOST for value in values)
    unjudged = sum(value is None for value in values)
    paid = sum(sample.id == NEVER and value == 1 for sample, value in zip(samples, values, strict=True))
    found = (name, way, waits, after, str(lost), str(unjudged), str(paid))
    print(found, file=sys.stderr, flush=True)
    return found


def in_container(arguments: list[str]) -> str:
    """What this script prints when it runs in a container that may read its packages and nothing else."""
    folders = {str(ROOT), sys.prefix, sys.base_prefix, "/usr", "/etc/alternatives", str(data_dir())}
    command = ["docker", "run", "--rm", "--network", "none", "--cap-drop", "ALL", "--read-only"]
    command += ["--security-opt", "no-new-privileges", "--pids-limit", "512", "--memory", "4g", "--user", "0"]
    command += ["--tmpfs", "/tmp:exec,size=256m", "--shm-size", "256m", "--env", "HOME=/tmp", "--env", "LC_ALL=C.UTF-8"]
    command += ["--env", f"REWARDKIT_DATA={data_dir()}", "--env", "PYTHONDONTWRITEBYTECODE=1"]
    for folder in sorted(folders):
        command += ["--volume", f"{folder}:{folder}:ro"]
    command += ["--entrypoint", sys.executable, IMAGE, "-P", str(Path(__file__).resolve()), *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode(
        errors="replace"
    )


def peer(name: str, samples: list[Sample], budget_s: float) -> None:
    """The naive manager's step, as JSON on stdout. What hangs is left behind with this process."""
    sys.stdout.flush()
    out = os.dup(1)
    os.dup2(2, 1)  # prime_code prints

    async def step() -> tuple[float, Values]:
        judge = naive_manager(samples)  # it keeps the loop it is made in
        plain = next(index for index, sample in enumerate(samples) if sample.id is None)
        await judge(plain)
        return await verl_step(judge, len(samples), budget_s)

    seconds, values = asyncio.new_event_loop().run_until_complete(step())  # not `run`: some threads never end
    shown = ["lost" if value is LOST else value for value in values]
    os.write(out, f"\n{json.dumps({'seconds': seconds, 'values': shown})}\n".encode())
    os._exit(0)


def main() -> None:
    """Measure and print a table."""
    logging.disable(logging.WARNING)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument("--sets", nargs="+", default=list(REWARDS), choices=list(REWARDS))
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--budget", type=float, default=150.0, help="seconds the peer gets after generation")
    parser.add_argument("--only", choices=("ours", "peer"), help="leave the other side out")
    parser.add_argument("--peer", choices=list(REWARDS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        peer(options.peer, batch(options.peer, options.rows), options.budget)
    os.environ["REWARDKIT_SANDBOX"] = options.sandbox
    found: list[tuple[str, ...]] = []
    for name in options.sets:
        samples = batch(name, options.rows)
        if options.only != "peer":
            found += ours(name, samples)
        if options.only == "ours":
            continue
        arguments = ["--peer", name, "--rows", str(options.rows), "--budget", str(options.budget)]
        (told,) = [  # hostile programs write into every file that prime_code leaves open to them
            json.loads(said) for said in in_container(arguments).splitlines() if said.startswith('{"seconds": ')
        ]
        values = [LOST if value == "lost" else value for value in told["values"]]
        after = number(told["seconds"]) if LOST not in values else f"over {options.budget:g}"
        found.append(line(name, "verl, naive: math_verify, prime_code", "-", after, samples, values))
    print(f"{machine()}, load {load_average()}, sandbox {options.sandbox}, {options.rows} rows, {today()}")
    print(", ".join(f"{package} {version(package)}" for package in ("trl", "verl", "math-verify", "torch")) + "\n")
    head = ("rows", "way", "TRL waits s", "after generation s", "did not return", "unjudged", "paid, may not be")
    print(table(head, found))


if __name__ == "__main__":
    main()
