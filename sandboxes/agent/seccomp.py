"""What the agent gives up before the first program runs: system calls, a readable process image, writable limits of its own.

The filter is inherited by every fork. It closes the ways a program could reach the agent's two processes (they have the same
user): signals, tracing, other processes' limits and priority. And those to leave something behind that cannot be wiped: SysV and
POSIX queues and memory, keyrings.
"""

import ctypes
import errno
import os
import signal
import struct

__all__ = ["bare_fork", "connect", "die_with_parent", "forbid", "harden"]

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 36, 38
SECCOMP_MODE_FILTER = 2
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
LOAD, JUMP_EQUAL, JUMP_GREATER, JUMP_SET, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x3FFFFFFF
CLONE_REFUSED = 0x7E020080 | 0x8000
"""CLONE_NEW{TIME,NS,CGROUP,UTS,IPC,USER,PID,NET}; CLONE_PARENT, with which a process chooses the signal that its parent gets."""

DENIED: dict[str, tuple[int, ...]] = {
    # shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl; mq_*; add_key request_key keyctl;
    # ptrace process_vm_*; kcmp pidfd_getfd pidfd_send_signal process_madvise; perf_event_open bpf userfaultfd; unshare setns mount umount2
    # pivot_root chroot; io_uring_*; name_to_handle_at open_by_handle_at; fanotify_init; move_pages migrate_pages;
    # open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr; personality acct quotactl swapon swapoff reboot
    # kexec_load init_module delete_module; memfd_secret; setpriority ioprio_set (they reach a whole user's processes);
    # sched_setscheduler sched_setparam sched_setattr: who is ready and runs only on an idle machine waits without end on a busy one
    "x86_64": (
        *(29, 30, 31, 67, 64, 65, 66, 220, 68, 69, 70, 71),
        *(240, 241, 242, 243, 244, 245, 248, 249, 250),
        *(101, 310, 311, 312, 438, 424, 440, 298, 321, 323, 272, 308, 165, 166, 155, 161),
        *(425, 426, 427, 303, 304, 300, 279, 256, 428, 429, 430, 431, 432, 433, 442),
        *(135, 163, 179, 167, 168, 169, 246, 175, 176, 447, 141, 251, 144, 142, 314),
    ),
    "aarch64": (
        *(194, 196, 195, 197, 190, 193, 191, 192, 186, 189, 188, 187),
        *(180, 181, 182, 183, 184, 185, 217, 218, 219),
        *(117, 270, 271, 272, 438, 424, 440, 241, 280, 282, 97, 268, 40, 39, 41, 51),
        *(425, 426, 427, 264, 265, 262, 239, 238, 428, 429, 430, 431, 432, 433, 442),
        *(92, 89, 60, 224, 225, 142, 104, 105, 106, 447, 140, 30, 119, 118, 274),
    ),
}
FOREIGN_PID: dict[str, tuple[tuple[int, int], ...]] = {
    # (number, index of the argument that names another process): prlimit64, sched_setaffinity. Only 0, oneself, is allowed.
    "x86_64": ((302, 0), (203, 0)),
    "aarch64": ((261, 0), (122, 0)),
}
SIGNALS: dict[str, tuple[tuple[int, int], ...]] = {
    # (number, index of an argument that names who gets a signal): kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo,
    # pidfd_open. Not the agent's processes, nor everyone.
    "x86_64": ((62, 0), (200, 0), (234, 0), (234, 1), (129, 0), (297, 0), (297, 1), (434, 0)),
    "aarch64": ((129, 0), (130, 0), (131, 0), (131, 1), (138, 0), (240, 0), (240, 1), (434, 0)),
}
OWNER: dict[str, tuple[tuple[int, int], ...]] = {
    # (number, second argument): fcntl F_SETOWN, F_SETOWN_EX and ioctl FIOSETOWN, SIOCSPGRP name who gets a descriptor's signals
    "x86_64": ((72, 8), (72, 15), (16, 0x8901), (16, 0x8902)),
    "aarch64": ((25, 8), (25, 15), (29, 0x8901), (29, 0x8902)),
}
SOCKET = {"x86_64": 41, "aarch64": 198}
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE3 = 435
AF_UNIX = 1
SOCK_STREAM_CLOEXEC = 0o2000001

_libc = ctypes.CDLL(None, use_errno=True)
_fork = ctypes.PyDLL(None, use_errno=True).fork


def _prctl(option: int, value: int, pointer: object = 0) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), pointer, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")


def _step(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, true, false, value)


def filter_program(machine: str, protected: tuple[int, ...] = ()) -> bytes:
    """The BPF program for one architecture; `protected` are the processes that get no signals."""
    deny = _step(RETURN, ERRNO | errno.EPERM)
    absent = _step(RETURN, ERRNO | errno.ENOSYS)
    unreachable = _step(RETURN, ERRNO | errno.ENETUNREACH)
    allow = _step(RETURN, ALLOW)
    number = _step(LOAD, 0)
    program = [_step(LOAD, 4), _step(JUMP_EQUAL, ARCHITECTURE[machine], 1, 0), deny, number]
    program += [_step(JUMP_GREATER, X32_BIT, 0, 1), deny]
    for call in DENIED[machine]:
        program += [_step(JUMP_EQUAL, call, 0, 1), deny]
    program += [_step(JUMP_EQUAL, CLONE3, 0, 1), absent]  # its flags are behind a pointer; libc falls back to clone
    for call, argument in FOREIGN_PID[machine]:
        program += [
            _step(JUMP_EQUAL, call, 0, 4),
            _step(LOAD, 16 + 8 * argument),
            _step(JUMP_EQUAL, 0, 0, 1),
            allow,
            deny,
        ]
    receivers = {value & 0xFFFFFFFF for pid in protected for value in (pid, -pid)} | {0xFFFFFFFF}
    for call, argument in SIGNALS[machine]:
        program += [_step(JUMP_EQUAL, call, 0, 2 + 2 * len(receivers)), _step(LOAD, 16 + 8 * argument)]
        for value in sorted(receivers):
            program += [_step(JUMP_EQUAL, value, 0, 1), deny]
        program.append(number)
    for call, command in OWNER[machine]:
        program += [_step(JUMP_EQUAL, call, 0, 4), _step(LOAD, 24), _step(JUMP_EQUAL, command, 0, 1), deny, number]
    program += [
        _step(JUMP_EQUAL, CLONE[machine], 0, 4),
        _step(LOAD, 16),
        _step(JUMP_SET, CLONE_REFUSED, 0, 1),
        deny,
        allow,
    ]
    program += [
        _step(JUMP_EQUAL, SOCKET[machine], 0, 3),
        _step(LOAD, 16),
        _step(JUMP_EQUAL, AF_UNIX, 1, 0),
        unreachable,
    ]
    return b"".join([*program, allow])


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def harden() -> None:
    """Keep other processes out of this one's memory and descriptors; end with its parent where it is not PID 1."""
    signal.signal(
        signal.SIGINT, signal.SIG_DFL
    )  # PID 1 is deaf to signals from inside its namespace, unless it has a handler
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _prctl(PR_SET_DUMPABLE, 0)
    if os.getpid() != 1:
        _prctl(PR_SET_CHILD_SUBREAPER, 1)
        die_with_parent()


def forbid(*protected: int) -> None:
    """Take system calls away, from this process and all it will fork; no process may signal the `protected` ones."""
    steps = filter_program(os.uname().machine, protected)
    program = _Program(len(steps) // 8, steps)
    _prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program))


def die_with_parent() -> None:
    """Outside a namespace of its own, where nothing else ends a process whose owner was killed. A fork does not inherit it."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def bare_fork() -> int:
    """`os.fork` without what modules registered to run after it.

    Those handlers reset locks of other threads, of which the agent has none, and seed `random` anew; they touched 180 pages, as
    many as the test itself.
    """
    pid: int = _fork()
    if pid < 0:
        raise OSError(ctypes.get_errno(), "fork")
    return pid


def connect(path: str) -> int | None:
    """A stream socket to the one that listens there; None where that fails. Without the library that `socket` would load."""
    fd: int = _libc.socket(AF_UNIX, SOCK_STREAM_CLOEXEC, 0)
    address = struct.pack("=H108s", AF_UNIX, path.encode())
    if fd >= 0 and _libc.connect(fd, address, len(address)) != 0:
        os.close(fd)
        return None
    return fd if fd >= 0 else None
