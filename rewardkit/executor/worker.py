"""One worker process from the side of its parent: start it, hand it units, take the results, end it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import socket
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import reduction
from pathlib import Path
from pickle import PicklingError
from typing import Any, Literal

from rewardkit.base import walk
from rewardkit.errors import RewardkitError, UsageError, describe_error
from rewardkit.executor import child
from rewardkit.executor.child import READY, Progress, WorkerConfig
from rewardkit.executor.protocol import PUT_OFF, Frames, pack_units
from rewardkit.executor.start import NEEDS_MAIN, Process, WithoutMain, make_socket_folder, needs_main, start_lock
from rewardkit.python_file import place_of

START_TIMEOUT_S = 120.0
"""A worker that is not ready by then is killed; heavy imports on a busy machine take many seconds."""
MOST_BYTES = 1 << 30
"""A longer answer is none of a worker's."""
MOST_PIECES = 16
"""So many pieces of an answer are taken at once: a worker that sends without end keeps nobody from the others."""
_MEMORY_LOOK_S = 0.5
"""How often the memory of a worker is looked at, between its jobs."""

Cause = Literal["died", "timeout", "left", "slow", "garbled"]
"""`timeout`: the unit took too long, and is to blame. `slow`: it is to be done elsewhere. `left`: nobody waits for it.
`garbled`: a reward wrote over what its process says."""


class WorkerLostError(RewardkitError):
    """The worker is gone. `unit` is the place of the unit that it was at among those handed over; None if it had begun none."""

    def __init__(self, reason: str, unit: int | None, *, cause: Cause = "died") -> None:
        super().__init__(reason)
        self.unit, self.cause = unit, cause


@dataclass
class _Turn:
    """Units that were handed over together. `base`: how many the process had begun before; `sent`: when they were."""

    units: Sequence[Sequence[bytes]]
    row_timeout_s: float
    base: int
    sent: float
    left: int = field(init=False)
    """Rows without a result."""

    def __post_init__(self) -> None:
        self.left = sum(map(len, self.units))


class Worker:
    """A process with a reward in it. It is used by one thread at a time; `kill` may come from any. Nothing waits but its start and end.

    A reward can write over all that its process says, so what cannot be true is not believed.
    """

    def __init__(self, config: WorkerConfig) -> None:
        try:
            with contextlib.ExitStack() as failed:
                self._start(config, failed)
                failed.pop_all()
        except (OSError, EOFError) as error:  # the fork server that could not fork ends, which is the second
            raise WorkerLostError(f"a worker process did not start ({describe_error(error)})", None) from error

    def _start(self, config: WorkerConfig, failed: contextlib.ExitStack) -> None:
        context: Any = multiprocessing.get_context("forkserver")
        self._memory_mb, self._task = config.memory_mb, config.task
        self._looked = self._heard = 0.0
        ours, theirs = socket.socketpair()
        failed.callback(ours.close)
        with tempfile.TemporaryFile() as shared, theirs:
            os.pwrite(shared.fileno(), bytes(Progress.SIZE), 0)  # who reads a hole gets a SIGBUS where a tmpfs is full
            self._progress = Progress(shared.fileno())
            failed.callback(self._progress.close)
            self._channel, self._frames = ours, Frames(ours, most=MOST_BYTES)
            with start_lock:
                make_socket_folder()
                context.set_forkserver_preload(sorted(modules_of(config)))
                try:
                    by_main = needs_main(config)
                    self._process = (Process if by_main else WithoutMain)(
                        target=child.main,
                        args=(theirs, _Descriptor(shared.fileno()), config),
                        name="rewardkit-worker",
                        daemon=False,
                    )
                    self._process.start()
                except (AttributeError, TypeError, ImportError, PicklingError) as error:
                    names = ", ".join(reward.text for reward in config.rewards)
                    raise UsageError(f"{names} cannot be handed to a worker process: {error}") from None
        self._turn = _Turn((), 0.0, 0, 0.0)
        self._begun = 0
        self._unsent = memoryview(b"")
        self.rows = 0
        self._channel.settimeout(START_TIMEOUT_S)
        try:
            ready = self._channel.recv(len(READY))
        except OSError:
            ready = b""
        if ready != READY:
            code = self.exit_code()  # its own, before it is killed
            self.kill()
            if by_main and code == 1:
                raise UsageError(f"{', '.join(reward.text for reward in config.rewards)}: {NEEDS_MAIN}")
            raise WorkerLostError(f"a worker process did not start (exit code {self.exit_code()})", None)
        self._channel.setblocking(False)

    def fileno(self) -> int:
        """Of the socket to the process."""
        return self._channel.fileno()

    def begin(self, reward: int, units: Sequence[Sequence[bytes]], *, row_timeout_s: float, budget_s: float) -> bool:
        """Hand over units, each with its clock and the budget of its programs. False: `flush` has to send the rest.

        Raises:
            WorkerLostError: the process died.
        """
        self._turn = _Turn(units, row_timeout_s, self._begun, time.monotonic())
        self._begun += len(units)
        self._unsent = memoryview(pack_units(reward, units, budget_s))
        return self.flush()

    def flush(self) -> bool:
        """Send what is unsent; True once all is sent.

        Raises:
            WorkerLostError: the process died.
        """
        try:
            self._unsent = self._unsent[self._channel.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            raise self.lost("the worker process died", None) from None
        return not self._unsent

    def receive(self) -> list[Any]:
        """The next results, in order, if there are some; None stands for a row that needs more than the budget of programs.

        Raises:
            WorkerLostError: the process died.
        """
        try:
            lines = self._frames.receive(pieces=MOST_PIECES)
            results = None if lines is None else self._results(lines)
        except BlockingIOError:
            return []
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise self._garbled() from None
        if results is None:
            raise self.lost("the worker process died", self._under_way()[0])
        if not 0 < len(results) <= self._turn.left:
            raise self._garbled()
        self._heard = time.monotonic()  # it may have waited until somebody would take its results
        self._turn.left -= len(results)
        self.rows += len(results)
        return results

    @property
    def has_more(self) -> bool:
        """More was received than the results so far."""
        return self._frames.has_some

    def check(self, *, unseen_s: float = 0.0) -> tuple[int | None, float]:
        """The place of the unit under way, None if none has begun, and the seconds it has taken. Nobody took results for the
        last `unseen_s`, so that it may have waited for that.

        Raises:
            WorkerLostError: it took too long.
        """
        turn = self._turn
        unit, since = self._under_way()
        now, limit_s = time.monotonic(), turn.row_timeout_s
        self._heard = min(now, max(since, self._heard) + unseen_s)
        seconds = now - self._heard
        if seconds > limit_s * (2 if unit is not None and len(turn.units[unit]) > 1 else 1):
            raise self.lost(f"no verdict within {limit_s:g} s; the worker was killed", unit, "timeout")
        return unit, seconds

    def lost(self, reason: str, unit: int | None, cause: Cause = "died") -> WorkerLostError:
        """Kill the process; the error that says so."""
        self.kill()
        return WorkerLostError(reason, unit, cause=cause)

    def _under_way(self) -> tuple[int | None, float]:
        """The place of the unit under way, None if none has begun, and since when it may be."""
        turn = self._turn
        unit, since = self._progress.read()
        place = unit - turn.base
        if 0 <= place < len(turn.units) and turn.sent <= since <= time.monotonic():
            return place, since
        if place == -1 or since == 0.0:
            return None, turn.sent
        raise self._garbled()

    def _results(self, lines: list[bytes]) -> list[Any]:
        if PUT_OFF not in lines:
            return self._task.results(lines)
        judged = iter(self._task.results([line for line in lines if line != PUT_OFF]))
        return [None if line == PUT_OFF else next(judged) for line in lines]

    def _garbled(self) -> WorkerLostError:
        return self.lost("what the worker process sent is not a score", None, "garbled")

    def kill(self) -> None:
        """End the process and what it started. Idempotent."""
        pid = self._process.pid
        if pid is not None and self._process.exitcode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process and release its resources."""
        self.kill()
        self._process.join()
        self._channel.close()
        self._progress.close()

    def exit_code(self) -> int | None:
        """Exit code, once it has ended."""
        self._process.join(5)
        return self._process.exitcode

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the programs of all rows so far, as the process says."""
        return self._progress.cpu_s

    @property
    def pid(self) -> int | None:
        """Process id."""
        return self._process.pid

    @property
    def has_grown(self) -> bool:
        """True if it uses more than half of its memory limit and should be replaced. Looked at now and then."""
        now = time.monotonic()
        if self._memory_mb is None or now - self._looked < _MEMORY_LOOK_S:
            return False
        self._looked = now
        return resident_mb(self.pid) > self._memory_mb / 2


class _Descriptor:
    """A file descriptor that is handed to a process at its start."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __reduce__(self) -> tuple[Any, ...]:
        return (_given, (reduction.DupFd(self._descriptor),))


def _given(descriptor: Any) -> Any:
    return descriptor


def resident_mb(pid: int | None) -> float:
    """Resident memory of a process in MB; 0 if unknown."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * resource.getpagesize() / 2**20


def modules_of(config: WorkerConfig) -> set[str]:
    """Modules that workers should find imported, so that a new one is there in milliseconds."""
    parts = {type(part) for reward in config.rewards for part in walk(reward)} | {type(config.task)}
    found = {part.__module__ for part in parts if place_of(part) is None}
    found.add(getattr(getattr(config.setup, "func", config.setup), "__module__", "__main__"))
    return {"rewardkit.executor.child", "rewardkit.text"} | found - {"__main__"}
