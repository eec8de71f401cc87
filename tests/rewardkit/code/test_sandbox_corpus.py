"""The sandboxes' own corpus (tests/sandboxes/corpus) through the whole judge: what is paid, not only what is contained."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code

pytestmark = pytest.mark.docker

CORPUS = Path(__file__).parents[2] / "sandboxes" / "corpus"


def load(name):
    spec = importlib.util.spec_from_file_location(f"sandbox_corpus_{name}", CORPUS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hostile, honest = load("hostile"), load("honest")
REWARD = Code(cpu_s=2.0, memory_mb=256)


def truth_of(kind, tests, entry_point="f"):
    inputs, outputs = [given for given, _ in tests], [expected for _, expected in tests]
    if kind == "stdio":
        return {"inputs": inputs, "outputs": outputs}
    return {"inputs": [list(args) for args in inputs], "outputs": outputs, "fn_name": entry_point}


def sample_of(program, truth):
    return Sample(completion=f"````python\n{program}\n````", ground_truth=truth)


@pytest.mark.parametrize("attack", hostile.HOSTILE, ids=lambda attack: attack.name)
def test_no_attack_is_paid(docker_sandbox, attack):
    answers = [(f"{x}\n" if attack.kind == "stdio" else (x,), hostile.answer(x)) for x in hostile.INPUTS]
    if attack.kind == "stdio":
        answers = [(given, f"{expected}\n") for given, expected in answers]
    reward = replace(REWARD, cpu_s=0.4 if {"cpu", "wall"} & set(attack.limit) else 1.0)
    score = reward.score([sample_of(attack.program, truth_of(attack.kind, answers))])[0]
    assert score.value == 0.0, score.reason
    assert score.verdict not in {"correct", "unjudged"}


@pytest.mark.parametrize("program", honest.HONEST, ids=lambda program: program.name)
def test_no_honest_program_is_refused(docker_sandbox, program):
    reward = Code(cpu_s=5.0, memory_mb=512)
    truth = truth_of(program.kind, program.tests, program.entry_point or "f")
    score = reward.score([sample_of(program.program, truth)])[0]
    assert (score.value, score.verdict.value) == (1.0, "correct"), score.reason


@pytest.mark.parametrize(
    ("body", "asserts"),
    [
        ("from fractions import Fraction\ndef f(x): return Fraction(x)", ["f(3) == 3", "f(0.5) == 0.5"]),
        ("from decimal import Decimal\ndef f(x): return Decimal(x) / 4", ["f(2) == 0.5", "int(f(8)) == 2"]),
        (
            "def f(x): return (y for y in (x, x, 2))",
            ["set(f(1)) == {1, 2}", "list(f(3)) == [3, 3, 2]", "sorted(f(4))[0] == 2"],
        ),
        ("def f(x): return range(x)", ["list(f(3)) == [0, 1, 2]", "f(4)[2] == 2", "f(2) == range(2)"]),
        ("def f(x): return {x: 5}.items()", ["list(f(3)) == [(3, 5)]", "(3, 5) in f(3)"]),
        ("def f(x): return zip([x], [2])", ["dict(f(3)) == {3: 2}"]),
    ],
)
def test_results_that_are_no_literals_reach_the_tests(docker_sandbox, body, asserts):
    check = "def check(candidate):\n" + "".join(f"    assert {line}\n" for line in asserts).replace("f(", "candidate(")
    for truth in (
        {"test_list": [f"assert {line}" for line in asserts]},
        {"test": check, "entry_point": "f", "prompt": ""},
    ):
        score = REWARD.score([sample_of(body, truth)])[0]
        assert (score.value, score.verdict.value) == (1.0, "correct"), score.reason


def test_a_result_that_never_ends_costs_a_test_program_no_time(docker_sandbox):
    """In pieces of 64 KiB, 60 MB joined one by one took minutes."""
    program = "import os\ndef f(x):\n    out = b'x' * (60 << 20)\n    while out: out = out[os.write(200, out):]\n    os._exit(0)"
    check = "def check(candidate):\n    for x in (1, 2):\n        assert candidate(x) == x\n"
    score = REWARD.score([sample_of(program, {"test": check, "entry_point": "f", "prompt": ""})])[0]
    assert score.value == 0.0
    assert score.verdict.value != "unjudged"


def test_a_name_that_the_program_lacks_is_its_own_fault(docker_sandbox):
    two = {"test_list": ["assert f(1) == 1", "assert g(1) == 1"]}
    assert REWARD.score([sample_of("def f(x): return x\ndef g(x): return x", two)])[0].verdict.value == "correct"
    assert REWARD.score([sample_of("def f(x): return x", two)])[0].value == 0.0
    check = "def check(candidate):\n    for x in (1, 2):\n        assert candidate(x) == x\n"
    for body in ("return y", "raise NameError('name ' + chr(0xD800) + 'y' * 900)"):
        score = REWARD.score([sample_of(f"def f(x): {body}", {"test": check, "entry_point": "f", "prompt": ""})])[0]
        assert score.verdict.value == "runtime_error"
