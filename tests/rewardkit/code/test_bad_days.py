"""Bad input and bad luck, in Docker: each row ends in a verdict or in `unjudged` with one line, never in an exception."""

import random
import subprocess
import threading

import pytest

from rewardkit import Sample
from rewardkit.code.shared import use_sandbox
from rewardkit.rewards.code import Code
from sandboxes.pool import PATIENCE

pytestmark = pytest.mark.docker

SCRIPT = "print(int(input()) ** 2)"


def score_of(program, truth, reward=None):
    return (reward or Code(cpu_s=2.0)).score([Sample(completion=f"````python\n{program}\n````", ground_truth=truth)])[0]


def squares(count, **more):
    return {"inputs": [str(i) for i in range(count)], "outputs": [str(i * i) for i in range(count)], **more}


def test_ten_thousand_calls(docker_sandbox):
    count = 10_000
    truth = {"inputs": [[i] for i in range(count)], "outputs": [i * i for i in range(count)], "fn_name": "f"}
    assert score_of("def f(x): return x * x", truth).value == 1.0
    score = score_of("def f(x): return x * x if x != 7000 else 0", truth)
    assert (score.value, score.verdict.value) == (0.0, "wrong")
    assert score.reason.startswith("test 7001 of 10,000: ")


@pytest.mark.slow
def test_ten_thousand_scripts(docker_sandbox):
    assert score_of(SCRIPT, squares(10_000)).value == 1.0


def test_ten_thousand_scripts_end_at_the_first_failure(docker_sandbox):
    score = score_of("x = int(input())\nprint(x * x if x < 3 else 0)", squares(10_000))
    assert (score.value, score.verdict.value) == (0.0, "wrong")
    assert score.reason.startswith("test 4 of 10,000: ")


def test_twenty_megabytes_of_input(docker_sandbox):
    truth = {"inputs": ["x" * 20_000_000], "outputs": ["20000000"]}
    assert score_of("import sys\nprint(len(sys.stdin.read()))", truth).value == 1.0
    score = score_of("print(0)", truth)
    assert score.verdict.value == "wrong"
    assert len(score.reason) < 300


def test_twenty_megabytes_of_arguments(docker_sandbox):
    truth = {"inputs": [["x" * 20_000_000]], "outputs": [20_000_000], "fn_name": "f"}
    assert score_of("def f(s): return len(s)", truth).value == 1.0


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        ("print(", "compile_error"),
        ("def f(:", "compile_error"),
        ("x = '\x00'", "compile_error"),
        ("x = 1\n  y = 2", "compile_error"),
        ("# coding: nothing\nprint(1)", "compile_error"),
        ("# coding: latin-1\nprint(int(input()) ** 2)  # é", "correct"),
        ("(" * 500 + ")" * 500, "compile_error"),
        ("-" * 50_000 + "1", "compile_error"),
        ("print(" + "1+" * 20_000 + "1)", "compile_error"),
        ("pass", "wrong"),
        ("#", "wrong"),
        ("return 1", "compile_error"),
        ("import nothing_of_that_name", "runtime_error"),
        ("x = 'ｕnicode ☃'\nprint(int(input()) ** 2)", "correct"),
        ("print(int(input()) ** 2)\n" * 1 + "#" + "x" * 900_000, "correct"),
    ],
)
def test_odd_programs_have_a_verdict(docker_sandbox, program, verdict):
    score = score_of(program, squares(3))
    assert score.verdict.value == verdict, score.reason
    assert "\n" not in score.reason
    assert len(score.reason) < 700


def test_a_program_with_lone_surrogates_has_a_verdict(docker_sandbox):
    score = score_of("print('\ud800')", squares(1))
    assert score.verdict.value in {"wrong", "compile_error"}


@pytest.mark.parametrize("entry", ["missing", "__import__", "f.g"])
def test_an_unknown_entry_point_is_a_runtime_error(docker_sandbox, entry):
    truth = {"inputs": [[1]], "outputs": [1], "fn_name": entry}
    score = score_of("def f(x): return x", truth)
    assert score.verdict.value == ("unjudged" if "." in entry else "runtime_error")
    assert "\n" not in score.reason


@pytest.mark.parametrize("outputs", [[{"a": 1}], [[[]]], ["text"], [1e400], [True]])
def test_expected_values_of_another_type_are_just_not_met(docker_sandbox, outputs):
    score = score_of("def f(x): return 5", {"inputs": [[1]], "outputs": outputs, "fn_name": "f"})
    assert (score.value, score.verdict.value) == (0.0, "wrong")


def test_every_limit_has_its_verdict(docker_sandbox):
    reward = Code(cpu_s=0.5, memory_mb=128, output_mb=1.0)
    for program, verdict in {
        "while True: pass": "time_limit",
        "import time\ntime.sleep(60)": "time_limit",
        "x = b'x' * 10**10": "memory_limit",
        "while True: print('x' * 10000)": "output_limit",
        "raise ValueError('no')": "runtime_error",
        "import os\nos.abort()": "runtime_error",
    }.items():
        score = score_of(program, squares(2), reward)
        assert score.verdict.value == verdict, (program, score.reason)
        call = score_of(
            f"def f(x):\n    {program.replace(chr(10), chr(10) + '    ')}",
            {"inputs": [[1]], "outputs": [1], "fn_name": "f"},
            reward,
        )
        assert call.verdict.value in ({verdict, "wrong"} if verdict == "output_limit" else {verdict}), (
            program,
            call.reason,
        )


def test_slow_calls_end_at_the_total(docker_sandbox):
    truth = {"inputs": [[i] for i in range(50)], "outputs": [0] * 50, "fn_name": "f"}
    slow = "import time\ndef f(x):\n    t = time.process_time()\n    while time.process_time() - t < 0.2: pass\n    return 0"
    score = score_of(slow, truth, Code(cpu_s=1.0, total_cpu_s=1.0))
    assert (score.value, score.verdict.value) == (0.0, "time_limit")


def containers_of(sandbox):
    command = ["docker", "ps", "-q", "--filter", f"label=rewardkit.run={sandbox.run_id}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_killed_boxes_change_no_verdict(docker_box):
    """Boxes are killed at random all through the run, by their own label; the verdicts are those of a quiet run."""
    call = {"inputs": [[i] for i in range(20)], "outputs": [i * i for i in range(20)], "fn_name": "f"}
    work = "s = sum(range(4_000_000))\n"
    programs = []
    for index in range(12):
        good = index % 3
        programs.append((squares(5), work + ("print(int(input()) ** 2)" if good else "print(-1)")))
        programs.append((call, f"def f(x):\n    return x * x{'' if good else ' + (x > 10)'}\n"))
    samples = [Sample(completion=f"```python\n{program}\n```", ground_truth=truth) for truth, program in programs]
    reward = Code(cpu_s=5.0)
    with use_sandbox(docker_box):
        quiet = reward.score(samples)
        ended = threading.Event()
        killed: list[str] = []

        def kill():
            chance = random.Random(0)
            while len(killed) < PATIENCE - 1 and not ended.wait(0.4):  # a job that met them all would be tried again
                found = containers_of(docker_box)
                if found:
                    victim = chance.choice(found)
                    subprocess.run(["docker", "kill", victim], capture_output=True, check=False)
                    killed.append(victim)

        thread = threading.Thread(target=kill)
        thread.start()
        loud = []
        try:
            # a fast machine is through with one round before the first kill
            while len(killed) < PATIENCE - 1 and len(loud) < 60:
                loud.append(reward.score(samples))
        finally:
            ended.set()
            thread.join()
    assert len(killed) == PATIENCE - 1
    for scores in loud:
        assert [(score.value, score.verdict) for score in scores] == [(score.value, score.verdict) for score in quiet]
    assert {score.value for score in quiet} == {0.0, 1.0}
