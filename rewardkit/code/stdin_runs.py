"""Tests that are runs of the program as a script: what it reads, what it must print."""

from __future__ import annotations

from rewardkit.code.checker import Checker, ask_checker
from rewardkit.code.compare import TextRule, difference
from rewardkit.code.facts import NOT_RUN, Budget, CaseFact, Trial, how_it_ended, raise_if_lost
from rewardkit.code.policy import Policy
from rewardkit.code.problem import Problem, StdinTest
from rewardkit.types import Verdict
from sandboxes.base import Execution, Job, Sandbox


def stdin_job(problem: Problem, program: str, test: StdinTest, policy: Policy) -> Job:
    """One run. If the row names files, they stand for the streams."""
    language = problem.language or "python"
    if not (problem.input_file or problem.output_file):
        return Job(program=program, stdin=test.stdin, language=language, limits=policy.limits)
    files: dict[str, str | bytes] = {problem.input_file: test.stdin} if problem.input_file else {}
    fetch = (problem.output_file,) if problem.output_file else ()
    stdin = "" if files else test.stdin
    return Job(program=program, stdin=stdin, language=language, files=files, fetch=fetch, limits=policy.limits)


def printed(problem: Problem, execution: Execution) -> bytes:
    """What counts as the program's output: stdout, or the file that the row names."""
    return execution.files.get(problem.output_file, b"") if problem.output_file else execution.stdout


async def run_stdin(trial: Trial, places: range, *, stops: bool) -> list[CaseFact]:
    """A fact for each test that ran. With `stops`, the first failure is the last."""
    problem, policy, budget = trial.problem, trial.policy, trial.budget
    tests = problem.stdin_tests[places.start : places.stop]
    jobs = [stdin_job(problem, trial.program, test, policy) for test in tests]
    rule = policy.compare or (TextRule.parse(problem.compare) if problem.compare else TextRule())
    judged: dict[int, CaseFact] = {}

    def fails(index: int, execution: Execution) -> bool:
        if execution.lost is not None:
            return True
        checked = problem.checker is not None
        judged[index] = _judge_output(
            places[index], execution, printed(problem, execution), tests[index], rule, checked=checked
        )
        budget.spend(execution)
        return (stops and not judged[index].passed) or budget.used_up

    executions = await trial.sandbox.run_async(jobs, stop=fails)
    raise_if_lost(executions)
    trial.isolation = executions[0].isolation
    facts: list[CaseFact] = []
    refusals = Budget(policy.limits)
    for index, execution in enumerate(executions):
        fact = judged[index]
        if fact.passed and problem.checker is not None:
            output = printed(problem, execution)
            fact = await _ask(problem.checker, trial.sandbox, tests[index], output, fact, policy, refusals)
        facts.append(fact)
        if stops and not fact.passed:
            break
    return facts


async def _ask(
    checker: Checker, sandbox: Sandbox, test: StdinTest, output: bytes, fact: CaseFact, policy: Policy, refusals: Budget
) -> CaseFact:
    """The fact about an output that the checker has been asked about. An output can make it take long, so the runs that refuse one
    have a budget together.
    """
    if refusals.used_up:
        return CaseFact(fact.index, Verdict.TIME_LIMIT, NOT_RUN, fact.cpu_s, fact.memory_mb)
    accepted, run = await ask_checker(checker, sandbox, test.stdin, test.expected, output, policy.testlib)
    if accepted:
        return fact
    refusals.spend(run)
    return CaseFact(fact.index, Verdict.WRONG, "the row's checker refuses the output", fact.cpu_s, fact.memory_mb)


def _judge_output(
    index: int, execution: Execution, output: bytes, test: StdinTest, rule: TextRule, *, checked: bool
) -> CaseFact:
    verdict, reason = how_it_ended(execution)
    if verdict is Verdict.CORRECT and not checked:
        wrong = difference(rule, output.decode("utf-8", "replace"), test.expected)
        if wrong is not None:
            verdict, reason = Verdict.WRONG, wrong
    if verdict is not Verdict.CORRECT:
        reason = f"{reason}; input {test.shown_input()}"
    return CaseFact(index, verdict, reason, execution.cpu_s, execution.memory_mb)
