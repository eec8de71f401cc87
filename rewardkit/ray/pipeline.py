"""The pipeline behind `rewardkit score --engine ray`: tasks read shards, actors judge and write them, the driver counts."""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rewardkit import errors
from rewardkit.base import Reward
from rewardkit.data.reader import RowReader, Selection
from rewardkit.data.rows import Record, row_of
from rewardkit.data.sources import refuse_streams
from rewardkit.data.urls import is_url
from rewardkit.errors import IncompleteError, MissingExtraError, RewardkitError, UsageError, describe_error
from rewardkit.executor import SANDBOX_VARIABLE, is_by_row, needs_sandbox
from rewardkit.judging import Judged, JudgeRecords, chunks, problem_of
from rewardkit.ray.folder import ShardFolder
from rewardkit.ray.scorer import Actor
from rewardkit.ray.shards import Part, Shard, read_shards

SANDBOX_ACTOR_CPUS = 4
"""CPUs for each actor whose reward runs code: one judge keeps about this many programs running."""
_OURS = re.compile(r"^rewardkit\.errors\.(\w+): (.+)$", re.MULTILINE)
READERS_A_NODE = 2
"""Tasks that read inputs at the same time. They ask for no CPU, so that they run beside actors that take all."""


@dataclass(frozen=True)
class Work:
    """What an actor does with a shard."""

    reward: Reward
    task: JudgeRecords
    row_timeout_s: float | None = None
    folder: ShardFolder | None = None
    """Where judged shards are written; None if the driver writes."""


def score_files(
    work: Work,
    reader: RowReader,
    *,
    workers: int = 0,
    skip: int = 0,
) -> Iterator[list[Judged]]:
    """The judged rows of the inputs, in order, a shard at a time, from the cluster of `RAY_ADDRESS`, or of this machine if that is not set.

    Files on this machine are read here, URLs on any node. `workers` actors judge, each with one CPU; 0 takes all CPUs. What
    an actor or a node takes with it is read and judged again.

    Raises:
        MissingExtraError: ray is not installed.
        UsageError: an input cannot be read.
        IncompleteError: the cluster failed for good.
    """
    parts = plan(work.reward, reader, skip)
    ray = _connect()
    actors = placement(work.reward, workers, ray.nodes())
    try:
        for shard in _in_order(_judged(ray, work, parts, *actors), len(parts)):
            if work.folder is not None:
                work.folder.check_shared(shard.name)
            reader.read_elsewhere = (shard.part + shard.fraction) / len(parts)
            reader.truncated += shard.truncated.splitlines()
            yield work.task.results(shard.lines)
    except ray.exceptions.RayError as error:
        raise _explained(error) from None


def plan(reward: Reward, reader: RowReader, skip: int) -> list[Part]:
    """One part for each input, or one for all if rows of several inputs must be seen together."""
    refuse_streams(reader.sources, "--engine ray reads its input again where a node is lost")
    names = tuple(source.name for source in reader.sources)
    together = skip > 0 or reader.selection != Selection() or not is_by_row(reward)
    spans = [slice(None)] if together else [slice(place, place + 1) for place in range(len(names))]
    return [
        Part(index, names[span], reader.columns, reader.selection, skip, reward, tuple(reader.stems[span]))
        for index, span in enumerate(spans)
    ]


def placement(reward: Reward, workers: int, nodes: Sequence[dict[str, Any]]) -> tuple[float, int]:
    """CPUs for each actor and the number of actors, from what `ray.nodes()` says."""
    sizes = [int(node["Resources"].get("CPU", 0)) for node in nodes if node["Alive"]]
    sizes = [size for size in sizes if size >= 1]
    if not sizes:
        raise IncompleteError("no node of the Ray cluster has a CPU")
    cpus = min(SANDBOX_ACTOR_CPUS, *sizes) if needs_sandbox(reward) else 1
    places = sum(size // cpus for size in sizes)
    return cpus, min(workers, places) if workers else places


class ShardScorer(Actor[Record, Judged]):
    """Judges shards, and writes them if there is a folder for them. A shard that is written already is taken from there."""

    def __init__(self, work: Work, sandbox: str | None) -> None:
        super().__init__(work.reward, task=work.task, row_timeout_s=work.row_timeout_s, sandbox=sandbox)
        self._task, self._folder, self._reward = work.task, work.folder, work.reward

    def __call__(self, batch: Any) -> Any:
        """Shards in, judged shards out."""
        return _table([self._judge(shard) for shard in _shards(batch)])

    def _judge(self, shard: Shard) -> Shard:
        judged = None if self._folder is None else self._written(shard, self._folder)
        if judged is None:
            lines = chunks(shard.lines, self._task, self._reward)
            judged = [row for rows in self._executor.map(lines) for row in rows]
            if self._folder is not None:
                self._folder.write(shard.name, [row.line for row in judged])
        return shard._replace(rows=b"\n".join(map(self._task.result_line, judged)))

    def _written(self, shard: Shard, folder: ShardFolder) -> list[Judged] | None:
        rows = [row_of(Record.from_line(line), self._task.columns) for line in shard.lines]
        lines = folder.read(shard.name, [row.id for row in rows])
        if lines is None:
            return None
        return [Judged(problem_of(row), json.loads(line), line) for row, line in zip(rows, lines, strict=True)]


def _judged(ray: Any, work: Work, parts: Sequence[Part], cpus: float, actors: int) -> Iterator[Shard]:
    """The judged shards in the order of the parts, while the next ones are read and judged."""
    data: Any = ray.data

    def read(batch: Any) -> Iterator[Any]:
        indices: list[int] = batch["part"].to_pylist()
        for index in indices:
            for shard in read_shards(parts[index]):
                yield _table([shard])

    local = not all(is_url(path) for part in parts for path in part.paths)
    readers = READERS_A_NODE * (1 if local else sum(node["Alive"] for node in ray.nodes()))
    read_parts = data.from_items([{"part": part.place} for part in parts], override_num_blocks=len(parts)).map_batches(
        read,
        batch_size=1,
        batch_format="pyarrow",
        num_cpus=0,
        compute=data.TaskPoolStrategy(size=min(len(parts), readers)),
        **(_on_this_node(ray) if local else {}),
    )
    judged = read_parts.map_batches(
        ShardScorer,
        batch_size=1,
        batch_format="pyarrow",
        fn_constructor_args=(work, os.environ.get(SANDBOX_VARIABLE)),
        compute=data.ActorPoolStrategy(size=actors),
        num_cpus=cpus,
    )
    judged.context.execution_options.preserve_order = True
    judged.context.enable_progress_bars = False
    judged.context.target_max_block_size = 1  # a shard a block, so that none waits for the next
    for batch in judged.iter_batches(batch_size=None, batch_format="pyarrow"):
        yield from _shards(batch)


def _on_this_node(ray: Any) -> dict[str, Any]:
    """The option that keeps tasks on the node of this process."""
    node = ray.get_runtime_context().get_node_id()
    if "label_selector" in inspect.signature(ray.data.Dataset.map_batches).parameters:
        return {"label_selector": {"ray.io/node-id": node}}
    affinity: Any = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
    return {"scheduling_strategy": affinity(node, soft=False)}  # Ray before 2.60


def _in_order(shards: Iterator[Shard], parts: int) -> Iterator[Shard]:
    """The shards, once it is seen that none is missing and none is there twice."""
    due = (0, 0)
    for shard in shards:
        if (shard.part, shard.place) != due:
            raise IncompleteError(f"Ray gave shard {shard.name} where part {due[0]}, shard {due[1]} was due")
        due = (shard.part + 1, 0) if shard.last else (shard.part, shard.place + 1)
        yield shard
    if due != (parts, 0):
        raise IncompleteError("Ray ended before all shards were judged")


def _table(shards: Sequence[Shard]) -> Any:
    pa: Any = importlib.import_module("pyarrow")
    types = (pa.int32(), pa.int32(), pa.bool_(), pa.float64(), pa.string(), pa.large_binary())
    schema = pa.schema(list(zip(Shard._fields, types, strict=True)))
    return pa.Table.from_pylist([shard._asdict() for shard in shards], schema=schema)


def _shards(table: Any) -> Iterator[Shard]:
    return (Shard(**row) for row in table.to_pylist())


def _connect() -> Any:
    """Ray, connected and quiet."""
    try:
        ray: Any = importlib.import_module("ray")
        importlib.import_module("ray.data")
    except ImportError:
        raise MissingExtraError.of("--engine ray", "ray") from None
    if not ray.is_initialized():
        try:
            ray.init(log_to_driver=False, logging_level=logging.WARNING, include_dashboard=False)
        except (ConnectionError, ValueError) as error:
            raise UsageError(f"cannot reach the Ray cluster: {describe_error(error)}") from None
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what it says of errors is in the errors
    return ray


def _explained(error: BaseException) -> RewardkitError:
    """Our own error that a task raised, of which Ray hands over the text, else one line about Ray's."""
    for name, message in reversed(_OURS.findall(str(error))):
        kind: Any = getattr(errors, name, None)
        if isinstance(kind, type) and issubclass(kind, RewardkitError):
            return kind(message)
    return IncompleteError(f"the Ray cluster failed ({describe_error(error)})")
