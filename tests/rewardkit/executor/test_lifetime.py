"""Executors that are let go of at any moment: their results come, and their processes end."""

import os
import signal

import pytest
from live import is_gone, wait_for
from toy import Trouble

from rewardkit import Sample
from rewardkit.executor import Executor


def samples(count):
    return [Sample(completion="fine")] * count


@pytest.mark.slow
@pytest.mark.parametrize("threaded", [True, False])
def test_an_executor_may_be_let_go_of_at_any_moment(threaded, no_gc):
    """Before a result, while results are taken, and after them; one at a time and some in a row."""
    for round_ in range(60):
        executor = Executor(Trouble(), threaded=threaded)
        job = executor.submit(samples(1 + round_ % 3))
        if round_ % 3 == 0:
            del executor
            assert {score.value for score in job.result()} == {1.0}
            continue
        if round_ % 3 == 1:
            assert len(list(job.in_order())) >= 1
        job.result()
        pids = executor.pids
        del executor, job
        wait_for(lambda pids=pids: all(map(is_gone, pids)))


def test_a_worker_that_dies_while_it_has_nothing_to_do_is_let_go_of():
    with Executor(Trouble(), workers=1) as executor:
        executor.score(samples(1))
        dead = executor.pids
        os.kill(dead[0], signal.SIGKILL)
        wait_for(lambda: executor.pids != dead)
        assert [score.value for score in executor.score(samples(3))] == [1.0] * 3
