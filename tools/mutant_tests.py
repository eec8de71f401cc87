"""Which tests reach which line, and a process that runs some tests quickly: what `tools/mutants.py` works with.

As a pytest plugin (`-p tools.mutant_tests`) under coverage this file names each line's tests; as a script it is the process.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

CONFIG = """[run]
context = ${PYTEST_CURRENT_TEST-}
parallel = true
patch = subprocess,_exit,fork
relative_files = true
data_file = .coverage
source = rewardkit,harness,sandboxes,trainers
"""
"""A process that a test starts counts for that test."""
WARM = "click fastapi flint httpx hypothesis jinja2 pydantic pyarrow pytest rich sybil.integration.pytest uvicorn xdist yaml"
"""Packages of others that the process imports once."""


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
    """A process that has imported what tests need from others, and runs each list of tests in a fork of itself."""

    def __init__(self, folder: Path) -> None:
        # A changed file is compiled again whatever its date is.
        compiled = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "."]
        subprocess.run([sys.executable, *compiled], cwd=folder, check=False, stdout=subprocess.DEVNULL)
        self.folder = folder
        self._process = subprocess.Popen(
            [sys.executable, str(folder / "tools/mutant_tests.py")],
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def passed(self, tests: Sequence[str], limit_s: float) -> bool:
        """Whether all of these pass in time; they stop at the first that fails."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([limit_s, *tests]) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline()) in {0, 5}  # 5: nothing was selected

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def serve() -> None:
    """Read lists of tests, run each in a fork, print its exit code."""
    for name in WARM.split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    sys.path[0] = str(Path.cwd())
    for line in sys.stdin:
        limit_s, *tests = json.loads(line)
        child = os.fork()
        if not child:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(nothing, descriptor)
            import pytest

            sys.exit(pytest.main(["-q", "-x", *tests]))
        print(_wait(child, limit_s), flush=True)


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


if __name__ == "__main__":
    serve()
