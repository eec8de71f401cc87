"""What a program does to the working directory itself, which may belong to its user, the next one does not see."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandboxes import Job

LOOK = """import os
found = os.stat(".")
print(oct(found.st_mode), os.listxattr("."), not {found.st_atime_ns, found.st_mtime_ns} & {int(time) for time in input().split()})
open("x", "w").write("1")
print(open("x").read())"""


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    mode=st.integers(0, 0o7777),
    times=st.tuples(st.integers(1, 1 << 40), st.integers(1, 1 << 40)),
    value=st.binary(max_size=9),
)
def test_a_program_leaves_the_working_directory_as_it_found_it(sandbox, mode, times, value):
    changes = [f"os.chmod('.', {mode})", f"os.utime('.', ns={times})", f"os.setxattr('.', 'user.a', {value!r})"]
    tries = [f"try: {change}\nexcept OSError: pass" for change in reversed(changes)]
    told = []
    for program in ("pass", "\n".join(["import os", *tries])):
        assert sandbox.run([Job(program=program)])[0].exit_code == 0
        told.append(sandbox.run([Job(program=LOOK, stdin=" ".join(map(str, times)))])[0].stdout_text)
    assert told[1] == told[0]
    assert told[1].endswith(" True\n1\n")


READS = [
    "import os\nprint(open(__file__).read() == {0!r}, os.listdir())",
    "import os, sys\nprint(open(sys.argv[0]).read() == {0!r}, os.listdir())",
    "import os, multiprocessing\nmultiprocessing.get_context('spawn')\nprint(True, os.listdir())",
]


@pytest.mark.parametrize("program", READS)
def test_a_program_that_may_look_for_itself_finds_itself(sandbox, program):
    source = program.replace("{0!r}", "__import__('sys').stdin.read()")
    ran = sandbox.run([Job(program=source, stdin=source)])[0]
    assert ran.stdout_text == "True ['main.py']\n", ran.stderr_text


def test_any_other_finds_an_empty_directory(sandbox):
    assert sandbox.run([Job(program="import os\nprint(os.listdir())")])[0].stdout_text == "[]\n"
