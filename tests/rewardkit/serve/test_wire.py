"""What server and worker say to each other comes back as it was sent."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from rewardkit.serve.wire import HEAD, pack_job, pack_scores, unjudged, unpack_job, unpack_scores
from rewardkit.types import Score, Verdict

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(st.characters(codec=None))),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=5,
)
SCORES = st.one_of(
    st.text(max_size=50).map(Score.unjudged),
    st.builds(
        lambda value, answer: Score.of(value, answer=answer), st.floats(-10, 10), st.text(st.characters(codec=None))
    ),
)


@given(
    st.integers(0, 9),
    st.lists(st.lists(st.one_of(st.text(), st.dictionaries(st.text(), JSON, max_size=3)), max_size=3), max_size=3),
)
def test_a_job(reward: int, units: list[list[object]]) -> None:
    packed = pack_job(reward, units)  # type: ignore[arg-type]
    (length,) = HEAD.unpack_from(packed)
    assert length == len(packed) - HEAD.size
    assert unpack_job(packed[HEAD.size :]) == (reward, units)


@given(st.lists(SCORES, max_size=5))
def test_scores(scores: list[Score]) -> None:
    frames = list(unpack_scores(pack_scores(scores)[HEAD.size :]))
    assert [verdict for verdict, _ in frames] == [score.verdict for score in scores]
    assert [Score.from_row(json.loads(text)) for _, text in frames] == scores


def test_unjudged_looks_like_any_other_score() -> None:
    verdict, text = unjudged("no time")
    assert verdict is Verdict.UNJUDGED
    assert Score.from_row(json.loads(text)) == Score.unjudged("no time")
