"""The only place where an exception becomes `unjudged`: a failure of rewardkit has no value and is never a silent 0."""

from __future__ import annotations

import inspect
import os
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

from rewardkit.errors import RewardkitError, UsageError, describe_error
from rewardkit.types import Sample, Score

T = TypeVar("T")
Grade = Callable[[Sample], Score | Awaitable[Score]]


def grade_all(grade: Grade, samples: Sequence[Sample], *, concurrency: int = 32) -> list[Score]:
    """Grade each sample, in order. Async grades run together, at most `concurrency` at a time."""
    check_samples(samples)
    if _is_async(getattr(grade, "__func__", grade)):
        return run_coroutine(_grade_all_async(grade, samples, concurrency))
    return [_grade_one(grade, sample) for sample in samples]


@lru_cache(maxsize=256)
def _is_async(grade: Any) -> bool:
    return inspect.iscoroutinefunction(grade)


def check_samples(samples: Sequence[Any]) -> None:
    """Raise `UsageError` if something other than a `Sample` is given, such as a row of a file."""
    for sample in samples:
        if not isinstance(sample, Sample):
            raise UsageError(
                f"score takes rewardkit.Sample objects, not {type(sample).__name__}; make each with Sample(**row)"
            )


def score_batch(score: Callable[[Sequence[Sample]], list[Score]], samples: Sequence[Sample]) -> list[Score]:
    """Score a batch through a whole reward; one that raises or loses rows leaves the batch unjudged."""
    try:
        return check_scores(score(samples), len(samples))
    except Exception as error:  # noqa: BLE001 - the border: our failure becomes unjudged
        return [failure(error)] * len(samples)


def check_scores(scores: Iterable[Any], wanted: int) -> list[Score]:
    """What a whole reward gave, if that is a score for each sample.

    Raises:
        TypeError: something is no `Score`.
        ValueError: there are more scores or fewer than samples.
    """
    found = list(scores)
    if len(found) != wanted:
        raise ValueError(f"the reward gave {len(found)} scores for {wanted} samples")
    for score in found:
        if not isinstance(score, Score):
            raise TypeError(f"the reward gave {type(score).__name__}, not Score")
    return found


def failure(error: BaseException) -> Score:
    """The unjudged score for an exception: project errors keep their message, others also name their type and the user's line."""
    if isinstance(error, RewardkitError):
        return Score.unjudged(str(error))
    return Score.unjudged(f"{_place(error)}{describe_error(error)}")


def _place(error: BaseException) -> str:
    """The innermost line that is neither ours nor of an installed package, for the front of a reason; empty if there is none."""
    own = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__) if _is_users(frame.f_code)]
    if not own:
        return ""
    code, line = own[-1]
    return f"{Path(code.co_filename).name}:{line} in {code.co_qualname.partition('.<locals>')[0]}: "


def _is_users(code: CodeType) -> bool:
    file = code.co_filename
    return not file.startswith(_INSTALLED) and "-packages" not in file


_INSTALLED = ("<frozen", str(Path(__file__).parent), str(Path(os.__file__).parent))
"""How the files of this package and of Python begin."""


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to completion from synchronous code, even if this thread's event loop is running.

    What interrupts this thread or cancels its task ends the coroutine.
    """
    import asyncio  # a fifth of the import time of the whole package, and only async rewards need it
    from concurrent.futures import wait
    from queue import SimpleQueue

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    caller = asyncio.current_task()
    before = caller.cancelling() if caller else 0
    loops: SimpleQueue[asyncio.AbstractEventLoop] = SimpleQueue()

    async def outcome() -> tuple[list[T], BaseException | None]:
        try:
            return [await coroutine], None
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread and raised there
            return [], error

    def serve() -> None:
        with asyncio.Runner() as runner:  # at its end, it cancels what has not ended
            loops.put(runner.get_loop())
            runner.get_loop().run_forever()

    thread = threading.Thread(target=serve, name="rewardkit-async", daemon=True)
    thread.start()
    loop = loops.get()
    try:
        future = asyncio.run_coroutine_threadsafe(outcome(), loop)
        while not wait([future], LOOK_S).done:  # since the first Ctrl-C under `asyncio.run` only cancels the task
            if caller is not None and caller.cancelling() > before:
                raise asyncio.CancelledError
        found, end = future.result()
        if end is not None:
            raise end
        return found[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


LOOK_S = 0.1
"""How often a call from within an event loop looks whether its task was cancelled."""


def _grade_one(grade: Grade, sample: Sample) -> Score:
    start = time.perf_counter()
    try:
        score = _check_score(grade(sample))
    except Exception as error:  # noqa: BLE001 - the border: our failure becomes unjudged
        score = failure(error)
    return _timed(score, start)


async def _grade_all_async(grade: Grade, samples: Sequence[Sample], concurrency: int) -> list[Score]:
    import asyncio

    limit = asyncio.Semaphore(concurrency)

    async def one(sample: Sample) -> Score:
        async with limit:
            start = time.perf_counter()
            try:
                result = grade(sample)
                score = _check_score(await result if inspect.isawaitable(result) else result)
            except asyncio.CancelledError as error:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                score = failure(error)  # of something that the grade waited for
            except Exception as error:  # noqa: BLE001 - the border: our failure becomes unjudged
                score = failure(error)
            return _timed(score, start)

    return list(await asyncio.gather(*(one(sample) for sample in samples)))


def _check_score(score: Any) -> Score:
    if not isinstance(score, Score):
        raise TypeError(f"grade returned {type(score).__name__}, not Score")
    return score


def _timed(score: Score, start: float) -> Score:
    return score.timed(round((time.perf_counter() - start) * 1000, 3))
