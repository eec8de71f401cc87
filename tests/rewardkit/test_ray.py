"""What the Ray engine is made of, without a cluster: the class for pipelines, shards, their folder, and where actors go."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rewardkit import UsageError, load
from rewardkit.data.reader import RowReader, Selection
from rewardkit.data.rows import Columns, Record, Row, row_of
from rewardkit.errors import IncompleteError
from rewardkit.ray import Scorer, shards
from rewardkit.ray.folder import ShardFolder
from rewardkit.ray.node_sandbox import NodeSandbox, _remove_unheld
from rewardkit.ray.pipeline import _in_order, placement, plan
from rewardkit.ray.shards import Part, Shard, read_shards
from rewardkit.store import LockedError, encode

ROWS = [
    {"id": "a", "completion": "yes", "answer": "yes", "level": 1},
    {"id": "b", "completion": "no", "answer": "yes", "level": 2},
    {"id": "c", "completion": None, "answer": "yes", "level": 3},
]


def arrow(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pylist(rows)


def pandas(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def numpy(rows: list[dict[str, Any]]) -> Any:
    pytest.importorskip("pyarrow")
    np = pytest.importorskip("numpy")
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def records(batch: Any) -> list[dict[str, Any]]:
    if isinstance(batch, dict):
        columns = {name: getattr(values, "to_pylist", values.tolist)() for name, values in batch.items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if hasattr(batch, "to_pylist"):
        return batch.to_pylist()
    return batch.astype(object).where(batch.notna(), None).to_dict("records")


@pytest.mark.parametrize("make", [arrow, pandas, numpy])
def test_scorer_keeps_the_columns_of_each_kind_of_batch_and_adds_the_judgement(make: Any) -> None:
    found = records(Scorer("exact")(make(ROWS)))
    assert [{name: row[name] for name in ROWS[0]} for row in found] == ROWS
    assert [row["reward"] for row in found] == [1.0, 0.0, None]
    assert [row["reward_verdict"] for row in found] == ["correct", "wrong", "unjudged"]
    assert "no completion" in found[2]["reward_reason"]


@pytest.mark.parametrize(
    "cells",
    [
        [[[1, 2], [3, 4]]] * 2,
        [[[[0] * 3] * 4] * 4] * 2,
        ["a", {"b": 1}],
        ["a", 3],
        [{"a": 1}, {"a": "x"}],
        [{1}, {2}],
        [None, object],
    ],
)
def test_a_column_that_arrow_has_no_type_for_stays_as_it_is(cells: list[Any]) -> None:
    np = pytest.importorskip("numpy")
    batch = numpy([{"completion": "2", "answer": "2"}, {"completion": "3", "answer": "2"}])
    other = np.array(cells) if isinstance(cells[0], list) else np.array(cells, dtype=object)
    found = Scorer("exact")({**batch, "other": other})
    assert found["other"] is other
    assert found["reward"].to_pylist() == [1.0, 0.0]


def test_batches_without_rows_or_answers_have_the_columns_that_the_others_have() -> None:
    pa = pytest.importorskip("pyarrow")
    score = Scorer("exact")
    table = pa.table({"completion": pa.array(["yes", None]), "answer": ["yes", "yes"]})
    assert {str(score(table.slice(start, length)).schema) for start, length in ((0, 1), (1, 1), (0, 0))} == {
        str(score(table).schema)
    }


def test_scorer_takes_names_of_columns_and_a_prefix() -> None:
    score = Scorer(load("exact"), columns=Columns(completion="said"), prefix="r")
    (row,) = score(arrow([{"said": "4", "answer": "4"}])).to_pylist()
    assert row["r"] == 1.0
    with pytest.raises(UsageError, match="has no column 'said'"):
        score(arrow([{"text": "4"}]))


@pytest.mark.long
def test_a_reward_that_may_hang_is_judged_beside_the_actor() -> None:
    from live import TOY

    score = Scorer(f"{TOY}:Trouble", row_timeout_s=2)
    try:
        found = score(arrow([{"completion": text} for text in ("yes", "die", "hang", "yes")])).to_pylist()
        assert [row["reward"] for row in found] == [1.0, None, None, 1.0]
    finally:
        score.close()


def node(cpus: float, *, alive: bool = True) -> dict[str, Any]:
    return {"Alive": alive, "Resources": {"CPU": cpus}}


def test_each_actor_has_a_cpu() -> None:
    nodes = [node(4), node(8), node(2, alive=False), node(0)]
    assert placement(load("exact"), 0, nodes) == (1, 12)
    assert placement(load("exact"), 3, nodes) == (1, 3)
    assert placement(load("code"), 0, nodes) == (4, 3)
    assert placement(load("exact + code"), 0, [node(64), node(2)]) == (2, 33)
    assert placement(load("code"), 0, [node(64)]) == (4, 16)
    with pytest.raises(IncompleteError):
        placement(load("exact"), 0, [node(4, alive=False)])


def test_shards_hold_the_rows_of_the_reader_each_time_and_keep_groups_whole(
    write_jsonl: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "FIRST_SHARD_ROWS", 2)
    rows = [{"completion": str(i), "group": str(i // 100), **({"id": f"r{i}"} if i % 2 else {})} for i in range(900)]
    file = str(write_jsonl(*rows, b"broken", {"completion": ["x", "y"]}))
    part = Part(3, (file,), RowReader([file]).columns, Selection())
    found = list(read_shards(part))
    assert found == list(read_shards(part))
    assert [(shard.part, shard.place, shard.last) for shard in found] == [
        (3, place, place == len(found) - 1) for place in range(len(found))
    ]
    read = [row for shard in found for row in rows_of(shard)]
    assert read == list(RowReader([file]))
    groups = [{row.sample.group for row in rows_of(shard) if row.sample} for shard in found]
    assert len(found) > 5
    assert not any(one & other for one, other in pairwise(groups))
    assert [row for shard in read_shards(part._replace(skip=10)) for row in rows_of(shard)] == read[10:]


def rows_of(shard: Shard) -> list[Row]:
    return [row_of(Record.from_line(line), Columns()) for line in shard.lines]


def test_rows_that_must_be_seen_together_are_read_by_one_task(write_jsonl: Any) -> None:
    files = [str(write_jsonl({"completion": "1"}, name=f"{name}.jsonl")) for name in "ab"]
    exact = load("exact")
    assert len(plan(exact, RowReader(files), 0)) == 2
    assert len(plan(exact, RowReader(files), 5)) == 1
    assert len(plan(exact, RowReader(files, selection=Selection(limit=1)), 0)) == 1
    with pytest.raises(UsageError, match="stdin"):
        plan(exact, RowReader(["-"]), 0)


def shard(part: int, place: int, *, last: bool = False) -> Shard:
    return Shard(part, place, last, 0.0, "", b"")


@pytest.mark.parametrize(
    "given_shards",
    [
        [shard(0, 0), shard(0, 0), shard(0, 1, last=True), shard(1, 0, last=True)],
        [shard(0, 1, last=True), shard(1, 0, last=True)],
        [shard(0, 0), shard(1, 0, last=True)],
        [shard(0, 0, last=True)],
        [],
    ],
)
def test_a_shard_that_is_missing_or_there_twice_ends_the_run(given_shards: list[Shard]) -> None:
    assert len(list(_in_order(iter([shard(0, 0), shard(0, 1, last=True), shard(1, 0, last=True)]), 2))) == 3
    with pytest.raises(IncompleteError):
        list(_in_order(iter(given_shards), 2))


@pytest.fixture(params=["folder", "url"])
def out(request: pytest.FixtureRequest, tmp_path: Any) -> str:
    pytest.importorskip("fsspec")
    return f"{tmp_path}/out/" if request.param == "folder" else f"file://{tmp_path}/out/"


def start(url: str, reward: str = "exact", **how: bool) -> ShardFolder:
    options = {"resume": False, "overwrite": False, **how}
    return ShardFolder.open(url, identity={"reward": reward}, facts={}, **options)


def test_a_shard_that_is_written_is_not_judged_again_and_one_of_other_rows_is_refused(out: str) -> None:
    line = encode({"id": "a", "answer": "\u2028 \U0001f600"})
    with start(out) as folder:
        assert folder.read("part-00000-000000.jsonl", ["a"]) is None
        folder.write("part-00000-000000.jsonl", [line])
    with start(out, resume=True) as again:
        assert again.read("part-00000-000000.jsonl", ["a"]) == [line]
        for ids in (["b"], ["a", "b"], []):
            with pytest.raises(UsageError, match="does not fit"):
                again.read("part-00000-000000.jsonl", ids)


@pytest.mark.parametrize("how", [{}, {"resume": True}, {"overwrite": True}])
def test_one_run_at_a_time_writes_a_folder(out: str, how: dict[str, bool]) -> None:
    with start(out), pytest.raises(LockedError, match="is being written by another run"):
        start(out, "math", **how)
    with pytest.raises(UsageError, match="--resume"):
        start(out, "math")
    with start(out, resume=True):  # what was refused holds no lock
        pass


def test_a_folder_of_another_run_is_refused(out: str, tmp_path: Any) -> None:
    with start(out) as folder:
        folder.write("part-00000-000000.jsonl", [encode({"id": "a"})])
    with pytest.raises(UsageError, match="--resume"):
        start(out)
    with pytest.raises(UsageError, match="another reward"):
        start(out, "math", resume=True)
    with start(out, "math", overwrite=True) as folder:
        folder.finish({"n": 0}, status="done")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["run.meta.json"]
    assert json.loads((tmp_path / "out" / "run.meta.json").read_text())["status"] == "done"
    (tmp_path / "out" / "run.meta.json").rename(tmp_path / "out" / "notes.txt")
    with pytest.raises(UsageError, match="something else"):
        start(out, overwrite=True)


def test_a_shard_that_only_a_node_can_see_is_told(tmp_path: Any) -> None:
    with pytest.raises(UsageError, match="all nodes share"):
        start(f"{tmp_path}/out/").check_shared("part-00000-000000.jsonl")


HOLDER = """
import sys, threading
from pathlib import Path
from rewardkit.code.shared import shared_sandbox
from rewardkit.ray.node_sandbox import NodeSandbox
from sandboxes.base import Job

if __name__ == "__main__":
    pool = NodeSandbox(Path(sys.argv[1]), 3)
    pool.setup()
    for line in sys.stdin:
        (execution,) = shared_sandbox("unsafe").run([Job(program="print(6 * 7)")])
        facts = shared_sandbox("unsafe").facts()
        print(execution.stdout_text.strip(), facts["workers"], flush=True)
"""


@pytest.mark.long
def test_processes_of_a_node_share_one_pool_and_the_next_one_takes_it_over(tmp_path: Any) -> None:
    program = tmp_path / "holder.py"
    program.write_text(HOLDER)
    folder = tmp_path / "pool"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    people = [subprocess.Popen([sys.executable, str(program), str(folder)], **pipes) for _ in range(3)]

    def answers(person: Any) -> str:
        person.stdin.write("\n")
        person.stdin.flush()
        return person.stdout.readline().strip()

    try:
        assert [answers(person) for person in people] == ["42 3"] * 3
        socket = (folder / "socket").readlink()
        assert [answers(person) for person in people] == ["42 3"] * 3
        assert (folder / "socket").readlink() == socket  # one pool for all of them
        holders = [child for person in people for child in children(person.pid) if "spawn_main" in child[1]]
        assert len(holders) == 1
        owner = next(person for person in people if any("spawn_main" in line for _, line in children(person.pid)))
        owner.kill()
        owner.wait()
        rest = [person for person in people if person is not owner]
        assert [answers(person) for person in rest] == ["42 3"] * 2
        assert (folder / "socket").readlink() != socket
    finally:
        for person in people:
            person.kill()
            person.communicate()
    _remove_unheld(folder)  # as the next job does with what killed holders left
    assert not folder.exists()


def children(pid: int) -> list[tuple[int, str]]:
    """Child processes with their command lines, but for multiprocessing's resource tracker."""
    found: list[tuple[int, str]] = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append((int(status.parent.name), (status.parent / "cmdline").read_text().replace("\0", " ")))
    return found


def test_a_folder_that_others_can_enter_is_refused(tmp_path: Any) -> None:
    (tmp_path / "pool").mkdir(mode=0o755)
    with pytest.raises(IncompleteError, match="another user"):
        NodeSandbox(tmp_path / "pool", 1)
