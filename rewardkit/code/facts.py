"""Results of tests, and the time budget that all tests of a submission share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rewardkit.types import Verdict
from sandboxes.base import DriverResult, Execution, Limit, Limits, Sandbox

if TYPE_CHECKING:
    from rewardkit.code.policy import Policy
    from rewardkit.code.problem import Problem

LIMIT_VERDICTS: dict[Limit, Verdict] = {
    "cpu": Verdict.TIME_LIMIT,
    "wall": Verdict.TIME_LIMIT,
    "memory": Verdict.MEMORY_LIMIT,
    "output": Verdict.OUTPUT_LIMIT,
    "file": Verdict.OUTPUT_LIMIT,
    "processes": Verdict.RUNTIME_ERROR,
}


@dataclass(slots=True)  # not frozen: that triples the time to make one, and a submission has a hundred
class CaseFact:
    """The result of one test."""

    index: int
    verdict: Verdict
    reason: str = ""
    cpu_s: float = 0.0
    memory_mb: float = 0.0

    @property
    def passed(self) -> bool:
        """The output or value was right, inside every limit."""
        return self.verdict is Verdict.CORRECT


NOT_RUN = "not run: the time for all tests together is used up"
START_S = 0.02
"""CPU seconds of each run that cost nothing: its start."""


class Budget:
    """What all runs of one submission may use together: CPU seconds, and seconds asleep.

    The first `START_S` of each run are free. A submission with 10,000 tests would otherwise pay for starting 10,000
    processes, and a right one would run out of time on a slow machine.
    """

    def __init__(self, limits: Limits) -> None:
        self.cpu_s = math.inf if limits.total_cpu_s is None else limits.total_cpu_s
        self.asleep_s = math.inf if limits.total_wall_s is None else limits.total_wall_s

    def spend(self, run: Execution | DriverResult) -> None:
        """Subtract what a run used."""
        self.cpu_s -= max(run.cpu_s - START_S, 0.0)
        self.asleep_s -= run.asleep_s

    @property
    def used_up(self) -> bool:
        """True if no more tests may run."""
        return self.cpu_s <= 0 or self.asleep_s <= 0


@dataclass
class Trial:
    """A program, what it is judged by, and what is left of its budget."""

    problem: Problem
    program: str
    sandbox: Sandbox
    policy: Policy
    budget: Budget
    isolation: str = ""
    """How strong the isolation of its runs was."""


def how_it_ended(execution: Execution, early: str = "") -> tuple[Verdict, str]:
    """The verdict of a run before its output is looked at. `correct` only means that it ended well; a runtime error, for the reason
    `early`, where that was too early.
    """
    if execution.compile_error is not None:
        return Verdict.COMPILE_ERROR, execution.compile_error
    if execution.limit is not None:
        return LIMIT_VERDICTS[execution.limit], execution.describe()
    if execution.truncated:
        return Verdict.OUTPUT_LIMIT, "the output was cut at the limit"
    if execution.exit_code != 0:
        return Verdict.RUNTIME_ERROR, execution.describe()
    return (Verdict.RUNTIME_ERROR, early) if early else (Verdict.CORRECT, "")


def error_verdict(error: str) -> Verdict:
    """A call's error says an exception, or the limit that ended its process."""
    word = error.partition(" ")[0]
    if error.startswith(("cpu limit", "wall limit", "memory limit", "output limit", "file limit")):
        return LIMIT_VERDICTS[word]  # pyright: ignore[reportArgumentType]
    return Verdict.MEMORY_LIMIT if error.startswith("MemoryError") else Verdict.RUNTIME_ERROR


def raise_if_lost(executions: Sequence[Execution]) -> None:
    """`SandboxLost` if the sandbox failed in one of these runs."""
    for execution in executions:
        execution.raise_if_lost()
