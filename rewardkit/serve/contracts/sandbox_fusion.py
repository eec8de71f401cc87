"""SandboxFusion's `/run_code`, so that verl, Open-AgentRL and others point `sandbox_fusion_url` here unchanged.

Request and answer have SandboxFusion's fields (sandbox/server/sandbox_api.py). Programs run in the server's own sandbox:
no network, hard limits, nothing left behind. A failure of ours is HTTP 503 (its own package retries) or 504 (verl's client
retries), never `Failed`. Differences, each on purpose: the CPU clock is the time limit and the wall clock only catches
sleepers; a program is compiled with the sandbox's own limits, whatever `compile_timeout` says.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from rewardkit.serve import api
from rewardkit.serve.bodies import RefusedError, parse
from rewardkit.serve.service import Service
from sandboxes.languages import LANGUAGES, language_name

if TYPE_CHECKING:
    from sandboxes import Execution, Job

Seconds = Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)]
MAX_MEMORY_MB = 1024
"""What a box has: a caller's larger wish is cut to it, a smaller one is kept."""
GRACE_S = 5.0
"""Time for a program beyond its own limits, before 504: verl's client stops waiting after ten more seconds."""
MIN_MEMORY_MB = 64
"""Python itself does not start in less."""
_RUN_ERRORS = (400, 401, 408, 413, 422, 429, 503)


class RunCodeRequest(BaseModel):
    """What SandboxFusion's clients send."""

    model_config = ConfigDict(extra="ignore", strict=True)

    code: str
    language: str
    stdin: str | None = None
    compile_timeout: Seconds = 10
    run_timeout: Seconds = 10
    memory_limit_MB: int = -1  # noqa: N815 - the field's name in SandboxFusion
    """Negative: no wish."""
    files: dict[str, str | None] = Field(default_factory=dict[str, str | None])
    """Relative path -> base64 of the content."""
    fetch_files: list[str] = Field(default_factory=list[str])


class CommandResult(BaseModel):
    """How one command went."""

    status: Literal["Finished", "Error", "TimeLimitExceeded"]
    execution_time: float | None = None
    return_code: int | None = None
    stdout: str | None = None
    stderr: str | None = None


class RunCodeResponse(BaseModel):
    """What SandboxFusion's clients read."""

    status: Literal["Success", "Failed", "SandboxError"]
    message: str = ""
    compile_result: CommandResult | None = None
    run_result: CommandResult | None = None
    executor_pod_name: str | None = None
    files: dict[str, str] = Field(default_factory=dict[str, str])


def router(service: Service) -> APIRouter:
    """The routes of this contract."""
    routes = APIRouter(tags=["sandbox"])
    running = asyncio.Semaphore(service.limits.queue_rows)

    @routes.post(
        "/run_code",
        responses={
            **api.errors(service, *_RUN_ERRORS),
            504: {"model": api.Error, "description": "The sandbox was lost."},
        },
        openapi_extra=api.json_body(RunCodeRequest),
    )
    async def run_code(request: Request) -> RunCodeResponse:
        """Run one program."""
        async with service.body(request) as body:
            asked = await service.read(partial(parse, RunCodeRequest), body)
            if running.locked():
                raise RefusedError(429, "too many programs at once", why="full", headers={"retry-after": "1"})
            if language_of(asked) is None:
                known = ", ".join(("python", "pytest", *LANGUAGES))
                return RunCodeResponse(
                    status="SandboxError", message=f"this sandbox runs {known}, not {asked.language[:40]}"
                )
            job = job_of(asked)
            usage = service.tokens.charge(request, 1)
            try:
                async with running, asyncio.timeout(asked.compile_timeout + asked.run_timeout + GRACE_S):
                    execution = await service.attended(request, _run(service, job))
            except TimeoutError:
                raise RefusedError(504, "the machine was too busy to run the program in time", why="busy") from None
            finally:
                usage.rows -= 1
        answer = answer_of(execution, compiled=job.language != "python")
        service.metrics.runs.labels(answer.status).inc()
        return answer

    @routes.get("/v1/ping", responses=api.errors(service, 401))
    async def ping() -> str:
        """SandboxFusion's sign of life."""
        return "pong"

    return routes


async def _run(service: Service, job: Job) -> Execution:
    from sandboxes.errors import JobRefused, SandboxError

    if service.sandbox is None or service.draining:
        raise RefusedError(503, "no sandbox is up", why="sandbox", headers={"retry-after": "5"})
    try:
        (execution,) = await service.sandbox.run_async([job])
    except JobRefused as error:
        raise RefusedError(422, str(error), why="shape") from None
    except SandboxError as error:
        service.metrics.runs.labels("unavailable").inc()
        raise RefusedError(503, str(error), why="sandbox", headers={"retry-after": "5"}) from None
    if execution.lost is not None and job.language == "python":
        service.metrics.runs.labels("lost").inc()
        raise RefusedError(504, f"the sandbox was lost: {execution.lost}", why="sandbox")
    return execution


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
            raise RefusedError(422, f"files.{name[:100]}: not base64", why="shape") from None
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
