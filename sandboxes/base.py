"""The interface of a sandbox: it runs jobs and reports facts. It makes no verdicts and never receives expected outputs."""

import asyncio
import contextlib
import functools
import json
import signal as signals
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from sandboxes.errors import SandboxError, SandboxLost
from sandboxes.languages import LANGUAGES
from sandboxes.paths import are_apart, path_problem

__all__ = ["Call", "CallResult", "DriverResult", "Execution", "Isolation", "Job", "Limit", "Limits", "Sandbox", "Stop"]

Isolation = Literal["strong", "weak", "none"]
"""strong: own kernel namespaces, no network, hard memory and process limits. weak: see docs/sandboxes.md. none: a plain process."""

STRENGTH: dict[Isolation, int] = {"none": 0, "weak": 1, "strong": 2}

Limit = Literal["cpu", "wall", "memory", "output", "processes", "file"]


TOO_LONG = "result too long"
"""How the error of a result begins that is longer than `Call.most_bytes`."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")


class Limits(_Frozen):
    """Limits of one test (one stdin run, or one call). CPU time is the main limit; wall time only stops programs that sleep or wait."""

    cpu_s: float = Field(default=5.0, gt=0, le=600)
    """CPU seconds for a stdin run, or for each single call. The interpreter's start does not count."""
    wall_s: float | None = Field(default=None, gt=0, le=3600)
    """Wall seconds; None: twice the CPU limit plus one second, so that programs do not fail because the machine is busy."""
    total_cpu_s: float | None = Field(default=None, gt=0, le=3600)
    """CPU seconds for all calls of a job together. None: no limit."""
    total_wall_s: float | None = Field(default=None, gt=0, le=3600)
    """Seconds asleep (`Execution.asleep_s`) for all calls of a job together. None: no limit."""
    memory_mb: int = Field(default=512, ge=16)
    processes: int = Field(default=32, ge=1)
    """Processes and threads together, the program itself included."""
    output_bytes: int = Field(default=16 << 20, ge=0)
    """stdout plus stderr of a run; also the encoded size of one returned value, and of all together but for 1 KiB a call."""
    file_bytes: int = Field(default=32 << 20, ge=0)
    """Size of each file that is written."""

    @property
    def deadline_s(self) -> float:
        """The wall limit in force.

        >>> Limits(cpu_s=2).deadline_s
        5.0
        """
        return self.wall_s if self.wall_s is not None else 2 * self.cpu_s + 1


@dataclass(frozen=True)
class Call:
    """One call of the entry point. Arguments are tagged values, as `sandboxes.values.encode` makes them."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict[str, Any])
    most_bytes: int | None = None
    """A result longer than this is not read, and its error begins with `TOO_LONG`. Not sent to the sandbox. None: no limit."""

    @functools.cached_property
    def line(self) -> bytes:
        """The call as it is sent, one JSON line; kept, since each sample of a problem makes the same calls."""
        call = [list(self.args), [[name, value] for name, value in self.kwargs.items()]]
        return json.dumps(call, separators=(",", ":")).encode() + b"\n"


class Job(_Frozen):
    """One run of one program: a script with stdin, or (with `calls`) a module whose entry point is called."""

    program: str | bytes
    """Source text. Bytes are decoded as Python does (coding cookie); undecodable source is a compile error."""
    stdin: str | bytes = b""
    language: str = "python"
    """One of `sandboxes.languages.LANGUAGES`, or Python. Others are compiled first, and read stdin: no calls, driver or prelude."""
    calls: tuple[Call, ...] | None = None
    """None: run as a script. Else: load once, then make these calls in order, a fresh `Solution()` for each."""
    entry_point: str | None = None
    """`"name"` (a function, or a method of `Solution` if no such function is) or `"Solution.name"` / `"Solution().name"`."""
    prelude: str = ""
    """Trusted source that runs before the program in its namespace (the imports a LeetCode prompt gives)."""
    argv: tuple[str, ...] = ()
    files: dict[str, str | bytes] = Field(default_factory=dict)
    """Relative path -> content, written into the working directory before the run."""
    fetch: tuple[str, ...] = ()
    """Relative paths of files to read back after the run, each up to `Limits.file_bytes`, into `Execution.files`."""
    limits: Limits = Limits()
    keep_going: bool = False
    """With `calls`: when a call kills the process (limit, exit, crash), go on with the next in a new process (8 times at most)."""
    driver: str | None = None
    """Trusted test program (say HumanEval's `check`). It runs in a box of its own, where `candidate` and the entry point's
    name are a proxy for the program's entry point; its outcome is `Execution.driver`. Not together with `calls`."""
    driver_prelude: str = ""
    """Trusted source that runs before the test program in its namespace. It is compiled once for the test programs that follow it."""
    trusted: bool = False
    """Run in a box that never sees submissions: for checkers and special judges, which may be given expected outputs."""

    @field_validator("files", "fetch")
    @classmethod
    def _inside(cls, files: Any) -> Any:
        for name in files:
            if problem := path_problem(name):
                raise ValueError(f"file path {name!r:.100} {problem}")
        return files

    @field_validator("files")
    @classmethod
    def _apart(cls, files: dict[str, str | bytes]) -> dict[str, str | bytes]:
        if not are_apart(files):
            raise ValueError("two file paths are the same, or one is a folder of the other")
        return files

    @model_validator(mode="after")
    def _reads_stdin(self) -> Self:
        if self.language != "python" and self.language not in LANGUAGES:
            raise ValueError(f"no language {self.language!r}; choose one of: python, {', '.join(LANGUAGES)}")
        if self.language != "python" and (self.calls is not None or self.driver is not None or self.prelude):
            raise ValueError(f"a program in {self.language!r} reads stdin: it takes no calls, driver or prelude")
        return self


@dataclass(frozen=True, slots=True)
class CallResult:
    """What one call gave: a tagged value, or the exception's type and message (both are the program's own claim)."""

    value: Any = None
    """Tagged value (see `sandboxes.values`); meaningless if `error` is set."""
    error: str | None = None
    cpu_s: float = 0.0
    wall_s: float = 0.0
    size: int = 0
    """Bytes of the result as it was sent; 0 if that is not known."""

    @property
    def returned(self) -> bool:
        """The call came back with a value.

        >>> CallResult(error="ValueError: no").returned
        False
        """
        return self.error is None


class DriverResult(_Frozen):
    """How the trusted test program ended. Its process is out of the submission's reach."""

    passed: bool
    """It ran to its end without an exception."""
    error: str | None = None
    """Else the exception's type and message."""
    calls: int = 0
    """Calls of the entry point it made."""
    cpu_s: float = 0.0
    asleep_s: float = 0.0
    """What it used itself; waiting for the program does not count."""


class Execution(_Frozen):
    """Facts about one run, observed from outside the program."""

    exit_code: int | None = None
    """None when a signal or a limit ended it."""
    signal: int | None = None
    wall_s: float = 0.0
    asleep_s: float = 0.0
    """Wall seconds in which it neither ran nor waited for a core; in a session, nor for a call. An estimate, 0 for a short run."""
    cpu_s: float = 0.0
    memory_mb: float = 0.0
    """Peak resident memory of the largest process."""
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False
    """Output was cut at `Limits.output_bytes`."""
    limit: Limit | None = None
    """The limit that ended it."""
    compile_error: str | None = None
    """The source did not compile; nothing ran."""
    error: str | None = None
    """Type and message of the exception that ended the program, by its own account."""
    files: dict[str, bytes] = Field(default_factory=dict)
    """Those of `Job.fetch` that the program left."""
    calls: tuple[CallResult, ...] = ()
    """One result a call, in order; shorter than the job's when the process ended early."""
    driver: DriverResult | None = None
    loaded: bool = False
    """With calls or a driver: the program's process said that the program was there and could be called."""
    isolation: Isolation = "none"
    lost: str | None = None
    """Set if the sandbox itself failed twice: the other fields have no meaning, and the row is `unjudged`."""

    @property
    def finished(self) -> bool:
        """Ended by itself with exit code 0 and inside every limit. It does not mean that the answer is right.

        >>> Execution(exit_code=0).finished, Execution(exit_code=1).finished
        (True, False)
        """
        return self.lost is None and self.exit_code == 0 and self.limit is None and self.compile_error is None

    @property
    def stdout_text(self) -> str:
        """Standard output as text; bytes that are not UTF-8 become U+FFFD."""
        return self.stdout.decode("utf-8", "replace")

    @property
    def stderr_text(self) -> str:
        """Standard error as text; bytes that are not UTF-8 become U+FFFD."""
        return self.stderr.decode("utf-8", "replace")

    def describe(self) -> str:
        """How it ended, in a few words.

        >>> Execution(limit="cpu", cpu_s=5.02, signal=9).describe()
        'cpu limit after 5.0 s'
        >>> Execution(signal=11).describe()
        'killed by SIGSEGV'
        """
        if self.lost is not None:
            return f"sandbox lost: {self.lost}"
        if self.compile_error is not None:
            return f"does not compile: {self.compile_error}"
        if self.limit in ("cpu", "wall"):
            return f"{self.limit} limit after {self.cpu_s if self.limit == 'cpu' else self.wall_s:.1f} s"
        if self.limit is not None:
            return f"{self.limit} limit"
        if self.error is not None:
            return self.error
        if self.signal is not None:
            known = {int(member): member.name for member in signals.Signals}
            return f"killed by {known.get(self.signal, f'signal {self.signal}')}"
        return f"exit code {self.exit_code}"

    def raise_if_lost(self) -> Self:
        """Itself, or `SandboxLost` if the sandbox failed."""
        if self.lost is not None:
            raise SandboxLost(self.lost, cure="see `rewardkit doctor`, then score the row again")
        return self


Stop = Callable[[int, Execution], bool]
"""Called with a job's index and its facts; True ends the batch (an early stop at the first failing test)."""


class Sandbox(ABC):
    """Runs jobs. Safe to share between threads and event loops. A context manager that releases its resources.

    `run` and `run_async` give one `Execution` a job, in order, and never raise because of a program: they raise only
    `SandboxError`, if the sandbox does not work at all. A box that dies is replaced and its jobs run once more in another one;
    a job that fails twice comes back with `lost` set. While no box can be started (Docker restarts), jobs wait.

    Cancelling the future of `submit`, or the task that awaits `run_async`, ends the work: jobs that wait do not begin, a
    program under way is killed with its box, and the sandbox goes on with the jobs of others.
    """

    name: ClassVar[str]
    """Name for `open_sandbox`."""
    isolation: Isolation

    @abstractmethod
    def submit(self, jobs: Sequence[Job], *, stop: Stop | None = None) -> "Future[list[Execution]]":
        """Start the jobs and return at once.

        With `stop`, they run in order, one after the other, in one box, and the list ends with the first job for which
        `stop` said True (it may be called from another thread). The future can be cancelled as long as it is not done.
        """

    def run(self, jobs: Sequence[Job], *, stop: Stop | None = None) -> list[Execution]:
        """The facts of each job, in order. A Ctrl-C ends them."""
        future = self.submit(jobs, stop=stop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def run_async(self, jobs: Sequence[Job], *, stop: Stop | None = None) -> list[Execution]:
        """Like `run`, for event loops; concurrent calls share the sandbox's workers. Cancelling it ends the jobs."""
        return await asyncio.wrap_future(self.submit(jobs, stop=stop))

    @abstractmethod
    def close(self) -> None:
        """Release everything that this sandbox created. Idempotent; later use raises `SandboxError`."""

    def facts(self) -> Mapping[str, object]:
        """Facts for reports (name, isolation, workers, image, ...)."""
        return {"name": self.name, "isolation": self.isolation}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def when_cancelled(done: "Future[Any]", end: Callable[[], object]) -> None:
    """Callback of a future that `submit` made: if it was cancelled, call `end` and notify waiters."""
    if done.cancelled():
        end()
        with contextlib.suppress(InvalidStateError):
            done.set_running_or_notify_cancel()


def as_bytes(data: str | bytes) -> bytes:
    """A text as a program gets it, whatever characters are in it."""
    return data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")


def closed_error(name: str) -> SandboxError:
    """The error of a sandbox that is used after `close`."""
    return SandboxError(f"sandbox {name!r} is closed", cure="open a new one with sandboxes.open_sandbox()")
