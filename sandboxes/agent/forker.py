"""The forker: the process whose memory every program starts from. It forks and it waits for forks to end; nothing else.

It exists before any job does and never holds a byte of one: no text, argument, input, output, result or file name. The supervisor, a
process of its own, deals with the host; a fork gets its job from the supervisor, over a socket from which the forker never reads. What
the supervisor tells the forker is three bytes: wait for a process to end, or fork, with the bits of modules to import before that.

It is PID 1 of its box where there is a namespace: then no process in it can signal it, and to end all others leaves it alone.
"""

import contextlib
import gc
import os
import struct

from . import child
from .cleanup import own_address_mb
from .preload import BLOCKS, import_named, namespace
from .seccomp import bare_fork, die_with_parent

__all__ = ["COMMAND", "ENDED", "FORK", "PID", "WAIT", "serve"]

WAIT, FORK = b"w", b"f"
COMMAND = struct.Struct("=cH")
"""What to do, and with `FORK` the bits of modules."""
PID = struct.Struct("=i")
ENDED = struct.Struct("=iidq")
"""Process id, wait status, CPU seconds, peak memory in kB."""


def serve(control: int, jobs: int, supervisor: int, cwd: str, oom_score: int) -> int:
    """Do what the supervisor says until it is gone; the exit status for this box. `oom_score`: our file of that name, or -1."""
    alone = os.getpid() != 1
    modules = [child.MAIN, *map(namespace, range(1, len(BLOCKS)))]
    loaded, address_mb = 0, _settle()
    handlers, run = child.exit_handlers(), child.run
    while True:
        try:
            command = os.read(control, COMMAND.size)
        except ConnectionError:
            command = b""
        if len(command) < COMMAND.size:
            return _exit_status(os.waitpid(supervisor, 0)[1])
        what, wanted = COMMAND.unpack(command)
        if what == WAIT:
            pid, status, usage = os.wait4(-1, 0)
            if pid == supervisor:
                return _exit_status(status)
            _tell(control, ENDED.pack(pid, status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss))
            continue
        if wanted & ~loaded:
            import_named(wanted & ~loaded)
            loaded |= wanted
            address_mb = _settle()
        if oom_score >= 0:
            os.pwrite(oom_score, b"1000", 0)  # what is forked now goes first when memory runs out
        pid = bare_fork()
        if pid == 0:
            if alone:
                die_with_parent()
            run(jobs, modules, loaded, address_mb, handlers, cwd)
        if oom_score >= 0:
            os.pwrite(oom_score, b"0", 0)
        _tell(control, PID.pack(pid))


def _tell(control: int, message: bytes) -> None:
    with contextlib.suppress(ConnectionError):  # the supervisor's end shows when it is waited for
        os.write(control, message)


def _settle() -> int:
    """Keep the garbage collector away from what was imported. Returns the address space of this process in MB."""
    gc.collect()
    gc.freeze()
    return own_address_mb()


def _exit_status(status: int) -> int:
    """The supervisor's, as a shell would say it: the host asks whether it was killed for memory."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
