"""A port for a server that is told its port and comes up later."""

from __future__ import annotations

import random
import socket


def free_port() -> int:
    """One that nobody holds, below those the kernel hands out: no connection of anybody takes it before its server does."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with socket.socket() as sock:
            try:
                sock.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("none of 100 ports is free")
