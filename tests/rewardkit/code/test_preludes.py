"""Whose fault it is that a process ends before its program is loaded: the row's prelude, or the program."""

import asyncio
import re

import pytest

from rewardkit.code.formats import read_problem
from rewardkit.code.judge import judge
from rewardkit.code.policy import Policy
from rewardkit.errors import GroundTruthError
from rewardkit.types import Verdict
from sandboxes.backends.fake import FakeSandbox
from sandboxes.base import CallResult, Execution, Limits
from sandboxes.registry import open_sandbox

LEETCODE, HUMANEVAL, HUMANEVAL_DRIVER = "leetcode", "humaneval", "humaneval driver"
RIGHT = {LEETCODE: "class Solution:\n    def f(self, n): return n + 1"}
ASSERT = "    assert candidate(3) == 4\n"
QUICK = Limits(cpu_s=0.4, wall_s=0.8, memory_mb=256)


def crossed(*cases):
    """Each case in each shape and mode. What only a clock ends is slow, and a mode changes nothing about clocks."""
    return [
        pytest.param(shape, mode, *case, marks=[pytest.mark.slow] * bool(mode == "fraction" and re.search("True|sleep", case[0])))
        for case in cases
        for shape in (LEETCODE, HUMANEVAL, HUMANEVAL_DRIVER)
        for mode in ("all_or_nothing", "fraction")
    ]  # fmt: skip


def row_of(shape, prelude):
    if shape == LEETCODE:
        return {"prompt": prelude, "entry_point": "Solution().f", "test": f"def check(candidate):\n{ASSERT}"}
    body = ASSERT if shape == HUMANEVAL else f"    for _ in range(2):\n    {ASSERT}"
    return {"prompt": f"{prelude}\ndef f(n):\n", "entry_point": "f", "test": f"def check(candidate):\n{body}"}


@pytest.fixture(scope="module", params=["unsafe", pytest.param("docker", marks=pytest.mark.docker)])
def real(request):
    with open_sandbox(request.param, workers=1) as sandbox:
        yield sandbox


def judge_row(sandbox, shape, prelude, program=None, *, mode="all_or_nothing"):
    problem = read_problem(row_of(shape, prelude))
    assert bool(problem.drivers) is (shape == HUMANEVAL_DRIVER)
    program = program or RIGHT.get(shape, "def f(n): return n + 1")
    return asyncio.run(judge(problem, program, sandbox, Policy(mode=mode, limits=QUICK)))


@pytest.mark.long
@pytest.mark.parametrize(
    ("shape", "mode", "prelude", "why"),
    crossed(
        ("from math import no_such_name\n", "ImportError: .*no_such_name"),
        ("x = undefined_name\n", "undefined_name"),
        ("x = int('x')\n", "ValueError: invalid literal"),
        ("x = [0] * (1 << 33)\n", "MemoryError"),
        ("while True: pass\n", "cpu limit after"),
        ("import time\ntime.sleep(600)\n", "wall limit after"),
        ("import os\nos._exit(0)\n", "exit code 0"),
        ("import os\nos.abort()\n", "SIGABRT"),
    ),
)
def test_a_row_whose_prelude_fails_is_unjudged_in_one_line(real, shape, mode, prelude, why):
    with pytest.raises(GroundTruthError, match=f"set-up code fails without any program: .*{why}") as raised:
        judge_row(real, shape, prelude, mode=mode)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("shape", "mode", "program", "verdict"),
    crossed(
        ("import os\nos._exit(70)", Verdict.RUNTIME_ERROR),
        ("import os\nos._exit(0)", Verdict.RUNTIME_ERROR),
        ("import os\nos.abort()", Verdict.RUNTIME_ERROR),
        ("import os\nos.ftruncate(200, 0)\nos._exit(70)", Verdict.RUNTIME_ERROR),
        ("from math import no_such_name", Verdict.RUNTIME_ERROR),
        ("x = [0] * (1 << 33)", Verdict.MEMORY_LIMIT),
        ("while True: pass", Verdict.TIME_LIMIT),
        ("import time\ntime.sleep(600)", Verdict.TIME_LIMIT),
        ("x = (", Verdict.COMPILE_ERROR),
    ),
)
def test_no_program_can_pretend_that_its_prelude_fails(real, shape, mode, program, verdict):
    judgement = judge_row(real, shape, "import math\n", program, mode=mode)
    assert (judgement.value, judgement.verdict) == (0.0, verdict)


@pytest.mark.parametrize("shape", [LEETCODE, HUMANEVAL, HUMANEVAL_DRIVER])
def test_a_prelude_that_works_is_no_hindrance(real, shape):
    assert judge_row(real, shape, "import math\n").verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    "execution",
    [
        Execution(exit_code=0, loaded=True, calls=(CallResult(value=9),)),
        Execution(exit_code=1, error="NameError: name 'x' is not defined"),
        Execution(exit_code=1, compile_error="SyntaxError: invalid syntax"),
        Execution(limit="cpu", loaded=True),
    ],
)
def test_a_prelude_runs_alone_only_where_the_program_ended_without_a_word(execution):
    box = FakeSandbox(lambda job: execution)
    judgement = asyncio.run(judge(read_problem(row_of(LEETCODE, "import math\n")), "pass", box, Policy()))
    assert judgement.value == 0.0
    assert len(box.seen) == 1


def test_a_prelude_runs_alone_in_a_box_that_no_submission_was_in():
    box = FakeSandbox(lambda job: Execution(exit_code=0, calls=(CallResult(value=0),) if job.trusted else ()))
    judgement = asyncio.run(judge(read_problem(row_of(LEETCODE, "import math\n")), "pass", box, Policy()))
    assert judgement.verdict is Verdict.RUNTIME_ERROR
    assert [(job.trusted, job.prelude == box.seen[0].prelude) for job in box.seen] == [(False, True), (True, True)]


def test_tests_that_fail_before_they_call_the_program_are_the_rows_fault(real):
    row = {
        "prompt": "",
        "entry_point": "f",
        "test": "def check(candidate):\n    for _ in (1, 2):\n        assert 1 == 2\n        candidate(1)\n",
    }
    with pytest.raises(GroundTruthError, match="test program fails by itself: AssertionError"):
        asyncio.run(judge(read_problem(row), "def f(n): return n", real, Policy()))


MADE = {"test_list": ["assert f(Node(3)) == 4"], "test_imports": ["import math"], "test_setup_code": "root = Node(1)"}
NODE = "class Node:\n    def __init__(self, n): self.n = n\ndef f(node): return node.n + 1"


@pytest.mark.parametrize(
    ("imports", "program", "verdict"),
    [
        ("import math", NODE, Verdict.CORRECT),
        ("import math", "def f(node): return 4", Verdict.RUNTIME_ERROR),  # set-up code needs the program's own class
        ("import math", "import no_such_module", Verdict.RUNTIME_ERROR),
        ("import no_such_module", NODE, None),
        ("from math import no_such_name", NODE, None),
        ("import math as", NODE, None),
    ],
)
def test_imports_behind_the_program_are_the_rows_own(real, imports, program, verdict):
    row = {**MADE, "test_imports": [imports]}
    if verdict is None:
        with pytest.raises(GroundTruthError, match=r"no_such|do not parse"):
            asyncio.run(judge(read_problem(row), program, real, Policy()))
        return
    problem = read_problem(row)
    assert problem.epilogue
    assert asyncio.run(judge(problem, program, real, Policy())).verdict is verdict
