"""Tests that must run in the program's own process, which a row has to ask for (`tests_in_process`).

There the program can change what a test means. So each test runs a second time in the same process with the functions it asks for
put out of action (a canary, in an order drawn at random): if that passes, though it fails in a box without any program, the run
was tampered with. A program that tells the two apart is paid: this is weaker than every other way here.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, cast

from rewardkit.code.driver import raise_if_setup_fails
from rewardkit.code.facts import Budget, CaseFact, how_it_ended
from rewardkit.code.formats import Unsupported
from rewardkit.code.policy import Policy
from rewardkit.code.problem import Problem
from rewardkit.code.remote import IN_PROCESS
from rewardkit.errors import GroundTruthError
from rewardkit.types import Verdict
from sandboxes.base import Call, CallResult, Execution, Job, Sandbox
from sandboxes.values import encode

_alone: dict[Problem, list[bool]] = {}
"""For each problem, which of its tests fail without a program."""
MAX_KEPT = 256


async def run_in_process(
    problem: Problem,
    program: str,
    sandbox: Sandbox,
    policy: Policy,
    budget: Budget,
    start: int,
    stop: int,
    *,
    stops: bool,
) -> tuple[list[CaseFact], str]:
    """A fact for each test from `start` to `stop`."""
    fails_alone = await _fails_alone(problem, sandbox, policy)
    turns = [(index, without) for index in range(start, stop) for without in (False, True)]
    random.shuffle(turns)
    execution = await _run(problem, program, sandbox, policy, turns, trusted=False)
    await raise_if_setup_fails(problem, sandbox, policy, execution)
    budget.spend(execution)
    results = dict(zip(turns, execution.calls, strict=False))
    facts: list[CaseFact] = []
    for index in range(start, stop):
        real, canary = results.get((index, False)), results.get((index, True))
        verdict, reason = _judged(execution, real)
        if verdict is Verdict.CORRECT and (canary is None or (fails_alone[index] and _outcome(canary)[0] != "failed")):
            verdict, reason = (
                Verdict.WRONG,
                "the test passes without the program, too, in the program's process: it was tampered with",
            )
        facts.append(CaseFact(index, verdict, reason, real.cpu_s if real else 0.0, execution.memory_mb))
        if stops and verdict is not Verdict.CORRECT:
            break
    return facts, execution.isolation


async def _fails_alone(problem: Problem, sandbox: Sandbox, policy: Policy) -> list[bool]:
    """Which tests fail if there is no program. A box that lacks a package, or tests that all pass so, refuse the row."""
    if problem not in _alone:
        turns = [(index, True) for index in range(problem.size)]
        execution = await _run(problem, problem.imports, sandbox, policy, turns, trusted=True)
        outcomes = [_outcome(result) for result in execution.calls]
        for _, kind, said in [*outcomes, ("", *(execution.error or "").partition(": ")[::2])]:
            if kind in ("ModuleNotFoundError", "ImportError"):
                raise Unsupported(f"tests or programs that import what the sandbox's image has not: {said}")
        if len(outcomes) < len(turns):
            raise GroundTruthError(f"the row's tests do not run without a program: {execution.describe()}")
        if not any(outcome[0] == "failed" for outcome in outcomes):
            raise GroundTruthError("every test of the row passes without a program")
        while len(_alone) >= MAX_KEPT:
            _alone.pop(next(iter(_alone)))
        _alone[problem] = [outcome[0] == "failed" for outcome in outcomes]
    return _alone[problem]


async def _run(
    problem: Problem,
    program: str,
    sandbox: Sandbox,
    policy: Policy,
    turns: Sequence[tuple[int, bool]],
    *,
    trusted: bool,
) -> Execution:
    calls = [
        encode([problem.test_source, list(problem.test_uses), problem.test_names[index], without])
        for index, without in turns
    ]
    epilogue = "" if program.endswith(problem.epilogue) else f"\n\n{problem.epilogue}"
    job = Job(
        program=program + epilogue,
        calls=tuple(Call(args=tuple(cast("list[Any]", call))) for call in calls),
        entry_point=IN_PROCESS,
        prelude=problem.prelude,
        limits=policy.limits,
        keep_going=True,
        trusted=trusted,
    )
    return (await sandbox.run_async([job]))[0].raise_if_lost()


def _outcome(result: CallResult) -> tuple[str, str, str]:
    """What a test came to, its exception and what that says. All of it is the claim of the process it ran in."""
    value = result.value
    if result.error is None and isinstance(value, list) and len(cast("list[Any]", value)) == 3:
        status, kind, said = cast("list[Any]", value)
        return str(status), str(kind), str(said)
    return "failed", "", str(result.error)


def _judged(execution: Execution, result: CallResult | None) -> tuple[Verdict, str]:
    if result is None:
        ended, reason = how_it_ended(execution)
        return (
            (Verdict.RUNTIME_ERROR, "the program ended before its tests did")
            if ended is Verdict.CORRECT
            else (ended, reason)
        )
    status, kind, said = _outcome(result)
    if status == "passed":
        return Verdict.CORRECT, ""
    if kind == "AssertionError":
        return Verdict.WRONG, f"an assert of the tests fails: {said}"
    limit = (result.error or "").partition(" ")[0]
    verdict = {"cpu": Verdict.TIME_LIMIT, "wall": Verdict.TIME_LIMIT, "memory": Verdict.MEMORY_LIMIT}.get(
        limit, Verdict.RUNTIME_ERROR
    )
    return verdict, f"{kind}: {said}" if kind else said
