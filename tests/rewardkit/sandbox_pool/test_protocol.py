"""Jobs and facts survive the way to another process, whatever a program put into them."""

from __future__ import annotations

import math
import socket
from typing import Any

import pytest

from rewardkit.sandbox_pool.protocol import pack_execution, pack_jobs, receive, send, unpack_execution, unpack_jobs
from sandboxes import Call, CallResult, DriverResult, Execution, Job, Limits


def there_and_back(execution: Execution) -> Execution:
    here, there = socket.socketpair()
    with here, there:
        send(here, *pack_execution(execution))
        return unpack_execution(*receive(there))


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_a_job_keeps_all_its_fields() -> None:
    jobs = [
        Job(program="x\udc80", stdin="\ud800", argv=("a", "\n"), files={"d/e": "f", "g": b"\xff"}, trusted=True),
        Job(
            program=b"\xff",
            calls=(Call(args=("a\nb", 1)), Call(kwargs={"k": None})),
            entry_point="f",
            prelude="import math",
            limits=Limits(cpu_s=1.5, memory_mb=64, total_cpu_s=3),
            keep_going=True,
        ),
        Job(program="", calls=()),
        Job(program="", entry_point="f", driver="candidate()", driver_prelude="import math"),
        Job(program="", language="cpp", fetch=("out/a.txt",)),
    ]
    assert {name for job in jobs for name in job.model_fields_set} == set(Job.model_fields)
    for job, back in zip(jobs, unpack_jobs(*pack_jobs(jobs)), strict=True):
        same = {"program", "stdin", "files", "calls"}
        assert back.model_dump(exclude=same) == job.model_dump(exclude=same)
        assert pack_jobs([back]) == pack_jobs([job])


def test_facts_keep_all_their_fields() -> None:
    execution = Execution(
        exit_code=3, wall_s=0.5, cpu_s=0.25, memory_mb=9.5, stdout=b"\xff\n", stderr=b"\0", error="E: \udc80", isolation="weak",
        calls=(CallResult(value={"t": "dict", "v": [[1, "\ud800"]]}, cpu_s=0.1), CallResult(error="ValueError: \n")),
        driver=DriverResult(passed=True, calls=2), files={"a": b"\xff", "b/c": b""},
    )  # fmt: skip
    assert there_and_back(execution) == execution
    assert there_and_back(Execution(lost="gone")) == Execution(lost="gone")


@pytest.mark.parametrize("value", [nested(100_000), 10**5000], ids=["depth", "digits"])
def test_a_value_that_cannot_travel_costs_its_own_call_alone(value: Any) -> None:
    results = tuple(CallResult(value=item) for item in (1, value, 2))
    back = there_and_back(Execution().model_copy(update={"calls": results})).calls
    assert [result.error for result in back] == [None, "unreadable result", None]
    assert [back[0].value, back[2].value] == [1, 2]


def test_numbers_beyond_json_travel() -> None:
    (result,) = there_and_back(Execution(calls=(CallResult(value=[math.inf, -math.inf]),))).calls
    assert result.value == [math.inf, -math.inf]


def test_half_a_frame_is_the_end() -> None:
    here, there = socket.socketpair()
    with there:
        with here:
            here.sendall(b"\0\0\0\x05")
        with pytest.raises(EOFError):
            receive(there)
