"""Change random places of the packages, one at a time, and count how many changes the tests notice.

python tools/mutants.py [FOLDER_OR_FILE ...] [--places 100] [--seed 16] [--workers 2] [--out survivors.txt]

A change flips a comparison, a condition, "and" and "or", a sign, a number or a truth value, or makes a function return None.
Each changed copy runs the tests of the changed file, then those of its folder, until the first one fails. Changes that cannot alter
any result (a type alias, a bound that nothing reaches) count as missed. What runs in sandboxes or workers alone is left out.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from random import Random

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("rewardkit", "sandboxes", "harness", "trainers")
LEFT_OUT = (
    "rewardkit/code/remote/",
    "sandboxes/agent/",
    "sandboxes/backends/docker",
    "rewardkit/ray/",
    "trainers/recipes/",
    "trainers/learn/",
)
"""Tested by what needs Docker, Ray or a trainer."""
TESTS_OF_MATH = (
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


def places(targets: Sequence[str]) -> list[Place]:
    """Every change in these folders and files."""
    found: list[Place] = []
    files = {
        path
        for target in targets
        for path in ([ROOT / target] if target.endswith(".py") else (ROOT / target).rglob("*.py"))
    }
    for path in sorted(files):
        if str(path.relative_to(ROOT)).startswith(LEFT_OUT):
            continue
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
    folder = Path(tempfile.mkdtemp(prefix="mutants-"))
    for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def tests_of(path: str) -> tuple[str, ...]:
    """The tests to run: the file's own, then those of its folder."""
    if path.startswith("rewardkit/math/"):
        return TESTS_OF_MATH
    file = Path(path)
    folder = "tests" / file.parent
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    own = folder / f"test_{file.stem.strip('_')}.py"
    rest = sorted(
        str(found.relative_to(ROOT)) for found in (ROOT / folder).glob("test_*.py") if "ray" not in found.stem
    )
    if len(folder.parts) == 2:  # a file of the package itself: the tests of the commands and the rewards know it
        rest += [str(f) for name in ("cli", "rewards", "store") if (ROOT / (f := folder / name)).is_dir()]
    return (*([str(own)] if (ROOT / own).is_file() else []), *rest)


def noticed(place: Place, folder: Path) -> tuple[bool, str]:
    """Whether a test fails with the change, and not without it."""
    source, words = changed(place)
    target = folder / place.path
    kept = target.read_text(encoding="utf-8")
    target.write_text(source, encoding="utf-8")
    try:
        failed = failure(folder, tests_of(place.path))
    finally:
        target.write_text(kept, encoding="utf-8")
    if failed and "::" in failed and failure(folder, [failed]):
        return False, f"{words} (not known: {failed} fails without any change)"
    return bool(failed), words


def failure(folder: Path, tests: Sequence[str]) -> str:
    """The first test that fails in a copy; a word where there is no name, nothing where all pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", *tests]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(folder)}
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        return "time"
    if done.returncode == 0:
        return ""
    found = re.search(r"^(?:FAILED|ERROR) (\S+::\S+?)(?: - |$)", done.stdout, re.MULTILINE)
    return found[1] if found else "collection"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*", default=PACKAGES, help="folders and files, relative to the repository")
    parser.add_argument("--places", type=int, default=100)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help="write the changes that no test noticed")
    args = parser.parse_args()
    everything = places(args.targets)
    chosen = Random(args.seed).sample(everything, min(args.places, len(everything)))
    folders: Queue[Path] = Queue()
    made = [workplace() for _ in range(args.workers)]
    for folder in made:
        folders.put(folder)

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
