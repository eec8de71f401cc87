"""Right programs that look odd: each must get what it has earned. `tests` are (input, expected) pairs.

`stdio`: stdin text and the tokens to be printed. `function`: a tuple of arguments and the value of `entry_point`.
"""

from typing import NamedTuple


class Honest(NamedTuple):
    """One awkward program."""

    name: str
    kind: str
    program: str
    tests: tuple
    entry_point: str | None = None


SUM = (("3\n1 2 3\n", "6"), ("1\n-5\n", "-5"), ("4\n10 20 30 40\n", "100"))
ECHO = (("hello\n", "hello"), ("a b\n", "a b"))


def _sum(name, program, tests=SUM):
    return Honest(name, "stdio", program, tests)


def _function(name, program, *tests, entry_point="f"):
    return Honest(name, "function", program, tests, entry_point)


HONEST = (
    _sum("input()", "n = int(input()); print(sum(map(int, input().split())))"),
    _sum("sys.stdin.read", "import sys\nd = sys.stdin.read().split(); print(sum(map(int, d[1:])))"),
    _sum("sys.stdin.buffer", "import sys\nd = sys.stdin.buffer.read().split(); print(sum(map(int, d[1:])))"),
    _sum(
        "sys.stdin.readline as input",
        "import sys\ninput = sys.stdin.readline\nn = int(input()); print(sum(map(int, input().split())))",
    ),
    _sum("iterating over stdin", "import sys\nlines = [l for l in sys.stdin]; print(sum(map(int, lines[1].split())))"),
    _sum("open(0)", "d = open(0).read().split(); print(sum(map(int, d[1:])))"),
    _sum("open(0, 'rb')", "d = open(0, 'rb').read().split(); print(sum(map(int, d[1:])))"),
    _sum("/dev/stdin", "d = open('/dev/stdin').read().split(); print(sum(map(int, d[1:])))"),
    _sum(
        "/dev/stdout",
        "d = open(0).read().split()\nwith open('/dev/stdout', 'w') as f: f.write(str(sum(map(int, d[1:]))))",
    ),
    _sum(
        "os.read and os.write",
        "import os\nd = os.read(0, os.fstat(0).st_size).split(); os.write(1, str(sum(map(int, d[1:]))).encode())",
    ),
    _sum(
        "mmap of stdin",
        "import mmap\nm = mmap.mmap(0, 0, access=mmap.ACCESS_READ); d = m.read().split(); print(sum(map(int, d[1:])))",
    ),
    _sum(
        "seek on stdin",
        "import sys\nsys.stdin.readline(); sys.stdin.seek(0); d = sys.stdin.read().split(); print(sum(map(int, d[1:])))",
    ),
    _sum(
        "the FastIO class",
        """
import os, sys
from io import BytesIO, IOBase
BUFSIZE = 8192
class FastIO(IOBase):
    newlines = 0
    def __init__(self, file):
        self._fd = file.fileno(); self.buffer = BytesIO()
        self.writable = "x" in file.mode or "r" not in file.mode
        self.write = self.buffer.write if self.writable else None
    def read(self):
        while True:
            b = os.read(self._fd, max(os.fstat(self._fd).st_size, BUFSIZE))
            if not b: break
            ptr = self.buffer.tell(); self.buffer.seek(0, 2), self.buffer.write(b), self.buffer.seek(ptr)
        self.newlines = 0
        return self.buffer.read()
    def readline(self):
        while self.newlines == 0:
            b = os.read(self._fd, max(os.fstat(self._fd).st_size, BUFSIZE))
            self.newlines = b.count(b"\\n") + (not b)
            ptr = self.buffer.tell(); self.buffer.seek(0, 2), self.buffer.write(b), self.buffer.seek(ptr)
        self.newlines -= 1
        return self.buffer.readline()
    def flush(self):
        if self.writable:
            os.write(self._fd, self.buffer.getvalue())
            self.buffer.truncate(0), self.buffer.seek(0)
class IOWrapper(IOBase):
    def __init__(self, file):
        self.buffer = FastIO(file); self.flush = self.buffer.flush; self.writable = self.buffer.writable
        self.write = lambda s: self.buffer.write(s.encode("ascii"))
        self.read = lambda: self.buffer.read().decode("ascii")
        self.readline = lambda: self.buffer.readline().decode("ascii")
sys.stdin, sys.stdout = IOWrapper(sys.stdin), IOWrapper(sys.stdout)
input = lambda: sys.stdin.readline().rstrip("\\r\\n")
n = int(input()); print(sum(map(int, input().split()))); sys.stdout.flush()
""",
    ),
    _sum(
        "output flushed at exit",
        "import atexit, io, os, sys\nbuf = io.StringIO(); sys.stdout = buf\natexit.register(lambda: os.write(1, buf.getvalue().encode()))\nn = int(input()); print(sum(map(int, input().split())))",
    ),
    _sum(
        "sys.exit in main",
        "import sys\ndef main():\n    n = int(input()); print(sum(map(int, input().split()))); sys.exit()\nmain()",
    ),
    _sum("exit(0)", "n = int(input()); print(sum(map(int, input().split()))); exit(0)"),
    _sum("quit()", "n = int(input()); print(sum(map(int, input().split()))); quit()"),
    _sum(
        "os._exit after a flush",
        "import os, sys\nn = int(input()); print(sum(map(int, input().split()))); sys.stdout.flush(); os._exit(0)",
    ),
    _sum(
        "under __main__",
        "def main():\n    n = int(input()); print(sum(map(int, input().split())))\nif __name__ == '__main__': main()",
    ),
    _sum(
        "with a stack without a limit",
        "import resource, sys\nresource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\nn = int(input()); print(sum(map(int, input().split())))",
    ),
    _sum(
        "a writer that is never closed",
        "import io, sys\nout = io.BufferedWriter(sys.stdout.buffer.raw, 1 << 16)\nn = int(input()); out.write(b'%d' % sum(map(int, input().split())))",
    ),
    _sum(
        "a generator that never ends",
        "def last():\n    n = int(input()); total = sum(map(int, input().split()))\n    try: yield\n    finally: print(total)\nkept = last()\nnext(kept)",
    ),
    _sum(
        "in a thread with a large stack",
        "import sys, threading\ndef main():\n    n = int(input()); print(sum(map(int, input().split())))\nsys.setrecursionlimit(10**6); threading.stack_size(1 << 27)\nt = threading.Thread(target=main); t.start(); t.join()",
    ),
    _sum(
        "a thread that is not joined",
        "import threading, time\ndef main():\n    time.sleep(0.05); n = int(input()); print(sum(map(int, input().split())))\nthreading.Thread(target=main).start()",
    ),
    _sum(
        "recursion 50,000 deep",
        "import sys\nsys.setrecursionlimit(200000)\ndef s(a, i): return 0 if i < 0 else (a[i] if i < len(a) else 0) + s(a, i - 1)\nn = int(input()); print(s(list(map(int, input().split())), 50000))",
    ),
    _sum(
        "a cached recursion 5,000 deep",
        "import sys\nfrom functools import lru_cache\nsys.setrecursionlimit(20000)\nn = int(input()); a = list(map(int, input().split()))\n@lru_cache(None)\ndef s(i): return 0 if i < 0 else (a[i] if i < n else 0) + s(i - 1)\nprint(s(5000))",
    ),
    _sum(
        "a scratch file",
        "open('in.txt', 'w').write(open(0).read()); d = open('in.txt').read().split(); print(sum(map(int, d[1:])))",
    ),
    _sum(
        "a temporary file",
        "import tempfile\nwith tempfile.TemporaryFile('w+') as f:\n    f.write(open(0).read()); f.seek(0); d = f.read().split(); print(sum(map(int, d[1:])))",
    ),
    _sum(
        "a module of its own",
        "open('helper.py', 'w').write('def add(a): return sum(a)'); import helper\nn = int(input()); print(helper.add(map(int, input().split())))",
    ),
    _sum(
        "a child process",
        "import subprocess, sys\nd = open(0).read()\nprint(subprocess.run([sys.executable, '-c', 'd = open(0).read().split(); print(sum(map(int, d[1:])))'], input=d, text=True, capture_output=True).stdout)",
    ),
    _sum(
        "multiprocessing",
        "from multiprocessing import Pool\ndef g(x): return x\nif __name__ == '__main__':\n    n = int(input())\n    with Pool(2) as p: print(sum(p.map(g, map(int, input().split()))))",
    ),
    _sum(
        "a thread pool",
        "from concurrent.futures import ThreadPoolExecutor\nn = int(input())\nwith ThreadPoolExecutor(4) as p: print(sum(p.map(int, input().split())))",
    ),
    _sum(
        "asyncio",
        "import asyncio\nasync def main():\n    n = int(input()); await asyncio.sleep(0); print(sum(map(int, input().split())))\nasyncio.run(main())",
    ),
    _sum(
        "dataclasses and typing",
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import List\n@dataclass\nclass A:\n    v: List[int]\nn = int(input()); print(sum(A([int(x) for x in input().split()]).v))",
    ),
    _sum("numpy", "import numpy as np\nn = int(input()); print(np.array(input().split(), dtype=np.int64).sum())"),
    _sum(
        "sortedcontainers",
        "from sortedcontainers import SortedList\nn = int(input()); print(sum(SortedList(map(int, input().split()))))",
    ),
    _sum(
        "a slow import",
        "import unittest, xml.dom.minidom, sqlite3, email.mime.text, http.client\nn = int(input()); print(sum(map(int, input().split())))",
    ),
    _sum(
        "stderr chatter",
        "import sys\nfor _ in range(2000): print('debug', file=sys.stderr)\nn = int(input()); print(sum(map(int, input().split())))",
    ),
    _sum("a warning", "import warnings\nwarnings.warn('old')\nn = int(input()); print(sum(map(int, input().split())))"),
    _sum("CRLF in the program", "n = int(input())\r\nprint(sum(map(int, input().split())))\r\n"),
    _sum("CRLF in the input", "n = int(input()); print(sum(map(int, input().split())))", (("3\r\n1 2 3\r\n", "6"),)),
    _sum("a byte order mark", "\ufeffn = int(input()); print(sum(map(int, input().split())))"),
    _sum("tabs and form feeds", "if True:\n\tn = int(input())\n\x0c\n\tprint(sum(map(int, input().split())))"),
    _sum(
        "prints into a StringIO that an exit handler writes out",
        "import atexit, io, sys\nsys.stdout = io.StringIO()\natexit.register(lambda: sys.__stdout__.write(sys.stdout.getvalue()))\ninput(); print(sum(map(int, input().split())))",
    ),
    _sum(
        "a stdout that is put aside and written to at the end",
        "import io, sys\nold, sys.stdout = sys.stdout, io.StringIO()\ninput(); print(sum(map(int, input().split())))\nold.write(sys.stdout.getvalue())",
    ),
    _sum(
        "a file on descriptor 1 that is never closed",
        "out = open(1, 'w')\ninput(); out.write(str(sum(map(int, input().split()))))",
    ),
    _sum(
        "the write of a file that has no other name",
        "import os\nwrite = os.fdopen(1, 'wb').write\ninput(); write(b'%d\\n' % sum(map(int, input().split())))",
    ),
    _sum(
        "a text wrapper around stdout's buffer",
        "import io, sys\nout = io.TextIOWrapper(sys.stdout.buffer)\ninput(); print(sum(map(int, input().split())), file=out)",
    ),
    _sum(
        "a file held by a cycle",
        "class Out:\n    def __init__(self): self.me, self.file = self, open(1, 'w')\nout = Out()\ninput(); out.file.write(str(sum(map(int, input().split()))))",
    ),
    _sum(
        "an object that prints when it goes",
        "class Out:\n    def __del__(self): print(self.x)\nout = Out()\ninput(); out.x = sum(map(int, input().split()))",
    ),
    _sum("C's printf", "import ctypes\ninput(); ctypes.CDLL(None).printf(b'%d\\n', sum(map(int, input().split())))"),
    _sum("stdout closed at the end", "import sys\ninput(); print(sum(map(int, input().split())))\nsys.stdout.close()"),
    _sum("stderr closed", "import sys\nsys.stderr.close()\ninput(); print(sum(map(int, input().split())))"),
    _sum(
        "reads the file it is in",
        "import sys\nassert open(__file__).read().count('count') == 2 and sys.stdin.name == '<stdin>'\ninput(); print(sum(map(int, input().split())))",
    ),
    _sum(
        "starts itself again",
        "import os, sys\nif 'AGAIN' not in os.environ:\n    os.environ['AGAIN'] = '1'\n    os.execv(sys.executable, [sys.executable, *sys.argv])\ninput(); print(sum(map(int, input().split())))",
    ),
    _sum(
        "multiprocessing with spawn",
        "import multiprocessing as mp\ndef add(text): return sum(map(int, text.split()))\nif __name__ == '__main__':\n    input()\n    with mp.get_context('spawn').Pool(1) as pool: print(pool.map(add, [input()])[0])",
    ),
    _sum("input without a last newline", "n = int(input()); print(sum(map(int, input().split())))", (("2\n3 4", "7"),)),
    _sum(
        "reads until EOFError",
        "t = []\ntry:\n    while True: t += input().split()\nexcept EOFError: pass\nprint(sum(map(int, t[1:])))",
    ),
    _sum("trailing spaces", "n = int(input()); print(sum(map(int, input().split())), end='  \\n\\n')"),
    _sum("print with flush and sep", "n = int(input()); print('', sum(map(int, input().split())), sep='', flush=True)"),
    _sum(
        "writelines",
        "import sys\nn = int(input()); sys.stdout.writelines([str(sum(map(int, input().split()))), '\\n'])",
    ),
    _sum(
        "sys.stdout.buffer",
        "import sys\nn = int(input()); sys.stdout.buffer.write(b'%d\\n' % sum(map(int, input().split())))",
    ),
    _sum("non-ASCII text", "print(input())", (("héllo ✓ 日本\n", "héllo ✓ 日本"),)),
    _sum(
        "a large input",
        "import sys\nd = sys.stdin.buffer.read().split(); print(sum(map(int, d[1:])))",
        (("200000\n" + "7 " * 200000 + "\n", "1400000"),),
    ),
    _sum(
        "signals and timers",
        "import signal\nsignal.signal(signal.SIGALRM, lambda *a: None); signal.setitimer(signal.ITIMER_REAL, 0.01)\nn = int(input()); print(sum(map(int, input().split())))",
    ),
    _sum(
        "globals, exec and eval",
        "exec('n = int(input())'); a = eval('[int(v) for v in input().split()]'); print(sum(globals()['a']))",
    ),
    _sum(
        "pickle of its own class",
        "import pickle\nclass P:\n    def __init__(s, v): s.v = v\nn = int(input()); p = pickle.loads(pickle.dumps(P(sum(map(int, input().split()))))); print(p.v)",
    ),
    _sum(
        "its own source",
        "import inspect\ndef g(a): return sum(a)\nassert 'sum(a)' in inspect.getsource(g)\nn = int(input()); print(g(map(int, input().split())))",
    ),
    _sum(
        "a caught memory error",
        "try: x = bytearray(1 << 45)\nexcept MemoryError: pass\nn = int(input()); print(sum(map(int, input().split())))",
    ),
    _sum(
        "a caught recursion error",
        "def r(): return r()\ntry: r()\nexcept RecursionError: pass\nn = int(input()); print(sum(map(int, input().split())))",
    ),
    _function("a plain function", "def f(x): return x + 1", ((1,), 2), ((-5,), -4)),
    _function("a method of Solution", "class Solution:\n    def f(self, x): return x + 1", ((1,), 2), ((9,), 10)),
    _function(
        "state in Solution",
        "class Solution:\n    def __init__(self): self.seen = []\n    def f(self, x):\n        self.seen.append(x)\n        return len(self.seen)",
        ((1,), 1),
        ((2,), 1),
        ((3,), 1),
    ),
    _function(
        "state in a global that is reset",
        "memo = {}\ndef f(x):\n    memo.clear(); memo[x] = x\n    return len(memo)",
        ((1,), 1),
        ((2,), 1),
    ),
    _function("prints inside", "def f(x):\n    print('debug', x)\n    return x", ((1,), 1), (("a",), "a")),
    _function("prints a million characters", "def f(x):\n    print('x' * 1000000)\n    return x", ((1,), 1), ((2,), 2)),
    _function("a tuple for a list", "def f(x): return (x, x)", ((1,), [1, 1])),
    _function("nested tuples", "def f(x): return [(x, (x, [x]))]", ((1,), [[1, [1, [1]]]])),
    _function("numpy scalars", "import numpy as np\ndef f(x): return np.int64(x)", ((5,), 5)),
    _function("a numpy array", "import numpy as np\ndef f(x): return np.arange(x)", ((3,), [0, 1, 2])),
    _function(
        "a default dict",
        "from collections import defaultdict\ndef f(x):\n    d = defaultdict(int); d[x] += 1\n    return d",
        (("a",), {"a": 1}),
    ),
    _function(
        "a Counter", "from collections import Counter\ndef f(x): return Counter(x)", (("aab",), {"a": 2, "b": 1})
    ),
    _function(
        "a named tuple",
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f(x): return P(x, x)",
        ((1,), [1, 1]),
    ),
    _function("an IntEnum", "from enum import IntEnum\nclass C(IntEnum):\n    A = 3\ndef f(x): return C.A", ((1,), 3)),
    _function("big integers", "def f(x): return 2 ** x", ((200,), 2**200), ((64,), 2**64)),
    _function("sets", "def f(x): return set(x)", (([1, 1, 2],), {1, 2})),
    _function("None", "def f(x): return None if x else 0", ((1,), None), ((0,), 0)),
    _function("a bool stays a bool", "def f(x): return x > 0", ((1,), True), ((-1,), False)),
    _function(
        "text with every character",
        "def f(x): return x + '\\u0000\\n\\u2028\\ud83d\\ude00'",
        (("é",), "é\x00\n\u2028\ud83d\ude00"),
    ),
    _function(
        "a global imported late", "def f(x):\n    import bisect\n    return bisect.bisect([1, 2, 3], x)", ((2,), 2)
    ),
    _function(
        "a decorator",
        "from functools import wraps\ndef d(g):\n    @wraps(g)\n    def h(*a): return g(*a)\n    return h\n@d\ndef f(x): return x",
        ((1,), 1),
    ),
    _function("a lambda", "f = lambda x: x * 2", ((2,), 4)),
    _function("a static method", "class Solution:\n    @staticmethod\n    def f(x): return x", ((1,), 1)),
    _function(
        "threads inside",
        "import threading\ndef f(x):\n    out = []\n    t = threading.Thread(target=lambda: out.append(x)); t.start(); t.join()\n    return out[0]",
        ((4,), 4),
    ),
    _function("changes its argument", "def f(x):\n    x.sort()\n    return x", (([3, 1, 2],), [1, 2, 3])),
    _function(
        "typing without import in quotes",
        "from typing import *\nclass Solution:\n    def f(self, x: 'List[int]') -> Optional[int]: return max(x)",
        (([1, 9, 3],), 9),
    ),
    _function(
        "a list of 100,000 numbers",
        "def f(x): return sorted(x)",
        ((list(range(100000, 0, -1)),), list(range(1, 100001))),
    ),
)
"""All honest programs."""
