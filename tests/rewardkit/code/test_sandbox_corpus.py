"""The sandboxes' own corpus (tests/sandboxes/corpus) through the whole judge: what is paid, not only what is contained."""

import importlib.util
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
    score = REWARD.score([sample_of(attack.program, truth_of(attack.kind, answers))])[0]
    assert score.value == 0.0, score.reason
    assert score.verdict not in {"correct", "unjudged"}


@pytest.mark.parametrize("program", honest.HONEST, ids=lambda program: program.name)
def test_no_honest_program_is_refused(docker_sandbox, program):
    reward = Code(cpu_s=5.0, memory_mb=512)
    truth = truth_of(program.kind, program.tests, program.entry_point or "f")
    score = reward.score([sample_of(program.program, truth)])[0]
    assert (score.value, score.verdict.value) == (1.0, "correct"), score.reason
