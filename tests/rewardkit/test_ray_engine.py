"""The Ray engine on a cluster of several nodes, started on this machine: same rows, same order, whatever is killed."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from live import TOY

from rewardkit import Sample, load
from rewardkit.errors import IncompleteError
from rewardkit.ray_engine import placement, score_on_ray
from rewardkit.run import score_here

NAP = '''
import time
from dataclasses import dataclass
from typing import ClassVar
from rewardkit import Sample, SampleReward, Score

@dataclass(frozen=True)
class Nap(SampleReward):
    """Sleeps a little, then 1 where the completion is the ground truth."""
    name: ClassVar[str] = "nap"
    def grade(self, sample: Sample) -> Score:
        time.sleep(0.004)
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
    one = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, **memory})
    one.extra = [one.add_node(num_cpus=1, **memory) for _ in range(2)]
    ray.init(address=one.address, log_to_driver=False)
    yield one
    ray.shutdown()
    one.shutdown()


@pytest.fixture
def nap(tmp_path: Path) -> Any:
    file = tmp_path / "nap.py"
    file.write_text(NAP)
    return load(f"{file}:Nap")


def chunks(count: int, rows: int = 8) -> Iterator[list[Sample]]:
    for chunk in range(count):
        yield [Sample(id=f"{chunk}.{row}", completion=str(row % 3), ground_truth="1") for row in range(rows)]


def plain(scores: Iterator[list[Any]]) -> list[list[Any]]:
    return [[score.model_copy(update={"elapsed_ms": None}) for score in chunk] for chunk in scores]


def actors() -> list[int]:
    """Pids of the actors that score."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if command.startswith(b"ray::") and b"BlockActor" in command:
                found.append(int(entry.name))
    return found


def scored_while(trouble: Callable[[], None], reward: Any, nodes: int) -> list[list[Any]]:
    """Score 1,000 chunks on all nodes; when an actor works on each, make trouble, and see that it took an actor."""
    running = score_on_ray(reward)(chunks(1000))
    first = next(running)
    while len(actors()) < nodes:
        time.sleep(0.05)
    before = set(actors())
    trouble()
    while before <= set(actors()):
        time.sleep(0.05)
    return plain(iter([first, *running]))


@pytest.mark.slow
def test_rows_of_a_hung_or_dying_judge_are_unjudged_and_the_others_are_not(cluster: Any) -> None:
    batch = [Sample(completion=text) for text in ("yes", "die", "yes", "raise", "hang", "yes")]
    (scores,) = score_on_ray(load(f"{TOY}:Trouble"), 2, row_timeout_s=2)([batch])
    assert [score.value for score in scores] == [1.0, None, 1.0, None, None, 1.0]


@pytest.mark.slow
def test_killing_an_actor_loses_nothing_and_doubles_nothing(cluster: Any, nap: Any) -> None:
    scores = scored_while(lambda: os.kill(actors()[0], signal.SIGKILL), nap, nodes=3)
    assert scores == plain(score_here(nap)(chunks(1000)))


@pytest.mark.slow
def test_killing_a_node_loses_nothing_and_doubles_nothing(cluster: Any, nap: Any) -> None:
    scores = scored_while(lambda: cluster.remove_node(cluster.extra.pop(), allow_graceful=False), nap, nodes=3)
    assert scores == plain(score_here(nap)(chunks(1000)))


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
