import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rewardkit import Sample, Score, Verdict


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_score_refuses_what_is_not_a_number(value: float) -> None:
    with pytest.raises(ValidationError):
        Score.of(value, verdict=Verdict.PARTIAL)


def test_value_is_none_exactly_where_unjudged() -> None:
    assert Score.unjudged("no sandbox").value is None
    with pytest.raises(ValidationError):
        Score(value=None, verdict=Verdict.WRONG)
    with pytest.raises(ValidationError):
        Score(value=0.0, verdict=Verdict.UNJUDGED)


@pytest.mark.parametrize(
    ("value", "verdict"), [(True, "correct"), (1.0, "correct"), (0, "wrong"), (-1.1, "wrong"), (0.4375, "partial")]
)
def test_verdict_follows_from_the_value(value: float, verdict: str) -> None:
    assert Score.of(value).verdict == verdict


def test_unjudged_has_no_accuracy_and_no_outcome() -> None:
    score = Score.unjudged("x\ny")
    assert (score.accuracy, score.outcome_value, score.reason) == (None, None, "x y")


def test_completion_may_be_a_chat() -> None:
    chat = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]
    sample = Sample(completion=chat)  # type: ignore[arg-type]
    assert sample.completion == "4"
    assert sample.messages is not None
    assert len(sample.messages) == 2


def test_messages_alone_are_enough_and_reasoning_is_put_back() -> None:
    sample = Sample(messages=({"role": "assistant", "content": "4", "reasoning_content": "two and two"},))
    assert sample.completion == "<think>\ntwo and two\n</think>\n\n4"


def test_lone_surrogates_are_replaced_not_refused() -> None:
    assert Sample(completion="a\ud800b").completion == "a?b"


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(ValidationError):
        Sample(completion="x", groundtruth="y")  # type: ignore[call-arg]


def test_samples_and_scores_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Sample(completion="x").completion = "y"  # type: ignore[misc]


@given(st.builds(Sample, completion=st.text(), id=st.text() | st.none(), ground_truth=st.text() | st.integers()))
def test_a_sample_survives_its_json(sample: Sample) -> None:
    assert Sample.model_validate_json(sample.model_dump_json()) == sample


def test_tokens_come_from_the_count_or_from_the_ids() -> None:
    assert Sample(completion="x", completion_ids=(1, 2, 3)).tokens == 3
    assert Sample(completion="x", completion_tokens=9, completion_ids=(1,)).tokens == 9
    assert Sample(completion="x").tokens is None
