"""What a server takes in, without processes."""

from __future__ import annotations

import asyncio

import pytest

from rewardkit.executor import Job
from rewardkit.serve.http import RefusedError
from rewardkit.serve.queue import Queue, Scores
from rewardkit.types import Score


def test_a_full_queue_says_when_to_come_back_and_an_empty_one_takes_anything() -> None:
    queue = Queue(rows=10, size=1000, report=lambda _rows, _requests: None)
    queue.admit(500)
    with pytest.raises(RefusedError) as caught:
        queue.admit(1)
    assert caught.value.status == 429
    assert 1 <= int(caught.value.headers["retry-after"]) <= 60
    queue.scored(500)
    queue.leave()
    assert queue.rows == 0
    queue.admit(1)


@pytest.mark.parametrize(("seconds", "again_s"), [(0.5, 5), (1, 2), (2, 5), (10, 25), (40, 60), (0.001 + 1, 3)])
def test_a_full_queue_says_by_its_rate_when_half_of_it_is_done(
    monkeypatch: pytest.MonkeyPatch, seconds: float, again_s: int
) -> None:
    now = [1000.0]
    monkeypatch.setattr("rewardkit.serve.queue.time.monotonic", lambda: now[0])
    queue = Queue(rows=10, size=1000, report=lambda _rows, _requests: None)
    queue.admit(600)
    now[0] += seconds
    queue.scored(100)  # 100 in so many seconds: half of the 500 others take 2.5 times as long
    with pytest.raises(RefusedError) as caught:
        queue.admit(1)
    assert int(caught.value.headers["retry-after"]) == again_s


def test_the_rate_of_a_queue_follows_what_it_scores_of_late(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("rewardkit.serve.queue.time.monotonic", lambda: now[0])
    queue = Queue(rows=10, size=1000, report=lambda _rows, _requests: None)
    queue.admit(400)
    said: list[int] = []
    for rate in [100] * 3 + [10] * 60:  # ever fewer rows a second: the wait for the same rows grows up to that rate's
        queue.rows += rate
        now[0] += 1
        queue.scored(rate)
        with pytest.raises(RefusedError) as caught:
            queue.admit(1)
        said.append(int(caught.value.headers["retry-after"]))
    assert said[:3] == [2, 2, 2]
    assert said[2:] == sorted(said[2:])
    assert said[-1] == 20


def test_bytes_are_bounded_too() -> None:
    queue = Queue(rows=10, size=1000, report=lambda _rows, _requests: None)
    queue.hold(5000)
    with pytest.raises(RefusedError):
        queue.hold(1)
    queue.free(5000)
    queue.hold(1)


def test_scores_come_in_order_whatever_the_order_they_came_in() -> None:
    async def run() -> list[str]:
        job, news = Job([b"{}"] * 4), asyncio.Event()
        scores = Scores(job, news)
        waiting = asyncio.create_task(scores.all())
        for place in (3, 1, 0, 2):
            await asyncio.sleep(0)
            job.deliver([place], [Score.of(True, answer=str(place))])
            news.set()
        return [str(score.answer) for score in await waiting]

    assert asyncio.run(asyncio.wait_for(run(), 60)) == ["0", "1", "2", "3"]
