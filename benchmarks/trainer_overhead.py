"""Reward time in a GRPO step of 1,024 completions: rewardkit in TRL and verl beside what their users call today.

Needs one environment with trl, verl and math-verify (they resolve together, see docs/trainers.md) and the real data:

    flock /tmp/rewardkit-bench.lock python -P benchmarks/trainer_overhead.py

Blocking: the whole batch is judged while the step waits. Overlapped: rollouts end one by one over ten seconds and each is
judged at once, as verl's reward loop does; the figure is what judging still adds after the last rollout.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from _common import data_dir, load_average, machine, spread, table, today, version

COMPLETIONS = 1_024
ROUNDS = 3
GENERATION_S = 10.0
REWARD = "math"


def rows() -> list[tuple[str, str, bool]]:
    """Real answers to MATH-500 by several models: (completion, ground truth, right by the file's own verdict)."""
    folder = data_dir()
    if folder is None:
        raise SystemExit("no real data; set REWARDKIT_DATA")
    found: list[tuple[str, str, bool]] = []
    for path in sorted((folder / "completions_skythought").glob("*math500*.jsonl.gz")):
        with gzip.open(path, "rt") as file:
            found += [(row["code"][0], row["gt"], bool(row["score"][0])) for row in map(json.loads, file)]
    step = len(found) / COMPLETIONS
    return [found[int(index * step)] for index in range(COMPLETIONS)]


def agreement(values: Sequence[float | None], data: Sequence[tuple[str, str, bool]]) -> str:
    """Share of rows on which a judge says what the file says, and how many it left open."""
    same = sum((value is not None and value > 0.5) == right for value, (_, _, right) in zip(values, data, strict=True))
    open_ = sum(value is None for value in values)
    return f"{same / len(data):.1%}" + (f" ({open_} unjudged)" if open_ else "")


def timed(call: Callable[[], list[float | None]]) -> tuple[list[float], list[float | None]]:
    """Seconds of each round, and the values of the last."""
    seconds: list[float] = []
    values: list[float | None] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        values = call()
        seconds.append(time.perf_counter() - start)
    return seconds, values


def trl_ways(data: Sequence[tuple[str, str, bool]]) -> dict[str, Callable[[], list[float | None]]]:
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


def verl_ways(
    data: Sequence[tuple[str, str, bool]], folder: Path
) -> dict[str, Callable[[Any], Awaitable[float | None]]]:
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


def items(data: Sequence[tuple[str, str, bool]]) -> list[Any]:
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


async def blocking(
    judge: Callable[[Any], Awaitable[float | None]], rollouts: Sequence[Any]
) -> tuple[list[float], list[float | None]]:
    """All rollouts at once, some rounds over."""
    seconds: list[float] = []
    values: list[float | None] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        values = list(await asyncio.gather(*(judge(item) for item in rollouts)))
        seconds.append(time.perf_counter() - start)
    return seconds, values


async def overlapped(judge: Callable[[Any], Awaitable[float | None]], rollouts: Sequence[Any]) -> float:
    """Rollouts end evenly over ten seconds; what judging adds after the last one."""

    async def one(item: Any, delay: float) -> None:
        await asyncio.sleep(delay)
        await judge(item)

    pause = GENERATION_S / len(rollouts)
    start = time.perf_counter()
    await asyncio.gather(*(one(item, index * pause) for index, item in enumerate(rollouts)))
    return max(0.0, time.perf_counter() - start - GENERATION_S)


def main() -> None:
    logging.disable(logging.WARNING)
    data = rows()
    lines: list[list[str]] = []
    for name, call in trl_ways(data).items():
        seconds, values = timed(call)
        lines.append([name, spread(seconds), "-", agreement(values, data)])
        print(lines[-1], file=sys.stderr, flush=True)

    async def loop() -> None:
        rollouts = items(data)
        with tempfile.TemporaryDirectory() as folder:
            for name, judge in verl_ways(data, Path(folder)).items():
                await judge(rollouts[0])  # start pools outside the clock
                seconds, values = await blocking(judge, rollouts)
                added = [await overlapped(judge, rollouts) for _ in range(3)]
                lines.append([name, spread(seconds), spread(added), agreement(values, data)])
                print(lines[-1], file=sys.stderr, flush=True)

    asyncio.run(loop())
    print(f"{today()}, {machine()}, load {load_average()}")
    print(", ".join(f"{name} {version(name)}" for name in ("rewardkit", "trl", "verl", "math-verify", "torch")))
    print(
        f"{len(data)} answers to MATH-500, median {statistics.median(len(text) for text, _, _ in data):.0f} characters\n"
    )
    print(
        table(
            ["judge", "blocking, s (median of 3, range)", "added when overlapped, s (of 3)", "agrees with the file"],
            lines,
        )
    )


if __name__ == "__main__":
    main()
