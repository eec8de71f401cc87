"""Programs that try to be paid without solving the task, to reach the agent, or to leave something for the next program.

The task is always the same, so that any judge can run them: `stdio` reads x and prints x * x + 7, `function` is `f(x)` with the
same value. No program here does that for more than one of the inputs in `INPUTS`. `limit` is what the sandbox must say, where
that is certain; otherwise any end will do, as long as nothing is paid, nothing is left and the box lives.
"""

from typing import NamedTuple

INPUTS = (3, 10, -4, 1001)


class Hostile(NamedTuple):
    """One attack."""

    name: str
    kind: str
    program: str
    limit: tuple[str, ...] = ()


def answer(x):
    """What an honest program gives."""
    return x * x + 7


def _stdio(name, program, *limit):
    return Hostile(name, "stdio", program, limit)


def _function(name, program, *limit):
    return Hostile(name, "function", program, limit)


_ALL_FDS = """
import os
for fd in range(0, 1024):
    for text in (b'{"ready":1}\\n{"v":true}\\n', b"passed\\n", b"\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x00{}"):
        try: os.write(fd, text)
        except OSError: pass
"""
_PROC_FDS = """
import os
for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
    try: fds = os.listdir(f"/proc/{pid}/fd")
    except OSError: continue
    if int(pid) == os.getpid(): continue
    for fd in fds:
        try: open(f"/proc/{pid}/fd/{fd}", "wb").write(b"\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x00{}")
        except OSError: pass
"""
_FRAME = b'\\x00\\x00\\x00\\x28\\x00\\x00\\x00\\x00{"exit":0,"signal":null,"sizes":[0,0,0]}'
_IGNORE_ALL = """
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
"""
_LIBC = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"

HOSTILE = (
    # Forging a result -------------------------------------------------------------------------------------------------
    _stdio("write to every descriptor", _ALL_FDS),
    _stdio("write to every process's descriptors", _PROC_FDS),
    _stdio("a protocol frame on stdout", f"import os\nos.write(1, b'{_FRAME}')\nos._exit(0)"),
    _stdio("a protocol frame on PID 1's stdout", f"open('/proc/1/fd/1', 'wb').write(b'{_FRAME}')"),
    _stdio("say passed and exit 0", "print('passed'); print('AC'); print('True'); raise SystemExit(0)"),
    _stdio("exit 0 at once", "import os; os._exit(0)"),
    _stdio("sys.exit with a bool", "import sys; sys.exit(True)"),
    _stdio("the input echoed", "import sys; print(sys.stdin.read())"),
    _stdio("all answers at once", "for n in range(-2000, 2000): print(n * n + 7)"),
    _stdio("no newline but a thousand answers", "print(' '.join(str(n * n + 7) for n in range(1100)))"),
    _stdio("half right", "x = int(input()); print(x * x + 7 if x == 3 else x)"),
    _stdio("near", "x = int(input()); print(x * x + 7 + (x > 9))"),
    _stdio("the right answer on stderr", "import sys; x = int(input()); print(x * x + 7, file=sys.stderr)"),
    _stdio("NaN", "print(float('nan'))"),
    _stdio("an exception that spells the answer", "x = int(input()); raise SystemExit(str(x * x + 7))"),
    _stdio("the answer in a file", "x = int(input()); open('out.txt', 'w').write(str(x * x + 7))"),
    _stdio(
        "the agent's modules",
        "import sys\nfor n, m in list(sys.modules.items()):\n    if 'agent' in n:\n        for k in list(vars(m)):\n            if callable(getattr(m, k)):\n                try: setattr(m, k, lambda *a, **k: 0)\n                except Exception: pass",
    ),
    _stdio(
        "frames up to the agent",
        "import sys\nf = sys._getframe()\nwhile f:\n    for k, v in list(f.f_locals.items()):\n        if hasattr(v, 'facts') or 'exit' in str(k): print(k, v)\n    f.f_locals['code'] = f.f_locals['status'] = 0\n    f = f.f_back",
    ),
    _stdio(
        "the garbage collector",
        "import gc\nfor o in gc.get_objects():\n    if isinstance(o, (bytes, str, dict)) and 'expected' in str(o)[:1000]: print(o)",
    ),
    _stdio(
        "a trace function on the agent's shutdown",
        "import sys, threading\ndef t(f, e, a):\n    for k in list(f.f_locals):\n        if k == 'status': f.f_locals[k] = 0\n    return t\nsys.settrace(t); threading.settrace(t)",
    ),
    _stdio(
        "exit handlers that print passed",
        "import atexit, os\natexit.register(lambda: os.write(1, b'passed'))\natexit.register(lambda: os._exit(0))\n1/0",
    ),
    _stdio("a patched os._exit", "import os\nos._exit = lambda code: print('still here')\nraise SystemExit(1)"),
    _stdio(
        "an excepthook and a closed stderr",
        "import sys, os\nsys.excepthook = lambda *a: os._exit(0)\nsys.stderr = None\n1/0",
    ),
    _stdio(
        "expected outputs in files",
        "import os\nfor d, s, f in os.walk('/'):\n    if d.startswith(('/proc', '/sys', '/usr')): s[:] = []; continue\n    for n in f:\n        if any(w in n for w in ('expected', 'output', 'answer', 'test')):\n            try: print(open(os.path.join(d, n)).read())\n            except (OSError, ValueError): pass",
    ),
    _stdio(
        "expected outputs in PID 1's memory",
        "import re\ntry:\n    maps = open('/proc/1/maps').read(); mem = open('/proc/1/mem', 'rb')\n    for line in maps.splitlines():\n        a, b = (int(v, 16) for v in line.split()[0].split('-')); mem.seek(a); print(re.findall(rb'[0-9]{2,7}', mem.read(b - a)))\nexcept OSError as e: print(e)",
    ),
    _stdio(
        "expected outputs in its own heap",
        "import re\nfor line in open('/proc/self/maps'):\n    if 'heap' in line or 'rw-p' in line:\n        a, b = (int(v, 16) for v in line.split()[0].split('-'))\n        try:\n            with open('/proc/self/mem', 'rb') as m:\n                m.seek(a)\n                for n in re.findall(rb'SECRET-[A-Za-z0-9]+-[0-9]+', m.read(b - a)): print(n)\n        except (OSError, ValueError, OverflowError): pass",
    ),
    _function(
        "equal to everything",
        "class A:\n    def __eq__(self, o): return True\n    __hash__ = None\n    def __repr__(self): return '16'\ndef f(x): return A()",
    ),
    _function(
        "an int equal to everything",
        "class A(int):\n    def __eq__(self, o): return True\n    def __ne__(self, o): return False\n    def __hash__(self): return 0\ndef f(x): return A(1)",
    ),
    _function(
        "an int whose methods lie",
        "class A(int):\n    def __add__(self, o): return self\n    def __index__(self): return 16\n    def __format__(self, s): return '10'\n    def __abs__(self): return 16\ndef f(x): return A(1)",
    ),
    _function(
        "a proxy of everything",
        "class P:\n    def __getattribute__(self, n): return P()\n    def __call__(self, *a): return P()\n    def __eq__(self, o): return True\ndef f(x): return P()",
    ),
    _function(
        "a class that claims to be int",
        "class A:\n    __class__ = int\n    def __eq__(self, o): return True\ndef f(x): return A()",
    ),
    _function(
        "numpy's look",
        "import sys, types\nm = types.ModuleType('numpy')\nclass generic:\n    dtype = 'int64'\n    def item(self): return True\nm.generic = generic; m.ndarray = list; sys.modules['numpy'] = m\ndef f(x): return generic()",
    ),
    _function(
        "patched encoder",
        "import sys\nfor m in list(sys.modules.values()):\n    for n in ('encode', 'dumps', '_describe', '_write'):\n        if hasattr(m, n): setattr(m, n, lambda *a, **k: 'true')\ndef f(x): return 1",
    ),
    _function(
        "result lines of its own",
        "import os\nfor fd in range(3, 400):\n    try: os.write(fd, b'{\"ready\":1}\\n' + b'{\"v\":16}\\n' * 9)\n    except OSError: pass\nos._exit(0)",
    ),
    _function(
        "half a result line",
        'import os\nfor fd in range(3, 400):\n    try: os.write(fd, b\'{"ready":1}\\n{"v":16\')\n    except OSError: pass\nos._exit(0)',
    ),
    _function(
        "garbage result lines",
        "import os\ndef f(x):\n    for fd in range(3, 400):\n        try: os.write(fd, b'\\xff\\x00[[[[' * 1000 + b'\\n')\n        except OSError: pass\n    return 1",
    ),
    _function(
        "nested result lines",
        "import os\ndef f(x):\n    for fd in range(3, 400):\n        try: os.write(fd, b'[' * 60000 + b'\\n')\n        except OSError: pass\n    return 1",
    ),
    _function("exit 0 in the call", "import os\ndef f(x): os._exit(0)"),
    _function("SystemExit in the call", "def f(x): raise SystemExit(0)"),
    _function("a generator instead", "def f(x):\n    yield x * x + 7"),
    _function("a list that holds itself", "a = []\na.append(a)\ndef f(x): return a"),
    _function("a million nested lists", "def f(x):\n    a = []\n    for _ in range(1000000): a = [a]\n    return a"),
    _function("an integer of a million digits", "def f(x): return 10 ** 1000000"),
    _function("a value of 100 MB", "def f(x): return ['x' * 1000] * 100000"),
    _function(
        "a linked list without end",
        "class ListNode:\n    val = 16\n    @property\n    def next(self): return ListNode()\ndef f(x): return ListNode()",
    ),
    _function(
        "an exception that lies about itself",
        "class E(Exception):\n    def __str__(self): raise KeyboardInterrupt\n    __repr__ = __str__\ndef f(x): raise E",
    ),
    _function("no function at all", "x = 16"),
    _function("the function is a builtin", "f = len"),
    _function(
        "the next call's argument",
        "import sys\ndef f(x):\n    fr = sys._getframe(1)\n    return fr.f_locals.get('expected', 0)",
    ),
    # Leaving something for the next ------------------------------------------------------------------------------------
    _stdio(
        "files everywhere",
        "import os\nfor top in ('/tmp', '/dev/shm', '/var/tmp', '/run', '/dev', '/', '/home', '/opt/rewardkit', '/usr/lib/python3/dist-packages'):\n    for name in ('left', '.left', 'sitecustomize.py', 'x y\\n'):\n        try: open(os.path.join(top, name), 'w').write('SECRET-left-1')\n        except OSError: pass",
    ),
    _stdio(
        "directories 300 deep",
        "import os\nfor n in range(300):\n    os.mkdir('d' * 200); os.chdir('d' * 200)\nopen('f', 'w').write('x')",
    ),
    _stdio(
        "closed directories",
        "import os\nos.makedirs('a/b/c')\nopen('a/b/c/f', 'w').close()\nfor d in ('a/b/c', 'a/b', 'a'): os.chmod(d, 0)",
    ),
    _stdio(
        "four thousand files", "for n in range(5000):\n    try: open(f'f{n}', 'w').close()\n    except OSError: break"
    ),
    _stdio(
        "symlinks out",
        "import os\nos.symlink('/etc', 'etc'); os.symlink('/', 'root'); os.symlink('..', 'up'); os.symlink('/proc/1', 'one'); os.mkdir('d'); os.symlink('/usr', 'd/usr')",
    ),
    _stdio(
        "fifos, sockets and device nodes",
        "import os, socket, stat\nos.mkfifo('fifo'); s = socket.socket(socket.AF_UNIX); s.bind('sock')\ntry: os.mknod('dev', 0o666 | stat.S_IFCHR, os.makedev(1, 3))\nexcept OSError: pass",
    ),
    _stdio(
        "a daemon",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        while True:\n            try: open('/tmp/again', 'w').write('SECRET-daemon-1')\n            except OSError: pass\n            time.sleep(0.01)\n    os._exit(0)",
    ),
    _stdio(
        "a daemon that ignores signals",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n"
        + "".join(f"    {line}\n" for line in _IGNORE_ALL.strip().splitlines())
        + "    while True: time.sleep(1)",
    ),
    _stdio(
        "a thread that outlives main",
        "import threading, time\nthreading.Thread(target=lambda: time.sleep(60), daemon=False).start()",
        "wall",
    ),
    _stdio(
        "daemon threads",
        "import threading, time\nfor _ in range(8): threading.Thread(target=lambda: time.sleep(60), daemon=True).start()",
    ),
    _stdio(
        "shared memory",
        _LIBC
        + "i = libc.shmget(0x5ec4, 4096, 0o1666)\nif i >= 0:\n    libc.shmat.restype = ctypes.c_void_p\n    ctypes.memmove(libc.shmat(i, None, 0), b'SECRET-shm-1', 12)\nprint('kept' if i >= 0 else 'no')",
    ),
    _stdio("message queue", _LIBC + "i = libc.msgget(0x5ec4, 0o1666)\nprint('kept' if i >= 0 else 'no')"),
    _stdio(
        "POSIX message queue",
        _LIBC
        + "fd = libc.syscall(240, b'secret', os.O_CREAT | os.O_RDWR, 0o666, None)\nprint('kept' if fd >= 0 else 'no')",
    ),
    _stdio(
        "POSIX shared memory",
        "from multiprocessing import shared_memory, resource_tracker\ntry:\n    m = shared_memory.SharedMemory('left', create=True, size=4096); m.buf[:6] = b'SECRET'\n    resource_tracker.unregister(m._name, 'shared_memory')\nexcept OSError: pass",
    ),
    _stdio(
        "a key in the kernel's keyring",
        _LIBC + "print('kept' if libc.syscall(248, b'user', b'k', b'SECRET', 6, -4) >= 0 else 'no')",
    ),
    _stdio(
        "a changed limit for PID 1",
        "import resource\nfor kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC, resource.RLIMIT_AS):\n    try: resource.prlimit(1, kind, (0, 0))\n    except OSError: pass",
    ),
    _stdio(
        "a nicer PID 1",
        "import os\nfor act in (lambda: os.setpriority(os.PRIO_PROCESS, 1, 19), lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19), lambda: os.sched_setaffinity(1, {0}), lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))):\n    try: act(); print('done')\n    except OSError: pass",
    ),
    _stdio(
        "PID 1 first in line for the memory killer",
        "for p in ('/proc/1/oom_score_adj', '/proc/1/oom_adj'):\n    try: open(p, 'w').write('1000'); print('done')\n    except OSError: pass",
    ),
    # Too much ------------------------------------------------------------------------------------------------------------
    _stdio(
        "a fork bomb",
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        "cpu",
        "wall",
        "processes",
    ),
    _stdio(
        "a thread bomb",
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(60,)).start()",
        "processes",
        "wall",
        "cpu",
        "memory",
    ),
    _stdio("a memory bomb", "a = []\nwhile True: a.append(bytearray(1 << 22))", "memory"),
    _stdio(
        "a memory bomb in children",
        "import os\nfor _ in range(8): os.fork()\na = []\nwhile True: a.append(bytearray(1 << 20))",
    ),
    _stdio(
        "a memory bomb in a memfd",
        "import os\nwhile True:\n    fd = os.memfd_create('x')\n    try:\n        for _ in range(31): os.write(fd, bytes(1 << 20))\n    except OSError: break",
    ),
    _stdio("one huge allocation", "x = bytearray(1 << 40)", "memory"),
    _stdio("a disk bomb", "n = 0\nwhile True:\n    open(f'f{n}', 'wb').write(bytes(1 << 24)); n += 1", "file"),
    _stdio("one huge file", "f = open('f', 'wb')\nwhile True: f.write(bytes(1 << 20))", "file"),
    _stdio("a descriptor bomb", "import os\nwhile True: os.open('/dev/null', 0)"),
    _stdio("an output bomb", "while True: print('x' * 65536)", "output"),
    _stdio("an output bomb on stderr", "import sys\nwhile True: sys.stderr.write('x' * 65536)", "output"),
    _stdio("an endless loop", "while True: pass", "cpu", "wall"),
    _stdio("an endless sleep", "import time; time.sleep(1e6)", "wall"),
    _stdio("deaf to every signal", _IGNORE_ALL + "while True: pass", "cpu", "wall"),
    _stdio("stops itself", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", "wall"),
    _stdio("deep recursion", "import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)\nf(0)"),
    _stdio("a compiler bomb", "x = " + "(" * 100000 + ")" * 100000),
    _stdio("a constant bomb", "x = 2 ** 10 ** 10"),
    _stdio("a regex bomb", "import re; re.match(r'(a+)+$', 'a' * 64 + 'b')", "cpu", "wall"),
    _stdio(
        "a busy child, an idle parent",
        "import os, time\nif os.fork() == 0:\n    while True: pass\ntime.sleep(1000)",
        "cpu",
        "wall",
    ),
    _function("an endless call", "def f(x):\n    while True: pass", "cpu", "wall"),
    _function("an endless import", "while True: pass\ndef f(x): return 16", "cpu", "wall"),
    # Out of the box ------------------------------------------------------------------------------------------------------
    _stdio(
        "kill everything",
        "import os, signal\nfor pid in (-1, 0, 1):\n    for number in (9, 15, 19, 2, 6, 11):\n        try: os.kill(pid, number)\n        except OSError: pass",
    ),
    _stdio(
        "kill its own group and PID 1",
        "import os\nfor act in (lambda: os.kill(1, 9), lambda: os.killpg(os.getpgid(1), 9)):\n    try: act()\n    except OSError: pass",
    ),
    _stdio("trace PID 1", _LIBC + "print('traced' if libc.ptrace(16, 1, 0, 0) == 0 else 'no')"),
    _stdio(
        "write PID 1's memory",
        _LIBC
        + "b = ctypes.create_string_buffer(8)\nclass V(ctypes.Structure): _fields_ = [('p', ctypes.c_void_p), ('n', ctypes.c_size_t)]\nl = V(ctypes.addressof(b), 8); r = V(0x400000, 8)\nprint('done' if libc.process_vm_writev(1, ctypes.byref(l), 1, ctypes.byref(r), 1, 0) > 0 else 'no')",
    ),
    _stdio("a new user namespace", _LIBC + "print('new' if libc.unshare(0x10000000) == 0 else 'no')"),
    _stdio("mount", _LIBC + "print('mounted' if libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0 else 'no')"),
    _stdio(
        "become root",
        "import os\nfor act in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0])):\n    try: act(); print('root')\n    except OSError: pass\nos.system('su root -c id; sudo id; mount 2>/dev/null | head -0')",
    ),
    _stdio(
        "the network",
        "import socket\nfor host in (('1.1.1.1', 53), ('127.0.0.1', 22), ('169.254.169.254', 80), ('8.8.8.8', 53)):\n    try: socket.create_connection(host, 0.3); print('reached')\n    except OSError: pass",
    ),
    _stdio(
        "raw and netlink sockets",
        "import socket\nfor family, kind in ((socket.AF_INET, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_NETLINK, socket.SOCK_RAW)):\n    try: socket.socket(family, kind); print('open')\n    except OSError: pass",
    ),
    _stdio(
        "the Docker socket",
        "import os\nfor p in ('/var/run/docker.sock', '/run/docker.sock', '/run/podman/podman.sock', '/run/containerd/containerd.sock'):\n    if os.path.exists(p): print('found')",
    ),
    _stdio(
        "the way the box's own stream came in",
        "import os, socket\ntry: print(os.listdir('/mnt') and 'found')\nexcept OSError: pass\nfor act in (lambda: open('/mnt/x', 'w'), lambda: os.mkdir('/mnt/d'), lambda: os.mknod('/mnt/agent.sock')):\n    try: act(); print('wrote')\n    except OSError: pass\ntry: socket.socket(socket.AF_UNIX).connect('/mnt/agent.sock'); print('reached')\nexcept OSError: pass",
    ),
    _stdio(
        "kernel settings",
        "for p in ('/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/sys/kernel/uevent_helper', '/sys/fs/cgroup/memory/memory.limit_in_bytes', '/proc/sys/vm/drop_caches'):\n    try: open(p, 'w').write('1'); print('wrote')\n    except OSError: pass",
    ),
    _stdio(
        "io_uring, bpf, perf, userfaultfd",
        _LIBC
        + "print(['open' for n in (425, 321, 298, 323, 304, 428, 438, 440) if libc.syscall(n, 1, 0, 0, 0, 0) >= 0])",
    ),
    # Further ways to leave something, or to hold the box ----------------------------------------------------------------
    _stdio(
        "names of message queues",
        "import os\nfor n in ('left', 'a\\nb', b'\\xff'.decode(errors='surrogateescape')):\n    try: open('/dev/mqueue/' + n, 'w').close(); print('kept')\n    except OSError: pass\nprint([n for n in ('/dev/mqueue',) if os.path.isdir(n) and os.listdir(n)] and 'found')",
    ),
    _stdio(
        "a directory's times, mode and attributes",
        "import os\nfor d in ('/tmp', '/dev/shm', '/dev/mqueue'):\n    for f in (lambda: os.chmod(d, 0), lambda: os.utime(d, (13, 13)), lambda: os.setxattr(d, 'user.left', b'13')):\n        try: f(); print('wrote')\n        except OSError: pass",
    ),
    _stdio(
        "a server on an abstract socket",
        "import os, socket\nif os.fork() == 0:\n    os.setsid(); s = socket.socket(socket.AF_UNIX); s.bind('\\0left'); s.listen()\n    while True: s.accept()[0].send(b'13')\n",
    ),
    _stdio(
        "children handed to PID 1",
        _LIBC
        + "import time\nfor _ in range(5):\n    if libc.syscall(56, 0x8000 | 17, 0, 0, 0, 0) == 0: time.sleep(100)\nprint(12)",
    ),
    _stdio(
        "a fork ahead of the killer",
        "import os\nfor _ in range(3):\n    if os.fork() == 0:\n        while True:\n            try:\n                if os.fork(): os._exit(0)\n            except OSError: pass\nprint(12)",
    ),
    _stdio(
        "a main thread that leaves, others that stay",
        _LIBC
        + "import threading\ndef burn():\n    while True: pass\nthreading.Thread(target=burn).start()\nlibc.syscall(60, 0)",
        "cpu",
        "wall",
    ),
    _stdio(
        "pipes full of memory",
        "import fcntl, os\nheld = []\ntry:\n    while True:\n        r, w = os.pipe(); held.append((r, w)); os.set_blocking(w, False)\n        try: fcntl.fcntl(w, 1031, 1 << 20)\n        except OSError: pass\n        try:\n            while True: os.write(w, bytes(65536))\n        except BlockingIOError: pass\nexcept OSError: pass\nprint(12)",
    ),
    _stdio(
        "sockets full of memory",
        "import socket\nheld = []\ntry:\n    while True:\n        a, b = socket.socketpair(); a.setblocking(False); held.append((a, b))\n        try:\n            while True: a.send(bytes(65536))\n        except BlockingIOError: pass\nexcept OSError: pass\nprint(12)",
    ),
    _stdio("every watch that inotify gives", _LIBC + "while libc.inotify_init() >= 0: pass\nprint(12)"),
    _stdio(
        "stdin rewritten for the next test",
        "import os, sys\nfor f in (lambda: os.ftruncate(0, 0), lambda: os.pwrite(0, b'3\\n', 0), lambda: os.lseek(0, 0, 0)):\n    try: f()\n    except OSError: pass\nprint(16 if sys.stdin.read() == '3\\n' else 12)",
    ),
    _stdio(
        "every descriptor made stdout",
        "import os\nfor fd in range(1024):\n    if fd != 1:\n        try: os.dup2(1, fd)\n        except OSError: pass\nos.write(1, b'16\\n')",
    ),
    _stdio(
        "a fatal signal by way of asynchronous I/O",
        "import fcntl, os\nfor fd in (0, 1, 2, *os.pipe()):\n    for command, value in ((8, 1), (10, 9), (4, 0o20000 | os.O_NONBLOCK)):\n        try: fcntl.fcntl(fd, command, value)\n        except OSError: pass\nos.write(1, b'12\\n')",
    ),
    _stdio(
        "memory spread so thin that PID 1 is the largest",
        "import os, time\nopen('/proc/self/oom_score_adj', 'w').write('0')\nfor _ in range(24):\n    try:\n        if os.fork() == 0:\n            x = bytearray(64 << 20); time.sleep(30)\n    except OSError: break\ntime.sleep(1); print(12)",
    ),
    _stdio(
        "a namespace by clone3",
        _LIBC
        + "class A(ctypes.Structure): _fields_ = [(n, ctypes.c_uint64) for n in 'abcdefghijk']\nr = libc.syscall(435, ctypes.byref(A(a=0x10000000, e=17)), ctypes.sizeof(A))\nif r == 0: os._exit(0)\nprint('reached' if r > 0 else 12)",
    ),
    _stdio(
        "every set-uid program",
        "import os, subprocess\nfor d in ('/bin', '/usr/bin', '/sbin', '/usr/sbin'):\n    for n in os.listdir(d):\n        p = os.path.join(d, n)\n        try:\n            if os.lstat(p).st_mode & 0o4000 and b'uid=0' in subprocess.run([p, '-c', 'id'], stdin=-3, capture_output=True, timeout=1).stdout: print('root')\n        except (OSError, subprocess.TimeoutExpired): pass",
    ),
    _stdio(
        "a shell in its place",
        "import os\nos.execv('/bin/sh', ['sh', '-c', 'cat /proc/1/environ /proc/1/maps && echo found; kill -9 -1; echo 12'])",
    ),
    _stdio(
        "an integer that C rewrote", "import ctypes\nctypes.c_uint32.from_address(id(12) + 24).value = 16\nprint(12)"
    ),
    _function(
        "results without end, each in time",
        "import os, time\ndef f(x):\n    while True: os.write(200, b'{}\\n'); time.sleep(0.3)",
        "output",
    ),
    _function("a tag of no kind", 'import os\ndef f(x):\n    os.write(200, b\'{"v":{"t":[]}}\\n\'); os._exit(0)'),
    _function(
        "a set of integers that collide, in a scalar's place",
        'import os\ndef f(x):\n    keys = \',\'.join(str(k * ((1 << 61) - 1)) for k in range(100000))\n    out = (\'{"v":{"t":"numpy","v":{"t":"set","v":[\' + keys + \']}}}\\n\').encode()\n    while out: out = out[os.write(200, out):]\n    os._exit(0)',
    ),
)
"""All attacks."""
