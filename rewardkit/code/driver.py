"""Run test programs against a program, and check whether a row's set-up code works without it."""

from __future__ import annotations

import ast
import base64
import re
import zlib
from collections.abc import Sequence

from rewardkit.code.checker import binary_of
from rewardkit.code.facts import CaseFact, Trial, how_it_ended, raise_if_lost
from rewardkit.code.formats import Unsupported
from rewardkit.code.formats._sessions import CURE
from rewardkit.code.problem import Problem
from rewardkit.code.remote import OBJECTS, support, test_side
from rewardkit.code.syntax import parse, parses
from rewardkit.errors import GroundTruthError, clip
from rewardkit.types import Verdict
from sandboxes.base import Call, DriverResult, Execution, Job

BLAMELESS = "def blameless(): return 0\n"
"""Probe program: if it does not answer, the set-up code before it is broken."""


LEETCODES_FORM = frozenset({"taco", "livecodebench"})
"""Formats whose calls are methods of `Solution` where the program has one."""
UNSUPPORTED, BROKEN = "RewardkitUnsupported", "RewardkitBroken"
"""Exceptions of test programs: they need something that the box lacks, or they fail before their first request."""


async def run_drivers(trial: Trial, places: range, *, stops: bool) -> list[CaseFact]:
    """Run the test programs. Each counts as one test and gets its own process of the program."""
    problem, budget = trial.problem, trial.budget
    entry = entry_point(problem, trial.program)
    drivers = problem.drivers[places.start : places.stop]
    if problem.interactor is not None:
        drivers = await _with_binaries(trial, drivers)
    jobs = [
        Job(
            program=trial.program,
            entry_point=entry,
            prelude=with_support(problem),
            driver=driver,
            driver_prelude=test_side() if problem.entry_point == OBJECTS else "",
            limits=trial.policy.limits,
        )
        for driver in drivers
    ]

    def fails(_index: int, execution: Execution) -> bool:
        budget.spend(execution)
        passed = execution.driver is not None and execution.driver.passed
        if execution.driver and not passed:
            budget.spend(execution.driver)  # a program can make tests that fail take long
        return execution.lost is not None or (stops and not passed) or budget.used_up

    executions = await trial.sandbox.run_async(jobs, stop=fails if len(jobs) > 1 else None)
    raise_if_lost(executions)
    await raise_if_setup_fails(trial, executions[0])
    trial.isolation = executions[0].isolation
    facts: list[CaseFact] = []
    for index, execution in enumerate(executions, places.start):
        verdict, reason = _driver_verdict(execution, execution.driver)
        facts.append(CaseFact(index, verdict, reason, execution.cpu_s, execution.memory_mb))
    return facts


async def _with_binaries(trial: Trial, drivers: Sequence[str]) -> list[str]:
    """The test programs with the row's interactor and checker before them."""
    texts: list[str] = []
    for part in (trial.problem.interactor, trial.problem.checker):
        binary = await binary_of(part, trial.sandbox, trial.policy.testlib) if part else b""
        texts.append(base64.b85encode(zlib.compress(binary)).decode() if binary else "")
    return [f"_interactor, _checker = {tuple(texts)!r}\n{driver}" for driver in drivers]


def with_support(problem: Problem) -> str:
    """The prelude, and behind it what the epilogue calls."""
    return "\n".join(filter(None, (problem.prelude, support(problem.entry_point or ""))))


def _driver_verdict(execution: Execution, outcome: DriverResult | None) -> tuple[Verdict, str]:
    error = (outcome.error if outcome else None) or ""
    if error.startswith(f"{UNSUPPORTED}: "):
        raise Unsupported(error.removeprefix(f"{UNSUPPORTED}: "), CURE)
    if error.startswith(f"{BROKEN}: ") or (outcome is not None and not outcome.calls):
        raise GroundTruthError(
            f"the row's test program fails by itself: {error.removeprefix(f'{BROKEN}: ') or 'it did not end'}"
        )
    if outcome is not None and outcome.passed:
        return Verdict.CORRECT, ""
    ended, reason = how_it_ended(execution)
    if ended is not Verdict.CORRECT:
        return ended, reason
    if outcome is None:
        return Verdict.RUNTIME_ERROR, execution.error or "the program ended before the tests did"
    if error.startswith("AssertionError"):
        return Verdict.WRONG, f"an assert of the tests fails{error.removeprefix('AssertionError')}"
    if error.startswith(("cpu limit", "wall limit")):
        return Verdict.TIME_LIMIT, f"the tests do not end with this program: {error}"
    return Verdict.RUNTIME_ERROR, error.removeprefix("ProgramError: ") or "the test program did not end"


async def raise_if_setup_fails(trial: Trial, first: Execution) -> None:
    """`GroundTruthError` if the row's set-up code raises, exits or meets a limit by itself.

    All that shows of a prelude that does is a process that ended without a word: not loaded, no exception, no compile error. A
    program can end so too, while it is loaded. So the prelude runs once more, before a program that can't fail and in a box that
    no submission was in.
    """
    spoke = first.loaded or first.calls or first.driver or first.error is not None or first.compile_error is not None
    if spoke or not trial.problem.prelude:
        return
    job = Job(
        program=BLAMELESS,
        calls=(Call(),),
        entry_point="blameless",
        prelude=trial.problem.prelude,
        limits=trial.policy.limits,
        trusted=True,
    )
    alone = (await trial.sandbox.run_async([job]))[0].raise_if_lost()
    if alone.calls:
        return
    why = alone.stderr_text.strip().rpartition("\n")[2] if alone.limit is None else ""
    raise GroundTruthError(f"the row's set-up code fails without any program: {clip(why, 200) or alone.describe()}")


def entry_point(problem: Problem, program: str) -> str | None:
    """How the sandbox should find what to call: a method if the program has `Solution` and no function of the name, or both in a row of
    LeetCode's form, whose own testers take `Solution`.

    A library function that the program imports (`from heapq import *` brings `merge`) never stands in for its method.
    """
    name = problem.entry_point
    if name is None or "." in name:
        return name
    own = rf"^(?:(?:async[ \t]+)?def[ \t]+{re.escape(name)}\b|{re.escape(name)}[ \t]*[:=])"
    if not re.search(r"^class[ \t]+Solution\b", program, re.MULTILINE):
        return name
    if re.search(own, program, re.MULTILINE) and not (problem.source in LEETCODES_FORM and _has_method(program, name)):
        return name
    return f"Solution.{name}"


def _has_method(program: str, name: str) -> bool:
    if not parses(program):
        return False
    owners = [node for node in parse(program).body if isinstance(node, ast.ClassDef) and node.name == "Solution"]
    methods = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, methods) and node.name == name for owner in owners for node in owner.body)
