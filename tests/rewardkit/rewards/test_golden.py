"""Golden rows: the value and verdict of each reward on right, wrong, malformed, hostile and empty completions."""

import pytest


def test_row_has_its_golden_value(golden):
    score = golden.reward.score([golden.sample])[0]
    expected = golden.row["value"]
    if expected is None:
        assert score.value is None
    else:
        assert score.value == pytest.approx(expected, abs=1e-12), score.reason
    assert score.verdict == golden.row["verdict"], score.reason
    assert score.reason


def test_explanation_gives_the_same_score(golden):
    explanation = golden.reward.explain(golden.sample)
    score = golden.reward.score([golden.sample])[0]
    assert (explanation.score.value, explanation.score.verdict) == (score.value, score.verdict)
