"""Checkers: a row's own program that says whether an output is right. It runs in a box that no submission was in.

Three kinds are known: a Python function `check(input, output, answer)`, a Python script that is called with three files and
prints 1 (open-r1's `generated_checker`), and C++ to testlib's protocol (Codeforces, Polygon), whose exit code is the answer.
`testlib.h` beside this file is our own header with testlib's interface.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from rewardkit.errors import GroundTruthError
from sandboxes.base import Execution, Job, Limits, Sandbox
from sandboxes.compile import COMPILE_LIMITS, first_error
from sandboxes.languages import LANGUAGES

CPP = LANGUAGES["cpp"]
MAX_KEPT = 64
"""Binaries of interactors that are kept for the next program of the same problem."""
_binaries: dict[tuple[str, str], bytes] = {}

LIMITS = Limits(cpu_s=10.0, memory_mb=512)

INPUT, EXPECTED, OUTPUT = "input.txt", "correct_output.txt", "solution_output.txt"
"""The files that a checker reads. Scripts take them in this order, testlib as input, output, answer."""

TESTLIB = "testlib.h"
OK, WRONG, PRESENTATION, PARTIAL, UNEXPECTED_END = 0, 1, 2, 7, 8
"""testlib's exit codes that speak of the output. Its 3 (the jury failed) and all others speak of the checker."""

SAYS = {
    "function": "`check` returns a truth value or a number",
    "script": "a script prints 1 or 0",
    "testlib": "by its exit code",
}
"""How a checker gives its verdict."""
SAID = "said.txt"
"""Where a function's answer is written: what it prints may be words of the output."""
_CALL = f"""

def _text(name):
    with open(name, encoding="utf-8", errors="replace") as file:
        return file.read()

_said = check(_text({INPUT!r}), _text({OUTPUT!r}), _text({EXPECTED!r}))
_said = _said[0] if isinstance(_said, tuple) else _said
with open({SAID!r}, "w") as _file:
    _file.write(str(float(_said)) if _said is not None else "none")
"""


@dataclass(frozen=True)
class Checker:
    """A row's checker: its kind and its source."""

    kind: Literal["function", "script", "testlib"]
    source: str

    @classmethod
    def of(cls, source: str) -> Checker:
        """The checker of a source text, which shows its kind."""
        if re.search(r"^\s*#\s*include\b", source, re.MULTILINE):
            return cls("testlib", source)
        return cls("function" if re.search(r"^def[ \t]+check\(", source, re.MULTILINE) else "script", source)

    def job(self, stdin: str, expected: str, output: bytes, testlib: str) -> Job:
        """The run that asks about one output."""
        files: dict[str, str | bytes] = {INPUT: stdin, EXPECTED: expected, OUTPUT: output}
        if self.kind != "testlib":
            source, fetch = (self.source + _CALL, (SAID,)) if self.kind == "function" else (self.source, ())
            argv = (INPUT, EXPECTED, OUTPUT)
            return Job(program=source, argv=argv, files=files, fetch=fetch, limits=LIMITS, trusted=True)
        files[TESTLIB] = testlib or own_testlib()
        argv = (INPUT, OUTPUT, EXPECTED)
        return Job(program=self.source, language="cpp", argv=argv, files=files, limits=LIMITS, trusted=True)

    def answer(self, execution: Execution) -> bool | None:
        """What the checker said; None if it said nothing usable."""
        if self.kind == "testlib":
            known = {OK: True, WRONG: False, PRESENTATION: False, PARTIAL: False, UNEXPECTED_END: False}
            over = execution.limit is not None or execution.compile_error is not None or execution.exit_code is None
            return None if over else known.get(int(execution.exit_code or 0))
        said = execution.files.get(SAID, b"") if self.kind == "function" else execution.stdout
        try:
            return float(said) >= 1 if execution.finished else None
        except ValueError:  # anything beside the number could be words of the output
            return None


@cache
def own_testlib() -> str:
    """The header that checkers get if the user gives none."""
    return Path(__file__).with_name(TESTLIB).read_text(encoding="utf-8")


async def binary_of(checker: Checker, sandbox: Sandbox, testlib: str) -> bytes:
    """A checker or interactor in C++, compiled in a box that no submission was in.

    Raises:
        GroundTruthError: it does not compile.
    """
    key = checker.source, testlib
    if key not in _binaries:
        files: dict[str, str | bytes] = {CPP.file: checker.source, TESTLIB: testlib or own_testlib()}
        job = Job(
            program=shlex.join(CPP.compile), language="bash", files=files, fetch=(CPP.binary,), limits=COMPILE_LIMITS, trusted=True
        )  # fmt: skip
        execution = (await sandbox.run_async([job]))[0].raise_if_lost()
        if CPP.binary not in execution.files:
            raise GroundTruthError(f"the row's program in C++ does not compile: {first_error(execution.stderr_text)}")
        while len(_binaries) >= MAX_KEPT:
            _binaries.pop(next(iter(_binaries)))
        _binaries[key] = execution.files[CPP.binary]
    return _binaries[key]


async def ask_checker(
    checker: Checker, sandbox: Sandbox, stdin: str, expected: str, output: bytes, testlib: str = ""
) -> tuple[bool, Execution]:
    """Whether the checker accepts the output, and the run that said so.

    A checker that breaks down on an output has refused it, if it accepts the expected output: else an output could leave its row
    unjudged. If it does not even accept that, the row is broken.

    Raises:
        GroundTruthError: the checker does not work.
    """

    async def ask(text: bytes) -> tuple[bool | None, Execution]:
        job = checker.job(stdin, expected, text, testlib)
        execution = (await sandbox.run_async([job]))[0].raise_if_lost()
        return checker.answer(execution), execution

    answer, execution = await ask(output)
    if answer:
        return True, execution
    own, _ = await ask(expected.encode())
    if own is not True:
        why = "it refuses the expected output"
        if answer is None:
            why = f"it says neither yes nor no ({SAYS[checker.kind]})" if execution.finished else execution.describe()
        raise GroundTruthError(f"the row's checker does not work: {why}")
    return False, execution
