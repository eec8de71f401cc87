"""A row with a budget is judged as without one, or it is put off: nothing that the budget ended is a result."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from rewardkit import load
from rewardkit.executor import Executor
from rewardkit.executor.budget import ROW
from rewardkit.sandbox_pool.client import SandboxClient, use_pool
from rewardkit.sandbox_pool.host import HostSupervisor
from sandboxes import Call, Execution, Job, Limits, SandboxLost
from sandboxes.values import encode

BURN = "import time\ndef burn(s):\n    end = time.process_time() + s\n    while time.process_time() < end: pass\n"
LIMITS = Limits(cpu_s=0.5, wall_s=3)
CALLS = (Call(args=(encode(0),)), Call(args=(encode(1),)), Call(args=(encode(2),)))
F = "def f(x):\n    burn({})\n    return x\n"


@pytest.fixture(scope="module")
def pool() -> Iterator[HostSupervisor]:
    with HostSupervisor(2) as one:
        yield one


@pytest.fixture(scope="module")
def sandbox(pool: HostSupervisor) -> Iterator[SandboxClient]:
    with SandboxClient(pool.path, "unsafe") as one:
        yield one


@pytest.fixture(autouse=True)
def no_budget_after() -> Iterator[None]:
    yield
    ROW.begin(float("inf"))


def calls(seconds: object, **options: Any) -> Job:
    return Job(program=BURN + F.format(seconds), calls=CALLS, entry_point="f", limits=LIMITS, **options)


JOBS: dict[str, list[Job]] = {
    "quick": [Job(program="print(input())", stdin="1", limits=LIMITS)],
    "burns": [Job(program=f"{BURN}burn(0.2)\nprint(1)", limits=LIMITS)],
    "loops": [Job(program="while True: pass", limits=LIMITS)],
    "sleeps": [Job(program="import time; time.sleep(1.5)", limits=LIMITS)],
    "sleeps for ever": [Job(program="import time; time.sleep(600)", limits=Limits(cpu_s=0.5))],
    "fails": [Job(program="raise ValueError('cpu limit')", limits=LIMITS)],
    "does not compile": [Job(program="print(", limits=LIMITS)],
    "many inputs": [Job(program=f"{BURN}burn(0.1)\nprint(input())", stdin=str(i), limits=LIMITS) for i in range(6)],
    "calls": [calls(0.05)],
    "one call loops": [calls("9 if x == 1 else 0")],
    "one call loops and the others go on": [calls("9 if x == 1 else 0", keep_going=True)],
    "one call exits": [calls("exit(1) if x == 1 else 0", keep_going=True)],
    "driver": [
        Job(program=f"{BURN}{F.format(0.1)}", entry_point="f", driver="assert candidate(1) == 1", limits=LIMITS)
    ],
    "driver loops": [
        Job(program="def f(x): return x", entry_point="f", driver="candidate(1)\nwhile True: pass", limits=LIMITS)
    ],
    "driver of a loop": [
        Job(program="def f(x):\n    while True: pass", entry_point="f", driver="candidate(1)", limits=LIMITS)
    ],
    "trusted": [Job(program=f"{BURN}burn(0.2)\nprint(1)", trusted=True, limits=LIMITS)],
}


AT_ONCE = {("quick", False), ("loops", True), ("driver of a loop", False)}


def facts(execution: Execution) -> dict[str, Any]:
    """What a judge looks at, without what differs from run to run."""
    unstable = {"cpu_s", "wall_s", "asleep_s", "memory_mb", "driver", "signal", "exit_code"}
    driver = None if execution.driver is None else (execution.driver.passed, _words(execution.driver.error))
    calls = [(call.value, _words(call.error)) for call in execution.calls]
    return {**execution.model_dump(exclude=unstable), "calls": calls, "driver": driver}


def _words(error: str | None) -> str:
    return (error or "").partition(" after ")[0]


@pytest.mark.parametrize(
    ("name", "stops"),
    [
        pytest.param(name, stops, marks=[] if (name, stops) in AT_ONCE else pytest.mark.slow)
        for name in JOBS
        for stops in (False, True)
    ],
)
def test_what_is_judged_within_a_budget_is_what_is_judged_without(
    sandbox: SandboxClient, name: str, stops: bool
) -> None:
    stop: Callable[[int, Execution], bool] | None = (lambda *_: False) if stops else None
    wanted = [facts(execution) for execution in sandbox.run(JOBS[name], stop=stop)]
    budget_s, attempts = 0.02, 0
    while True:
        ROW.begin(budget_s)
        try:
            found = [facts(execution) for execution in sandbox.run(JOBS[name], stop=stop)]
        except SandboxLost:
            assert ROW.used_up
            budget_s, attempts = 4 * budget_s, attempts + 1
            assert attempts < 6  # a budget above its own limits changes nothing
            continue
        assert not ROW.used_up
        assert found == wanted
        break
    if name in ("loops", "one call loops", "driver loops", "driver of a loop"):
        assert attempts
    if name in ("quick", "sleeps", "sleeps for ever", "fails", "does not compile", "trusted"):
        # a program that starts on a busy machine may take its 20 ms
        assert attempts <= (name in ("quick", "sleeps", "sleeps for ever"))


@pytest.mark.long
def test_a_row_stays_within_what_is_left_of_its_budget(sandbox: SandboxClient) -> None:
    ROW.begin(0.5)
    first = [Job(program=f"{BURN}burn(0.1)", limits=Limits(cpu_s=10))]
    sandbox.run(first)
    assert ROW.left_s < 0.41
    with pytest.raises(SandboxLost):
        sandbox.run(first * 20)
    assert -0.2 < ROW.left_s < 0.2


TESTS = {"fn_name": "f", "inputs": [[1], [2]], "outputs": [1, 2]}
PROGRAMS = {
    "def f(x): return x": "correct",
    "def f(x): return 0": "wrong",
    "def f(x):\n    while True: pass": "time_limit",
    BURN + F.format(0.3): "correct",
    BURN + F.format("0.2 * x"): "correct",
    "import time\ndef f(x):\n    time.sleep(60)": "time_limit",
    "def f(x): raise SystemExit": "runtime_error",
}


@pytest.mark.slow
def test_an_executor_gives_slow_programs_the_verdicts_that_they_have_alone(pool: HostSupervisor) -> None:
    rows = [
        json.dumps({"completion": f"```python\n{program}\n```", "ground_truth": TESTS}).encode() for program in PROGRAMS
    ]
    reward = load("code(cpu_s=0.5, total_wall_s=1)")
    setup = partial(use_pool, pool.path, "unsafe")
    with Executor(reward, workers=2, slow_workers=1, chunk_rows=64, setup=setup) as executor:
        scores = executor.score(rows)
    assert [score.verdict.value for score in scores] == list(PROGRAMS.values())


def test_a_pool_may_choose_the_sandbox_of_rewards_that_choose_none(pool: HostSupervisor, monkeypatch: Any) -> None:
    monkeypatch.delenv("REWARDKIT_SANDBOX", raising=False)
    monkeypatch.setattr("rewardkit.sandbox_pool.client.hold_elsewhere", lambda make: None)
    use_pool(pool.path)
    assert "REWARDKIT_SANDBOX" not in os.environ
    monkeypatch.setenv("REWARDKIT_SANDBOX", "docker")
    use_pool(pool.path, "unsafe")
    assert os.environ["REWARDKIT_SANDBOX"] == "unsafe"
