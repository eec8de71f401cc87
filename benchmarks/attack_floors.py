"""Attack every registered reward that judges text, and hold the floors in tests/cases/attack_floors.json.

python -m benchmarks.attack_floors --check      exit 1 where a floor or a leak is higher than the file says (CI)
python -m benchmarks.attack_floors --write      write the file anew, after a reward was changed on purpose

The rows are questions with a number each, none common and none in the prompt; where a reward takes another kind of ground truth, so that
the honest control fails on them, its own golden rows (tests/cases/rewards) without their completions.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from benchmarks._common import ROOT
from rewardkit import Reward, Sample, load, registry
from rewardkit.attack import run
from rewardkit.base import walk

CASES = ROOT / "tests" / "cases" / "rewards"
GOLDEN = ROOT / "tests" / "cases" / "attack_floors.json"
BUDGET = 480
NUMBERS = tuple(
    Sample(id=str(k), prompt=f"What does row {chr(97 + k)} hold?", ground_truth=str(1009 + 37 * k), data_source="math")
    for k in range(24)
)
TOLERANCE = 1e-6


def targets() -> dict[str, tuple[Reward, list[Sample]]]:
    """Each registered reward that needs no service, as its golden rows name it first, with the prompts of those rows."""
    found: dict[str, tuple[Reward, list[Sample]]] = {}
    for name in registry.names():
        path = CASES / f"{name}.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
        rewards = [load(row["reward"]) for row in rows]
        usable = [
            reward
            for reward in rewards
            if not any(need in {"sandbox", "server"} for r in walk(reward) for need in r.needs)
        ]
        if usable:
            samples = [
                _prompt_of(row["sample"]) for row, reward in zip(rows, rewards, strict=True) if reward == usable[0]
            ]
            found[name] = (usable[0], samples)
    return found


def _prompt_of(row: dict[str, Any]) -> Sample:
    kept = ("prompt", "ground_truth", "data_source", "extra_info", "group")
    prompt = row.get("prompt") or "What does this row hold?"
    return Sample(**{**{name: row[name] for name in kept if name in row}, "prompt": prompt})


def measure() -> dict[str, dict[str, Any]]:
    """Floor, gold value and largest leak of each reward."""
    measured: dict[str, dict[str, Any]] = {}
    for name, (reward, samples) in targets().items():
        report = run(reward, NUMBERS, seed=0, budget=BUDGET)
        on_numbers = report.sound and report.floor.value is not None
        if not on_numbers:
            report = run(reward, samples, seed=0, budget=BUDGET)
        measured[name] = {
            "reward": reward.text,
            "rows": "numbers" if on_numbers else "golden rows",
            "floor": _round(report.floor.value),
            "gold": _round(report.floor.gold),
            "leak": _round(report.worst),
            "by": report.floor.recipe,
        }
    return measured


def higher(golden: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """What is worse now than the file says; a reward that the file lacks is one of them."""
    return [
        f"{name}: {key} is {row[key]}, the golden file says {golden.get(name, {}).get(key, 'nothing')}"
        for name, row in found.items()
        for key in ("floor", "leak")
        if name not in golden or (row[key] if row[key] is not None else -1e9) > (
            golden[name][key] if golden[name][key] is not None else -1e9) + TOLERANCE
    ]  # fmt: skip


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def main() -> int:
    """Check or write the golden file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    began = time.time()
    found = measure()
    golden = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.is_file() else {}
    worse = higher(golden, found)
    for line in worse:
        print(line)
    print(f"{len(found)} rewards attacked in {time.time() - began:.0f} s, {len(worse)} higher than stated")
    if options.write:
        GOLDEN.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(bool(worse) and options.check)


if __name__ == "__main__":
    sys.exit(main())
