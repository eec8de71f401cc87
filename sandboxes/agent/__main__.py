"""The agent: PID 1 of a box. Takes one job after the other from the host, forks for each, answers with facts.

It never judges, never imports or compiles a program in its own process, and never holds an expected output. A frame `run`
brings a program and its inputs; the answer comes after everything the program started is dead and the scratch mounts are empty.
"""

import contextlib
import fcntl
import gc
import importlib
import os
import platform
import resource
import sys
from pathlib import Path
from typing import Any

from . import child
from .clean import Wiper, residue
from .lockdown import lock_down
from .watch import Facts, Watch
from .wire import Closed, Scratch, memfd, pour, read_frame_header, write_frame

MIB = 1 << 20
BODY_CAP = 64 * MIB
"""Most bytes of stdout, of stderr and of results that are kept of one run, whatever the job asks for."""
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
        "dataclasses",
        "datetime",
    ),
    *(
        "decimal",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "inspect",
        "io",
        "itertools",
        "json",
        "math",
        "operator",
    ),
    *("queue", "random", "re", "statistics", "string", "struct", "threading", "time", "traceback", "types", "typing"),
)
ON_DEMAND = ("numpy", "sortedcontainers")
"""Loaded into the agent at the first program that names them, so that no program pays for the import."""


class Agent:
    """State of one box."""

    def __init__(self, source: int, sink: int, wipers: list[Wiper], *, whole_namespace: bool) -> None:
        self.source = source
        self.sink = sink
        self.whole_namespace = whole_namespace
        self.wipers = wipers
        self.cwd = wipers[0].path
        self.intake = Scratch(MIB)
        self.places = [Scratch(BODY_CAP) for _ in range(3)]
        self.texts: dict[str, tuple[int, int]] = {}
        """Program and prelude of the latest job: source and, once a fork has compiled it, marshalled code."""
        self.loaded: set[str] = set()
        self.oom_score = open_or_none("/proc/self/oom_score_adj")
        self.address_mb = (
            int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize() // MIB
        )

    def serve(self) -> None:
        """Until the host hangs up."""
        while True:
            header, _ = read_frame_header(self.source)
            if header["op"] == "ping":
                write_frame(self.sink, self.about())
            elif header["op"] == "run":
                self.run(header)
            else:
                raise ValueError(f"unknown op {header['op']!r}")

    def about(self) -> dict[str, Any]:
        """Facts about this box, for the host's self-check."""
        uid = os.getuid()
        return {"python": platform.python_version(), "pid": os.getpid(), "uid": uid, "residue": residue()}

    def run(self, header: dict[str, Any]) -> None:
        """One job: descriptors, fork, watch, clean, answer."""
        sizes: dict[str, int] = header["sizes"]
        opened: list[int] = []
        try:
            for name in ("program", "prelude"):
                if name in sizes:
                    for fd in self.texts.pop(name, ()):
                        os.close(fd)
                    self.texts[name] = memfd(name, self.source, sizes[name], self.intake), memfd("code")
            self._preload(header)
            opened += [memfd(name, self.source, sizes.get(name, 0), self.intake) for name in ("stdin", "calls")]
            for name, size in header["files"]:
                self._write_file(name, size)
            self.intake.forget()
            facts = self._fork_and_watch(header, *opened)
        finally:
            for fd in opened:
                if fd >= 0:
                    os.close(fd)
        dirty = [wiper.path for wiper in self.wipers if not wiper.wipe()]
        left = residue() if self.whole_namespace else None  # elsewhere the tables are the machine's
        self._answer(facts, left or (f"files left in {dirty}" if dirty else None))

    def _answer(self, facts: Facts, unclean: str | None) -> None:
        out, err, result = (place.content() for place in self.places)
        reply = {
            "exit": facts.exit_code,
            "signal": facts.signal,
            "limit": facts.limit,
            "cpu": facts.cpu_s,
            "wall": facts.wall_s,
            "memory_kb": facts.memory_kb,
            "truncated": facts.truncated,
            "times": [(round(cpu, 6), round(wall, 6)) for cpu, wall in facts.times[:100_000]],
            "sizes": [len(out), len(err), len(result)],
            "unclean": unclean,
        }
        write_frame(self.sink, reply, out, err, result)
        for place in self.places:
            place.forget()

    def _fork_and_watch(self, header: dict[str, Any], stdin: int, calls: int) -> Facts:
        mode: str = header["mode"]
        limits: dict[str, Any] = header["limits"]
        feed = -1
        if mode in ("session", "driver"):
            calls, feed = os.pipe2(os.O_CLOEXEC)
        ends = [os.pipe2(os.O_CLOEXEC) for _ in range(2 if mode == "calls" else 3)]
        result_file = memfd("result") if mode == "calls" else -1
        program, code = self.texts["program"]
        prelude, prelude_code = self.texts["prelude"] if header["prelude"] else (-1, -1)
        plan = child.Plan(
            mode="calls" if mode == "session" else mode,
            entry_point=header["entry_point"],
            argv=tuple(header["argv"]),
            cpu_s=limits["cpu_s"],
            memory_mb=limits["memory_mb"],
            processes=limits["processes"],
            file_bytes=max(limits["file_bytes"], 2 * BODY_CAP) if mode == "calls" else limits["file_bytes"],
            value_bytes=limits["output_bytes"],
            skip=header["skip"],
            cwd=self.cwd,
            address_mb=self.address_mb,
        )
        result = result_file if result_file >= 0 else ends[2][1]
        fds = child.Fds(stdin, ends[0][1], ends[1][1], result, program, prelude, calls, code, prelude_code)
        self._prefer_for_oom(b"1000")  # what is forked now goes first when memory runs out
        pid = os.fork()
        if pid == 0:
            child.run(plan, fds)
        self._prefer_for_oom(b"0")
        for fd in (*(write for _, write in ends), *((calls,) if feed >= 0 else ())):
            os.close(fd)
        for read, _ in ends:
            os.set_blocking(read, False)
        watch = Watch(
            pid,
            dict(zip((read for read, _ in ends), self.places, strict=False)),
            self.places[2],
            result_file=result_file,
            cpu_s=limits["cpu_s"],
            wall_s=limits["wall_s"],
            total_s=limits["total_cpu_s"],
            output_bytes=min(limits["output_bytes"], BODY_CAP),
            whole_namespace=self.whole_namespace,
            by_line=mode != "script",
            host=self.source if feed >= 0 else -1,
            on_host=(lambda: self._relay(feed)) if feed >= 0 else None,
            on_result=(lambda data: write_frame(self.sink, {"event": "result"}, data)) if feed >= 0 else None,
        )
        try:
            return watch.run()
        finally:
            for fd in (*(read for read, _ in ends), feed, result_file):
                if fd >= 0:
                    os.close(fd)

    def _prefer_for_oom(self, score: bytes) -> None:
        if self.oom_score is not None:
            os.pwrite(self.oom_score, score, 0)

    def _relay(self, feed: int) -> None:
        """A frame from the host during a session: a line for the program, or the end of its input."""
        header, body = read_frame_header(self.source)
        if header["op"] == "end":
            null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
            os.dup2(null, feed, inheritable=False)  # closes the pipe and keeps the number
            os.close(null)
            return
        try:
            pour(self.source, body, self.intake, feed)
        except BrokenPipeError:
            return
        finally:
            self.intake.forget()

    def _write_file(self, name: str, size: int) -> None:
        """A job's file, below the (empty) working directory."""
        *parents, last = name.split("/")
        where = os.dup(self.wipers[0].fd)
        try:
            for parent in parents:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(parent, 0o700, dir_fd=where)
                inner = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=where)
                os.close(where)
                where = inner
            target = os.open(
                last, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=where
            )
            try:
                pour(self.source, size, self.intake, target)
            finally:
                os.close(target)
        finally:
            os.close(where)

    def _preload(self, header: dict[str, Any]) -> None:
        wanted = [name for name in header.get("preload", ()) if name in ON_DEMAND and name not in self.loaded]
        for name in wanted:
            self.loaded.add(name)
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        if wanted:
            gc.collect()
            gc.freeze()
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            self.address_mb = pages * resource.getpagesize() // MIB


def open_or_none(path: str) -> int | None:
    """A descriptor that can be written, where the file allows it."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return None


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
