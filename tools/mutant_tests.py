"""Which tests reach which line, and a process that runs some tests quickly: what `tools/mutants.py` works with.

Both are this file as a pytest plugin (`-p tools.mutant_tests`): under coverage it names each line's tests, with orders it waits for changes.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.mutations import Place, changed_tree

CONFIG = """[run]
context = ${PYTEST_CURRENT_TEST-}
parallel = true
patch = subprocess,_exit,fork
relative_files = true
data_file = .coverage
source = rewardkit,harness,sandboxes,trainers
"""
"""A process that a test starts counts for that test."""
ORDERS = "MUTANT_TESTS_ORDERS"
"""Names the pipes of a process that runs tests when it is asked to."""
PACKAGES = ("rewardkit", "harness", "sandboxes", "trainers")


def pytest_runtest_logstart(nodeid: str) -> None:
    """Count the lines from here on for this test."""
    import coverage

    if "PYTEST_XDIST_WORKER" in os.environ and (running := coverage.Coverage.current()):
        running.switch_context(nodeid)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Keep how long each test took that passed; the others say nothing about a change."""
    seconds: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "nodeid") and hasattr(report, "duration"):
                seconds[report.nodeid] += report.duration
    failed = [each.nodeid for kind in ("failed", "error") for each in terminalreporter.stats.get(kind, ())]
    for name in failed:
        seconds.pop(name, None)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        Path("durations.json").write_text(json.dumps(seconds), encoding="utf-8")


class Reached:
    """Which tests reach a line, in their own process or in one that they start, and how long they take."""

    def __init__(self, folder: Path) -> None:
        import coverage

        self._data = coverage.CoverageData(str(folder / ".coverage"))
        self._data.read()
        self._seconds: dict[str, float] = json.loads((folder / "durations.json").read_text(encoding="utf-8"))
        self._lines: dict[str, dict[int, set[str]]] = {}
        self._size: dict[str, int] = defaultdict(int)
        for path in self._data.measured_files():
            found = self._data.contexts_by_lineno(path)
            self._lines[path] = {line: {_nodeid(each) for each in contexts} - {""} for line, contexts in found.items()}
            for names in self._lines[path].values():
                for name in names:
                    self._size[name] += 1

    def line(self, path: str, number: int) -> set[str]:
        """Tests that reach a line; a statement of several lines is counted at its first."""
        lines = self._lines.get(path, {})
        near = [line for line in lines if line <= number]
        return lines[max(near)] if near else set()

    def file(self, path: str) -> set[str]:
        """Tests that reach any line of a file."""
        return set().union(*self._lines.get(path, {}).values())

    def best(self, tests: Iterable[str], most: int, most_s: float) -> list[str]:
        """Of these, those that reach the fewest lines, as many as fit into some seconds; quick ones first."""
        chosen: list[str] = []
        left_s = most_s
        for name in sorted(
            (name for name in tests if name in self._seconds), key=lambda name: (self._size[name], name)
        ):
            if len(chosen) < most and (not chosen or self._seconds[name] <= left_s):
                chosen.append(name)
                left_s -= self._seconds[name]
        return sorted(chosen, key=self.seconds)

    def seconds(self, test: str) -> float:
        """How long a test took."""
        return self._seconds.get(test, 1.0)


def _nodeid(context: str) -> str:
    static, _, dynamic = context.rpartition("|")
    name = dynamic or static
    return name.rpartition(" (")[0] if name.endswith((" (call)", " (setup)", " (teardown)")) else name


def map_tests(folder: Path, workers: int, options: Sequence[str] = ()) -> None:
    """Run all default tests of a copy, or what the options of pytest choose, with coverage; adds to the `.coverage` and `durations.json` that are there."""
    config, seconds = folder / "coverage.ini", folder / "durations.json"
    config.write_text(CONFIG, encoding="utf-8")
    before = json.loads(seconds.read_text(encoding="utf-8")) if seconds.exists() else {}
    command = ["-m", "coverage", "run", f"--rcfile={config}", "-m", "pytest", "-q", "-p", "tools.mutant_tests"]
    command += ["-n", str(workers), *options]
    done = subprocess.run([sys.executable, *command], cwd=folder, env=environment(folder), check=False)
    if done.returncode > 1:
        raise SystemExit("the tests did not run")
    combine = ["-m", "coverage", "combine", "-q", "--append", f"--rcfile={config}"]
    subprocess.run([sys.executable, *combine], cwd=folder, check=True)
    now = json.loads(seconds.read_text(encoding="utf-8"))
    seconds.write_text(json.dumps(before | now), encoding="utf-8")


def environment(folder: Path) -> dict[str, str]:
    """What makes a process import the packages of a copy."""
    return {**os.environ, "PYTHONPATH": str(folder)}


class Tests:
    """A process that has collected all tests of a copy, and runs some of them with a change in a fork of itself."""

    def __init__(self, folder: Path, marks: str = "") -> None:
        # A changed file is compiled again whatever its date is.
        compiled = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "."]
        subprocess.run([sys.executable, *compiled], cwd=folder, check=False, stdout=subprocess.DEVNULL)
        self.folder = folder
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.mutant_tests"]
        asked, self._orders = os.pipe()
        self._answers, answer = os.pipe()
        pipes = {ORDERS: f"{asked},{answer}"}
        self._process = subprocess.Popen(
            [*command, *(["-m", marks] if marks else [])],
            cwd=folder,
            env=environment(folder) | pipes,
            pass_fds=(asked, answer),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(asked)
        os.close(answer)
        self._read = os.fdopen(self._answers)
        self._read.readline()  # it has read all sources: from here on they may be changed

    def passed(self, place: Place, tests: Sequence[str], limit_s: float, *, fresh: bool) -> bool:
        """Whether all of these (names, files, folders) pass in time with a change; they stop at the first that fails.

        The changed file is on the disk for processes that tests start; in this one the code of its functions is replaced. With
        `fresh`, a line that runs at import, the tests run in a process of their own.
        """
        os.write(self._orders, (json.dumps([place.path, place.node, fresh, limit_s, *tests]) + "\n").encode())
        return int(self._read.readline()) in {0, 5}  # 5: nothing was selected

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        os.close(self._orders)
        self._read.close()


def pytest_runtestloop(session: Any) -> bool | None:
    """In place of running all tests: run in a fork what is asked for, and write its exit code."""
    if ORDERS not in os.environ:
        return None
    asked, answer = map(int, os.environ.pop(ORDERS).split(","))
    sources = {str(path): path.read_text(encoding="utf-8") for name in PACKAGES for path in Path(name).rglob("*.py")}
    functions = _functions()
    gc.freeze()
    os.write(answer, b"ready\n")
    for line in os.fdopen(asked):
        path, node, fresh, limit_s, *tests = json.loads(line)
        child = os.fork()
        if not child:
            os.setsid()
            if fresh:
                _run_fresh(session, tests)
            os._exit(_run(session, functions.get(str(Path(path).resolve()), []), sources[path], path, node, tests))
        os.write(answer, f"{_wait(child, limit_s)}\n".encode())
    return True


def _run_fresh(session: Any, tests: Sequence[str]) -> None:
    """Run the tests in place of this process."""
    marks = ["-m", session.config.option.markexpr]
    os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", "-x", *marks, *tests])


def _functions() -> dict[str, list[FunctionType]]:
    """All functions that are there, by the file that they come from."""
    found: dict[str, list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType:  # `isinstance` asks the object, which may be of a test and hostile
            found[thing.__code__.co_filename].append(thing)
    return found


def _run(
    session: Any, functions: Sequence[FunctionType], source: str, path: str, node: int, tests: Sequence[str]
) -> int:
    """Run the tests with one change; 1 as soon as one fails."""
    try:
        if not _replace_code(functions, changed_tree(source, node), path):
            _run_fresh(session, tests)
        wanted = tuple(tests)
        chosen = [item for item in session.items if item.nodeid.startswith(wanted)]
        order = {name: place for place, name in enumerate(wanted)}
        chosen.sort(key=lambda item: order.get(item.nodeid, 0))
        agent = path.startswith(
            "sandboxes/agent/"
        )  # another agent has no image, without which every test in Docker fails
        for item in chosen:
            if agent and item.get_closest_marker("docker"):
                continue
            item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
            if session.testsfailed:
                return 1
    except BaseException:
        return 1
    return 0


def _replace_code(functions: Sequence[FunctionType], tree: ast.Module, path: str) -> bool:
    """Give the functions of a file the code that they have in this tree. False if one cannot have it, as it no longer uses `super()` or another
    variable from outside.
    """
    codes: dict[tuple[str, int], CodeType] = {}
    waiting = [compile(tree, str(Path(path).resolve()), "exec")]
    while waiting:
        for part in waiting.pop().co_consts:
            if isinstance(part, CodeType):
                codes[part.co_qualname, part.co_firstlineno] = part
                waiting.append(part)
    for function in functions:
        code = codes.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
        if code is None:
            continue
        if len(code.co_freevars) == len(function.__code__.co_freevars):
            function.__code__ = code
        elif not code.co_name.startswith("<"):  # of lambdas on one line it may be another
            return False
    return True


def _wait(child: int, limit_s: float) -> int:
    until = time.monotonic() + limit_s
    code = None
    while code is None and time.monotonic() < until:
        time.sleep(0.02)
        pid, status = os.waitpid(child, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if pid else None
    with contextlib.suppress(ProcessLookupError):  # also what it left behind
        os.killpg(child, signal.SIGKILL)
    if code is None:
        os.waitpid(child, 0)
        return 124  # the tests would hang: the change is noticed, too
    return code
