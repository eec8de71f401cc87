"""How often each check of the audit names a row of honest completions, and of planted ones.

    python benchmarks/audit_honest.py --data ../shared/data

Honest means: sampled from models that were never trained against our rewards. Writes a Markdown table to stdout.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from rewardkit import Sample, SampleReward, Score, load
from rewardkit.audit import CHECKS, Facts, collect, run_checks
from rewardkit.rows import Columns, RowReader

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Recorded(SampleReward):
    """The verdict that the data carries."""

    name: ClassVar[str] = "recorded"

    def grade(self, sample: Sample) -> Score:
        return Score.of(bool(sample.extra_info["right"]), answer="a program")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    data = options.parse_args().data
    sets = {
        "SkyThought, 7 models": list(math_rows(sorted((data / "completions_skythought").glob("skythought__*.gz")))),
        "Qwen2.5-Math, 53 prompts x 8": list(
            math_rows([data / "completions_qwen_math" / "qwen_math_cot_100x8.jsonl.gz"])
        ),
        "GSM8K, 4 systems of OpenAI": list(
            gsm8k_rows(data / "completions_gsm8k_openai" / "gsm8k_openai_175b_6b.jsonl.gz")
        ),
        "HumanEval and MBPP programs": list(code_rows(sorted((data / "completions_code").glob("*.gz")))),
    }
    print("| check | " + " | ".join(f"{name} ({len(rows):,})" for name, rows in sets.items()) + " | planted, found |")
    print("|---|" + "--:|" * (len(sets) + 1))
    findings = {name: {finding.check: finding for finding in run_checks(rows)} for name, rows in sets.items()}
    for check in CHECKS:
        found = [findings[name][check.__name__] for name in sets]
        cells = [f"{f.count}/{f.of} ({f.share:.2%}){' !' if f.alarm else ''}" for f in found]
        print(f"| {check.__name__} | " + " | ".join(cells) + f" | {planted(check.__name__)} |")


def math_rows(paths: list[Path]) -> Iterator[Facts]:
    columns = Columns(completion="code", ground_truth="gt")
    return collect(RowReader([str(path) for path in paths], columns), load("math"), None)


def gsm8k_rows(path: Path) -> Iterator[Facts]:
    rows = []
    for row in read(path):
        truth = row["ground_truth"].rsplit("A:", 1)[-1].strip()
        for system in ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"):
            rows.append(
                {
                    "completion": row[system]["solution"],
                    "ground_truth": truth,
                    "prompt": row["question"],
                    "data_source": system,
                }
            )
    return from_rows(rows, "gsm8k")


def code_rows(paths: list[Path]) -> Iterator[Facts]:
    rows = []
    for path in paths:
        for row in read(path) if not path.name.startswith("pot__") else ():
            completion = f"```python\n{row.get('solution') or ''}\n```"
            truth = {"test": row.get("test"), "entry_point": row.get("entry_point")}
            rows.append(
                {
                    "completion": completion,
                    "ground_truth": truth,
                    "prompt": row.get("prompt"),
                    "extra_info": {"right": row.get("is_solved")},
                }
            )
    return from_rows(rows, None)


def read(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def from_rows(rows: list[dict[str, Any]], reward: str | None) -> Iterator[Facts]:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
        file.flush()
        yield from collect(RowReader([file.name]), Recorded() if reward is None else load(reward), None)


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
