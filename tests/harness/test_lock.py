import subprocess
import sys

import pytest

from rewardkit.errors import UsageError
from rewardkit.store import locked_folder

HOLD = "import sys\nfrom pathlib import Path\nfrom rewardkit.store import locked_folder\nwith locked_folder(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"


@pytest.fixture
def holder(tmp_path):
    """Another process that holds `tmp_path/run` until its stdin ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "run")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_second_run_is_told_who_holds_the_directory(holder, tmp_path):
    with pytest.raises(UsageError, match=f"another run .process {holder.pid} on "), locked_folder(tmp_path / "run"):
        pass


def test_a_lock_ends_with_its_process_also_after_kill_9(holder, tmp_path):
    holder.kill()
    holder.wait()
    with locked_folder(tmp_path / "run"):
        assert (tmp_path / "run" / "run.lock").exists()


def test_what_holds_nothing_leaves_nothing(tmp_path):
    with locked_folder(tmp_path / "a" / "b"):
        pass
    assert list(tmp_path.iterdir()) == []
    with locked_folder(tmp_path / "a"):
        (tmp_path / "a" / "kept").touch()
    assert [each.name for each in (tmp_path / "a").iterdir()] == ["kept"]


def test_two_harness_runs_in_one_directory_exit_2(holder, harness, small_data, tmp_path):
    pytest.importorskip("lm_eval")
    code, _, err = harness(
        "run", "--model", "http://127.0.0.1:9", "--tasks", "math500", "--data-dir", small_data, "-o", tmp_path / "run"
    )
    assert (code, f"process {holder.pid}" in err) == (2, True)
