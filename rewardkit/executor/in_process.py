"""Judge in this process, or in workers: the same calls for both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Self

from rewardkit.base import Reward
from rewardkit.executor.task import SAMPLES, Item, Result, Task
from rewardkit.executor.units import is_bounded

if TYPE_CHECKING:
    from rewardkit.executor.executor import Executor


@dataclass(frozen=True)
class InProcess(Generic[Item, Result]):
    """Judges in this process, when it is asked."""

    reward: Reward
    task: Task[Item, Result] = SAMPLES

    def score(self, items: Sequence[Item | bytes]) -> list[Result]:
        """The results of items, in order."""
        task = self.task
        return task.judge(self.reward, [task.from_line(item) if isinstance(item, bytes) else item for item in items])

    def map(self, batches: Iterable[Sequence[Item | bytes]]) -> Iterator[list[Result]]:
        """The results of all rows, in order, those of a batch at a time."""
        return map(self.score, batches)

    def close(self) -> None:
        """Nothing is left to end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass


def executor_for(
    reward: Reward,
    *,
    workers: int = 0,
    row_timeout_s: float | None = None,
    setup: Callable[[], None] | None = None,
    task: Task[Item, Result] = SAMPLES,
) -> Executor[Item, Result] | InProcess[Item, Result]:
    """Judges in `workers` processes. 0 chooses: this process for bounded rewards where no `row_timeout_s` is asked for, else one worker."""
    if workers == 0 and row_timeout_s is None and is_bounded(reward):
        return InProcess(reward, task)
    from rewardkit.executor.executor import Executor

    return Executor(
        reward, workers=max(1, workers), row_timeout_s=row_timeout_s, setup=setup, task=task, threaded=False
    )
