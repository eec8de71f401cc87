"""What our rewards and others' pay to completions that do not know the answer, on six sets of real data.

python -m benchmarks.attack_table [--budget N] [--only SET]      writes the table into docs/attack.md

Each cell is the share of rows on which the best form of an attack was paid above the base rate. See `attack_peers.py` for the packages.
Results are kept in a cache folder (REWARDKIT_ATTACK_CACHE), so that a run can be continued; without it nothing is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT, data_dir, machine, table, today

PAGE = ROOT / "docs" / "attack.md"
BEGIN, END = "<!-- table: benchmarks/attack_table.py -->", "<!-- end of table -->"
PEERS = "./benchmarks/attack_peers.py:"
CODE = "code(cpu_s=2.0, max_tests=20)"
MATH_BUDGET, PEER_BUDGET, CODE_BUDGET = 10_000, 2_000, 500
SETS: dict[str, tuple[str, dict[str, tuple[str, int]]]] = {
    "GSM8K": ("gsm8k/test.jsonl.gz", {
        "math": ("math", MATH_BUDGET), "gsm8k": ("gsm8k", MATH_BUDGET),
        "math-verify, TRL": (PEERS + "math_verify_trl", PEER_BUDGET), "verl gsm8k": (PEERS + "verl_gsm8k", PEER_BUDGET)}),
    "MATH-500": ("math500/test.jsonl.gz", {
        "math": ("math", MATH_BUDGET), "dapo_math": ("dapo_math", MATH_BUDGET),
        "math-verify, TRL": (PEERS + "math_verify_trl", PEER_BUDGET), "verl MATH": (PEERS + "verl_math", PEER_BUDGET)}),
    "DAPO-Math-17k": ("dapo_math_17k/dapo_math_17k_processed.parquet", {
        "math": ("math", MATH_BUDGET), "dapo_math": ("dapo_math", MATH_BUDGET),
        "math-verify, TRL": (PEERS + "math_verify_trl", PEER_BUDGET), "verl DAPO": (PEERS + "verl_dapo", PEER_BUDGET)}),
    "MBPP": ("mbpp/mbpp.jsonl.gz", {"code": (CODE, CODE_BUDGET)}),
    "LeetCodeDataset": ("leetcode_dataset/leetcode_v0.3.1_test.jsonl.gz", {"code": (CODE, CODE_BUDGET)}),
    "CodeContests": ("code_contests/code_contests_test.jsonl.gz", {
        "code": (CODE, CODE_BUDGET), "open-r1 code": (PEERS + "open_r1_code", 200)}),
}  # fmt: skip


def attacked(rows: Path, reward: str, budget: int, *, cached: bool) -> dict[str, Any] | None:
    """The report of one command, from the cache where it is there; None where only the cache may be used and it is not."""
    cache = os.environ.get("REWARDKIT_ATTACK_CACHE")
    key = "".join(char if char.isalnum() else "-" for char in f"{rows.parent.name} {reward} {budget}")
    kept = Path(cache) / f"{key}.json" if cache else None
    if kept is not None and kept.exists():
        return json.loads(kept.read_text())
    if cached:
        return None
    command = [sys.executable, "-c", "from rewardkit.cli import main; main()", "attack", str(rows), "-r", reward]
    began = time.time()
    done = subprocess.run(
        [*command, "--budget", str(budget), "--json", "--quiet", *_patient(reward)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=False,
    )
    if done.returncode not in {0, 3}:
        raise SystemExit(f"{' '.join(command)} failed with {done.returncode}")
    report = {**json.loads(done.stdout), "seconds": round(time.time() - began)}
    for finding in report["findings"]:
        finding["examples"] = finding["examples"][:1]
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(report))
    return report


def _patient(reward: str) -> list[str]:
    """Time for a peer that runs programs by itself."""
    return ["--row-timeout", "120"] if "code" in reward and reward.startswith(PEERS) else []


def rows_of(name: str, label: str, report: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """One line of the summary and one of the attacks."""
    control = report["controls"]
    paid, count = sum(c["paid"] for c in control), sum(c["rows"] for c in control)
    floor = report["floor"]["value"]
    shares: dict[str, str] = {}
    for finding in report["findings"]:
        known = shares.get(finding["attack"])
        share = f"{finding['leaked']:.1%}" if finding["leaked"] else "0"
        shares[finding["attack"]] = known if known not in {None, "0"} else share
    constant = max((f["base_rate"] for f in report["findings"] if f["attack"] == "constants"), default=0.0)
    honest = f"{paid / count:.1%} of {count}" if count else "no references"
    summary = [name, label, honest, f"{constant:.1%}", "-" if floor is None else f"{floor:.3f}", str(report["seconds"])]
    return summary, shares


def main() -> None:
    """Run what is not in the cache, then write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", choices=list(SETS))
    parser.add_argument("--cached", action="store_true", help="run nothing, write what the cache has")
    parser.add_argument("--budget", type=int, help="in place of each column's own")
    options = parser.parse_args()
    data = data_dir()
    if data is None:
        raise SystemExit("no real data; set REWARDKIT_DATA")
    os.environ.setdefault("REWARDKIT_SANDBOX", "local")
    summaries, columns, attacks, missing = [], {}, {}, []
    for name, (path, rewards) in SETS.items():
        if options.only and name not in options.only:
            continue
        for label, (reward, budget) in rewards.items():
            if "open_r1" in reward and "OPEN_R1_SRC" not in os.environ:
                missing.append(label)
                continue
            report = attacked(data / path, reward, options.budget or budget, cached=options.cached)
            if report is None:
                missing.append(f"{label} on {name}")
                continue
            summary, shares = rows_of(name, label, report)
            summaries.append(summary)
            columns[f"{name}: {label}"] = shares
            attacks |= dict.fromkeys(shares)
            print(*summary, flush=True)
    text = table(("set", "reward", "gold answers paid", "best constant", "floor", "seconds"), summaries) + "\n"
    for title, wanted in (("Answers", False), ("Programs", True)):
        names = [n for n in columns if (n.split(":")[0] in {"MBPP", "LeetCodeDataset", "CodeContests"}) == wanted]
        listed = [a for a in sorted(attacks) if any(a in columns[n] for n in names)]
        body = [[f"`{a}`", *(columns[n].get(a, "-") for n in names)] for a in listed]
        if names:
            text += f"\n{title}: share of rows paid above the base rate.\n\n" + table(("attack", *names), body) + "\n"
    note = f"Seed 0, {today()}, {machine()}." + (f" Not run here: {', '.join(missing)}." if missing else "")
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{note}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
