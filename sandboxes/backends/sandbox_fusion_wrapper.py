"""Sent to a remote server as the program to run: it runs the real one as a child, with limits, and answers in one JSON line.

Standard library only. `JOB` is put in front as base64 JSON. It never trusts the server with output: SandboxFusion stops reading
a program's stdout at 192 KiB, replaces bytes that are not UTF-8, and reports exit codes in its own words. So output goes to
files, and comes back packed; what is still too large for one line goes through the file that the request fetches.
"""
# ruff: noqa: PLW1509, PTH102, PTH103, PTH113, PTH120, PTH123, PTH202, SIM105, T201
# A script for any Python 3 on any server: plain calls in one file.

import base64
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from typing import Any

JOB: str = ""
ANSWER_FILE = "rewardkit-answer.json"
HARNESS = """
import os, sys
sys.path.insert(0, os.environ.pop("REWARDKIT_HARNESS"))
from rewardkit_remote.calls import NODES, serve_calls
import builtins, json, types
sys.path.pop(0)
main = types.ModuleType("__main__"); sys.modules["__main__"] = main; names = main.__dict__
names.update(__builtins__=builtins, __file__="main.py", __name__="solution"); names.update(NODES); sys.modules["solution"] = main
result = os.open(sys.argv[1] + "/result", os.O_WRONLY | os.O_APPEND)
try:
    with open(sys.argv[1] + "/program", "rb") as file: code = compile(file.read(), "main.py", "exec")
except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError) as error:
    os.write(result, json.dumps({"c": type(error).__name__ + ": " + " ".join(str(error).split())[:400]}).encode() + b"\\n"); sys.exit(1)
with open(sys.argv[1] + "/prelude", "rb") as file: exec(compile(file.read(), "prelude.py", "exec"), names)
inherited = dict(names)
try:
    exec(code, names)
    serve_calls(names, inherited, sys.argv[2], os.open(sys.argv[1] + "/calls", os.O_RDONLY), result, value_bytes=1 << 26)
except Exception as error:
    os.write(result, json.dumps({"e": type(error).__name__ + ": " + " ".join(str(error).split())[:400]}).encode() + b"\\n"); raise
"""


def main(job: dict[str, Any]) -> None:
    """Run the job and print the answer."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("program", "prelude", "stdin", "calls"):
            with open(f"{folder}/{name}", "wb") as file:
                file.write(base64.b64decode(job.get(name, "")))
        for name in ("stdout", "stderr", "result"):
            open(f"{folder}/{name}", "wb").close()
        work = f"{folder}/work"
        os.mkdir(work)
        for name, data in job["files"].items():
            os.makedirs(os.path.dirname(f"{work}/{name}"), exist_ok=True)
            with open(f"{work}/{name}", "wb") as file:
                file.write(base64.b64decode(data))
        answer = run(job, folder, work)
    line = json.dumps(answer)
    with open(ANSWER_FILE, "w", encoding="ascii") as file:
        file.write(line if len(line) > job["line_bytes"] else "{}")
    print(line if len(line) <= job["line_bytes"] else json.dumps({"file": ANSWER_FILE}))


def run(job: dict[str, Any], folder: str, work: str) -> dict[str, Any]:
    """The facts, output packed."""
    environment = dict(os.environ, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1")
    if job["entry_point"] is None:
        command = [sys.executable, f"{folder}/program", *job["argv"]]
    else:
        package = f"{folder}/harness/rewardkit_remote"
        os.makedirs(package)
        for name, source in {"__init__.py": "", **job["sources"]}.items():
            with open(f"{package}/{name}", "w", encoding="utf-8") as file:
                file.write(source)
        environment["REWARDKIT_HARNESS"] = f"{folder}/harness"
        command = [sys.executable, "-c", HARNESS, folder, job["entry_point"]]
    limit, timed_out = job["limits"], False
    start = time.monotonic()
    with (
        open(f"{folder}/stdin", "rb") as stdin,
        open(f"{folder}/stdout", "wb") as out,
        open(f"{folder}/stderr", "wb") as err,
    ):
        child = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=out,
            stderr=err,
            cwd=work,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: restrict(limit),
        )
        try:
            code = child.wait(timeout=limit["wall_s"])
        except subprocess.TimeoutExpired:
            timed_out = True
            code = -9
        try:
            os.killpg(child.pid, 9)
        except OSError:
            pass
        child.wait()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer: dict[str, Any] = {"code": code, "timed_out": timed_out, "wall": time.monotonic() - start}
    answer.update(cpu=usage.ru_utime + usage.ru_stime, memory_kb=usage.ru_maxrss)
    for name in ("stdout", "stderr", "result"):
        with open(f"{folder}/{name}", "rb") as file:
            data = file.read(limit["output_bytes"] + 1)
        answer[name] = base64.b64encode(zlib.compress(data[: limit["output_bytes"]])).decode()
        answer["truncated"] = answer.get("truncated", False) or len(data) > limit["output_bytes"]
    answer["files"] = {}
    for name in job["fetch"]:
        path = os.path.realpath(f"{work}/{name}")
        if (
            path.startswith(os.path.realpath(work) + "/")
            and os.path.isfile(path)
            and os.path.getsize(path) <= limit["file_bytes"]
        ):
            with open(path, "rb") as file:
                answer["files"][name] = base64.b64encode(zlib.compress(file.read())).decode()
    return answer


def restrict(limit: dict[str, Any]) -> None:
    """In the child: limits the server may not set."""
    size = max(limit["file_bytes"], limit["output_bytes"] + 1)
    address = (limit["memory_mb"] << 20) + (1 << 30)
    wanted = {resource.RLIMIT_CPU: int(limit["cpu_s"]) + 1, resource.RLIMIT_FSIZE: size, resource.RLIMIT_AS: address}
    for kind, bound in {**wanted, resource.RLIMIT_CORE: 0}.items():
        hard = resource.getrlimit(kind)[1]
        soft = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(kind, (soft, soft))


if __name__ == "__main__":
    main(json.loads(base64.b64decode(JOB)))
