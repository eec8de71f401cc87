"""CPU work with a deadline that ends the work: processes that are killed when they take too long or too much."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from rewardkit.errors import RewardkitError

T = TypeVar("T")
P = ParamSpec("P")

DEFAULT_MEMORY_MB = 1_024
"""Address space of a worker. sympy needs about 150 MB."""

RECYCLE_AFTER = 2_000
"""A worker is replaced after so many calls, so that nothing it caches grows for ever."""


class WorkerTimeoutError(RewardkitError, TimeoutError):
    """The call took longer than its deadline; its process is dead."""


class WorkerDiedError(RewardkitError):
    """The process died (killed for memory, crashed) before the call came back."""


class Workers:
    """A few spawned processes. A call that passes its deadline is killed with its process, which is then replaced.

    The processes start with the first call and end with `close` (or the `with` block). Calls may come from any thread.
    """

    def __init__(self, count: int = 1, *, memory_mb: int | None = DEFAULT_MEMORY_MB) -> None:
        self.count = count
        self.memory_mb = memory_mb
        self._pool: Any = None
        self._lock = threading.Lock()

    def run(self, function: Callable[P, T], /, *args: Any, wall_s: float = 5.0) -> T:
        """`function(*args)` in a worker. Raises WorkerTimeoutError, WorkerDiedError, or what the function raised.

        The function and its arguments must be importable and picklable.
        """
        from concurrent.futures.process import BrokenProcessPool

        from pebble import ProcessExpired

        future = self._started().schedule(function, args=args, timeout=wall_s)
        try:
            result: T = future.result()
        except concurrent.futures.TimeoutError:
            raise WorkerTimeoutError(f"no result within {wall_s:g} s") from None
        except BrokenProcessPool as error:
            self.close()
            raise WorkerDiedError(str(error)) from None
        except MemoryError:
            raise WorkerDiedError(f"more than {self.memory_mb} MB of memory") from None
        except ProcessExpired:
            raise WorkerDiedError("the worker process died") from None
        return result

    def close(self) -> None:
        """End all processes now."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()
            pool.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _started(self) -> Any:
        with self._lock:
            if self._pool is None:
                from pebble import ProcessPool

                context: Any = multiprocessing.get_context("spawn")
                self._pool = ProcessPool(
                    max_workers=self.count,
                    max_tasks=RECYCLE_AFTER,
                    context=context,
                    initializer=_limit_memory,
                    initargs=[self.memory_mb],
                )
            return self._pool


def _limit_memory(memory_mb: int | None) -> None:
    """In a fresh worker: bound its address space, and its numerical libraries to one thread."""
    os.environ["OMP_NUM_THREADS"] = "1"
    if memory_mb is None:
        return
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        limit = memory_mb * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
