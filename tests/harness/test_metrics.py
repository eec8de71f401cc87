from collections import Counter

import pytest

from harness.metrics import majority, powers, summarise
from harness.store import Answer, read_run
from rewardkit.errors import UsageError


def answers(*pairs):
    return [
        Answer(task="t", doc_id=0, rep=n, problem="p", data_source="t", kind="x", accuracy=right, answer=text)
        for n, (text, right) in enumerate(pairs)
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([("2", 0), ("2", 0), ("1", 1)], 0.0),
        ([("2", 0), ("1", 1), ("1", 1)], 1.0),
        ([("2", 0), ("1", 1)], 0.5),
        ([("3", 0), ("2", 0), ("1", 1)], pytest.approx(1 / 3)),
        ([("1/2", 1), ("0.5", 1), ("3", 0), ("4", 0)], 1.0),  # right answers are one class however written
        ([("3/2", 0), ("1.5", 0), ("1", 1)], 0.0),  # and wrong ones that mean the same vote together
        ([(None, 0), (None, 0), ("1", 1)], 1.0),  # no answer, no vote
        ([(None, 0)], 0.0),
    ],
)
def test_majority_votes_on_meaning(given, expected):
    assert majority(answers(*given)) == expected


def test_powers_of_two_up_to_k():
    assert [powers(k) for k in (1, 2, 16)] == [[1], [1, 2], [1, 2, 4, 8, 16]]


def test_the_problem_is_the_unit(run_of, tmp_path):
    table = {"a": [True] * 4, "b": [True, False, False, False], "c": [False] * 4}
    [summary] = summarise(read_run(run_of(tmp_path / "r", table)))
    assert summary.accuracy.value == pytest.approx((1 + 0.25 + 0) / 3)
    assert summary.accuracy.method == "score-t"
    assert summary.accuracy.n == 3
    assert summary.pass_at[4].value == pytest.approx(2 / 3)
    assert summary.pass_at[2].value == pytest.approx((1 + 0.5 + 0) / 3)
    assert (summary.solved_never, summary.solved_always) == (1, 1)
    assert Counter(summary.classes) == {"correct": 5, "wrong": 7}


def test_failed_requests_are_counted_apart_and_are_no_zeros(run_of, tmp_path):
    [summary] = summarise(read_run(run_of(tmp_path / "r", {"a": [True, None], "b": [True, True], "c": [None, None]})))
    assert summary.accuracy.value == 1.0
    assert summary.accuracy.n == 2
    assert (summary.errors, summary.complete) == (3, 0.5)


def test_truncation_is_a_share_of_answers(run_of, tmp_path):
    [summary] = summarise(read_run(run_of(tmp_path / "r", {"a": [True, False], "b": [True, True]}, truncated={(0, 1)})))
    assert summary.truncated == 0.25
    assert summary.classes["truncated"] == 1


def test_summaries_become_plain_json(run_of, tmp_path):
    import json

    [summary] = summarise(read_run(run_of(tmp_path / "r", {"a": [True, False], "b": [True, True]})))
    row = json.loads(json.dumps(summary.to_json()))
    assert row["accuracy"]["value"] == 0.75
    assert row["pass_at"]["2"]["value"] == 1.0


def test_a_place_without_a_run_is_said(tmp_path):
    with pytest.raises(UsageError, match="no finished run"):
        read_run(tmp_path)
    (tmp_path / "journal.jsonl").touch()
    with pytest.raises(UsageError, match="--resume"):
        read_run(tmp_path)


def test_a_damaged_run_is_said(run_of, tmp_path):
    directory = run_of(tmp_path / "r", {"a": [True]})
    (directory / "answers.jsonl").write_text('{"task": 3')
    with pytest.raises(UsageError, match="cannot read the run"):
        read_run(directory)
