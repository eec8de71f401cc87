"""The code reward with a fake sandbox: who is to blame, which sandbox, which options, and bad days."""

import os
import pickle
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from fake_calls import fake_calls
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit import Sample, UsageError, load
from rewardkit.code import shared
from rewardkit.code.shared import shared_sandbox, use_sandbox
from rewardkit.rewards.code import SHOWN_TESTS, Code, _steps
from rewardkit.types import Verdict
from sandboxes.backends.fake import FakeSandbox
from sandboxes.base import Execution
from sandboxes.errors import SandboxError, SandboxUnavailable

DOUBLE = "```python\nprint(int(input()) * 2)\n```"
TRUTH = {"inputs": ["1", "2", "3"], "outputs": ["2", "4", "6"]}


@pytest.fixture
def sandbox():
    fake = FakeSandbox(lambda job: Execution(exit_code=0, stdout=str(int(job.stdin) * 2).encode()))
    with use_sandbox(fake):
        yield fake


def score_of(reward, completion=DOUBLE, truth=TRUTH, **fields):
    return reward.score([Sample(completion=completion, ground_truth=truth, **fields)])[0]


def test_a_right_program_is_correct(sandbox):
    score = score_of(Code())
    assert (score.value, score.verdict.value, score.reason) == (1.0, "correct", "all 3 tests passed")
    assert score.answer == "print(int(input()) * 2)\n"
    assert score.parts == {"passed": 3.0, "tests": 3.0}


@pytest.mark.parametrize(
    ("completion", "verdict"), [("", "no_answer"), ("I can't.", "no_answer"), ("```python\nx", "malformed")]
)
def test_no_program_is_the_completions_fault_and_runs_nothing(sandbox, completion, verdict):
    score = score_of(Code(), completion)
    assert (score.value, score.verdict.value) == (0.0, verdict)
    assert score_of(Code(no_program=-1.0), completion).value == -1.0
    assert not sandbox.seen


@pytest.mark.parametrize(
    "truth",
    [None, "", {}, {"inputs": ["1"], "outputs": []}, {"inputs": ["1"], "outputs": ["1"], "special_judge": True}],
)
def test_unusable_tests_are_unjudged_in_one_line(sandbox, truth):
    score = score_of(Code(), truth=truth)
    assert (score.value, score.verdict.value) == (None, "unjudged")
    assert score.reason
    assert "\n" not in score.reason


def test_a_lost_box_is_unjudged():
    with use_sandbox(FakeSandbox(lambda _: Execution(lost="killed twice"))):
        score = score_of(Code())
    assert score.verdict.value == "unjudged"
    assert "killed twice" in score.reason


def test_a_sandbox_that_raises_is_unjudged():
    def script(_):
        raise SandboxError("the daemon is gone", cure="start it")

    with use_sandbox(FakeSandbox(script)):
        score = score_of(Code())
    assert (score.verdict.value, score.reason) == ("unjudged", "the daemon is gone; start it")


def test_weak_isolation_is_said_in_each_reason():
    with use_sandbox(FakeSandbox(lambda _: Execution(exit_code=0, stdout=b"2"), isolation="weak")):
        assert score_of(Code(max_tests=1)).reason == "the only test passed [weak isolation]"


def test_no_sandbox_is_one_line_with_the_cure_and_asked_once(monkeypatch, capfd):
    tries = []

    def start(*args):
        tries.append(args)
        raise SandboxUnavailable("no sandbox works here", cure="start Docker")

    monkeypatch.setattr(shared, "_start", start)
    monkeypatch.setattr(shared, "_open", {})
    monkeypatch.setattr(shared, "_failed", {})
    scores = Code().score([Sample(completion=DOUBLE, ground_truth=TRUTH)] * 5)
    assert [score.reason for score in scores] == ["no sandbox works here; start Docker"] * 5
    assert len(tries) == 1
    assert capfd.readouterr().err == "rewardkit: no sandbox: no sandbox works here; start Docker\n"


def test_the_sandbox_is_opened_once_announced_and_named_by_the_environment(monkeypatch, capfd):
    opened = []

    def start(name, require, workers):
        opened.append((name, require, workers))
        return FakeSandbox(lambda _: Execution(exit_code=0), isolation="weak")

    monkeypatch.setattr(shared, "_start", start)
    monkeypatch.setattr(shared, "_open", {})
    monkeypatch.setenv(shared.SANDBOX_VARIABLE, "local")
    assert shared_sandbox() is shared_sandbox("auto")
    assert shared_sandbox("docker", require="strong", workers=2) is not shared_sandbox()
    assert opened == [("local", None, None), ("docker", "strong", 2)]
    first, second = capfd.readouterr().err.splitlines()
    assert "WEAK isolation" in first
    shared.close_all()
    assert shared._open == {}
    assert second.startswith("rewardkit: code runs in sandbox ")


def test_two_threads_open_one_sandbox(monkeypatch):
    opened = []

    def start(*args):
        opened.append(args)
        return FakeSandbox(lambda _: Execution(exit_code=0))

    monkeypatch.setattr(shared, "_start", start)
    monkeypatch.setattr(shared, "_open", {})
    found = []
    threads = [threading.Thread(target=lambda: found.append(shared_sandbox())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 1
    assert len(set(map(id, found))) == 1


def test_scores_keep_their_order_and_work_in_threads(sandbox):
    samples = [Sample(completion=DOUBLE if i % 2 else "none", ground_truth=TRUTH, id=str(i)) for i in range(40)]
    results = []
    thread = threading.Thread(target=lambda: results.extend(Code().score(samples)))
    thread.start()
    thread.join()
    assert [score.value for score in results] == [float(i % 2) for i in range(40)]


def test_limits_reach_the_sandbox(sandbox):
    score_of(Code(cpu_s=2.5, memory_mb=64, output_mb=0.5))
    limits = sandbox.seen[0].limits
    assert (limits.cpu_s, limits.memory_mb, limits.output_bytes) == (2.5, 64, 1 << 19)


def test_compare_option_wins_over_the_row(sandbox):
    truth = {"inputs": ["1"], "outputs": ["2\n"], "compare": "tokens"}
    assert score_of(Code(), truth=truth).value == 1.0
    assert score_of(Code(compare="exact"), truth=truth).value == 0.0


def test_float_tolerance_option():
    truth = {"inputs": [[1]], "outputs": [0.5], "fn_name": "f"}
    with use_sandbox(fake_calls(lambda _: 0.500001)):
        assert score_of(Code(), truth=truth).value == 1.0
        assert score_of(Code(float_tolerance=0.0), truth=truth).value == 0.0
        assert score_of(Code(float_tolerance=1e-3), truth=truth).value == 1.0


def test_the_prompt_may_stand_in_the_sample(sandbox):
    truth = {"test": "def check(candidate):\n    assert candidate(1) == 1\n", "entry_point": "f"}
    prompt = "import math\ndef f(x):\n"
    with use_sandbox(fake_calls(lambda x: x)) as fake:
        assert score_of(Code(), "    return x\n", truth, prompt=prompt).value == 1.0
    assert fake.seen[0].program == prompt + "    return x\n"
    assert "import math" in fake.seen[0].prelude


@pytest.mark.parametrize(
    "text",
    ["code(mode='half')", "code(k=0)", "code(compare='close')", "code(compare='floats:x')", "code(cpu_s=0)", "code(cpu_s=1e9)",
     "code(memory_mb=1)", "code(output_mb=0)", "code(max_tests=0)", "code(workers=0)", "code(float_tolerance=2.0)", "code('taco')",
     "code(require_isolation='some')", "code(extract='first')"],
)  # fmt: skip
def test_an_option_that_does_not_fit_is_one_line(text):
    with pytest.raises(UsageError) as caught:
        load(text)
    assert "\n" not in str(caught.value)
    assert "code" in str(caught.value)


def test_text_form_and_pickle():
    reward = Code(mode="first_k", k=5, compare="floats:1e-9", cpu_s=2.0, sandbox="docker", require_isolation="strong")
    assert load(reward.text) == reward
    assert pickle.loads(pickle.dumps(reward)) == reward
    assert load("code") == Code()


def test_explanation_lists_the_tests(sandbox):
    explanation = Code().explain(Sample(completion=DOUBLE, ground_truth=TRUTH))
    assert explanation.score.value == 1.0
    assert explanation.steps[0] == "program: 1 lines, 24 characters"
    assert sum(step.startswith("test ") for step in explanation.steps) == 3
    bad = Code().explain(Sample(completion=DOUBLE, ground_truth=None))
    assert bad.score.verdict.value == "unjudged"


@settings(max_examples=50)
@given(st.text())
def test_no_completion_raises(text):
    with use_sandbox(FakeSandbox(lambda _: Execution(exit_code=0, stdout=b"1"))):
        for completion in (text, f"```python\n{text}\n```"):
            assert score_of(Code(), completion).verdict.value != "unjudged"


def test_importing_the_reward_opens_nothing():
    code = "import rewardkit.rewards.code, rewardkit.code.shared as s, sys; print(len(s._open), 'sandboxes.backends.docker' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert found.stdout.split() == ["0", "False"]


def test_what_a_test_cost_is_told_in_milliseconds_and_megabytes():
    fact = SimpleNamespace(index=1, cpu_s=0.25, memory_mb=12.3, verdict=Verdict.WRONG, reason="2, expected 3")
    told = _steps(SimpleNamespace(isolation="", facts=[fact] * (SHOWN_TESTS + 2), passed=0, total=99))
    assert told[:2] == ["ran in a sandbox with unknown isolation", "test 2: wrong (250 ms CPU, 12 MB): 2, expected 3"]
    assert told[-1] == "2 more tests, 0 of 99 passed in all"


@pytest.mark.parametrize(("required", "asked"), [("none", None), ("weak", "weak"), ("strong", "strong")])
def test_the_isolation_that_is_required_is_asked_of_the_sandbox(monkeypatch, required, asked):
    started = []

    def start(name, require, workers):
        started.append((name, require, workers))
        return FakeSandbox(
            lambda job: Execution(exit_code=0, stdout=str(int(job.stdin) * 2).encode()), isolation="weak"
        )

    monkeypatch.setattr(shared, "_start", start)
    monkeypatch.setattr(shared, "_open", {})
    monkeypatch.delenv(shared.SANDBOX_VARIABLE, raising=False)
    score = score_of(Code(sandbox="local", workers=3, require_isolation=required))
    assert started == [("local", asked, 3)]
    assert score.reason == "all 3 tests passed [weak isolation]"
    assert (score.parts["passed"], score.parts["tests"]) == (3.0, 3.0)
