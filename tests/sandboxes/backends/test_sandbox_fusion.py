"""The remote backend against a server with SandboxFusion's shape and its traps."""

import base64
import json
import math
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from json_places import places_in, put

from sandboxes import Call, Job, JobRefused, Limits, SandboxUnavailable, open_sandbox, selfcheck
from sandboxes.selfcheck import CHECKS

STDOUT_CUT = 196_608
"""SandboxFusion's stdout ends here, whatever was printed (its issue 62)."""


class Fusion(ThreadingHTTPServer):
    """A server that runs what it is sent, as SandboxFusion with `isolation: none` does."""

    returns_files = True
    failures = 0

    def run(self, asked):
        if asked["language"] != "python":
            return self.native(asked)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "main.py").write_text(asked["code"])
            done = subprocess.run(
                [sys.executable, "main.py"],
                cwd=folder,
                input=asked["stdin"].encode(),
                capture_output=True,
                check=False,
                timeout=asked["run_timeout"],
            )
            files = {}
            if self.returns_files:
                for name in asked["fetch_files"]:
                    if Path(folder, name).is_file():
                        files[name] = base64.b64encode(Path(folder, name).read_bytes()).decode()
        stdout = done.stdout.decode("utf-8", "replace")
        result = {
            "status": "Finished",
            "return_code": done.returncode,
            "stderr": done.stderr.decode("utf-8", "replace"),
        }
        result["stdout"] = stdout[:STDOUT_CUT] if self.returns_files else stdout
        return {"status": "Success", "message": "", "compile_result": None, "run_result": result, "files": files}

    def native(self, asked):
        """Three languages: one that runs, one whose programs never compile, one that is not spoken."""
        finished = {"status": "Finished", "return_code": 0, "stdout": "", "stderr": ""}
        if asked["language"] == "cpp":
            broken = {**finished, "return_code": 1, "stderr": "main.cpp: In function:\nmain.cpp:3:1: error: no x\n"}
            return {"status": "Failed", "message": "", "compile_result": broken, "run_result": None, "files": {}}
        if asked["language"] == "go":
            late = {**finished, "status": "TimeLimitExceeded", "return_code": 9, "execution_time": 1.5}
            return {
                "status": "Failed",
                "message": "",
                "compile_result": finished,
                "run_result": late,
                "files": {"a": "YQ=="},
            }
        if asked["language"] != "bash":
            return {"status": "SandboxError", "message": "unknown language", "files": {}}
        with tempfile.TemporaryDirectory() as folder:
            for name, data in asked["files"].items():
                Path(folder, name).write_bytes(base64.b64decode(data))
            done = subprocess.run(
                ["bash", "-c", asked["code"]],
                cwd=folder,
                input=asked["stdin"],
                capture_output=True,
                text=True,
                check=False,
            )
            names = [name for name in asked["fetch_files"] if Path(folder, name).is_file()]
            files = {name: base64.b64encode(Path(folder, name).read_bytes()).decode() for name in names}
        result = {**finished, "return_code": done.returncode, "stdout": done.stdout[:STDOUT_CUT], "stderr": done.stderr}
        return {"status": "Success", "message": "", "compile_result": finished, "run_result": result, "files": files}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet, or the second waits for the first

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.failures:
            self.server.failures -= 1
            answer = {
                "status": "SandboxError",
                "message": "out of order",
                "compile_result": None,
                "run_result": None,
                "files": {},
            }
        else:
            answer = self.server.run(asked)
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def fusion():
    server = Fusion(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def remote(fusion):
    with open_sandbox(f"remote:http://127.0.0.1:{fusion.server_port}", workers=2) as sandbox:
        yield sandbox


def test_it_says_it_is_weak(remote):
    assert remote.isolation == "weak"
    assert remote.run([Job(program="print(1)")])[0].isolation == "weak"


def test_bytes_case_and_trailing_spaces_come_back_as_they_were(remote):
    program = "import sys\nsys.stdout.buffer.write(b'Mixed Case \\xff\\x00\\r\\n  ')"
    assert remote.run([Job(program=program)])[0].stdout == b"Mixed Case \xff\x00\r\n  "


@pytest.mark.long
@pytest.mark.parametrize("returns_files", [True, False])
def test_output_beyond_the_servers_cut_comes_back_whole(remote, fusion, returns_files):
    fusion.returns_files = returns_files
    program = "import random\nr = random.Random(1)\nprint(''.join(chr(r.randrange(33, 127)) for _ in range(400_000)))"
    execution = remote.run([Job(program=program)])[0]
    assert execution.finished, execution.describe()
    assert len(execution.stdout) == 400_001


@pytest.mark.long
def test_a_failing_server_is_asked_again(remote, fusion):
    fusion.failures = 1
    assert remote.run([Job(program="print(1)")])[0].stdout == b"1\n"


@pytest.mark.long
def test_a_server_that_fails_twice_loses_the_job_and_says_so(remote, fusion):
    fusion.failures = 2
    execution = remote.run([Job(program="print(1)")])[0]
    assert "out of order" in execution.lost
    assert not execution.finished


def test_a_program_can_not_pass_for_the_wrapper(remote):
    program = 'print(\'{"code": 0, "stdout": "", "stderr": "", "result": ""}\')\nraise SystemExit(3)'
    execution = remote.run([Job(program=program)])[0]
    assert execution.exit_code == 3
    assert execution.stdout.startswith(b'{"code": 0')


def test_a_test_program_of_its_own_is_refused(remote):
    with pytest.raises(JobRefused, match="use docker"):
        remote.run([Job(program="def f(): pass", entry_point="f", driver="candidate()")])


def test_early_stop_ends_the_list(remote):
    jobs = [Job(program=f"print({n})") for n in range(4)]
    facts = remote.run(jobs, stop=lambda index, execution: index == 1)
    assert [execution.stdout for execution in facts] == [b"0\n", b"1\n"]


@pytest.mark.long
def test_time_limit_is_a_fact(remote):
    execution = remote.run([Job(program="while True: pass", limits=Limits(cpu_s=0.5, wall_s=1))])[0]
    assert execution.limit in ("wall", "cpu")


@pytest.mark.long
def test_nobody_there_is_one_line_with_the_cure():
    with pytest.raises(SandboxUnavailable, match="is a SandboxFusion server there"):
        open_sandbox("remote:http://127.0.0.1:9")
    with pytest.raises(SandboxUnavailable, match="write remote:http"):
        open_sandbox("remote:ftp://x")


@pytest.mark.slow
def test_the_public_contract_holds_as_far_as_a_weak_server_goes(remote, monkeypatch):
    strict = {
        "process limit",
        "nothing is left behind",
        "System V IPC is closed",
        "no network",
        "the agent is out of reach",
        "no way into PID 1",
        "nothing of a program is in anything that a later one can read",
    }
    one_clock = {"a call that never ends has its own limit"}
    left_out = strict | one_clock  # what asks them may look through all files of the machine
    asked = [check for check in CHECKS if check.name not in left_out]
    assert len(asked) == len(CHECKS) - len(left_out)
    monkeypatch.setattr(sys.modules[selfcheck.__module__], "CHECKS", asked)
    assert [(check.name, check.detail) for check in selfcheck(remote) if check.passed is False] == []


@pytest.mark.parametrize(
    ("prelude", "program", "told"),
    [
        ("", "def f(): return 1", (True, None, None)),
        ("n = int('x')", "def f(): return 1", (False, None, None)),
        ("return 1", "def f(): return 1", (False, None, None)),
        ("", "n = int('x')", (False, "ValueError: invalid literal for int() with base 10: 'x'", None)),
        ("", "return 1", (False, None, "SyntaxError: 'return' outside function (main.py, line 1)")),
    ],
)
def test_what_fails_before_the_program_is_not_said_to_be_its_error(remote, prelude, program, told):
    job = Job(program=program, prelude=prelude, entry_point="f", calls=(Call(),), limits=Limits(cpu_s=5))
    execution = remote.run([job])[0]
    assert (execution.loaded, execution.error, execution.compile_error) == told


def test_an_answer_nested_too_deep_is_lost_and_no_exception(remote, fusion, monkeypatch):
    monkeypatch.setattr("sandboxes.backends.sandbox_fusion.PAUSE_S", 0.0)
    deep = {"run_result": {"stdout": '{"a":' * 100_000}}
    monkeypatch.setattr(fusion, "run", lambda asked: deep)
    assert "RecursionError" in remote.run([Job(program="print(1)")])[0].lost


ODD = [None, True, -1, 2.5, 10**400, math.nan, "", "x", "\ud800", [], {}, [[]], [None], {"x": 1}, {"x": {}}]
JOBS = {
    "python": Job(program="print(1)", fetch=("a.txt",), files={"a.txt": "x"}),
    "bash": Job(program="echo 1", language="bash", fetch=("a.txt",), files={"a.txt": "x"}),
}


@pytest.mark.parametrize("language", JOBS)
def test_any_answer_is_facts_or_a_lost_job_and_no_exception(remote, fusion, monkeypatch, language):
    monkeypatch.setattr("sandboxes.backends.sandbox_fusion.PAUSE_S", 0.0)
    job = JOBS[language]
    honest: list[Any] = []
    run = fusion.run
    monkeypatch.setattr(fusion, "run", lambda asked: honest.append(run(asked)) or honest[-1])
    (fine,) = remote.run([job])
    assert (fine.lost, fine.stdout, fine.files) == (None, b"1\n", {"a.txt": b"x"})
    for place in places_in(honest[0]):
        for value in ODD:
            odd = put(honest[0], place, value)
            monkeypatch.setattr(fusion, "run", lambda asked, odd=odd: odd)
            (execution,) = remote.run([job])
            blamed = execution.compile_error and place != ("compile_result", "return_code")
            said = {b"", b"1\n", str(value).encode("utf-8", "replace")}
            assert execution.lost or not blamed, (place, value)
            assert execution.lost or execution.compile_error or execution.stdout in said, (place, value)
            assert math.isfinite(execution.wall_s), (place, value)


@pytest.mark.long
def test_other_languages_are_the_servers_affair(remote):
    said = remote.run(
        [
            Job(
                program="cat a.txt; cat; echo x > out",
                language="bash",
                stdin="in",
                files={"a.txt": "A"},
                fetch=("out", "no"),
            )
        ]
    )[0]
    assert (said.exit_code, said.stdout, said.files) == (0, b"Ain", {"out": b"x\n"})
    assert remote.run([Job(program="int main() {}", language="cpp")])[0].compile_error == "main.cpp:3:1: error: no x"
    assert remote.run([Job(program="exit 3", language="bash")])[0].exit_code == 3
    late = remote.run([Job(program="", language="go")])[0]
    assert (late.limit, late.exit_code, late.wall_s, late.files) == ("wall", None, 1.5, {})
    assert "unknown language" in remote.run([Job(program="", language="rust")])[0].lost
    assert "may have cut" in remote.run([Job(program="head -c 300000 /dev/zero | tr '\\0' x", language="bash")])[0].lost
    assert "can't pass arguments" in remote.run([Job(program="", language="bash", argv=("a",))])[0].lost


@pytest.mark.parametrize(
    ("program", "error", "compile_error"),
    [
        ("raise SystemExit(1)", None, None),
        ("raise ValueError('x')", "ValueError: x", None),
        ("x = (", None, "SyntaxError: '(' was never closed"),
    ],
)
def test_how_a_script_failed_is_the_last_line_that_its_interpreter_says(remote, program, error, compile_error):
    said = remote.run([Job(program=program)])[0]
    assert (said.exit_code, said.error, said.compile_error) == (1, error, compile_error)


def test_files_of_python_programs_come_back(remote):
    program = "import os\nopen('a', 'wb').write(b'\\xff' * 9)\nos.symlink('/etc/passwd', 'b')\nos.mkdir('c')"
    assert remote.run([Job(program=program, fetch=("a", "b", "c", "d"))])[0].files == {"a": b"\xff" * 9}
