"""Directories that live no longer than their process: which are taken for abandoned, and which never."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from sandboxes import temp_dir
from sandboxes.temp_dir import MARK, MAX_SOCKET_PATH, OURS, SOCKET_ROOM, TempDir, remove_abandoned

ABANDON = "import os\nfrom sandboxes.temp_dir import TempDir\nmade = TempDir('toy')\nos.mkdir(made.path / 'work')\nos.kill(os.getpid(), 9)"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The one folder for temporary files: what other tests leave in /tmp is not counted, however long this folder's path is."""
    monkeypatch.setattr(temp_dir, "socket_folder", lambda: str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_what_a_killed_process_made_is_removed_and_what_a_living_one_holds_is_not(place):
    held = TempDir("toy")
    subprocess.run([sys.executable, "-c", ABANDON], check=False)
    assert len(list(place.iterdir())) == 2
    assert remove_abandoned() == 1
    assert list(place.iterdir()) == [held.path]
    held.close()
    assert list(place.iterdir()) == []
    held.close()


def test_a_copy_of_the_process_holds_the_directory_too(place):
    held = TempDir("toy")
    copy = subprocess.Popen(["sleep", "600"], pass_fds=[held._lock])
    try:
        os.close(held._lock)
        assert remove_abandoned() == 0
    finally:
        copy.kill()
        copy.wait()
    assert remove_abandoned() == 1


@pytest.mark.parametrize(
    "kind", ["none", "other text", "more text", "pipe", "directory", "link", "link to a directory"]
)
def test_a_directory_without_our_own_mark_stays(place, kind):
    folder, elsewhere = place / "rewardkit-toy-1", place / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / MARK).write_bytes(OURS)
    if kind == "link to a directory":
        folder.symlink_to(elsewhere)
    else:
        folder.mkdir()
    match kind:
        case "other text":
            (folder / MARK).write_bytes(OURS[:-1])
        case "more text":
            (folder / MARK).write_bytes(OURS * 2)
        case "pipe":
            os.mkfifo(folder / MARK)
        case "directory":
            (folder / MARK).mkdir()
        case "link":
            (folder / MARK).symlink_to(elsewhere / MARK)
        case _:
            pass
    assert remove_abandoned() == 0
    assert folder.exists()
    assert (elsewhere / MARK).exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_a_directory_of_another_user_stays(place):
    folder = place / "rewardkit-toy-1"
    folder.mkdir()
    (folder / MARK).write_bytes(OURS)
    os.chown(folder, 65534, 65534)
    assert remove_abandoned() == 0
    os.chown(folder, 0, 0)
    assert remove_abandoned() == 1


def test_nothing_stays_of_a_directory_that_could_not_be_marked(place, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        TempDir("toy")
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(("age_s", "mode", "inside", "stays"), [(7200, 0o700, False, False), (60, 0o700, False, True), (7200, 0o755, False, True), (7200, 0o700, True, True)])  # fmt: skip
def test_an_empty_directory_that_lost_its_mark_goes_after_an_hour(place, age_s, mode, inside, stays):
    folder = place / "rewardkit-toy-1"
    folder.mkdir(mode)
    if inside:
        (folder / "file").touch()
    os.utime(folder, (time.time() - age_s,) * 2)
    assert remove_abandoned() == (not stays)
    assert folder.exists() == stays


def test_the_mark_is_removed_last(place, monkeypatch):
    """So whoever is killed on the way leaves a directory that is known as ours."""
    held = TempDir("toy")
    (held.path / "work").mkdir()
    (held.path / "work" / "file").touch()
    (held.path / "socket").touch()
    seen = []
    monkeypatch.setattr(
        shutil,
        "rmtree",
        lambda path, **_: seen.append((path.name, sorted(inner.name for inner in held.path.iterdir()))),
    )
    held.close()
    assert seen[-1] == (held.path.name, sorted([MARK, "work"]))


@pytest.mark.parametrize("for_socket", [False, True])
@pytest.mark.parametrize("length", [MAX_SOCKET_PATH - SOCKET_ROOM, MAX_SOCKET_PATH - SOCKET_ROOM + 1, 250])
def test_what_was_made_elsewhere_for_a_long_path_is_found_again(monkeypatch, length, for_socket):
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        long = Path(short, "x" * (length - len(short) - 1))
        long.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(long))
        monkeypatch.setenv("TMPDIR", str(long))
        abandon = ABANDON.replace("'toy')", f"'toy', for_socket={for_socket})\nprint(made.path, flush=True)")
        made = subprocess.run([sys.executable, "-c", abandon], capture_output=True, text=True, check=False).stdout.strip()  # fmt: skip
        assert Path(made).is_dir()
        remove_abandoned()
        assert not Path(made).exists()
