"""The laws of the executor: order and values of this process, and a lost worker costs its row alone."""

import asyncio
import gc
import os
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

import pytest
from live import is_gone, wait_for
from toy import Environment, Later, Length, Same, Trouble, get_ready

from rewardkit import Sample, load
from rewardkit.executor import Executor, InProcess, executor_for, is_bounded, is_by_row
from rewardkit.executor.executor import MEMORY_MB
from rewardkit.executor.queue import CHUNK_S
from rewardkit.executor.worker import resident_mb

FINE = Sample(completion="fine")


def samples(*words: str) -> list[Sample]:
    return [Sample(completion=word) for word in words]


@pytest.mark.parametrize(
    "reward", [Same() + 0.1 * Length(), Later(), load("math + 0.1 * think_format"), load("majority")]
)
def test_workers_give_the_scores_of_this_process_in_order(reward: Any) -> None:
    batches = [
        [Sample(completion=rf"\boxed{{{i * j}}}", ground_truth=str(i), group=str(i)) for j in range(5)]
        for i in range(40)
    ]
    batches += [
        [],
        [Sample(completion="a\ud800b\u2028\x00", ground_truth={"é": (1, None)}, extra_info={"date": date(2026, 1, 2)})],
    ]
    here = [(s.value, s.verdict, s.answer, s.parts) for scores in InProcess(reward).map(batches) for s in scores]
    with Executor(reward, workers=2) as executor:
        there = [(s.value, s.verdict, s.answer, s.parts) for scores in executor.map(batches) for s in scores]
    assert there == here


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_a_row_that_hangs_or_kills_its_worker_is_unjudged_and_the_rest_is_not(workers: int) -> None:
    words = ["fine", "hang", "fine", "die", "raise", "fine"]
    with Executor(Trouble(), workers=workers, row_timeout_s=3.0) as executor:
        *first, second = [score for scores in executor.map([samples(*words), [FINE]]) for score in scores]
    assert [score.value for score in first] == [1.0, None, 1.0, None, None, 1.0]
    assert first[1].reason == "no verdict within 3 s; the worker was killed"
    assert "died (exit code 7)" in first[3].reason
    assert second.value == 1.0


@pytest.mark.parametrize("size", [1, 8 << 20])  # the second is more than fits into the socket
def test_a_worker_that_is_killed_before_it_has_read_its_rows_costs_none(size: int) -> None:
    with Executor(Same(), warm=True) as executor:
        (pid,) = wait_for(lambda: executor.pids)
        os.kill(pid, signal.SIGSTOP)
        wait_for(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        job = executor.submit([Sample(completion="x" * size, ground_truth="x" * size)])
        os.kill(pid, signal.SIGKILL)
        assert [score.value for score in job.future.result(60)] == [1.0]


@pytest.mark.long
def test_a_row_that_sends_without_end_meets_its_limit() -> None:
    with Executor(Trouble(), workers=2, row_timeout_s=1.0) as executor:
        scores = executor.score(samples("fine", "drip", "fine"))
    assert [score.value for score in scores] == [1.0, None, 1.0]
    assert scores[1].reason == "no verdict within 1 s; the worker was killed"


@pytest.mark.long
def test_the_clock_of_a_row_stands_still_while_nobody_takes_its_answer() -> None:
    with Executor(Trouble(), threaded=False, row_timeout_s=0.5) as executor:
        executor.score([FINE])
        job = executor.submit(samples("talk", "fine", "hang"))
        time.sleep(1)
        assert [score.value for score in job.result()] == [1.0, 1.0, None]


def test_callers_who_wait_beside_each_other_all_get_their_scores() -> None:
    found: list[Any] = []
    with Executor(Trouble(), workers=2, threaded=False) as executor:
        callers = [threading.Thread(target=lambda: found.extend(executor.score([FINE]))) for _ in range(8)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join(timeout=60)
    assert [score.value for score in found] == [1.0] * 8


@pytest.mark.long
@pytest.mark.parametrize("chunk_rows", [None, 8])
@pytest.mark.parametrize("trouble", ["noise", "close", "die", "die soon"])
def test_what_a_row_does_to_its_process_costs_no_other_row(trouble: str, chunk_rows: int | None) -> None:
    words = (["nap"] * 12 + [trouble]) * 4 + ["nap"] * 30
    with Executor(Trouble(), workers=2, chunk_rows=chunk_rows) as executor:
        scores = [score for batch in executor.map([samples(*words)] * 2) for score in batch]
    assert len(scores) == 2 * len(words)
    assert {score.value for score, word in zip(scores, words * 2, strict=True) if word == "nap"} == {1.0}


def test_results_come_as_they_are_judged(tmp_path: Path) -> None:
    """Rows that take less than `CHUNK_S` come some at a time; these take longer."""
    words = [f"wait for {tmp_path / name}" for name in "abc"]
    with Executor(Trouble()) as executor:
        found = executor.submit(samples(*words)).in_order()
        for name in "abc":
            wait_for(lambda name=name: list(tmp_path.glob(f"{name}.at-*")))
            time.sleep(3 * CHUNK_S)
            (tmp_path / name).touch()
            assert [score.value for score in next(found)] == [1.0]
        assert list(found) == []


def test_a_few_slow_rows_keep_all_workers_busy(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with Executor(Trouble(), workers=3) as executor:
        job = executor.submit(samples(*[f"wait for {gate}"] * 3))
        wait_for(lambda: len(list(tmp_path.glob("gate.at-*"))) == 3)
        gate.touch()
        assert [score.value for score in job.result()] == [1.0] * 3


def test_workers_stay_up_between_calls_and_are_replaced_after_a_death() -> None:
    with Executor(Trouble()) as executor:
        assert [score.value for score in executor.score([FINE] * 3)] == [1.0] * 3
        before = executor.pids
        assert executor.score([FINE])[0].value == 1.0
        assert executor.pids == before
        assert executor.score(samples("die"))[0].value is None
        assert executor.score([FINE])[0].value == 1.0
        assert executor.pids != before


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_somebody_kills_costs_nothing(signum: int) -> None:
    with Executor(Trouble()) as executor:
        for _ in range(3):
            executor.score([FINE])
            os.kill(executor.pids[0], signum)
            assert [score.value for score in executor.score([FINE] * 100)] == [1.0] * 100


@pytest.mark.long
def test_a_cancelled_job_is_ended_and_the_next_one_is_judged() -> None:
    with Executor(Trouble(), row_timeout_s=600) as executor:
        job = executor.submit(samples("hang"))
        waiting = executor.submit(samples("hang"))
        wait_for(lambda: executor.pids)
        waiting.end()
        job.end()
        assert executor.score([FINE])[0].value == 1.0


def test_a_caller_who_leaves_the_middle_of_a_map_ends_its_work() -> None:
    with Executor(Trouble(), row_timeout_s=600) as executor:
        scores = executor.map([[FINE], samples("hang"), samples("hang")])
        assert next(scores)[0].value == 1.0
        scores.close()
        assert executor.score([FINE])[0].value == 1.0


def test_close_ends_processes_that_hang_and_calls_that_wait() -> None:
    executor = Executor(Trouble(), row_timeout_s=600)
    executor.score([FINE])
    (pid,) = executor.pids
    found: list[Any] = []
    caller = threading.Thread(target=lambda: found.extend(executor.score(samples("hang"))))
    caller.start()
    time.sleep(0.1)
    executor.close()
    caller.join()
    assert [score.value for score in found] == [None]
    wait_for(lambda: is_gone(pid))
    executor.close()


@pytest.mark.parametrize("threaded", [True, False])
def test_an_executor_that_nobody_closed_ends_with_its_last_user(threaded: bool, no_gc: None) -> None:
    executor = Executor(Trouble(), threaded=threaded)
    executor.score([FINE])
    (pid,) = executor.pids
    del executor
    wait_for(lambda: is_gone(pid))


@pytest.mark.long
@pytest.mark.parametrize("threaded", [True, False])
def test_a_job_keeps_its_executor(threaded: bool) -> None:
    job = Executor(Trouble(), threaded=threaded).submit(samples("fine", "nap", "fine"))
    gc.collect()
    if threaded:
        wait_for(job.future.done)
    assert [score.value for score in job.result()] == [1.0] * 3


def test_an_executor_whose_job_nobody_awaits_ends_once_it_is_done(tmp_path: Path, no_gc: None) -> None:
    executor, gate = Executor(Trouble()), tmp_path / "gate"
    executor.submit(samples(f"wait for {gate}"))
    wait_for(lambda: list(tmp_path.glob("gate.at-*")))
    (pid,) = executor.pids
    del executor
    assert not is_gone(pid)
    gate.touch()
    wait_for(lambda: is_gone(pid))


@pytest.mark.parametrize("threaded", [True, False])
def test_an_executor_that_is_closed_takes_no_rows(threaded: bool) -> None:
    executor = Executor(Trouble(), threaded=threaded)
    executor.close()
    for rows in ([FINE], []):
        with pytest.raises(RuntimeError, match="the executor is closed"):
            executor.submit(rows)


@pytest.mark.long
def test_no_caller_waits_for_an_executor_that_is_being_closed() -> None:
    """Whenever the two meet, a caller gets scores, or is told that he comes too late."""
    with ThreadPoolExecutor(4) as callers:
        for number in range(12):
            executor = Executor(Trouble(), threaded=number % 2 == 0)
            calls = [callers.submit(executor.score, [FINE]) for _ in range(4)]
            time.sleep(0.02 * number)
            executor.close()
            assert wait(calls, timeout=60).not_done == set()
            assert {type(call.exception()) for call in calls} <= {type(None), RuntimeError}


def test_a_reward_that_cannot_be_handed_over_is_refused_in_one_sentence() -> None:
    from dataclasses import dataclass
    from typing import ClassVar

    from rewardkit import SampleReward, Score, UsageError

    @dataclass(frozen=True)
    class Local(SampleReward):
        name: ClassVar[str] = "local"

        def grade(self, sample: Sample) -> Score:
            return Score.of(True)

    with Executor(Local()) as executor, pytest.raises(UsageError, match="cannot be handed to a worker process"):
        executor.score([FINE])


def test_built_in_rewards_are_bounded_and_those_of_others_are_not(reward_name: str) -> None:
    from rewardkit import registry

    assert registry.get(reward_name).bounded is True
    assert not is_bounded(Same())
    assert not is_bounded(load("math") + 0.1 * Same())
    assert is_bounded(load("math + 0.1 * think_format"))


@pytest.mark.parametrize(
    "text", ["format(pattern='(a+)+b')", "json_schema", """json_schema(schema='{"pattern": "(a+)+b"}')"""]
)
def test_a_regular_expression_that_is_given_to_a_reward_runs_where_it_can_be_killed(text: str) -> None:
    assert not is_bounded(0.5 * load(text))


def test_a_pattern_that_backtracks_costs_its_row_alone() -> None:
    rows = [Sample(completion=text) for text in ("aab", "a" * 60, "ab")]
    with Executor(load("format(pattern='(a+)+b')"), row_timeout_s=0.5) as executor:
        assert [score.value for score in executor.score(rows)] == [1.0, None, 1.0]


def test_which_rewards_are_judged_row_by_row() -> None:
    assert [is_by_row(reward) for reward in (Same(), Later(), load("majority"))] == [True, False, False]


def test_bounded_rewards_are_judged_here_and_all_others_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "where.py").write_text(
        "import os\nfrom dataclasses import dataclass\nfrom rewardkit import SampleReward, Score\n"
        "@dataclass(frozen=True)\nclass Where(SampleReward):\n    name = 'where'\n"
        "    def grade(self, sample):\n        return Score.of(True, answer=str(os.getpid()))\n"
    )
    reward = load(f"{tmp_path}/where.py:Where")
    with executor_for(reward) as executor:
        assert executor.score([FINE])[0].answer != str(os.getpid())
    assert isinstance(executor_for(load("math")), InProcess)


def test_a_time_limit_that_is_asked_for_is_kept_for_every_reward() -> None:
    with executor_for(load("math"), row_timeout_s=5.0) as executor:
        assert isinstance(executor, Executor)


def test_a_worker_is_set_up_before_its_first_row() -> None:
    with Executor(Environment(), setup=get_ready) as executor:
        assert executor.score([FINE])[0].answer == "ready"


def test_one_executor_serves_several_rewards_and_rows_as_json() -> None:
    with Executor([Same(), Length()], chunk_rows=8) as executor:
        rows = [
            b'{"completion": "ab",\n\n"ground_truth": "ab"}',
            b'"no sample: why"',
            b"{",
            b"[1]",
            b'{"complexion": 1}',
        ]
        same = executor.submit(rows).result()
        assert [score.value for score in same] == [1.0, None, None, None, None]
        assert same[1].reason == "no sample: why"
        assert "complexion" in same[4].reason
        assert executor.submit(rows[:1], reward=1).result()[0].value == -0.2


def test_a_job_is_shared_out_among_the_workers() -> None:
    with Executor(Environment(), workers=2, chunk_rows=4) as executor:
        pids = {score.reason for score in executor.score([FINE] * 400)}
    assert len(pids) == 2


def test_rows_larger_than_a_socket_takes_at_once_arrive_whole() -> None:
    rows = [Sample(completion="x" * size) for size in (3_000_000, 1, 5_000_000)]
    with Executor(Length()) as executor:
        assert [score.value for score in executor.score(rows)] == [
            InProcess(Length()).score([row])[0].value for row in rows
        ]


def test_an_event_loop_can_take_the_results() -> None:
    async def run() -> list[Any]:
        threads: set[int] = set()
        with Executor(Trouble(), threaded=False) as executor:
            loop = asyncio.get_running_loop()
            loop.add_reader(executor, executor.step)
            job = executor.submit(
                samples("fine", "die", "fine"), on_scores=lambda _: threads.add(threading.get_ident())
            )
            scores = await asyncio.wrap_future(job.future)
            late = executor.submit(samples("hang"), on_scores=lambda _: threads.add(threading.get_ident()))
            loop.remove_reader(executor)
            executor.cancel()
            assert late.over
            await asyncio.to_thread(executor.close)
        assert threads == {threading.get_ident()}
        return [score.value for score in scores]

    assert asyncio.run(run()) == [1.0, None, 1.0]


@pytest.mark.long
def test_rows_behind_a_slow_one_are_judged_elsewhere_and_few_slow_ones_run_at_once() -> None:
    words = ["fine", "hang", "fine", "hang", "fine"] * 2
    with Executor(Trouble(), workers=1, slow_workers=1, chunk_rows=64, row_timeout_s=600) as executor:
        news: list[Any] = []
        job = executor.submit(samples(*words), on_scores=news.extend)
        wait_for(lambda: len(news) == words.count("fine"))
        assert len(executor.pids) <= 2
        assert executor.submit(samples("hang", "fine", "hang")).future.done() is False  # suspects go to the slow lane
        assert executor.submit([FINE]).result()[0].value == 1.0
        job.end("enough")
        assert [score.value for score in job.result()] == [1.0 if word == "fine" else None for word in words]


class Program(Trouble):
    """Trouble that says it runs programs in a sandbox."""

    name: ClassVar[str] = "program"
    needs: ClassVar[tuple[str, ...]] = ("completion", "sandbox")


@pytest.mark.slow
def test_a_reward_that_runs_programs_is_stopped_by_the_row_timeout_alone() -> None:
    with Executor(Program(), workers=1, slow_workers=1, chunk_rows=64, row_timeout_s=4) as executor:
        scores = executor.score(samples("fine", "hang", "fine"))
    assert [score.value for score in scores] == [1.0, None, 1.0]
    assert scores[1].reason == "no verdict within 4 s; the worker was killed"


def test_the_memory_of_a_process_is_what_it_holds() -> None:
    before = resident_mb(os.getpid())
    block = b"x" * (200 << 20)
    assert resident_mb(os.getpid()) >= max(before, len(block) >> 20)
    assert resident_mb(None) == 0.0


@pytest.mark.parametrize(
    ("text", "given", "mib"),
    [
        ("exact", None, MEMORY_MB),
        ("exact", 2_000, 2_000),
        ("code", None, None),
        ("exact + code", None, None),
        ("code", 3_000, 3_000),
    ],
)
def test_the_memory_of_a_worker_is_bounded_unless_its_reward_runs_sandboxes(
    text: str, given: int | None, mib: int | None
) -> None:
    with Executor(load(text), workers=1, memory_mb=given) as executor:
        executor.submit([FINE]).result()
        (pid,) = executor.pids
        limits = Path(f"/proc/{pid}/limits").read_text()
    (limit,) = re.findall(r"Max address space +(\w+)", limits)
    assert limit == ("unlimited" if mib is None else str(mib << 20))
