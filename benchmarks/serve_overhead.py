"""Time that rewards add to a GRPO step of 1,024 completions: in-process, in a pool, over HTTP, and as verl's naive manager does.

    flock /tmp/rewardkit-bench.lock python -P benchmarks/serve_overhead.py [--sandbox local] [--sets math code mixed]

Blocking: the whole batch is judged while the step waits, as TRL does. Overlapped: a stub generates for ten seconds, its
rollouts end one by one, each is judged at once, and the figure is what is left to wait for after the last one, as in
verl's reward loop. `math` are real answers to MATH-500; `code` are right and wrong programs with eight tests each;
`mixed` is 70 % math, 25 % code and 5 % hostile rows. math-verify and prime_code get the same rows, but no hostile
program: prime_code would run it as this user.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import importlib.util
import json
import os
import random
import signal
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "rewardkit")]
from live import Server  # noqa: E402

import rewardkit  # noqa: E402
from benchmarks._common import data_dir, load_average, machine, table, today, version  # noqa: E402
from benchmarks.faults_serve import code_corpus  # noqa: E402
from rewardkit import Sample, load  # noqa: E402
from rewardkit.pool import ChunkPool  # noqa: E402

ROWS = 1_024
GENERATION_S = 10.0
ROUNDS = 3
REWARDS = {"math": "math", "code": "code", "mixed": "by_source({'math': math, 'code': code(cpu_s=1.0)})"}
XS = (0, 1, 2, 3, 10, 1000, -4, 10**12)
Values = list[float | None]
Judge = Callable[[list[Sample]], Values]


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
    """Functions with eight tests, two of three right; no two programs alike."""
    rng = random.Random(0)
    rows: list[Sample] = []
    for index in range(count):
        a, b = rng.randint(1, 99), rng.randint(1, 99)
        truth = {"fn_name": "f", "inputs": [[x] for x in XS], "outputs": [a * x * x + b for x in XS]}
        slip = " + (x == 1000)" if index % 3 == 0 else ""
        program = (
            f"def f(x):\n    total = 0\n    for _ in range({a}):\n        total += x * x\n    return total + {b}{slip}"
        )
        rows.append(Sample(completion=f"```python\n{program}\n```", ground_truth=truth, data_source="code"))
    return rows


def hostile_rows(count: int) -> list[Sample]:
    """Hostile answers and hostile programs, half and half."""
    from benchmarks.math_cases import HOSTILE
    from benchmarks.math_pairs import generate

    pairs = [pair for pair in generate(seed=5, per_label=5, only=HOSTILE) if not pair.unjudged]
    rows = [
        Sample(completion=pair.completion, ground_truth=pair.gold, data_source="math")
        for pair in random.Random(1).sample(pairs, count // 2)
    ]
    for _, truth, program in random.Random(1).sample(code_corpus(), count - len(rows)):
        rows.append(Sample(completion=f"```python\n{program}\n```", ground_truth=truth, data_source="code"))
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


def naive(samples: list[Sample]) -> Values:
    """One row after the other: math-verify for math, prime_code for code, as verl's naive manager has its users do."""
    return [_math_verify(sample) if sample.data_source == "math" else _prime_code(sample) for sample in samples]


def _math_verify(sample: Sample) -> float | None:
    from math_verify import parse, verify

    try:
        gold = parse(f"${sample.ground_truth}$", parsing_timeout=None)
        return float(verify(gold, parse(sample.completion, parsing_timeout=None), timeout_seconds=None))
    except Exception:
        return None


def _prime_code(sample: Sample) -> float | None:
    score, _ = _prime().compute_score(sample.completion, sample.ground_truth, continuous=True)
    return float(score)


def _prime() -> Any:
    if "verl_prime_code" not in sys.modules:
        spec = importlib.util.find_spec("verl")
        if spec is None or spec.origin is None:
            raise SystemExit("no verl: pip install --no-deps verl")
        folder = Path(spec.origin).parent / "utils" / "reward_score" / "prime_code"
        package = importlib.util.spec_from_file_location(
            "verl_prime_code", folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert package is not None
        assert package.loader is not None
        module = importlib.util.module_from_spec(package)
        sys.modules["verl_prime_code"] = module
        package.loader.exec_module(module)
    return sys.modules["verl_prime_code"]


def blocking_s(judge: Judge, samples: list[Sample], rounds: int) -> float:
    """Median seconds for the whole batch at once."""
    seconds: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        judge(samples)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


async def overlapped_s(judge: Judge, samples: list[Sample]) -> float:
    """Seconds to wait after the last rollout, where each is judged as it ends."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(32) as threads:
        start = time.perf_counter()

        async def one(index: int, sample: Sample) -> None:
            await asyncio.sleep(GENERATION_S * (index + 1) / len(samples))
            await loop.run_in_executor(threads, judge, [sample])

        await asyncio.gather(*(one(index, sample) for index, sample in enumerate(samples)))
        return max(0.0, time.perf_counter() - start - GENERATION_S)


def values(reward: rewardkit.Reward) -> Judge:
    """A reward as TRL calls it: columns in, numbers out."""
    return lambda samples: [score.value for score in reward.score(samples)]


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument("--sets", nargs="+", default=list(REWARDS), choices=list(REWARDS))
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args()
    os.environ["REWARDKIT_SANDBOX"] = options.sandbox
    cores = os.cpu_count() or 1
    found: list[tuple[str, ...]] = []
    for name in options.sets:
        samples, text = batch(name, options.rows), REWARDS[name]
        server = Server("-r", text, "--workers", str(cores), "--deadline", "600")
        pool = ChunkPool(load(text), cores)
        try:
            server.wait_ready()
            remote = rewardkit.remote(server.url, timeout_s=600.0, batch=256)

            def pooled(rows: list[Sample], pool: ChunkPool = pool) -> Values:
                chunks = [rows[start : start + 64] for start in range(0, len(rows), 64)]
                return [score.value for scores in pool.score(chunks) for score in scores]

            ways: dict[str, Judge] = {
                "in-process": values(load(text)),
                f"pool of {cores}": pooled,
                "HTTP": values(remote),
            }
            if name != "mixed":
                ways["verl naive: math-verify / prime_code"] = naive
            for way, judge in ways.items():
                judged = judge(samples[:32])  # imports, pools and boxes come up outside the clock
                block = blocking_s(judge, samples, 1 if judge is naive or name != "math" else ROUNDS)
                lap = asyncio.run(overlapped_s(judge, samples))
                found.append((name, way, f"{block:.2f}", f"{lap:.2f}", str(sum(value is None for value in judged))))
                print(found[-1], file=sys.stderr, flush=True)
        finally:
            pool.close()
            server.stop(signal.SIGKILL)
    print(
        f"{machine()}, load {load_average()}, sandbox {options.sandbox}, math-verify {version('math-verify')}, verl {version('verl')}, {today()}\n"
    )
    print(table(("rows", "way", "blocking s", "after generation s", "unjudged of 32"), found))


if __name__ == "__main__":
    main()
