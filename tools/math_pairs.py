"""Seeded labelled pairs for a mathematical verifier: build them, check their labels, judge them with ours and peers.

python -m tools.math_pairs --list                 # categories with a sample each
python -m tools.math_pairs --ours                 # our verdicts, per category
python -m tools.math_pairs --peers all --json out.json
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import math_peers
from tools import (
    math_pairs_algebra,
    math_pairs_forms,
    math_pairs_hostile,
    math_pairs_labelled,
    math_pairs_numbers,
    math_pairs_responses,
    math_pairs_structures,
    math_pairs_units,
)
from tools.math_cases import CATEGORIES, HOSTILE, boxed, prove

MODULES = (
    math_pairs_algebra,
    math_pairs_forms,
    math_pairs_hostile,
    math_pairs_labelled,
    math_pairs_numbers,
    math_pairs_responses,
    math_pairs_structures,
    math_pairs_units,
)
PER_LABEL = 30
"""True and false pairs of each category by default."""
MAX_DRAWS = 4_000


@dataclass(frozen=True)
class Pair:
    """A completion with its gold and the label that a right verifier gives."""

    category: str
    completion: str
    gold: Any
    label: bool
    why: str
    answer: str
    hostile: bool
    unjudged: bool = False


def generate(seed: int = 0, per_label: int = PER_LABEL, only: set[str] | None = None) -> list[Pair]:
    """Draw up to `per_label` different true and false pairs of each category; the same seed gives the same pairs."""
    pairs: list[Pair] = []
    for name, draw in CATEGORIES.items():
        if only is None or name in only:
            pairs += _category(name, draw, Random(f"{seed}/{name}"), per_label)
    return pairs


def _category(name: str, draw: Any, rng: Random, per_label: int) -> list[Pair]:
    counts = {True: 0, False: 0}
    seen: set[tuple[str, str]] = set()
    out: list[Pair] = []
    for _ in range(MAX_DRAWS):
        if min(counts.values()) >= per_label:
            break
        case = draw(rng)
        prove(case)
        for label, forms in ((True, case.right), (False, case.wrong)):
            for form in rng.sample(forms, min(2, len(forms))):
                key = (json.dumps(case.gold), form.text)
                if counts[label] >= per_label or key in seen:
                    continue
                seen.add(key)
                counts[label] += 1
                completion = form.text if case.raw else boxed(rng, form.text)
                out.append(
                    Pair(name, completion, case.gold, label, form.why, form.text, name in HOSTILE, case.unjudged)
                )
        if not case.right and counts[False] >= per_label:
            break
    return out


def tally(pairs: list[Pair], verdicts: list[bool | None]) -> dict[str, dict[str, int]]:
    """False negatives and false positives per category, with how many pairs there were."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: {"true": 0, "false": 0, "fn": 0, "fp": 0})
    for pair, verdict in zip(pairs, verdicts, strict=True):
        row = counts[pair.category]
        row["true" if pair.label else "false"] += 1
        if pair.label and not verdict:
            row["fn"] += 1
        if verdict and not pair.label:
            row["fp"] += 1
    return dict(counts)


def summary(name: str, counts: dict[str, dict[str, int]]) -> str:
    """One line: pairs, accuracy, false negatives and positives of a grader."""
    false_negatives, false_positives = (
        sum(row["fn"] for row in counts.values()),
        sum(row["fp"] for row in counts.values()),
    )
    total = sum(row["true"] + row["false"] for row in counts.values())
    share = 100 * (1 - (false_negatives + false_positives) / total)
    return f"{name}: {total} pairs, {len(counts)} categories, {share:.2f} % right, FN {false_negatives}, FP {false_positives}"


def peer_tally(pairs: list[Pair], name: str, cache: Path | None) -> dict[str, dict[str, int]]:
    """A peer's false negatives and positives per category."""
    rows = [(pair.completion, pair.gold) for pair in pairs]
    replies = math_peers.grade_cached(name, rows, cache / f"{name}.jsonl" if cache else None)
    return tally(pairs, [reply.accepted for reply in replies])


def ours(pairs: list[Pair]) -> list[Any]:
    """Our judgements, one after another in this process."""
    from rewardkit.math import judge

    return [judge(pair.completion, pair.gold) for pair in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--per-label", type=int, default=PER_LABEL)
    parser.add_argument("--only", nargs="*", help="categories")
    parser.add_argument("--list", action="store_true", help="print categories with samples")
    parser.add_argument("--wrong", action="store_true", help="print our wrong verdicts")
    parser.add_argument("--peers", nargs="*", default=[], help="graders of benchmarks.math_peers to run beside ours")
    parser.add_argument("--cache", type=Path, help="folder of peers' verdicts from earlier runs")
    parser.add_argument("--json", type=Path, help="write the pairs as JSON lines")
    args = parser.parse_args()
    pairs = generate(args.seed, args.per_label, set(args.only) if args.only else None)
    if args.json:
        args.json.write_text("".join(json.dumps(asdict(pair)) + "\n" for pair in pairs))
    if args.list:
        for name in CATEGORIES:
            for label in (True, False):
                for pair in [p for p in pairs if p.category == name and p.label is label][:3]:
                    print(
                        f"{name:28} {'T' if label else 'F'}  gold {str(pair.gold)[:60]!r}  answer {pair.answer[:80]!r}  ({pair.why})"
                    )
        return
    columns = {name: peer_tally(pairs, name, args.cache) for name in args.peers}
    for name, counts in columns.items():
        print(summary(name, counts))
    scores = ours(pairs)
    verdicts = [judgement.equal for judgement in scores]
    counts = tally(pairs, verdicts)
    for name, row in counts.items():
        if row["fn"] or row["fp"]:
            print(f"{name:28} FN {row['fn']:3}/{row['true']:<3} FP {row['fp']:3}/{row['false']}")
    print(summary("ours", counts))
    if args.wrong:
        for pair, verdict, score in zip(pairs, verdicts, scores, strict=True):
            if verdict is not pair.label:
                print(
                    json.dumps(
                        {
                            "category": pair.category,
                            "label": pair.label,
                            "gold": pair.gold,
                            "answer": pair.answer[-120:],
                            "why": pair.why,
                            "reason": score.reason,
                        }
                    )
                )


if __name__ == "__main__":
    main()
