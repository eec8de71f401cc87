"""The pool's promises, with boxes that fail on command."""

import asyncio
import threading
import time
from concurrent.futures import CancelledError, wait
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_pool import BOUND_S, jobs, said, until

from sandboxes import Job, Limits, SandboxError, open_sandbox
from sandboxes.connection import BoxLost, longest_wait
from sandboxes.pool import CHUNK, CHUNK_COMPILED, Pool, _units


def test_order_is_kept_over_many_boxes(make_pool):
    pool, _ = make_pool(workers=4)
    mixed = [Job(program=f"p{number % 7}", stdin=str(number)) for number in range(200)]
    assert said(pool.submit(mixed, None).result()) == [str(number) for number in range(200)]


def test_no_jobs_is_no_results(make_pool):
    pool, _ = make_pool()
    assert pool.submit([], None).result() == []


def test_a_box_that_dies_once_costs_nothing(make_pool):
    died = []

    def script(box, job):
        if job.stdin == "3" and not died:
            died.append(box.number)
            return BoxLost("killed")
        return None

    pool, _ = make_pool(script)
    facts = pool.submit(jobs(6), None).result()
    assert said(facts) == ["0", "1", "2", "3", "4", "5"]
    assert all(execution.lost is None for execution in facts)
    assert pool.counters.lost == 1


def test_a_job_that_loses_two_boxes_is_lost_and_the_others_are_not(make_pool):
    pool, _ = make_pool(lambda box, job: BoxLost("killed") if job.stdin == "2" else None)
    facts = pool.submit(jobs(5), None).result()
    assert [execution.lost is not None for execution in facts] == [False, False, True, False, False]
    assert facts[2].lost == "killed; killed"


def test_boxes_killed_from_outside_are_not_the_jobs_doing(make_pool):
    kills = iter(range(4))
    pool, _ = make_pool(
        lambda box, job: BoxLost("killed", "outside") if job.stdin == "2" and next(kills, None) is not None else None
    )
    assert said(pool.submit(jobs(5), None).result()) == ["0", "1", "2", "3", "4"]


def test_a_job_whose_box_runs_out_of_memory_twice_has_met_its_limit(make_pool):
    pool, _ = make_pool(lambda box, job: BoxLost("killed", "memory") if job.stdin == "1" else None)
    facts = pool.submit(jobs(3), None).result()
    assert facts[1].limit == "memory"
    assert facts[1].lost is None


def test_a_box_that_died_while_idle_is_nobodys_fault(make_pool):
    pool, factory = make_pool(spares=2)
    pool.submit(jobs(1), None).result()
    for box in list(factory.boxes):
        box.dead = True
    facts = pool.submit(jobs(2), None).result()
    assert said(facts) == ["0", "1"]


def test_an_unclean_box_is_not_used_again(make_pool):
    def script(box, job):
        if job.stdin == "1":
            box.unclean = "files left"

    pool, factory = make_pool(script)
    facts = pool.submit(jobs(4), None).result()
    numbers = [execution.stdout.decode().partition(":")[0] for execution in facts]
    assert said(facts) == ["0", "1", "2", "3"]
    assert numbers[1] != numbers[2]
    assert next(box for box in factory.boxes if box.unclean).runs == 2


def test_stop_ends_the_batch_and_nothing_more_runs(make_pool):
    ran = []
    pool, _ = make_pool(lambda box, job: ran.append(job.stdin))
    facts = pool.submit(jobs(10), lambda index, execution: index == 3).result()
    assert said(facts) == ran == ["0", "1", "2", "3"]


def numbers(facts):
    return [int(execution.stdout.decode().partition(":")[0]) for execution in facts]


def warm(pool, boxes):
    """Wait until the spares are idle, too."""
    pool.submit(jobs(1), None).result()
    until(lambda: pool._idle.qsize() >= boxes)


def looking(_index, _execution):
    return False


def test_tests_that_are_looked_at_alternate_with_an_idle_spare(make_pool, monkeypatch):
    monkeypatch.setattr("sandboxes.warm_boxes.CORES", 2)
    pool, _ = make_pool()
    warm(pool, 2)
    facts = pool.submit(jobs(6), looking).result()
    assert said(facts) == [str(number) for number in range(6)]
    first, second = numbers(facts)[:2]
    assert first != second
    assert numbers(facts) == [first, second] * 3
    assert len(set(numbers(pool.submit(jobs(6), None).result()))) == 1


@pytest.mark.parametrize(("cores", "spares"), [(1, 1), (2, 0)])
def test_without_a_free_core_or_a_spare_one_box_does_it_all(make_pool, monkeypatch, cores, spares):
    monkeypatch.setattr("sandboxes.warm_boxes.CORES", cores)
    pool, _ = make_pool(spares=spares)
    warm(pool, 1 + spares)
    assert len(set(numbers(pool.submit(jobs(6), looking).result()))) == 1


def test_whichever_of_two_alternating_boxes_dies_no_job_is_lost(make_pool, monkeypatch):
    monkeypatch.setattr("sandboxes.warm_boxes.CORES", 2)
    died = []

    def script(box, job):
        if job.stdin in ("2", "5", "6") and job.stdin not in died:
            died.append(job.stdin)
            return BoxLost("killed")
        return None

    pool, factory = make_pool(script)
    warm(pool, 2)
    assert said(pool.submit(jobs(8), looking).result()) == [str(number) for number in range(8)]
    assert pool.counters.lost == 3
    warm(pool, 2)
    for box in list(factory.boxes):
        box.dead = box is not pool._idle.queue[-1]
    assert said(pool.submit(jobs(4), looking).result()) == ["0", "1", "2", "3"]
    assert pool._in_use == 0


def test_a_stop_that_raises_reaches_the_caller(make_pool):
    pool, _ = make_pool()

    def stop(index, execution):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        pool.submit(jobs(2), stop).result()
    assert said(pool.submit(jobs(1), None).result()) == ["0"]


@pytest.mark.long
def test_boxes_that_can_not_start_end_in_one_error_not_in_waiting():
    def make():
        raise SandboxError("no image", cure="build it")

    pool = Pool(make, workers=1, spares=0)
    with pytest.raises(SandboxError, match="no image; build it"):
        pool.submit(jobs(1), None).result()
    pool.close()


def asleep(box, job):
    """Says nothing for jobs that are to hang, until the box is interrupted."""
    if job.stdin == "hang":
        box.asleep.set()
        assert box.interrupted.wait(BOUND_S)
        return BoxLost("interrupted")
    return None


@pytest.mark.parametrize("stop", [None, lambda index, execution: False])
def test_cancelling_kills_what_runs_drops_what_waits_and_leaves_the_rest(make_pool, stop):
    pool, factory = make_pool(asleep, workers=1)
    running = pool.submit([Job(program="p", stdin="hang"), *jobs(3)], stop)
    queued = pool.submit([Job(program="q", stdin="hang")], stop)
    others = pool.submit(jobs(5), stop)
    until(lambda: any(box.asleep.is_set() for box in factory.boxes))
    assert queued.cancel()
    assert running.cancel()
    assert said(others.result(BOUND_S)) == ["0", "1", "2", "3", "4"]
    assert sum(box.asleep.is_set() for box in factory.boxes) == 1
    assert pool.counters.lost == 0
    assert said(pool.submit(jobs(2), stop).result(BOUND_S)) == ["0", "1"]


def test_a_cancelled_batch_that_waits_for_a_box_goes_away(make_pool):
    gate = threading.Event()
    pool, factory = make_pool()
    make = pool.make
    pool.make = lambda: gate.wait(BOUND_S) and make()
    waiting = pool.submit(jobs(1), None)
    until(lambda: pool._starting)
    assert waiting.cancel()
    other = pool.submit(jobs(1), None)
    gate.set()
    assert said(other.result(BOUND_S)) == ["0"]
    assert pool._in_use == 0
    assert all(box.runs <= 1 for box in factory.boxes)


def test_what_is_done_can_not_be_cancelled(make_pool):
    pool, factory = make_pool()
    done = pool.submit(jobs(2), None)
    assert said(done.result()) == ["0", "1"]
    assert not done.cancel()
    assert not any(box.interrupted.is_set() for box in factory.boxes)


def test_cancelling_at_any_moment_leaves_a_pool_that_works(make_pool):
    pool, _ = make_pool(workers=3)
    batches = [pool.submit(jobs(40), None) for _ in range(60)]
    cancelled = [batch.cancel() for batch in batches[::2]]
    assert not wait(batches, BOUND_S).not_done
    for batch, gone in zip(batches[::2], cancelled, strict=True):
        if gone:
            with pytest.raises(CancelledError):
                batch.result()
    for batch in batches[1::2]:
        assert said(batch.result()) == [str(number) for number in range(40)]
    until(lambda: not pool._in_use)  # a thread may still put away the box of a batch that was cancelled


@pytest.mark.long
def test_jobs_wait_until_boxes_start_again(make_pool):
    pool, factory = make_pool()
    warm(pool, 2)  # none that was started before comes up later
    make, tries = pool.make, iter(range(5))

    def away():
        if next(tries, None) is not None:
            raise SandboxError("Docker does not answer", cure="start it")
        return make()

    pool.make = away
    for box in list(factory.boxes):
        box.dead = True
    assert said(pool.submit(jobs(3), None).result(BOUND_S)) == ["0", "1", "2"]
    assert next(tries, None) is None


@pytest.mark.long
def test_jobs_fail_with_the_reason_once_boxes_are_away_for_long_and_run_when_they_are_back(make_pool, monkeypatch):
    monkeypatch.setattr("sandboxes.warm_boxes.DAEMON_RESTART_TIMEOUT_S", 0.5)
    pool, factory = make_pool()
    warm(pool, 2)
    make = pool.make

    def away():
        raise SandboxError("Docker does not answer", cure="start it")

    pool.make = away
    for box in list(factory.boxes):
        box.dead = True
    for _ in range(3):
        with pytest.raises(SandboxError, match="Docker does not answer; start it"):
            pool.submit(jobs(3), None).result(BOUND_S)
    pool.make = make
    assert said(pool.submit(jobs(3), None).result(BOUND_S)) == ["0", "1", "2"]


def until_busy(sandbox):
    until(lambda: sandbox.pool._in_use)
    time.sleep(0.5)  # likely in the middle of it; it must end well at any point


@pytest.mark.parametrize("name", ["unsafe", pytest.param("docker", marks=pytest.mark.docker)])
@pytest.mark.parametrize("driver", [None, "assert candidate(1) == 2"])
def test_a_cancelled_task_ends_its_program_at_once(name, driver):
    async def main(sandbox):
        sleeper = Job(program="import time\ntime.sleep(600)", limits={"cpu_s": 300}, driver=driver, entry_point="f")
        task = asyncio.create_task(sandbox.run_async([sleeper] * 3))
        await asyncio.to_thread(until_busy, sandbox)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(BOUND_S):  # the only worker is free again
            return await sandbox.run_async([Job(program="print(1)")])

    with open_sandbox(name, workers=1) as sandbox:
        (execution,) = asyncio.run(main(sandbox))
        assert execution.stdout == b"1\n"
        assert sandbox.pool._in_use == sandbox.trusted._in_use == 0
        assert sandbox.pool.counters.lost == 0


@pytest.mark.parametrize("lost", [None, "0", "2", "4"])
def test_whether_to_stop_is_asked_once_for_each_job_in_order(make_pool, lost):
    pool, _ = make_pool(lambda box, job: BoxLost("killed") if job.stdin == lost else None)
    asked = []
    facts = pool.submit(jobs(5), lambda index, execution: asked.append((index, execution))).result()
    assert asked == list(enumerate(facts))


@given(
    st.lists(
        st.builds(Job, program=st.sampled_from("ab"), prelude=st.sampled_from(["", "x"]))
        | st.builds(Job, program=st.sampled_from("ab"), language=st.just("c"))
    ).flatmap(lambda some: st.permutations(some * 4))
)
def test_a_unit_is_what_adjacent_jobs_share_up_to_a_chunk(some):
    units = _units(some)
    assert [index for unit in units for index in unit] == list(range(len(some)))
    keys = [[(some[index].program, some[index].prelude) for index in unit] for unit in units]
    assert all(len(set(unit)) == 1 for unit in keys)
    for unit, after in pairwise(units):
        first, then = some[unit[-1]], some[after[0]]
        chunk = CHUNK if then.language == "python" else CHUNK_COMPILED
        assert len(unit) >= chunk or (first.program, first.prelude) != (then.program, then.prelude)


@given(st.builds(Limits, cpu_s=st.floats(0.1, 100), wall_s=st.none() | st.floats(0.1, 1000)), st.integers(1, 50))
def test_a_live_box_is_waited_for_as_long_as_its_runs_may_take(limits, runs):
    assert longest_wait(limits, runs) > runs * limits.deadline_s
    assert longest_wait(limits) == longest_wait(limits, 1)


@pytest.mark.long
@pytest.mark.parametrize("name", ["unsafe", pytest.param("docker", marks=pytest.mark.docker)])
def test_a_prelude_of_tests_does_what_it_would_do_at_their_beginning(name):
    preludes = ["", "x = candidate(1)", "def x(): return candidate(1)", "x = 1 / 0", "import decimal, unittest as x"]
    drivers = ["", "assert f(1) == 2", "assert x == 2", "assert x() == 2 == candidate(1)", "candidate = f = None"]
    split = [
        Job(program="def f(n): return n + 1", entry_point="f", driver=last, driver_prelude=first)
        for first in preludes
        for last in drivers
    ]
    joined = [job.model_copy(update={"driver": f"{job.driver_prelude}\n{job.driver}", "driver_prelude": ""}) for job in split]  # fmt: skip
    with open_sandbox(name, workers=1) as sandbox:
        seen = [[(each.driver.passed, each.driver.error, each.driver.calls) for each in sandbox.run(jobs)] for jobs in (joined, split)]  # fmt: skip
    assert seen[0] == seen[1]
    assert {passed for passed, _, _ in seen[0]} == {True, False}


@pytest.mark.parametrize("name", ["unsafe", pytest.param("docker", marks=pytest.mark.docker)])
@pytest.mark.parametrize("bytes_", [0, 100, 5_000])
def test_a_job_that_may_write_little_costs_no_later_one_its_prelude(name, bytes_):
    long = "".join(f"def g{n}(): return {n}\n" for n in range(300))
    kinds = [
        {"program": f"{long}print(g7())", "prelude": long},
        {"program": "def f(n): return g7() + n", "prelude": long, "entry_point": "f", "driver": "assert candidate(1) == 8 == g7() + 1", "driver_prelude": long},
    ]  # fmt: skip
    for kind in kinds:
        jobs = [Job(**kind, limits={"file_bytes": most}) for most in (bytes_, bytes_, 1 << 20, 1 << 20)]
        with open_sandbox(name, workers=1) as sandbox:
            for job in jobs:
                (seen,) = sandbox.run([job])
                assert seen.driver.passed if job.driver else seen.stdout == b"7\n", (job.limits.file_bytes, seen)
