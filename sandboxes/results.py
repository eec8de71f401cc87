"""Turn the result pipe of a program's process into facts. Everything in it is the program's claim."""

from collections.abc import Sequence
from signal import SIGXFSZ
from typing import Any, cast

from sandboxes.agent.clocks import BUSY
from sandboxes.base import TOO_LONG, CallResult, Execution, Job
from sandboxes.json_depth import load_result
from sandboxes.languages import OUT_OF_MEMORY

__all__ = ["call_result", "result_line", "with_claims"]

CLAIMS: tuple[tuple[str, str], ...] = (
    ("MemoryError", "memory"),
    ("BlockingIOError: [Errno 11]", "processes"),
    ("RuntimeError: can't start new thread", "processes"),
    ("OSError: [Errno 27]", "file"),
    ("OSError: [Errno 28]", "file"),
)
"""How an uncaught exception shows that a limit was met; the program's own account, which can only harm itself."""


def result_line(line: bytes) -> dict[str, Any]:
    """A line of the result pipe, which the program may have written itself: an object, or an empty one for garbage."""
    try:
        found: Any = load_result(line)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _add_command(job: Job, facts: dict[str, Any], first: dict[str, Any]) -> None:
    """What the agent said before the program became another one, and how runtimes say that they met a limit."""
    if "missing" in first:
        tools = " and ".join(map(str, first["missing"]))
        facts["lost"] = (
            f"{job.language} programs need {tools}, not in this sandbox (see `Languages` in docs/sandboxes.md)"
        )
    if facts["limit"] is None and facts["signal"] == SIGXFSZ:
        facts["limit"] = "file"
    if facts["limit"] is None and facts["exit_code"] != 0 and any(word in facts["stderr"] for word in OUT_OF_MEMORY):
        facts["limit"] = "memory"


def call_result(line: bytes, most_bytes: int | None = None) -> CallResult:
    """One call's outcome from its line, which is not read if it is longer than `most_bytes`."""
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
    """Every line read: at once if that gives as many objects as there are lines, else one by one."""
    try:
        found: Any = load_result(b"[" + b",".join(lines) + b"]")
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
    if facts["limit"] == BUSY:
        facts["limit"] = None
        facts["lost"] = f"the machine is too busy: the program was ready but got few cores in {facts['wall_s']:.0f} s"
    first = result_line(lines[0]) if lines and lines[0] else {}
    if job.language != "python":
        _add_command(job, facts, first)
        first = {}
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
