"""The harness's judge: answers in, scores as they come, and a row that hangs keeps no other waiting."""

import contextlib
from concurrent.futures import wait

import pytest
from live import TOY, wait_for

from harness.generation import Generation, Response
from harness.judging import SANDBOX_THREADS, Judge
from rewardkit import Verdict

REWARD = f"{TOY}:Trouble"


def ask(judge, number, word):
    doc = {
        "question": f"{number}",
        "ground_truth": f"{number}",
        "data_source": "toy",
        "id": f"{number}",
        "reward": REWARD,
    }
    answer = Generation(key=f"{number}", task="toy", doc_id=number, rep=0, seed=0, text=word)
    return judge.submit(doc, Response.of(answer))


def test_a_row_that_hangs_keeps_one_process_and_all_others_are_judged_meanwhile():
    with Judge(workers=2, reward=REWARD, row_timeout_s=600) as judge:
        hung = ask(judge, 0, "hang")
        others = [ask(judge, number, "fine") for number in range(1, 33)]
        assert wait(others, timeout=60).not_done == set()
        assert not hung.done()
    assert [future.result().value for future in (hung, *others)] == [None] + [1.0] * 32


@pytest.mark.parametrize(("workers", "processes"), [(0, 1), (1, 1), (2, 2)])
def test_a_reward_that_may_hang_is_judged_in_as_many_processes_as_asked_for_and_at_least_in_one(workers, processes):
    with Judge(workers=workers, reward=REWARD, row_timeout_s=600) as judge:
        assert wait([ask(judge, number, "fine") for number in range(50)], timeout=60).not_done == set()
        wait_for(lambda: len(judge._executors[REWARD].pids) == processes)


def test_equal_answers_to_a_problem_are_judged_once():
    with Judge(workers=2, reward=REWARD) as judge:
        scores = [ask(judge, 0, "fine"), ask(judge, 0, "fine"), ask(judge, 1, "fine")]
        assert [future.result().value for future in scores] == [1.0, 1.0, 1.0]
        assert (judge.submitted, judge.judged) == (3, 2)


@pytest.mark.long
def test_programs_that_run_end_with_an_interrupted_run_and_no_other_starts(monkeypatch, tmp_path):
    monkeypatch.setenv("REWARDKIT_SANDBOX", "unsafe")
    doc = {
        "question": "q",
        "data_source": "taco",
        "id": "1",
        "reward": "code(total_wall_s=900)",
        "ground_truth": {"inputs": [""], "outputs": ["1"]},
    }
    with contextlib.suppress(KeyboardInterrupt), Judge(workers=1) as judge:
        asked = [
            judge.submit(
                doc, f"```python\nopen({str(tmp_path / str(n))!r}, 'w').close()\nimport time\ntime.sleep(600)\n```"
            )
            for n in range(SANDBOX_THREADS + 8)
        ]
        wait_for(lambda: list(tmp_path.iterdir()))
        raise KeyboardInterrupt
    judged = [future.result() for future in asked if not future.cancelled()]
    assert [score for score in judged if score.verdict is not Verdict.UNJUDGED] == []
    assert sum(future.cancelled() for future in asked) >= 8
