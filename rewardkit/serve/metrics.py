"""Prometheus metrics. One registry per app; with several HTTP processes, their shared files are added up."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import product
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from rewardkit.types import Verdict

CONTENT_TYPE = CONTENT_TYPE_LATEST
SHARED_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Set by the process that starts the others; prometheus_client reads it when it is imported."""
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """All counters of one server. Labels are names that the operator chose, never what a caller sent. A caller is a token."""

    def __init__(self, names: Sequence[str]) -> None:
        self.registry = CollectorRegistry()
        own: dict[str, Any] = {"registry": self.registry}
        live: dict[str, Any] = {**own, "multiprocess_mode": "livesum"}
        self.requests = Counter("rewardkit_requests", "Answered requests.", ["route", "status"], **own)
        self.seconds = Histogram("rewardkit_request_seconds", "Time to answer.", ["route"], buckets=_SECONDS, **own)
        self.rows = Counter("rewardkit_rows", "Scored rows.", ["reward", "verdict"], **own)
        self.caller_requests = Counter(
            "rewardkit_caller_requests", "Answered requests of a token.", ["caller", "status"], **own
        )
        self.caller_rows = Counter("rewardkit_caller_rows", "Scored rows of a token.", ["caller", "verdict"], **own)
        self.queue_rows = Gauge("rewardkit_queue_rows", "Rows admitted and not yet scored.", **live)
        self.queue_requests = Gauge("rewardkit_queue_requests", "Scoring requests in progress.", **live)
        self.rejected = Counter("rewardkit_rejected", "Requests refused.", ["why"], **own)
        self.expired = Counter("rewardkit_expired", "Requests that reached their deadline.", **own)
        self.workers = Gauge("rewardkit_workers", "Running judging processes.", **live)
        self.restarts = Counter("rewardkit_worker_restarts", "Judging processes replaced.", ["cause"], **own)
        self.runs = Counter("rewardkit_sandbox_runs", "Programs run for /run_code.", ["outcome"], **own)
        for name, verdict in product(names, Verdict):
            self.rows.labels(name, verdict.value)  # it is 0 until there are some

    def queue(self, rows: int, requests: int) -> None:
        """What is under way in this process; any of several may be the one that is asked."""
        self.queue_rows.set(rows)
        self.queue_requests.set(requests)

    def render(self) -> bytes:
        """The text that Prometheus reads."""
        if SHARED_VARIABLE not in os.environ:
            return generate_latest(self.registry)
        shared = CollectorRegistry()
        multiprocess.MultiProcessCollector(shared)
        return generate_latest(shared)
