"""Slow rows: what others wait for them, and that none is lost. In virtual time, with the queue's own code."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import LATE, LOOK_S, RIGHT, Machine, Row

from rewardkit.executor.job import Job
from rewardkit.executor.queue import BUDGET, ENOUGH, QUIET_S, Queue, Recent

LOOP_S = 12.0


def flow(rate: float, count: int, loops: float, *, median_s: float = 0.012, seed: int = 0) -> list[list[Row]]:
    """Rows of callers with one row each, some of which loop: the honest ones are the same for any share of loops."""
    chance, times = random.Random(seed), random.Random(seed + 1)
    rows: list[list[Row]] = []
    for index in range(count):
        honest_s, bad = median_s * times.lognormvariate(0, 0.5), chance.random() < loops
        rows.append([Row(index / rate, LOOP_S if bad else honest_s, bad, caller=str(index))])
    return rows


def honest_waits(batches: Sequence[Sequence[Row]], *, since: float = 5.0) -> list[float]:
    """Sorted, without those of a server that has just started."""
    return sorted(row.waits for rows in batches for row in rows if not row.loops and row.at > since)


@pytest.mark.parametrize(
    ("workers", "rate"),
    [(2, 10), (8, 100), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((2, 20), (4, 10), (4, 40)))],
)
def test_honest_rows_wait_no_longer_where_three_of_ten_rows_loop(workers: int, rate: float) -> None:
    """The workers are at most half busy: honest rows take 16 %, and the loops' first attempts the rest."""
    found: list[list[float]] = []
    for loops in (0.0, 0.3):
        batches = flow(rate, 1500, loops)
        machine = Machine(workers, max(1, workers // 4))
        machine.judge(batches)
        found.append(honest_waits(batches))
        assert machine.kills == 0
    without, with_loops = found
    assert with_loops[len(with_loops) // 2] < 1.2 * without[len(without) // 2]
    assert with_loops[len(with_loops) * 99 // 100] < 3 * without[len(without) * 99 // 100]


class Checked(Machine):
    """Holds the law after each event: more than their share only where nobody else came of late, and no longer than a look."""

    slow_workers = 2

    def check(self) -> None:
        quiet_s = self.now - self.last_put
        assert self.slow <= self.slow_workers or quiet_s > QUIET_S or quiet_s <= LOOK_S + 1e-9
        assert len(self.running) <= 6
        if self.slow > self.slow_workers:
            assert self.slow <= 5  # one is free for whoever comes


rows = st.builds(
    Row,
    at=st.floats(0, 40),
    seconds=st.one_of(st.floats(0.001, 0.1), st.floats(0.1, 20)),
    loops=st.booleans(),
    caller=st.sampled_from("abc"),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(rows, min_size=1, max_size=5), min_size=1, max_size=40), st.booleans(), st.sampled_from([1, 4])
)
def test_slow_rows_hold_their_share_while_others_come_and_every_row_is_judged(
    batches: list[list[Row]], programs: bool, chunk: int
) -> None:
    for batch in batches:
        for row in batch:
            row.at, row.caller = batch[0].at, batch[0].caller
    machine = Checked(4, 2, programs=programs, chunk=chunk, restart_s=0.1)
    machine.judge(batches)
    assert all(row.judged >= 0 for batch in batches for row in batch)
    assert not machine.running


def test_loops_alone_get_all_workers_but_one() -> None:
    batches = [[Row(0.0, LOOP_S, loops=True) for _ in range(50)]]
    machine = Machine(4, 1)
    machine.judge(batches)
    assert machine.now < 50 * LOOP_S / 4 * 1.3  # attempts that were too short cost less than a third


def test_a_row_that_takes_twice_as_long_as_others_does_not_wait_for_loops_to_end() -> None:
    """Rows that were put off least often come first."""
    batches = flow(20, 1000, 0.3)
    tail = [Row(20 + index, 0.06, caller=f"tail {index}") for index in range(10)]
    machine = Machine(4, 1)
    machine.judge([*batches, *([row] for row in tail)])
    assert max(row.waits for row in tail) < LOOP_S / 2


def test_rows_that_run_no_program_are_stopped_by_the_clock_on_the_wall() -> None:
    batches = flow(10, 600, 0.1)
    machine = Machine(4, 1, programs=False, restart_s=0.1)
    machine.judge(batches)
    assert 60 <= machine.kills <= 5 * 60
    waits = honest_waits(batches)
    assert waits[len(waits) * 99 // 100] < 0.2


@settings(max_examples=60, deadline=None)
@given(st.lists(rows, min_size=1, max_size=40), st.lists(st.floats(0, 40), min_size=1, max_size=20))
def test_a_program_that_sleeps_runs_to_its_limit_in_one_attempt(others: list[Row], sleepers: list[float]) -> None:
    for row in others:
        row.loops, row.seconds = False, min(row.seconds, 0.03)
    asleep = [Row(at, 21.0, loops=True, caller=f"sleeper {at}", sleeps=True) for at in sleepers]
    machine = Checked(4, 2)
    machine.judge([[row] for row in sorted([*others, *asleep], key=lambda row: row.at)])
    assert machine.kills == 0
    assert all(row.judged - row.begun == pytest.approx(21.0) for row in asleep)


def test_slow_rows_give_way_to_rows_that_come_after_a_pause() -> None:
    loops = [[Row(0.0, 60.0, loops=True, caller=str(index))] for index in range(9)]
    late = [Row(30.0, 0.01, caller=f"late {index}") for index in range(4)]
    machine = Machine(4, 1)
    machine.judge([*loops, *([row] for row in late)], until=29.9)
    assert machine.slow == 4
    machine.judge([], until=31.0)
    assert machine.slow == 1
    assert all(0 <= row.judged < 30.2 for row in late)


def test_what_was_slow_once_begins_among_slow_rows_until_it_is_fast() -> None:
    def put() -> Job:
        job = Job([json.dumps({"completion": text}).encode() for text in ("a", "b", "c")])
        line.put(job)
        return job

    line = Queue(workers=3, slow_workers=1, chunk_of=lambda _: 9)
    put()
    first = line.next()
    line.put_off(first, first.units[0])
    line.done(first, 1.0)
    second = put()
    works = [line.next() for _ in range(4)]
    assert line.next() is None  # its own turn comes after the first job's
    assert [work.slow for work in works].count(True) == 1
    (slow,) = [work for work in works if work.slow]
    slow.job.deliver(slow.units[0].places, [RIGHT])
    line.done(slow, 0.01)
    again = line.next()
    assert (again.slow, again.job, again.units[0].level) == (True, second, 1)
    for work in works:
        if not work.slow:
            line.done(work, 0.01)
    again.job.deliver(again.units[0].places, [RIGHT])
    line.done(again, 0.01)
    third = put()
    assert not any(work.slow for work in iter(line.next, None) if work.job is third)


@given(st.lists(st.floats(0.001, 10), min_size=ENOUGH, max_size=200))
def test_nine_of_ten_rows_of_late_are_never_slow(times: list[float]) -> None:
    recent = Recent(*BUDGET)
    assert recent.slow_s == BUDGET[2]
    for seconds in times:
        recent.note(seconds)
    kept = times[: len(times) // 10 * 10][-50:]
    assert sum(seconds > recent.slow_s for seconds in kept) <= len(kept) / 10
    assert min(times) * (1 - 1e-9) <= recent.mean_s <= max(times) * (1 + 1e-9)


def test_loops_say_nothing_about_how_long_rows_take() -> None:
    line = Queue(workers=1, slow_workers=1, chunk_of=lambda _: 1)
    for score, seconds in [(RIGHT, 0.02), (LATE, 30.0)] * 40:
        line.put(Job([b"{}"]))
        work = line.next()
        work.job.deliver([0], [score])
        work.cpu_s = seconds
        line.done(work, seconds)
    line.put(Job([b"{}"]))
    assert line.next().budget_s == pytest.approx(0.04)
