import multiprocessing
import os
import signal
import time

import pytest

from harness.generation import Generation
from harness.journal import NAME, Journal
from rewardkit.errors import IncompleteError, UsageError
from rewardkit.store import run_store


def answer(number: int, **fields) -> Generation:
    return Generation(
        key=f"k{number}",
        task="t",
        doc_id=number,
        rep=0,
        seed=number,
        text=f"text {number} \u2028 \ud800".encode("utf-8", "replace").decode(),
        **fields,
    )


def test_what_was_written_is_read_back(tmp_path):
    with Journal(tmp_path) as journal:
        for number in range(5):
            journal.append(answer(number, tokens=3, reasoning="hm"))
    with Journal(tmp_path) as journal:
        assert journal.answers == {f"k{number}": answer(number, tokens=3, reasoning="hm") for number in range(5)}


@pytest.mark.parametrize("cut", [1, 2, 10, 40])
def test_a_torn_last_line_is_cut_off(tmp_path, cut):
    with Journal(tmp_path) as journal:
        journal.append(answer(0))
        journal.append(answer(1))
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes()[:-cut])
    with Journal(tmp_path) as journal:
        assert list(journal.answers) == ["k0"]
        journal.append(answer(2))
    with Journal(tmp_path) as journal:
        assert list(journal.answers) == ["k0", "k2"]


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"text 1", b"text 9"), (b'"seed": 1', b'"seed": 7'), (b'{"key": "k1"', b'{"kex": "k1"'), (b"{", b"")],
)
def test_an_edited_line_is_refused_and_named(tmp_path, old, new):
    with Journal(tmp_path) as journal:
        journal.append(answer(0))
        journal.append(answer(1))
    path = tmp_path / NAME
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(old, new, 1)
    path.write_bytes(b"".join(lines))
    with pytest.raises(UsageError, match="line 2"), Journal(tmp_path):
        pass


def test_failed_requests_are_asked_again(tmp_path):
    with Journal(tmp_path) as journal:
        journal.append(answer(0, error="HTTP 500"))
        assert "k0" not in journal.answers
        journal.append(answer(0))
    with Journal(tmp_path) as journal:
        assert journal.answers["k0"].error is None


def test_a_full_disk_is_said_and_what_is_there_stays(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    with Journal(tmp_path) as journal:
        journal.append(answer(0))
        with monkeypatch.context() as patch:
            patch.setattr(run_store, "_write_all", fail)
            with pytest.raises(IncompleteError, match="disk is full"):
                journal.append(answer(1))
        assert list(journal.answers) == ["k0"]
    with Journal(tmp_path) as journal:
        assert list(journal.answers) == ["k0"]


def write_forever(directory):
    with Journal(directory) as journal:
        number = 0
        while True:
            journal.append(answer(number))
            number += 1


@pytest.mark.parametrize("wait_s", [0.3, 0.5])
def test_kill_9_leaves_whole_lines_and_none_twice(tmp_path, wait_s):
    process = multiprocessing.get_context("fork").Process(target=write_forever, args=(tmp_path,))
    process.start()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (
        (tmp_path / NAME).exists() and (tmp_path / NAME).stat().st_size > 5000 * wait_s
    ):
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with Journal(tmp_path) as journal:
        found = len(journal.answers)
        assert list(journal.answers) == [f"k{number}" for number in range(found)]
        assert found > 5
