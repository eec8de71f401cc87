"""SandboxFusion's `/run_code`: the mapping with a fake sandbox, then verl's own client and the sandbox-fusion package."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from live import SAME, Server

pytest.importorskip("msgspec")

from rewardkit import Sample
from rewardkit.serve.contracts import sandbox_fusion
from rewardkit.serve.contracts.sandbox_fusion import MAX_MEMORY_MB, RunCode, RunCodeRequest, answer_of, job_of
from rewardkit.serve.http import RefusedError
from sandboxes import Execution


@pytest.mark.parametrize(
    ("execution", "status", "run_status", "code"),
    [
        (Execution(exit_code=0, stdout=b"3"), "Success", "Finished", 0),
        (Execution(exit_code=3), "Failed", "Finished", 3),
        (Execution(signal=11), "Failed", "Finished", 139),
        (Execution(limit="cpu", signal=9), "Failed", "TimeLimitExceeded", None),
        (Execution(limit="wall", signal=9), "Failed", "TimeLimitExceeded", None),
        (Execution(limit="memory", signal=9), "Failed", "Finished", 137),
        (Execution(limit="output", exit_code=0), "Failed", "Finished", 137),
        (Execution(compile_error="SyntaxError: bad"), "Failed", "Finished", 1),
    ],
)
def test_facts_in_sandbox_fusions_words(execution: Execution, status: str, run_status: str, code: int | None) -> None:
    answer = answer_of(execution)
    assert answer.run_result is not None
    assert (answer.status, answer.run_result.status, answer.run_result.return_code) == (status, run_status, code)


@pytest.mark.parametrize(
    ("language", "execution", "verdict"),
    [
        ("python", Execution(exit_code=0), "correct"),
        ("python", Execution(exit_code=1), "wrong"),
        ("python", Execution(limit="cpu", signal=9), "time_limit"),
        ("cpp", Execution(compile_error="bad"), "wrong"),
        ("python", Execution(lost="killed"), "unjudged"),
    ],
)
def test_only_programs_that_ran_out_of_time_count_as_such(
    language: str, execution: Execution, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_fusion, "shared_sandbox", lambda: SimpleNamespace(run=lambda jobs: [execution]))
    asked = Sample(completion="x", extra_info={"language": language})
    assert RunCode().score([asked])[0].verdict == verdict


def test_a_request_becomes_a_job() -> None:
    files = {"data/a.txt": base64.b64encode(b"\xff").decode(), "empty": None}
    job = job_of(RunCodeRequest(code="x", language="python", stdin=None, run_timeout=3, files=files))
    assert (job.program, job.stdin, job.limits.cpu_s) == ("x", "", 3)
    assert job.files == {"data/a.txt": b"\xff", "empty": b""}
    plain = RunCodeRequest(code="x", language="python")
    assert (plain.compile_timeout, plain.run_timeout, job_of(plain).limits.cpu_s) == (10, 10, 10)


@pytest.mark.parametrize(("wish", "given"), [(-1, MAX_MEMORY_MB), (1 << 20, MAX_MEMORY_MB), (256, 256), (0, 64)])
def test_a_wish_for_memory_is_kept_within_what_a_box_has(wish: int, given: int) -> None:
    assert job_of(RunCodeRequest(code="x", language="python", memory_limit_MB=wish)).limits.memory_mb == given


@pytest.mark.parametrize("files", [{"a": "not base64!"}, {"a": "YWJj!"}, {"/etc/passwd": ""}, {"../a": ""}, {"": ""}])
def test_files_that_cannot_be_written_are_refused(files: dict[str, str]) -> None:
    with pytest.raises(RefusedError) as caught:
        job_of(RunCodeRequest(code="x", language="python", files=files))
    assert caught.value.status == 422


def test_run_code_is_not_there_without_a_sandbox(shared: Server) -> None:
    assert shared.client.post("/run_code", json={"code": "", "language": "python"}).status_code == 404


@pytest.fixture(scope="module")
def boxed() -> Iterator[Server]:
    server = Server("-r", SAME, "--workers", "1", "--sandbox", os.environ.get("REWARDKIT_SANDBOX", "docker"))
    server.wait_ready()
    yield server
    server.stop(signal.SIGTERM)


def run(server: Server, code: str, **fields: Any) -> dict[str, Any]:
    body = {"code": code, "language": "python", "compile_timeout": 5, "run_timeout": 5, **fields}
    response = server.client.post("/run_code", json=body)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.docker
def test_programs_run(boxed: Server) -> None:
    answer = run(boxed, "import sys; print(int(input()) * 2); print('e', file=sys.stderr)", stdin="21")
    assert (answer["status"], answer["run_result"]["stdout"], answer["run_result"]["stderr"]) == (
        "Success",
        "42\n",
        "e\n",
    )
    assert run(boxed, "1/0")["run_result"]["return_code"] == 1
    assert run(boxed, "while True: pass", run_timeout=0.5)["run_result"]["status"] == "TimeLimitExceeded"
    assert "SyntaxError" in run(boxed, "print(")["run_result"]["stderr"]
    text = base64.b64encode(b"hello").decode()
    assert run(boxed, "print(open('in/a.txt').read())", files={"in/a.txt": text})["run_result"]["stdout"] == "hello\n"
    assert run(boxed, "x", language="cobol")["status"] == "SandboxError"
    back = run(boxed, "open('out.bin', 'wb').write(b'\\xff')", fetch_files=["out.bin", "none"])
    assert back["files"] == {"out.bin": base64.b64encode(b"\xff").decode()}
    assert boxed.client.get("/v1/ping").json() == "pong"


@pytest.mark.docker
def test_other_languages_are_compiled_and_run(boxed: Server) -> None:
    program = (
        '#include "n.h"\n#include <iostream>\nint main() { int a; std::cin >> a; std::cout << a + N << std::endl; }'
    )
    header = base64.b64encode(b"#define N 2").decode()
    answer = run(boxed, program, language="cpp", stdin="40", files={"n.h": header})
    assert (answer["status"], answer["compile_result"]["return_code"]) == ("Success", 0)
    assert answer["run_result"]["stdout"] == "42\n"
    broken = run(boxed, "int main() { return x; }", language="cpp")
    assert (broken["status"], broken["compile_result"]["return_code"]) == ("Failed", 1)
    assert "error" in broken["compile_result"]["stderr"]
    assert run(boxed, "console.log(6 * 7)", language="nodejs")["run_result"]["stdout"] == "42\n"


def test_a_toolchain_that_is_missing_is_our_failure() -> None:
    answer = answer_of(Execution(lost="cpp programs need g++, not in this sandbox"), compiled=True)
    assert (answer.status, answer.message) == ("SandboxError", "cpp programs need g++, not in this sandbox")


@pytest.mark.docker
def test_five_megabytes_of_output_come_back(boxed: Server) -> None:
    assert len(run(boxed, "print('x' * 5_000_000)")["run_result"]["stdout"]) == 5_000_001  # SandboxFusion#62


@pytest.mark.docker
def test_the_sandbox_fusion_package_works_unchanged(boxed: Server) -> None:
    package = pytest.importorskip("sandbox_fusion")
    request = package.RunCodeRequest(code="print(input())", language="python", stdin="hi", run_timeout=5)
    answer = package.run_code(request, endpoint=boxed.url, max_attempts=1, client_timeout=30)
    assert answer.status == package.RunStatus.Success
    assert answer.run_result.stdout == "hi\n"
    failed = package.run_code(package.RunCodeRequest(code="1/0", language="python"), endpoint=boxed.url, max_attempts=1)
    assert package.summary_run_code_result(failed, package.SummaryMapping(RunFailed="boom")) == "boom"
    slow = package.RunCodeRequest(code="while 1: pass", language="python", run_timeout=0.5)
    late = package.run_code(slow, endpoint=boxed.url, max_attempts=1)
    assert package.summary_run_code_result(late, package.SummaryMapping(RunTimeout="late")) == "late"


@pytest.fixture(scope="module")
def verl_client() -> ModuleType:
    """verl's own client, loaded from its file: importing verl itself would want torch."""
    spec = importlib.util.find_spec("verl")
    if spec is None or spec.origin is None:
        pytest.skip("verl is not installed")
    folder = Path(spec.origin).parent / "utils" / "reward_score" / "sandbox_fusion"
    package = importlib.util.spec_from_file_location(
        "verl_sandbox_fusion", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert package is not None
    assert package.loader is not None
    module = importlib.util.module_from_spec(package)
    sys.modules["verl_sandbox_fusion"] = module
    package.loader.exec_module(module)
    return module


def verl_score(
    client: ModuleType, server: Server, code: str, cases: dict[str, Any], timeout: int = 5
) -> tuple[float, list[dict[str, Any]]]:
    completion = f"```python\n{code}\n```"
    return client.compute_score(f"{server.url}/run_code", None, 1024, completion, json.dumps(cases), timeout=timeout)


@pytest.mark.docker
def test_verls_client_scores_as_with_sandbox_fusion(boxed: Server, verl_client: ModuleType) -> None:
    cases = {"inputs": ["1\n", "2\n", "3\n"], "outputs": ["2", "4", "6"]}
    assert verl_score(verl_client, boxed, "print(int(input()) * 2)", cases)[0] == 1.0
    assert verl_score(verl_client, boxed, "print(2 if input() == '1' else 0)", cases)[0] == pytest.approx(1 / 3)
    score, facts = verl_score(verl_client, boxed, "1/0", cases)
    assert (score, {fact["status"] for fact in facts}) == (0.0, {"runtime_error"})
    functions = {"fn_name": "twice", "inputs": ["1", "2"], "outputs": ["2", "4"]}
    assert verl_score(verl_client, boxed, "class Solution:\n    def twice(self, n): return 2 * n", functions)[0] == 1.0


@pytest.mark.docker
@pytest.mark.slow
def test_verls_client_sees_a_timeout(boxed: Server, verl_client: ModuleType) -> None:
    score, facts = verl_score(verl_client, boxed, "import time; time.sleep(60)", {"inputs": [""], "outputs": [""]}, 1)
    assert (score, facts[0]["status"]) == (0.0, "timeout")
