"""The pool's promises, with boxes that fail on command."""

import threading

import pytest

from sandboxes import Execution, Job, SandboxError
from sandboxes.box import BoxLost
from sandboxes.pool import Pool


class Silent:
    def __init__(self, box):
        self.box = box

    def silent(self):
        return not self.box.dead


class ToyBox:
    """Answers with its own number; dies when the script says so."""

    isolation = "strong"

    def __init__(self, number, script):
        self.number, self.script = number, script
        self.runs, self.unclean, self.closed, self.dead = 0, None, False, False
        self.pipe = Silent(self)
        self.queue = []

    def send(self, job, **_):
        self.queue.append(job)

    def receive(self, job):
        assert self.queue.pop(0) is job
        self.runs += 1
        event = self.script(self, job)
        if isinstance(event, BaseException):
            raise event
        return Execution(exit_code=0, stdout=f"{self.number}:{job.stdin}".encode())

    def close(self):
        self.closed = True


class Factory:
    def __init__(self, script):
        self.script, self.boxes, self.lock = script, [], threading.Lock()

    def __call__(self):
        with self.lock:
            self.boxes.append(ToyBox(len(self.boxes), self.script))
            return self.boxes[-1]


@pytest.fixture
def make_pool():
    pools = []

    def make(script=lambda box, job: None, workers=1, spares=1):
        factory = Factory(script)
        pool = Pool(factory, workers=workers, spares=spares)
        pools.append((pool, factory))
        return pool, factory

    yield make
    for pool, factory in pools:
        pool.close()
        assert all(box.closed for box in factory.boxes)


def jobs(count, program="p"):
    return [Job(program=program, stdin=str(number)) for number in range(count)]


def said(facts):
    return [execution.stdout.decode().partition(":")[2] for execution in facts]


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


def test_a_stop_that_raises_reaches_the_caller(make_pool):
    pool, _ = make_pool()

    def stop(index, execution):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        pool.submit(jobs(2), stop).result()
    assert said(pool.submit(jobs(1), None).result()) == ["0"]


def test_boxes_that_can_not_start_end_in_one_error_not_in_waiting():
    def make():
        raise SandboxError("no image", cure="build it")

    pool = Pool(make, workers=1, spares=0)
    with pytest.raises(SandboxError, match="no image; build it"):
        pool.submit(jobs(1), None).result()
    pool.close()


def test_a_closed_pool_refuses_work(make_pool):
    pool, _ = make_pool()
    pool.close()
    with pytest.raises((SandboxError, RuntimeError)):
        pool.submit(jobs(1), None).result()
