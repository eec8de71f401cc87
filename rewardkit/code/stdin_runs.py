"""Tests that are runs of the program as a script: what it reads, what it must print."""

from __future__ import annotations

from collections.abc import Sequence

from rewardkit.code.checker import ask_checker
from rewardkit.code.compare import TextRule, difference
from rewardkit.code.facts import Budget, CaseFact, how_it_ended, raise_if_lost
from rewardkit.code.policy import Policy
from rewardkit.code.problem import Problem, StdinTest
from rewardkit.types import Verdict
from sandboxes.base import Execution, Job, Sandbox

_COPY_FILE = """\
def _rewardkit_copy(path):
    import os
    pid = os.fork()
    if pid == 0:
        os.dup2(2, 1)
        return
    status = os.waitpid(pid, 0)[1]
    try:
        with open(path, "rb") as file, open(1, "wb", closefd=False) as out:
            while part := file.read(1 << 16):
                out.write(part)
    except OSError:
        pass
    if os.WIFSIGNALED(status):
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))

_rewardkit_copy({path!r})
del _rewardkit_copy
"""
"""Before a program that writes its answer to a file: that file is its output, once the program has ended, and stdout is not."""


def stdin_job(problem: Problem, program: str, test: StdinTest, policy: Policy) -> Job:
    """One run. Where the row names files, they stand for the streams."""
    if not (problem.input_file or problem.output_file):
        return Job(program=program, stdin=test.stdin, limits=policy.limits)
    files: dict[str, str | bytes] = {problem.input_file: test.stdin} if problem.input_file else {}
    prelude = _COPY_FILE.format(path=problem.output_file) if problem.output_file else ""
    stdin = "" if files else test.stdin
    return Job(program=program, stdin=stdin, files=files, prelude=prelude, limits=policy.limits)


async def run_stdin(
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
    """A fact for each test that ran, and how strong the isolation was. With `stops`, the first failure is the last."""
    jobs = [stdin_job(problem, program, test, policy) for test in tests]
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
    raise_if_lost(executions)
    facts: list[CaseFact] = []
    for index, execution in enumerate(executions):
        fact = judged[index]
        if fact.passed and problem.checker is not None:
            fact = await _ask(problem.checker, sandbox, tests[index], execution, fact)
        facts.append(fact)
        if stops and not fact.passed:
            break
    return facts, executions[0].isolation if executions else ""


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
