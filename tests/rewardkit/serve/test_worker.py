"""One worker, in this process: rows in, scores out, whatever the rows are."""

from __future__ import annotations

from live import TOY

from rewardkit import load
from rewardkit.serve.worker import judge

SAME = load(f"{TOY}:Same")


def test_rows_that_are_no_samples_keep_their_places() -> None:
    rows = [
        {"completion": "a", "ground_truth": "a"},
        "broken JSON: at character 3",
        {"completion": 3},
        {"completion": "a", "surprise": 1},
        {"messages": [{"role": "assistant", "content": "a"}], "ground_truth": "a"},
        {"completion": "a"},
    ]
    scores = judge(SAME, rows)  # type: ignore[arg-type]
    assert [score.value for score in scores] == [1.0, None, None, None, 1.0, None]
    assert scores[1].reason == "broken JSON: at character 3"
    assert "surprise" in scores[3].reason
    assert "no ground truth" in scores[5].reason


def test_a_reward_that_breaks_leaves_its_unit_unjudged() -> None:
    (score,) = judge(load(f"{TOY}:Trouble"), [{"completion": "raise"}])
    assert (score.value, score.reason) == (None, "RuntimeError: a bug")


def test_no_rows_no_scores() -> None:
    assert judge(SAME, []) == []
