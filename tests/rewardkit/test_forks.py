"""A forked child judges, whatever its parent's threads are at; what belongs to its parent it refuses, and leaves alone."""

import gc
import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import rewardkit
from rewardkit import Sample, load, processes
from rewardkit.base import Function
from rewardkit.executor import Executor
from rewardkit.math.prove.fallback import math_verify_accepts
from rewardkit.trl import reward_func
from sandboxes import Job, open_sandbox

LOCK = type(threading.Lock())


def in_child(act: Callable[[], object]) -> str:
    """What a forked child said of its work; it is killed where it hangs."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            said = str(act())
        except Exception as error:
            said = str(error)
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        said = stream.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return said


def fork_safe_locks() -> dict[str, Any]:
    """The locks of modules that judge; those in `remote` run inside sandboxes alone."""
    for found in pkgutil.walk_packages(rewardkit.__path__, "rewardkit."):
        part = found.name.split(".")
        if part[1] in {"code", "executor", "math", "client", "rewards"} and "remote" not in part[2:3]:
            importlib.import_module(found.name)
    return {
        f"{name}.{key}": value
        for name, module in list(sys.modules.items())
        if name.startswith(("rewardkit", "sandboxes"))
        for key, value in vars(module).items()
        if isinstance(value, LOCK)
    }


def test_no_lock_of_a_module_is_held_in_a_forked_child() -> None:
    locks = fork_safe_locks()
    assert "rewardkit.code.shared._lock" in locks
    held = list({id(lock): lock for lock in locks.values()}.values())
    for lock in held:
        lock.acquire()
    try:
        said = in_child(lambda: [name for name, lock in fork_safe_locks().items() if lock.locked()])
    finally:
        for lock in held:
            lock.release()
    assert said == "[]"


def test_a_forked_child_judges_while_a_thread_of_its_parent_does() -> None:
    begun, go_on = threading.Event(), threading.Event()
    parent = os.getpid()

    def waits(completions: list[str], **_: object) -> list[float]:
        if os.getpid() == parent:
            begun.set()
            go_on.wait(60)
        return [1.0] * len(completions)

    function = reward_func(Function(waits))
    thread = threading.Thread(target=lambda: function(completions=["a"]))
    thread.start()
    try:
        assert begun.wait(60)
        assert in_child(lambda: function(completions=["b"])) == "[1.0]"
    finally:
        go_on.set()
        thread.join()


@pytest.mark.long
def test_a_lock_that_nobody_has_is_forgotten() -> None:
    gc.collect()
    before = len(processes._locks)
    functions = [reward_func("exact") for _ in range(100)]
    assert len(processes._locks) == before + 100
    del functions
    gc.collect()
    assert len(processes._locks) == before


@pytest.mark.parametrize("threaded", [True, False])
def test_an_executor_is_of_the_process_that_made_it(threaded: bool) -> None:
    sample = Sample(completion="4", ground_truth="4")
    with Executor(load("exact"), threaded=threaded) as executor:
        assert executor.score([sample])[0].value == 1
        assert "made before this process was forked" in in_child(lambda: executor.score([sample]))
        assert executor.score([sample])[0].value == 1


def test_a_sandbox_is_of_the_process_that_opened_it() -> None:
    with open_sandbox("unsafe", workers=1) as sandbox:
        assert "opened before this process was forked" in in_child(lambda: sandbox.run([Job(program="")]))
        assert sandbox.run([Job(program="print(1)")])[0].stdout == b"1\n"


@pytest.mark.long
def test_a_forked_child_asks_math_verify_in_a_worker_of_its_own() -> None:
    pytest.importorskip("math_verify")
    assert math_verify_accepts("1", "1")
    assert in_child(lambda: math_verify_accepts("1", "1")) == "True"


@pytest.mark.long
def test_a_forked_child_ends_in_silence_while_its_parent_has_workers() -> None:
    program = """
import os, sys
from rewardkit import Sample, load
from rewardkit.base import Function
from rewardkit.executor import Executor
with Executor(load("exact")) as executor:
    executor.score([Sample(completion="4", ground_truth="4")])
    child = os.fork()
    if child == 0:
        sys.exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
"""
    # from 3.12 on, Python warns of a fork beside threads
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stderr == ""
