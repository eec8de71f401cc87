"""How far our verdicts agree with labels that others gave to real model programs. Each difference is listed with its reason.

    python benchmarks/code_agreement.py [--data DIR] [--sandbox docker] [--out FILE]

References of the sets are judged by `code_references.py`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rewardkit import Sample
from rewardkit.code.shared import describe, shared_sandbox, use_sandbox
from rewardkit.rewards.code import Code

DATA = Path(os.environ.get("REWARDKIT_DATA", Path(__file__).parents[2] / "shared" / "data"))


@dataclass
class Part:
    """Samples with labels, and how our verdicts fit them."""

    name: str
    samples: list[Sample] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    cpu_s: float = 5.0

    def add(self, name: str, completion: str, truth: Any, label: bool) -> None:
        self.samples.append(Sample(completion=completion, ground_truth=truth, id=name))
        self.labels.append(label)


def read(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def fenced(program: str) -> str:
    return f"````python\n{program}\n````"


def completions(data: Path) -> Iterator[Part]:
    for path in sorted((data / "completions_code").glob("*.jsonl.gz")):
        if path.name.startswith("pot__"):
            continue  # programs that print an answer: not judged by tests
        part = Part(path.name.removesuffix(".jsonl.gz"))
        for row in read(path):
            program = row["solution"] or ""
            if f"def {row['entry_point']}" not in program:
                program = row["prompt"] + program
            truth = {key: row[key] for key in ("prompt", "entry_point", "test")}
            part.add(row.get("task_id") or row["name"], fenced(program), truth, bool(row["is_solved"]))
        yield part


def judge(part: Part) -> dict[str, Any]:
    start = time.perf_counter()
    scores = Code(cpu_s=part.cpu_s).score(part.samples)
    wall_s = time.perf_counter() - start
    differences = [
        {"id": sample.id, "label": label, "verdict": score.verdict.value, "reason": score.reason}
        for sample, label, score in zip(part.samples, part.labels, scores, strict=True)
        if score.value is None or (score.value == 1.0) != label
    ]
    agree = len(scores) - len(differences)
    return {
        "part": part.name,
        "programs": len(scores),
        "agree": agree,
        "share": round(agree / max(1, len(scores)), 4),
        "labelled_pass": sum(part.labels),
        "verdicts": dict(Counter(score.verdict.value for score in scores)),
        "rows_per_s": round(len(scores) / wall_s, 1),
        "unjudged": sum(score.value is None for score in scores),
        "differences": differences,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    sandbox = shared_sandbox(options.sandbox, workers=options.workers)
    results = []
    with use_sandbox(sandbox):
        for part in completions(options.data):
            if not part.samples:
                continue
            result = judge(part)
            results.append(result)
            print(
                f"{result['part']}: {result['agree']} of {result['programs']} agree ({result['share']:.2%}), {result['rows_per_s']} rows/s"
            )
            for line in result["differences"]:
                print(
                    f"    {line['id']}: labelled {'pass' if line['label'] else 'fail'}, {line['verdict']}: {line['reason'][:200]}"
                )
            sys.stdout.flush()
    if options.out:
        options.out.write_text(
            json.dumps({"sandbox": describe(sandbox), "results": results}, indent=1), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
