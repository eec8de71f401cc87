"""The GRPO-TCR preset: the seed's validation table to the last digit, and the trap of the missing turn count."""

import pickle

import pytest

from rewardkit import Sample, load
from rewardkit.code.shared import use_sandbox
from rewardkit.rewards.grpo_tcr import GrpoTcr
from sandboxes.backends.fake import FakeSandbox
from sandboxes.base import Execution

TACO = {"inputs": [str(i) for i in range(16)], "outputs": [str(i * 2) for i in range(16)]}
DOUBLE = "Plan.\n```python\nprint(int(input()) * 2)\n```\nDone."
TABLE = [
    ("deepscaler", r"So \boxed{4}", "4", (1, 1.0, 1.0)),
    ("taco_code", DOUBLE, TACO, (0, 0.4375, 0.4375)),
    ("numina_math", r"So \boxed{5}", "4", (0, -1.1, -1.1)),
    ("gpqa_science", r"So \boxed{B}", "A", (0, -1.1, -1.1)),
    ("omni_math", r"I am not sure.", "4", (0, -1.1, -1.1)),
]
NO_PROGRAM = {"no block": "print(1)", "another tag": "```py\nprint(1)\n```", "not parsable": "```python\nprint(\n```"}


@pytest.fixture
def sandbox():
    """Seven of the sixteen tests pass in it."""
    fake = FakeSandbox(
        lambda job: Execution(exit_code=0, stdout=b"%d\n" % (2 * int(job.stdin) if int(job.stdin) < 7 else 0))
    )
    with use_sandbox(fake):
        yield fake


def sample(completion, truth, source, **fields):
    return Sample(completion=completion, ground_truth=truth, data_source=source, **{"completion_tokens": 500, **fields})


def columns(score):
    return (score.accuracy, score.outcome_value, score.value)


@pytest.mark.parametrize(("source", "completion", "truth", "row"), TABLE, ids=[line[0] for line in TABLE])
def test_the_seeds_validation_table(sandbox, source, completion, truth, row):
    assert columns(GrpoTcr(missing="seed").score([sample(completion, truth, source)])[0]) == row


def test_the_table_comes_out_of_one_batch(sandbox):
    samples = [sample(completion, truth, source) for source, completion, truth, _ in TABLE]
    assert [columns(score) for score in GrpoTcr(missing="seed").score(samples)] == [row for *_, row in TABLE]


def test_partial_credit_is_no_accuracy(sandbox):
    score = GrpoTcr().score([sample(DOUBLE, TACO, "taco_code")])[0]
    assert (score.value, score.verdict.value, score.accuracy) == (0.4375, "partial", 0)
    assert score.reason.startswith("7 of 16 tests passed; ")


@pytest.mark.parametrize("completion", NO_PROGRAM.values(), ids=NO_PROGRAM.keys())
@pytest.mark.parametrize(("turns", "value"), [(0, -1.1), (2, -1.0), (4, -0.9), (10, -0.6), (40, -0.6)])
def test_no_program_is_wrong_and_turns_soften_it(sandbox, completion, turns, value):
    score = GrpoTcr().score([sample(completion, TACO, "taco_code", extra_info={"num_turns": turns})])[0]
    assert score.value == pytest.approx(value, abs=1e-12)
    assert not sandbox.seen


def test_a_program_that_does_not_compile_in_the_box_is_no_program(sandbox):
    with use_sandbox(FakeSandbox(lambda _: Execution(compile_error="SyntaxError: newer than this Python"))):
        score = GrpoTcr().score([sample(DOUBLE, TACO, "taco_code", extra_info={"num_turns": 2})])[0]
    assert (score.value, score.verdict.value) == (-1.0, "compile_error")


def test_all_tests_failed_is_zero_and_not_shaped():
    with use_sandbox(FakeSandbox(lambda _: Execution(exit_code=1))):
        score = GrpoTcr().score([sample(DOUBLE, TACO, "taco_code")])[0]
    assert (score.value, score.verdict.value) == (0.0, "runtime_error")


def test_a_wrong_answer_without_turns_is_unjudged_unless_the_seed_is_asked_for(sandbox):
    row = sample(r"\boxed{5}", "4", "numina_math")
    score = GrpoTcr().score([row])[0]
    assert (score.value, score.verdict.value) == (None, "unjudged")
    assert "num_turns" in score.reason
    assert GrpoTcr(missing="seed").score([row])[0].value == -1.1


def test_turns_are_counted_in_messages(sandbox):
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "python", "arguments": "{}"}}]}
    messages = (
        {"role": "user", "content": "?"},
        call,
        {"role": "tool", "content": "4"},
        {"role": "assistant", "content": r"\boxed{5}"},
    )
    row = Sample(messages=messages, ground_truth="4", data_source="numina_math", completion_tokens=500)
    assert GrpoTcr().score([row])[0].value == pytest.approx(-0.9)


@pytest.mark.parametrize(("tokens", "penalty"), [(7_480, 0.0), (8_980, -0.5), (10_480, -1.0)])
def test_long_answers_pay_and_keep_their_score(sandbox, tokens, penalty):
    score = GrpoTcr().score([sample(r"\boxed{4}", "4", "deepscaler", completion_tokens=tokens)])[0]
    assert columns(score) == (1, 1.0, pytest.approx(1.0 + penalty))


def test_text_form_and_pickle():
    reward = GrpoTcr(missing="seed", max_tokens=2_048, buffer=512)
    assert load(reward.text) == reward
    assert pickle.loads(pickle.dumps(reward)) == reward
    assert load("grpo_tcr").composed.text.startswith("tool_call(by_source({'*code*': code(")
