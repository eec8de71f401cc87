"""How often each check of the audit names a row of honest completions, and of planted ones.

    python benchmarks/audit_honest.py --data ../shared/data [--rows FILE]

Honest means: sampled from models that were never trained against our rewards. The thresholds were set on the first sets
and are measured on the others. Writes Markdown tables to stdout, and with --rows every named row for reading.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from audit_sets import HELD_OUT, SEEN, HonestSet

from rewardkit import Sample, SampleReward, Score, load
from rewardkit.audit import CHECKS, Finding, collect, run_checks
from rewardkit.audit.second import second_verifier
from rewardkit.data.reader import RowReader

ROOT = Path(__file__).parents[1]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    options.add_argument("--rows", type=Path, help="write the named rows here")
    given = options.parse_args()
    second = second_verifier("math_verify")
    named: list[str] = []
    for title, sets in (("set on", SEEN), ("held out", HELD_OUT)):
        found: dict[str, dict[str, Finding]] = {}
        sizes: dict[str, int] = {}
        for each in sets:
            rows = each.facts(given.data, second)
            found[each.name] = {finding.check: finding for finding in run_checks(rows)}
            sizes[each.name] = len(rows)
            for finding in found[each.name].values():
                named += [f"{each.name}\t{finding.check}\t{where}\t{what}" for where, what in finding.examples]
        show(title, sets, found, sizes, with_planted=title == "set on")
    if given.rows is not None:
        given.rows.write_text("\n".join(named) + "\n", encoding="utf-8")


def show(
    title: str,
    sets: Sequence[HonestSet],
    found: dict[str, dict[str, Finding]],
    sizes: dict[str, int],
    *,
    with_planted: bool,
) -> None:
    more = ["planted, found"] if with_planted else []
    heads = [f"{each.name} ({sizes[each.name]:,})" for each in sets] + more
    print(f"\n| {title} | " + " | ".join(heads) + " |\n|---|" + "--:|" * len(heads))
    alarms = looked = 0
    for check in CHECKS:
        findings = [found[each.name][check.__name__] for each in sets]
        cells = [f"{f.count}/{f.of:,} ({f.share:.2%}){' !' if f.alarm else ''}" if f.of else "-" for f in findings]
        alarms += sum(f.alarm for f in findings)
        looked += sum(f.of > 0 for f in findings)
        print(
            f"| {check.__name__} | " + " | ".join(cells + ([planted(check.__name__)] if with_planted else [])) + " |",
            flush=True,
        )
    print(f"\n{alarms} alarms in {looked} looks (a check at a set)")


def planted(check: str) -> str:
    spec = importlib.util.spec_from_file_location("planted", ROOT / "tests" / "rewardkit" / "audit" / "planted.py")
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    rows = module.sudden() if check == "sudden_shifts" else module.planted(check)
    reward, second = load("math + 0.1 * think_format" if check == "paid_without_answer" else "math"), load("dapo_math")
    with tempfile.TemporaryDirectory() as folder:
        path = module.write(Path(folder) / "rows.jsonl", rows)
        if check in {"empty_passes", "copied_tests"}:
            found = run_checks(list(collect(RowReader([str(path)]), PassesAll(), None)))
        else:
            found = run_checks(list(collect(RowReader([str(path)]), reward, second)))
    finding = next(finding for finding in found if finding.check == check)
    return f"{finding.count}{' !' if finding.alarm else ' (no alarm)'}"


@dataclass(frozen=True)
class PassesAll(SampleReward):
    """Stands in for a code judge with weak tests."""

    name: ClassVar[str] = "passes_all"

    def grade(self, sample: Sample) -> Score:
        del sample
        return Score.of(1, answer="x")


if __name__ == "__main__":
    sys.exit(main())
