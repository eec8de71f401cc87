"""Nothing that a program does to the descriptors, the protocol or the processes it can reach is more than its own affair.

A seeded fuzzer writes programs that do such things at every state of each mode. Whatever they do, the row is judged, and the box
serves the next job: no box is lost, not even for being silent, as one is whose agent waits for something without a limit.
"""

import os
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandboxes import Call, Job, Limits, open_sandbox

LIMITS = Limits(
    cpu_s=0.2, wall_s=0.4, total_cpu_s=0.6, total_wall_s=0.8, memory_mb=128, output_bytes=1 << 20, file_bytes=1 << 20
)
MOST = 1 << 18
"""Bytes that a program writes at once; each is part of its source."""
ROUNDS = int(os.environ.get("REWARDKIT_FUZZ_ROUNDS", "0"))
SEED = int(os.environ.get("REWARDKIT_FUZZ_SEED", "20261123"))

CONTROL = Job(program="print(int(input()) + 1)", stdin="41\n")
LINES = (
    *(b"x\n", b"\n", b"{}\n", b'{"ready":1}\n', b'{"ready":1}', b'{"v":7}\n', b'{"v":7}', b'{"e":"ValueError: x"}\n', b'{"c":"SyntaxError"}\n'),
    *(b'{"done":1}\n', b'{"call":[[],[]]}\n', b"[" * 5000 + b"\n", b'{"v":' + b"[" * 3000 + b"]" * 3000 + b"}\n", b"\0" * 100, b"null\n"),
    *(b'{"v":{"t":"set","v":[[]]}}\n', b'{"v":{"t":[]}}\n', b"\xff\xfe\n", b'{"event":"result"}\n', b"\0\0\0\x02\0\0\0\0{}", b"x" * 70_000),
)  # fmt: skip


def action(rng):
    """One thing to do, as a statement."""
    fd = rng.choice((0, 1, 2, 200, 201, 200, 201, 3, 300, rng.randrange(400)))
    other = rng.choice((0, 1, 2, 200, 201, rng.randrange(400)))
    line = rng.choice(LINES)
    data = rng.choice(
        (line, rng.randbytes(rng.choice((1, 16, 300))), line * min(rng.choice((2, 50, 2000)), MOST // len(line)))
    )
    pid = rng.choice(
        ("0", "1", "2", "-1", "-2", "os.getppid()", "os.getppid() + 1", "-os.getppid()", str(rng.randrange(1, 40)))
    )
    return rng.choice(
        (
            f"os.write({fd}, {data!r})",
            f"os.write(200, {data!r})",
            f"os.close({fd})",
            f"os.dup2({fd}, {other})",
            f"os.read({rng.choice((0, 201, fd))}, {rng.choice((1, 100, 1 << 20))})",
            f"os.ftruncate({fd}, {rng.choice((0, 5, 1 << 20, 1 << 40))})",
            f"os.lseek({fd}, {rng.choice((0, 3, 1 << 20))}, 0)",
            f"os.set_blocking({fd}, {rng.random() < 0.5})",
            f"fcntl.fcntl({fd}, {rng.choice((8, 10, 1031, 4))}, {rng.choice((0, 2, 9, 4096))})",
            f"os.write(os.open('/proc/self/fd/{fd}', os.O_WRONLY), {data!r})",
            f"os.read(os.open('/proc/self/fd/{fd}', os.O_RDONLY | os.O_NONBLOCK), 1 << 20)",
            f"os.kill({pid}, {rng.choice((9, 15, 19, 2, 11))})",
            "os.kill(os.getpid(), 19)",
            f"signal.pthread_kill(threading.get_ident(), {rng.choice((15, 19, 11))})",
            "os.fork()",
            "os.fork() or os.setsid()",
            "os.fork() and os._exit(0)",
            "os.fork() or time.sleep(60)",
            f"os.fork() or [os.write(200, {data!r}) for _ in range(300)]",
            f"threading.Timer({rng.choice((0.01, 0.1))}, os.write, (200, {data!r})).start()",
            "threading.Timer(0.05, os._exit, (0,)).start()",
            f"os._exit({rng.choice((0, 1, 70, 75, 137))})",
            "sys.exit(0)",
            "os.abort()",
            f"time.sleep({rng.choice((0.01, 60))})",
            "os.execv('/bin/true', ['true'])",
            f"os.closerange({rng.choice((0, 3, 200))}, 4096)",
            "signal.alarm(1)",
            "os.chmod('.', 0); os.mkdir('d' * 200)",
            "[open(str(n), 'w') for n in range(50)]",
            "sys.setrecursionlimit(10**9)",
            "gc.collect(); sys.modules.clear()",
            "sys.stdout = None; sys.stderr = open(1, 'w')",
            "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))",
            "os.setpgid(0, 0); os.nice(19)",
        )
    )


def behaviour(rng):
    """Some of them in a row; an error does not end it."""
    return [f"    try: {action(rng)}\n    except Exception: pass" for _ in range(rng.choice((0, 1, 1, 2, 3)))]


def program(rng):
    """A program that does them while it is loaded, in its calls, and at its end."""
    parts = ["import atexit, fcntl, gc, os, resource, signal, sys, threading, time"]
    for name in ("at_load", "at_call", "at_exit"):
        body = behaviour(rng) if rng.random() < 0.6 else []
        parts.append("\n".join([f"def {name}():", *body, "    return"]))
    parts.append("at_load()\natexit.register(at_exit)")
    parts.append("def f(x):\n    at_call()\n    return x + 1\n")
    return "\n".join(parts)


def job(rng):
    """One in any mode."""
    mode = rng.choice(("script", "calls", "keep going", "driver"))
    text = program(rng)
    if mode == "script":
        return Job(program=f"{text}\nprint(f(int(input())))", stdin="3\n", limits=LIMITS)
    if mode == "driver":
        tests = "def check(candidate):\n    for n in range(3):\n        assert candidate(n) == n + 1\ncheck(candidate)"
        return Job(program=text, entry_point="f", driver=tests, limits=LIMITS)
    calls = tuple(Call(args=(n,)) for n in range(3))
    return Job(program=text, entry_point="f", calls=calls, keep_going=mode == "keep going", limits=LIMITS)


def attack(sandbox, rounds, seed):
    """Run that many; what went wrong, each with its program."""
    rng, wrong = random.Random(seed), []
    for number in range(rounds):
        each = job(rng)
        execution, after = sandbox.run([each])[0], sandbox.run([CONTROL])[0]
        if execution.lost or after.stdout != b"42\n":
            wrong.append((number, execution.describe(), after.describe(), each.program, each.driver))
    return wrong


def lost_boxes(sandbox):
    return sandbox.facts()["lost"]


@pytest.mark.long
def test_a_broken_conversation_is_the_programs_own_affair(sandbox):
    before = lost_boxes(sandbox)
    assert attack(sandbox, ROUNDS or 30, SEED) == []
    assert lost_boxes(sandbox) == before


@pytest.mark.slow
def test_thousands_of_broken_conversations(sandbox):
    """In four sandboxes at once, each with one box: the programs mostly wait."""

    def part(seed):
        with open_sandbox(sandbox.name, workers=1) as own:
            return attack(own, 500, seed), lost_boxes(own)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(part, range(SEED + 1, SEED + 5))) == [([], 0)] * 4


@pytest.mark.parametrize("line", [b"x\n", b"\n", b"{}\n", b'{"v":1}\n', b'{"ready":1}\n', b'{"e":1}\n', b"x"])
def test_a_line_that_nobody_asked_for_ends_the_conversation_and_not_the_box(sandbox, line):
    before = lost_boxes(sandbox)
    text = f"import os\nos.write(200, {line!r})\ndef f(x): return 0\n"
    tests = "def check(candidate):\n    for n in range(3):\n        assert candidate(n) == n + 1\ncheck(candidate)"
    execution = sandbox.run([Job(program=text, entry_point="f", driver=tests, limits=LIMITS)])[0]
    assert execution.lost is None
    assert execution.driver is None or not execution.driver.passed
    assert execution.error or (execution.driver and execution.driver.error)
    assert lost_boxes(sandbox) == before


def test_an_answer_that_comes_too_early_stops_no_clock(sandbox):
    """The line of the timer is taken for the answer to the call; the call's own answer comes when nothing more is asked."""
    before = lost_boxes(sandbox)
    text = """import os, threading, time
threading.Timer(0.05, os.write, (200, b'{"v":7}\\n')).start()
def f(x):
    time.sleep(0.2)
    os.write(200, b'{"v":7}\\n')
    os.kill(os.getpid(), 19)
"""
    tests = (
        "def check(candidate):\n    import time\n    time.sleep(0.2)\n    assert candidate(1) == 2\ncheck(candidate)"
    )
    execution = sandbox.run([Job(program=text, entry_point="f", driver=tests, limits=LIMITS)])[0]
    assert execution.lost is None
    assert not execution.driver.passed
    assert lost_boxes(sandbox) == before
