"""What is remembered of a compilation, with a compiler that fails on command."""

import pytest

from sandboxes import Execution, Job
from sandboxes import compile as compiling

JOB = Job(program="int main() {}", language="c")


class Clean:
    unclean = None
    isolation = "none"


@pytest.mark.parametrize(
    ("outcomes", "asked"),
    [
        ([Execution(lost="gone"), b"binary"], 2),
        ([b"binary"], 1),
        ([Execution(compile_error="bad"), b"the smallest program"], 2),
    ],
)
def test_what_compiled_or_cannot_is_remembered_and_what_was_lost_is_not(monkeypatch, outcomes, asked):
    left = list(outcomes)
    monkeypatch.setattr(compiling, "_compile", lambda *_: left.pop(0))
    compiler = compiling.Compiler()
    first = compiler.prepare(Clean(), JOB)
    second = compiler.prepare(Clean(), JOB)
    assert len(outcomes) - len(left) == asked
    if isinstance(outcomes[0], Execution) and outcomes[0].lost:
        assert first.lost == "gone"
        assert second.program == b"binary"
    else:
        assert first == second


FULL = Execution(compile_error="error: /tmp/out: No space left on device")


@pytest.mark.parametrize("probe", [b"the smallest program", FULL])
@pytest.mark.parametrize("before", [True, False], ids=["one compiled before", "none did"])
def test_a_full_disk_is_the_programs_fault_only_if_the_smallest_program_fits(monkeypatch, probe, before):
    outcomes = [*([b"binary"] if before else []), FULL, probe, b"binary"]
    monkeypatch.setattr(compiling, "_compile", lambda *_: outcomes.pop(0))
    compiler = compiling.Compiler()
    if before:
        compiler.prepare(Clean(), Job(program="another", language="c"))
    first, second = compiler.prepare(Clean(), JOB), compiler.prepare(Clean(), JOB)
    if probe is FULL:
        assert (first.lost is not None, second.program) == (True, b"binary")
    else:
        assert first == second == FULL
