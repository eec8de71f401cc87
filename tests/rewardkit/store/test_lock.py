"""A lock is held by one live process, is taken from a dead one, and from no other host."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rewardkit.errors import UsageError
from rewardkit.store import FileLock, LockedError, locked_folder
from rewardkit.store import lock as lock_module

DEAD_PID = 2**22 + 1
"""More than Linux gives out by default."""


def test_a_lock_names_host_and_process_and_is_gone_after(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    with FileLock(target) as lock:
        holder = json.loads(lock.path.read_text())
        assert (holder["pid"], holder["host"]) == (os.getpid(), os.uname().nodename)
        with pytest.raises(LockedError, match=rf"process {os.getpid()} on "):
            FileLock(target).acquire()
    assert list(tmp_path.iterdir()) == []
    with FileLock(target):
        pass


@pytest.mark.parametrize("flock_works", [True, False])
def test_a_dead_process_of_this_host_holds_nothing(
    flock_works: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not flock_works:
        monkeypatch.setattr(lock_module, "flock", lambda _descriptor: None)
    target = tmp_path / "out.jsonl"
    holder = {"host": os.uname().nodename, "pid": DEAD_PID, "since": "2026"}
    FileLock(target).path.write_text(json.dumps(holder))
    with FileLock(target) as lock:
        assert json.loads(lock.path.read_text())["pid"] == os.getpid()


@pytest.mark.parametrize("flock_works", [True, False])
def test_a_lock_of_another_host_is_refused_with_the_way_out(
    flock_works: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not flock_works:
        monkeypatch.setattr(lock_module, "flock", lambda _descriptor: None)
    lock = FileLock(tmp_path / "out.jsonl")
    lock.path.write_text(json.dumps({"host": "elsewhere", "pid": DEAD_PID, "since": "2026"}))
    with pytest.raises(LockedError, match=r"on elsewhere, since 2026.*remove .*out\.jsonl\.lock"):
        lock.acquire()
    assert lock.path.exists()


def test_without_flock_a_live_process_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_module, "flock", lambda _descriptor: None)
    with FileLock(tmp_path / "out.jsonl"), pytest.raises(LockedError):
        FileLock(tmp_path / "out.jsonl").acquire()


def test_kill_9_frees_the_lock(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    code = f"import sys, time; from pathlib import Path; from rewardkit.store import FileLock\nFileLock(Path({str(target)!r})).acquire(); print(); sys.stdout.flush(); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(LockedError, match=f"process {process.pid} on "):
            FileLock(target).acquire()
        process.send_signal(signal.SIGKILL)
    with FileLock(target):
        pass


def test_of_many_takers_of_a_stale_lock_one_gets_it(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    for _ in range(50):
        FileLock(target).path.write_text(json.dumps({"host": os.uname().nodename, "pid": DEAD_PID}))
        locks = [FileLock(target) for _ in range(8)]
        won: list[FileLock] = []
        barrier = threading.Barrier(len(locks))

        def take(lock: FileLock, won: list[FileLock] = won, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            with contextlib.suppress(LockedError):
                won.append(lock.acquire())

        threads = [threading.Thread(target=take, args=(lock,)) for lock in locks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1
        won[0].release()


@pytest.mark.parametrize("depth", [1, 3])
def test_a_folder_is_made_again_when_other_runs_remove_it_or_its_parents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, depth: int
) -> None:
    made, removals, folder = os.mkdir, [0], tmp_path / "a" / "b" / "c"

    def mkdir(path: Path, *args: int) -> None:
        made(path, *args)
        if path == folder and removals[0] < 5:
            removals[0] += 1
            for each in (folder, *folder.parents)[:depth]:
                each.rmdir()

    monkeypatch.setattr(os, "mkdir", mkdir)
    with locked_folder(folder):
        assert (removals, [path.name for path in folder.iterdir()]) == ([5], ["run.lock"])


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "inner"):
        with pytest.raises(UsageError, match=f"cannot write to {path}: "), locked_folder(path):
            pass
