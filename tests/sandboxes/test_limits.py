"""The limit of processes: of a box's own user it counts the run alone, of a user with other processes it leaves those room."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time

import pytest

from sandboxes.agent import limits as limits_module

OTHERS, MOST = 40, 8


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
def test_others_of_the_same_user_count_only_where_the_user_is_the_boxs_own(shared):
    child = multiprocessing.get_context("fork").Process(target=program, args=(shared,))
    child.start()
    child.join(60)
    assert child.exitcode == (MOST if shared else 0)


def program(shared):
    """Beside `OTHERS` processes of its user, limit itself and exit with the number of threads that it could start."""
    if os.getuid() == 0:
        os.setresuid(54321, 54321, 54321)  # root has no limit
    others = [fork_sleeper() for _ in range(OTHERS)]
    try:
        if shared:
            limits_module.share_user()
        limits_module.limit_processes(MOST)
        started = 0
        with contextlib.suppress(RuntimeError):
            for _ in range(MOST):
                threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
                started += 1
    finally:
        for pid in others:
            os.kill(pid, signal.SIGKILL)
    os._exit(started)


def fork_sleeper():
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
        os._exit(0)
    return pid


@pytest.mark.parametrize("hard", [1_000_000_000, 500, 3])
def test_a_limit_of_the_machine_is_never_exceeded(monkeypatch, hard):
    asked = []
    monkeypatch.setattr(limits_module, "_others", [])
    limits_module.share_user()
    monkeypatch.setattr(limits_module, "getrlimit", lambda _: (hard, hard))
    monkeypatch.setattr(limits_module, "setrlimit", lambda _, limits: asked.append(limits))
    limits_module.limit_processes(MOST)
    ((soft, most),) = asked
    assert soft == most <= hard
    assert most == hard or most > MOST + limits_module.SPARE
