"""The supervisor's end of the forker: make a fork, wait for ends, kill all that is left."""

import contextlib
import os
import signal

from .cleanup import descendants
from .forker import COMMAND, ENDED, FORK, PID, WAIT
from .wire import read_exactly

__all__ = ["Forks"]


class Forks:
    """Requests of the supervisor to the forker."""

    def __init__(self, control: int, forker: int, *, whole_namespace: bool) -> None:
        self.control = control
        self.forker = forker
        self.whole_namespace = whole_namespace

    def begin(self, modules: int) -> None:
        """Ask for a fork."""
        os.write(self.control, COMMAND.pack(FORK, modules))

    def pid(self) -> int:
        """The process id of the fork that was begun."""
        return PID.unpack(self._read(PID.size))[0]

    def wait(self) -> None:
        """Ask for the end of the next process; `control` can be read once it has ended."""
        os.write(self.control, COMMAND.pack(WAIT, 0))

    def ended(self) -> tuple[int, int, float, int]:
        """A process that ended: its id, status, CPU seconds and peak memory in kB."""
        return ENDED.unpack(self._read(ENDED.size))

    def kill_all(self) -> bool:
        """Send SIGKILL to every process but this one and the forker. False where there was none."""
        if self.whole_namespace:
            try:
                os.kill(-1, signal.SIGKILL)
            except ProcessLookupError:
                return False
            return True
        strays = [pid for pid in descendants(self.forker) if pid != os.getpid()]
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        return bool(strays)

    def _read(self, size: int) -> bytes:
        return read_exactly(self.control, size)
