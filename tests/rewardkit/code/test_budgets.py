"""What one submission may cost: time over all tests, and the size of what it answers."""

import asyncio
import json
import resource
import threading

import pytest

from rewardkit.code.facts import NOT_RUN
from rewardkit.code.formats import read_problem
from rewardkit.code.judge import judge
from rewardkit.code.policy import Policy
from rewardkit.code.problem import Expectation
from rewardkit.types import Verdict
from sandboxes.backends.fake import FakeSandbox
from sandboxes.base import TOO_LONG, CallResult, DriverResult, Execution, Limits
from sandboxes.registry import open_sandbox
from sandboxes.results import call_result
from sandboxes.values import encode

STDIN = read_problem({"inputs": ["1\n"] * 9, "outputs": ["1\n"] * 9})
CALLS = read_problem({"inputs": [[n] for n in range(1200)], "outputs": list(range(1200)), "fn_name": "f"})


def judged(problem, sandbox, mode="fraction", program="def f(x): return x", **limits):
    policy = Policy(mode=mode, limits=Limits(**{"total_cpu_s": 10.0, "total_wall_s": 5.0, **limits}), k=5)
    return asyncio.run(judge(problem, program, sandbox, policy))


@pytest.mark.parametrize(
    ("asleep_s", "cpu_s", "runs"),
    [(3.0, 0.0, 2), (0.0, 4.0, 3), (11.0, 0.1, 1), (0.5, 0.49, 9), (15.0, 5.1, 1), (0.0, 1.0, 9)],
)
@pytest.mark.parametrize("mode", ["fraction", "weighted"])
def test_tests_that_are_left_when_the_time_is_used_up_are_time_limit_without_being_run(asleep_s, cpu_s, runs, mode):
    box = FakeSandbox(lambda job: Execution(exit_code=0, stdout=b"1\n", wall_s=99.0, asleep_s=asleep_s, cpu_s=cpu_s))
    judgement = judged(STDIN, box, mode)
    assert len(box.seen) == runs
    assert [fact.verdict for fact in judgement.facts] == [Verdict.CORRECT] * runs + [Verdict.TIME_LIMIT] * (9 - runs)
    assert all(fact.reason == NOT_RUN for fact in judgement.facts[runs:])
    assert (judgement.verdict is Verdict.CORRECT) is (runs == 9)


@pytest.mark.long
@pytest.mark.parametrize(("wall_s", "cpu_s"), [(0.03, 0.015), (9.0, 0.0), (60.0, 0.019)])
def test_the_start_of_a_run_costs_nothing_however_many_runs_there_are(wall_s, cpu_s):
    """Nor does the time in which it had no core."""
    many = read_problem({"inputs": ["1\n"] * 5000, "outputs": ["1\n"] * 5000})
    box = FakeSandbox(lambda job: Execution(exit_code=0, stdout=b"1\n", wall_s=wall_s, cpu_s=cpu_s))
    assert judged(many, box).value == 1.0


def test_right_answers_do_not_pay_once_the_time_is_used_up():
    box = FakeSandbox(lambda job: Execution(exit_code=0, stdout=b"1\n", asleep_s=6.0))
    judgement = judged(STDIN, box, "all_or_nothing")
    assert (judgement.value, judgement.verdict, len(box.seen)) == (0.0, Verdict.TIME_LIMIT, 1)


def test_the_first_k_tests_and_the_others_share_one_budget():
    box = FakeSandbox(lambda job: Execution(exit_code=0, stdout=b"1\n", wall_s=1.5, cpu_s=1.5))
    judgement = judged(STDIN, box, "first_k")
    assert (judgement.value, judgement.verdict, len(box.seen)) == (1.0, Verdict.PARTIAL, 7)


def test_calls_in_many_processes_share_one_budget():
    def answer(job):
        results = tuple(CallResult(value=call.args[0]) for call in job.calls)
        return Execution(exit_code=0, loaded=True, calls=results, asleep_s=24.0, cpu_s=6.0)

    box = FakeSandbox(answer)
    judgement = judged(CALLS, box, total_wall_s=40.0)
    assert len(box.seen) == 2
    assert [fact.verdict for fact in judgement.facts] == [Verdict.CORRECT] * 1024 + [Verdict.TIME_LIMIT] * 176


CHECKED = read_problem({"inputs": ["1\n"] * 9, "outputs": ["1\n"] * 9, "generated_checker": "import sys\nprint(1)"})


@pytest.mark.parametrize(("output", "asked"), [("1", 9), ("2", 4)])
def test_outputs_that_a_checker_takes_long_to_refuse_share_a_budget(output, asked):
    """Right outputs cost nothing, however slow the checker is."""
    outputs = []

    def answer(job):
        if not job.trusted:
            return Execution(exit_code=0, stdout=output.encode())
        outputs.append(job.files["solution_output.txt"])
        right = outputs[-1].strip() == b"1"
        return Execution(exit_code=0, stdout=b"1" if right else b"0", cpu_s=2.6)

    judgement = judged(CHECKED, FakeSandbox(answer))
    assert outputs.count(output.encode()) == asked
    assert [fact.verdict for fact in judgement.facts[asked:]] == [Verdict.TIME_LIMIT] * (9 - asked)
    assert judgement.value == float(output == "1")


@pytest.mark.parametrize(("passed", "runs"), [(True, 9), (False, 4)])
def test_tests_that_take_long_to_fail_share_a_budget(passed, runs):
    problem = read_problem({"functional": "".join(f"def test_{n}():\n    assert f({n})\n" for n in range(9))})
    outcome = DriverResult(passed=passed, error=None if passed else "AssertionError", calls=1, cpu_s=2.6)
    box = FakeSandbox(lambda job: Execution(exit_code=0, loaded=True, driver=outcome))
    judgement = judged(problem, box)
    assert len(box.seen) == runs
    assert (judgement.value == 1.0) is passed


@pytest.fixture(scope="module", params=["unsafe", pytest.param("docker", marks=pytest.mark.docker)])
def real(request):
    with open_sandbox(request.param, workers=1) as sandbox:
        yield sandbox


def test_a_sleeper_uses_up_its_time_once_and_not_once_a_test(real):
    judgement = judged(STDIN, real, program="import time; time.sleep(10**6)", cpu_s=0.1, wall_s=0.3, total_wall_s=0.5)
    assert [fact.reason == NOT_RUN for fact in judgement.facts] == [False] * 2 + [True] * 7
    assert {fact.verdict for fact in judgement.facts} == {Verdict.TIME_LIMIT}


@pytest.mark.long
@pytest.mark.parametrize(
    "cost", ["time.sleep(0.25)", "end = time.process_time() + 0.25\n    while time.process_time() < end: pass"]
)
def test_each_call_has_its_own_time(real, cost):
    program = f"import time\ndef f(x):\n    {cost}\n    return x"
    few = read_problem({"inputs": [[n] for n in range(6)], "outputs": list(range(6)), "fn_name": "f"})
    judgement = judged(few, real, program=program, cpu_s=0.4, wall_s=5.0, total_wall_s=60, total_cpu_s=60)
    assert [fact.verdict for fact in judgement.facts] == [Verdict.CORRECT] * 6


@pytest.mark.long
@pytest.mark.parametrize(
    "cost", ["time.sleep(0.25)", "end = time.process_time() + 0.25\n    while time.process_time() < end: pass"]
)
def test_calls_that_each_take_their_time_end_with_the_total(real, cost):
    program = f"import time\ndef f(x):\n    {cost}\n    return x"
    judgement = judged(CALLS, real, program=program, cpu_s=0.4, wall_s=0.8, total_wall_s=0.9, total_cpu_s=0.9)
    verdicts = [fact.verdict for fact in judgement.facts]
    assert verdicts.count(Verdict.CORRECT) <= 12  # 4 in each of 3 batches
    assert verdicts.count(Verdict.CORRECT) + verdicts.count(Verdict.TIME_LIMIT) == 1200


def test_calls_that_each_kill_their_process_share_one_budget(real):
    program = "import time\ndef f(x):\n    time.sleep(60)"
    few = read_problem({"inputs": [[n] for n in range(12)], "outputs": list(range(12)), "fn_name": "f"})
    judgement = judged(few, real, program=program, cpu_s=0.1, wall_s=0.3, total_wall_s=0.7)
    assert {fact.verdict for fact in judgement.facts} == {Verdict.TIME_LIMIT}
    assert sum("not reached" in fact.reason or fact.reason == NOT_RUN for fact in judgement.facts) >= 8


NESTED = "b'[' * 60 + b'1' + b']' * 60 + b','"
DEEP = f"import os\ndef f(x):\n    out = b'{{\"v\":[' + ({NESTED}) * 90_000 + b'1]}}\\n'\n    while out: out = out[os.write(200, out):]\n"
FLOOD = "import os\ndef f(x):\n    while True: os.write(200, b'{\"v\":1}\\n' * 5000)\n"
LONG = "import os\ndef f(x):\n    while True: os.write(200, b'[' * 60_000)\n"


@pytest.mark.parametrize(
    ("program", "verdict"), [(DEEP, Verdict.WRONG), (FLOOD, Verdict.WRONG), (LONG, Verdict.OUTPUT_LIMIT)]
)
def test_answers_have_a_bound_that_the_number_of_calls_gives(real, program, verdict):
    few = read_problem({"inputs": [[7]], "outputs": [8], "fn_name": "f"})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    judgement = judged(few, real, program=program, mode="all_or_nothing", cpu_s=5.0)
    assert (judgement.value, judgement.verdict) == (0.0, verdict)
    assert (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 120 * 1024
    )  # kB; 577 MB before there were bounds


def test_a_result_that_cannot_be_right_for_its_length_is_not_read(monkeypatch):
    monkeypatch.setattr("sandboxes.connection.json.loads", lambda text: json.JSONDecoder().decode(_short(text)))
    found = call_result(b'{"v":' + b"[" * 10**6 + b"]" * 10**6 + b"}", 5000)
    assert found.error == f"{TOO_LONG}: 2,000,006 bytes"
    assert call_result(b'{"v":[1]}', 5000).value == [1]


def _short(text):
    assert len(text) < 6000
    return text


@pytest.mark.parametrize(
    "value",
    [
        0,
        1.5,
        "é" * 50,
        [1, 2, 3],
        [0.1] * 30,
        {"a": (1, None)},
        {1, 2, 3},
        [[True]] * 40,
        10**300,
        [float("inf")],
        [(1,)] * 9,
        "",
        [],
        None,
    ],
)
def test_no_right_answer_is_too_long(value):
    """Also as numpy would have it, each item with a tag of its own."""
    bound = Expectation.of(value, any_of=([value],)).most_bytes
    tagged = (
        [{"t": "numpy", "v": item, "dtype": "complex128"} for item in value]
        if isinstance(value, list)
        else encode(value)
    )
    for text in (tagged, [tagged], {"t": "ndarray", "v": [tagged], "dtype": "object"}):
        assert len(json.dumps({"v": text})) <= bound


def test_long_answers_are_compared_away_from_the_event_loop(monkeypatch):
    threads = []

    def met_by(_self, tagged, _tolerance):
        threads.append(threading.current_thread() is threading.main_thread())
        return True

    monkeypatch.setattr(Expectation, "met_by", met_by)
    few = read_problem({"inputs": [[7]], "outputs": [8], "fn_name": "f"})
    for size in (10, 1 << 20):
        result = CallResult(value=8, size=size)
        judged(few, FakeSandbox(lambda job, result=result: Execution(exit_code=0, loaded=True, calls=(result,))))
    assert threads == [True, False]
