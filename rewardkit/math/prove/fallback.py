"""Ask math-verify and sympy, in a worker that can be killed, where our grammar or our proof ends. Off by default."""

from __future__ import annotations

import importlib
import threading
from typing import Any

from rewardkit.math.latex.lexer import tokenize
from rewardkit.math.latex.tree import LimitError, ParseError
from rewardkit.workers import WorkerDiedError, Workers, WorkerTimeoutError

WALL_S = 3.0
"""Longer work is given up: the answer stays as it was judged."""

_shared: Workers | None = None
_lock = threading.Lock()


def math_verify_accepts(
    gold: str, answer: str, *, wall_s: float = WALL_S, workers: Workers | None = None
) -> bool | None:
    """Whether math-verify takes `answer` for `gold`; None where it cannot say in time, or our lexer refuses a text."""
    try:
        tokenize(gold)
        tokenize(answer)
        return (workers or _workers()).run(accepted_in_worker, gold, answer, wall_s=wall_s)
    except (ParseError, LimitError, RecursionError, WorkerTimeoutError, WorkerDiedError):
        return None


def accepted_in_worker(gold: str, answer: str) -> bool:
    """In the worker: parse both as LaTeX (no Python expression is evaluated) and compare."""
    library: Any = importlib.import_module("math_verify")
    config = [library.LatexExtractionConfig()]
    read = [library.parse(f"${text}$", extraction_config=config, parsing_timeout=None) for text in (gold, answer)]
    return bool(library.verify(*read, timeout_seconds=None))


def _workers() -> Workers:
    global _shared  # noqa: PLW0603  (one warm worker for the whole process)
    with _lock:
        if _shared is None:
            _shared = Workers(1)
        return _shared


def close() -> None:
    """End the shared worker."""
    global _shared
    with _lock:
        workers, _shared = _shared, None
    if workers is not None:
        workers.close()
