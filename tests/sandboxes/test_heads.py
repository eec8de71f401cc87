"""The imports that a prelude begins with: made once in the agent, the same to every program."""

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import Call, Job, open_sandbox
from sandboxes.agent.__main__ import PRELOAD
from sandboxes.agent.heads import LIBRARY, LONGEST, MOST, build, is_head, split
from sandboxes.agent.intake import ON_DEMAND

LEETCODE = "import random\nimport math\n\nfrom typing import *\nfrom heapq import *\nfrom operator import *\nfrom math import *\n\n"
REST = "inf = float('inf')\n\ndef helper(x):\n    return x + 1\n"

LINES = [
    "import math", "import math, heapq", "import bisect,copy", "from typing import *", "from math import gcd, inf", "", "import os",
    "import math as os", "from math import (gcd)", "from os import system", "import numpy", "x = 1", "import math; x = 1", " import math",
    "from math import gcd as g", "import collections.abc", "from . import x", "import math # y", "from __future__ import annotations",
]  # fmt: skip


@given(st.lists(st.sampled_from(LINES)), st.sampled_from(["\n", "\r\n", "\\\n", ";\n"]))
def test_a_head_and_the_rest_are_the_prelude(lines, end):
    prelude = end.join(lines)
    head, rest = split(prelude)
    assert head + rest == prelude
    assert is_head(head)
    for line in head.splitlines():
        assert line in LINES[:6]


def test_what_follows_the_first_other_line_is_no_head():
    assert split(LEETCODE + REST) == (LEETCODE, REST)
    assert split("x = 1\n" + LEETCODE) == ("", "x = 1\n" + LEETCODE)
    assert split("import math") == ("", "import math")  # without the line's end it may go on


@pytest.mark.parametrize(
    "text",
    [
        "import os\n", "import math as bisect\n", "import math\nimport os\n", "from math import inf\nx = 1\n", "import math; import os\n",
        "from math import (\ninf)\n", "import math, os\n", "import math\\\n.os\n", "import ｍath\n", "import math\n" * LONGEST,
    ],
)  # fmt: skip
def test_nothing_else_is_ever_run_in_an_agent(text):
    with pytest.raises(ValueError, match="more than imports"):
        build(text)


def test_a_built_head_holds_what_it_names_and_nothing_of_before():
    first, second = build(LEETCODE), build("import bisect\n")
    assert (first.inf > 1, first.pow(2, 3), first.random.__name__) == (
        True,
        8.0,
        "random",
    )  # `operator.pow` is overwritten
    assert not hasattr(second, "inf")


def test_an_agent_has_the_whole_library():
    assert set(LIBRARY) <= {*PRELOAD, *ON_DEMAND, "sys"}


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
    """Each job alone in turn: the first of a head runs it in its own fork, later ones find it."""
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


def test_more_heads_than_an_agent_keeps_are_as_good(sandbox):
    modules = ("math", "heapq", "bisect", "typing", "string", "operator", "copy")
    assert len(modules) > MOST
    heads = [f"import {module}\nfrom math import *\n" for module in modules]
    jobs = [
        job(f"def f(n): return [{module}.__name__, gcd(12, 8)]", head=head)
        for module, head in zip(modules, heads, strict=True)
    ]
    for _ in range(2):
        assert answers(sandbox, *jobs) == [[[module, 4]] for module in modules]


def test_a_head_that_cannot_be_imported_is_its_own_programs_failure(sandbox):
    for _ in range(3):
        broken = sandbox.run([job("def f(n): return n", head="from math import no_such_name\n")])[0]
        assert (broken.calls, broken.lost) == ((), None)
        assert answers(sandbox, job("def f(n): return n")) == [[0]]


def test_later_programs_find_the_imports_made(sandbox):
    """Its file's name is the last thing that a fork adds to a module that was there before it."""
    look = job("def f(n):\n    names = list(globals())\n    return names.index('gcd') < names.index('__file__')")
    assert answers(sandbox, look, look, look) == [[False], [True], [True]]
