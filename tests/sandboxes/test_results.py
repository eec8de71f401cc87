"""What a program says of itself on its result pipe, turned into facts: it can only harm itself."""

import json
from signal import SIGXFSZ

import pytest

from sandboxes import Call, Job
from sandboxes.agent.clocks import BUSY
from sandboxes.base import TOO_LONG
from sandboxes.languages import OUT_OF_MEMORY
from sandboxes.results import call_result, result_line, with_claims

FACTS = {"limit": None, "wall_s": 1.0, "memory_mb": 1.0, "signal": None, "exit_code": 0, "stderr": b""}
CALLS = {"calls": (Call(), Call()), "entry_point": "f", "keep_going": True}


def claimed(*said, job=None, times=(), **facts):
    lines = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in said]
    return with_claims(job or Job(program=""), {**FACTS, **facts}, lines, list(times))


@pytest.mark.parametrize(
    ("line", "found"), [(b'{"v": 1}', {"v": 1}), (b"[1]", {}), (b"no", {}), (b"", {}), (b"[" * 100_000, {})]
)
def test_a_line_is_an_object_or_nothing(line, found):
    assert result_line(line) == found


@pytest.mark.parametrize(
    ("line", "most", "value", "error"),
    [
        (b'{"v": 7}', None, 7, None),
        (b'{"v": 7}', 8, 7, None),
        (b'{"v": 7}', 7, None, f"{TOO_LONG}: 8 bytes"),
        (b'{"e": "ValueError"}', None, None, "ValueError"),
        (json.dumps({"e": "x" * 700}).encode(), None, None, "x" * 600),
        (b'{"e": 5}', None, None, "unreadable result"),
        (b"{", None, None, "unreadable result"),
    ],
)
def test_a_call_has_a_value_or_says_why_not(line, most, value, error):
    found = call_result(line, most)
    assert (found.value, found.error, found.size) == (value, error, len(line))


@pytest.mark.parametrize(
    ("error", "limit"),
    [("MemoryError", "memory"), ("BlockingIOError: [Errno 11] x", "processes"), ("RuntimeError: can't start new thread", "processes"),
     ("OSError: [Errno 27] x", "file"), ("OSError: [Errno 28] x", "file"), ("OSError: [Errno 2] x", None), ("ValueError: MemoryError", None)],
)  # fmt: skip
def test_an_exception_tells_which_limit_was_met_unless_one_is_known(error, limit):
    assert claimed({"e": error}, exit_code=1).limit == limit
    assert claimed({"e": error}, exit_code=1).error == error
    assert claimed({"e": error}, limit="wall").limit == "wall"
    assert claimed(error=error).limit == limit
    assert len(claimed({"e": "x" * 700}).error) == 600


@pytest.mark.parametrize(
    ("limit", "memory_mb", "told"),
    [
        (None, 2000.0, "memory"),
        ("cpu", 2000.0, "memory"),
        ("wall", 2000.0, "memory"),
        ("output", 2000.0, "output"),
        (None, 1024.0, None),
    ],
)
def test_who_used_more_memory_than_allowed_met_that_limit(limit, memory_mb, told):
    job = Job(program="")
    most = job.limits.memory_mb
    assert claimed(job=job, limit=limit, memory_mb=most * memory_mb / 1024).limit == told


def test_a_machine_without_cores_is_at_fault():
    found = claimed(limit=BUSY, wall_s=14.6)
    assert (found.limit, "15 s" in found.lost) == (None, True)


def test_a_compile_error_is_told_in_short_and_nothing_else_counts():
    found = claimed({"c": "SyntaxError " + "x" * 700, "ready": 1}, job=Job(program="", **CALLS))
    assert (len(found.compile_error), found.loaded) == (600, False)


def test_calls_are_read_up_to_the_last_whole_line_with_their_times():
    job = Job(program="", **CALLS)
    times = [(1, 9.0, 9.0), (1, 0.5, 0.25), (5, 0.125, 0.0)]
    found = claimed({"ready": 1}, {"v": 1}, {"e": "no"}, b"", job=job, times=times)
    assert found.loaded
    assert [(call.value, call.error, call.cpu_s, call.wall_s) for call in found.calls] == [
        (1, None, 0.5, 0.25),
        (None, "no", 0.125, 0.0),
    ]
    (only,) = claimed({"ready": 1}, {"v": 1}, b'{"v"', job=job).calls
    assert (only.value, only.cpu_s) == (1, 0.0)
    more = claimed({"ready": 1}, {"v": 1}, {"v": 2}, {"e": "MemoryError"}, b"", job=job)
    assert (len(more.calls), more.limit) == (2, "memory")
    bad = claimed({"ready": 1}, b"1, {", {"v": 2}, b"", job=job)
    assert [call.error for call in bad.calls] == ["unreadable result", None]
    assert not claimed(b"", job=job).loaded


def test_a_test_program_is_loaded_once_it_says_so():
    job = Job(program="", driver="pass")
    assert claimed({"ready": 1}, job=job).loaded
    assert not claimed({}, job=job).loaded
    assert not claimed({"ready": 1}).loaded


@pytest.mark.parametrize(
    ("facts", "limit"),
    [
        ({"signal": SIGXFSZ, "exit_code": None}, "file"),
        ({"signal": SIGXFSZ, "exit_code": None, "limit": "cpu"}, "cpu"),
        ({"signal": 9, "exit_code": None}, None),
        ({"exit_code": 1, "stderr": b"x " + OUT_OF_MEMORY[0]}, "memory"),
        ({"exit_code": 0, "stderr": OUT_OF_MEMORY[0]}, None),
        ({"exit_code": 1, "stderr": OUT_OF_MEMORY[0], "limit": "wall"}, "wall"),
        ({"exit_code": 1, "stderr": b"other"}, None),
    ],
)
def test_runtimes_of_other_languages_say_in_their_way_which_limit_they_met(facts, limit):
    assert claimed(job=Job(program="", language="c"), **facts).limit == limit
    assert claimed(**facts).limit == facts.get("limit")


def test_what_a_language_needs_and_is_not_there_loses_the_run():
    job = Job(program="", language="c")
    assert (
        "c programs need gcc and ld, not in this sandbox" in claimed({"missing": ["gcc", "ld"], "e": "x"}, job=job).lost
    )
    assert claimed({"missing": ["gcc"], "e": "x"}).lost is None
