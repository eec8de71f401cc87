"""Ask math-verify and sympy, in a worker that can be killed, where our grammar or our proof ends. Off by default."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardkit.base import SampleReward
from rewardkit.executor import Executor
from rewardkit.math.latex.lexer import tokenize
from rewardkit.math.latex.tree import LimitError, ParseError
from rewardkit.processes import fork_safe_lock
from rewardkit.types import Sample, Score

WALL_S = 3.0
"""Longer work is given up: the answer stays as it was judged."""
MEMORY_MB = 1_024
"""Address space of the worker. sympy needs about 150 MB."""

_shared: dict[int, Executor] = {}
"""One warm worker for the whole process: a forked child starts its own."""
_lock = fork_safe_lock()


@dataclass(frozen=True)
class Equal(SampleReward):
    """1 where math-verify takes the completion for the ground truth, both as LaTeX: no Python expression is evaluated."""

    name: ClassVar[str] = "math_verify_equal"

    def grade(self, sample: Sample) -> Score:
        """Parse both and compare."""
        library: Any = importlib.import_module("math_verify")
        config = [library.LatexExtractionConfig()]
        texts = (sample.ground_truth, sample.completion)
        read = [library.parse(f"${text}$", extraction_config=config, parsing_timeout=None) for text in texts]
        return Score.of(bool(library.verify(*read, timeout_seconds=None)))


def math_verify_accepts(gold: str, answer: str, *, executor: Executor | None = None) -> bool | None:
    """Whether math-verify takes `answer` for `gold`; None where it cannot say in time, or our lexer refuses a text."""
    try:
        tokenize(gold)
        tokenize(answer)
    except (ParseError, LimitError, RecursionError):
        return None
    (score,) = (executor or _executor()).score([Sample(completion=answer, ground_truth=gold)])
    return None if score.value is None else score.value == 1


def _executor() -> Executor:
    with _lock:
        if os.getpid() not in _shared:
            _shared[os.getpid()] = Executor(Equal(), row_timeout_s=WALL_S, memory_mb=MEMORY_MB)
        return _shared[os.getpid()]
