"""Servers for tests."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator

import pytest
from live import SAME, TROUBLE, Server

NEEDS = ("msgspec", "uvicorn", "prometheus_client")


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    """Start servers that are stopped after the test."""
    _need_packages()
    servers: list[Server] = []

    def make(*args: str, ready: bool = True, **options: dict[str, str]) -> Server:
        servers.append(Server(*args, **options))
        if ready:
            servers[-1].wait_ready()
        return servers[-1]

    yield make
    for server in servers:
        server.stop(signal.SIGKILL)


@pytest.fixture(scope="session")
def shared() -> Iterator[Server]:
    """One server for all tests that leave it as it was."""
    _need_packages()
    server = Server(
        "-r", SAME, "-r", TROUBLE, "--workers", "2", "--row-timeout", "3", "--max-batch", "500", "--max-body", "100000"
    )
    server.wait_ready()
    yield server
    server.stop(signal.SIGKILL)


def _need_packages() -> None:
    for name in NEEDS:
        pytest.importorskip(name)
