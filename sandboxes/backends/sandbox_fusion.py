"""The backend for a server with SandboxFusion's `/run_code`: SandboxFusion, `rewardkit serve`, or a compatible server.

Known traps of such servers, and what is done here: more than 192 KiB of output hangs or is cut (output travels packed, in a
file); bytes that are not UTF-8 are replaced (base64); `/submit` lower-cases and compares on the server (never used);
`memory_limit_MB` and timeouts are ignored by some (limits are set again inside); a failing server answers as if the program
had failed (only an answer that our own wrapper wrote counts as one, everything else is retried, then `lost`).

How strong a remote server is can't be seen from here, so results say `weak`; programs there may share a machine and a user.
"""

import base64
import contextlib
import http.client
import json
import os
import threading
import time
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from concurrent.futures.thread import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar, cast
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from sandboxes.base import Execution, Isolation, Job, Sandbox, Stop, as_bytes, closed_error, when_cancelled
from sandboxes.compile import first_error
from sandboxes.errors import JobRefused, SandboxError, SandboxUnavailable
from sandboxes.json_depth import load_result
from sandboxes.results import with_claims

__all__ = ["RemoteSandbox"]

CONNECT_S = 10.0
ATTEMPTS = 2
PAUSE_S = 1.0
SLACK_S = 10.0
CALLS_AT_LIMIT = 4
"""A server has one clock for a whole run: all calls of a job together get this many times the limit of one."""
COMPILE_S = 60.0
CUT_BYTES = 190_000
"""Of a program in another language, whose output can't be packed: from here on the server may cut it."""
LINE_BYTES = 128 << 10
"""Longer answers come back as a file."""
ANSWER_FILE = "rewardkit-answer.json"
HERE = Path(__file__).parent


class _Result(BaseModel):
    """How one command went, in the server's words."""

    model_config = ConfigDict(frozen=True, strict=True)
    status: str | None = None
    return_code: int | None = None
    stdout: str | None = None
    stderr: str | None = None
    execution_time: float | None = Field(default=None, allow_inf_nan=False)


class _Answer(BaseModel):
    """What the server says of a program."""

    model_config = ConfigDict(frozen=True, strict=True)
    status: str = ""
    message: str | None = None
    compile_result: _Result | None = None
    run_result: _Result | None = None
    files: dict[str, str] | None = None


class _NoFile(Exception):  # noqa: N818
    """The server did not send the file back."""


class RemoteSandbox(Sandbox):
    """Jobs over HTTP; `workers` requests at once."""

    name: ClassVar[str] = "remote"
    isolation: Isolation = "weak"

    def __init__(self, url: str, *, workers: int | None = None) -> None:
        self.url = urlsplit(url if "//" in url else f"http://{url}")
        if self.url.scheme not in ("http", "https") or not self.url.hostname:
            raise SandboxUnavailable(f"{url!r} is not an HTTP address", cure="write remote:http://HOST:PORT")
        self.workers = workers or min(4 * (os.cpu_count() or 1), 32)
        self.closed = False
        self._local = threading.local()
        self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="sandbox-remote")
        self._wrapper = (HERE / "sandbox_fusion_wrapper.py").read_text(encoding="utf-8")
        self._sources = {
            name: (HERE.parent / "agent" / name).read_text(encoding="utf-8")
            for name in ("calls.py", "codec.py", "decode.py")
        }
        probe = self._run(Job(program="print('ready')"))
        if probe.stdout != b"ready\n":
            why = probe.lost or probe.describe()
            raise SandboxUnavailable(f"{url} does not run programs ({why})", cure="is a SandboxFusion server there?")

    def submit(self, jobs: Sequence[Job], *, stop: Stop | None = None) -> "Future[list[Execution]]":
        """Send each job as a request of its own; with `stop`, one after the other. Requests under way can't be cancelled."""
        if self.closed:
            raise closed_error(self.name)
        for job in jobs:
            if job.driver is not None:
                raise JobRefused(
                    "a remote server can't separate a test program from the program under test", cure="use docker"
                )
        if stop is not None:
            return self._threads.submit(self._run_until, jobs, stop)
        singles = [self._threads.submit(self._run, job) for job in jobs]
        done: Future[list[Execution]] = Future()
        left = len(singles)
        lock = threading.Lock()

        def finish(_: "Future[Execution]") -> None:
            nonlocal left
            with lock:
                left -= 1
                if left:
                    return
            with contextlib.suppress(InvalidStateError):  # cancelled
                try:
                    done.set_result([single.result() for single in singles])
                except BaseException as error:  # noqa: BLE001  (the boundary: a failure belongs to the caller's future)
                    done.set_exception(error)

        def drop() -> None:
            for single in singles:
                single.cancel()

        if not singles:
            done.set_result([])
        done.add_done_callback(lambda _: when_cancelled(done, drop))
        for single in singles:
            single.add_done_callback(finish)
        return done

    def facts(self) -> Mapping[str, object]:
        """Address and strength."""
        return {"name": self.name, "isolation": self.isolation, "workers": self.workers, "url": self.url.geturl()}

    def close(self) -> None:
        """Take no more jobs; requests under way end."""
        self.closed = True
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _run_until(self, jobs: Sequence[Job], stop: Stop) -> list[Execution]:
        facts: list[Execution] = []
        for index, job in enumerate(jobs):
            facts.append(self._run(job))
            if stop(index, facts[-1]):
                break
        return facts

    def _run(self, job: Job) -> Execution:
        """One job, tried twice; what fails twice is lost."""
        native = job.language != "python"
        calls = min(len(job.calls), CALLS_AT_LIMIT) if job.calls else 1
        wall_s = job.limits.deadline_s * calls
        line_bytes = LINE_BYTES
        problems: list[str] = []
        while len(problems) < ATTEMPTS:
            if problems:
                time.sleep(PAUSE_S)
            try:
                request = _native_request(job) if native else self._request(job, wall_s, calls, line_bytes)
                answer = self._post(request, wall_s + CONNECT_S + 2 * SLACK_S + COMPILE_S * native)
                return _read_native(job, answer) if native else self._read(job, answer)
            except _NoFile:
                if line_bytes != LINE_BYTES:
                    problems.append("the answer's file did not come back")
                line_bytes = 1 << 30  # a server that returns no files: then it may take long lines
            except Exception as error:  # noqa: BLE001 - the network, the server and what it sent fail in many ways
                problems.append(" ".join(f"{type(error).__name__}: {error}".split())[:200])
        return Execution(lost="; ".join(problems), isolation=self.isolation)

    def _request(self, job: Job, wall_s: float, calls: int, line_bytes: int) -> dict[str, Any]:
        cpu_s = min(job.limits.cpu_s * calls, job.limits.total_cpu_s or float("inf"))
        content = {
            "program": _packed(job.program),
            "prelude": _packed(job.prelude),
            "stdin": _packed(job.stdin),
            "calls": _packed(b"".join(call.line for call in job.calls or ())),
            "files": {name: _packed(data) for name, data in job.files.items()},
            "fetch": list(job.fetch),
            "argv": list(job.argv),
            "line_bytes": line_bytes,
            "entry_point": (job.entry_point or "") if job.calls is not None else None,
            "sources": self._sources if job.calls is not None else {},
            "limits": {**job.limits.model_dump(), "wall_s": wall_s, "cpu_s": cpu_s},
        }
        packed = base64.b64encode(json.dumps(content).encode()).decode()
        code = self._wrapper.replace('JOB: str = ""', f'JOB: str = "{packed}"', 1)
        return {
            "code": code,
            "language": "python",
            "stdin": "",
            "run_timeout": wall_s + SLACK_S,
            "compile_timeout": SLACK_S,
            "memory_limit_MB": job.limits.memory_mb + 256,
            "fetch_files": [ANSWER_FILE],
        }

    def _post(self, body: dict[str, Any], timeout: float) -> _Answer:
        secure = self.url.scheme == "https"
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
            connection = kind(self.url.hostname or "", self.url.port, timeout=timeout)
            self._local.connection = connection
        connection.timeout = timeout
        try:
            path = self.url.path.rstrip("/")
            path = path if path.endswith("/run_code") else f"{path}/run_code"
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            text = response.read()
        except BaseException:
            connection.close()
            self._local.connection = None
            raise
        if response.status != 200:
            raise SandboxError(f"HTTP {response.status} {text[:200]!r}")
        return _Answer.model_validate_json(text)

    def _read(self, job: Job, answer: _Answer) -> Execution:
        """The wrapper's answer as facts; anything else is the server's failure and raises."""
        run = answer.run_result or _Result()
        line = (run.stdout or "").strip().rpartition("\n")[2]
        found: Any = load_result(line) if line.startswith("{") else {}
        if isinstance(found, dict) and "file" in found:
            if not answer.files or ANSWER_FILE not in answer.files:
                raise _NoFile
            found = load_result(base64.b64decode(answer.files[ANSWER_FILE]))
        if not isinstance(found, dict) or "stdout" not in found:
            raise SandboxError(f"no answer from the wrapper: {answer.status}, {run.status}, {answer.message!r}")
        facts = cast("dict[str, Any]", found)
        limits = job.limits
        code = int(facts["code"])
        out, err, result = (
            zlib.decompressobj().decompress(base64.b64decode(facts[key]), 1 << 28)
            for key in ("stdout", "stderr", "result")
        )
        cpu_s = float(facts["cpu"])
        limit = (
            "wall"
            if facts["timed_out"]
            else "output"
            if facts["truncated"]
            else "cpu"
            if code in (-24, -9) and cpu_s >= limits.cpu_s
            else None
        )
        seen: dict[str, Any] = {
            "exit_code": code if code >= 0 and limit is None else None,
            "signal": -code if code < 0 else None,
            "limit": limit,
            "cpu_s": cpu_s,
            "wall_s": float(facts["wall"]),
            "asleep_s": max(float(facts["wall"]) - cpu_s, 0.0),  # how busy the server is can't be seen from here
            "memory_mb": 0.0,  # the interpreter's own peak is in it, so it says little
            "truncated": bool(facts["truncated"]),
            "stdout": out,
            "stderr": err,
            "files": {
                name: zlib.decompressobj().decompress(base64.b64decode(data), limits.file_bytes)
                for name, data in facts["files"].items()
                if name in job.fetch
            },
            "isolation": self.isolation,
        }
        if job.calls is None and code == 1:
            _claim(seen, err)
        return with_claims(job, seen, result.split(b"\n"), [])


def _native_request(job: Job) -> dict[str, Any]:
    """A program in another language, which the server compiles and runs as it sees fit."""
    if job.argv:
        raise SandboxError("a remote server can't pass arguments to programs in other languages")
    return {
        "code": _text(job.program),
        "language": "nodejs" if job.language == "javascript" else job.language,
        "stdin": _text(job.stdin),
        "compile_timeout": COMPILE_S,
        "run_timeout": job.limits.deadline_s,
        "memory_limit_MB": job.limits.memory_mb,
        "files": {name: _packed(data) for name, data in job.files.items()},
        "fetch_files": list(job.fetch),
    }


def _read_native(job: Job, answer: _Answer) -> Execution:
    """The server's own words as facts; what may be cut, or is its own failure, raises."""
    compiled, run = answer.compile_result, answer.run_result or _Result()
    if answer.status not in ("Success", "Failed") or not (compiled or answer.run_result):
        raise SandboxError(f"{answer.status}: {answer.message!r}")
    if compiled is not None and compiled.status not in (None, "Finished", "TimeLimitExceeded"):
        raise SandboxError(f"the compiler ended as {compiled.status!r}")
    if compiled is not None and (compiled.status == "TimeLimitExceeded" or compiled.return_code):
        return Execution(
            compile_error=first_error(f"{compiled.stderr or ''}\n{compiled.stdout or ''}"), isolation="weak"
        )
    out, err = (run.stdout or "").encode(), (run.stderr or "").encode()
    if len(out) >= CUT_BYTES:
        raise SandboxError(f"{len(out)} bytes of output, which the server may have cut")
    late = run.status == "TimeLimitExceeded"
    if not late and (run.status != "Finished" or run.return_code is None):
        raise SandboxError(f"the run ended as {run.status!r}")
    return Execution(
        exit_code=None if late else run.return_code,
        limit="wall" if late else None,
        wall_s=run.execution_time or 0.0,
        stdout=out,
        stderr=err,
        files={name: base64.b64decode(data) for name, data in (answer.files or {}).items() if name in job.fetch},
        isolation="weak",
    )


def _claim(seen: dict[str, Any], stderr: bytes) -> None:
    """A plain interpreter says on stderr how a script failed: its last line, and for syntax errors without a frame of its own."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    last = lines[-1][:500] if lines else ""
    if last.startswith(("SyntaxError", "IndentationError", "TabError")) and "Traceback" not in lines[0]:
        seen["compile_error"] = last
    else:
        seen["error"] = last or None


def _text(data: str | bytes) -> str:
    """As JSON takes it; what is not text can't be sent, and raises `ValueError`."""
    return data if isinstance(data, str) else data.decode()


def _packed(data: str | bytes) -> str:
    return base64.b64encode(as_bytes(data)).decode()
