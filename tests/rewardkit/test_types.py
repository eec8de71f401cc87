import copy
import json
import pickle
from dataclasses import FrozenInstanceError, replace
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, Score, UsageError, Verdict

TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)
)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "tool"]), "content": TEXTS}), min_size=1
)
SAMPLES = st.builds(
    Sample,
    completion=TEXTS,
    messages=st.none() | MESSAGES,
    prompt=st.none() | TEXTS | MESSAGES,
    ground_truth=VALUES,
    data_source=st.none() | TEXTS,
    completion_tokens=st.none() | st.integers(0, 2**63 - 1),
    completion_ids=st.none() | st.lists(st.integers(0)),
    id=st.none() | TEXTS | st.integers(),
    group=st.none() | TEXTS,
    extra_info=st.dictionaries(TEXTS, VALUES),
)
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]
CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SCORES = st.builds(
    Score,
    value=NUMBERS,
    verdict=st.sampled_from([verdict for verdict in Verdict if verdict is not Verdict.UNJUDGED]),
    answer=st.none() | TEXTS,
    reason=TEXTS,
    parts=st.dictionaries(TEXTS, st.none() | NUMBERS),
    elapsed_ms=st.none() | st.floats(0, 1e9),
    outcome=st.none() | NUMBERS,
)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_score_refuses_what_is_not_a_number(value: float) -> None:
    with pytest.raises(UsageError):
        Score.of(value, verdict=Verdict.PARTIAL)


def test_value_is_none_exactly_where_unjudged() -> None:
    assert Score.unjudged("no sandbox").value is None
    with pytest.raises(UsageError):
        Score(value=None, verdict=Verdict.WRONG)
    with pytest.raises(UsageError):
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
    with pytest.raises(TypeError, match="groundtruth"):
        Sample(completion="x", groundtruth="y")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="groundtruth: no such field; there are completion, messages"):
        Sample.from_row({"completion": "x", "groundtruth": "y"})


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("completion", 5),
        ("completion", [{"content": "no role"}]),
        ("messages", "text"),
        ("messages", ["text"]),
        ("prompt", 5),
        ("data_source", 0.5),
        ("completion_tokens", -1),
        ("completion_tokens", 2**63),
        ("completion_tokens", "many"),
        ("completion_tokens", 1.5),
        ("completion_ids", "12"),
        ("completion_ids", [None]),
        ("finish_reason", 1),
        ("id", True),
        ("group", []),
        ("extra_info", []),
    ],
)
def test_a_field_of_another_type_is_refused_in_one_line_that_names_it(field: str, bad: Any) -> None:
    with pytest.raises(UsageError, match=f"^{field}[^\n]+$"):
        Sample.from_row({"completion": "", field: bad})


@pytest.mark.parametrize("row", [{}, {"completion": None}, {"messages": []}, {"completion": None, "messages": None}])
def test_a_row_with_neither_completion_nor_messages_is_no_sample(row: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="no completion"):
        Sample.from_row(row)
    if row:
        with pytest.raises(UsageError, match="no completion"):
            Sample(**row)


def test_a_message_without_content_and_a_prompt_alone_are_samples() -> None:
    assert Sample.from_row({"messages": [{"role": "assistant", "content": None}]}).completion == ""
    assert Sample(prompt="p").completion == ""


@pytest.mark.parametrize(
    "change",
    [
        {"value": "x"},
        {"verdict": "fine"},
        {"parts": [1]},
        {"parts": {"a": float("nan")}},
        {"more": 1},
        {"reason": None},
    ],
)
def test_a_score_that_is_none_is_refused_in_one_line(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"^[^\n]+$"):
        Score.from_row({"value": 1.0, "verdict": "correct", **change})


@pytest.mark.parametrize("row", [{}, {"value": 1.0}, {"verdict": "correct"}])
def test_a_score_needs_value_and_verdict(row: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"^a score needs value and verdict"):
        Score.from_row(row)


@pytest.mark.parametrize("read", [Sample.from_row, Score.from_row])
@pytest.mark.parametrize("row", [None, 3, "text", [], [["value", 1.0]]])
def test_what_is_no_row_is_refused_in_one_line(read: Any, row: Any) -> None:
    with pytest.raises(UsageError, match=r"^the row holds \w+, not names with values$"):
        read(row)


def test_counts_of_other_kinds_are_read_as_whole_numbers() -> None:
    assert [Sample(completion_tokens=count).tokens for count in ("12", 12.0, 12)] == [12, 12, 12]  # type: ignore[arg-type]


def test_samples_and_scores_do_not_change() -> None:
    for value, field in ((Sample(completion="x"), "completion"), (Score.of(1.0), "value")):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field, None)
        with pytest.raises((AttributeError, TypeError)):
            value.another = 1  # type: ignore[union-attr]


@given(SAMPLES)
def test_a_sample_survives_its_row_its_json_pickle_and_copies(sample: Sample) -> None:
    assert Sample.from_row(sample.to_row()) == sample
    assert Sample.from_row(json.loads(sample.to_json())) == sample
    assert pickle.loads(pickle.dumps(sample)) == copy.deepcopy(sample) == replace(sample) == sample


@given(SCORES)
def test_a_score_survives_its_row_its_json_pickle_and_copies(score: Score) -> None:
    assert Score.from_row(score.to_row()) == score
    assert Score.from_row(json.loads(score.to_json())) == score
    assert pickle.loads(pickle.dumps(score)) == copy.deepcopy(score) == replace(score) == score
    assert replace(score.timed(1.0), elapsed_ms=score.elapsed_ms) == score


def test_a_changed_copy_shares_no_dictionary_with_the_first() -> None:
    score = Score.of(1.0, parts={"a": 1.0})
    assert score.timed(0.5).parts is not score.parts
    info = {"a": 1}
    assert Sample(extra_info=info).extra_info is not info


def test_values_of_other_types_are_written_in_the_form_that_says_the_same() -> None:
    truth = {"day": date(2026, 1, 2), "set": {1}, "bytes": b"x\xff", "exact": Fraction(1, 3)}
    row = json.loads(Sample(ground_truth=truth).to_json())
    assert row["ground_truth"] == {"day": "2026-01-02", "set": [1], "bytes": "x\udcff", "exact": "1/3"}


@pytest.mark.parametrize("value", [object(), {("a", 1): 1}, DEEP, CIRCLE], ids=["object", "key", "deep", "circle"])
def test_a_value_that_json_has_no_form_for_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match=r"^the sample has no JSON form"):
        Sample(ground_truth=value).to_json()


def test_tokens_come_from_the_count_or_from_the_ids() -> None:
    assert Sample(completion="x", completion_ids=(1, 2, 3)).tokens == 3
    assert Sample(completion="x", completion_tokens=9, completion_ids=(1,)).tokens == 9
    assert Sample(completion="x").tokens is None
