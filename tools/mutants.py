"""Change random places of rewardkit/math, one at a time, and count how many changes the tests notice.

python tools/math_mutants.py [--places 100] [--seed 16] [--workers 2] [--out survivors.txt]

A change flips a comparison, a condition, "and" and "or", a sign, a number or a truth value, or makes a function return None.
Each changed copy runs the tests of the math verifier until the first one fails. Changes that cannot alter any result (a type
alias, a bound that no text reaches) count as missed.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from random import Random

ROOT = Path(__file__).resolve().parents[1]
COPIED = (
    "rewardkit",
    "sandboxes",
    "harness",
    "trainers",
    "tests",
    "docs",
    "benchmarks",
    "conftest.py",
    "pyproject.toml",
    "README.md",
)
TESTS = (
    "tests/rewardkit/math/test_corpus.py",
    "tests/rewardkit/math",
    "tests/rewardkit/rewards/test_real_completions.py",
)
LIMIT_S = 300
"""A run that takes longer has noticed the change, too: the tests would hang."""

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_SIGNS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv}


@dataclass(frozen=True)
class Place:
    """One change: the number of the node in its file, and what is done to it."""

    path: str
    node: int
    line: int
    change: str


def changes(node: ast.AST) -> Iterator[str]:
    """What can be changed at a node."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARISONS:
            yield "comparison"
        case ast.BoolOp():
            yield "and/or"
        case ast.UnaryOp(op=ast.Not()):
            yield "not"
        case ast.If() | ast.IfExp() | ast.While():
            yield "condition"
        case ast.BinOp(op=op) if type(op) in _SIGNS:
            yield "sign"
        case ast.Constant(value=bool()):
            yield "truth"
        case ast.Constant(value=int()):
            yield "number"
        case ast.Return(value=value) if value is not None and not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            yield "return"
        case _:
            pass


def places() -> list[Place]:
    """Every change in the package."""
    found: list[Place] = []
    for path in sorted((ROOT / "rewardkit" / "math").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        ignored = {id(inner) for node in ast.walk(tree) for part in _annotations(node) for inner in ast.walk(part)}
        for number, node in enumerate(ast.walk(tree)):
            if id(node) not in ignored:
                name = str(path.relative_to(ROOT))
                found += [Place(name, number, getattr(node, "lineno", 0), change) for change in changes(node)]
    return found


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    for name in ("annotation", "returns"):
        part = getattr(node, name, None)
        if isinstance(part, ast.AST):
            yield part


def changed(place: Place) -> tuple[str, str]:
    """The source with the change, and the change in words."""
    tree = ast.parse((ROOT / place.path).read_text(encoding="utf-8"))
    node = list(ast.walk(tree))[place.node]
    before = ast.unparse(node).split("\n")[0]
    match node:
        case ast.Compare():
            node.ops = [_COMPARISONS[type(node.ops[0])]()]
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp():
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.BinOp():
            node.op = _SIGNS[type(node.op)]()
        case ast.Constant():
            node.value = not node.value if isinstance(node.value, bool) else int(str(node.value)) + 1
        case ast.Return():
            node.value = ast.Constant(None)
        case _:
            pass
    ast.fix_missing_locations(tree)
    source = ast.unparse(tree)
    return source, f"{before} -> {ast.unparse(node).split(chr(10))[0]}"


def workplace() -> Path:
    """A copy of the repository in which one change at a time is made."""
    folder = Path(tempfile.mkdtemp(prefix="math-mutants-"))
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif (ROOT / name).exists():
            shutil.copy(ROOT / name, folder / name)
    return folder


def noticed(place: Place, folder: Path) -> tuple[bool, str]:
    """Whether a test fails with the change."""
    source, words = changed(place)
    target = folder / place.path
    kept = target.read_text(encoding="utf-8")
    target.write_text(source, encoding="utf-8")
    try:
        return not passes(folder), words
    finally:
        target.write_text(kept, encoding="utf-8")


def passes(folder: Path) -> bool:
    """Whether the tests pass in a copy."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", *TESTS]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=LIMIT_S, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--places", type=int, default=100)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help="write the changes that no test noticed")
    args = parser.parse_args()
    everything = places()
    chosen = Random(args.seed).sample(everything, min(args.places, len(everything)))
    folders: Queue[Path] = Queue()
    made = [workplace() for _ in range(args.workers)]
    for folder in made:
        folders.put(folder)
    if not passes(made[0]):
        raise SystemExit("the tests fail without any change: mend them first")

    def run(place: Place) -> tuple[bool, str]:
        folder = folders.get()
        try:
            return noticed(place, folder)
        finally:
            folders.put(folder)

    survivors: list[str] = []
    try:
        with ThreadPoolExecutor(args.workers) as pool:
            for place, (caught, words) in zip(chosen, pool.map(run, chosen), strict=True):
                if not caught:
                    survivors.append(f"{place.path}:{place.line} {place.change}: {words}")
                    print("missed", survivors[-1], flush=True)
    finally:
        for folder in made:
            shutil.rmtree(folder)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} changes noticed, out of {len(everything)} possible ones")
    if args.out:
        args.out.write_text("".join(line + "\n" for line in survivors), encoding="utf-8")


if __name__ == "__main__":
    main()
