"""A finished run that `--resume` makes larger: until that is done it is the run that it was, whatever ends the work and whenever."""

import json
import shutil

import pytest
from full_disk import Disk

from harness.fake_server import Stub, answering
from harness.store import read_run
from rewardkit.errors import RewardkitError

pytestmark = pytest.mark.usefixtures("lm_eval")

LESS = ("--tasks", "math500", "--limit", 4, "--repeats", 1)


@pytest.mark.parametrize(
    ("more", "step"),
    [
        (("--repeats", 2), 3),
        pytest.param(("--repeats", 2), 1, marks=pytest.mark.slow),
        pytest.param(("--limit", 6), 1, marks=pytest.mark.slow),
        pytest.param(("--tasks", "math500,gsm8k"), 1, marks=pytest.mark.slow),
    ],
)
def test_a_run_that_is_ended_while_it_grows_is_the_old_one_the_new_one_or_refused(
    harness, golds, small_data, tmp_path, monkeypatch, more, step
):
    """Alone and merged with another shard, small or grown: nothing is taken for complete that is not."""
    disk = Disk(monkeypatch)
    grown = dict(zip(LESS[::2], LESS[1::2], strict=True)) | dict([more])

    def run(out, shard, asked, *args, room=10_000):
        disk.room, disk.writes = room, 0
        to = ("--data-dir", small_data, "--judge_workers", 0, "-o", tmp_path / out, "--shard", f"{shard}/2")
        return harness("run", "--model", server.url, *asked, *to, *args)

    with Stub(answering(golds, 0.6)) as server:
        larger = [word for option in grown.items() for word in option]
        for shard in (1, 2):
            assert run(f"small-{shard}", shard, LESS)[0] == 0
            assert run(f"grown-{shard}", shard, larger)[0] == 0
        old, new = verdicts(tmp_path / "small-1"), verdicts(tmp_path / "grown-1")
        ends = 0
        for room in range(0, 1000, step):
            half = tmp_path / f"half-{room}"
            shutil.copytree(tmp_path / "small-1", half)
            if run(half.name, 1, larger, "--resume", room=room)[0] == 0:
                break
            disk.room = 10_000
            ends += step
            before = verdicts(half)
            assert before in (None, old, new)
            gate, _, err = harness("gate", half, "--min", "accuracy=0")
            assert gate == (5 if before is None else 0), err
            for other, whole in (("small-2", old), ("grown-2", new)):
                merged = tmp_path / f"merged-{room}-{other}"
                code, out, err = harness("merge", half, tmp_path / other, "-o", merged, "--json")
                assert code == (0 if before == whole else 5), err
                assert code == 0 or err.count("\n") == 1
                if code == 0:
                    assert all(task["complete"] == 1.0 for task in json.loads(out)["tasks"].values())
                    assert len(verdicts(merged)) == len(before) + len(verdicts(tmp_path / other))
            code, _, err = run(half.name, 1, larger, "--resume")
            assert code == 0, err
            assert verdicts(half) == new
            assert harness("merge", half, tmp_path / "grown-2", "-o", tmp_path / f"whole-{room}")[0] == 0
        assert ends > 8


def verdicts(folder):
    """What the run says; None if it is refused."""
    try:
        return [(each.task, each.doc_id, each.rep, each.verdict) for each in read_run(folder).answers]
    except RewardkitError:
        return None
