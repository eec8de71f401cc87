"""math-verify as the second verifier, in a process that can be killed: it hangs on some inputs and must not be run in threads."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import logging
import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from rewardkit.base import Reward
from rewardkit.errors import MissingExtraError
from rewardkit.text import load
from rewardkit.types import Sample, Score, Verdict

TIMEOUT_S = 10.0
"""A pair that takes longer is `time_limit`, and its process is killed."""


@dataclass(frozen=True)
class MathVerify(Reward):
    """1 where math-verify finds the completion equal to the ground truth. Not registered: it serves to compare with."""

    name: ClassVar[str] = "math_verify"
    source: ClassVar[str] = "math-verify 0.9, default configuration"

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Verify one after the other in a worker process."""
        pool = _pool()
        futures = [pool.schedule(_verify, (s.completion, str(s.ground_truth)), timeout=TIMEOUT_S) for s in samples]
        return [_result(future) for future in futures]


@cache
def _pool() -> Any:
    """One worker for the life of this process: starting it costs seconds."""
    try:
        pebble: Any = importlib.import_module("pebble")
    except ImportError:
        raise MissingExtraError.of("--second math_verify", "math") from None
    pool = pebble.ProcessPool(max_workers=1, context=multiprocessing.get_context("spawn"), initializer=_get_ready)
    atexit.register(_stop, pool)
    return pool


def _get_ready() -> None:
    """In a fresh worker: load what takes seconds before the clock of a pair runs."""
    with contextlib.suppress(ImportError):  # each pair will say so
        library: Any = importlib.import_module("math_verify")
        library.parse("$1$", parsing_timeout=None)  # it loads its grammar with the first text


def _stop(pool: Any) -> None:
    pool.stop()
    pool.join()


def second_verifier(text: str) -> Reward | None:
    """The second verifier by its name: `none`, `math_verify`, or the text form of a reward."""
    if text == "none":
        return None
    return MathVerify() if text == "math_verify" else load(text)


def _verify(completion: str, truth: str) -> float | None:
    logging.disable(logging.WARNING)  # it warns on each call that its own timeouts are off
    library: Any = importlib.import_module("math_verify")
    gold = library.parse(f"${truth}$" if "$" not in truth and "\\boxed" not in truth else truth, parsing_timeout=None)
    if not gold:
        return None
    return float(bool(library.verify(gold, library.parse(completion, parsing_timeout=None), timeout_seconds=None)))


def _result(future: Any) -> Score:
    try:
        value = future.result()
    except TimeoutError:
        return Score.of(0, verdict=Verdict.TIME_LIMIT, reason=f"math-verify took longer than {TIMEOUT_S:g} s")
    except Exception as error:  # noqa: BLE001 - the border to another project's process: whatever it raised is unjudged
        return Score.unjudged(f"math-verify: {type(error).__name__}: {error}")
    return Score.unjudged("math-verify cannot read the ground truth") if value is None else Score.of(value)
