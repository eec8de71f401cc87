"""Tests that must run in the program's own process, which a row has to ask for (`tests_in_process`).

There the program can change what a test means. So a test counts as passed only if its body ran to its end, no function came back with
a value that passes for every other, and what tests judge with is still what it was before the program. And each test runs a second
time in the same process with the functions it asks for put out of action (a canary, in an order drawn at random): if that passes,
though it fails in a box without any program, the run was tampered with. All of it is said by a process that the program owns, so a
program made for this protocol is paid: this is weaker than every other way here.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, cast

from rewardkit.code.driver import UNSUPPORTED, raise_if_setup_fails, with_support
from rewardkit.code.facts import CaseFact, Trial, error_verdict, how_it_ended
from rewardkit.code.formats import Unsupported
from rewardkit.code.problem import Problem
from rewardkit.code.remote import IN_PROCESS
from rewardkit.errors import GroundTruthError
from rewardkit.types import Verdict
from sandboxes.base import Call, CallResult, Execution, Job
from sandboxes.values import encode

Outcome = tuple[str, str, str]
"""`passed`, `failed` or `skipped`; the exception's type and message."""
NO_OUTCOME: Outcome = ("", "", "")
_alone: dict[Problem, list[bool]] = {}
"""For each problem, which of its tests fail without a program."""
MAX_KEPT = 256


async def run_in_process(trial: Trial, places: range, *, stops: bool) -> list[CaseFact]:
    """A fact for each of these tests. With `stops`, the first failure is the last."""
    fails_alone = await _fails_alone(trial)
    turns = [(index, without) for index in places for without in (False, True)]
    secrets.SystemRandom().shuffle(turns)
    execution, outcomes = await _run(trial, trial.program, turns, trusted=False)
    await raise_if_setup_fails(trial, execution)
    trial.isolation = execution.isolation
    trial.budget.spend(execution)
    results = dict(zip(turns, outcomes, strict=False))
    cpu_s = dict(zip(turns, [result.cpu_s for result in execution.calls], strict=False))
    facts: list[CaseFact] = []
    for index in places:
        real, canary = results.get((index, False)), results.get((index, True), NO_OUTCOME)
        verdict, reason = _judged(execution, real, canary)
        if verdict is Verdict.CORRECT and (canary is NO_OUTCOME or (fails_alone[index] and canary[0] != "failed")):
            verdict, reason = (
                Verdict.WRONG,
                "the test passes without the program, too, in the program's process: it was tampered with",
            )
        facts.append(CaseFact(index, verdict, reason, cpu_s.get((index, False), 0.0), execution.memory_mb))
        if stops and verdict is not Verdict.CORRECT:
            break
    return facts


async def _fails_alone(trial: Trial) -> list[bool]:
    """Which tests fail if there is no program. A box that lacks a package, or tests that all pass so, refuse the row."""
    problem = trial.problem
    if problem not in _alone:
        turns = [(index, True) for index in range(problem.size)]
        execution, outcomes = await _run(trial, problem.imports, turns, trusted=True)
        for _, kind, said in [*outcomes, ("", *(execution.error or "").partition(": ")[::2])]:
            if kind in ("ModuleNotFoundError", "ImportError"):
                raise Unsupported(f"tests or programs that import what the sandbox's image has not: {said}")
            if kind == UNSUPPORTED:
                raise Unsupported(said)
        if len(outcomes) < len(turns):
            raise GroundTruthError(f"the row's tests do not run without a program: {execution.describe()}")
        if not any(outcome[0] == "failed" for outcome in outcomes):
            raise GroundTruthError("every test of the row passes without a program")
        while len(_alone) >= MAX_KEPT:
            _alone.pop(next(iter(_alone)))
        _alone[problem] = [outcome[0] == "failed" for outcome in outcomes]
    return _alone[problem]


async def _run(
    trial: Trial, program: str, turns: Sequence[tuple[int, bool]], *, trusted: bool
) -> tuple[Execution, list[Outcome]]:
    problem = trial.problem
    named = list(problem.test_names)
    words = [secrets.token_hex(8) for _ in turns]
    calls = [
        encode([problem.test_source, list(problem.test_uses), named, problem.test_names[index], without, word])
        for (index, without), word in zip(turns, words, strict=True)
    ]
    epilogue = "" if program.endswith(problem.epilogue) else f"\n\n{problem.epilogue}"
    job = Job(
        program=program + epilogue,
        calls=tuple(Call(args=tuple(cast("list[Any]", call))) for call in calls),
        entry_point=IN_PROCESS,
        prelude=with_support(problem),
        limits=trial.policy.limits,
        keep_going=True,
        trusted=trusted,
    )
    execution = (await trial.sandbox.run_async([job]))[0].raise_if_lost()
    return execution, [_outcome(*pair) for pair in zip(execution.calls, words, strict=False)]


def _outcome(result: CallResult, word: str) -> Outcome:
    """The outcome of a test, as its process reports it; a failure if the report lacks the word of the request."""
    if result.error is not None:
        return "failed", "", result.error
    match result.value:
        case [str() as status, str() as kind, str() as said, str() as back] if secrets.compare_digest(
            back.encode(), word.encode()
        ):
            return status, kind, said
        case _:
            return "failed", "RuntimeError", "the test's process ended"


def _judged(execution: Execution, outcome: Outcome | None, canary: Outcome) -> tuple[Verdict, str]:
    if outcome is None:
        return how_it_ended(execution, "the program ended before its tests did")
    status, kind, said = outcome
    if status == "passed" or status == canary[0] == "skipped":
        return Verdict.CORRECT, ""
    if status == "skipped":
        return Verdict.WRONG, "the test is skipped, but not without the program"
    if kind == "AssertionError":
        return Verdict.WRONG, f"an assert of the tests fails: {said}"
    return (Verdict.RUNTIME_ERROR, f"{kind}: {said}") if kind else (error_verdict(said), said)
