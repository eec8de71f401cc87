"""Every reference of every set against its own tests, by row kind, as `rewardkit check-tests` does it. Each rejection with its reason.

    python benchmarks/code_references.py [--data DIR] [--only SET] [--limit N] [--sandbox docker] [--out FILE]

TACO's shared rows have no tests: their references run on the samples that the prompts quote, and on CodeContests' tests
where both sets hold the problem. LiveCodeBench's rows have no references; how many of them are read is counted.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from _common import load_average, machine, table, today
from code_agreement import DATA, read

from rewardkit.check_tests import RowCheck, check_rows, totals
from rewardkit.code.formats import read_problem
from rewardkit.code.shared import describe, shared_sandbox, use_sandbox
from rewardkit.data.rows import Record
from rewardkit.errors import GroundTruthError
from rewardkit.rewards.code import Code


def leetcode(data: Path) -> Iterator[dict[str, Any]]:
    for name in ("leetcode_v0.3.1_test", "leetcode_v0.2.0_train"):
        for row in read(data / "leetcode_dataset" / f"{name}.jsonl.gz"):
            yield {
                **{key: row[key] for key in ("task_id", "prompt", "entry_point", "test")},
                "reference": row["completion"],
            }


def humaneval(data: Path) -> Iterator[dict[str, Any]]:
    for row in read(data / "humaneval" / "HumanEval.jsonl.gz"):
        yield {**row, "reference": row["canonical_solution"]}


def mbpp(data: Path) -> Iterator[dict[str, Any]]:
    for row in read(data / "mbpp" / "mbpp.jsonl.gz"):
        yield {**row, "reference": row["code"]}


def bigcodebench(data: Path) -> Iterator[dict[str, Any]]:
    for row in read(data / "bigcodebench" / "bigcodebench_hard.jsonl.gz"):
        yield {
            "test": row["tests"],
            "tests_in_process": True,
            "entry_point": "task_func",
            "prompt": row["problem"],
            "reference": row["solutions"],
        }


def livecodebench(data: Path) -> Iterator[dict[str, Any]]:
    for row in read(data / "livecodebench" / "livecodebench_public_tests.jsonl.gz"):
        yield {
            **row,
            "tests": ast.literal_eval(row["tests"]) if isinstance(row["tests"], str) else row["tests"],
            "reference": [],
        }


def taco(data: Path) -> Iterator[dict[str, Any]]:
    flags = {row["idx"]: row["special_judge"] for row in read(data / "taco" / "taco_test_special_judge.jsonl.gz")}
    for row in read(data / "taco" / "taco_test_prompts_solutions.jsonl.gz"):
        truth = samples_in(row["prompt"])
        if truth and "Standard Input" in row["prompt"]:
            flag = str(flags.get(row["task_id"])) == "True"
            yield {"id": f"taco/{row['task_id']}", **truth, "special_judge": flag, "reference": _references(row)}


def code_contests(data: Path) -> Iterator[dict[str, Any]]:
    references = {key(row["prompt"]): row for row in read(data / "taco" / "taco_test_prompts_solutions.jsonl.gz")}
    for index, row in enumerate(read(data / "code_contests" / "code_contests_test.jsonl.gz")):
        found = references.get(key(row["problem"]))
        if found:
            yield {"id": f"code_contests/{index}", "tests": row["tests"], "reference": _references(found)}


def _references(row: dict[str, Any]) -> list[str]:
    return ast.literal_eval(row["output"]) if isinstance(row["output"], str) else row["output"]


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


SETS = {"leetcode": leetcode, "humaneval": humaneval, "mbpp": mbpp, "taco": taco, "code_contests": code_contests, "bigcodebench": bigcodebench}  # fmt: skip
COLUMNS = ("rows", "sound", "rejected", "disagree", "unjudged")


def counted(data: Path) -> list[list[object]]:
    """LiveCodeBench has no references here: how many of its rows are read, by kind."""
    kinds: Counter[str] = Counter()
    for row in livecodebench(data):
        try:
            problem = read_problem(row)
        except GroundTruthError as error:
            kinds[f"not read: {str(error)[:60]}"] += 1
        else:
            kinds["stdin" if problem.stdin_tests else "calls"] += 1
    return [["livecodebench", f"{kind} (read only)", count, "-", "-", "-", "-", "-"] for kind, count in kinds.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", choices=sorted(SETS), action="append")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    sandbox = shared_sandbox(options.sandbox)
    lines: list[list[object]] = []
    found: dict[str, list[RowCheck]] = {}
    with use_sandbox(sandbox):
        for name in options.only or SETS:
            rows = (
                Record(name, name, index, row)
                for index, row in enumerate(islice(SETS[name](options.data), options.limit))
            )
            start = time.perf_counter()
            checks = found[name] = [check for check, _ in check_rows(rows, "reference", reward=Code(cpu_s=10.0))]
            rate = len(checks) / (time.perf_counter() - start)
            lines += [
                [name, kind, *(count[at] for at in COLUMNS), f"{rate:.1f}"] for kind, count in totals(checks).items()
            ]
            for check in checks:
                if check.finding != "sound":
                    print(f"{check.where}: {check.finding}: {check.reason[:240]}", flush=True)
    if not options.only:
        lines += counted(options.data)
    print(f"\n{today()}, {machine()}, load {load_average()}, {describe(sandbox)}\n")
    print(table(["set", "row kind", *COLUMNS, "rows/s"], lines))
    if options.out:
        options.out.write_text(
            json.dumps({name: [vars(check) for check in checks] for name, checks in found.items()}, indent=1)
        )


if __name__ == "__main__":
    main()
