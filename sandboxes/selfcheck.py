"""The public contract of a sandbox: named checks that every backend can run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sandboxes.base import STRENGTH, Call, Execution, Isolation, Job, Limits, Sandbox
from sandboxes.errors import JobRefused
from sandboxes.memory_check import SCAN_ALL, SCAN_OWN, as_scan, planted, planted_in, planted_under_drivers, scan
from sandboxes.values import encode

__all__ = ["CHECKS", "Check", "selfcheck"]

MIB = 1 << 20
QUICK = Limits(cpu_s=1.0, wall_s=3.0, memory_mb=256)
Judge = Callable[[list[Execution]], str | None]
"""What is wrong with the facts, or None."""


class Check(NamedTuple):
    """The outcome of one check."""

    name: str
    passed: bool | None
    """None: not asked of a sandbox this weak."""
    detail: str


@dataclass(frozen=True)
class _Case:
    name: str
    jobs: Sequence[Job]
    judge: Judge
    needs: Isolation = "none"
    one_box: bool = field(default=False)
    then: Sequence[Job] = ()
    """Run after the jobs, in a batch of their own; their facts are judged instead."""
    optional: bool = False
    """Not asked of a sandbox that does not run the jobs: one without toolchains."""


def selfcheck(sandbox: Sandbox, *, only: str | None = None) -> list[Check]:
    """Run every check (or those whose name holds `only`); a failed one says in `detail` what came instead."""
    return [_run(sandbox, case) for case in CHECKS if only is None or only in case.name]


def _run(sandbox: Sandbox, case: _Case) -> Check:
    if STRENGTH[sandbox.isolation] < STRENGTH[case.needs]:
        return Check(case.name, None, f"needs isolation {case.needs!r}")
    try:
        stop = _never if case.one_box else None
        facts = sandbox.run(case.jobs, stop=stop)
        if case.optional and (lost := next((execution.lost for execution in facts if execution.lost), None)):
            return Check(case.name, passed=None, detail=lost)
        if case.then:
            facts = sandbox.run(case.then, stop=stop)
    except JobRefused as error:
        has_drivers = any(job.driver is not None for job in case.jobs)  # a remote server takes none
        return Check(case.name, passed=None if has_drivers else False, detail=str(error))
    except Exception as error:  # noqa: BLE001  (the boundary: a backend of somebody's own may raise anything)
        return Check(case.name, passed=False, detail=f"{type(error).__name__}: {error}")
    if len(facts) != len(case.then or case.jobs):
        return Check(case.name, passed=False, detail=f"{len(facts)} results for {len(case.jobs)} jobs")
    lost = next((execution.lost for execution in facts if execution.lost), None)
    wrong = f"lost: {lost}" if lost else case.judge(facts)
    return Check(case.name, wrong is None, wrong or "ok")


def _never(_index: int, _facts: Execution) -> bool:
    """For jobs in one box, one after the other."""
    return False


def script(program: str, *, stdin: str | bytes = b"", limits: Limits = QUICK, **more: object) -> Job:
    """A script with short limits."""
    return Job.model_validate({"program": program, "stdin": stdin, "limits": limits, **more})


def function(program: str, entry_point: str, *args: Sequence[object], **more: object) -> Job:
    """A function job with one call for each tuple of arguments."""
    calls = tuple(Call(args=tuple(encode(value) for value in values)) for values in args)
    return Job.model_validate({"program": program, "entry_point": entry_point, "calls": calls, "limits": QUICK, **more})


def _says(*outputs: str) -> Judge:
    def judge(facts: list[Execution]) -> str | None:
        for execution, expected in zip(facts, outputs, strict=True):
            if not execution.finished or execution.stdout_text != expected:
                return f"{execution.describe()}: {execution.stdout_text[:200]!r}, {execution.stderr_text[-200:]!r}"
        return None

    return judge


def _is(what: str, claim: Callable[[Execution], bool]) -> Judge:
    def judge(facts: list[Execution]) -> str | None:
        last = facts[-1]
        return (
            None
            if claim(last)
            else f"not {what}: {last.describe()}, {last.stdout_text[:200]!r}, {last.stderr_text[-200:]!r}"
        )

    return judge


def _found_nothing(facts: list[Execution]) -> str | None:
    for execution in facts:
        if b"seen: " in execution.stdout and execution.stdout != b"seen: []\n":
            return f"{execution.describe()}: {execution.stdout_text[:500]} {execution.stderr_text[-300:]}"
    looks = sum(execution.stdout == b"seen: []\n" for execution in facts)
    return None if 2 * looks >= len(facts) else f"only {looks} of {len(facts)} jobs could look"


def _limit(*names: str) -> Judge:
    return _is(f"limit {' or '.join(names)}", lambda execution: execution.limit in names)


def _values(*expected: object) -> Judge:
    wanted = [encode(value) for value in expected]

    def judge(facts: list[Execution]) -> str | None:
        got = [call.value if call.returned else call.error for call in facts[-1].calls]
        return None if got == wanted else f"got {got!r}, {facts[-1].describe()}"

    return judge


LEAVE = """
import os, subprocess
open("left.txt", "w").write("secret"); os.makedirs("a/b/c"); open("/tmp/.hidden", "w").write("x"); os.symlink("/etc", "link")
os.mkdir("closed"); open("closed/f", "w").write("x"); os.chmod("closed", 0)
if os.fork() == 0:
    os.setsid()
    import time, signal
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    time.sleep(60)
"""
LOOK = """
import os
files = [os.path.join(d, n) for top in (".", "/tmp", "/dev/shm", "/dev/mqueue", "/var/tmp") for d, s, f in os.walk(top) for n in s + f]
processes = sorted(int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid())
print(files, processes[2:])  # the first two are the agent's
"""
SHARED = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.shmget(0x1234, 4096, 0o1666), libc.msgget(0x1234, 0o1666), libc.semget(0x1234, 1, 0o1666))
"""
NETWORK = """
import socket
try:
    socket.create_connection(("1.1.1.1", 53), timeout=1); print("reached")
except OSError:
    print("closed")
"""
AGENT = """
import os
found = []
for name in ("mem", "environ", "fd/0", "fd/1", "maps", "root/etc"):
    try:
        fd = os.open("/proc/1/" + name, os.O_RDONLY)
        found.append(name if name != "environ" or os.read(fd, 1) else "")
    except OSError:
        pass
for action in (lambda: os.kill(1, 9), lambda: os.kill(1, 19), lambda: os.kill(-1, 0)):
    try: action()
    except OSError: pass
print(found)
"""
WRITE = """
import os
found = []
for top in ("/", "/usr", "/etc", "/opt", "/dev", "/dev/mqueue", "/proc/sys/kernel", "/sys/fs/cgroup", "/var/tmp", "/run"):
    try:
        open(os.path.join(top, "rewardkit-probe"), "w").close(); found.append(top)
    except OSError:
        pass
print(found, os.getuid() != 0)
"""
CHECKS: tuple[_Case, ...] = (
    _Case("stdin to stdout", [script("print(int(input()) + 1)", stdin="41\n")], _says("42\n")),
    _Case(
        "order is kept",
        [script("print(input())", stdin=f"{n}\n") for n in range(40)],
        _says(*(f"{n}\n" for n in range(40))),
    ),
    _Case("exit code is a fact", [script("raise SystemExit(7)")], _is("exit code 7", lambda e: e.exit_code == 7)),
    _Case(
        "exception is a fact",
        [script("1/0")],
        _is("ZeroDivisionError", lambda e: e.exit_code == 1 and b"ZeroDivisionError" in e.stderr and not e.finished),
    ),
    _Case("compile error is a fact", [script("x = (")], _is("compile error", lambda e: e.compile_error is not None)),
    _Case(
        "not UTF-8 is a compile error",
        [Job(program=b"print('\xff')")],
        _is("compile error", lambda e: e.compile_error is not None),
    ),
    _Case("empty program", [script("")], _says("")),
    _Case("CPU limit", [script("while True: pass")], _limit("cpu", "wall")),
    _Case("wall limit", [script("import time; time.sleep(60)")], _limit("wall")),
    _Case("memory limit", [script("a = 'x' * (8 << 30)")], _limit("memory")),
    _Case(
        "memory limit in small steps",
        [script("a = []\nwhile True: a.append(bytearray(1 << 20))", limits=Limits(cpu_s=5, memory_mb=256))],
        _limit("memory"),
    ),
    _Case(
        "output limit",
        [script("while True: print('x' * 1000)", limits=Limits(cpu_s=5, output_bytes=MIB))],
        _is("cut", lambda e: e.truncated and e.limit == "output" and len(e.stdout) <= MIB),
    ),
    _Case("5 MB of output", [script("print('x' * 5_000_000)")], _is("whole", lambda e: len(e.stdout) == 5_000_001)),
    _Case("1 MB of input", [script("import sys; print(len(sys.stdin.read()))", stdin="x" * MIB)], _says(f"{MIB}\n")),
    _Case(
        "process limit",
        [script("import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(9)")],
        _limit("processes", "wall"),
        "weak",
    ),
    _Case("file size limit", [script("open('big', 'wb').write(b'x' * (64 << 20))")], _limit("file"), "weak"),
    _Case("files are there", [script("print(open('d/in.txt').read())", files={"d/in.txt": "hello"})], _says("hello\n")),
    _Case(
        "calls keep exact types",
        [function("def f(x): return x", "f", *((v,) for v in ((1, [2.5]), {1: None}, True, 10**30, "é")))],
        _values((1, [2.5]), {1: None}, True, 10**30, "é"),
    ),
    _Case(
        "a fresh Solution for each call",
        [
            function(
                "class Solution:\n    def __init__(self): self.n = 0\n    def f(self):\n        self.n += 1\n        return self.n",
                "f",
                (),
                (),
            )
        ],
        _values(1, 1),
    ),
    _Case(
        "a call that raises does not end the others",
        [function("def f(x): return 1 // x", "f", (0,), (1,))],
        _is("an error, then 1", lambda e: len(e.calls) == 2 and not e.calls[0].returned and e.calls[1].value == 1),
    ),
    _Case(
        "a call that never ends has its own limit",
        [function("def f(x):\n    while x: pass\n    return 7", "f", (0,), (1,), (0,))],
        _is(
            "one result and a limit",
            lambda e: len(e.calls) == 1 and e.calls[0].value == 7 and e.limit in ("cpu", "wall"),
        ),
    ),
    _Case(
        "unknown entry point",
        [function("def g(): pass", "f", ())],
        _is("an error and no result", lambda e: not any(call.returned for call in e.calls) and not e.finished),
    ),
    _Case(
        "nothing is left behind",
        [script(LEAVE), script(LOOK)],
        _is("[] []", lambda e: e.stdout == b"[] []\n"),
        "weak",
        one_box=True,
    ),
    _Case("System V IPC is closed", [script(SHARED)], _says("-1 -1 -1\n"), "weak"),
    _Case("no network", [script(NETWORK)], _says("closed\n"), "weak"),
    _Case(
        "the agent is out of reach",
        [script(AGENT), script("print(1)")],
        _is("1", lambda e: e.stdout == b"1\n"),
        "weak",
        one_box=True,
    ),
    _Case("no way into PID 1", [script(AGENT)], _says("[]\n"), "weak"),
    _Case(
        "nothing of a program is in the memory or descriptors of a later one",
        as_scan(planted(), SCAN_OWN),
        _found_nothing,
        one_box=True,
    ),
    _Case(
        "nothing of a program is in anything that a later one can read",
        [job for job in planted() for _ in range(2)],
        _found_nothing,
        "weak",
        one_box=True,
        then=[scan(SCAN_ALL)] * 2,
    ),
    _Case(
        "nothing of a program under a test program is in the memory or descriptors of a later one",
        as_scan(planted_under_drivers(), SCAN_OWN),
        _found_nothing,
        one_box=True,
    ),
    _Case(
        "nothing of a compiled program is in anything that a later one can read",
        planted_in("bash", "c") * 2,
        _found_nothing,
        "weak",
        one_box=True,
        then=[scan(SCAN_ALL)] * 2,
        optional=True,
    ),
    _Case(
        "nothing of a test program is in anything that a later one can read",
        planted_under_drivers(),
        _found_nothing,
        "weak",
        one_box=True,
        then=[scan(SCAN_ALL, trusted=True)] * 2,
    ),
    _Case("nothing else is writable", [script(WRITE)], _says("[] True\n"), "strong"),
)
"""All checks. `one_box`: the jobs must run in order in the same box."""
