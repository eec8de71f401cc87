"""Write the "Math ..." sections of a report in benchmarks/results from one run; other sections stay as they are.

python -m benchmarks.math_report --cache DIR --suite CHECKOUT/tests --speed
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks import math_attacks, math_mutations, math_peers, math_sets, math_truncated, math_verdicts
from benchmarks._common import ROOT, data_dir, load_average, machine, table, today, version
from tools import math_pairs

REPORT = ROOT / "benchmarks" / "results" / f"{today()[:10]}-math.md"
SMALL = 10
"""Pairs of each label and category on which all graders are compared; some of them take seconds a pair."""
PEERS = ("math_verify",)
SEEDS = (0, 1)
SPEED_TEXT = (
    "`python -m benchmarks.math_speed`: both sides judge the same rows in one run, each in its own process; times are CPU seconds of "
    "that process. Every repeat starts with empty caches, patterns compiled. The pairs are those above, all categories with the same weight, so they are harder "
    "than real answers.\n\n"
)
PAIRS_TEXT = """`python -m tools.math_pairs` draws labelled pairs from a seed: true ones by rewrites that keep the value, false ones by
changes that break it. The 71 categories are those of 184 that reach different code; all weigh the same, which is not how often the
forms occur. What the first run of a category found was fixed, so this table is no estimate for answers that nobody has looked at.
Such estimates are pairs written by hand from the rules alone (November 2026), judged before anything was changed for them:

| pairs by hand | pairs | right at first contact | math-verify |
| --- | --- | --- | --- |
| everyday and contest answers | 6,515 | 96.5 % | |
| ground truths of data sets | 1,189 | 95.9 % | |
| blind, in twelve everyday kinds | 2,691 | 97.88 % (49, 8) | 80.39 % (385, 139) |
| hunts for faults, hard forms, what had failed before | 13,966 | 92.6 % | |

"""
TRUNCATED_TEXT = "Right responses, cut before they state their answer (`python -m benchmarks.math_truncated`):\n\n"


def pairs_section(cache: Path) -> str:
    """Accuracy on our pairs: two seeds of ours, all graders on a smaller set, each category."""
    ours_rows = []
    for seed in SEEDS:
        pairs = math_pairs.generate(seed)
        counts = math_pairs.tally(pairs, [j.equal for j in math_pairs.ours(pairs)])
        fn, fp = sum(r["fn"] for r in counts.values()), sum(r["fp"] for r in counts.values())
        worst_name, worst = min(
            counts.items(), key=lambda item: 1 - (item[1]["fn"] + item[1]["fp"]) / (item[1]["true"] + item[1]["false"])
        )
        share = 100 * (1 - (worst["fn"] + worst["fp"]) / (worst["true"] + worst["false"]))
        ours_rows.append(
            [
                seed,
                f"{len(pairs):,}",
                len(counts),
                f"{100 * (1 - (fn + fp) / len(pairs)):.2f}",
                fn,
                fp,
                f"{share:.1f} ({worst_name})",
            ]
        )
    small = math_pairs.generate(0, SMALL)
    graders: dict[str, list[bool]] = {"rewardkit": [j.equal for j in math_pairs.ours(small)]}
    hangs: dict[str, int] = {"rewardkit": 0}
    for name in PEERS:
        with contextlib.suppress(RuntimeError):
            replies = math_peers.grade_cached(name, [(p.completion, p.gold) for p in small], cache / f"{name}.jsonl")
            graders[name] = [reply.accepted for reply in replies]
            hangs[name] = sum(reply.how in ("hang", "died") for reply in replies)
    tallies = {name: math_pairs.tally(small, verdicts) for name, verdicts in graders.items()}
    overall = []
    for name, counts in tallies.items():
        fn, fp = sum(r["fn"] for r in counts.values()), sum(r["fp"] for r in counts.values())
        true, false = sum(r["true"] for r in counts.values()), sum(r["false"] for r in counts.values())
        overall.append(
            [
                name,
                f"{100 * (1 - (fn + fp) / len(small)):.2f}",
                f"{100 * fn / true:.2f}",
                f"{100 * fp / false:.2f}",
                hangs[name],
            ]
        )
    errors = {
        name: sorted(
            ((row["fn"] + row["fp"], category, row) for category, row in counts.items() if row["fn"] + row["fp"]),
            key=lambda entry: (-entry[0], entry[1]),
        )
        for name, counts in tallies.items()
    }
    weakest = [
        f"{name} errs in {len(found)} of {len(tallies[name])} categories"
        + (f", most in {', '.join(_with_errors(category, row) for _, category, row in found[:6])}" if found else "")
        for name, found in errors.items()
    ]
    return (
        PAIRS_TEXT
        + table(
            ["seed", "pairs", "categories", "right, %", "false negatives", "false positives", "worst category, %"],
            ours_rows,
        )
        + f"\n\nBoth graders on {len(small):,} of these pairs ({SMALL} true and {SMALL} false of each category; a pair gets "
        f"{math_peers.DEADLINE_S:.0f} s, then the grader's process is killed and the pair counts as not accepted):\n\n"
        + table(["grader", "right, %", "false negatives, %", "false positives, %", "killed"], overall)
        + f"\n\nFalse negatives and false positives in brackets: {'; '.join(weakest)}."
    )


def _with_errors(category: str, counts: dict[str, int]) -> str:
    """'unit_vectors (4, 10)'."""
    return f"{category} ({counts['fn']}, {counts['fp']})"


def data_section(cache: Path, suite: Path | None) -> str:
    """Accuracy on labels from elsewhere."""
    data = data_dir()
    if data is None:
        raise SystemExit("no data folder: set REWARDKIT_DATA")
    rows = math_verdicts.all_rows(data, suite)
    judgements = [math_verdicts.ours(row) for row in rows]
    accepted = {"rewardkit": [judgement.equal for judgement in judgements]}
    columns = {"rewardkit": math_verdicts.count(rows, accepted["rewardkit"])}
    for name in PEERS:
        replies = math_peers.grade_cached(name, [(r.completion, r.gold) for r in rows], cache / f"{name}.jsonl")
        accepted[name] = [reply.accepted for reply in replies]
        columns[name] = math_verdicts.count(rows, accepted[name])
    read = [replace(row, label=math_sets.RELABELLED.get(row.name, (row.label, ""))[0]) for row in rows]
    after = {name: math_verdicts.count(read, verdicts) for name, verdicts in accepted.items()}
    left = [(row, j) for row, j in zip(read, judgements, strict=True) if j.equal is not row.label]
    return (
        "`python -m benchmarks.math_verdicts --suite CHECKOUT/tests` judges labelled answers of other projects. Percent right with (false "
        "negatives, false positives): against the labels as published, and after reading by eye every row on which ours and the label "
        "disagree, except those of TheoremQA and HardVerify-Math that call for rounding or an essay. In "
        f"{sum(row.name in math_sets.RELABELLED for row in rows)} rows the label is wrong (`RELABELLED` in `math_sets.py` says why).\n\n"
        + table(
            ["set", "rows", *(f"{name}, labels {which}" for name in after for which in ("published", "read"))],
            [
                [
                    name,
                    after["rewardkit"][name]["rows"],
                    *(math_verdicts.cell(counts[grader].get(name)) for grader in after for counts in (columns, after)),
                ]
                for name in after["rewardkit"]
            ],
        )
        + "\n\nDisagreements left, without TheoremQA and HardVerify-Math (`--out FILE` writes all):\n\n"
        + table(
            ["set", "label", "ground truth", "our reading of the answer", "status"],
            [
                [row.set_name, "right" if row.label else "wrong", _code(row.gold), _code(j.answer), str(j.status)]
                for row, j in left
                if not row.set_name.startswith(("theoremqa", "hardverify"))
            ],
        )
        + "\n\nEach different ground truth in a box, judged against itself:\n\n"
        + math_verdicts.gold_table(data)
    )


def _code(text: object) -> str:
    """A short piece of text in a table cell."""
    flat = " ".join(str(text).split()).replace("|", "\\|").replace("`", "'")
    return f"`{flat if len(flat) <= 90 else flat[:87] + '...'}`" if text is not None else "none"


def captured(run: Callable[[], None]) -> str:
    """What a script prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run()
    return out.getvalue().strip()


def write(title: str, body: str) -> None:
    """Replace the section with this title, or append it."""
    text = REPORT.read_text() if REPORT.exists() else "# Mathematics\n"
    section = f"## {title}\n\n{body.strip()}\n"
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    found = pattern.search(text) is not None
    text = pattern.sub(lambda _: section + "\n", text) if found else text.rstrip("\n") + "\n\n" + section
    REPORT.write_text(text.rstrip("\n") + "\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", type=Path, required=True, help="folder of peers' verdicts")
    parser.add_argument("--suite", type=Path, help="tests folder of a Math-Verify checkout")
    parser.add_argument("--speed", type=Path, help="what math_speed printed, taken under a lock or on a quiet machine")
    parser.add_argument("--only", nargs="*", default=["pairs", "data", "attacks", "mutations", "truncated"])
    args = parser.parse_args()
    head = f"{today()}; {machine()}; rewardkit {version('rewardkit')}, math-verify {version('math-verify')}; load {load_average()}.\n\n"
    if "pairs" in args.only:
        write("Math pairs", head + pairs_section(args.cache))
    if "data" in args.only:
        write("Math labels from elsewhere", head + data_section(args.cache, args.suite))
    if "attacks" in args.only:
        write("Math attacks", captured(math_attacks.main))
    if args.speed:
        write("Math speed", SPEED_TEXT + args.speed.read_text())
    if "truncated" in args.only:
        write("Math responses cut off", head + TRUNCATED_TEXT + math_truncated.report(list(PEERS)))
    if "mutations" in args.only:
        tried = captured(lambda: math_mutations.hunt(0, 10_000, None))
        write(
            "Math changed golds",
            head
            + "One thing changed in each real ground truth (`python -m benchmarks.math_mutations`). What is still accepted was read by eye at 5dc2848 (68 then): "
            "equal after all (`- C` for `+ C`, an exponent of -1 two higher, a zero), the middle of a chain whose end is right, or words that lost a letter.\n\n"
            + tried,
        )


if __name__ == "__main__":
    main()
