"""Facts to verdicts: run a program's tests in a sandbox, compare on the host, say what each test gave."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewardkit.code.driver import entry_point, raise_if_setup_fails, run_drivers
from rewardkit.code.facts import NOT_RUN, Budget, CaseFact, Trial, error_verdict, how_it_ended, raise_if_lost
from rewardkit.code.in_process import run_in_process
from rewardkit.code.policy import Policy
from rewardkit.code.problem import CallTest, Problem
from rewardkit.code.remote import TALK, talking
from rewardkit.code.stdin_runs import printed, run_stdin, stdin_job
from rewardkit.code.values import show, show_value
from rewardkit.types import Verdict
from sandboxes.base import TOO_LONG, CallResult, Execution, Job, Sandbox
from sandboxes.errors import SandboxLost

CALLS_A_JOB = 512
"""Calls made in one process. After each batch the host looks at the results, so that a wrong program ends early."""

LONG_RESULTS = 1 << 16
"""Bytes of results beyond which they are compared in a thread."""

ATTEMPTS = 3
"""How often a program whose boxes were lost is judged before its row is given up as unjudged."""


@dataclass(frozen=True)
class Judgement:
    """The verdict on one program: its value, the tests that ran, the first that failed."""

    value: float
    verdict: Verdict
    reason: str
    facts: tuple[CaseFact, ...]
    total: int
    """Tests of the problem that count; fewer may have run."""
    isolation: str = ""

    @property
    def passed(self) -> int:
        """How many tests passed."""
        return sum(_passed(self.facts))


async def judge(problem: Problem, program: str, sandbox: Sandbox, policy: Policy) -> Judgement:
    """Judge one program. `SandboxLost` and `GroundTruthError` are our failures; a program's own never raise.

    A sandbox runs what it lost once more by itself. If that is lost too, the program is judged again from its first
    test, so that boxes may be killed under a run without a row being left unjudged.
    """
    program = with_stub(problem, program)
    for _ in range(ATTEMPTS - 1):
        try:
            return await _judge_once(problem, program, sandbox, policy)
        except SandboxLost:
            continue
    return await _judge_once(problem, program, sandbox, policy)


async def _judge_once(problem: Problem, program: str, sandbox: Sandbox, policy: Policy) -> Judgement:
    total = min(problem.size, policy.max_tests or problem.size)
    counted = min(total, policy.k) if policy.mode == "first_k" else total
    trial = Trial(problem, program, sandbox, policy, Budget(policy.limits))
    facts = await _run(trial, range(counted), stops=policy.stops_early)
    if counted < total and all(_passed(facts)):
        facts += await _run(trial, range(counted, total), stops=True)
    return _conclude(trial, facts, total)


def with_stub(problem: Problem, program: str) -> str:
    """The program, with the prompt in front if it only continues it (HumanEval's completions do), and with the
    calls behind it that only its own classes can make.
    """
    if problem.entry_point == TALK:
        return talking(program)
    program = _continued(problem, program)
    return f"{program}\n\n{problem.epilogue}" if problem.epilogue else program


def _continued(problem: Problem, program: str) -> str:
    entry = problem.stub_entry or problem.entry_point
    if not problem.stub or entry is None:
        return program
    if re.search(rf"^(?:async[ \t]+)?def[ \t]+{re.escape(entry)}\b", program, re.MULTILINE):
        return program
    body = program.lstrip("\r\n")
    return problem.stub.rstrip("\n") + "\n" + body if body.startswith((" ", "\t")) else program


async def _run(trial: Trial, places: range, *, stops: bool) -> list[CaseFact]:
    problem = trial.problem
    run = run_stdin
    if problem.test_names:
        run = run_in_process
    elif problem.drivers:
        run = run_drivers
    elif problem.call_tests:
        run = _run_calls
    facts = await run(trial, places, stops=stops)
    if not stops or all(_passed(facts)):  # what the budget was too small for
        facts += [CaseFact(index, Verdict.TIME_LIMIT, NOT_RUN) for index in places[len(facts) :]]
    return facts


async def _run_calls(trial: Trial, places: range, *, stops: bool) -> list[CaseFact]:
    problem, policy, budget = trial.problem, trial.policy, trial.budget
    tests = problem.call_tests[places.start : places.stop]
    tolerance = problem.tolerance if policy.tolerance is None else policy.tolerance
    batches = [tests[at : at + CALLS_A_JOB] for at in range(0, len(tests), CALLS_A_JOB)]
    jobs = [_call_job(problem, trial.program, batch, policy, stops=stops) for batch in batches]
    judged: dict[int, list[CaseFact]] = {}

    def fails(index: int, execution: Execution) -> bool:
        if execution.lost is not None:
            return True
        first = places.start + index * CALLS_A_JOB
        judged[index] = _judge_calls(execution, batches[index], first, tolerance)
        budget.spend(execution)
        return (stops and not all(_passed(judged[index]))) or budget.used_up

    executions = await trial.sandbox.run_async(jobs, stop=fails if len(jobs) > 1 else None)
    raise_if_lost(executions)
    await raise_if_setup_fails(trial, executions[0])
    trial.isolation = executions[0].isolation
    facts: list[CaseFact] = []
    for index, execution in enumerate(executions):
        if index not in judged:
            size = sum(result.size for result in execution.calls)
            await asyncio.to_thread(fails, index, execution) if size > LONG_RESULTS else fails(index, execution)
        facts += judged[index]
    if stops:
        passed = _passed(facts)
        facts = facts if all(passed) else facts[: passed.index(False) + 1]
    return facts


def _call_job(problem: Problem, program: str, tests: Sequence[CallTest], policy: Policy, *, stops: bool) -> Job:
    return Job(
        program=program,
        calls=tuple(test.call for test in tests),
        entry_point=entry_point(problem, program),
        prelude=problem.prelude,
        limits=policy.limits,
        keep_going=not stops,
    )


async def outputs(problem: Problem, program: str, sandbox: Sandbox, policy: Policy) -> list[Any]:
    """What a program prints on each test, or (tagged) returns from each call; a call that raises gives its error."""
    program = with_stub(problem, program)
    if problem.call_tests:
        jobs = [_call_job(problem, program, problem.call_tests[:CALLS_A_JOB], policy, stops=False)]
        execution = (await sandbox.run_async(jobs))[0].raise_if_lost()
        return [result.value if result.returned else result.error for result in execution.calls]
    jobs = [stdin_job(problem, program, test, policy) for test in problem.stdin_tests]
    return [
        printed(problem, execution.raise_if_lost()).decode("utf-8", "replace")
        for execution in await sandbox.run_async(jobs)
    ]


def _judge_calls(execution: Execution, tests: Sequence[CallTest], first: int, tolerance: float) -> list[CaseFact]:
    """One fact a test. A process that ended early fails the call it was in, and the calls it never came to."""
    facts: list[CaseFact] = []
    for offset, test in enumerate(tests):
        index = first + offset
        if offset < len(execution.calls):
            facts.append(_judge_call(index, execution.calls[offset], test, execution.memory_mb, tolerance))
            continue
        verdict, reason = how_it_ended(execution, "the program ended before it had answered every call")
        if offset > len(execution.calls):
            reason = f"not reached: {reason}"
        facts.append(CaseFact(index, verdict, f"{reason}; input {test.shown_input()}", 0.0, execution.memory_mb))
    return facts


def _judge_call(index: int, result: CallResult, test: CallTest, memory_mb: float, tolerance: float) -> CaseFact:
    if result.returned and test.expected.met_by(result.value, tolerance):
        return CaseFact(index, Verdict.CORRECT, "", result.cpu_s, memory_mb)
    verdict, reason = Verdict.WRONG, f"returned {show(result.value)}" if result.returned else str(result.error)
    if result.returned or reason.startswith(TOO_LONG):
        reason += f", expected {show_value(test.expected.value)}"
    else:
        verdict = error_verdict(reason)
    return CaseFact(index, verdict, f"{reason}; input {test.shown_input()}", result.cpu_s, memory_mb)


def _conclude(trial: Trial, facts: list[CaseFact], total: int) -> Judgement:
    problem, policy, isolation = trial.problem, trial.policy, trial.isolation
    passed = _passed(facts)
    value = policy.value(passed, problem.weights, everything=len(facts) == total and all(passed))
    if all(passed):
        reason = "the only test passed" if total == 1 else f"all {total:,} tests passed"
        return Judgement(value, Verdict.CORRECT, reason, tuple(facts), total, isolation)
    failure = facts[passed.index(False)]
    verdict = Verdict.PARTIAL if any(passed) and not policy.stops_early else failure.verdict
    count = "" if policy.stops_early else f"{sum(passed):,} of {total:,} tests passed; "
    reason = f"{count}test {failure.index + 1} of {total:,}: {failure.reason}"
    return Judgement(value, verdict, reason, tuple(facts), total, isolation)


def _passed(facts: Sequence[CaseFact]) -> list[bool]:
    """Which tests passed. A submission has a hundred, so it is asked once and without a call for each."""
    correct = Verdict.CORRECT
    return [fact.verdict is correct for fact in facts]
