"""The imports that a prelude begins with: a few known blocks made once in the forker, the same to every program."""

import json
import shutil

import pytest

from rewardkit.code.formats._calls import CALL_PRELUDE
from sandboxes import Call, Job, open_sandbox
from sandboxes.agent.preload import BLOCKS, MODULES, namespace, split

LEETCODE = BLOCKS[2]
REST = "inf = float('inf')\n\ndef helper(x):\n    return x + 1\n"


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_and_the_rest_are_the_prelude(block):
    number, rest = split(block + REST)
    assert BLOCKS[number] + rest == block + REST
    assert number == BLOCKS.index(block)
    assert split("x = 1\n" + block)[0] == 0


def test_the_forker_imports_nothing_that_a_text_names():
    for number, block in enumerate(BLOCKS):
        assert split(block) == (number, "")
        assert all(line.startswith(("import ", "from ")) for line in block.partition("class ")[0].splitlines() if line)
    assert split("import os\n") == (0, "import os\n")


def test_leetcodes_own_imports_are_a_block():
    assert split(CALL_PRELUDE)[0] == len(BLOCKS) - 1


def test_a_block_holds_what_it_names_and_nothing_of_another():
    first, second = namespace(2), namespace(0)
    assert (first.inf > 1, first.pow(2, 3), first.math.__name__) == (True, 8.0, "math")  # `operator.pow` is overwritten
    assert not hasattr(second, "inf")
    assert {"math", "heapq", "typing", "bisect"} <= set(MODULES)


@pytest.fixture(params=[pytest.param("docker", marks=pytest.mark.docker), "local", "unsafe"])
def sandbox(request):
    if request.param == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with open_sandbox(request.param, workers=1) as opened:
        yield opened


SEEN = """
import json, sys
names = sorted(name for name in globals() if name not in ("json", "sys"))
def f(n):
    me = sys.modules["__main__"].__dict__ is globals(), sys.modules["solution"].__dict__ is globals(), __name__, f.__module__
    return json.dumps([names, [str(name) for name in me], __file__.rpartition("/")[2], helper(n), gcd(12, n), inf > 1, str(ListNode)])
"""


def job(program, entry_point="f", calls=1, head=LEETCODE):
    return Job(
        program=program,
        prelude=head + REST,
        entry_point=entry_point,
        calls=tuple(Call(args=(n,)) for n in range(calls)),
    )


def answers(sandbox, *jobs):
    """Each job alone in turn."""
    return [[result.value for result in sandbox.run([each])[0].calls] for each in jobs]


def test_a_program_finds_the_same_whoever_made_its_imports(sandbox):
    alone, *others = answers(sandbox, *[job(SEEN, calls=3)] * 4)
    assert [json.loads(value)[3:5] for value in alone] == [[1, 12], [2, 1], [3, 2]]
    assert others == [alone] * 3


def test_nothing_that_a_program_does_to_its_imports_reaches_the_next(sandbox):
    spoil = job(
        "import math\nmath.inf = 3\nmath.gcd = None\ndef gcd(*a): return 7\nhelper = None\ndef f(n): return [gcd(), n]\n"
    )
    good = job("def f(n): return [gcd(12, 8), math.gcd(12, 8), helper(1)]")
    assert answers(sandbox, good, spoil, good, spoil, good) == [[[4, 4, 2]], [[7, 0]]] * 2 + [[[4, 4, 2]]]


@pytest.mark.parametrize("name", ["merge", "Solution.merge"])
def test_an_imported_function_never_stands_in_for_the_programs_own(sandbox, name):
    for _ in range(3):
        execution = sandbox.run([job("x = 1", entry_point=name)])[0]
        assert (execution.calls, "defines no" in execution.error) == ((), True)


def test_random_numbers_of_an_imported_function_differ_from_run_to_run(sandbox):
    drawn = answers(sandbox, *[job("def f(n): return random()", head="from random import *\nfrom math import *\n")] * 4)
    assert len({value for (value,) in drawn}) == 4


def test_an_unknown_block_is_as_good(sandbox):
    modules = ("math", "heapq", "bisect", "typing", "string", "operator", "copy")
    heads = [f"import {module}\nfrom math import *\n" for module in modules]
    jobs = [
        job(f"def f(n): return [{module}.__name__, gcd(12, 8)]", head=head)
        for module, head in zip(modules, heads, strict=True)
    ]
    for _ in range(2):
        assert answers(sandbox, *jobs) == [[[module, 4]] for module in modules]


def test_a_prelude_that_cannot_be_imported_is_its_own_programs_failure(sandbox):
    for _ in range(3):
        broken = sandbox.run([job("def f(n): return n", head="from math import no_such_name\n")])[0]
        assert (broken.calls, broken.lost) == ((), None)
        assert answers(sandbox, job("def f(n): return n")) == [[0]]
