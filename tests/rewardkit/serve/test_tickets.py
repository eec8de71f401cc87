"""The bounded queue, without processes."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import load
from rewardkit.executor import is_by_row
from rewardkit.serve.tickets import MAX_DEATHS, Queue, QueueFullError, Ticket, Unit
from rewardkit.types import Verdict

OK = (Verdict.CORRECT, b"{}")


def rows(count: int, group: str | None = None) -> list[dict[str, object]]:
    return [{"completion": str(index), "group": group} for index in range(count)]


def ticket(count: int, *, by_row: bool = True, group: str | None = None) -> Ticket:
    return Ticket(0, rows(count, group), by_row=by_row, deadline_s=1)


def queue(*, room: int = 100, workers: int = 1) -> Queue:
    return Queue([load("exact")], rows=room, size=1000, workers=workers)


@given(st.integers(0, 60), st.integers(1, 20), st.randoms(), st.booleans())
def test_every_row_is_handed_out_and_comes_back_in_order_whatever_breaks(count, take, random, by_row) -> None:
    one = ticket(count, by_row=by_row)
    for _ in range(10_000):
        if not one.has_work:
            break
        units = one.take(take)
        broken = random.randrange(2 * len(units))
        for index, unit in enumerate(units):
            if index == broken:
                one.put_back(units[index + 1 :])
                one.broken(unit, "gone", final=random.random() < 0.5)
                break
            one.deliver(unit, [(Verdict.CORRECT, str(place).encode()) for place in unit.places])
    assert one.over
    scores = asyncio.run(one.all_scores())
    assert len(scores) == count
    for place, (verdict, text) in enumerate(scores):
        assert text == str(place).encode() if verdict is Verdict.CORRECT else json.loads(text)["reason"] == "gone"


def test_a_group_stays_in_one_unit_and_is_tried_again_together() -> None:
    one = Ticket(0, rows(3, "a") + rows(3, "b"), by_row=False, deadline_s=1)
    (unit,) = one.take(4)
    assert unit.places == [0, 1, 2, 3, 4, 5]
    one.broken(unit, "gone", final=True)
    assert [unit.places for unit in [*one.take(9), *one.take(9)]] == [[0, 1, 2], [3, 4, 5]]


def test_a_row_that_kills_is_unjudged_after_some_deaths() -> None:
    one = ticket(1)
    for _ in range(MAX_DEATHS - 1):
        one.broken(one.take(1)[0], "died", final=False)
        assert not one.over
    one.broken(one.take(1)[0], "died", final=False)
    assert one.over


def test_late_scores_are_dropped() -> None:
    one = ticket(2)
    units = one.take(2)
    one.deliver(units[0], [OK])
    assert one.end("late") == 1
    assert one.deliver(units[1], [OK]) == 0
    assert [verdict for verdict, _ in asyncio.run(one.all_scores())] == [Verdict.CORRECT, Verdict.UNJUDGED]


def test_end_stops_who_works_on_it() -> None:
    one = ticket(2)
    stopped: list[int] = []
    one.kills.add(lambda: stopped.append(1))
    one.end("late")
    assert stopped == [1]


def test_tickets_take_turns() -> None:
    async def run() -> list[Ticket]:
        line = queue(room=1000)
        large = line.admit(0, rows(300), deadline_s=1)
        small = line.admit(0, rows(1), deadline_s=1)
        taken = [(await line.next())[0] for _ in range(3)]
        assert taken == [large, small, large]
        return taken

    asyncio.run(run())


def test_a_full_queue_says_when_to_come_back_and_an_empty_one_takes_anything() -> None:
    async def run() -> None:
        line = queue(room=10)
        first = line.admit(0, rows(500), deadline_s=1)
        with pytest.raises(QueueFullError) as caught:
            line.admit(0, rows(1), deadline_s=1)
        assert 1 <= caught.value.retry_after_s <= 60
        line.scored(first.end("over"))
        line.leave(first)
        assert line.rows == 0
        line.admit(0, rows(1), deadline_s=1)

    asyncio.run(run())


def test_bytes_are_bounded_too() -> None:
    line = queue()
    line.hold(5000)
    with pytest.raises(QueueFullError):
        line.hold(1)
    line.free(5000)
    line.hold(1)


def test_waiting_workers_get_work_as_it_comes() -> None:
    async def run() -> None:
        line = queue()
        waiting = [asyncio.create_task(line.next()) for _ in range(3)]
        await asyncio.sleep(0)
        line.admit(0, rows(8), deadline_s=1)
        done = await asyncio.gather(*waiting)
        assert sorted(place for _, units in done for unit in units for place in unit.places)[:2] == [0, 1]

    asyncio.run(asyncio.wait_for(run(), 60))


@pytest.mark.parametrize(
    ("text", "by_row"),
    [
        ("exact", True),
        ("exact + 0.1 * think_format", True),
        ("by_source({'*': exact})", True),
        ("tool_call(exact)", False),
    ],
)
def test_is_by_row(text: str, by_row: bool) -> None:
    assert is_by_row(load(text)) is by_row


def test_units_count_their_deaths() -> None:
    assert Unit([1]).deaths == 0
