"""Golden rows: the value and verdict of each reward on right, wrong, malformed, hostile and empty completions."""

import pytest


def test_row_has_its_golden_value_and_an_explanation_of_it(golden):
    score = golden.reward.score([golden.sample])[0]
    expected = golden.row["value"]
    if expected is None:
        assert score.value is None
    else:
        assert score.value == pytest.approx(expected, abs=1e-12), score.reason
    assert score.verdict == golden.row["verdict"], score.reason
    assert score.reason
    explained = golden.reward.explain(golden.sample).score
    assert (explained.value, explained.verdict) == (score.value, score.verdict)
