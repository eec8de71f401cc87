"""Cut real right responses before they state their answer: whoever accepts one pays for an intermediate value.

python -m benchmarks.math_truncated [--peers math_verify trl]
"""

from __future__ import annotations

import argparse
import re
from random import Random

from benchmarks import math_peers, math_sets
from benchmarks._common import data_dir, table

STATED = re.compile(r"\\boxed|answer is|Answer|####|\nA:|final answer")
PEER_ROWS = 300
Cut = tuple[str, str]


def cuts(seed: int) -> list[Cut]:
    """Two cuts of each right response, at a random place between two fifths and all of the text before the answer."""
    data = data_dir()
    if data is None:
        raise SystemExit("no data folder: set REWARDKIT_DATA")
    rng = Random(seed)
    out: list[Cut] = []
    loaders = (
        math_sets.skythought,
        math_sets.qwen_math,
        math_sets.mathcoder,
        math_sets.tora,
        math_sets.gsm8k_openai,
        math_sets.mr_gsm8k,
    )
    for row in (row for load in loaders for row in load(data) if row.label):
        found = STATED.search(row.completion)
        end = found.start() if found else len(row.completion)
        if end >= 80:
            out += [(row.completion[: int(end * rng.uniform(0.4, 0.98))], row.gold) for _ in range(2)]
    return out


def report(peers: list[str]) -> str:
    """A table: who accepted how many of the cut responses."""
    from rewardkit.math import judge

    rows = cuts(5)
    sample = Random(1).sample(rows, PEER_ROWS)
    accepted = sum(judge(completion, gold).equal for completion, gold in rows)
    lines = [["rewardkit", f"{len(rows):,}", accepted, f"{100 * accepted / len(rows):.2f}"]]
    for name in peers:
        replies, _ = math_peers.grade_all(name, sample)
        hits = sum(reply.accepted for reply in replies)
        lines.append([name, str(len(sample)), hits, f"{100 * hits / len(sample):.2f}"])
    return table(["grader", "cut responses", "accepted", "%"], lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", nargs="*", default=[], help="graders of benchmarks.math_peers")
    print(report(parser.parse_args().peers))


if __name__ == "__main__":
    main()
