"""The agent of a box: a forker (PID 1) that holds nothing of any job, and beside it a supervisor that speaks with the host."""

import _socket
import fcntl
import importlib
import os
import sys

from . import child, forker, limits
from .cleanup import Wiper
from .forks import Forks
from .inherited import reset
from .preload import MODULES
from .seccomp import connect, forbid, harden
from .supervisor import Supervisor
from .wire import Closed


def take_stream(path: str | None) -> tuple[int, int]:
    """The host's stream out of the way of descriptors 0 and 1: from a socket, else what came as stdin and stdout."""
    line = connect(path) if path else None
    source, sink = (0, 1) if line is None else (line, line)
    taken = fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, 300), fcntl.fcntl(sink, fcntl.F_DUPFD_CLOEXEC, 300)
    if line is not None:
        os.close(line)
    return taken


def drop_to(uid: int) -> None:
    """Become an ordinary user for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def main(argv: list[str]) -> int:
    """`[--socket PATH] [--uid N] MOUNT...`: the scratch mounts that belong to this box, the working directory first.

    `--make DIR` instead of mounts: a directory that does not exist yet, for a box without namespaces.
    """
    reset()
    path = None
    if argv[0] == "--socket":
        path, argv = argv[1], argv[2:]
    source, sink = take_stream(path)
    oom_score = own_oom_score()  # which another user may not open
    if argv[0] == "--uid":
        drop_to(int(argv[1]))
        argv = argv[2:]
    elif argv[0] == "--make":
        limits.share_user()
    for name in MODULES:
        importlib.import_module(name)
    wipers = [Wiper.make(argv[1])] if argv[0] == "--make" else [Wiper(path) for path in argv]
    complaints = fcntl.fcntl(2, fcntl.F_DUPFD_CLOEXEC, 300)
    harden()
    child.prepare(wipers[0].path)
    os.dup2(complaints, 2)  # a crash of ours is told to the host
    control, jobs = _socket.socketpair(), _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        return supervise(source, sink, (control[0], control[1]), (jobs[0], jobs[1]), wipers)
    for ours in (source, sink, complaints, control[0].detach(), jobs[0].detach(), *(wiper.fd for wiper in wipers)):
        os.close(ours)
    forbid(os.getpid(), pid)
    return forker.serve(control[1].detach(), jobs[1].detach(), pid, wipers[0].path, oom_score)


def own_oom_score() -> int:
    """A descriptor to set how readily the kernel ends this process and its forks; -1 where that is not allowed."""
    try:
        return os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def supervise(
    source: int, sink: int, control: tuple[_socket.socket, ...], jobs: tuple[_socket.socket, ...], wipers: list[Wiper]
) -> int:
    """In the supervisor: until the host hangs up."""
    os.setsid()
    harden()
    control[1].close()
    forks = Forks(control[0].detach(), os.getppid(), whole_namespace=os.getppid() == 1)
    try:
        Supervisor(source, sink, forks, (jobs[0].detach(), jobs[1].detach()), wipers).serve()
    except (Closed, ConnectionError):
        return 0
    return 70


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
