"""Both corpora against real sandboxes: no attack is paid, none leaves a trace or a dead box, no honest program is refused."""

import importlib.util
import sys
from pathlib import Path

import pytest

from sandboxes import Call, Job, Limits, open_sandbox
from sandboxes.selfcheck import LOOK
from sandboxes.values import decode, encode


def _load(name):
    spec = importlib.util.spec_from_file_location(
        f"sandbox_corpus_{name}", Path(__file__).parent / "corpus" / f"{name}.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


hostile, honest = _load("hostile"), _load("honest")
LIMITS = Limits(cpu_s=1.0, wall_s=4.0, memory_mb=256, output_bytes=8 << 20, file_bytes=16 << 20)
HASTY = LIMITS.model_copy(update={"cpu_s": 0.4, "wall_s": 1.2})
"""For attacks that only a clock ends."""
PATIENT = LIMITS.model_copy(update={"cpu_s": 20.0, "wall_s": 80.0})
"""For attacks on memory, files and output: on a slow machine no clock comes before the limit that is meant."""
GENEROUS = Limits(cpu_s=10.0)
WEAK_CANNOT = {
    "a memory bomb": "no cgroup: the bound on a whole process is the address space, so another limit may come first",
    "a memory bomb in children": "no cgroup counts a family of processes",
    "a memory bomb in a memfd": "no cgroup counts memory that no process has mapped",
}
"""What `local` does not promise."""


@pytest.fixture(
    scope="module",
    params=[pytest.param("docker", marks=pytest.mark.docker), pytest.param("local", marks=pytest.mark.slow)],
)
def sandbox(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sandboxes.warm_boxes.CORES", 1
        )  # one box does it all, so that the probe looks where the attack was
        with open_sandbox(request.param, workers=1) as opened:
            yield opened


def job(case, test, limits):
    if case.kind == "stdio":
        return Job(program=case.program, stdin=test, limits=limits)
    calls = tuple(Call(args=tuple(encode(value) for value in args)) for args in test)
    return Job(program=case.program, entry_point=getattr(case, "entry_point", None) or "f", calls=calls, limits=limits)


def paid(case, execution, x):
    """Whether the program gave the right answer for x, by the most generous reading of its facts."""
    if case.kind == "stdio":
        return execution.finished and execution.stdout.split() == [str(hostile.answer(x)).encode()]
    return len(execution.calls) == 1 and execution.calls[0].returned and execution.calls[0].value == hostile.answer(x)


def probe(sandbox):
    """A look around from the next program: files and processes that it finds."""
    return Job(program=LOOK, limits=Limits(cpu_s=5))


@pytest.mark.parametrize("case", hostile.HOSTILE, ids=lambda case: case.name)
def test_no_attack_is_paid_and_none_leaves_a_trace(sandbox, case):
    if sandbox.isolation == "weak" and case.name in WEAK_CANNOT:
        pytest.skip(WEAK_CANNOT[case.name])
    inputs = hostile.INPUTS[: 1 if case.limit else 2]
    tests = [f"{x}\n" if case.kind == "stdio" else ((x,),) for x in inputs]
    limits = (HASTY if {"cpu", "wall"} & set(case.limit) else PATIENT) if case.limit else LIMITS
    jobs = [job(case, test, limits) for test in tests]
    *facts, after = sandbox.run([*jobs, probe(sandbox)], stop=lambda _index, _facts: False)
    assert [execution.lost for execution in (*facts, after)] == [None] * (len(jobs) + 1)
    assert not all(paid(case, execution, x) for execution, x in zip(facts, inputs, strict=True))
    if case.limit:
        assert facts[0].limit in case.limit, facts[0].describe()
    said = set(facts[0].stdout[:10_000].splitlines())
    assert not said & {
        b"kept",
        b"reached",
        b"root",
        b"new",
        b"mounted",
        b"traced",
        b"wrote",
        b"done",
        b"found",
        b"open",
        b"['open']",
    }
    assert after.stdout == b"[] []\n", after.describe()


@pytest.mark.parametrize("case", honest.HONEST, ids=lambda case: case.name)
def test_no_honest_program_is_refused(sandbox, case):
    if sandbox.isolation == "weak" and case.name in _missing_here():
        pytest.skip("this machine's Python has no such package")
    if case.kind == "stdio":
        facts = sandbox.run([job(case, stdin, GENEROUS) for stdin, _ in case.tests])
        for execution, (_, expected) in zip(facts, case.tests, strict=True):
            assert execution.finished, (execution.describe(), execution.stderr_text)
            assert execution.stdout_text.split() == expected.split()
        return
    execution = sandbox.run([job(case, [args for args, _ in case.tests], GENEROUS)])[0]
    assert execution.finished, (execution.describe(), execution.stderr_text)
    assert [call.error for call in execution.calls] == [None] * len(case.tests)
    for call, (_, expected) in zip(execution.calls, case.tests, strict=True):
        assert as_lists(decode(call.value)) == as_lists(expected)
        assert type(as_lists(decode(call.value))) is type(as_lists(expected))


def as_lists(value):
    """Tuples as lists, all the way down."""
    if isinstance(value, (list, tuple)):
        return [as_lists(item) for item in value]
    return value


def _missing_here():
    names = {"numpy": ("numpy", "numpy scalars", "a numpy array"), "sortedcontainers": ("sortedcontainers",)}
    return {case for package, cases in names.items() if importlib.util.find_spec(package) is None for case in cases}


def test_the_corpora_are_as_large_as_promised():
    assert len(hostile.HOSTILE) >= 60
    assert len(honest.HONEST) >= 40
    assert len({case.name for case in hostile.HOSTILE}) == len(hostile.HOSTILE)
    assert len({case.name for case in honest.HONEST}) == len(honest.HONEST)
