import pytest
from toy import Length, Same, Trouble

from rewardkit import Sample
from rewardkit.pool import ChunkPool, score_in_pool
from rewardkit.run import score_here

pytestmark = pytest.mark.slow


def test_the_pool_gives_the_scores_of_this_process_in_order() -> None:
    batches = [[Sample(completion=str(i * j), ground_truth=str(i)) for j in range(3)] for i in range(40)]
    reward = Same() + 0.1 * Length()
    here = [[s.value for s in scores] for scores in score_here(reward)(batches)]
    there = [[s.value for s in scores] for scores in score_in_pool(reward, 2)(batches)]
    assert there == here


def test_a_row_that_hangs_or_kills_its_worker_is_unjudged_and_the_rest_is_not() -> None:
    words = ["fine", "hang", "fine", "die", "raise", "fine"]
    batches = [[Sample(completion=word) for word in words], [Sample(completion="fine")]]
    first, second = score_in_pool(Trouble(), 1, row_timeout_s=2.0)(batches)
    assert [score.value for score in first] == [1.0, None, 1.0, None, None, 1.0]
    assert "within 2 s" in first[1].reason
    assert "died" in first[3].reason
    assert second[0].value == 1.0


def test_a_chunk_pool_stays_up_between_calls_and_after_a_death() -> None:
    pool = ChunkPool(Trouble(), 1, row_timeout_s=5.0)
    try:
        assert [[score.value for score in scores] for scores in pool.score([[Sample(completion="die")], []])] == [
            [None],
            [],
        ]
        assert [score.value for score in pool.score([[Sample(completion="fine")] * 3])[0]] == [1.0] * 3
    finally:
        pool.close()
