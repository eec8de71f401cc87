"""The backend without Docker: the same agent inside bubblewrap's namespaces, or, if explicitly requested, as a plain process.

Its isolation is weak: the kernel's namespaces and resource limits hold, but there is no cgroup, so memory and processes are limited
per process and per user only. Every result says so in `isolation`.
"""

import contextlib
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, ClassVar

from sandboxes.agent.cleanup import descendants
from sandboxes.backends.docker_image import ENVIRONMENT
from sandboxes.base import Isolation
from sandboxes.connection import Box
from sandboxes.errors import SandboxError, SandboxUnavailable
from sandboxes.pipe import Pipe, readable
from sandboxes.pool import Pool, PooledSandbox
from sandboxes.temp_dir import TempDir, remove_abandoned

__all__ = ["LocalSandbox", "ProcessPipe", "plain_processes"]

AGENT = Path(__file__).parents[1] / "agent"
INSIDE = "/opt/rewardkit"
PYTHON = Path("/opt/python")
PACKAGES = ("numpy", "sortedcontainers")
TMP_BYTES = 64 << 20
UIDS = range(1 << 21, 1 << 30)
HALT_POLLS = 1000
"""A millisecond apart: a process that gets SIGSTOP has stopped long before."""
DOCKER = "start Docker and run `rewardkit sandbox build`"
CURE = f"{DOCKER}, or pass --sandbox unsafe to run programs unprotected"
START = "import sys, runpy; sys.path.insert(0, sys.argv.pop(1)); sys.argv[0] = 'agent'; runpy.run_module('agent', run_name='__main__')"

RESET_SIGCHLD = (
    "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Runs a command with the usual SIGCHLD. Bubblewrap hangs where it inherits an ignored one."""


class ProcessPipe(Pipe):
    """A child process's stdin and stdout as one byte stream."""

    def __init__(self, process: "subprocess.Popen[bytes]", *, bare: bool = False) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("the process needs three pipes")
        super().__init__()
        self.process = process
        self._bare = bare
        self.stdin: IO[bytes] = process.stdin
        self.source = process.stdout.fileno()
        self.seconds = 60.0
        os.set_blocking(process.stderr.fileno(), False)

    def send(self, *parts: "bytes | memoryview") -> None:
        """Send all parts."""
        for part in parts:
            self.stdin.write(part)
        self.stdin.flush()

    def more(self, size: int) -> bytes:
        """What is there, up to the size that is asked for."""
        if not readable(self.source, seconds=self.seconds):
            raise TimeoutError
        return os.read(self.source, min(size, 1 << 20))

    def last_words(self) -> str:
        """The end of what the process said on stderr."""
        with contextlib.suppress(OSError, ValueError):
            said = self.process.stderr.read() if self.process.stderr else b""
            return (said or b"").decode("utf-8", "replace")[-500:]
        return ""

    def settimeout(self, seconds: float) -> None:
        """Bound on each wait for bytes."""
        self.seconds = seconds

    def pending(self) -> bool:
        """True if data or EOF is waiting to be read."""
        return bool(readable(self.source))

    def hang_up(self) -> None:
        """Kill the process with all below it; the stream ends when none holds it any more."""
        if self.process.poll() is None:
            if self._bare:
                _halt(self.process.pid)
            # bubblewrap does not take its namespace along when it is killed, but the agent in it does; a bare agent does not take its program
            for pid in (*descendants(self.process.pid), self.process.pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill the process with all below it and wait for its end."""
        self.hang_up()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _halt(pid: int) -> None:
    """Stop a bare agent, which would start the next program where one is killed. It ends with us, stopped or not; bubblewrap would not."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError, PermissionError):
        os.kill(pid, signal.SIGSTOP)
        for _ in range(HALT_POLLS):
            if os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
                return
            time.sleep(0.001)


class LocalBox(Box):
    """One agent process on this machine."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], isolation: Isolation, directory: TempDir | None
    ) -> None:
        self.directory = directory
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd="/",
            start_new_session=True,
        )
        pipe = ProcessPipe(process, bare=isolation == "none")
        try:
            super().__init__(pipe, isolation)
        except BaseException:
            pipe.close()
            raise

    def close(self) -> None:
        """Kill the process; with its PID 1 the namespace ends. Remove the directory that was made for it."""
        self.pipe.close()
        if self.directory is not None:
            self.directory.close()


class LocalSandbox(PooledSandbox):
    """Programs in bubblewrap on this machine; with `bare`, as plain processes."""

    name: ClassVar[str] = "local"
    isolation: Isolation = "weak"

    def __init__(
        self, *, workers: int | None = None, unsafe: bool = False, bare: bool = False, memory_mb: int = 4096
    ) -> None:
        self.workers = workers or min(os.cpu_count() or 1, 8)
        self.memory_mb = memory_mb
        self.bare = bare
        if not bare:
            try:
                self._open()
            except SandboxUnavailable:
                if not unsafe:
                    raise
                self.bare = True
        if self.bare:
            self.isolation = "none"
            remove_abandoned()
            self._open()

    def _open(self) -> None:
        make = self._plain if self.bare else self._wrapped
        self.trusted = Pool(make, workers=self.workers, spares=0)
        self.pool = Pool(make, workers=self.workers, spares=0, trusted=self.trusted)
        try:
            self.pool.warm_up()
        except (SandboxError, OSError) as error:
            self.pool.close()
            what, cure = ("plain processes", DOCKER) if self.bare else ("namespaces", CURE)
            raise SandboxUnavailable(f"{what} do not work here ({error})", cure=cure) from error

    def _wrapped(self) -> Box:
        tool = shutil.which("bwrap")
        if tool is None:
            raise SandboxUnavailable("bubblewrap is not installed", cure=f"apt-get install bubblewrap; or {CURE}")
        ignored = signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
        wrapper = [sys.executable, "-I", "-S", "-c", RESET_SIGCHLD] if ignored else []
        return LocalBox([*wrapper, tool, *wrapping(), *inner_command()], {}, "weak", None)

    def _plain(self) -> Box:
        directory = TempDir("box")
        # the agent makes the directory it will wipe itself; this one only holds it
        command = [sys.executable, "-s", "-P", "-c", START, str(AGENT.parent), "--make", f"{directory.path}/work"]
        environment = {key: value for key, value in ENVIRONMENT.items() if key != "PYTHONPATH"}
        try:
            environment = {**environment, "HOME": str(directory.path), "PATH": os.environ.get("PATH", "")}
            return LocalBox(command, environment, "none", directory)
        except BaseException:
            directory.close()
            raise

    def facts(self) -> Mapping[str, object]:
        """Backend, strength and counters."""
        return {**super().facts(), "name": "unsafe" if self.bare else self.name}

    def close(self) -> None:
        """Kill every process of this sandbox."""
        self.pool.close()


def plain_processes(*, workers: int | None = None, **options: Any) -> LocalSandbox:
    """The sandbox `unsafe`: no isolation, only when asked for by name."""
    return LocalSandbox(workers=workers, bare=True, **options)


def wrapping() -> list[str]:
    """Bubblewrap's options: own namespaces, a read-only view of the interpreter alone, small tmpfs mounts."""
    options = [
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--as-pid-1",
        "--new-session",
    ]
    if os.getuid() == 0:
        options += [
            "--cap-drop",
            "ALL",
            "--cap-add",
            "CAP_SETUID",
            "--cap-add",
            "CAP_SETGID",
        ]  # the agent drops to a real user
    else:
        options += ["--unshare-user", "--cap-drop", "ALL"]
    options += ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib32", "lib64", "sbin"):
        path = Path("/", name)
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    options += ["--perms", "0755", "--dir", "/etc"]
    for path in ("/etc/ld.so.cache", "/etc/alternatives", *map(str, Path("/etc").glob("java-*-openjdk"))):
        options += ["--ro-bind-try", path, path]
    for path in (PYTHON.parent, INSIDE, f"{INSIDE}/site"):
        options += ["--perms", "0755", "--dir", str(path)]  # else bubblewrap makes them for root alone
    prefix = Path(sys.base_prefix).resolve()
    if not prefix.is_relative_to("/usr"):
        options += ["--ro-bind", str(prefix), str(PYTHON)]  # the way to its own place may be closed to the box's user
    options += ["--ro-bind", str(AGENT), f"{INSIDE}/agent"]
    for package in PACKAGES:
        options += _package(package)
    options += ["--proc", "/proc", "--dev", "/dev"]
    for path in ("/dev/shm", "/tmp"):  # noqa: S108  (mounts of the box)
        options += ["--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", path]
    options += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--clearenv"]
    environment = {
        **ENVIRONMENT,
        "PYTHONPATH": f"{INSIDE}:{INSIDE}/site",
        "PATH": "/usr/bin:/bin",
        "LD_LIBRARY_PATH": f"{PYTHON}/lib",
    }
    for key, value in environment.items():
        options += ["--setenv", key, value]
    return options


def _package(name: str) -> list[str]:
    """Bind one package of this environment, with the libraries its wheel brings."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return []
    folder = Path(spec.origin).parent
    options = ["--ro-bind", str(folder), f"{INSIDE}/site/{name}"]
    libraries = folder.with_name(f"{name}.libs")
    return [*options, *(["--ro-bind", str(libraries), f"{INSIDE}/site/{libraries.name}"] if libraries.is_dir() else [])]


def inner_command() -> list[str]:
    """The agent, by this environment's own interpreter."""
    python = Path(sys.executable).resolve()
    prefix = Path(sys.base_prefix).resolve()
    if not prefix.is_relative_to("/usr"):
        python = PYTHON / python.relative_to(prefix)
    user = ["--uid", str(secrets.choice(UIDS))] if os.getuid() == 0 else []
    return [str(python), "-s", "-P", "-c", START, INSIDE, *user, "/tmp", "/dev/shm"]  # noqa: S108
