# Before tests by an interactor to testlib's protocol: what it prints the program reads, and the other way round. `candidate` asks the program.
class RewardkitBroken(BaseException):
    """The interactor or the checker fails by itself."""


def _start(binary, *names, **streams):
    """Run a program from memory: no folder of a box allows execution."""
    import base64
    import os
    import subprocess
    import zlib

    memory = os.memfd_create("program")
    os.write(memory, zlib.decompress(base64.b85decode(binary)))
    return subprocess.Popen(
        ["./main", *names], executable=f"/proc/self/fd/{memory}", pass_fds=(memory,), bufsize=0, **streams
    )


def _end(name, process, heard):
    status = process.wait()
    if status not in (0, 1, 2, 7, 8):  # testlib's words on the output
        if heard:  # else what a program says could leave its row unjudged
            raise AssertionError(f"the {name} breaks down on what the program said (it ended with {status})")
        raise RewardkitBroken(f"the {name} ended with {status}")
    if status:
        raise AssertionError(f"the {name} refuses what the program said")


def _waits(process):
    """It has read all that it was told and sleeps: so it waits for more."""
    import array
    import fcntl
    import termios

    with open(f"/proc/{process.pid}/stat") as file:
        asleep = file.read().rpartition(")")[2].split()[0] == "S"
    unread = array.array("i", [0])
    fcntl.ioctl(process.stdin, termios.FIONREAD, unread)
    return asleep and not unread[0]


def _exchange(interactor):
    """Carry what is said until the interactor ends. The program is heard when the interactor waits for it. True if it said something."""
    import os
    import select

    def said(within_s):
        return bool(select.select([interactor.stdout], [], [], within_s)[0])

    spoke = False
    while True:
        if said(0.002 if not interactor.stdin.closed else None):
            line = os.read(interactor.stdout.fileno(), 1 << 16)
            if not line:
                return spoke
            candidate("write", line.decode("utf-8", "surrogateescape"))
        elif _waits(interactor) and not said(0):
            heard = candidate("hear", "")
            spoke = spoke or bool(heard)
            try:
                interactor.stdin.write(heard.encode("latin-1"))
                if not heard:
                    interactor.stdin.close()
            except BrokenPipeError:  # it has ended
                interactor.stdin.close()


def _converse(interactor, checker, given, answer):
    import subprocess

    for name, text in (("input.txt", given), ("answer.txt", answer)):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    candidate("start", "")
    names = ("input.txt", "output.txt", "answer.txt")
    process = _start(interactor, *names, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    heard = _exchange(process)
    _end("interactor", process, heard)
    if checker:
        _end("checker", _start(checker, *names), heard)
    if candidate("end", "whatever it says") is not True:
        raise RuntimeError("the program does not end well")
