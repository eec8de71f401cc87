"""Change random places of the code, one at a time, and count how many changes the default tests notice.

python tools/mutants.py [rewardkit/math ...] [--without rewardkit/math] [--places 100] [--seed 16] [--workers 2] [--out FILE]

A change flips a comparison, a condition, "and" and "or", a sign, a number or a truth value, or makes a function return None.
Each changed copy runs the tests that reach the changed line in this process (found once, with coverage), then those of the
folder with the same name, until the first one fails; for a line that runs at import, which no test reaches by itself, all tests of the
package. Changes that cannot alter any result (a type alias, a bound that no text reaches) count as missed.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from random import Random

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("rewardkit", "harness", "sandboxes", "trainers")
MOST_TESTS = 60
"""So many of the tests that reach a line are run; those that reach few lines come first."""
LIMIT_S = 900
"""A run that takes longer has noticed the change, too: the tests would hang."""
CONFIG = """[run]
dynamic_context = test_function
parallel = true
patch = subprocess
data_file = {data}
source = {source}
"""

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
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")):
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


def run_tests(folder: Path, tests: Sequence[str], *options: str, command: Sequence[str] = ("-m", "pytest")) -> bool:
    """Whether tests pass in a copy."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(folder)}
    whole = [sys.executable, *command, "-q", "-x", *options, *tests]
    try:
        done = subprocess.run(
            whole, cwd=folder, capture_output=True, timeout=None if options else LIMIT_S, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in {0, 5}  # 5: nothing was selected


class Reached:
    """Which tests reach a line in their own process, by a run of all default tests with coverage."""

    def __init__(self, folder: Path, workers: int) -> None:
        import coverage

        data = folder / ".coverage"
        config = folder / "coverage.ini"
        config.write_text(CONFIG.format(data=data, source=",".join(PACKAGES)), encoding="utf-8")
        command = ("-m", "coverage", "run", f"--rcfile={config}", "-m", "pytest")
        if not run_tests(folder, (), "-n", str(workers), command=command):
            raise SystemExit("the tests fail without any change: mend them first")
        whole = coverage.Coverage(data_file=str(data), config_file=str(config))
        whole.combine([str(folder)])
        self._folder, self._data = folder, whole.get_data()
        self._size: dict[str, int] = defaultdict(int)
        for path in self._data.measured_files():
            for contexts in self._data.contexts_by_lineno(path).values():
                for context in contexts:
                    self._size[context] += 1
        if len(self._size) < 2:
            raise SystemExit("coverage noticed no test: install it into this environment (pip install coverage)")

    def tests(self, place: Place) -> list[str]:
        """Names of tests for pytest."""
        lines = self._data.contexts_by_lineno(str(self._folder / place.path))
        near = [line for line in lines if line <= place.line]  # a statement of several lines is counted at its first
        found = lines[max(near)] if near else []
        return [name for name in map(self._test, sorted(filter(None, found), key=self._size.__getitem__)) if name][
            :MOST_TESTS
        ]

    def _test(self, context: str) -> str:
        parts = context.split(".")
        for end in range(len(parts) - 1, 0, -1):
            path = Path(*parts[:end]).with_suffix(".py")
            if (self._folder / path).exists():
                return "::".join([str(path), *parts[end:]])
        return ""


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


def noticed(place: Place, folder: Path, reached: Sequence[str]) -> tuple[bool, str]:
    """Whether a test fails with the change."""
    source, words = changed(place, folder)
    package = [f"tests/{Path(place.path).parts[0]}"] if runs_at_import(place, folder) else []
    target = folder / place.path
    kept = target.read_text(encoding="utf-8")
    target.write_text(source, encoding="utf-8")
    try:
        return any(
            tests and not run_tests(folder, tests) for tests in (reached, folder_tests(place.path), package)
        ), words
    finally:
        target.write_text(kept, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", default=PACKAGES)
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--places", type=int, default=100)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help="write the changes that no test noticed")
    args = parser.parse_args()
    everything = places(args.folders, args.without)
    chosen = Random(args.seed).sample(everything, min(args.places, len(everything)))
    made = [workplace() for _ in range(args.workers + 1)]
    folders: Queue[Path] = Queue()
    for folder in made[1:]:
        folders.put(folder)
    survivors: list[str] = []
    try:
        reached = Reached(made[0], args.workers)

        def run(place: Place) -> tuple[bool, str]:
            folder = folders.get()
            try:
                return noticed(place, folder, reached.tests(place))
            finally:
                folders.put(folder)

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
