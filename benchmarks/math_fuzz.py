"""Fuzz the math verifier with token soup made from real answers: no exception, no slow pair, reflexive, symmetric.

    python -m benchmarks.math_fuzz --seconds 600 --seed 1

Tokens are cut from real golds and mixed with hostile ones. Each text is compared with itself (reflexive: equal, or the gold
is unusable), with another text both ways round (symmetric), and judged inside a box, as a statement and bare. A judgement
that took long is made again with empty caches: "slow" took long twice, "slow once" waited for the collector or the machine.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from array import array
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import math_sets
from benchmarks._common import data_dir, percentile, today
from benchmarks.math_worker import memory_mb

TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\d+|[a-zA-Z]+|\s+|.", re.DOTALL)
HOSTILE = [
    "^{", "}", "{", "\\frac", "\\sqrt{", "^", "_", "!", "\\left", "\\right", "\\begin{pmatrix}", "\\end{pmatrix}", "&", "\\\\",
    "\\text{", "9^{9^{9}}", "10^{", "(", ")", "[", "]", "|", ",", ";", "=", "<", "\\le", "\\pm", "\\cup", "\\infty", "%", "\\%",
    "^\\circ", "\u221a", "\u00b2", "\u00bd", "\\mid", "\\in", "\\mathbb{R}", " or ", " and ", "/", "-", "+", "*", ".", "'", ":",
    "\\overline{", "\\binom", "\\log_", "\\sin", "e", "i", "\\pi", "0", "1", "x", "y", "999999999999", "$", "\\boxed{", "\\$", "cm",
    "\\ne", "\\to", "\\sum_{k=1}^{", "\\lfloor", "\\rfloor", "\\lceil", "\\cdot", "\\times", "\x00", "\u202e", "\u0301",
]  # fmt: skip
SLOW_S = 0.05


def soup(rng: Random, golds: list[str], tokens: list[str]) -> str:
    """A text: a real gold, a gold with tokens changed, two golds spliced, or tokens alone."""
    kind = rng.randrange(8)
    gold = rng.choice(golds)
    if kind == 0:
        return gold
    parts = TOKEN.findall(gold)
    if kind <= 4:
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(parts) + 1)
            action = rng.randrange(3)
            token = rng.choice(tokens) if rng.random() < 0.5 else rng.choice(HOSTILE)
            if action == 0:
                parts.insert(at, token)
            elif action == 1 and parts:
                parts[at % len(parts)] = token
            elif parts:
                del parts[at % len(parts)]
        return "".join(parts)
    if kind == 5:
        rest = TOKEN.findall(rng.choice(golds))
        return "".join(parts[: rng.randint(0, len(parts))] + rest[rng.randint(0, len(rest)) :])
    return "".join(rng.choice(tokens) if rng.random() < 0.6 else rng.choice(HOSTILE) for _ in range(rng.randint(1, 14)))


def forget() -> None:
    """Empty all caches of the verifier, so that a second judgement costs what the first did."""
    for name, module in list(sys.modules.items()):
        if name.startswith("rewardkit.math"):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def run(seconds: float, seed: int, out: Path | None) -> None:
    from rewardkit.math import compare, judge

    data = data_dir()
    golds = (
        sorted({g for texts in math_sets.golds(data).values() for g in texts}) if data else ["1", "\\frac{1}{2}", "x^2"]
    )
    tokens = sorted({token for gold in golds for token in TOKEN.findall(gold)})
    rng = Random(seed)
    found: list[dict[str, Any]] = []
    times = array("f")  # a list of Python floats would be most of the memory that is reported
    texts = 0
    end = time.monotonic() + seconds
    start_mb = memory_mb("VmRSS")

    def timed(call: Any, *args: Any) -> Any:
        began = time.thread_time()
        try:
            result = call(*args)
        except Exception as error:  # what this script looks for
            found.append({"kind": "raised", "args": [str(a) for a in args], "what": repr(error)[:200]})
            result = None
        took = time.thread_time() - began
        times.append(took)
        if took > SLOW_S:
            forget()
            began = time.thread_time()
            call(*args)
            kind = "slow" if time.thread_time() - began > SLOW_S else "slow once"
            found.append({"kind": kind, "args": [str(a)[:500] for a in args], "what": f"{1000 * took:.0f} ms"})
        return result

    while time.monotonic() < end:
        one, two = soup(rng, golds, tokens), soup(rng, golds, tokens)
        texts += 1
        itself = timed(compare, one, one)
        if (
            itself is not None
            and not itself.equal
            and str(itself.status) not in ("bad_gold", "malformed", "limit", "no_answer")
        ):
            found.append({"kind": "not reflexive", "args": [one], "what": f"{itself.status}: {itself.reason}"})
        forth, back = timed(compare, one, two), timed(compare, two, one)
        if (
            forth is not None
            and back is not None
            and forth.equal is not back.equal
            and "bad_gold" not in (str(forth.status), str(back.status))
            and ("=" in one)
            == ("=" in two)  # x + y = 7 answers what was asked for with 7; as a ground truth it is an equation
        ):
            found.append({"kind": "not symmetric", "args": [one, two], "what": f"{forth.reason} | {back.reason}"})
        for completion in (f"So $\\boxed{{{one}}}$.", f"The answer is ${one}$.", one):
            timed(judge, completion, two)
    counts: dict[str, int] = {}
    for entry in found:
        counts[entry["kind"]] = counts.get(entry["kind"], 0) + 1
    print(
        f"{today()}: seed {seed}, {seconds:.0f} s, {texts:,} texts, {len(times):,} judgements; found {counts or 'nothing'}"
    )
    print(
        f"CPU ms: median {1000 * percentile(times, 0.5):.3f}, p99 {1000 * percentile(times, 0.99):.2f}, max {1000 * max(times):.1f}; memory {start_mb:.0f} -> {memory_mb('VmRSS'):.0f} MB"
    )
    if out is not None:
        out.write_text("".join(json.dumps(entry) + "\n" for entry in found))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="write what was found as JSON lines")
    args = parser.parse_args()
    run(args.seconds, args.seed, args.out)


if __name__ == "__main__":
    main()
