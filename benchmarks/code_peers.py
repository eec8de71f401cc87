"""The same references, mutants and hacks judged by `code` in Docker and by peers that isolate nothing: verdicts and seconds.

    python benchmarks/code_peers.py --peers PYTHON [--livecodebench DIR] [--each 100] [--workers 2] [--data DIR]

PYTHON is an interpreter with `pip install --no-deps verl==0.9.1 evalplus` and `numpy psutil sortedcontainers tqdm` and what they import;
DIR a checkout of LiveCodeBench/LiveCodeBench (neither is part of this repository). Peers run in a bubblewrap of their own, without
network and with a read-only root, as they run programs in plain processes. The truth is that of `code_mutants.py`: each set's own way,
in the sandbox. Hacks are one program a row of calls: an object that is equal to everything.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from _common import load_average, machine, table, today
from code_agreement import DATA, fenced
from code_mutants import SETS, mutated, parses, whole
from code_speed import Peer, Round, as_calls, our_round

from rewardkit import Sample
from rewardkit.code.formats import read_problem
from rewardkit.code.shared import describe, shared_sandbox, use_sandbox
from rewardkit.rewards.code import Code
from sandboxes.base import Sandbox

PEERS = {"evalplus": "evalplus 0.3.1", "prime_code": "verl 0.9.1 `prime_code`", "livecodebench": "LiveCodeBench `testing_util`"}  # fmt: skip
BOX = (
    *("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent"),
    *("--setenv", "TMPDIR", "/dev/shm", "--chdir", "/dev/shm"),
)
EQUAL = """
class Yes(int):
    __eq__ = __le__ = __ge__ = lambda self, other: True
    __ne__ = __lt__ = __gt__ = lambda self, other: False
    __hash__ = int.__hash__
"""
"""What a hack returns."""


def cases(name: str, each: int, sandbox: Sandbox, data: Path) -> list[dict[str, Any]]:
    """Programs of one set with the truth about each, as all judges take them; only rows that can be given to peers."""
    rows, oracle = SETS[name]
    rng = random.Random(20261123)
    found = [row for row in rows(data) if row.get("reference") and not row.get("special_judge") and parses(whole(row))]
    given: list[dict[str, Any]] = []
    for row in found:
        truth = {key: value for key, value in row.items() if key != "reference"}
        problem = read_problem(truth, truth)
        calls = as_calls(problem) if problem.call_tests else None
        if calls or problem.stdin_tests:
            given.append({"row": row, "truth": truth, "problem": problem, "calls": calls})
    rng.shuffle(given)
    made: list[dict[str, Any]] = []
    by_id = {id(item["row"]): item for item in given}
    references = [(item["row"], whole(item["row"]), "reference") for item in given[:each]]
    changed = [(row, program, "mutant") for row, program in mutated([item["row"] for item in given], each, rng)]
    hacks = [(item["row"], hack(item["problem"].entry_point), "hack") for item in given[:each] if item["calls"]]
    for row, program, kind in [*references, *changed, *hacks]:
        item = by_id[id(row)]
        problem = item["problem"]
        case = {
            "kind": kind,
            "right": kind != "hack" and oracle(sandbox, row, program),
            "truth": item["truth"],
            "completion": program,
            "program": f"{problem.prelude or row.get('prompt', '')}\n{program}" if name == "leetcode" else program,
        }
        if item["calls"]:
            entry = problem.entry_point.replace("Solution.", "Solution().")
            case |= {"entry_point": entry, "method": entry.rpartition(".")[2], "calls": item["calls"]}
        else:
            case |= {
                "inputs": [t.stdin for t in problem.stdin_tests],
                "outputs": [t.expected for t in problem.stdin_tests],
            }
        made.append(case)
    return made


def hack(entry: str) -> str:
    """A program whose every answer claims to be the expected one."""
    method = entry.replace("()", "").rpartition(".")[2]
    if "." in entry:
        return f"{EQUAL}class Solution:\n    def {method}(self, *args, **named): return Yes()\n"
    return f"{EQUAL}def {method}(*args, **named): return Yes()\n"


def cells(made: list[dict[str, Any]], found: Round) -> list[object]:
    """Counts of one judge on one set."""
    count: Counter[str] = Counter()
    for case, said in zip(made, found.verdicts, strict=True):
        outcome = "unjudged" if said is None else "accepted" if said else "refused"
        count[f"{case['kind']} {outcome} {'right' if case['right'] else 'wrong'}"] += 1
        count[f"{case['kind']} {'right' if case['right'] else 'wrong'}"] += 1
    return [
        f"{count['reference accepted right']}/{count['reference right']}",
        f"{count['mutant accepted right']}/{count['mutant right']}",
        f"{count['mutant accepted wrong'] + count['reference accepted wrong']}/{count['mutant wrong'] + count['reference wrong']}",
        f"{count['hack accepted wrong']}/{count['hack wrong']}" if count["hack wrong"] else "-",
        sum(verdict is None for verdict in found.verdicts),
        f"{found.wall_s:.1f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", required=True, help="Python with the peers installed")
    parser.add_argument("--livecodebench", default="", help="a checkout of LiveCodeBench/LiveCodeBench")
    parser.add_argument("--each", type=int, default=100, help="References, mutants and hacks of each set.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", choices=sorted(SETS), action="append")
    options = parser.parse_args()
    sandbox = shared_sandbox("docker", workers=options.workers)
    names = [name for name in PEERS if name != "livecodebench" or options.livecodebench]
    lines: list[list[object]] = []
    with use_sandbox(sandbox), tempfile.TemporaryDirectory() as folder:
        for name in options.only or SETS:
            made = cases(name, options.each, sandbox, options.data)
            samples = [Sample(completion=fenced(case["completion"]), ground_truth=case["truth"]) for case in made]
            file = Path(folder) / f"{name}.json"
            file.write_text(json.dumps([{**case, "truth": None} for case in made]), encoding="utf-8")
            rounds = {"`code`, Docker": our_round(Code(), samples, sandbox)}
            for peer in names:
                process = Peer(peer, options.peers, file, options.workers, options.livecodebench, box=BOX)
                rounds[PEERS[peer]] = process.round()
                process.close()
            for judge, found in rounds.items():
                lines.append([name, judge, *cells(made, found)])
                print(lines[-1], flush=True)
                for case, said in zip(made, found.verdicts, strict=True):
                    if judge.startswith("`code`") and said is not case["right"]:
                        print(f"    {case['kind']}: ours {said}, truth {case['right']}: {case['completion'][:200]!r}")
    print(f"\n{today()}, {machine()}, load {load_average()}, {options.workers} workers each, {describe(sandbox)}\n")
    head = ["set", "judge", "references accepted", "right mutants accepted", "wrong programs accepted", "hacks paid", "unjudged", "seconds"]  # fmt: skip
    print(table(head, lines))


if __name__ == "__main__":
    main()
