"""Attack the math verifier: growth of time with size, memory, code, threads, event loops, spawned processes.

python -m benchmarks.math_attacks
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks._common import load_average, machine, table, today
from benchmarks.math_worker import memory_mb
from tools.math_pairs import generate
from tools.math_pairs_hostile import CANARY

SHOWN = 4
UNITS = [
    "the answer is ",
    "The final answer is $1$. ",
    "Answer: 1\n",
    "answer: ",
    "\\boxed{",
    "\\boxed{}",
    "\\boxed{1}",
    "\\boxed{1} or ",
    "\\boxed ",
    "}",
    "{",
    "{}",
    "{1}",
    "$",
    "$$",
    "$1$ ",
    "**",
    "**1** ",
    "*",
    "<think>",
    "</think>",
    "<think></think>",
    "<answer>",
    "<answer>1</answer>",
    "<SOLUTION>",
    "#### ",
    "#### 1\n",
    "\\(",
    "\\(1\\)",
    "\\[",
    "\\left(",
    "\\left",
    "\\frac",
    "\\frac{1}{",
    "\\sqrt{",
    "\\text{",
    "\\text{a}",
    "\\begin{pmatrix}",
    "\\begin{pmatrix}1\\end{pmatrix}",
    "\\begin{cases}",
    "&",
    "\\\\",
    "\\",
    "1,",
    "1, ",
    "(1,2),",
    "(",
    "()",
    "[",
    "|",
    "||1",
    "1+",
    "1-",
    "-",
    "+-",
    "1*",
    "x",
    "xy",
    "x^",
    "x^{",
    "x_",
    "x_{1}",
    "^",
    "!",
    "1!",
    "'",
    "=",
    "1=",
    "<",
    "1<",
    "\\le ",
    " or ",
    "1 or ",
    " and ",
    "\\pm ",
    "1\\pm ",
    "\\cup ",
    "(1,2)\\cup ",
    "%",
    "1\\%",
    "\\circ",
    "^\\circ",
    ":",
    "1:",
    ";",
    ".",
    "1.",
    "0",
    "9",
    "a",
    "word ",
    " ",
    "\n",
    "\t",
    "\u00b2",
    "\u221a",
    "\u200b",
    "\u0301",
    "\U0001d7d8",
    "\u2460",
    "sin ",
    "\\sin ",
    "\\sin(",
    "e^",
    "\\int ",
    "\\sum_{k=1}^{9}",
    "\\lim_{x\\to 0}",
    "\\overline{1",
    "I'm confident that ",
    "is ",
    "so ",
    "= $1$ ",
    "units ",
    "cm ",
    "km/",
    "1 2/3 ",
    "\\,",
    "\\!",
    "{,}",
    "\\$",
    "1e9",
    "1e",
    "_2",
    "and $x=1$, ",
    "therefore ",
    "Therefore, 1. ",
]
SHAPES: dict[str, Callable[[str], tuple[str, str]]] = {
    "completion": lambda text: (text, "1"),
    "before a box": lambda text: (text + "\n\n$\\boxed{2}$", "1"),
    "inside a box": lambda text: ("$\\boxed{" + text + "}$", "1"),
    "after a statement": lambda text: ("The answer is " + text, "1"),
    "gold": lambda text: ("$\\boxed{1}$", text),
}


def growth(small: int, large: int) -> tuple[list[list[str]], float]:
    """The slowest texts of a unit repeated, with time at two sizes; a ratio far above large / small is not linear."""
    from rewardkit.math import judge

    rows: list[tuple[float, list[str]]] = []
    for unit in UNITS:
        for shape, build in SHAPES.items():
            seconds = []
            for size in (small, large):
                completion, gold = build(unit * (size // len(unit)))
                began = time.process_time()
                judge(completion, gold)
                seconds.append(time.process_time() - began)
            cells = [
                repr(unit),
                shape,
                f"{1000 * seconds[0]:.2f}",
                f"{1000 * seconds[1]:.2f}",
                f"{seconds[1] / seconds[0]:.0f}",
            ]
            rows.append((seconds[1], cells))
    rows.sort(key=lambda row: -row[0])
    return [cells for _, cells in rows[:SHOWN]], rows[0][0]


def verdicts(rows: list[tuple[str, Any]]) -> list[str]:
    from rewardkit.math import judge

    return [str(judge(completion, gold).status) for completion, gold in rows]


def from_threads(rows: list[tuple[str, Any]]) -> list[str]:
    """All rows in each of four threads at once; the verdicts of the first, if all agree."""
    results: dict[int, list[str]] = {}
    threads = [threading.Thread(target=lambda i=i: results.__setitem__(i, verdicts(rows))) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results[0] if all(results[i] == results[0] for i in range(4)) else ["threads disagree"]


async def from_a_loop(rows: list[tuple[str, Any]]) -> list[str]:
    """In an event loop: directly, and through to_thread."""
    direct = verdicts(rows)
    return direct if await asyncio.to_thread(verdicts, rows) == direct else ["loop and thread disagree"]


def from_spawn(rows: list[tuple[str, Any]]) -> list[str]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(verdicts, rows).result()


def main() -> None:
    Path(CANARY).unlink(missing_ok=True)
    print(f"{today()}; {machine()}; load {load_average()}\n")
    pairs = generate(0, 8)
    rows = [(pair.completion, pair.gold) for pair in pairs]
    handler = signal.getsignal(signal.SIGALRM)
    main_thread = verdicts(rows)
    print(f"{len(rows):,} pairs of {len({pair.category for pair in pairs})} categories, hostile ones among them:\n")
    for name, got in (
        ("threads", from_threads(rows)),
        ("asyncio", asyncio.run(from_a_loop(rows))),
        ("spawn", from_spawn(rows)),
    ):
        print(f"- same verdicts from {name}: {got == main_thread}")
    print(
        f"  SIGALRM untouched: {signal.getsignal(signal.SIGALRM) == handler and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)}"
    )
    print(f"- threads left: {threading.active_count() - 1}, child processes left: {_children()}")
    gc.collect()
    memory = [memory_mb("VmRSS")]
    for seed in (101, 102, 103, 104):
        verdicts([(pair.completion, pair.gold) for pair in generate(seed, 8)])
        gc.collect()
        memory.append(memory_mb("VmRSS"))
    print(
        f"  resident memory after each of four more sets of pairs, MB: {', '.join(f'{value:.0f}' for value in memory)}"
    )
    slowest, worst = growth(100_000, 1_000_000)
    print(
        f"\n{len(UNITS) * len(SHAPES)} repeated texts at 100,000 and 1,000,000 characters; the slowest, {1000 * worst:.1f} ms:\n"
    )
    print(table(["repeated", "as", "CPU ms at 100 k", "CPU ms at 1 M", "ratio"], slowest))
    print(f"\nplanted programs ran: {Path(CANARY).exists()}")


def _children() -> int:
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    return len(children.read_text().split()) if children.exists() else 0


if __name__ == "__main__":
    main()
