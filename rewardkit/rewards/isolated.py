"""A reward judged in worker processes of its own, where it can be killed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from rewardkit.base import Explanation, Reward, take_functions
from rewardkit.errors import UsageError
from rewardkit.executor import Executor, check_row_timeout
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class Isolated(Reward):
    """The reward, judged in worker processes: a row that hangs, crashes or takes all memory is `unjudged` and costs no other row.

    For trainers, which call rewards in their own process: wrap a reward of your own that might not end. `rewardkit score`, the harness and
    `rewardkit serve` judge such rewards in workers by themselves. The processes start at the first call, and end with the object or
    the program. The reward must be importable: a class or function of a module or file. Rows go there as JSON: facts in `extra_info`
    that have no such form, as images, are left out; a ground truth without one leaves its row `unjudged`.
    """

    name: ClassVar[str] = "isolated"
    needs: ClassVar[tuple[str, ...]] = ()
    bounded: ClassVar[bool] = True
    row_wise: ClassVar[bool] = True

    reward: Reward = field(kw_only=False)
    """The reward to judge in worker processes."""
    row_timeout_s: float | None = None
    """Seconds for one row. None: 60, or 1800 for rewards that run code."""
    workers: int = 1
    """Number of worker processes. A row that hangs keeps one until its time is up."""

    def __post_init__(self) -> None:
        take_functions(self, "reward")
        check_row_timeout(self.row_timeout_s, "isolated: row_timeout_s")
        if self.workers < 1:
            raise UsageError(f"isolated: workers={self.workers}; give 1 or more")

    def __getstate__(self) -> dict[str, Any]:
        """The options, without the processes."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def label(self) -> str:
        """The label of the reward."""
        return self.reward.label

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """The scores of the reward."""
        return self._executor().score(samples)

    def explain(self, sample: Sample) -> Explanation:
        """The score alone: how it came about stays in the worker."""
        return Explanation(self.text, self.score([sample])[0])

    def _executor(self) -> Executor:
        """The executor of this process; a fork gets its own."""
        key = f"_of_{os.getpid()}"
        executor = vars(self).get(key)
        if executor is None:
            executor = Executor(self.reward, workers=self.workers, row_timeout_s=self.row_timeout_s)
            executor = vars(self).setdefault(key, executor)  # another thread may have been faster
        return executor
