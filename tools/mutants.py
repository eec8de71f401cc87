"""Change random places of the code, one at a time, and count how many changes the default tests notice.

python tools/mutants.py [rewardkit/math rewardkit/stats.py ...] [--without rewardkit/math] [--places 100] [--seed 16] [--workers 2] [--map FOLDER] [--out FILE]

A change flips a comparison, a condition, "and" and "or", a sign, a number or a truth value, or makes a function return None.
Each changed copy runs the tests that reach the changed line (found once, with coverage), then those of the folder with the same name,
until the first one fails. For a line that runs at import: the tests that reach its file, those that read declarations or have its name, then all of its package.
A result of None where the annotation has none is noticed by the type checker.
Changes that cannot alter any result (a type alias, a bound that no text reaches) count as missed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from queue import Queue
from random import Random

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.mutant_tests import Reached, Tests, map_tests  # noqa: E402
from tools.mutations import Place, changed, places, runs_at_import  # noqa: E402

PACKAGES = ("rewardkit", "harness", "sandboxes", "trainers")
MOST_TESTS = 2_000
"""So many of the tests that reach a line are run: those that reach the fewest lines."""
MOST_S = 120.0
"""And as many as took so long together when they were found, under coverage."""
READERS = ("tests/test_site.py", "tests/tools/test_house_numbers.py", "tests/rewardkit/test_contract.py")
"""Tests that read sources and declarations, which no line of a function shows."""
LIMIT_S = 900
"""A run that takes longer has noticed the change, too: the tests would hang."""


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


class Judge:
    """Says of one change at a time, in one copy, whether it is noticed."""

    def __init__(self, reached: Reached, *, quick: bool, marks: str) -> None:
        self._reached, self._quick = reached, quick
        self._tests = Tests(workplace(), marks)

    def noticed(self, place: Place) -> tuple[bool, str]:
        """Whether a test or the type checker fails with the change, and the change in words."""
        folder = self._tests.folder
        source, words = changed(place, folder)
        outside = runs_at_import(place, folder)
        target = folder / place.path
        kept = target.read_text(encoding="utf-8")
        target.write_text(source, encoding="utf-8")
        try:
            if place.change == "return" and self._mistyped(target):
                return True, words
            for tests, limit_s, fresh in self._runs(place, outside=outside):
                if tests and not self._tests.passed(place, tests, limit_s, fresh=fresh):
                    return True, words
        finally:
            target.write_text(kept, encoding="utf-8")
        return False, words

    def _mistyped(self, file: Path) -> bool:
        """Whether the type checker refuses the file, as CI would."""
        python = Path(sys.executable)
        command = [python.with_name("pyright"), "--pythonpath", python, file.relative_to(self._tests.folder)]
        return subprocess.run(command, cwd=self._tests.folder, capture_output=True, check=False).returncode == 1

    def _runs(self, place: Place, *, outside: bool) -> Iterator[tuple[list[str], float, bool]]:
        """Tests, the time they may take, and whether in a new process: functions called while tests are collected need one."""
        found = self._reached.file(place.path) if outside else self._reached.line(place.path, place.line)
        tests = self._reached.best(found, MOST_TESTS, MOST_S)
        yield tests, 60 + 2 * sum(map(self._reached.seconds, tests)), outside
        if outside:
            named = ROOT.glob(f"tests/{Path(place.path).parts[0]}/**/test_{Path(place.path).stem}.py")
            yield [*READERS, *(str(file.relative_to(ROOT)) for file in sorted(named))], LIMIT_S, True
        if not self._quick or not tests:
            yield folder_tests(place.path), LIMIT_S, True
        if outside and not self._quick:
            yield [f"tests/{Path(place.path).parts[0]}"], LIMIT_S, True

    def close(self) -> None:
        """End the process and remove the copy."""
        self._tests.close()
        shutil.rmtree(self._tests.folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", default=PACKAGES, help="folders and files to change")
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
