"""One worker process from the side of its parent: start it, hand it units, take the results, end it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import select
import signal
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import reduction
from pathlib import Path
from typing import Any, Literal, cast

from rewardkit.base import walk
from rewardkit.errors import RewardkitError, UsageError
from rewardkit.executor import child
from rewardkit.executor.child import READY, Progress, WorkerConfig
from rewardkit.executor.protocol import PUT_OFF, Frames, pack_units
from rewardkit.executor.start import NEEDS_MAIN, Process, needs_main
from rewardkit.python_file import place_of

START_TIMEOUT_S = 120.0
"""A worker that is not ready by then is killed; heavy imports on a busy machine take many seconds."""
MOST_BYTES = 1 << 30
"""A longer answer is none of a worker's."""
_LOOK_S = 0.05
"""How often a row under way is looked at: for its clock, and for a caller who has left."""
_MEMORY_LOOK_S = 0.5
"""How often the memory of a worker is looked at, between its jobs."""
_TIMEVAL = struct.Struct("ll")
_start_lock = threading.Lock()

Cause = Literal["died", "timeout", "left", "slow", "garbled"]
"""`timeout`: the unit took too long, and is to blame. `slow`: it is to be done elsewhere. `left`: nobody waits for it.
`garbled`: a reward wrote over what its process says."""
Order = Literal["go on", "put off", "end"]
"""`put off` and `end` kill the worker."""


class WorkerLostError(RewardkitError):
    """The worker is gone. `unit` is the place of the unit that it was at among those handed over; None if it had begun none."""

    def __init__(self, reason: str, unit: int | None, *, cause: Cause = "died") -> None:
        super().__init__(reason)
        self.unit, self.cause = unit, cause


@dataclass
class _Turn:
    """Units that were handed over together. `base`: how many the process had begun before; `sent`: when they were."""

    units: Sequence[Sequence[bytes]]
    base: int
    sent: float
    left: int = field(init=False)
    """Rows without a result."""

    def __post_init__(self) -> None:
        self.left = sum(map(len, self.units))


class Worker:
    """A process with a reward in it. It is used by one thread at a time; `kill` may come from any."""

    def __init__(self, config: WorkerConfig) -> None:
        context: Any = multiprocessing.get_context("forkserver")
        self._memory_mb, self._task = config.memory_mb, config.task
        self._looked = self._bound_s = 0.0
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryFile() as shared, theirs:
            os.ftruncate(shared.fileno(), Progress.SIZE)
            self._progress = Progress(shared.fileno())
            self._channel, self._frames = ours, Frames(ours, most=MOST_BYTES)
            self._readable = select.poll()
            self._readable.register(ours, select.POLLIN)
            with _start_lock:
                context.set_forkserver_preload(sorted(modules_of(config)))
                try:
                    by_main = needs_main(config)
                    self._process = (context.Process if by_main else Process)(
                        target=child.main, args=(theirs, _Descriptor(shared.fileno()), config), name="rewardkit-worker"
                    )
                    self._process.start()
                except (AttributeError, TypeError, ImportError) as error:
                    ours.close()
                    names = ", ".join(reward.text for reward in config.rewards)
                    raise UsageError(f"{names} cannot be handed to a worker process: {error}") from None
        self._begun = 0
        self.rows = 0
        self._channel.settimeout(START_TIMEOUT_S)
        try:
            ready = self._channel.recv(len(READY))
        except OSError:
            ready = b""
        if ready != READY:
            self.kill()
            if by_main and self.exit_code() == 1:
                raise UsageError(f"{', '.join(reward.text for reward in config.rewards)}: {NEEDS_MAIN}")
            raise WorkerLostError(f"the worker process did not start (exit code {self.exit_code()})", None)

    def run(
        self,
        reward: int,
        units: Sequence[Sequence[bytes]],
        *,
        row_timeout_s: float,
        budget_s: float,
        watch: Callable[[int | None, float], Order],
    ) -> Iterator[list[Any]]:
        """The results of the rows, in order, some at a time; None for a row that needs more than the budget of programs.

        `watch` is asked now and then what is to happen, with the place of the unit under way and the seconds it has taken.
        A reward can write over all that its process says, so what cannot be true is not believed.

        Raises:
            WorkerLostError: the process died, hung over a unit, or was ended.
        """
        turn = _Turn(units, self._begun, time.monotonic())
        self._begun += len(units)
        try:
            self._bound(row_timeout_s)
            self._channel.sendall(pack_units(reward, units, budget_s))
        except OSError:
            raise self._lost("the worker process died", None) from None
        while turn.left:
            self._wait(turn, row_timeout_s, watch)
            results = self._receive(turn)
            turn.left -= len(results)
            self.rows += len(results)
            yield results

    def _bound(self, seconds: float) -> None:
        """Let the kernel end what is sent or received without progress: a timeout of Python's takes one more call each time."""
        if seconds != self._bound_s:
            self._bound_s = seconds
            self._channel.settimeout(None)
            for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                self._channel.setsockopt(socket.SOL_SOCKET, option, _TIMEVAL.pack(int(seconds), int(seconds % 1 * 1e6)))

    def _wait(self, turn: _Turn, row_timeout_s: float, watch: Callable[[int | None, float], Order]) -> None:
        """Wait until there is something to read."""
        while not self._frames.has_some and not self._readable.poll(min(_LOOK_S, row_timeout_s / 4) * 1000):
            unit, since = self._under_way(turn)
            seconds = time.monotonic() - since
            if seconds > row_timeout_s * (2 if unit is not None and len(turn.units[unit]) > 1 else 1):
                raise self._lost(f"no verdict within {row_timeout_s:g} s; the worker was killed", unit, "timeout")
            match watch(unit, seconds):
                case "end":
                    raise self._lost("the work was cancelled", unit, "left")
                case "put off":
                    raise self._lost("the row is slow", unit, "slow")
                case _:
                    pass

    def _lost(self, reason: str, unit: int | None, cause: Cause = "died") -> WorkerLostError:
        self.kill()
        code = f" (exit code {self.exit_code()})" if cause == "died" else ""
        return WorkerLostError(reason + code, unit, cause=cause)

    @property
    def is_alive(self) -> bool:
        """True if the process has not exited while idle."""
        return not self._frames.has_some and not self._readable.poll(0)

    def _under_way(self, turn: _Turn) -> tuple[int | None, float]:
        """The place of the unit under way, None if none has begun, and since when it may be."""
        unit, since = self._progress.read()
        place = unit - turn.base
        if 0 <= place < len(turn.units) and turn.sent <= since <= time.monotonic():
            return place, since
        if place == -1 or since == 0.0:
            return None, turn.sent
        raise self._garbled()

    def _receive(self, turn: _Turn) -> list[Any]:
        try:
            lines = self._frames.receive()
            results = None if lines is None else self._results(lines)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise self._garbled() from None
        if results is None:
            raise self._lost("the worker process died", self._under_way(turn)[0])
        if not 0 < len(results) <= turn.left:
            raise self._garbled()
        return results

    def _results(self, lines: list[bytes]) -> list[Any]:
        if PUT_OFF not in lines:
            return self._task.results(lines)
        judged = iter(self._task.results([line for line in lines if line != PUT_OFF]))
        return [None if line == PUT_OFF else next(judged) for line in lines]

    def _garbled(self) -> WorkerLostError:
        return self._lost("what the worker process sent is not a score", None, "garbled")

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
        return cast("int | None", self._process.exitcode)

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the programs of all rows so far, as the process says."""
        return self._progress.cpu_s

    @property
    def pid(self) -> int | None:
        """Process id."""
        return cast("int | None", self._process.pid)

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
