"""The agent's own safety: what it wipes, what it refuses to wipe, what its filter closes."""

import errno
import json
import os
import struct
import subprocess
import sys

import pytest

from sandboxes import Limits, connection, results
from sandboxes.agent import cleanup, receive, seccomp, wire


def test_the_wiper_refuses_a_directory_it_did_not_mount(tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("alive")
    with pytest.raises(cleanup.NotOurs, match="not a tmpfs mount"):
        cleanup.Wiper(str(tmp_path))
    with pytest.raises(cleanup.NotOurs, match="was there before"):
        cleanup.Wiper.make(str(tmp_path))
    for place in ("/", "/proc", "/sys", "/usr", "/nowhere"):
        with pytest.raises((cleanup.NotOurs, OSError)):
            cleanup.Wiper(place)
    assert canary.read_text() == "alive"


def test_the_wiper_removes_all_in_its_own_directory_and_nothing_outside(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "canary").write_text("alive")
    wiper = cleanup.Wiper.make(str(tmp_path / "own"))
    own = tmp_path / "own"
    (own / "link").symlink_to(outside)
    (own / "file").write_text("x")
    (own / "a/b/c").mkdir(parents=True)
    (own / "a/b/c/up").symlink_to("../../../..")
    (own / "a/b/c/f").write_text("x")
    os.mkfifo(own / "fifo")
    for name in ("a/b/c", "a/b", "a"):
        (own / name).chmod(0)
    assert wiper.wipe()
    assert list(own.iterdir()) == []
    assert (outside / "canary").read_text() == "alive"


def test_no_depth_is_too_deep_for_the_wiper(tmp_path):
    wiper = cleanup.Wiper.make(str(tmp_path / "own"))
    program = "import os\nfor n in range(300):\n    os.mkdir('d' * 200); os.chdir('d' * 200)\nopen('f', 'w').close()"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path / "own", check=True)
    assert wiper.wipe()
    assert list((tmp_path / "own").iterdir()) == []


def test_the_wiper_stays_with_the_directory_it_opened(tmp_path):
    wiper = cleanup.Wiper.make(str(tmp_path / "own"))
    (tmp_path / "own").rename(tmp_path / "moved")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "canary").write_text("alive")
    (tmp_path / "moved" / "left").write_text("x")
    assert wiper.wipe()
    assert (tmp_path / "own" / "canary").read_text() == "alive"


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_jump_of_the_filter_lands_inside_and_it_ends_by_allowing(machine):
    program = seccomp.filter_program(machine, (1, 7))
    steps = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    for at, (code, true, false, _) in enumerate(steps):
        if code & 0x07 == 0x05:
            assert at + 1 + max(true, false) < len(steps)
    assert steps[-1] == (seccomp.RETURN, 0, 0, seccomp.ALLOW)
    assert len(steps) < 4096


def filtered(machine, number, *arguments, arch=None):
    """What the filter says to one system call, by interpreting its program."""
    program = seccomp.filter_program(machine, (1, 7))
    steps = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    data = struct.pack("=II", number, arch or seccomp.ARCHITECTURE[machine]) + struct.pack(
        "=Q6Q", 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6]
    )
    at, value = 0, 0
    while True:
        code, true, false, operand = steps[at]
        at += 1
        if code == seccomp.RETURN:
            return "allow" if operand == seccomp.ALLOW else errno.errorcode[operand & 0xFFFF]
        if code == seccomp.LOAD:
            value = struct.unpack_from("=I", data, operand)[0]
        else:
            hit = {
                seccomp.JUMP_EQUAL: value == operand,
                seccomp.JUMP_GREATER: value > operand,
                seccomp.JUMP_SET: bool(value & operand),
            }[code]
            at += true if hit else false


@pytest.mark.parametrize(
    ("call", "arguments", "said"),
    [
        (0, (), "allow"),  # read
        (57, (), "allow"),  # fork
        (29, (), "EPERM"),  # shmget
        (101, (), "EPERM"),  # ptrace
        (240, (), "EPERM"),  # mq_open
        (302, (0,), "allow"),  # prlimit64 of oneself
        (302, (1,), "EPERM"),  # prlimit64 of the agent
        (141, (0, 1), "EPERM"),  # setpriority
        (56, (0x1200011,), "allow"),  # clone, as fork does
        (56, (0x10000000,), "EPERM"),  # clone, new user namespace
        (56, (0x8009,), "EPERM"),  # clone as a sibling, whose end would be SIGKILL for the forker
        (62, (20, 9), "allow"),  # kill
        *((62, (pid & 0xFFFFFFFFFFFFFFFF, 9), "EPERM") for pid in (1, 7, -1, -7)),  # kill the agent, or all
        (62, (0xFFFFFFFF, 9), "EPERM"),  # the same -1, as the kernel reads it
        *(
            (call, (7, 7, 9), "EPERM") for call in (200, 234, 129, 297, 434)
        ),  # tkill, tgkill, rt_*sigqueueinfo, pidfd_open
        *((call, (20, 7, 9), "EPERM") for call in (234, 297)),
        (424, (5, 9), "EPERM"),  # pidfd_send_signal: /proc/7 is such a descriptor
        (72, (1, 8, 7), "EPERM"),  # fcntl F_SETOWN
        (72, (1, 1), "allow"),
        (16, (1, 0x8901), "EPERM"),  # ioctl FIOSETOWN
        (16, (1, 0x5401), "allow"),
        (435, (), "ENOSYS"),  # clone3
        (41, (1,), "allow"),  # socket, local
        (41, (2,), "ENETUNREACH"),  # socket, Internet
        (0x40000000, (), "EPERM"),  # x32
    ],
)
def test_the_filter_answers_each_call_as_meant(call, arguments, said):
    assert filtered("x86_64", call, *arguments) == said


def test_the_filter_refuses_another_architectures_calls():
    assert filtered("x86_64", 0, arch=0x40000003) == "EPERM"


def test_host_and_agent_speak_of_jobs_in_the_same_order():
    limits = Limits(
        cpu_s=1, wall_s=2, total_cpu_s=3, output_bytes=4, memory_mb=16, processes=6, file_bytes=7, total_wall_s=9
    )
    told = dict(zip(receive.LIMITS, connection._limits(limits, 8), strict=True))
    assert told == {**limits.model_dump(), "lines": 8}
    assert all(
        connection._limits(Limits(), 1)[receive.LIMITS.index(name)] < 0 for name in ("total_cpu_s", "total_wall_s")
    )


@pytest.mark.parametrize("most", [1, 7, 1000])
def test_a_frame_arrives_whole_however_little_each_write_takes(monkeypatch, most):
    sent = bytearray()

    def write(_fd, data):
        sent.extend(data[:most])
        return len(data[:most])

    monkeypatch.setattr(os, "write", write)
    wire.write_frame(1, {"event": "result"}, b"abc", b"", b"defg")
    header, body = wire.LENGTHS.unpack(sent[: wire.LENGTHS.size])
    rest = bytes(sent[wire.LENGTHS.size :])
    assert json.loads(rest[:header]) == {"event": "result"}
    assert rest[header:] == b"abcdefg"
    assert body == 7


def test_a_bare_fork_is_a_fork_that_runs_no_handler():
    program = (
        "import os\nfrom sandboxes.agent.seccomp import bare_fork\n"
        "os.register_at_fork(after_in_child=lambda: os._exit(9))\n"
        "pid = bare_fork()\nif pid == 0: os._exit(7)\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "7\n"


def test_results_that_came_together_share_their_time_and_too_many_take_no_memory():
    spent = results._spent([(1, 9.0, 9.0), (2, 0.1, 0.2), (1 << 60, 0.3, 0.4)], 4)
    assert spent[:4] == [(0.1, 0.2), (0.1, 0.2), (0.3, 0.4), (0.3, 0.4)]
    assert len(spent) < 20
    assert results._spent([], 2) == [(0.0, 0.0)] * 2


def test_a_sealed_file_is_changed_by_nobody_not_even_by_who_opens_it_anew():
    read, write = os.pipe()
    os.write(write, b"binary")
    for sealed in (False, True):
        os.write(write, b"binary")
        file = wire.memfd("source", read, 6, sealed=sealed)
        again = os.open(f"/proc/self/fd/{file}", os.O_RDWR)
        for change in (lambda fd: os.write(fd, b"x"), lambda fd: os.ftruncate(fd, 0)):
            if sealed:
                with pytest.raises(PermissionError):
                    change(again)
            else:
                change(again)
        assert os.pread(file, 10, 0) == (b"binary" if sealed else b"")
