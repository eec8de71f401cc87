"""Change random places of the code, one at a time, and count how many changes the default tests notice.

python tools/mutants.py [rewardkit/math rewardkit/stats.py ...] [--without rewardkit/math] [--places 100] [--seed 16] [--workers 2] [--map FOLDER] [--out FILE]

A change flips a comparison, a condition, "and" and "or", a sign, a number or a truth value, or makes a function return None.
Each changed copy runs the tests that reach the changed line (found once, with coverage), then those of the folder with the same name,
until the first one fails. For a line that runs at import: the tests that reach its file, those that read declarations, then all of its package.
Changes that cannot alter any result (a type alias, a bound that no text reaches) count as missed.
"""

from __future__ import annotations

import argparse
import ast
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import Queue
from random import Random

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.mutant_tests import Reached, Tests, map_tests  # noqa: E402

PACKAGES = ("rewardkit", "harness", "sandboxes", "trainers")
MOST_TESTS = 150
"""So many of the tests that reach a line are run: those that reach the fewest lines."""
MOST_S = 60.0
"""And as many as took so long together when they were found, under coverage."""
READERS = ("tests/test_site.py", "tests/tools/test_house_numbers.py", "tests/rewardkit/test_contract.py")
"""Tests that read sources and declarations, which no line of a function shows."""
LIMIT_S = 900
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


def places(folders: Sequence[str] = PACKAGES, without: Sequence[str] = ()) -> list[Place]:
    """Every change in these folders."""
    found: list[Place] = []
    left_out = [ROOT / name for name in without]
    roots = [ROOT / name for name in folders]
    for path in sorted(path for root in roots for path in ([root] if root.is_file() else root.rglob("*.py"))):
        if any(path.is_relative_to(folder) for folder in left_out):
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


def changed(place: Place, root: Path = ROOT) -> tuple[str, str]:
    """The source with the change, and the change in words."""
    tree = ast.parse((root / place.path).read_text(encoding="utf-8"))
    node = list(ast.walk(tree))[place.node]
    before = ast.unparse(tree)
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
    was, now = next(pair for pair in zip(before.split("\n"), source.split("\n"), strict=True) if pair[0] != pair[1])
    return source, f"{was.strip()} -> {now.strip()}"


def workplace() -> Path:
    """A copy of the repository in which one change at a time is made."""
    folder = Path(tempfile.mkdtemp(prefix="mutants-"))
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def folder_tests(path: str) -> list[str]:
    """The tests of the folder that is called like that of a file; of a package as a whole, the test files beside its folders."""
    for folder in Path(path).parents:
        tests = ROOT / "tests" / folder
        if len(folder.parts) == 1:
            return sorted(str(file.relative_to(ROOT)) for file in tests.glob("test_*.py"))
        if tests.is_dir():
            return [str(tests.relative_to(ROOT))]
    return []


def runs_at_import(place: Place, root: Path = ROOT) -> bool:
    """Whether a line is outside of all functions."""
    tree = ast.parse((root / place.path).read_text(encoding="utf-8"))
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return not any(body[0].lineno <= place.line <= (body[-1].end_lineno or 0) for body in bodies)


class Judge:
    """Says of one change at a time, in one copy, whether a test fails with it."""

    def __init__(self, reached: Reached, *, quick: bool, marks: str) -> None:
        self._reached, self._quick, self._marks = reached, quick, marks
        self._tests = Tests(workplace())

    def noticed(self, place: Place) -> tuple[bool, str]:
        """Whether a test fails with the change, and the change in words."""
        folder = self._tests.folder
        source, words = changed(place, folder)
        target = folder / place.path
        kept = target.read_text(encoding="utf-8")
        target.write_text(source, encoding="utf-8")
        try:
            runs = ((tests, limit_s) for tests, limit_s in self._runs(place) if tests)
            return any(
                not self._tests.passed([*self._options(place), *tests], limit_s) for tests, limit_s in runs
            ), words
        finally:
            target.write_text(kept, encoding="utf-8")

    def _options(self, place: Place) -> list[str]:
        marks = self._marks
        if place.path.startswith(
            "sandboxes/agent/"
        ):  # another agent has no image, without which every test in Docker fails
            marks = " and ".join(filter(None, (marks, "not docker")))
        return ["-m", marks] if self._marks else []

    def _runs(self, place: Place) -> Iterator[tuple[list[str], float]]:
        outside = runs_at_import(place, self._tests.folder)
        found = self._reached.file(place.path) if outside else self._reached.line(place.path, place.line)
        tests = self._reached.best(found, MOST_TESTS, MOST_S)
        yield tests, 60 + 2 * sum(map(self._reached.seconds, tests))
        if outside:
            yield list(READERS), LIMIT_S
        if not self._quick or not tests:
            yield folder_tests(place.path), LIMIT_S
        if outside and not self._quick:
            yield [f"tests/{Path(place.path).parts[0]}"], LIMIT_S

    def close(self) -> None:
        """End the process and remove the copy."""
        self._tests.close()
        shutil.rmtree(self._tests.folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", default=PACKAGES)
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--places", type=int, default=100)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--part", default="1/1", help="of the places drawn, only this part: 2/4")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--map", type=Path, help="folder that keeps which tests reach a line; made where it is missing")
    parser.add_argument("--add", action="append", default=[], help="tests that are new since the map was made")
    parser.add_argument(
        "--marks", default="", help="tests with these marks, as pytest's -m; in place of the default ones"
    )
    parser.add_argument("--quick", action="store_true", help="run only tests that reach the line")
    parser.add_argument("--out", type=Path, help="add the changes that no test noticed")
    args = parser.parse_args()
    everything = places(args.folders, args.without)
    part, parts = map(int, args.part.split("/"))
    chosen = Random(args.seed).sample(everything, min(args.places, len(everything)))[part - 1 :: parts]
    with tempfile.TemporaryDirectory(prefix="mutants-map-") as scratch:
        chosen_tests = ["-m", args.marks, *args.add] if args.marks else args.add
        reached = reached_lines(args.map or Path(scratch) / "map", args.workers, chosen_tests, again=bool(args.add))
    judges: Queue[Judge] = Queue()
    for _ in range(args.workers):
        judges.put(Judge(reached, quick=args.quick, marks=args.marks))

    done = count(1)

    def run(place: Place) -> bool:
        judge = judges.get()
        try:
            caught, words = judge.noticed(place)
        finally:
            judges.put(judge)
        if (number := next(done)) % 25 == 0:
            print(f"{number} of {len(chosen)} done", flush=True)
        if not caught:
            line = f"{place.path}:{place.line} {place.change}: {words}"
            print("missed", line, flush=True)
            if args.out:
                with args.out.open("a", encoding="utf-8") as out:
                    out.write(line + "\n")
        return caught

    try:
        with ThreadPoolExecutor(args.workers) as pool:
            missed = sum(not caught for caught in pool.map(run, chosen))
    finally:
        while not judges.empty():
            judges.get().close()
    print(f"{len(chosen) - missed} of {len(chosen)} changes noticed, out of {len(everything)} possible ones")


def reached_lines(folder: Path, workers: int, options: Sequence[str] = (), *, again: bool = False) -> Reached:
    """Which tests reach a line, from a folder; where it is missing, or `again`, by a run of the tests that the options of pytest choose."""
    if again or not folder.exists():
        copy = workplace()
        for name in (".coverage", "durations.json"):
            if (folder / name).exists():
                shutil.copy(folder / name, copy)
        map_tests(copy, workers, options)
        folder.mkdir(parents=True, exist_ok=True)
        for name in (".coverage", "durations.json"):
            shutil.copy(copy / name, folder)
        shutil.rmtree(copy)
    return Reached(folder)


if __name__ == "__main__":
    main()
