"""Facts to verdicts: run a program's tests in a sandbox, compare on the host, say what each test gave."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rewardkit.code.compare import TextRule, difference
from rewardkit.code.policy import Policy
from rewardkit.code.problem import CallTest, Problem, StdinTest
from rewardkit.code.special import ask_checker
from rewardkit.code.values import show
from rewardkit.errors import GroundTruthError
from rewardkit.types import Verdict
from sandboxes.base import TOO_LONG, Call, CallResult, DriverResult, Execution, Job, Limit, Limits, Sandbox
from sandboxes.errors import SandboxLost

CALLS_A_JOB = 512
"""Calls made in one process. After each batch the host looks at the results, so that a wrong program ends early."""

NOT_RUN = "not run: the time for all tests together is used up"

LONG_RESULTS = 1 << 16
"""Bytes of results beyond which they are compared in a thread."""

ATTEMPTS = 3
"""How often a program whose boxes were lost is judged before its row is given up as unjudged."""

BLAMELESS = "def blameless(): return 0\n"
"""A program that can't fail: where it does not answer, what runs before it is at fault."""

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
    """What one test gave."""

    index: int
    verdict: Verdict
    reason: str = ""
    cpu_s: float = 0.0
    memory_mb: float = 0.0

    @property
    def passed(self) -> bool:
        """The output or value was right, inside every limit."""
        return self.verdict is Verdict.CORRECT


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


class Budget:
    """What all runs of one submission may use together: CPU seconds, and wall seconds beyond them."""

    def __init__(self, limits: Limits) -> None:
        self.cpu_s = math.inf if limits.total_cpu_s is None else limits.total_cpu_s
        self.wall_s = math.inf if limits.total_wall_s is None else limits.total_wall_s

    def spend(self, execution: Execution) -> None:
        """Take off what a run used."""
        self.cpu_s -= execution.cpu_s
        self.wall_s -= max(execution.wall_s - execution.cpu_s, 0.0)

    @property
    def used_up(self) -> bool:
        """Nothing more is to be run."""
        return self.cpu_s <= 0 or self.wall_s <= 0


async def judge(problem: Problem, program: str, sandbox: Sandbox, policy: Policy) -> Judgement:
    """Judge one program. `SandboxLost` and `GroundTruthError` are our failures; a program's own never raise.

    A sandbox runs what it lost once more by itself. Where that is lost too, the program is judged again from its first
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
    if problem.driver is not None:
        facts, isolation = await _run_driver(problem, program, sandbox, policy)
        total = 1
    else:
        total = min(problem.size, policy.max_tests or problem.size)
        counted = min(total, policy.k) if policy.mode == "first_k" else total
        budget = Budget(policy.limits)
        facts, isolation = await _run(problem, program, sandbox, policy, budget, 0, counted, stops=policy.stops_early)
        if counted < total and all(_passed(facts)):
            rest, _ = await _run(problem, program, sandbox, policy, budget, counted, total, stops=True)
            facts = [*facts, *rest]
    return _conclude(problem, facts, total, policy, isolation)


def with_stub(problem: Problem, program: str) -> str:
    """The program, with the prompt in front where it only continues it (HumanEval's completions do), and with the
    calls behind it that only its own classes can make.
    """
    if problem.epilogue:
        return f"{program}\n\n{problem.epilogue}"
    if not problem.stub or problem.entry_point is None:
        return program
    if re.search(rf"^(?:async[ \t]+)?def[ \t]+{re.escape(problem.entry_point)}\b", program, re.MULTILINE):
        return program
    if program.startswith((" ", "\t", "\n", "\r\n")):
        return problem.stub.rstrip("\n") + "\n" + program.lstrip("\r\n")
    return program


def entry_point(problem: Problem, program: str) -> str | None:
    """How the sandbox should find what to call: a method where the program has `Solution` and no function of the name.

    A library function that the program imports (`from heapq import *` brings `merge`) never stands in for its method.
    """
    name = problem.entry_point
    if name is None or "." in name:
        return name
    own = rf"^(?:(?:async[ \t]+)?def[ \t]+{re.escape(name)}\b|{re.escape(name)}[ \t]*[:=])"
    if not re.search(own, program, re.MULTILINE) and re.search(r"^class[ \t]+Solution\b", program, re.MULTILINE):
        return f"Solution.{name}"
    return name


async def _run(
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
    if problem.call_tests:
        tests = problem.call_tests[start:stop]
        facts, isolation = await _run_calls(problem, program, sandbox, policy, budget, tests, start, stops=stops)
    else:
        inputs = problem.stdin_tests[start:stop]
        facts, isolation = await _run_stdin(problem, program, sandbox, policy, budget, inputs, start, stops=stops)
    if not stops or all(_passed(facts)):  # what the budget was too small for
        facts += [CaseFact(index, Verdict.TIME_LIMIT, NOT_RUN) for index in range(start + len(facts), stop)]
    return facts, isolation


async def _run_stdin(
    problem: Problem,
    program: str,
    sandbox: Sandbox,
    policy: Policy,
    budget: Budget,
    tests: Sequence[StdinTest],
    start: int,
    *,
    stops: bool,
) -> tuple[list[CaseFact], str]:
    jobs = [Job(program=program, stdin=test.stdin, limits=policy.limits) for test in tests]
    rule = policy.compare or (TextRule.parse(problem.compare) if problem.compare else TextRule())
    judged: dict[int, CaseFact] = {}

    def fails(index: int, execution: Execution) -> bool:
        if execution.lost is not None:
            return True
        checked = problem.checker is not None
        judged[index] = _judge_output(start + index, execution, tests[index], rule, checked=checked)
        budget.spend(execution)
        return (stops and not judged[index].passed) or budget.used_up

    executions = await sandbox.run_async(jobs, stop=fails)
    _raise_if_lost(executions)
    facts: list[CaseFact] = []
    for index, execution in enumerate(executions):
        fact = judged[index]
        if fact.passed and problem.checker is not None:
            fact = await _ask(problem.checker, sandbox, tests[index], execution, fact)
        facts.append(fact)
        if stops and not fact.passed:
            break
    return facts, _isolation(executions)


async def _ask(checker: str, sandbox: Sandbox, test: StdinTest, execution: Execution, fact: CaseFact) -> CaseFact:
    answer = await ask_checker(checker, sandbox, test.stdin, test.expected, execution.stdout)
    if answer:
        return fact
    return CaseFact(fact.index, Verdict.WRONG, "the row's special judge refuses the output", fact.cpu_s, fact.memory_mb)


def _judge_output(index: int, execution: Execution, test: StdinTest, rule: TextRule, *, checked: bool) -> CaseFact:
    verdict, reason = how_it_ended(execution)
    if verdict is Verdict.CORRECT and not checked:
        wrong = difference(rule, execution.stdout_text, test.expected)
        if wrong is not None:
            verdict, reason = Verdict.WRONG, wrong
    if verdict is not Verdict.CORRECT:
        reason = f"{reason}; input {test.shown_input()}"
    return CaseFact(index, verdict, reason, execution.cpu_s, execution.memory_mb)


def how_it_ended(execution: Execution) -> tuple[Verdict, str]:
    """The verdict of a run before its output is looked at. `correct` only means that it ended well."""
    if execution.compile_error is not None:
        return Verdict.COMPILE_ERROR, execution.compile_error
    if execution.limit is not None:
        return LIMIT_VERDICTS[execution.limit], execution.describe()
    if execution.truncated:
        return Verdict.OUTPUT_LIMIT, "the output was cut at the limit"
    if execution.exit_code != 0:
        return Verdict.RUNTIME_ERROR, execution.describe()
    return Verdict.CORRECT, ""


async def _run_calls(
    problem: Problem,
    program: str,
    sandbox: Sandbox,
    policy: Policy,
    budget: Budget,
    tests: Sequence[CallTest],
    start: int,
    *,
    stops: bool,
) -> tuple[list[CaseFact], str]:
    entry = entry_point(problem, program)
    tolerance = problem.tolerance if policy.tolerance is None else policy.tolerance
    batches = [tests[at : at + CALLS_A_JOB] for at in range(0, len(tests), CALLS_A_JOB)]
    jobs = [
        Job(
            program=program,
            calls=tuple(test.call for test in batch),
            entry_point=entry,
            prelude=problem.prelude,
            limits=policy.limits,
            keep_going=not stops,
        )
        for batch in batches
    ]
    judged: dict[int, list[CaseFact]] = {}

    def fails(index: int, execution: Execution) -> bool:
        if execution.lost is not None:
            return True
        first = start + index * CALLS_A_JOB
        judged[index] = _judge_calls(execution, batches[index], first, tolerance)
        budget.spend(execution)
        return (stops and not all(_passed(judged[index]))) or budget.used_up

    executions = await sandbox.run_async(jobs, stop=fails if len(jobs) > 1 else None)
    _raise_if_lost(executions)
    await _raise_if_setup_fails(problem, sandbox, policy, executions[0])
    facts: list[CaseFact] = []
    for index, execution in enumerate(executions):
        if index not in judged:
            size = sum(result.size for result in execution.calls)
            await asyncio.to_thread(fails, index, execution) if size > LONG_RESULTS else fails(index, execution)
        facts += judged[index]
    if stops:
        passed = _passed(facts)
        facts = facts if all(passed) else facts[: passed.index(False) + 1]
    return facts, _isolation(executions)


async def _raise_if_setup_fails(problem: Problem, sandbox: Sandbox, policy: Policy, first: Execution) -> None:
    """What a row runs beside the program is the row's fault where it raises, exits or meets a limit.

    All that shows of a prelude that does is a process that ended without a word: not loaded, no exception, no compile error. A
    program can end so too, while it is loaded. So the prelude runs once more, before a program that can't fail and in a box that
    no submission was in. Imports behind the program raise like the program itself; they run along, in the few rows that have some.
    """
    said = first.error if not problem.imports else None
    spoke = first.loaded or first.calls or first.driver or said is not None or first.compile_error is not None
    if spoke or not (problem.prelude or problem.imports):
        return
    job = Job(
        program=f"{problem.imports}{BLAMELESS}",
        calls=(Call(),),
        entry_point="blameless",
        prelude=problem.prelude,
        limits=policy.limits,
        trusted=True,
    )
    alone = (await sandbox.run_async([job]))[0].raise_if_lost()
    if alone.calls:
        return
    why = alone.stderr_text.strip().rpartition("\n")[2] if alone.limit is None else ""
    raise GroundTruthError(f"the row's set-up code fails without any program: {why[:200] or alone.describe()}")


def _judge_calls(execution: Execution, tests: Sequence[CallTest], first: int, tolerance: float) -> list[CaseFact]:
    """One fact a test. A process that ended early fails the call it was in, and the calls it never came to."""
    facts: list[CaseFact] = []
    for offset, test in enumerate(tests):
        index = first + offset
        if offset < len(execution.calls):
            facts.append(_judge_call(index, execution.calls[offset], test, execution.memory_mb, tolerance))
            continue
        verdict, reason = how_it_ended(execution)
        if verdict is Verdict.CORRECT:
            verdict, reason = Verdict.RUNTIME_ERROR, "the program ended before it had answered every call"
        if offset > len(execution.calls):
            reason = f"not reached: {reason}"
        facts.append(CaseFact(index, verdict, f"{reason}; input {test.shown_input()}", 0.0, execution.memory_mb))
    return facts


def _judge_call(index: int, result: CallResult, test: CallTest, memory_mb: float, tolerance: float) -> CaseFact:
    if result.returned:
        if test.expected.met_by(result.value, tolerance):
            return CaseFact(index, Verdict.CORRECT, "", result.cpu_s, memory_mb)
        verdict = Verdict.WRONG
        reason = f"returned {show(result.value)}, expected {test.expected.describe()}"
    elif str(result.error).startswith(TOO_LONG):
        verdict, reason = Verdict.WRONG, f"{result.error}, expected {test.expected.describe()}"
    else:
        reason = str(result.error)
        verdict = _error_verdict(reason)
    return CaseFact(index, verdict, f"{reason}; input {test.shown_input()}", result.cpu_s, memory_mb)


def _error_verdict(error: str) -> Verdict:
    """A call's error says an exception, or the limit that ended its process."""
    word = error.partition(" ")[0]
    if error.startswith(("cpu limit", "wall limit", "memory limit", "output limit", "file limit")):
        return LIMIT_VERDICTS[word]  # pyright: ignore[reportArgumentType]
    return Verdict.MEMORY_LIMIT if error.startswith("MemoryError") else Verdict.RUNTIME_ERROR


async def _run_driver(problem: Problem, program: str, sandbox: Sandbox, policy: Policy) -> tuple[list[CaseFact], str]:
    job = Job(
        program=program,
        entry_point=entry_point(problem, program),
        prelude=problem.prelude,
        driver=problem.driver,
        limits=policy.limits,
    )
    executions = await sandbox.run_async([job])
    _raise_if_lost(executions)
    execution = executions[0]
    await _raise_if_setup_fails(problem, sandbox, policy, execution)
    verdict, reason = _driver_verdict(execution, execution.driver)
    return [CaseFact(0, verdict, reason, execution.cpu_s, execution.memory_mb)], execution.isolation


def _driver_verdict(execution: Execution, outcome: DriverResult | None) -> tuple[Verdict, str]:
    if outcome is not None and outcome.passed:
        if not outcome.calls:
            raise GroundTruthError("the row's test program never calls the program")
        return Verdict.CORRECT, ""
    ended, reason = how_it_ended(execution)
    if ended is not Verdict.CORRECT:
        return ended, reason
    if outcome is None:
        return Verdict.RUNTIME_ERROR, execution.error or "the program ended before the tests did"
    error = outcome.error or "the test program did not end"
    if outcome.broken or not outcome.calls:
        raise GroundTruthError(f"the row's test program fails by itself: {error}")
    if error.startswith("AssertionError"):
        return Verdict.WRONG, f"an assert of the tests fails{error.removeprefix('AssertionError')}"
    return Verdict.RUNTIME_ERROR, error


def _conclude(problem: Problem, facts: list[CaseFact], total: int, policy: Policy, isolation: str) -> Judgement:
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


def _raise_if_lost(executions: Sequence[Execution]) -> None:
    for execution in executions:
        execution.raise_if_lost()


def _isolation(executions: Sequence[Execution]) -> str:
    return executions[0].isolation if executions else ""
