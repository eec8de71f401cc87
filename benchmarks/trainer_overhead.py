"""Reward time in a GRPO step of 1,024 completions: rewardkit in TRL and verl beside what their users call today.

Needs one environment with trl, verl and math-verify (they resolve together, see docs/extras.md) and the real data:

    flock /tmp/rewardkit-bench.lock python -P benchmarks/trainer_overhead.py

Blocking: the whole batch is judged while the step waits. Overlapped: rollouts end one by one over ten seconds and each is
judged at once, as verl's reward loop does; the figure is what judging still adds after the last rollout. Each round is a fresh
process that has judged nothing of the batch, since the answers of a training step are new.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import logging
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from _common import data_dir, load_average, machine, number, spread, table, today, version

COMPLETIONS = 1_024
ROUNDS = 3
LONG_S = 20.0
"""A way whose first round takes longer gets no second one."""
GENERATION_S = 10.0
REWARD = "math"


Rows = Sequence[tuple[str, str, bool]]
WAYS = (
    "TRL, `accuracy_reward`",
    "TRL, rewardkit `math`",
    "TRL, rewardkit, three parts apart",
    "verl, naive manager with `math_verify`",
    "verl, RewardkitManager with `math`",
)


def rows() -> tuple[Rows, Rows]:
    """Real answers to MATH-500 by several models: (completion, ground truth, right by the file's own verdict).

    The second list holds eight more answers, to warm up with.
    """
    folder = data_dir()
    if folder is None:
        raise SystemExit("no real data; set REWARDKIT_DATA")
    found: list[tuple[str, str, bool]] = []
    for path in sorted((folder / "completions_skythought").glob("*math500*.jsonl.gz")):
        with gzip.open(path, "rt") as file:
            found += [(row["code"][0], row["gt"], bool(row["score"][0])) for row in map(json.loads, file)]
    step = len(found) / COMPLETIONS
    taken = [int(index * step) for index in range(COMPLETIONS)]
    spare = sorted(set(range(len(found))) - set(taken))[:8]
    return [found[index] for index in taken], [found[index] for index in spare]


def agreement(values: Sequence[float | None], data: Rows) -> str:
    """Share of rows on which a judge says what the file says, and how many it left open."""
    same = sum((value is not None and value > 0.5) == right for value, (_, _, right) in zip(values, data, strict=True))
    open_ = sum(value is None for value in values)
    return f"{same / len(data):.1%}" + (f" ({open_} unjudged)" if open_ else "")


def trl_ways(data: Rows) -> dict[str, Callable[[], list[float | None]]]:
    """TRL's calling convention, chat completions."""
    from trl.rewards import accuracy_reward

    from rewardkit import load
    from trainers.trl import reward_funcs

    chats = [[{"role": "assistant", "content": text}] for text, _, _ in data]
    truths = [truth for _, truth, _ in data]
    boxed = [f"\\boxed{{{truth}}}" for truth in truths]
    ids = [[0] * min(4000, len(text) // 4 + 1) for text, _, _ in data]
    math = load(REWARD)
    parts = reward_funcs("math + 0.1 * think_format + overlong")

    def split() -> list[float | None]:
        columns = {"ground_truth": list(truths), "completion_ids": ids}
        values = [part(completions=chats, **columns) for part in parts]
        return values[0]

    return {
        "TRL, `accuracy_reward`": lambda: accuracy_reward(chats, boxed),
        "TRL, rewardkit `math`": lambda: math(completions=chats, ground_truth=truths),
        "TRL, rewardkit, three parts apart": split,
    }


def verl_ways(data: Rows) -> dict[str, Callable[[Any], Awaitable[float | None]]]:
    """verl's reward loop: what judges one finished rollout."""
    from omegaconf import OmegaConf
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
    from verl.utils.reward_score import math_verify

    from trainers.verl_manager import RewardkitManager

    def users_own(data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None) -> float:
        return float(math_verify.compute_score(solution_str, ground_truth))

    tokenizer = SimpleNamespace(decode=lambda ids, **_: data[int(ids[0])][0])
    config = OmegaConf.create({"reward": {"reward_kwargs": {"reward": REWARD}}})
    naive = NaiveRewardManager(config, tokenizer, users_own)
    ours = RewardkitManager(config, tokenizer)

    async def by_naive(item: Any) -> float | None:
        return (await naive.run_single(item))["reward_score"]

    async def by_ours(item: Any) -> float | None:
        result = await ours.run_single(item)
        return None if result["reward_extra_info"]["unjudged"] else result["reward_score"]

    return {"verl, naive manager with `math_verify`": by_naive, "verl, RewardkitManager with `math`": by_ours}


def items(data: Rows) -> list[Any]:
    """One-row DataProtos, as the reward loop gets them; the response's only token is the row's number."""
    import numpy as np
    import torch
    from tensordict import TensorDict
    from verl import DataProto

    made: list[Any] = []
    for index, (_, truth, _) in enumerate(data):
        tensors = TensorDict(
            {"responses": torch.tensor([[index]]), "attention_mask": torch.ones((1, 1), dtype=torch.long)}, batch_size=1
        )
        facts = {"data_source": "math", "reward_model": {"ground_truth": truth}, "extra_info": {}, "__num_turns__": 2}
        made.append(DataProto(tensors, {name: np.array([value], dtype=object) for name, value in facts.items()}))
    return made


async def overlapped(judge: Callable[[Any], Awaitable[float | None]], rollouts: Sequence[Any]) -> float:
    """Rollouts end evenly over ten seconds; what judging adds after the last one."""

    async def one(item: Any, delay: float) -> None:
        await asyncio.sleep(delay)
        await judge(item)

    pause = GENERATION_S / len(rollouts)
    start = time.perf_counter()
    await asyncio.gather(*(one(item, index * pause) for index, item in enumerate(rollouts)))
    return max(0.0, time.perf_counter() - start - GENERATION_S)


Round = tuple[float, list[float | None]]


def one_round(name: str, *, overlap: bool) -> Round:
    """Seconds of one batch in this fresh process, and the values. A few rows outside the batch warm imports and pools."""
    data, spare = rows()
    if name.startswith("TRL"):
        trl_ways(spare)[name]()
        call = trl_ways(data)[name]
        start = time.perf_counter()
        values = call()
        return time.perf_counter() - start, values
    return asyncio.run(_verl_round(name, data, spare, overlap=overlap))


async def _verl_round(name: str, data: Rows, spare: Rows, *, overlap: bool) -> Round:
    warm = verl_ways(spare)[name]
    await asyncio.gather(*(warm(item) for item in items(spare)))
    judge, rollouts = verl_ways(data)[name], items(data)
    if overlap:
        return await overlapped(judge, rollouts), []
    start = time.perf_counter()
    values = list(await asyncio.gather(*(judge(item) for item in rollouts)))
    return time.perf_counter() - start, values


def rounds(name: str, *, overlap: bool = False) -> tuple[str, list[float | None]]:
    """The spread over rounds as text, and the values of the last."""
    seconds: list[float] = []
    values: list[float | None] = []
    while len(seconds) < ROUNDS and not (seconds and seconds[0] > LONG_S):
        command = [sys.executable, "-P", __file__, "--one", name, *(["--overlap"] if overlap else [])]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        took, values = json.loads(done.stdout.splitlines()[-1])
        seconds.append(took)
    return (spread(seconds) if len(seconds) > 1 else f"{number(seconds[0])} (one)"), values


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", help="one round of this way, as JSON; what the rounds call")
    parser.add_argument("--overlap", action="store_true")
    parser.add_argument("--only", default="", help="only the ways whose name has this in it")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    if options.one:
        print(json.dumps(one_round(options.one, overlap=options.overlap)))
        return
    data, _ = rows()
    lines: list[list[str]] = []
    for name in (name for name in WAYS if options.only in name):
        blocking, values = rounds(name)
        added = rounds(name, overlap=True)[0] if name.startswith("verl") else "-"
        lines.append([name, blocking, added, agreement(values, data)])
        print(lines[-1], file=sys.stderr, flush=True)
    print(f"{today()}, {machine()}, load {load_average()}")
    print(", ".join(f"{name} {version(name)}" for name in ("rewardkit", "trl", "verl", "math-verify", "torch")))
    length = statistics.median(len(text) for text, _, _ in data)
    print(f"{len(data)} answers to MATH-500, median {length:.0f} characters\n")
    print(
        table(["judge", "blocking, s (median of 3, range)", "added when overlapped, s", "agrees with the file"], lines)
    )


if __name__ == "__main__":
    main()
