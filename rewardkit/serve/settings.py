"""The operator's settings: served rewards, tokens and limits."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from rewardkit.access import TOKEN_VARIABLE
from rewardkit.base import Reward, walk
from rewardkit.errors import UsageError
from rewardkit.rewards._patterns import problem_of
from rewardkit.run import reward_versions
from rewardkit.text import load

if TYPE_CHECKING:
    from rewardkit.serve.tokens import Token

MAX_PORT = 65_535
SLOW_SHARE = 0.25
"""Judging processes beside the others for rows that ran long, as a share of them."""
_OPTIONS = {
    "batch_rows": "--max-batch", "body_bytes": "--max-body", "queue_rows": "--queue", "connections": "--max-connections",
    "deadline_s": "--deadline", "row_timeout_s": "--row-timeout", "body_timeout_s": "--body-timeout",
    "head_timeout_s": "--head-timeout", "worker_memory_mb": "--worker-memory",
}  # fmt: skip
"""Limits as the command line calls them."""
_ALIAS = re.compile(r"^([A-Za-z_][\w.-]*)=(?!=)(.+)$", re.DOTALL)


@dataclass(frozen=True)
class Served:
    """One reward that callers may name: by `name`, or by its text form."""

    name: str
    text: str
    reward: Reward

    @cached_property
    def versions(self) -> dict[str, int]:
        """Version of each reward inside."""
        return reward_versions(self.reward)


@dataclass(frozen=True)
class Limits:
    """Bounds on what one caller, and all of them together, may ask for."""

    batch_rows: int = 16_384
    """Rows in one request; more is 413."""
    body_bytes: int = 64 * 2**20
    """Bytes of one request body; more is 413."""
    queue_rows: int = 65_536
    """Rows waiting or being judged, all requests together; more is 429 with Retry-After."""
    queue_bytes: int = 512 * 2**20
    """Bytes of request bodies held for these rows; more is 429 with Retry-After."""
    connections: int = 16_384
    """Open connections; more are answered 503."""
    deadline_s: float = 120.0
    """Time for one request. Rows that are not judged by then are `unjudged`, and their work ends."""
    row_timeout_s: float = 30.0
    """A row that keeps a worker longer than this is `unjudged`; the worker is killed and replaced."""
    body_timeout_s: float = 30.0
    """Time to send a request body; slower is 408."""
    head_timeout_s: float = 15.0
    """Time to send a request head, and for a new connection to say anything; slower is closed."""
    worker_memory_mb: int = 4_096
    """Address space of one worker; a row that needs more is `unjudged`."""
    worker_rows: int = 50_000
    """A worker is replaced after this many rows, so that what a judge leaks stays small."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < math.inf:
                raise UsageError(f"{_OPTIONS.get(name, name)} is {value:g}; give a number above 0")


@dataclass(frozen=True)
class Settings:
    """Everything one server needs to know. Never printed: it holds the tokens."""

    rewards: tuple[str, ...]
    """Texts, each `TEXT` or `name=TEXT`. The first is what a caller gets who names none."""
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 0
    """Judging processes in all; 0 takes one a CPU."""
    processes: int = 1
    """HTTP processes, which share the port and the workers."""
    tokens: tuple[Token, ...] = field(default=(), repr=False)
    """Accepted bearer tokens."""
    token_file: Path | None = None
    """The file that tokens are reloaded from on SIGHUP."""
    tls_cert: Path | None = None
    """Certificate chain in PEM; HTTPS instead of HTTP. Reloaded on SIGHUP, as is the key."""
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    """Callers need a certificate from one of these authorities."""
    sandbox: str | None = None
    """Sandbox of `/run_code` and of code rewards; None leaves `/run_code` out and code rewards to their own choice."""
    drain_s: float = 30.0
    """Time that requests under way get after SIGTERM."""
    access_log: bool = False
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if self.workers < 0 or self.processes < 1:
            raise UsageError("--workers is 0 or more, --processes 1 or more")
        if not 0 <= self.drain_s < math.inf:
            raise UsageError(f"--drain is {self.drain_s:g}; give a number of seconds, 0 or more")
        if not 0 <= self.port <= MAX_PORT:
            raise UsageError(f"--port is {self.port}; give a number from 0 to {MAX_PORT}")
        if not is_loopback(self.host) and not self.tokens:
            raise UsageError(
                f"{self.host} can be reached from other machines: set a token (--token-file FILE, or {TOKEN_VARIABLE}), "
                "or keep to --host 127.0.0.1"
            )
        if (self.tls_cert is None) != (self.tls_key is None) or (self.tls_client_ca and not self.tls_cert):
            raise UsageError("--tls-cert and --tls-key go together, and --tls-client-ca with both")

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that SIGHUP reloads."""
        return tuple(path for path in (self.token_file, self.tls_cert) if path is not None)

    @property
    def worker_count(self) -> int:
        """Judging processes that one HTTP process holds."""
        total = self.workers or os.cpu_count() or 1
        return max(1, -(-total // self.processes))

    @property
    def slow_worker_count(self) -> int:
        """Judging processes for slow rows, beside the others."""
        return max(1, round(self.worker_count * SLOW_SHARE))

    @property
    def boxes(self) -> int:
        """One for each judging process, so that no row that has a process waits for a box."""
        return self.processes * (self.worker_count + self.slow_worker_count)

    def load(self) -> tuple[Served, ...]:
        """The rewards, each under one name.

        Raises:
            UsageError: none is given, one cannot be read, or two share a name.
        """
        if not self.rewards:
            raise UsageError("no reward to serve: give at least one -r REWARD")
        served = [_read(text) for text in self.rewards]
        names = [entry.name for entry in served]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"two rewards are called {name!r}; give one another name: -r other=TEXT")
        return tuple(served)


def _read(text: str) -> Served:
    match = _ALIAS.match(text.strip())
    alias, body = (match[1], match[2]) if match else (None, text)
    reward = load(body)
    for pattern in (pattern for inner in walk(reward) for pattern in inner.patterns):
        if problem := problem_of(pattern):
            raise UsageError(
                f"{reward.text}: pattern {pattern!r} has {problem}, so that one completion could take hours; "
                "write the inner one as an atomic group (`(?>...)`)"
            )
    return Served(alias or reward.text, reward.text, reward)


def places_of(served: Sequence[Served]) -> dict[str, int]:
    """Where the rewards are that callers may ask for, by exact names and texts. What a caller sends is compared, never read."""
    places: dict[str, int] = {}
    for place, entry in enumerate(served):
        for key in (entry.name, entry.text, "".join(entry.text.split())):
            places.setdefault(key, place)
    return places


def is_loopback(host: str) -> bool:
    """True if only this machine can connect to an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
