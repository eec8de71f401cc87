"""What a program does to the working directory itself, which may belong to its user, the next one does not see."""

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
