r"""Pairs written by hand, round after round, from the rules alone: judge them all and show what is judged otherwise.

    python -m benchmarks.math_rounds            # all rounds
    python -m benchmarks.math_rounds 7 --show   # one round, each pair that is judged otherwise than its label
    python -m benchmarks.math_rounds 7 --peer math_verify   # the same for another grader

A round is a text file in tests/cases/math_rounds: `## kind`, then for each ground truth a line `gold`, below it lines
`+ answer` (the same) and `- answer` (another). Answers are put into a box; `*` behind the sign marks a whole completion,
in which ⏎ is a new line. `?` behind the sign marks a pair that is known to be judged otherwise than its label.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import NamedTuple

from benchmarks import math_peers
from rewardkit.math import judge

ROUNDS = Path(__file__).parents[1] / "tests" / "cases" / "math_rounds"

_ANSWER = re.compile(r"[-+][*?]{0,2} ")


class Pair(NamedTuple):
    """One labelled pair of a round."""

    kind: str
    gold: str
    completion: str
    equal: bool
    open: bool
    """Known to be judged otherwise than its label."""


def pairs(path: Path) -> list[Pair]:
    """The pairs of one round."""
    found: list[Pair] = []
    kind = gold = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line[3:]
        elif _ANSWER.match(line) is not None:
            signs, _, text = line.partition(" ")
            completion = text.replace("⏎", "\n") if "*" in signs else f"So \\boxed{{{text}}}."
            found.append(Pair(kind, gold, completion, signs[0] == "+", "?" in signs))
        elif line.strip() and not line.startswith("# "):
            gold = line.strip()
    return found


def number(path: Path) -> int:
    """The number of a round."""
    return int(path.stem.removeprefix("round"))


def rounds() -> list[Path]:
    """The files of all rounds, in order."""
    return sorted(ROUNDS.glob("round*.txt"), key=number)


def verdicts(rows: list[Pair], peer: str | None) -> list[tuple[bool, str]]:
    """(equal, why) of each pair, by the verifier or by a peer."""
    if peer is None:
        return [(one.equal, one.reason) for one in (judge(pair.completion, pair.gold) for pair in rows)]
    replies, _ = math_peers.grade_all(peer, ((pair.completion, pair.gold) for pair in rows))
    return [(one.accepted, one.how) for one in replies]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("round", nargs="*", type=int)
    parser.add_argument("--show", action="store_true", help="print what is judged otherwise than its label")
    parser.add_argument("--peer", help="judge with this grader of math_peers instead")
    args = parser.parse_args()
    print(
        "| round | kinds | pairs | right | false negatives | false positives |\n| --- | --- | --- | --- | --- | --- |"
    )
    for path in rounds():
        if args.round and number(path) not in args.round:
            continue
        rows = pairs(path)
        found = verdicts(rows, args.peer)
        missed = [(pair, why) for pair, (equal, why) in zip(rows, found, strict=True) if equal != pair.equal]
        negatives = sum(pair.equal for pair, _ in missed)
        right = 100 * (1 - len(missed) / len(rows))
        print(
            f"| {number(path)} | {len({one.kind for one in rows})} | {len(rows)} | {right:.2f} % | {negatives} | {len(missed) - negatives} |"
        )
        if args.show:
            for pair, why in missed:
                print(
                    f"  {'FN' if pair.equal else 'FP'} [{pair.kind}] {pair.gold!r} <- {pair.completion!r}\n      {why}"
                )


if __name__ == "__main__":
    main()
