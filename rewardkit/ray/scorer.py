"""`Scorer`: a callable class that Ray Data keeps in actors and that adds the judgement to each batch of rows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Generic

from rewardkit.base import Reward
from rewardkit.data.rows import Columns
from rewardkit.data.tables import extend_table
from rewardkit.errors import UsageError
from rewardkit.executor import SAMPLES, Item, Result, Task, choose_sandbox, executor_for, needs_sandbox
from rewardkit.text import load
from rewardkit.types import Sample, Score

if TYPE_CHECKING:
    from rewardkit.ray.node_sandbox import NodeSandbox


class Actor(Generic[Item, Result]):
    """What actors have in common: a reward that is judged in the actor if it bounds its own time and memory, else in a process
    beside it, and a share in the sandbox pool of the node if it runs code.
    """

    def __init__(
        self, reward: Reward, *, task: Task[Item, Result], row_timeout_s: float | None, sandbox: str | None
    ) -> None:
        choose_sandbox(sandbox)
        self._pool = _node_sandbox() if needs_sandbox(reward) else None
        setup = None if self._pool is None else self._pool.setup
        self._executor = executor_for(reward, row_timeout_s=row_timeout_s, setup=setup, task=task)

    def close(self) -> None:
        """End the process beside this one, and leave the node's sandbox pool to other actors."""
        self._executor.close()
        if self._pool is not None:
            self._pool.close()

    def __del__(self) -> None:
        if hasattr(self, "_executor"):
            self.close()


class Scorer(Actor[Sample, Score]):
    """Judges batches of rows in a Ray actor: `ds.map_batches(Scorer, fn_constructor_kwargs={"reward": "math"}, concurrency=8)`.

    A batch (an Arrow table, a pandas frame, or numpy columns, whose new columns are Arrow arrays) keeps its columns and gets
    those of `reward.score_table`: `reward`, `reward_accuracy`, `reward_score`, `reward_verdict`, `reward_answer`,
    `reward_reason`. A reward that bounds its own time and memory is judged in the actor, any other in a process beside
    it that is killed and replaced if a row hangs or takes too much memory.

    Args:
        reward: its text form, or a reward.
        columns: names of the columns if they are not the usual ones.
        prefix: first part of the names of the new columns.
        row_timeout_s: seconds for one row; by default 60, or 1800 for rewards that run code.
        sandbox: where code runs: auto, docker, local, remote:URL or unsafe.
        whole_groups: every batch holds whole groups: `ds.groupby("prompt").map_groups(Scorer, ...)`.

    Raises:
        UsageError: the reward compares the completions of a group, and batches may cut groups.
    """

    def __init__(
        self,
        reward: Reward | str,
        *,
        columns: Columns | None = None,
        prefix: str = "reward",
        row_timeout_s: float | None = None,
        sandbox: str | None = None,
        whole_groups: bool = False,
    ) -> None:
        loaded = load(reward) if isinstance(reward, str) else reward
        if loaded.compares_groups() and not whole_groups:
            raise UsageError(
                f"reward {loaded.text!r} compares the completions of a group, which batches may cut: use "
                'ds.groupby("prompt").map_groups(Scorer, ...) with whole_groups=True'
            )
        super().__init__(loaded, task=SAMPLES, row_timeout_s=row_timeout_s, sandbox=sandbox)
        self._columns, self._prefix = columns or Columns(), prefix

    def __call__(self, batch: Any) -> Any:
        """The batch with the new columns."""
        return extend_table(self._executor.score, batch, columns=self._columns, prefix=self._prefix)


def _node_sandbox() -> NodeSandbox | None:
    """A share in the sandbox pool of this node; None outside of Ray."""
    ray: Any = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return None
    from rewardkit.ray.node_sandbox import NodeSandbox

    return NodeSandbox.of_actor(ray)
