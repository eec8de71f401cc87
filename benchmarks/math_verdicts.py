"""Judge every labelled answer in the real data, with ours and with peers; print accuracy and each disagreement.

python -m benchmarks.math_verdicts                                  # ours, all sets
python -m benchmarks.math_verdicts --peers math_verify --cache DIR  # and peers
python -m benchmarks.math_verdicts --suite CHECKOUT/tests           # and Math-Verify's own test cases, lenient
python -m benchmarks.math_verdicts --golds                          # each gold answer against itself
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import math_peers, math_sets
from benchmarks._common import data_dir, table
from benchmarks.math_sets import Row

Counts = dict[str, int]
FLOAT_RTOL = 0.04
"""The authors of TheoremQA accept floats within four percent."""


def ours(row: Row) -> Any:
    """Our judgement, with the options that the set's own labels mean."""
    from rewardkit.math import Policy, judge

    if row.set_name.startswith("theoremqa float"):
        return judge(row.completion, row.gold, Policy(rtol=FLOAT_RTOL))
    if row.set_name == "math_verify_suite":
        return judge(row.completion, row.gold, Policy(lenient=True))
    return judge(row.completion, row.gold)


def count(rows: list[Row], accepted: list[bool]) -> dict[str, Counts]:
    """Pairs, false negatives and false positives per set."""
    out: dict[str, Counts] = defaultdict(lambda: {"rows": 0, "fn": 0, "fp": 0})
    for row, verdict in zip(rows, accepted, strict=True):
        counts = out[row.set_name]
        counts["rows"] += 1
        counts["fn"] += row.label and not verdict
        counts["fp"] += verdict and not row.label
    return dict(out)


def cell(counts: Counts | None) -> str:
    """'99.1 (FN 3, FP 1)', or a dash where a grader was not run on the set."""
    if counts is None:
        return "-"
    wrong = counts["fn"] + counts["fp"]
    return f"{100 * (1 - wrong / counts['rows']):.2f} ({counts['fn']}, {counts['fp']})"


def carried(rows: list[Row], grader: str) -> dict[str, Counts]:
    """A grader's verdicts as the data carries them."""
    chosen = [(row, dict(row.others)[grader]) for row in rows if grader in dict(row.others)]
    return count([row for row, _ in chosen], [verdict for _, verdict in chosen])


def all_rows(data: Path, suite: Path | None) -> list[Row]:
    rows = [row for load in math_sets.VERDICT_SETS for row in load(data)]
    if suite is not None:
        rows += [row for row in math_sets.math_verify_suite(suite) if row.name not in math_sets.DISPUTED]
    return rows


def gold_table(data: Path) -> str:
    """How many gold answers are accepted against themselves in a box, and how many are called unusable."""
    from rewardkit.math import judge

    rows: list[list[object]] = []
    for name, golds in math_sets.golds(data).items():
        judgements = [judge(f"$\\boxed{{{_inner(gold)}}}$", gold) for gold in golds]
        equal = sum(j.equal for j in judgements)
        bad = sum(str(j.status) == "bad_gold" for j in judgements)
        rows.append([name, len(golds), f"{100 * equal / len(golds):.2f}", bad])
    return table(["golds of", "different golds", "equal to themselves, %", "called unusable"], rows)


def _inner(gold: str) -> str:
    text = gold.strip()
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == "$" and text.count("$") == 2 else text


def disagreements(rows: list[Row], judgements: list[Any], keep: Callable[[Row], bool]) -> list[dict[str, Any]]:
    return [
        {
            "set": row.set_name,
            "name": row.name,
            "label": row.label,
            "gold": row.gold,
            "answer": judgement.answer,
            "status": str(judgement.status),
            "reason": judgement.reason,
            "tail": row.completion[-200:],
            "tag": row.tag,
        }
        for row, judgement in zip(rows, judgements, strict=True)
        if judgement.equal is not row.label and keep(row)
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", nargs="*", default=[], help="graders of benchmarks.math_peers")
    parser.add_argument("--cache", type=Path, help="folder of peers' verdicts from earlier runs")
    parser.add_argument("--suite", type=Path, help="tests folder of a Math-Verify checkout")
    parser.add_argument("--golds", action="store_true", help="also judge each gold against itself")
    parser.add_argument("--only", help="sets whose name contains this")
    parser.add_argument("--out", type=Path, help="write our disagreements as JSON lines")
    args = parser.parse_args()
    data = data_dir()
    if data is None:
        parser.error("no data folder: set REWARDKIT_DATA")
    rows = [row for row in all_rows(data, args.suite) if not args.only or args.only in row.set_name]
    judgements = [ours(row) for row in rows]
    columns = {"ours": count(rows, [j.equal for j in judgements])}
    columns["qwen_rule (in the data)"] = carried(rows, "qwen_rule")
    for name in args.peers:
        replies = math_peers.grade_cached(
            name, [(r.completion, r.gold) for r in rows], args.cache / f"{name}.jsonl" if args.cache else None
        )
        columns[name] = count(rows, [reply.accepted for reply in replies])
    names = list(columns["ours"])
    print("Accuracy in percent (false negatives, false positives)\n")
    print(
        table(
            ["set", "rows", *columns],
            [[n, columns["ours"][n]["rows"], *(cell(c.get(n)) for c in columns.values())] for n in names],
        )
    )
    if args.golds:
        print("\n" + gold_table(data))
    if args.out:
        found = disagreements(rows, judgements, lambda _: True)
        args.out.write_text("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in found))


if __name__ == "__main__":
    main()
