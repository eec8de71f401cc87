"""Executors that are let go of at any moment: their results come, and their processes end."""

import os
import signal
import subprocess
import sys

import pytest
from live import is_gone, wait_for
from toy import Trouble

from rewardkit import Sample, Score
from rewardkit.executor import Executor
from rewardkit.executor.job import Job


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


def test_only_workers_that_are_lost_are_told_of_as_gone():
    told = []
    with Executor(Trouble(), workers=2, warm=True, on_worker=lambda cause, _alive: told.append(cause)) as executor:
        wait_for(lambda: len(executor.pids) == 2)
        os.kill(executor.pids[0], signal.SIGKILL)
        wait_for(lambda: told.count("") == 3)
        executor.score(samples(4))
    assert sorted(told) == ["", "", "", "died"], told


SETTINGS = {
    "blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
    "ignored": "[signal.signal(each, signal.SIG_IGN) for each in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}]",
}
SCORE = r"""
import signal, sys
from rewardkit import Sample, load
from rewardkit.executor import Executor
exec(sys.argv[1])
truth = {"inputs": ["1"], "outputs": ["2"]}
if __name__ == "__main__":
    with Executor(load("code(sandbox='unsafe')"), workers=2) as executor:
        rows = [Sample(completion=f"```python\nprint({n})\n```", ground_truth=truth) for n in (1, 2)]
        print([score.value for score in executor.score(rows)])
"""


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_judges_and_ends_whatever_signals_its_caller_blocks_or_ignores(setting):
    command = [sys.executable, "-c", SCORE, SETTINGS[setting]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stdout) == (0, "[0.0, 1.0]\n"), done.stderr


@pytest.mark.parametrize("threaded", [True, False])
def test_a_job_whose_callback_fails_is_over_and_no_worker_goes_on_with_it(threaded):
    told = []

    def fail(scores):
        if scores:
            raise ValueError("the callback failed")

    with Executor(Trouble(), workers=2, on_worker=lambda cause, _: told.append(cause), threaded=threaded) as executor:
        job = executor.submit(samples(400), on_scores=fail)
        with pytest.raises(ValueError, match="the callback failed"):
            job.result()
        assert [score.value for score in executor.score(samples(40))] == [1.0] * 40
        assert (job.over, job.has_work) == (True, False)
    assert len(told) < 12


@pytest.mark.parametrize("delivered", range(5))
def test_nothing_that_comes_after_its_failure_brings_a_job_back(delivered):
    job = Job([b"{}"] * 4)
    job.take(2)
    job.fail(ValueError("the callback failed"))
    job.deliver(range(delivered), [Score.of(1.0)] * delivered)
    assert (job.over, job.has_work) == (True, False)


CYCLE = """
import gc, time
from rewardkit import Sample, load
from rewardkit.executor import Executor, worker

def modules_of(config, real=worker.modules_of):  # the lock of starts is held here
    if made:
        other = made.pop()()
        other["itself"] = other
        del other
        gc.collect()
    return real(config)

def make():
    executor = Executor(load("exact"), workers=1, warm=True)
    time.sleep(0.2)  # its worker waits for the lock
    return {"executor": executor}

if __name__ == "__main__":
    gc.disable()
    made = [make]
    worker.modules_of = modules_of
    print(Executor(load("exact"), workers=1).score([Sample(completion="1", ground_truth="1")])[0].value)
"""


@pytest.mark.long
def test_the_garbage_collector_may_end_an_executor_wherever_it_runs(tmp_path):
    (tmp_path / "cycle.py").write_text(CYCLE)
    done = subprocess.run([sys.executable, "cycle.py"], cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert done.stdout == b"1.0\n", done.stderr
