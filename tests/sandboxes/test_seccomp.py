"""Which system calls a box refuses, told by running the filter on each: the list changes on purpose or not at all."""

import errno
import struct

import pytest
import recorded

from sandboxes.agent import seccomp

FILTERS = {machine: seccomp.filter_program(machine, (1, 7)) for machine in seccomp.ARCHITECTURE}
REFUSALS = {
    seccomp.ERRNO | number: errno.errorcode[number] for number in (errno.EPERM, errno.ENOSYS, errno.ENETUNREACH)
}


def answer(machine, call, *arguments, architecture=None):
    """What the kernel does with a call: a BPF interpreter for the instructions that the filter uses."""
    words = [call, seccomp.ARCHITECTURE[machine] if architecture is None else architecture, 0, 0]
    words += [half for value in (*arguments, *[0] * 6)[:6] for half in (value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF)]
    steps = list(struct.iter_unpack("=HBBI", FILTERS[machine]))
    place = loaded = 0
    while True:
        code, true, false, value = steps[place]
        place += 1
        if code == 0x20:
            loaded = words[value // 4]
        elif code == 0x06:
            return REFUSALS.get(value, "allowed" if value == 0x7FFF0000 else hex(value))
        else:
            holds = {0x15: loaded == value, 0x25: loaded > value, 0x45: bool(loaded & value)}[code]
            place += true if holds else false


@pytest.mark.long
@pytest.mark.parametrize("machine", FILTERS)
def test_what_is_refused_is_recorded(machine):
    found = []
    for call in range(600):
        if (said := answer(machine, call)) != "allowed":
            found.append(f"{call}: {said}")
        for index in range(3):
            for value in (1, 2, 7, 8, 15, 0x8901, 0x8902, -1, -7, 0x7E020000, 0x8000, 0x80):
                arguments = [0, 0, 0]
                arguments[index] = value
                if (other := answer(machine, call, *arguments)) != said:
                    found.append(f"{call}, argument {index} {value:#x}: {other}")
    recorded.check(f"seccomp_{machine}.txt", "\n".join(found) + "\n")


@pytest.mark.parametrize("machine", FILTERS)
def test_calls_of_another_architecture_are_refused(machine):
    assert answer(machine, 0, architecture=1) == "EPERM"
    assert answer(machine, 0x40000000) == "EPERM"  # x32


def test_the_numbers_of_the_kernel_are_the_kernels():
    names = [name for name in vars(seccomp) if name.isupper() and isinstance(vars(seccomp)[name], int)]
    recorded.check("seccomp_numbers.txt", "".join(f"{name} {vars(seccomp)[name]:#x}\n" for name in names))
