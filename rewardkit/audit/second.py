"""math-verify as the second verifier, in a process that can be killed: it hangs on some inputs and must not be run in threads."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import importlib.util
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from rewardkit.base import Reward, SampleReward, Weighted, walk
from rewardkit.errors import GroundTruthError, MissingExtraError
from rewardkit.executor import Executor
from rewardkit.text import load
from rewardkit.types import Sample, Score

TIMEOUT_S = 10.0
"""A pair that takes longer is unjudged, and its process is killed."""


@dataclass(frozen=True)
class MathVerify(Reward):
    """1 if math-verify finds the completion equal to the ground truth. Not registered: it serves to compare with."""

    name: ClassVar[str] = "math_verify"
    source: ClassVar[str] = "math-verify 0.9, default configuration"
    bounded: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse to exist without the package."""
        if importlib.util.find_spec("math_verify") is None:
            raise MissingExtraError.of("--second math_verify", "math")

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Verify one after the other in a worker process."""
        return _executor().score([Sample(completion=s.completion, ground_truth=str(s.ground_truth)) for s in samples])


@dataclass(frozen=True)
class _Verify(SampleReward):
    name: ClassVar[str] = "math_verify_row"

    def grade(self, sample: Sample) -> Score:
        library: Any = importlib.import_module("math_verify")
        truth = sample.ground_truth
        gold = library.parse(
            f"${truth}$" if "$" not in truth and "\\boxed" not in truth else truth, parsing_timeout=None
        )
        if not gold:
            raise GroundTruthError("math-verify cannot read the ground truth")
        answer = library.parse(sample.completion, parsing_timeout=None)
        return Score.of(bool(library.verify(gold, answer, timeout_seconds=None)))


@cache
def _executor() -> Executor:
    """One worker for the life of this process: starting it costs seconds."""
    executor = Executor(_Verify(), row_timeout_s=TIMEOUT_S, setup=_get_ready)
    atexit.register(executor.close)
    return executor


def _get_ready() -> None:
    """In a fresh worker: load what takes seconds before the clock of a pair runs."""
    logging.disable(logging.WARNING)  # it warns on each call that its own timeouts are off
    with contextlib.suppress(ImportError):  # each pair will say so
        library: Any = importlib.import_module("math_verify")
        library.parse("$1$", parsing_timeout=None)  # it loads its grammar with the first text


BOXED = frozenset({"math", "boxed_accuracy", "dapo_math"})
"""Rewards whose completions `dapo_math` can read, too."""


def default_second(reward: Reward) -> str:
    """The second verifier where none is named: `dapo_math` if the outcome is boxed mathematics, else none, since it would find no answer."""
    return "dapo_math" if is_boxed(reward) else "none"


def is_boxed(reward: Reward, sample: Sample | None = None) -> bool:
    """Whether the outcome is boxed mathematics: that of the sample, or that of any."""
    outcome = reward.terms[0][1] if isinstance(reward, Weighted) else reward
    return any(inner.name in BOXED for inner in walk(outcome, sample))


def second_verifier(text: str) -> Reward | None:
    """The second verifier by its name: `none`, `math_verify`, or the text form of a reward."""
    if text == "none":
        return None
    return MathVerify() if text == "math_verify" else load(text)
