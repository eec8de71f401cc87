"""The agent's own safety: what it wipes, what it refuses to wipe, what its filter closes."""

import errno
import faulthandler
import json
import os
import struct
import subprocess
import sys

import pytest

from sandboxes import Limits, box
from sandboxes.agent import clean, intake, lockdown, wire
from sandboxes.agent.wire import Scratch


def test_the_wiper_refuses_a_directory_it_did_not_mount(tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("alive")
    with pytest.raises(clean.NotOurs, match="not a tmpfs mount"):
        clean.Wiper(str(tmp_path))
    with pytest.raises(clean.NotOurs, match="was there before"):
        clean.Wiper.make(str(tmp_path))
    for place in ("/", "/proc", "/sys", "/usr", "/nowhere"):
        with pytest.raises((clean.NotOurs, OSError)):
            clean.Wiper(place)
    assert canary.read_text() == "alive"


def test_the_wiper_removes_all_in_its_own_directory_and_nothing_outside(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "canary").write_text("alive")
    wiper = clean.Wiper.make(str(tmp_path / "own"))
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
    wiper = clean.Wiper.make(str(tmp_path / "own"))
    program = "import os\nfor n in range(300):\n    os.mkdir('d' * 200); os.chdir('d' * 200)\nopen('f', 'w').close()"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path / "own", check=True)
    assert wiper.wipe()
    assert list((tmp_path / "own").iterdir()) == []


def test_the_wiper_stays_with_the_directory_it_opened(tmp_path):
    wiper = clean.Wiper.make(str(tmp_path / "own"))
    (tmp_path / "own").rename(tmp_path / "moved")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "canary").write_text("alive")
    (tmp_path / "moved" / "left").write_text("x")
    assert wiper.wipe()
    assert (tmp_path / "own" / "canary").read_text() == "alive"


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_jump_of_the_filter_lands_inside_and_it_ends_by_allowing(machine):
    program = lockdown.filter_program(machine)
    steps = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    for at, (code, true, false, _) in enumerate(steps):
        if code & 0x07 == 0x05:
            assert at + 1 + max(true, false) < len(steps)
    assert steps[-1] == (lockdown.RETURN, 0, 0, lockdown.ALLOW)
    assert len(steps) < 4096


def filtered(machine, number, *arguments, arch=None):
    """What the filter says to one system call, by interpreting its program."""
    program = lockdown.filter_program(machine)
    steps = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    data = struct.pack("=II", number, arch or lockdown.ARCHITECTURE[machine]) + struct.pack(
        "=Q6Q", 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6]
    )
    at, value = 0, 0
    while True:
        code, true, false, operand = steps[at]
        at += 1
        if code == lockdown.RETURN:
            return "allow" if operand == lockdown.ALLOW else errno.errorcode[operand & 0xFFFF]
        if code == lockdown.LOAD:
            value = struct.unpack_from("=I", data, operand)[0]
        else:
            hit = {
                lockdown.JUMP_EQUAL: value == operand,
                lockdown.JUMP_GREATER: value > operand,
                lockdown.JUMP_SET: bool(value & operand),
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


def test_a_forked_process_finds_nothing_in_a_scratch():
    scratch = Scratch(1 << 16)
    read, write = os.pipe()
    os.write(write, b"SECRET")
    assert scratch.fill_from(read, 100) == 6
    assert bytes(scratch.content()) == b"SECRET"
    pid = os.fork()
    if pid == 0:
        faulthandler.disable()
        bytes(scratch.view[:6])  # the page is not there: this ends the process
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == 11
    scratch.forget()
    assert bytes(scratch.view[:6]) == bytes(6)
    os.close(read)
    os.close(write)


def test_host_and_agent_speak_of_jobs_in_the_same_order():
    assert [name.decode() for name in box.ON_DEMAND] == list(intake.ON_DEMAND)
    assert box.MODES == intake.MODES
    limits = Limits(cpu_s=1, wall_s=2, total_cpu_s=3, output_bytes=4, memory_mb=16, processes=6, file_bytes=7)
    told = dict(zip(intake.LIMITS, box._limits(limits, 8), strict=True))
    assert told == {**limits.model_dump(), "lines": 8}
    assert box._limits(Limits(), 1)[intake.LIMITS.index("total_cpu_s")] < 0


@pytest.mark.parametrize("most", [1, 7, 1000])
def test_a_frame_arrives_whole_however_little_each_write_takes(monkeypatch, most):
    sent = bytearray()

    def writev(_fd, pieces):
        piece = b"".join(pieces)[:most]
        sent.extend(piece)
        return len(piece)

    monkeypatch.setattr(os, "writev", writev)
    wire.write_frame(1, {"event": "result"}, memoryview(b"abc"), b"", b"defg")
    header, body = wire.LENGTHS.unpack(sent[: wire.LENGTHS.size])
    rest = bytes(sent[wire.LENGTHS.size :])
    assert json.loads(rest[:header]) == {"event": "result"}
    assert rest[header:] == b"abcdefg"
    assert body == 7


def test_a_bare_fork_is_a_fork_that_runs_no_handler():
    program = (
        "import os\nfrom sandboxes.agent.lockdown import bare_fork\n"
        "os.register_at_fork(after_in_child=lambda: os._exit(9))\n"
        "pid = bare_fork()\nif pid == 0: os._exit(7)\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "7\n"


def test_results_that_came_together_share_their_time_and_too_many_take_no_memory():
    spent = box._spent([(1, 9.0, 9.0), (2, 0.1, 0.2), (1 << 60, 0.3, 0.4)], 4)
    assert spent[:4] == [(0.1, 0.2), (0.1, 0.2), (0.3, 0.4), (0.3, 0.4)]
    assert len(spent) < 20
    assert box._spent([], 2) == [(0.0, 0.0)] * 2
