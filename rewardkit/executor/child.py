"""The worker process: reads units of rows, judges them, and may be killed at any time."""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import resource
import signal
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rewardkit.base import Reward
from rewardkit.executor.budget import ROW
from rewardkit.executor.protocol import PUT_OFF, Frames, pack_lines, unpack_units
from rewardkit.executor.start import forget_fork_server
from rewardkit.executor.task import SAMPLES, Task
from rewardkit.processes import die_with_parent, unblock_signals

READY = b"+"
"""Sent by a worker once it can take jobs."""
FLUSH_S = 0.01
"""Results are handed over when the oldest of them has waited this long, and at the end of a job."""


@dataclass(frozen=True)
class WorkerConfig:
    """Settings of a worker process."""

    rewards: tuple[Reward, ...]
    memory_mb: int | None
    """Address space of the process; None for no bound of its own, where sandboxes bound the work."""
    setup: Callable[[], None] | None = None
    """Called once in the process, before its first row."""
    task: Task[Any, Any] = SAMPLES


class Progress:
    """Which row a worker is at, since when, and what programs took: memory that it shares with its parent, so that nothing need be
    sent a row.
    """

    SIZE = 24
    _UNIT = struct.Struct("q")  # native: written and read at once
    _SINCE = struct.Struct("d")

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, self.SIZE)

    def begin(self, unit: int) -> None:
        """A unit begins now. The time is written first: a reader in between sees the unit before as younger, never as older."""
        self._SINCE.pack_into(self._memory, 8, time.monotonic())
        self._UNIT.pack_into(self._memory, 0, unit)

    def read(self) -> tuple[int, float]:
        """The unit under way, counted from the start of the worker, and when it began."""
        return self._UNIT.unpack_from(self._memory, 0)[0], self._SINCE.unpack_from(self._memory, 8)[0]

    def spend(self, cpu_s: float) -> None:
        """Note what the programs of all rows took so far."""
        self._SINCE.pack_into(self._memory, 16, cpu_s)

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the programs of all rows so far, as the worker says."""
        return self._SINCE.unpack_from(self._memory, 16)[0]

    def close(self) -> None:
        """Release the shared memory."""
        self._memory.close()


def main(channel: socket.socket, progress_fd: Any, config: WorkerConfig) -> None:
    """Serve jobs until the socket closes."""
    progress = Progress(progress_fd.detach())
    _settle(config)
    if config.setup is not None:
        config.setup()
    gc.freeze()  # what was imported stays, and need not be looked through for garbage
    started, task = 0, config.task
    with channel, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        channel.sendall(READY)
        frames = Frames(channel)
        while (lines := frames.receive()) is not None:
            waiting: list[bytes] = []
            flushed = time.monotonic()
            place, budget_s, units = unpack_units(lines)
            reward = config.rewards[place]
            for unit in units:
                progress.begin(started)
                started += 1
                ROW.begin(budget_s)
                results = task.judge(reward, [task.from_line(line) for line in unit])
                waiting += [PUT_OFF] * len(unit) if ROW.used_up else map(task.result_line, results)
                if time.monotonic() - flushed > FLUSH_S:
                    channel.sendall(pack_lines(waiting))
                    waiting, flushed = [], time.monotonic()
            progress.spend(ROW.spent_s)
            if waiting:
                channel.sendall(pack_lines(waiting))


def _settle(config: WorkerConfig) -> None:
    """A process group of its own, which ends with the parent, is bounded in memory, and leaves Ctrl-C and stdout to the parent."""
    with contextlib.suppress(OSError):
        os.setsid()
    forget_fork_server()  # it ends with the parent, and we with it
    die_with_parent(signal.SIGKILL, is_fork_server=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    unblock_signals()
    with contextlib.suppress(OSError):
        os.dup2(2, 1)  # what a reward prints is talk, not data
    if config.memory_mb is not None:
        limit = config.memory_mb * 2**20
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
