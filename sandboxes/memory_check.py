"""Part of the self-check: no program finds anything of another one, in its memory, its descriptors or the files it can read.

Programs of every kind plant markers wherever a job has a place for bytes. Then one looks through all that it can read for these
things: a word, in each width that a string may have in memory; large integers, digit by digit; a list of small ones, as the row of
pointers that it is, and as text. It builds what it looks for piece by piece, so that it does not find itself.
"""

from collections.abc import Sequence

from sandboxes.base import Call, Job, Limits
from sandboxes.languages import LANGUAGES
from sandboxes.values import encode

__all__ = ["SCAN_ALL", "SCAN_OWN", "as_scan", "planted", "planted_in", "planted_under_drivers", "scan"]

WORD = "Qv7zKx" + "PlantedByAnother"
MASK = 0x55
HIGH, LOW = 0x2B3C4D5E, 0x11223300
"""The digits of the large integers, 30 bits each; the lower one counts up."""
LIMITS = Limits(cpu_s=3.0, wall_s=8.0, memory_mb=256)


def small(index: int) -> int:
    """The list of small integers."""
    return (index * index * 37 + 11 * index + 90) % 251


SMALL = [small(index) for index in range(200)]
LARGE = [HIGH << 30 | LOW + index for index in range(200)]
ECHO = f"# {WORD}\ndef f(x):\n    print('{WORD}')\n    return x\n"
SCRIPT = f"""
import os, sys, tempfile, threading
{WORD}_name = '{WORD}'
small = [(i * i * 37 + 11 * i + 90) % 251 for i in range(200)]
large = [{HIGH} << 30 | {LOW} + i for i in range(200)]
text = sys.stdin.read()
print(text, {WORD}_name, small, large)
print(text[:100], {WORD}_name, small, file=sys.stderr)
for folder in ('.', '/tmp', '/dev/shm'):
    try: open(os.path.join(folder, '{WORD}'), 'w').write('{WORD}' * 100)
    except OSError: pass
threading.Thread(target=lambda: open('/proc/thread-self/comm', 'w').write('{WORD[:15]}')).start()
"""
DRIVER = f"""
def check(candidate):
    for value in ('{WORD}', {SMALL}, {LARGE}, ['{WORD}'] * 50):
        assert candidate(value) == value, '{WORD}'
check(candidate)
"""


def planted() -> list[Job]:
    """Jobs of every mode, right and failing, small and large, all full of markers."""
    values = (WORD, SMALL, LARGE, [SMALL] * 20, [WORD] * 1000, {WORD: LARGE}, "\U0001f600" + WORD)
    calls = tuple(Call(args=(encode(value),)) for value in values)
    large = tuple(Call(args=(encode(value),)) for value in (LARGE * 20, [WORD * 20] * 500))
    prelude = f"import math\n{WORD}_prelude = '{WORD}'\n"

    def function(program: str, **more: object) -> Job:
        return Job.model_validate(
            {"program": program, "entry_point": "f", "limits": LIMITS, "prelude": prelude, **more}
        )

    fails = f"{ECHO}def f(x):\n    raise ValueError('{WORD}', x)\n"
    leaves = f"import sys\n{ECHO}def f(x):\n    sys.exit('{WORD}')\n"
    return [
        Job(program=SCRIPT, stdin=WORD, argv=(WORD,), files={f"{WORD}/{WORD}": WORD}, prelude=prelude, limits=LIMITS),
        Job(program=SCRIPT, stdin=WORD * 20_000, limits=LIMITS),
        Job(program=f"{SCRIPT}\nraise ValueError({WORD}_name)", stdin=WORD, limits=LIMITS),
        Job(program=f"{SCRIPT}\nsys.exit({WORD}_name)", stdin=WORD, limits=LIMITS),
        Job(program=f"{SCRIPT}\nos.fork() or os.setsid()\nwhile True: pass", limits=LIMITS.model_copy(update={"cpu_s": 0.3})),
        Job(program=f"{SCRIPT}\nos.kill(os.getpid(), 11)", limits=LIMITS),
        Job(program=f"{WORD} = (", limits=LIMITS),
        function(ECHO, calls=calls),
        function(ECHO, calls=large),
        function(fails, calls=calls),
        function(leaves, calls=calls, keep_going=True),
        function(f"raise ValueError('{WORD}')", calls=calls),
        Job(program=f"import numpy, sortedcontainers\n{SCRIPT}", stdin=WORD, limits=LIMITS),
    ]  # fmt: skip


def planted_under_drivers() -> list[Job]:
    """Jobs with test programs, which not every sandbox takes."""
    fails = f"{ECHO}def f(x):\n    raise ValueError('{WORD}', x)\n"
    programs = (
        ECHO,
        fails,
        f"{ECHO}raise ValueError('{WORD}')",
        f"import os\n{ECHO}def f(x):\n    os.write(200, b'{WORD}\\n' * 9)\n    os._exit(3)",
    )
    return [Job(program=program, entry_point="f", driver=DRIVER, limits=LIMITS) for program in programs]


def planted_in(*languages: str) -> list[Job]:
    """The smallest program of each language with markers all around it."""
    return [
        Job(
            program=f"{LANGUAGES[name].probe}\n{'#' if name == 'bash' else '//'} {WORD}",
            stdin=WORD * 100,
            argv=(WORD,),
            files={WORD: WORD},
            language=name,
            limits=LIMITS,
        )
        for name in languages
    ]


def scan(program: str, *, trusted: bool = False) -> Job:
    """The job that looks."""
    return Job(program=program, trusted=trusted, limits=Limits(cpu_s=60, wall_s=120))


_FIND = f"""
import ctypes, os, re, struct
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
masked, width_of = {bytes(byte ^ MASK for byte in WORD.encode())!r}, (1, 2, 4)
high, low = {HIGH ^ 0xFFFF} ^ 0xFFFF, {LOW ^ 0xFFFF} ^ 0xFFFF
def small(i): return (i * i * 37 + 11 * i + 90) % 251
def byte(i): return masked[i] ^ {MASK}
starts = [b''.join(bytes((byte(i),)) + bytes(width - 1) for i in range(5)) for width in width_of]
pair = struct.pack('<QQ', id(small(0)), id(small(1)))
word = struct.pack('<I', high)
texts = [(','.join(map(str, map(small, range(3)))), ','), (', '.join(map(str, map(small, range(3)))), ', ')]
def hits(needle, data):
    at = data.find(needle)
    while at >= 0:
        yield at
        at = data.find(needle, at + 1)
def finds(data):
    for start, width in zip(starts, width_of):
        for at in hits(start, data):
            if all(data[at + i * width : at + i * width + 1] == bytes((byte(i),)) for i in range(5, 12)):
                return 'the word'
    for at in hits(word, data):
        if at >= 4 and 0 <= struct.unpack_from('<I', data, at - 4)[0] - low < 4000 and at % 4 == 0:
            return 'a large integer'
    for at in hits(pair, data):
        row = struct.unpack('<6Q', data[at + 16 : at + 64]) if at + 64 <= len(data) else ()
        if row and all(row[i] == id(small(i + 2)) for i in range(6)):
            return 'the list'
    for start, comma in texts:
        for at in hits(start.encode(), data):
            rest = [int(number) for number in re.findall(rb'[0-9]+', data[at + len(start) : at + 40])[:4]]
            if rest == [small(i + 3) for i in range(4)]:
                return 'the list as text'
    return None
found = []
def look(where, data):
    what = finds(data)
    if what and len(found) < 20:
        found.append((where, what))
def read(path, most=1 << 22):
    try:
        with open(path, 'rb', 0) as file:
            data = b''
            while len(data) < most and (part := file.read(most)):
                data += part
            return data
    except (OSError, ValueError):
        return b''
memory = os.open('/proc/self/mem', os.O_RDONLY)
for line in read('/proc/self/maps').decode().splitlines():
    begin, end = (int(part, 16) for part in line.split()[0].split('-'))
    if line.split()[1][0] != 'r' or '[v' in line:
        continue
    while begin < end:
        size = min(end - begin, 1 << 20)
        try: look('memory ' + line, os.pread(memory, size + 64, begin))
        except OSError:
            try: look('memory ' + line, os.pread(memory, size, begin))
            except OSError: pass
        begin += size
os.close(memory)
for name in os.listdir('/proc/self/fd'):
    try: link = os.readlink('/proc/self/fd/' + name)
    except OSError: continue
    if int(name) > 2 and int(name) != 200 and not link.startswith('/proc/'): found.append(('descriptor ' + name, link))
    if not link.startswith(('pipe:', 'socket:', '/')) or 'memfd' in link:
        try: look('descriptor ' + name, os.pread(int(name), 1 << 22, 0))
        except OSError: pass
"""
SCAN_OWN = f"{_FIND}\nprint('seen:', found)"
"""Looks through its own memory and descriptors."""
SCAN_ALL = f"""{_FIND}
for pid in os.listdir('/proc'):
    here = '/proc/' + pid
    if pid.isdigit() and int(pid) != os.getpid():
        tasks = [here + '/task/' + task for task in os.listdir(here + '/task')]
        for place in [here, *tasks]:
            for name in ('cmdline', 'comm', 'environ', 'stat', 'status', 'maps', 'stack', 'io', 'mountinfo', 'wchan', 'auxv'):
                look(place + '/' + name, read(place + '/' + name))
            for name in ('mem', 'pagemap', 'syscall', 'clear_refs'):
                try: os.close(os.open(place + '/' + name, os.O_RDONLY if name != 'clear_refs' else os.O_WRONLY))
                except OSError: continue
                found.append((place + '/' + name, 'can be opened'))
            try: names = os.listdir(place + '/fd')
            except OSError: continue
            found.append((place + '/fd', str(names)))
        try: os.listdir(here + '/cwd/'); found.append((here + '/cwd', 'can be listed'))
        except OSError: pass
        buffer, target = ctypes.create_string_buffer(8), ctypes.c_ulonglong(id(found))
        class Part(ctypes.Structure): _fields_ = [('at', ctypes.c_void_p), ('size', ctypes.c_size_t)]
        mine, other = Part(ctypes.addressof(buffer), 8), Part(id(found), 8)
        if ctypes.CDLL(None).process_vm_readv(int(pid), ctypes.byref(mine), 1, ctypes.byref(other), 1, 0) > 0:
            found.append((here, 'process_vm_readv'))
for name in ('net/unix', 'locks', 'keys', 'key-users', 'sysvipc/shm', 'sysvipc/msg', 'sysvipc/sem', 'self/mountinfo', 'self/environ'):
    look('/proc/' + name, read('/proc/' + name))
for top in ('.', '/tmp', '/dev/shm', '/dev/mqueue', '/var/tmp', '/run', '/mnt'):
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            look(folder + ' names', os.fsencode(name))
            look(folder + ' files', read(os.path.join(folder, name)))
print("seen:", found)"""
"""Looks also through what it can read of other processes, and through the files."""


def as_scan(jobs: Sequence[Job], scanner: str) -> list[Job]:
    """All of it in one batch, with a look after each. Each job twice, since a batch may alternate between two boxes."""
    return [each for job in jobs for each in (job, job, scan(scanner), scan(scanner))]
