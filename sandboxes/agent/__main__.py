"""The agent: PID 1 of a box. Forks for each job before it is there, watches what comes of it, cleans up, answers with facts.

It never judges, never imports or compiles a program in its own process, never reads what a job brings (the fork does, in
`intake`; but for the imports that a prelude begins with, see `heads`), and never holds an expected output. The answer comes after everything the program started is dead and the
scratch mounts are empty; only then is the next fork made.
"""

import fcntl
import gc
import importlib
import os
import sys

from . import child
from .clean import Wiper
from .lockdown import connect, lock_down
from .rehearsal import rehearse
from .turn import Agent
from .wire import Closed, write_frame

PRELOAD = (
    *(
        "abc",
        "array",
        "bisect",
        "cmath",
        "collections",
        "collections.abc",
        "contextlib",
        "copy",
        "datetime",
    ),
    *(
        "enum",
        "functools",
        "heapq",
        "io",
        "itertools",
        "json",
        "math",
        "operator",
    ),
    *("queue", "random", "re", "string", "struct", "threading", "time", "traceback", "types", "typing"),
)


def take_line(door: str | None) -> tuple[int, int]:
    """The host's stream out of the way of descriptors 0 and 1: from the door, else what came as stdin and stdout."""
    line = connect(door) if door else None
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
    """`[--door SOCKET] [--uid N] MOUNT...`: the scratch mounts that belong to this box, the working directory first.

    `--make DIR` instead of mounts: a directory that does not exist yet, for a box without namespaces.
    """
    door = None
    if argv[0] == "--door":
        door, argv = argv[1], argv[2:]
    source, sink = take_line(door)
    if argv[0] == "--uid":
        drop_to(int(argv[1]))
        argv = argv[2:]
    for name in PRELOAD:
        importlib.import_module(name)
    wipers = [Wiper.make(argv[1])] if argv[0] == "--make" else [Wiper(path) for path in argv]
    agent = Agent(source, sink, wipers, whole_namespace=os.getpid() == 1)
    lock_down()
    complaints = fcntl.fcntl(2, fcntl.F_DUPFD_CLOEXEC, 300)
    child.prepare(agent.cwd)
    rehearse()
    os.dup2(complaints, 2)  # a crash of the agent itself is told to the host
    gc.collect()
    gc.freeze()
    write_frame(sink, {"hello": 1, **agent.about()})
    try:
        agent.serve()
    except (Closed, ConnectionError):
        return 0
    return 70


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
