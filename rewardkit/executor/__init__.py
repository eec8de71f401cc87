"""Judge samples in worker processes. Each row has a time and memory limit, and the loss of a worker affects only its row."""

from rewardkit.executor.executor import Executor
from rewardkit.executor.job import Job
from rewardkit.executor.protocol import Row
from rewardkit.executor.scorer import ScoreChunks, score_here, scorer
from rewardkit.executor.units import (
    ROW_TIMEOUT_HELP,
    ROW_TIMEOUT_S,
    SANDBOX_ROW_TIMEOUT_S,
    check_row_timeout,
    default_row_timeout_s,
    is_bounded,
    is_by_row,
    is_independent,
    needs_sandbox,
)

__all__ = [
    "ROW_TIMEOUT_HELP",
    "ROW_TIMEOUT_S",
    "SANDBOX_ROW_TIMEOUT_S",
    "Executor",
    "Job",
    "Row",
    "ScoreChunks",
    "check_row_timeout",
    "default_row_timeout_s",
    "is_bounded",
    "is_by_row",
    "is_independent",
    "needs_sandbox",
    "score_here",
    "scorer",
]
