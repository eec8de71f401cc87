"""The tool call reward: the seed's ladder, and who is to blame where turns are unknown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, Verdict, load

SEED = load("tool_call(dapo_math, missing='seed')")
STRICT = load("tool_call(dapo_math)")


def wrong(**facts):
    return Sample(completion="no box", ground_truth="1", **facts)


@given(turns=st.integers(0, 100))
def test_ladder_of_a_wrong_answer(turns):
    score = STRICT.score([wrong(extra_info={"num_turns": turns})])[0]
    assert score.value == min(-0.6, -1 + (turns - 2) / 2 * 0.1)
    assert -1.1 <= score.value <= -0.6


@given(turns=st.one_of(st.none(), st.integers(0, 100)))
def test_right_answer_is_never_touched(turns):
    sample = Sample(completion="\\boxed{1}", ground_truth="1", extra_info={} if turns is None else {"num_turns": turns})
    assert STRICT.score([sample])[0].value == 1


@pytest.mark.parametrize("turns", [True, -1, 2.5, "4", float("inf"), float("nan"), [4]])
def test_a_turn_count_that_is_none_is_our_failure(turns):
    score = STRICT.score([wrong(extra_info={"num_turns": turns})])[0]
    assert score.verdict is Verdict.UNJUDGED
    assert "num_turns" in score.reason


def test_missing_turns_are_unjudged_unless_the_published_runs_are_wanted():
    assert STRICT.score([wrong()])[0].value is None
    assert SEED.score([wrong()])[0].value == -1.1


def test_prompt_alone_does_not_tell_the_turns():
    sample = wrong(messages=({"role": "user", "content": "q"},))
    assert STRICT.score([sample])[0].value is None


def test_parallel_results_of_one_message_are_one_turn():
    call = {"role": "assistant", "content": "", "tool_calls": [{}, {}]}
    messages = (
        {"role": "user", "content": "q"},
        call,
        {"role": "tool", "content": "1"},
        {"role": "tool", "content": "2"},
        {"role": "assistant", "content": "x"},
    )
    assert STRICT.score([wrong(messages=messages)])[0].value == -0.9


def test_shaped_value_is_the_score_column():
    score = load("tool_call(dapo_math) + overlong(max_tokens=100, buffer=20)").score(
        [wrong(extra_info={"num_turns": 2}, completion_tokens=90)]
    )[0]
    assert (score.outcome_value, score.value) == (-1.0, -1.5)
    assert score.parts == {"tool_call": -1.0, "tool_call.dapo_math": -1.0, "tool_call.num_turns": 2.0, "overlong": -0.5}
