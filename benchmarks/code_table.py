"""One table of all sets with references: rows, references accepted, mutants accepted wrongly, unjudged, tests/s.

    python benchmarks/code_table.py [--data DIR] [--each 200] [--only SET]

`code_references.py` judges the references and `code_mutants.py` the mutants, `code_languages.py` both for C++ and Java; BigCodeBench runs in
the image `scientific`, other languages in `full`, the others in the default one. Rows a second are of references, seen for the first time; tests/s is of tests that were run to the end.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

import code_languages
import code_mutants
from _common import load_average, machine, table, today
from code_agreement import DATA
from code_references import SETS

from rewardkit import Sample
from rewardkit.check_tests import check_rows, totals
from rewardkit.code.formats import read_problem
from rewardkit.code.references import programs
from rewardkit.code.shared import shared_sandbox, use_sandbox
from rewardkit.data.rows import Record
from rewardkit.errors import GroundTruthError
from rewardkit.rewards.code import Code, row_context

HEAD = ("row kind", "set", "rows", "references accepted", "rejected", "unjudged", "mutants", "accepted wrongly", "refused wrongly", "tests/s")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--each", type=int, default=200, help="Mutants of each set.")
    parser.add_argument("--only", choices=[*SETS, *code_languages.COMMANDS], action="append")
    options = parser.parse_args()
    lines: list[list[object]] = []
    names = options.only or [*SETS, *code_languages.COMMANDS]
    for name in filter(SETS.__contains__, names):
        sandbox = shared_sandbox('docker(image="scientific")' if name == "bigcodebench" else "docker")
        with use_sandbox(sandbox):
            rows = [Record(name, name, index, row) for index, row in enumerate(SETS[name](options.data))]
            start = time.perf_counter()
            checks = [check for check, _ in check_rows(rows, "reference", reward=Code(cpu_s=10.0))]
            wall_s = time.perf_counter() - start
            for check in checks:
                if check.finding == "rejected":
                    print(f"{check.where}: {check.reason[:200]}", flush=True)
            sound = {check.where for check in checks if check.finding == "sound"}
            tests = sum(
                size(row.value) * len(programs(row.value["reference"])[:3]) for row in rows if row.where in sound
            )
            count = (
                code_mutants.verdicts(name, options.each, sandbox, options.data) if name in code_mutants.SETS else None
            )
        kinds = totals(checks)
        shares: Counter[str] = sum(kinds.values(), Counter())
        lines.append(
            [
                *(
                    "; ".join(f"{kind} ({n['rows']})" for kind, n in kinds.items()),
                    name,
                    shares["rows"],
                    shares["sound"],
                ),
                *(shares["rejected"] + shares["disagree"], shares["unjudged"]),
                *((count.total(), count["accepted wrong"], count["refused right"]) if count else ("-", "-", "-")),
                f"{tests / wall_s:,.0f}",
            ]
        )
        print(lines[-1], flush=True)
    lines += code_languages.lines(
        [name for name in names if name in code_languages.COMMANDS], options.data, options.each
    )
    print(f"\n{today()}, {machine()}, load {load_average()}, Docker\n")
    print(table(HEAD, lines))


def size(row: dict[str, object]) -> int:
    """Tests of a row; 0 where it can't be read."""
    try:
        return read_problem(row, row_context(Sample(completion="", prompt=row.get("prompt")))).size
    except GroundTruthError:
        return 0


if __name__ == "__main__":
    main()
