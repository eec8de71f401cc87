"""Jobs and whose turn it is, without processes."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load
from rewardkit.executor import SAMPLES, is_by_row, is_independent
from rewardkit.executor.job import MAX_DEATHS, Job
from rewardkit.executor.queue import Queue
from rewardkit.types import Score

OK = Score.of(True)


def rows(count: int, group: str | None = None) -> list[bytes]:
    return [json.dumps({"completion": str(index), "group": group}).encode() for index in range(count)]


def queue(workers: int = 1, slow_workers: int = 0, chunk: int = 1) -> Queue:
    return Queue(workers=workers, slow_workers=slow_workers, chunk_of=lambda _: chunk)


@given(st.integers(0, 60), st.integers(1, 20), st.randoms(), st.booleans())
def test_every_row_is_handed_out_and_comes_back_in_order_whatever_breaks(count, take, random, by_row) -> None:
    job = Job(rows(count), by_row=by_row, unit_rows=5)
    for _ in range(10_000):
        if not job.has_work:
            break
        units = job.take(take)
        broken = random.randrange(2 * len(units))
        for index, unit in enumerate(units):
            if index == broken:
                job.put_back(units[index + 1 :])
                job.broken(unit, "gone", final=random.random() < 0.5)
                break
            job.deliver(unit.places, [Score.of(True, answer=str(place)) for place in unit.places])
    scores = job.future.result(0)
    assert len(scores) == count
    for place, score in enumerate(scores):
        assert score.answer == str(place) if score.value is not None else score.reason == "gone"


def test_a_group_stays_in_one_unit_and_is_tried_again_together() -> None:
    job = Job(rows(3, "a") + rows(3, "b"), by_row=False, unit_rows=4)
    (unit,) = job.take(1)
    assert unit.places == [0, 1, 2, 3, 4, 5]
    job.broken(unit, "gone", final=True)
    assert [unit.places for unit in job.take(9)] == [[0, 1, 2], [3, 4, 5]]


GROUPED = ["majority", "length_group(exact, unit='words')", "exact - 0.5 * majority(least=1)"]
rows_of_groups = st.lists(
    st.builds(
        Sample,
        completion=st.sampled_from(["1", "2", "3 3", "4 4 4"]),
        ground_truth=st.just("1"),
        group=st.none() | st.sampled_from(["g", "h"]),
        prompt=st.none() | st.sampled_from(["p", "q", ({"role": "user", "content": "r"},)]),
    ),
    max_size=30,
)


@pytest.mark.parametrize("text", GROUPED)
@given(samples=rows_of_groups, unit_rows=st.integers(1, 9), apart=st.booleans())
def test_a_reward_of_groups_gives_the_values_of_one_call_however_its_rows_are_shared_out(
    text: str, samples: list[Sample], unit_rows: int, apart: bool
) -> None:
    reward = load(text)
    assert not is_independent(reward)
    for task in tasks():
        job = Job([task.to_line(sample) for sample in samples], task=task, by_row=False, unit_rows=unit_rows)
        if apart and job.has_work:
            job.broken(job.take(1)[0], "gone", final=False)
        while job.has_work:
            for unit in job.take(3):
                job.deliver(unit.places, task.judge(reward, [task.from_line(job.rows[place]) for place in unit.places]))
        assert [score.value for score in job.result()] == [score.value for score in reward.score(samples)]


def tasks() -> list[Any]:
    """Those of executors and, where its packages are there, of the server."""
    try:
        from rewardkit.serve import task
    except ImportError:
        return [SAMPLES]
    return [SAMPLES, task.SCORES]


def test_a_row_that_kills_is_unjudged_after_some_deaths() -> None:
    job = Job(rows(1))
    for _ in range(MAX_DEATHS):
        assert not job.over
        job.broken(job.take(1)[0], "died", final=False)
    assert job.over


def test_a_row_judged_twice_is_counted_once() -> None:
    seen: list[Score] = []
    job = Job(rows(2), on_scores=seen.extend)
    (first, _) = job.take(2)
    job.put_back([first])
    job.deliver([0], [OK])
    assert job.take(9) == []  # it was judged meanwhile
    job.deliver([0], [Score.of(False)])
    job.end("late")
    assert [score.value for score in job.result()] == [1.0, None]
    assert len(seen) == 2


def test_callers_get_equal_time_and_not_equal_rows() -> None:
    line = queue()
    for caller in ("cheap", "dear"):
        line.put(Job(rows(2_000), caller=caller))
    spent = Counter[str]()
    for _ in range(1_000):
        work = line.next()
        assert work is not None
        seconds = 0.9 if work.job.caller == "dear" else 0.01
        spent[work.job.caller] += seconds
        line.done(work, seconds)
    assert abs(spent["dear"] - spent["cheap"]) < 2


def test_a_caller_who_comes_later_is_not_kept_waiting_and_has_saved_up_nothing() -> None:
    line = queue()
    line.put(Job(rows(500), caller="first"))
    for _ in range(100):
        line.done(line.next(), 0.5)
    line.put(Job(rows(500), caller="second"))
    taken = []
    for _ in range(20):
        work = line.next()
        taken.append(work.job.caller)
        line.done(work, 0.5)
    assert 8 <= taken.count("second") <= 12


def test_jobs_of_one_caller_take_turns() -> None:
    line = queue()
    large, small = Job(rows(300)), Job(rows(1))
    line.put(large)
    line.put(small)
    assert [line.next().job, line.next()] == [large, None]  # one worker: the second waits
    three = queue(workers=3)
    large, small = Job(rows(300)), Job(rows(1))
    for job in (large, small):
        three.put(job)
    assert [three.next().job for _ in range(3)] == [large, small, large]


def test_jobs_are_done_one_after_the_other_if_they_are_wanted_in_order() -> None:
    line = Queue(workers=2, slow_workers=0, chunk_of=lambda _: 2, in_order=True)
    jobs = [Job(rows(3)) for _ in range(3)]
    for job in jobs:
        line.put(job)
    taken: list[tuple[int, int]] = []
    while len(taken) < 9:
        work = line.next()
        assert work is not None
        taken += [(jobs.index(work.job), place) for unit in work.units for place in unit.places]
        work.job.deliver([place for unit in work.units for place in unit.places], [OK] * len(work.units))
        line.done(work, 0.001)
    assert taken == [(job, place) for job in range(3) for place in range(3)]


@pytest.mark.parametrize(
    ("text", "by_row", "independent"),
    [
        ("exact", True, True),
        ("exact + 0.1 * think_format", True, True),
        ("by_source({'*': exact})", True, True),
        ("tool_call(exact)", True, True),
        ("grpo_tcr", False, True),
        ("code", False, True),
        ("majority", False, False),
        ("length_group(exact)", False, False),
    ],
)
def test_what_may_be_judged_row_by_row(text: str, by_row: bool, independent: bool) -> None:
    assert (is_by_row(load(text)), is_independent(load(text))) == (by_row, independent)
