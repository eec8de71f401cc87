"""Score on a Ray cluster: chunks go through Ray Data to actors that hold the reward, and come back in order, each once."""

from __future__ import annotations

import importlib
import json
import logging
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from typing import Any

from rewardkit.base import Reward
from rewardkit.data.rows import make_rows
from rewardkit.errors import IncompleteError, MissingExtraError, UsageError
from rewardkit.executor import Executor, ScoreChunks, is_bounded, needs_sandbox
from rewardkit.grading import score_batch
from rewardkit.run import output_row
from rewardkit.text import load
from rewardkit.types import Sample, Score

BLOCK_CHUNKS = 16
"""Chunks (about 1,000 rows) that travel to an actor at once: enough work to hide what a Ray task costs."""
WINDOW_BLOCKS = 512
"""Blocks in one run of the pipeline, about half a million rows. What a window holds waits in Ray's object store."""


def score_on_ray(reward: Reward, workers: int = 0, *, row_timeout_s: float | None = None) -> ScoreChunks:
    """Score on the cluster of `RAY_ADDRESS`, or on this machine where that is not set.

    `workers` actors, each with one CPU; 0 takes all CPUs. A reward that runs code gets one actor a node instead, with all
    CPUs of that node, since each actor holds a sandbox pool of its own. A row that hangs or kills its process is
    unjudged as on one machine; an actor or a node that dies is replaced and its blocks are scored again elsewhere.

    Raises:
        MissingExtraError: ray is not installed.
        IncompleteError: the cluster failed for good.
    """

    def score(batches: Iterable[list[Sample]]) -> Iterator[list[Score]]:
        ray = _ray()
        blocks = _blocks(batches)
        for window in iter(lambda: list(islice(blocks, WINDOW_BLOCKS)), []):
            try:
                yield from _score_window(ray, reward, window, workers, row_timeout_s)
            except ray.exceptions.RayError as error:
                raise IncompleteError(
                    f"the Ray cluster failed ({_first_line(error)}); continue with --resume"
                ) from None

    return score


def _blocks(batches: Iterable[list[Sample]]) -> Iterator[list[list[Sample]]]:
    iterator = iter(batches)
    return iter(lambda: list(islice(iterator, BLOCK_CHUNKS)), [])


def _score_window(
    ray: Any, reward: Reward, window: Sequence[list[list[Sample]]], workers: int, row_timeout_s: float | None
) -> Iterator[list[Score]]:
    """Run one pipeline over a window of blocks and give the scores of each chunk, in order."""
    data: Any = ray.data

    cpus, actors = placement(reward, workers, ray.nodes())
    items = [{"index": index, "payload": pickle.dumps(block)} for index, block in enumerate(window)]
    scored = data.from_items(items, override_num_blocks=len(items)).map_batches(
        BlockActor,
        batch_size=1,
        batch_format="pyarrow",
        zero_copy_batch=True,
        fn_constructor_args=(reward, row_timeout_s),
        compute=data.ActorPoolStrategy(size=min(actors, len(items))),
        num_cpus=cpus,
    )
    expected = count()
    for row in scored.iter_rows():
        index = next(expected)
        if row["index"] != index:
            raise IncompleteError(f"Ray gave block {row['index']} where block {index} was due; continue with --resume")
        results: list[list[Score]] = pickle.loads(row["payload"])  # noqa: S301 - written by our own actor
        if [len(scores) for scores in results] != [len(chunk) for chunk in window[index]]:
            raise IncompleteError(f"block {index} came back with another number of rows; continue with --resume")
        yield from results
    if next(expected) != len(window):
        raise IncompleteError(f"Ray lost blocks of {len(window)}; continue with --resume")


def placement(reward: Reward, workers: int, nodes: Sequence[dict[str, Any]]) -> tuple[float, int]:
    """CPUs for each actor and the number of actors, from what `ray.nodes()` says."""
    sizes = [int(node["Resources"].get("CPU", 0)) for node in nodes if node["Alive"]]
    sizes = [size for size in sizes if size >= 1]
    if not sizes:
        raise IncompleteError("no node of the Ray cluster has a CPU")
    if needs_sandbox(reward):
        cpus = min(sizes)
        places = sum(size // cpus for size in sizes)
    else:
        cpus, places = 1, sum(sizes)
    return cpus, min(workers, places) if workers else places


class BlockActor:
    """Holds the reward, in one process that can be killed, and scores block after block."""

    def __init__(self, reward: Reward, row_timeout_s: float | None) -> None:
        self._executor = Executor(reward, workers=1, row_timeout_s=row_timeout_s)

    def __call__(self, table: Any) -> Any:
        """One block in, its scores out."""
        pa: Any = importlib.import_module("pyarrow")
        chunks: list[list[Sample]] = pickle.loads(table["payload"][0].as_py())  # noqa: S301 - written by our own driver
        scores = list(self._executor.map(chunks))
        return pa.table({"index": table["index"], "payload": [pickle.dumps(scores)]})

    def __del__(self) -> None:
        executor = getattr(self, "_executor", None)
        if executor is not None:
            executor.close()


class ScoreTable:
    """For pipelines of your own: `dataset.map_batches(ScoreTable, fn_constructor_args=("math",), batch_format="pyarrow")`.

    Reading, scoring and writing then all happen on the workers, so that no driver is in the way. Columns are found by
    their usual names; each row becomes an output row of `rewardkit score`, with `parts` as JSON.
    """

    def __init__(self, reward: str, row_timeout_s: float | None = None) -> None:
        loaded = load(reward)
        self._score: Callable[[list[Sample]], list[Score]] = (
            partial(score_batch, loaded.score)
            if is_bounded(loaded)
            else Executor(loaded, row_timeout_s=row_timeout_s).score
        )

    def __call__(self, table: Any) -> Any:
        """Rows in, output rows out."""
        pa: Any = importlib.import_module("pyarrow")
        rows = [
            row
            for line, record in enumerate(table.to_pylist(), 1)
            for row in make_rows(record, f"row {line}", "row", line)
        ]
        samples = [row.sample for row in rows if row.sample is not None]
        judged = iter(self._score(samples))
        scores = [Score.unjudged(row.error or "") if row.sample is None else next(judged) for row in rows]
        records = [output_row(row, score) for row, score in zip(rows, scores, strict=True)]
        return pa.Table.from_pylist(
            [{**record, "parts": json.dumps(record["parts"])} for record in records], schema=_schema(pa)
        )


def _schema(pa: Any) -> Any:
    text, number = pa.string(), pa.float64()
    return pa.schema(
        [("id", text), ("data_source", text), ("accuracy", pa.int8()), ("score", number), ("reward", number), ("verdict", text),
         ("answer", text), ("reason", text), ("parts", text), ("elapsed_ms", number), ("error", text)]
    )  # fmt: skip


def _ray() -> Any:
    """Ray, connected, quiet, and told to keep the order."""
    try:
        ray: Any = importlib.import_module("ray")
        importlib.import_module("ray.data")
    except ImportError:
        raise MissingExtraError.of("--engine ray", "ray") from None
    if not ray.is_initialized():
        try:
            ray.init(log_to_driver=False, logging_level=logging.WARNING, include_dashboard=False)
        except (ConnectionError, ValueError) as error:
            raise UsageError(f"cannot reach the Ray cluster: {_first_line(error)}") from None
    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    return ray


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]
