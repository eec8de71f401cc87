"""The Ray engine on a cluster of three nodes on this machine: same rows, same order, whatever is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from killed import cut_as_by_a_kill
from live import TOY, is_gone, wait_for

pytestmark = pytest.mark.slow
START_S = 600
"""Ray starts an actor within seconds, but on a busy machine it may take a minute."""
GATED = '''
import os, time
from dataclasses import dataclass
from typing import ClassVar
from rewardkit import Sample, SampleReward, Score

@dataclass(frozen=True)
class Gated(SampleReward):
    """1 where the completion is the ground truth. At every 96th row it notes its actor and waits for the gate to open."""
    name: ClassVar[str] = "gated_by_file"
    folder: str = "."
    def grade(self, sample: Sample) -> Score:
        if int(sample.id) % 96 == 95:
            while not os.path.exists(os.path.join(self.folder, "open")):
                forkserver = open(f"/proc/{os.getppid()}/stat").read()  # the actor is its parent
                open(os.path.join(self.folder, "at-" + forkserver.rpartition(")")[2].split()[1]), "w").close()
                time.sleep(0.02)
        return Score.of(sample.completion == sample.ground_truth, answer=sample.id)
'''


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    os.environ["RAY_AUTH_MODE"] = "disabled"
    memory = {"object_store_memory": 80 * 2**20}
    head = {"num_cpus": 1, "include_dashboard": False, **memory}
    config = {"worker_niceness": 0}  # or a busy machine starves the actors
    one = Cluster(initialize_head=True, head_node_args={**head, "_system_config": config})
    one.extra = [one.add_node(num_cpus=1, **memory) for _ in range(2)]
    ray.init(address=one.address, log_to_driver=False)
    yield one
    ray.shutdown()
    one.shutdown()


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    folder = tmp_path / "gate"
    folder.mkdir()
    (folder / "gated.py").write_text(GATED)
    return folder


@pytest.fixture
def command(gate: Path, write_jsonl: Any) -> tuple[str, ...]:
    """`rewardkit score` over two files of rows that wait at a gate."""
    rows = [{"id": index, "completion": str(index % 3), "answer": "1"} for index in range(3000)]
    files = write_jsonl(*rows[:2000]), write_jsonl(*rows[2000:], b"broken", name="more.jsonl")
    reward = f"{gate / 'gated.py'}:Gated(folder={str(gate)!r})"
    return ("score", *map(str, files), "-r", reward, "--no-timing", "--quiet", "--row-timeout", str(3 * START_S))


def at_work(gate: Path) -> set[int]:
    """Pids of the actors that wait in the middle of a shard."""
    pids = {int(file.name.removeprefix("at-")) for file in gate.glob("at-*")}
    return {pid for pid in pids if not is_gone(pid)}


def shards(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.jsonl"))


def lose_an_actor(_cluster: Any, actors: set[int]) -> None:
    os.kill(min(actors), signal.SIGKILL)


def lose_a_node(cluster: Any, _actors: set[int]) -> None:
    cluster.remove_node(cluster.extra.pop(), allow_graceful=False)


@pytest.mark.parametrize("lose", [lose_an_actor, lose_a_node])
def test_what_is_killed_loses_nothing_and_doubles_nothing(
    cluster: Any, cli: Any, command: tuple[str, ...], gate: Path, tmp_path: Path, lose: Callable[..., None]
) -> None:
    nodes = 1 + len(cluster.extra)
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(cli, *command, "-o", there, "--engine", "ray")
        try:
            wait_for(lambda: len(at_work(gate)) >= nodes or running.done(), bound_s=START_S)
            before = at_work(gate)
            assert len(before) == nodes
            lose(cluster, before)
            wait_for(lambda: not before <= at_work(gate) or running.done(), bound_s=START_S)
            assert not running.done()
        finally:
            (gate / "open").touch()
        assert running.result().code == 0
    assert cli(*command, "-o", here).code == 0
    assert there.read_bytes() == here.read_bytes()


def test_a_run_whose_driver_was_killed_goes_on_with_the_shards_that_are_written(
    cluster: Any, cli: Any, command: tuple[str, ...], gate: Path, tmp_path: Path
) -> None:
    here, there = tmp_path / "here.jsonl", tmp_path / "there"
    program = [sys.executable, "-c", "from rewardkit.cli import main; main()"]
    env = {**os.environ, "RAY_ADDRESS": cluster.address}
    out = ("-o", f"{there}/", "--engine", "ray")
    driver = subprocess.Popen([*program, *command, *out], env=env, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: (shards(there) and at_work(gate)) or driver.poll() is not None, bound_s=START_S)
        assert driver.poll() is None
    finally:
        driver.kill()
        driver.wait()
    written = {path: path.stat().st_mtime_ns for path in shards(there)}
    (gate / "open").touch()
    assert cli(*command, *out).code == 2  # an unfinished run is not started again in silence
    assert cli(*command, *out, "--resume").code == 0
    assert {path: path.stat().st_mtime_ns for path in written} == written
    assert cli(*command, "-o", here).code == 0
    assert b"".join(path.read_bytes() for path in shards(there)) == here.read_bytes()
    totals = [json.loads(path.read_text())["totals"] for path in (tmp_path / "here.meta.json", there / "run.meta.json")]
    assert totals[0] == totals[1]


def test_rows_of_a_hung_or_dying_judge_are_unjudged_and_the_others_are_not(
    cluster: Any, cli: Any, write_jsonl: Any, tmp_path: Path
) -> None:
    file = write_jsonl(*({"completion": text} for text in ("yes", "die", "yes", "raise", "hang", "yes")))
    out = tmp_path / "out.jsonl"
    found = cli("score", file, "-r", f"{TOY}:Trouble", "--row-timeout", 2, "--engine", "ray", "-o", out, "--quiet")
    assert found.code == 4
    rewards = [json.loads(line)["reward"] for line in out.read_text().splitlines()]
    assert rewards == [1.0, None, 1.0, None, None, 1.0]


def test_code_is_judged_in_one_pool_a_node_with_the_same_verdicts(
    cluster: Any, cli: Any, write_jsonl: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REWARDKIT_SANDBOX", "unsafe")
    tests = {"inputs": ["2\n", "3\n"], "outputs": ["4\n", "6\n"]}
    file = write_jsonl(
        *({"completion": f"```python\nprint(int(input()) * {i % 3})\n```", "ground_truth": tests} for i in range(150))
    )
    command = ("score", file, "-r", "code", "--no-timing", "--quiet")
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    assert cli(*command, "-o", here).code == cli(*command, "-o", there, "--engine", "ray").code == 0
    assert there.read_bytes() == here.read_bytes()


def test_the_command_writes_the_same_bytes_resumes_and_exits_alike(
    cluster: Any, cli: Any, write_jsonl: Any, tmp_path: Path
) -> None:
    rows = [{"id": index, "completion": str(index % 5), "answer": "1"} for index in range(3000)]
    file = write_jsonl(*rows, b"broken", {"completion": ["1", "2"], "answer": "1", "prompt": "p"})
    command = ("score", file, "-r", "exact", "--no-timing", "--quiet", "--fail-under", "accuracy=0.9")
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    codes = [cli(*command, "-o", here).code, cli(*command, "-o", there, "--engine", "ray").code]
    assert codes == [1, 1]
    assert there.read_bytes() == here.read_bytes()
    lines = there.read_bytes().splitlines(keepends=True)
    cut_as_by_a_kill(there, len(b"".join(lines[:1500])) + 9)
    assert cli(*command, "-o", there, "--engine", "ray", "--resume").code == 1
    assert there.read_bytes() == here.read_bytes()


def test_an_input_that_a_task_cannot_read_is_one_line(cluster: Any, cli: Any, tmp_path: Path) -> None:
    gone = tmp_path / "gone.jsonl.gz"
    import gzip

    gone.write_bytes(gzip.compress(b'{"completion": "1", "answer": "1"}\n' * 1000)[:-20])
    found = cli("score", gone, "-r", "exact", "--engine", "ray", "--quiet")
    assert found.code == 4
    assert "cut short" in found.err.splitlines()[-1]


def test_an_error_of_a_task_is_one_line_of_ours(cluster: Any, cli: Any, write_jsonl: Any, tmp_path: Path) -> None:
    file = write_jsonl({"completion": "1", "answer": "1"})
    out = tmp_path / "out"
    command = ("score", file, "-r", "exact", "--engine", "ray", "--quiet", "-o", f"{out}/")
    assert cli(*command).code == 0
    shards(out)[0].write_text('{"id": "other"}\n')
    found = cli(*command, "--resume")
    assert (found.code, found.err.splitlines()[-1][:40]) == (2, f"error: {out}/part-00000-000000"[:40])
    assert "does not fit the input" in found.err.splitlines()[-1]


def test_a_pipeline_keeps_its_columns(cluster: Any) -> None:
    import ray

    from rewardkit.ray import Scorer

    rows = [{"id": index, "completion": str(index % 2), "answer": "1", "level": index % 7} for index in range(500)]
    scored = ray.data.from_items(rows).map_batches(
        Scorer, fn_constructor_kwargs={"reward": "exact"}, batch_size=64, concurrency=1, num_cpus=1
    )
    found = sorted(scored.take_all(), key=lambda row: row["id"])
    assert [{name: row[name] for name in rows[0]} for row in found] == rows
    assert [row["reward"] for row in found] == [float(index % 2) for index in range(500)]
