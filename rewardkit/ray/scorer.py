"""`Scorer`: a callable class that Ray Data keeps in actors and that adds the judgement to each batch of rows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from rewardkit.base import Reward
from rewardkit.code.shared import SANDBOX_VARIABLE
from rewardkit.data.rows import Columns
from rewardkit.data.tables import extend_table
from rewardkit.executor import Executor, is_bounded, needs_sandbox
from rewardkit.grading import score_batch
from rewardkit.import_guard import import_ours
from rewardkit.text import load
from rewardkit.types import Sample, Score

if TYPE_CHECKING:
    from rewardkit.ray.node_sandbox import NodeSandbox


class Scorer:
    """Judges batches of rows in a Ray actor: `ds.map_batches(Scorer, fn_constructor_kwargs={"reward": "math"}, concurrency=8)`.

    A batch (an Arrow table, a pandas frame, or numpy columns, which come back as an Arrow table) keeps its columns and gets
    those of `reward.score_table`: `reward`, `reward_accuracy`, `reward_score`, `reward_verdict`, `reward_answer`,
    `reward_reason`. A reward that bounds its own time and memory is judged in the actor, any other in a process beside
    it that is killed and replaced if a row hangs or takes too much memory.

    Args:
        reward: its text form, or a reward.
        columns: names of the columns if they are not the usual ones.
        prefix: first part of the names of the new columns.
        row_timeout_s: seconds for one row; by default 60, or 1800 for rewards that run code.
        sandbox: where code runs: auto, docker, local, remote:URL or unsafe.
    """

    def __init__(
        self,
        reward: Reward | str,
        *,
        columns: Columns | None = None,
        prefix: str = "reward",
        row_timeout_s: float | None = None,
        sandbox: str | None = None,
    ) -> None:
        if sandbox is not None:
            os.environ[SANDBOX_VARIABLE] = sandbox
        self._reward = load(reward) if isinstance(reward, str) else reward
        self._columns = columns or Columns()
        self._prefix = prefix
        self._pool = _node_sandbox() if needs_sandbox(self._reward) else None
        setup = None if self._pool is None else self._pool.setup
        self._executor = (
            None if is_bounded(self._reward) else Executor(self._reward, row_timeout_s=row_timeout_s, setup=setup)
        )

    def __call__(self, batch: Any) -> Any:
        """The batch with the new columns."""
        if isinstance(batch, Mapping):
            batch = _arrow(cast("Mapping[str, Any]", batch))
        return extend_table(
            lambda samples: next(self.scores([list(samples)])), batch, columns=self._columns, prefix=self._prefix
        )

    def scores(self, chunks: Iterable[list[Sample]]) -> Iterator[list[Score]]:
        """The scores of lists of samples, in order. The samples of one list are judged together."""
        if self._executor is None:
            return (score_batch(self._reward.score, chunk) for chunk in chunks)
        return self._executor.map(chunks)

    def close(self) -> None:
        """End the process beside this one, and leave the node's sandbox pool to other actors."""
        if self._executor is not None:
            self._executor.close()
        if self._pool is not None:
            self._pool.close()

    def __del__(self) -> None:
        if hasattr(self, "_executor"):
            self.close()


def _node_sandbox() -> NodeSandbox | None:
    """A share in the sandbox pool of this node; None outside of Ray."""
    ray: Any = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return None
    import_ours("sandboxes")
    from rewardkit.ray.node_sandbox import NodeSandbox

    return NodeSandbox.of_actor(ray)


def _arrow(columns: Mapping[str, Any]) -> Any:
    """An Arrow table of Ray's default batches: one numpy array a column."""
    pa: Any = import_module("pyarrow")
    return pa.table({name: pa.array(list(values)) for name, values in columns.items()})
