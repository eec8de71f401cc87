"""Judge samples in worker processes. Each row has a time and memory limit, and the loss of a worker affects only its row."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rewardkit.executor.in_process import InProcess, executor_for
from rewardkit.executor.task import SAMPLES, Item, Result, Task
from rewardkit.executor.units import (
    ROW_TIMEOUT_HELP,
    ROW_TIMEOUT_S,
    SANDBOX_ROW_TIMEOUT_S,
    SANDBOX_VARIABLE,
    check_row_timeout,
    choose_sandbox,
    default_row_timeout_s,
    is_bounded,
    is_by_row,
    is_independent,
    needs_sandbox,
)

if TYPE_CHECKING:
    from rewardkit.executor.executor import Executor
    from rewardkit.executor.job import Job

__all__ = [
    "ROW_TIMEOUT_HELP",
    "ROW_TIMEOUT_S",
    "SAMPLES",
    "SANDBOX_ROW_TIMEOUT_S",
    "SANDBOX_VARIABLE",
    "Executor",
    "InProcess",
    "Item",
    "Job",
    "Result",
    "Task",
    "check_row_timeout",
    "choose_sandbox",
    "default_row_timeout_s",
    "executor_for",
    "is_bounded",
    "is_by_row",
    "is_independent",
    "needs_sandbox",
]


def __getattr__(name: str) -> Any:
    """What starts processes is imported when it is used: most runs judge in their own process."""
    if name not in {"Executor", "Job"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{name.lower()}"), name)
