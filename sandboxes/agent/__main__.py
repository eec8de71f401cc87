"""The agent: PID 1 of a box. Forks for each job before it is there, watches what comes of it, cleans up, answers with facts.

It never judges, never imports or compiles a program in its own process, never reads what a job brings (the fork does, in
`intake`), and never holds an expected output. The answer comes after everything the program started is dead and the
scratch mounts are empty; only then is the next fork made.
"""

import fcntl
import gc
import importlib
import os
import sys

from . import child
from .clean import Wiper
from .lockdown import lock_down
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


def take_stdio() -> tuple[int, int]:
    """Move the host's pipe out of the way of descriptors 0 and 1."""
    return fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 300), fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 300)


def drop_to(uid: int) -> None:
    """Become an ordinary user for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def main(argv: list[str]) -> int:
    """`[--uid N] MOUNT...`: the scratch mounts that belong to this box, the working directory first.

    `--make DIR` instead of mounts: a directory that does not exist yet, for a box without namespaces.
    """
    source, sink = take_stdio()
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
    os.dup2(complaints, 2)  # a crash of the agent itself is told to the host
    gc.collect()
    gc.freeze()
    write_frame(sink, {"hello": 1, **agent.about()})
    try:
        agent.serve()
    except (Closed, BrokenPipeError):
        return 0
    return 70


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
