"""The Ray engine on a cluster of several nodes, started on this machine: same rows, same order, whatever is killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from live import TOY, is_gone, wait_for

from rewardkit import Sample, load
from rewardkit.errors import IncompleteError
from rewardkit.executor import score_here
from rewardkit.ray_engine import placement, score_on_ray

START_S = 600
"""Ray starts an actor within seconds, but at low priority: on a busy machine it may take a minute."""
GATED = '''
import os, time
from dataclasses import dataclass
from typing import ClassVar
from rewardkit import Sample, SampleReward, Score

@dataclass(frozen=True)
class Gated(SampleReward):
    """1 where the completion is the ground truth. In the middle of each block it notes its actor and waits for the gate to open."""
    name: ClassVar[str] = "gated_by_file"
    folder: str = "."
    def grade(self, sample: Sample) -> Score:
        if int(sample.id.partition(".")[0]) % 16 == 8:
            while not os.path.exists(os.path.join(self.folder, "open")):
                forkserver = open(f"/proc/{os.getppid()}/stat").read()  # the actor is its parent
                open(os.path.join(self.folder, "at-" + forkserver.rpartition(")")[2].split()[1]), "w").close()
                time.sleep(0.02)
        return Score.of(sample.completion == sample.ground_truth, answer=sample.id)
'''


def node(cpus: float, *, alive: bool = True) -> dict[str, Any]:
    return {"Alive": alive, "Resources": {"CPU": cpus}}


def test_rewards_take_a_cpu_each_and_code_takes_a_node() -> None:
    nodes = [node(4), node(8), node(2, alive=False), node(0)]
    assert placement(load("exact"), 0, nodes) == (1, 12)
    assert placement(load("exact"), 3, nodes) == (1, 3)
    assert placement(load("code"), 0, nodes) == (4, 3)
    assert placement(load("exact + code"), 2, nodes) == (4, 2)
    with pytest.raises(IncompleteError):
        placement(load("exact"), 0, [node(4, alive=False)])


def test_tables_are_scored_on_the_workers() -> None:
    pa = pytest.importorskip("pyarrow")
    from rewardkit.ray_engine import ScoreTable

    table = pa.table({"id": ["a", "b", "c"], "completion": ["yes", "no", None], "answer": ["yes", "yes", "yes"]})
    rows = ScoreTable("exact")(table).to_pylist()
    assert [(row["id"], row["reward"], row["accuracy"]) for row in rows] == [
        ("a", 1.0, 1),
        ("b", 0.0, 0),
        ("c", None, None),
    ]
    assert "no completion" in rows[2]["error"]


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
def gated(tmp_path: Path) -> Any:
    file = tmp_path / "gated.py"
    file.write_text(GATED)
    return load(f"{file}:Gated(folder={str(tmp_path)!r})")


def chunks(count: int, rows: int = 8) -> Iterator[list[Sample]]:
    for chunk in range(count):
        yield [Sample(id=f"{chunk}.{row}", completion=str(row % 3), ground_truth="1") for row in range(rows)]


def plain(scores: Iterator[list[Any]]) -> list[list[Any]]:
    return [[score.timed(None) for score in chunk] for chunk in scores]


def scored_while(trouble: Callable[[set[int]], None], reward: Any, nodes: int) -> list[list[Any]]:
    """Score 400 chunks on all nodes. When an actor is in the middle of a block on each, make trouble, and see it take one of them."""
    folder = Path(reward.folder)

    def at_work() -> set[int]:
        """Pids of the actors that wait in the middle of a block."""
        pids = {int(file.name.removeprefix("at-")) for file in folder.glob("at-*")}
        return {pid for pid in pids if not is_gone(pid)}

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: plain(score_on_ray(reward, row_timeout_s=3 * START_S)(chunks(400))))
        try:
            wait_for(lambda: len(at_work()) >= nodes or running.done(), bound_s=START_S)
            before = at_work()
            assert len(before) == nodes
            trouble(before)
            wait_for(lambda: not before <= at_work() or running.done(), bound_s=START_S)
            assert not running.done()
        finally:
            (folder / "open").touch()
        return running.result()


@pytest.mark.slow
def test_rows_of_a_hung_or_dying_judge_are_unjudged_and_the_others_are_not(cluster: Any) -> None:
    batch = [Sample(completion=text) for text in ("yes", "die", "yes", "raise", "hang", "yes")]
    (scores,) = score_on_ray(load(f"{TOY}:Trouble"), 2, row_timeout_s=2)([batch])
    assert [score.value for score in scores] == [1.0, None, 1.0, None, None, 1.0]


@pytest.mark.slow
def test_killing_an_actor_loses_nothing_and_doubles_nothing(cluster: Any, gated: Any) -> None:
    scores = scored_while(lambda actors: os.kill(min(actors), signal.SIGKILL), gated, nodes=3)
    assert scores == plain(score_here(gated)(chunks(400)))


@pytest.mark.slow
def test_killing_a_node_loses_nothing_and_doubles_nothing(cluster: Any, gated: Any) -> None:
    scores = scored_while(lambda _: cluster.remove_node(cluster.extra.pop(), allow_graceful=False), gated, nodes=3)
    assert scores == plain(score_here(gated)(chunks(400)))


@pytest.mark.slow
def test_the_command_writes_the_same_bytes_resumes_and_exits_alike(
    cluster: Any, cli: Any, write_jsonl: Any, tmp_path: Path
) -> None:
    rows = [{"id": index, "completion": str(index % 5), "answer": "1"} for index in range(3000)]
    file = write_jsonl(*rows, b"broken", {"id": "late", "completion": "1", "answer": "1"})
    command = ("score", file, "-r", "exact", "--no-timing", "--quiet", "--fail-under", "accuracy=0.9")
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    codes = [cli(*command, "-o", here).code, cli(*command, "-o", there, "--engine", "ray").code]
    assert codes == [1, 1]
    assert there.read_bytes() == here.read_bytes()
    lines = there.read_bytes().splitlines(keepends=True)
    meta = json.loads((tmp_path / "there.meta.json").read_text())
    (tmp_path / "there.meta.json").write_text(json.dumps({**meta, "status": "running"}))
    there.write_bytes(b"".join(lines[:1500]) + lines[1500][:9])  # a kill in the middle of a row
    assert cli(*command, "-o", there, "--engine", "ray", "--resume").code == 1
    assert there.read_bytes() == here.read_bytes()
