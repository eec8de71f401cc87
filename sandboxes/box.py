"""The host's end of one box: jobs to frames, frames to facts. Knows pipes, not containers."""

import functools
import json
import marshal
import math
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, cast

from sandboxes.agent.monitor import PATIENCE
from sandboxes.agent.preload import ON_DEMAND, split
from sandboxes.agent.receive import MODES
from sandboxes.base import TOO_LONG, CallResult, Execution, Isolation, Job, Limits

__all__ = ["Answer", "Box", "BoxLost", "Cause", "Pipe", "SessionEnded", "call_result", "result_line", "with_claims"]

LENGTHS = struct.Struct("!II")
MAX_HEADER = 1 << 24
Cause = Literal["memory", "outside", "unknown"]
"""memory: the kernel killed the whole box for it. outside: someone on the host killed it, which no program in it can do."""
MARGIN_S = 30.0
"""Beyond the sum of a job's own limits, a box that says nothing for this long counts as dead."""
NO_ANSWER = CallResult(error="no result")
NAMED = tuple(name.encode() for name in ON_DEMAND)
CLAIMS: tuple[tuple[str, str], ...] = (
    ("MemoryError", "memory"),
    ("BlockingIOError: [Errno 11]", "processes"),
    ("RuntimeError: can't start new thread", "processes"),
    ("OSError: [Errno 27]", "file"),
    ("OSError: [Errno 28]", "file"),
)
"""How an uncaught exception shows that a limit was met; the program's own account, which can only harm itself."""


Answer = Callable[[], Execution]
"""What a box sent back, to be read: that takes a while where a program answered many calls."""


class BoxLost(Exception):  # noqa: N818
    """The box died, hung or spoke nonsense."""

    def __init__(self, why: str, cause: Cause = "unknown") -> None:
        super().__init__(why)
        self.cause: Cause = cause


class Pipe(Protocol):
    """A byte stream to the agent and back."""

    def send(self, *parts: "bytes | memoryview") -> None:
        """Send all."""
        ...

    def receive(self, size: int) -> bytes:
        """Exactly so many bytes, or `EOFError` or `TimeoutError`."""
        ...

    def settimeout(self, seconds: float) -> None:
        """Bound on each wait."""
        ...

    def silent(self) -> bool:
        """Nothing is there to read, not even an end: so it is with an idle box that lives."""
        ...

    def hang_up(self) -> None:
        """From another thread: whoever sends or waits meets the end of the stream."""
        ...

    def close(self) -> None:
        """Free it; nobody uses it any more."""
        ...


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
        self.hello = self.hear(MARGIN_S)[0]

    @abstractmethod
    def close(self) -> None:
        """Kill it and remove what was made for it."""

    def interrupt(self) -> None:
        """End its work from another thread: the one that uses it meets `BoxLost`. It is to be closed then."""
        self.pipe.hang_up()

    def cause_of_death(self) -> Cause:
        """Why the box is gone, as far as can be told."""
        return "unknown"

    def send(self, job: Job, *, mode: str | None = None) -> None:
        """Start a job."""
        mode = mode or ("script" if job.calls is None else "calls")
        source = job.driver if mode == "driver" else job.program
        program = _bytes(source or b"")
        block, prelude = (
            _split(job.prelude) if mode in ("calls", "session") else (0, job.prelude if mode == "script" else "")
        )
        parts = (
            program if program != self.program else None,
            prelude.encode("utf-8", "surrogateescape") if prelude and prelude != self.prelude else None,
            _bytes(job.stdin),
            b"".join([call.line for call in job.calls or ()]) if mode == "calls" else b"",
        )
        held = [(name, _bytes(data)) for name, data in job.files.items()]
        if parts[0] is not None or parts[1]:
            texts = (program, prelude.encode("utf-8", "surrogateescape"))
            self.named = sum(1 << bit for bit, name in enumerate(NAMED) if any(name in text for text in texts))
        order = (
            MODES.index(mode),
            job.entry_point or "",
            list(job.argv),
            bool(prelude),
            self.named,
            _limits(job.limits, _lines(job, mode)),
            tuple(-1 if part is None else len(part) for part in parts),
            [(name, len(data)) for name, data in held],
            block,
        )
        self.program = program
        self.prelude = prelude or self.prelude
        self.tell(order, *(part for part in parts if part), *(data for _, data in held))

    def answer(self, job: Job) -> "Answer":
        """Wait for the answer to the job that was sent; the box is free then, whenever the answer is read."""
        return self._answer(job, *self.hear(longest_wait(job.limits, len(job.calls or ()) + 1)))

    def receive(self, job: Job) -> Execution:
        """The facts of the job that was sent."""
        return self.answer(job)()

    def facts(self, job: Job, header: dict[str, Any], body: bytes) -> Execution:
        """An answer frame as an `Execution`."""
        return self._answer(job, header, body)()

    def _answer(self, job: Job, header: dict[str, Any], body: bytes) -> "Answer":
        try:
            self.runs += 1
            self.unclean = header["unclean"]
            out, err, result = header["sizes"]
            times = [(int(lines), float(cpu), float(wall)) for lines, cpu, wall in header["times"]]
            facts: dict[str, Any] = {
                "exit_code": header["exit"],
                "signal": header["signal"],
                "limit": header["limit"],
                "cpu_s": header["cpu"],
                "wall_s": header["wall"],
                "memory_mb": header["memory_kb"] / 1024,
                "truncated": header["truncated"],
                "stdout": body[:out],
                "stderr": body[out : out + err],
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
        """The next frame, within so many seconds."""
        try:
            self.pipe.settimeout(wait)
            head, body = LENGTHS.unpack(self.pipe.receive(LENGTHS.size))
            if head > MAX_HEADER:
                raise BoxLost("answer header too long")
            return json.loads(self.pipe.receive(head)), self.pipe.receive(body)
        except TimeoutError as error:
            raise BoxLost(f"silent for {wait:.0f} s") from error
        except (EOFError, OSError, ValueError) as error:
            raise BoxLost(f"gone ({str(error)[-300:]})", self.cause_of_death()) from error


class SessionEnded(Exception):  # noqa: N818
    """The program's process ended during a session; the final answer frame."""

    def __init__(self, header: dict[str, Any], body: bytes) -> None:
        super().__init__("the program ended")
        self.header = header
        self.body = body


_split = functools.lru_cache(maxsize=256)(split)


def longest_wait(limits: Limits, runs: int = 1) -> float:
    """So long a box that lives may say nothing: on a busy machine an agent gives a program a multiple of its wall limit."""
    return PATIENCE * limits.deadline_s * runs + MARGIN_S


def _limits(limits: Limits, lines: float) -> tuple[float, ...]:
    """In the order of `LIMITS` in `sandboxes.agent.receive`."""
    return (
        limits.cpu_s,
        limits.deadline_s,
        -1.0 if limits.total_cpu_s is None else limits.total_cpu_s,
        limits.output_bytes,
        limits.memory_mb,
        limits.processes,
        limits.file_bytes,
        -1.0 if limits.total_wall_s is None else limits.total_wall_s,
        lines,
    )


def _lines(job: Job, mode: str) -> float:
    """Result lines that a program owes at first: one when it is loaded, one a call. A test program may make any number of calls."""
    if mode == "driver":
        return math.inf
    return 1 + len(job.calls or ()) if mode == "calls" else 1


def result_line(line: bytes) -> dict[str, Any]:
    """A line of the result pipe, which the program may have written itself: an object, or an empty one for garbage."""
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def call_result(line: bytes, most_bytes: int | None = None) -> CallResult:
    """One call's outcome from its line, which is not read where it is longer than `most_bytes`."""
    return _call_results([line], [most_bytes], [(0.0, 0.0)])[0]


def _call_results(
    lines: Sequence[bytes], bounds: Sequence[int | None], spent: Sequence[tuple[float, float]]
) -> tuple[CallResult, ...]:
    short = [bound is None or len(line) <= bound for line, bound in zip(lines, bounds, strict=True)]
    found = _all_lines([line if fits else b"{}" for line, fits in zip(lines, short, strict=True)])
    return tuple(map(_call_result, lines, short, found, spent))


def _call_result(line: bytes, fits: bool, found: dict[str, Any], spent: tuple[float, float]) -> CallResult:
    if "v" in found:
        return CallResult(value=found["v"], cpu_s=spent[0], wall_s=spent[1], size=len(line))
    error = found.get("e")
    told = error[:600] if isinstance(error, str) else "unreadable result"
    if not fits:
        told = f"{TOO_LONG}: {len(line):,} bytes"
    return CallResult(error=told, cpu_s=spent[0], wall_s=spent[1], size=len(line))


def _all_lines(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """Every line read: at once where that gives as many objects as there are lines, else one by one."""
    try:
        found: Any = json.loads(b"[" + b",".join(lines) + b"]")
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list) and len(cast("list[Any]", found)) == len(lines):
        objects = cast("list[Any]", found)
        if all(type(item) is dict for item in objects):
            return objects
    return [result_line(line) for line in lines]


def _spent(times: list[tuple[int, float, float]], count: int) -> list[tuple[float, float]]:
    """CPU and wall seconds of each call; the first line there was is not a call's."""
    spent: list[tuple[float, float]] = []
    for lines, cpu, wall in times:
        if len(spent) > count:
            break
        spent += [(cpu, wall)] * min(lines, count + 1)
    return [*spent[1:], *[(0.0, 0.0)] * count]


def with_claims(
    job: Job, facts: dict[str, Any], lines: Sequence[bytes], times: list[tuple[int, float, float]]
) -> Execution:
    """Add what the program's own process said on its result pipe: compile error, exception, results."""
    first = result_line(lines[0]) if lines and lines[0] else {}
    compile_error, error = first.get("c"), first.get("e") or facts.get("error")
    if isinstance(compile_error, str):
        facts["compile_error"] = compile_error[:600]
    elif "ready" in first and job.driver is not None:
        facts["loaded"] = True
    elif "ready" in first and job.calls is not None:
        facts["loaded"] = True
        complete = lines[1:-1][: len(job.calls)]  # the last piece has no newline: an unfinished or empty line
        bounds = [call.most_bytes for call in job.calls[: len(complete)]]
        facts["calls"] = _call_results(complete, bounds, _spent(times, len(complete)))
        tail = lines[1 + len(complete) : -1]
        error = result_line(tail[0]).get("e") if tail else None
    if isinstance(error, str):
        facts["error"] = error[:600]
        if facts["limit"] is None:
            facts["limit"] = next((limit for start, limit in CLAIMS if error.startswith(start)), None)
    if facts["limit"] in (None, "cpu", "wall") and facts["memory_mb"] > job.limits.memory_mb:
        facts["limit"] = "memory"
    return Execution(**facts)


def _bytes(data: str | bytes) -> bytes:
    return data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
