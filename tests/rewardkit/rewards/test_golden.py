"""Golden rows: the value and verdict of each reward on right, wrong, malformed, hostile and empty completions."""

import pytest


def test_row_has_its_golden_value(case):
    score = case.reward.score([case.sample])[0]
    expected = case.row["value"]
    if expected is None:
        assert score.value is None
    else:
        assert score.value == pytest.approx(expected, abs=1e-12), score.reason
    assert score.verdict == case.row["verdict"], score.reason
    assert score.reason


def test_explanation_gives_the_same_score(case):
    explanation = case.reward.explain(case.sample)
    score = case.reward.score([case.sample])[0]
    assert (explanation.score.value, explanation.score.verdict) == (score.value, score.verdict)
