"""Mutants of accepted references: what `code` says of each, beside a plain oracle. Each difference is listed.

    python benchmarks/code_mutants.py [--data DIR] [--each N] [--sandbox docker]

The oracle of LeetCode, HumanEval and MBPP rows is the data set's own way: program, then its asserts, in one process. That of stdin
rows is the words that the program prints. Both run in the sandbox; neither uses anything of our judge.
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _common import load_average, machine, table, today
from code_agreement import DATA, fenced
from code_references import code_contests, humaneval, leetcode, mbpp, taco

from rewardkit import Sample
from rewardkit.code.shared import describe, shared_sandbox, use_sandbox
from rewardkit.rewards.code import Code
from sandboxes.base import Job, Limits, Sandbox

LIMITS = Limits(cpu_s=2.0)
SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
HELPERS = """
def list_node(values):
    head = None
    for value in reversed(values):
        head = ListNode(value, head)
    return head

def tree_node(values):
    if not values: return None
    root, rest = TreeNode(values[0]), iter(values[1:])
    row = deque([root])
    while row:
        node = row.popleft()
        for side in ("left", "right"):
            value = next(rest, None)
            if value is not None:
                setattr(node, side, TreeNode(value))
                row.append(getattr(node, side))
    return root

def is_same_list(one, other):
    while one and other and one.val == other.val: one, other = one.next, other.next
    return one is None and other is None

def is_same_tree(one, other):
    if not one or not other: return one is other
    return one.val == other.val and is_same_tree(one.left, other.left) and is_same_tree(one.right, other.right)
"""


def mutants(source: str, count: int, rng: random.Random) -> Iterator[str]:
    """Programs that differ from the source in one operator or one number."""
    tree = ast.parse(source)
    places = [index for index, node in enumerate(ast.walk(tree)) if _swap(node) is not None]
    for place in rng.sample(places, min(count, len(places))):
        other = copy.deepcopy(tree)
        change = _swap(list(ast.walk(other))[place])
        assert change is not None
        node, field, value = change
        setattr(node, field, value)
        yield ast.unparse(ast.fix_missing_locations(other))


def _swap(node: ast.AST) -> tuple[ast.AST, str, Any] | None:
    match node:
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op) if type(op) in SWAPS:
            return node, "op", SWAPS[type(op)]()
        case ast.Compare(ops=[op]) if type(op) in SWAPS:
            return node, "ops", [SWAPS[type(op)]()]
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return node, "value", value + 1
        case _:
            return None


def leetcode_oracle(sandbox: Sandbox, row: dict[str, Any], program: str) -> bool:
    word = "every assert held"
    script = f"{row['prompt']}\n{program}\n{HELPERS}\n{row['test']}\ncheck({row['entry_point']})\nprint({word!r})\n"
    (run,) = sandbox.run([Job(program=script, limits=LIMITS.model_copy(update={"cpu_s": 10.0}))])
    return run.finished and run.stdout_text.endswith(f"{word}\n")


def script_oracle(sandbox: Sandbox, row: dict[str, Any], program: str) -> bool:
    """The tests of HumanEval and MBPP behind the program, in one process."""
    if "entry_point" in row:
        script = f"{row['prompt']}\n    pass\n{program}\n{row['test']}\ncheck({row['entry_point']})"
    else:
        script = "\n".join(
            [program, row.get("test_setup_code") or "", *row["test_list"], *row.get("challenge_test_list", ())]
        )
    word = "every assert held"
    (run,) = sandbox.run([Job(program=f"{script}\nprint({word!r})\n", limits=LIMITS)])
    return run.finished and run.stdout_text.endswith(f"{word}\n")


def stdin_oracle(sandbox: Sandbox, row: dict[str, Any], program: str) -> bool:
    tests = row.get("tests") or row
    tests = ast.literal_eval(tests) if isinstance(tests, str) else tests
    runs = sandbox.run([Job(program=program, stdin=given, limits=LIMITS) for given in tests["inputs"]])
    pairs = zip(runs, tests["outputs"], strict=True)
    return all(run.finished and run.stdout_text.split() == expected.split() for run, expected in pairs)


def whole(row: dict[str, Any]) -> str:
    """The reference as a program."""
    found = row["reference"] if isinstance(row["reference"], str) else row["reference"][0]
    return f"{row['prompt']}{found}" if row.get("task_id", "").__str__().startswith("HumanEval") else found


def mutated(rows: list[dict[str, Any]], count: int, rng: random.Random) -> list[tuple[dict[str, Any], str]]:
    """Rows that have a reference, each with mutants of it: so many in all."""
    found = [row for row in rows if row.get("reference") and not row.get("special_judge") and parses(whole(row))]
    rng.shuffle(found)
    each = max(2, -(-count // len(found)))
    return [(row, program) for row in found for program in mutants(whole(row), each, rng)][:count]


SETS = {
    "leetcode": (leetcode, leetcode_oracle),
    "humaneval": (humaneval, script_oracle),
    "mbpp": (mbpp, script_oracle),
    "taco": (taco, stdin_oracle),
    "code_contests": (code_contests, stdin_oracle),
}


def verdicts(name: str, each: int, sandbox: Sandbox, data: Path) -> Counter[str]:
    """What `code` says of a set's mutants, and whether the oracle calls them right: `accepted wrong` and so on. Differences are printed."""
    rows, oracle = SETS[name]
    made = mutated(list(rows(data)), each, random.Random(20261123))
    truth = [{key: value for key, value in row.items() if key != "reference"} for row, _ in made]
    samples = [Sample(completion=fenced(text), ground_truth=rest) for rest, (_, text) in zip(truth, made, strict=True)]
    count: Counter[str] = Counter()
    for (row, program), score in zip(made, Code(cpu_s=LIMITS.cpu_s).score(samples), strict=True):
        right = oracle(sandbox, row, program)
        said = "unjudged" if score.value is None else "accepted" if score.value == 1.0 else "refused"
        count[f"{said} {'right' if right else 'wrong'}"] += 1
        if said == "unjudged" or (said == "accepted") != right:
            where = row.get("id") or row.get("task_id")
            print(f"{name} {where}: ours {said}, oracle {right}: {score.reason[:200]}", flush=True)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--each", type=int, default=250, help="Mutants of each set.")
    parser.add_argument("--sandbox", default="docker")
    options = parser.parse_args()
    sandbox = shared_sandbox(options.sandbox)
    lines: list[list[object]] = []
    with use_sandbox(sandbox):
        for name in SETS:
            count = verdicts(name, options.each, sandbox, options.data)
            cells = (count["accepted right"], count["refused wrong"], count["accepted wrong"], count["refused right"])
            lines.append([name, count.total(), *cells, count["unjudged right"] + count["unjudged wrong"]])
    print(f"\n{today()}, {machine()}, load {load_average()}, {describe(sandbox)}\n")
    head = ["set", "mutants", "both accept", "both refuse", "accepted wrongly", "refused wrongly", "unjudged"]
    print(table(head, lines))


def parses(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


if __name__ == "__main__":
    main()
