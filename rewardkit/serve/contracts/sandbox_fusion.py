"""SandboxFusion's `/run_code`, so that verl, Open-AgentRL and others point `sandbox_fusion_url` here unchanged.

Request and answer have SandboxFusion's fields (sandbox/server/sandbox_api.py). Programs run in the server's own sandbox:
no network, hard limits, nothing left behind. A failure of ours is HTTP 503 (its own package retries) or 504 (verl's client
retries), never `Failed`. Differences, each on purpose: the CPU clock is the time limit and the wall clock only catches
sleepers; a program is compiled with the sandbox's own limits, whatever `compile_timeout` says.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from rewardkit.base import SampleReward
from rewardkit.client import TIME_IS_UP
from rewardkit.code.shared import shared_sandbox
from rewardkit.errors import clip
from rewardkit.serve.bodies import convert, parse
from rewardkit.serve.http import Answer, RefusedError, Request, Route, encode
from rewardkit.serve.service import Service
from rewardkit.types import Sample, Score, Verdict
from sandboxes.errors import JobRefused, SandboxError
from sandboxes.languages import LANGUAGES, language_name

if TYPE_CHECKING:
    from sandboxes import Execution, Job

Seconds = Annotated[float, msgspec.Meta(gt=0, le=600)]
MAX_MEMORY_MB = 1024
"""What a box has: a caller's larger wish is cut to it, a smaller one is kept."""
GRACE_S = 5.0
"""Time for a program beyond its own limits, before 504: verl's client stops waiting after ten more seconds."""
MIN_MEMORY_MB = 64
"""Python itself does not start in less."""
_RUN_ERRORS = (400, 401, 408, 413, 422, 429, 503, 504)


class RunCodeRequest(msgspec.Struct):
    """What SandboxFusion's clients send."""

    code: str
    language: str
    stdin: str | None = None
    compile_timeout: Seconds = 10
    run_timeout: Seconds = 10
    memory_limit_MB: int = -1  # noqa: N815 - the field's name in SandboxFusion
    """Negative: no wish."""
    files: dict[str, str | None] = {}
    """Relative path -> base64 of the content."""
    fetch_files: list[str] = []


class CommandResult(msgspec.Struct):
    """How one command went."""

    status: Literal["Finished", "Error", "TimeLimitExceeded"]
    execution_time: float | None = None
    return_code: int | None = None
    stdout: str | None = None
    stderr: str | None = None


class RunCodeResponse(msgspec.Struct):
    """What SandboxFusion's clients read."""

    status: Literal["Success", "Failed", "SandboxError"]
    message: str = ""
    compile_result: CommandResult | None = None
    run_result: CommandResult | None = None
    executor_pod_name: str | None = None
    files: dict[str, str] = {}


@dataclass(frozen=True, kw_only=True)
class RunCode(SampleReward):
    """Runs a program: the completion is its text, `extra_info` the request, the score's answer the response as JSON.

    So programs of `/run_code` wait, take turns and end as rows do. A row that is unjudged has its HTTP status among its parts.
    """

    name: ClassVar[str] = "run_code"
    source: ClassVar[str] = "rewardkit"
    needs: ClassVar[tuple[str, ...]] = ("completion", "sandbox")

    def grade(self, sample: Sample) -> Score:
        """Run it."""
        asked = convert({**sample.extra_info, "code": sample.completion}, RunCodeRequest)
        job = job_of(asked)
        try:
            (execution,) = shared_sandbox().run([job])
        except SandboxError as error:
            return Score.unjudged(str(error), parts={"status": 422 if isinstance(error, JobRefused) else 503})
        if execution.lost is not None and job.language == "python":
            return Score.unjudged(f"the sandbox was lost: {execution.lost}", parts={"status": 504})
        answer = answer_of(execution, compiled=job.language != "python")
        late = answer.run_result is not None and answer.run_result.status == "TimeLimitExceeded"
        verdict = Verdict.TIME_LIMIT if late else None
        said = encode(answer).decode()
        return Score.of(answer.status == "Success", verdict=verdict, answer=said, reason=answer.status)


def routes(service: Service) -> list[Route]:
    """The routes of this contract."""

    async def run_code(request: Request) -> Answer:
        async with service.body(request) as body:
            asked = await service.read(partial(parse, RunCodeRequest), body)
            if language_of(asked) is None:
                known = ", ".join(("python", "pytest", *LANGUAGES))
                message = f"this sandbox runs {known}, not {clip(asked.language, 40)}"
                return Answer(encode(RunCodeResponse(status="SandboxError", message=message)))
            job_of(asked)  # or it is refused now
            limit_s = asked.compile_timeout + asked.run_timeout + GRACE_S
            async with service.judging(request, service.run_code, [_row(asked)], limit_s) as scores:
                (score,) = await scores.all()
        if score.answer is not None:
            service.metrics.runs.labels(score.reason).inc()
            return Answer(score.answer.encode())
        late = score.reason.startswith(TIME_IS_UP)
        status = round(score.parts.get("status") or (504 if late else 503))
        service.metrics.runs.labels("lost" if status == 504 else "unavailable").inc()
        message = "the machine was too busy to run the program in time" if late else score.reason
        raise RefusedError(status, message, why="sandbox", headers={"retry-after": "5"} if status == 503 else None)

    async def ping(_: Request) -> Answer:
        return Answer(encode("pong"))

    return [
        Route(
            "/run_code", run_code, "Run one program.", tag="sandbox",
            asks=RunCodeRequest, gives=RunCodeResponse, errors=_RUN_ERRORS,
        ),
        Route("/v1/ping", ping, "SandboxFusion's sign of life.", "GET", "sandbox", gives=str, errors=(401,)),
    ]  # fmt: skip


def _row(asked: RunCodeRequest) -> bytes:
    rest = msgspec.to_builtins(asked)
    return json.dumps({"completion": rest.pop("code"), "extra_info": rest}).encode()


def language_of(asked: RunCodeRequest) -> str | None:
    """The language as `Job` knows it; None for one that is not spoken here."""
    return "python" if asked.language == "pytest" else language_name(asked.language)


def job_of(asked: RunCodeRequest) -> Job:
    """A request as a job.

    Raises:
        RefusedError: a file is not base64, or its path leads outside.
    """
    from sandboxes import Job, Limits

    files: dict[str, str | bytes] = {}
    for name, text in asked.files.items():
        try:
            files[name] = base64.b64decode(text or "", validate=True)
        except (binascii.Error, ValueError):
            raise RefusedError(422, f"files.{clip(name, 100)}: not base64", why="shape") from None
    program = asked.code
    if asked.language == "pytest":
        files["test_submission.py"] = asked.code
        program = _PYTEST
    wish = asked.memory_limit_MB
    memory_mb = MAX_MEMORY_MB if wish < 0 else max(MIN_MEMORY_MB, min(wish, MAX_MEMORY_MB))
    try:
        return Job(
            program=program,
            stdin=asked.stdin or "",
            language=language_of(asked) or "python",
            files=files,
            fetch=tuple(asked.fetch_files),
            limits=Limits(cpu_s=asked.run_timeout, memory_mb=memory_mb),
        )
    except ValueError as error:
        raise RefusedError(422, f"files: {str(error).splitlines()[-2].strip()}", why="shape") from None


_PYTEST = "import sys, pytest\nsys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'test_submission.py']))\n"


def answer_of(execution: Execution, *, compiled: bool = False) -> RunCodeResponse:
    """Facts in SandboxFusion's words. `limit` has no word there: a memory limit is exit code 137, as its own OOM kill."""
    if execution.lost is not None:
        return RunCodeResponse(status="SandboxError", message=execution.lost)
    if compiled and execution.compile_error is not None:
        said = execution.stderr_text or execution.compile_error
        return RunCodeResponse(
            status="Failed", compile_result=CommandResult(status="Finished", return_code=1, stdout="", stderr=said)
        )
    answer = _run_answer(execution)
    answer.files = {name: base64.b64encode(data).decode() for name, data in execution.files.items()}
    if compiled:
        answer.compile_result = CommandResult(status="Finished", return_code=0, stdout="", stderr="")
    return answer


def _run_answer(execution: Execution) -> RunCodeResponse:
    if execution.compile_error is not None:
        return RunCodeResponse(
            status="Failed",
            run_result=CommandResult(
                status="Finished",
                execution_time=execution.wall_s,
                return_code=1,
                stdout="",
                stderr=execution.compile_error + "\n",
            ),
        )
    result: dict[str, Any] = {
        "execution_time": execution.wall_s,
        "stdout": execution.stdout_text,
        "stderr": execution.stderr_text,
    }
    if execution.limit in ("cpu", "wall"):
        return RunCodeResponse(status="Failed", run_result=CommandResult(status="TimeLimitExceeded", **result))
    code = execution.exit_code
    if code is None:
        code = 137 if execution.signal is None else 128 + execution.signal
    if execution.limit is not None:
        code = code or 137
        result["stderr"] += f"\n{execution.describe()}\n"
    run_result = CommandResult(status="Finished", return_code=code, **result)
    return RunCodeResponse(status="Success" if code == 0 else "Failed", run_result=run_result)
