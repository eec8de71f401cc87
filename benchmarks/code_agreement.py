"""How far our verdicts agree with labels that others gave to real programs. Each difference is listed with its reason.

    python benchmarks/code_agreement.py [--data DIR] [--only PART] [--sandbox docker] [--out FILE]

Parts: leetcode (accepted reference solutions), humaneval and mbpp (canonical solutions), completions (model programs with
pass/fail labels), taco (reference programs on the samples in their prompts), code_contests (the same references on
CodeContests' own tests, where both data sets hold the problem).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
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


def leetcode(data: Path) -> Iterator[Part]:
    for name in ("leetcode_v0.3.1_test", "leetcode_v0.2.0_train"):
        part = Part(name)
        for row in read(data / "leetcode_dataset" / f"{name}.jsonl.gz"):
            truth = {key: row[key] for key in ("prompt", "entry_point", "test")}
            part.add(row["task_id"], fenced(row["completion"]), truth, True)
        yield part


def humaneval(data: Path) -> Iterator[Part]:
    part = Part("humaneval references")
    for row in read(data / "humaneval" / "HumanEval.jsonl.gz"):
        part.add(row["task_id"], row["canonical_solution"], row, True)
    yield part


def mbpp(data: Path) -> Iterator[Part]:
    part = Part("mbpp references")
    for row in read(data / "mbpp" / "mbpp.jsonl.gz"):
        part.add(f"MBPP/{row['task_id']}", fenced(row["code"]), row, True)
    yield part


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


def taco(data: Path) -> Iterator[Part]:
    flags = {row["idx"]: row["special_judge"] for row in read(data / "taco" / "taco_test_special_judge.jsonl.gz")}
    part = Part("taco references on the prompts' samples")
    for row in read(data / "taco" / "taco_test_prompts_solutions.jsonl.gz"):
        truth = samples_in(row["prompt"])
        if truth and "Standard Input" in row["prompt"]:
            truth["special_judge"] = bool(flags.get(row["task_id"]))
            part.add(f"taco/{row['task_id']}", fenced(row["output"][0]), truth, True)
    yield part


def code_contests(data: Path) -> Iterator[Part]:
    references = {key(row["prompt"]): row for row in read(data / "taco" / "taco_test_prompts_solutions.jsonl.gz")}
    part = Part("code_contests tests, taco references", cpu_s=10.0)
    for index, row in enumerate(read(data / "code_contests" / "code_contests_test.jsonl.gz")):
        found = references.get(key(row["problem"]))
        if found:
            part.add(f"code_contests/{index} = taco/{found['task_id']}", fenced(found["output"][0]), row["tests"], True)
    yield part


SECTION = re.compile(
    r"^[-\s]*(?:sample\s+)?(input|output|note|explanation|constraints|use standard input|scoring)\b[ \t]*(?:format|for.*)?[ \t]*\d*[ \t]*:?[ \t]*-*[ \t]*$",
    re.IGNORECASE,
)
START = re.compile(r"^[-\s]*(?:examples?\b|sample input|sample test).*$", re.IGNORECASE | re.MULTILINE)


def samples_in(prompt: str) -> dict[str, list[str]] | None:
    """The sample inputs and outputs that a TACO prompt quotes after its text; None where they cannot be told apart."""
    body = prompt.partition("QUESTION:")[2].rpartition("Use Standard Input")[0]
    start = START.search(body)
    if start is None:
        return None
    rest = body[start.start() :] if "sample" in start[0].lower() else body[start.end() :]
    blocks: list[tuple[str, list[str]]] = []
    for line in rest.splitlines():
        header = SECTION.match(line)
        if header:
            blocks.append((header[1].lower(), []))
        elif blocks:
            blocks[-1][1].append(line)
    inputs = [joined(lines) + "\n" for name, lines in blocks if name == "input"]
    outputs = [joined(lines) for name, lines in blocks if name == "output"]
    if not inputs or len(inputs) != len(outputs) or not all(text.strip() for text in (*inputs, *outputs)):
        return None
    return {"inputs": inputs, "outputs": outputs}


def joined(lines: list[str]) -> str:
    """The lines of a sample. Some prompts put an empty line after each line: those are not part of it."""
    text = "\n".join(lines).strip("\n")
    doubled = text.split("\n")
    return "\n".join(doubled[::2]) if len(doubled) > 2 and not any(line.strip() for line in doubled[1::2]) else text


def key(text: str) -> str:
    return "".join(re.findall(r"[a-z0-9]+", text.replace("QUESTION:", "").lower()))[:160]


PARTS = {"leetcode": leetcode, "humaneval": humaneval, "mbpp": mbpp, "completions": completions, "taco": taco, "code_contests": code_contests}  # fmt: skip


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
    parser.add_argument("--only", choices=sorted(PARTS), action="append")
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    sandbox = shared_sandbox(options.sandbox, workers=options.workers)
    results = []
    with use_sandbox(sandbox):
        for name in options.only or PARTS:
            for part in PARTS[name](options.data):
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
