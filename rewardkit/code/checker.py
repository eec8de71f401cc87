"""Special judges: a row's own checker program, run in a box that never sees submissions."""

from __future__ import annotations

from rewardkit.errors import GroundTruthError
from sandboxes.base import Execution, Job, Limits, Sandbox

LIMITS = Limits(cpu_s=10.0, memory_mb=512)

INPUT, EXPECTED, OUTPUT = "input.txt", "correct_output.txt", "solution_output.txt"
"""The checker's three arguments, in this order, as open-r1's codeforces checkers take them."""


async def ask_checker(checker: str, sandbox: Sandbox, stdin: str, expected: str, output: bytes) -> bool:
    """True where the checker prints 1 (or a full score of 1.0).

    A checker that breaks down on an output has refused it, if it accepts the expected output; if it does not even do
    that, it is the row that is broken.
    """
    execution = await _run(checker, sandbox, stdin, expected, output)
    answer = _answer(execution)
    if answer:
        return True
    if _answer(await _run(checker, sandbox, stdin, expected, expected.encode())) is not True:
        why = execution.describe() if answer is None else "it refuses the expected output"
        raise GroundTruthError(f"the row's special judge does not work: {why}")
    return False


async def _run(checker: str, sandbox: Sandbox, stdin: str, expected: str, output: bytes) -> Execution:
    files: dict[str, str | bytes] = {INPUT: stdin, EXPECTED: expected, OUTPUT: output}
    job = Job(program=checker, argv=(INPUT, EXPECTED, OUTPUT), files=files, limits=LIMITS, trusted=True)
    return (await sandbox.run_async([job]))[0].raise_if_lost()


def _answer(execution: Execution) -> bool | None:
    """What the checker said; None where it said nothing usable."""
    words = execution.stdout_text.split()
    if not execution.finished or not words:
        return None
    try:
        return float(words[-1]) >= 1
    except ValueError:
        return None
