"""The system may have no thread, process or descriptor left for a while: no job hangs, none raises, and the executor works on."""

import itertools
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toy import Trouble

from rewardkit import Sample
from rewardkit.executor import Executor, dispatcher

ROWS = [Sample(completion=word) for word in ("fine", "die", "fine")]
VALUES = [1.0, None, 1.0]
BOUND_S = 60


def values(executor: Executor[Any, Any]) -> list[float | None]:
    return [score.value for score in executor.submit(ROWS).future.result(BOUND_S)]


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def failing(real: Callable[..., Any], error: Exception, *, at: int | None) -> Callable[..., Any]:
    """A function that raises at its call of that number; without one, at each."""
    calls = itertools.count(1)

    def call(*args: Any, **options: Any) -> Any:
        if at in (None, next(calls)):
            raise type(error)(*error.args)
        return real(*args, **options)

    return call


@pytest.mark.parametrize("at", [None, *range(1, 6)])
def test_no_row_waits_for_a_thread_that_does_not_start(at: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    with Executor(Trouble(), workers=2) as executor:
        error = RuntimeError("can't start new thread")
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", failing(threading.Thread.start, error, at=at))
            assert values(executor) == VALUES
        assert values(executor) == VALUES


@pytest.mark.parametrize(
    ("owner", "name"), [(socket, "socketpair"), (tempfile, "TemporaryFile"), (os, "pwrite"), (os, "fdopen")]
)
def test_rows_are_unjudged_while_no_process_starts_and_judged_afterwards(
    owner: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatcher, "PAUSE_S", 0.01)
    with Executor(Trouble(), workers=2) as executor:
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, failing(getattr(owner, name), OSError(24, "Too many open files"), at=None))
            scores = executor.submit(ROWS).future.result(BOUND_S)
        assert [score.value for score in scores] == [None] * 3
        assert all(
            "a worker process did not start (OSError: [Errno 24] Too many open files)" in str(score.reason)
            for score in scores
        )
        assert values(executor) == VALUES
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, failing(getattr(owner, name), OSError(24, "Too many open files"), at=1))
            assert values(executor) == VALUES


@pytest.mark.parametrize("name", ["fdopen", "pwrite"])
def test_no_descriptor_is_kept_of_processes_that_did_not_start(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "PAUSE_S", 0.01)
    with Executor(Trouble(), workers=1) as executor:
        assert values(executor) == VALUES
        executor.submit([Sample(completion="die")]).future.result(BOUND_S)  # the worker is gone
        before = descriptors()
        with monkeypatch.context() as patch:
            patch.setattr(os, name, failing(getattr(os, name), OSError(24, "Too many open files"), at=None))
            for _ in range(5):
                executor.submit(ROWS).future.result(BOUND_S)
        assert descriptors() <= before


FULL = """
import os, tempfile
from rewardkit import Sample, load
from rewardkit.executor import Executor
if __name__ == "__main__":
    fill = os.open(tempfile.gettempdir() + "/fill", os.O_CREAT | os.O_WRONLY)
    try:
        while os.write(fill, b"x" * 512):
            pass
    except OSError:
        pass
    print(Executor(load("exact"), workers=1).score([Sample(completion="1", ground_truth="1")])[0])
"""


@pytest.mark.long
def test_rows_are_unjudged_where_the_disk_for_temporary_files_is_in_memory_and_full(tmp_path: Path) -> None:
    (tmp_path / "full.py").write_text(FULL)
    (tmp_path / "tmp").mkdir()
    shell = f"mount -t tmpfs -o size=64k none tmp && TMPDIR=$PWD/tmp exec {sys.executable} full.py"
    if subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("this user may not mount")
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", shell], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "No space left on device" in done.stdout, (done.returncode, done.stderr)
