"""The host's end of the connection to one box: sends jobs as frames and reads frames as facts."""

import functools
import json
import marshal
import math
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal

from sandboxes.agent.clocks import PATIENCE
from sandboxes.agent.preload import ON_DEMAND, split
from sandboxes.agent.receive import LIMITS, MODES, Command
from sandboxes.base import CallResult, Execution, Isolation, Job, Limits, as_bytes
from sandboxes.languages import LANGUAGES
from sandboxes.pipe import Pipe
from sandboxes.results import with_claims

__all__ = ["MAX_DEATHS", "Answer", "Box", "BoxLost", "Cause", "SessionEnded", "longest_wait", "resume"]

LENGTHS = struct.Struct("!II")
MAX_HEADER = 1 << 24
Cause = Literal["memory", "outside", "unknown"]
"""memory: the kernel killed the whole box for it. outside: someone on the host killed it, which no program in it can do."""
MARGIN_S = 30.0
"""Beyond the sum of a job's own limits, a box that says nothing for this long counts as dead."""
MAX_DEATHS = 8
"""New processes for one job; calls after the last death stay without a result."""
FACTS = ("exit_code", "signal", "limit", "cpu_s", "wall_s", "asleep_s", "truncated")
"""What an agent tells of a run, in the words of `Execution`."""
NAMED = tuple(name.encode() for name in ON_DEMAND)
Answer = Callable[[], Execution]
"""What a box sent back, to be read: that takes a while if a program answered many calls."""


class BoxLost(Exception):  # noqa: N818
    """The box died, hung or spoke nonsense."""

    def __init__(self, why: str, cause: Cause = "unknown") -> None:
        super().__init__(why)
        self.cause: Cause = cause


class Box(ABC):
    """One warm agent. Used by one thread at a time."""

    def __init__(self, pipe: Pipe, isolation: Isolation) -> None:
        self.pipe = pipe
        self.isolation: Isolation = isolation
        self.program: bytes | None = None
        self.prelude: str | None = None
        self.named = 0
        self.runs = 0
        self.unclean: str | None = None
        self.oom_killed = False
        """The kernel has killed a process of it for memory. When it ends, Docker tells no more than that."""
        self.hear(MARGIN_S)  # its greeting

    @abstractmethod
    def close(self) -> None:
        """Kill the box and remove its resources."""

    def interrupt(self) -> None:
        """End its work from another thread. The thread that uses it gets `BoxLost` and has to close it."""
        self.pipe.hang_up()

    def cause_of_death(self) -> Cause:
        """Why the box ended, as far as is known."""
        return "unknown"

    def send(self, job: Job, *, mode: str | None = None) -> None:
        """Start a job."""
        mode = mode or ("calls" if job.calls is not None else "script" if job.language == "python" else "command")
        name, limits, command = job.entry_point or "", job.limits, None
        if mode in ("compile", "command"):
            name, limits, command = _command(job, compiles=mode == "compile")
            mode = "command"
        source = job.driver if mode == "driver" else job.program
        program = as_bytes(source or b"")
        block, prelude = _prelude(job, mode)
        parts = (
            program if program != self.program else None,
            as_bytes(prelude) if prelude and prelude != self.prelude else None,
            as_bytes(job.stdin),
            b"".join([call.line for call in job.calls or ()]) if mode == "calls" else b"",
        )
        held = [(name, as_bytes(data)) for name, data in job.files.items()]
        if mode != "command" and (parts[0] is not None or parts[1]):
            texts = (program, as_bytes(prelude))
            self.named = sum(1 << bit for bit, name in enumerate(NAMED) if any(name in text for text in texts))
        order = (
            MODES.index(mode),
            name,
            list(job.argv),
            bool(prelude),
            0 if command else self.named,
            _limits(limits, _lines(job, mode)),
            tuple(-1 if part is None else len(part) for part in parts),
            [(name, len(data)) for name, data in held],
            block,
            list(job.fetch),
            command,
        )
        self.program = program
        self.prelude = prelude or self.prelude
        self.tell(order, *(part for part in parts if part), *(data for _, data in held))

    def answer(self, job: Job) -> "Answer":
        """Wait for the answer to the job that was sent; the box is free then, whenever the answer is read."""
        return self.read(job, *self.hear(longest_wait(job.limits, len(job.calls or ()) + 1)))

    def receive(self, job: Job) -> Execution:
        """The facts of the job that was sent."""
        return self.answer(job)()

    def read(self, job: Job, header: dict[str, Any], body: bytes) -> "Answer":
        """An answer frame, to be read as an `Execution`."""
        try:
            self.runs += 1
            self.unclean = header["unclean"]
            self.oom_killed = self.oom_killed or header["oom_killed"]
            out, err, result = header["sizes"]
            fetched = _fetched(job.fetch, header["fetched"], body[out + err + result :])
            times = [(int(lines), float(cpu), float(wall)) for lines, cpu, wall in header["times"]]
            facts: dict[str, Any] = {
                **{name: header[name] for name in FACTS},
                "memory_mb": header["memory_kb"] / 1024,
                "stdout": body[:out],
                "stderr": body[out : out + err],
                "files": fetched,
                "isolation": self.isolation,
            }
        except (KeyError, TypeError, ValueError) as error:
            raise BoxLost(f"unreadable answer ({type(error).__name__})") from error
        return lambda: with_claims(job, facts, body[out + err : out + err + result].split(b"\n"), times)

    def call(self, line: bytes, wait: float) -> bytes:
        """During a session: make one call and return its result line, or raise `SessionEnded` with the final facts."""
        self.tell({"op": "call"}, line)
        header, body = self.hear(wait)
        if header.get("event") != "result":
            raise SessionEnded(header, body)
        return body

    def tell(self, header: Any, *parts: bytes) -> None:
        """Send one frame."""
        text = marshal.dumps(header, 4)
        size = sum(map(len, parts))
        try:
            if size < 1 << 16:
                self.pipe.send(b"".join((LENGTHS.pack(len(text), size), text, *parts)))
            else:
                self.pipe.send(LENGTHS.pack(len(text), size) + text, *parts)
        except (OSError, ValueError) as error:
            raise BoxLost(f"gone while a job was sent ({error})", self.cause_of_death()) from error

    def hear(self, wait: float) -> tuple[dict[str, Any], bytes]:
        """The next frame, within this many seconds."""
        try:
            self.pipe.settimeout(wait)
            head, body = LENGTHS.unpack(self.pipe.receive(LENGTHS.size))
            if head > MAX_HEADER:
                raise BoxLost("answer header too long")
            return json.loads(self.pipe.receive(head)), self.pipe.receive(body)
        except TimeoutError as error:
            raise BoxLost(f"silent for {wait:.0f} s") from error
        except (EOFError, OSError, ValueError, RecursionError) as error:
            said = str(error).strip().rsplit("\n", 1)[-1]  # of a traceback, the line that names the error
            raise BoxLost(f"gone ({said[-300:]})", self.cause_of_death()) from error


class SessionEnded(Exception):  # noqa: N818
    """The program's process ended during a session; the final answer frame."""

    def __init__(self, header: dict[str, Any], body: bytes) -> None:
        super().__init__("the program ended")
        self.header = header
        self.body = body


def _command(job: Job, *, compiles: bool) -> tuple[str, Limits, Command]:
    """The name of the program's file, the limits and the command line of a job in another language than Python."""
    language = LANGUAGES[job.language]
    name, command = language.to_compile() if compiles else language.to_run(job.limits.memory_mb)
    no_address_limit = compiles or not language.address_limit
    return (
        name,
        job.limits.model_copy(
            update={
                "processes": job.limits.processes + (0 if compiles else language.threads),
                "memory_mb": 0 if no_address_limit else job.limits.memory_mb,
            }
        ),
        command,
    )


def _fetched(names: Sequence[str], sizes: Sequence[int], data: bytes) -> dict[str, bytes]:
    """The files that came back, by name."""
    found: dict[str, bytes] = {}
    for name, size in zip(names, sizes, strict=True):
        if size >= 0:
            found[name], data = data[:size], data[size:]
    return found


_split = functools.lru_cache(maxsize=64)(split)


def longest_wait(limits: Limits, runs: int = 1) -> float:
    """The longest time that a live box can be silent: on a busy machine an agent gives a program a multiple of its wall limit."""
    return PATIENCE * limits.deadline_s * runs + MARGIN_S


def _prelude(job: Job, mode: str) -> tuple[int, str]:
    """The number of an import block, and the source that runs before the program or the test program."""
    if mode in ("calls", "session"):
        return _split(job.prelude)
    return 0, {"script": job.prelude, "driver": job.driver_prelude}.get(mode, "")


def _limits(limits: Limits, lines: float) -> tuple[float, ...]:
    """In the order of `LIMITS` in `sandboxes.agent.receive`."""
    given = {**vars(limits), "wall_s": limits.deadline_s, "lines": lines}
    return tuple(-1.0 if given[name] is None else given[name] for name in LIMITS)


def _lines(job: Job, mode: str) -> float:
    """Result lines that a program owes at first: one when it is loaded, one a call. A test program may make any number of calls."""
    if mode == "driver":
        return math.inf
    return 1 + len(job.calls or ()) if mode == "calls" else 1


def resume(box: Box, job: Job, execution: Execution) -> Execution:
    """The first run's facts with more calls answered; a call that ended its process has that end as its error.

    The totals of the limits hold for all these processes together.
    """
    calls = list(execution.calls)
    wanted = job.calls or ()
    latest = execution
    left: Limits | None = job.limits
    for _ in range(MAX_DEATHS):
        if latest.lost is not None:
            return latest
        if len(calls) == len(wanted) or not latest.loaded or latest.error is not None or latest.limit == "output":
            break
        calls.append(CallResult(error=latest.describe(), cpu_s=latest.cpu_s, wall_s=latest.wall_s))
        left = _left(left, latest)
        if len(calls) < len(wanted) and left is not None:
            rest = job.model_copy(update={"calls": wanted[len(calls) :], "limits": left})
            box.send(rest)
            latest = box.receive(rest)
            calls += latest.calls
        elif left is None:
            break
    return execution.model_copy(update={"calls": tuple(calls)})


def _left(limits: Limits, spent: Execution) -> Limits | None:
    """The limits for what is left of a job; None if a total is used up."""
    totals: dict[str, float] = {}
    for name, used in (("total_cpu_s", spent.cpu_s), ("total_wall_s", spent.asleep_s)):
        total = getattr(limits, name)
        if total is not None:
            totals[name] = total - used
    return limits.model_copy(update=totals) if all(total > 0 for total in totals.values()) else None
