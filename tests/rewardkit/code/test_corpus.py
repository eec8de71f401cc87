"""Programs against the whole judge, in Docker: no hack is paid, no honest program refused, whatever it looks like."""

from itertools import zip_longest

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code

pytestmark = pytest.mark.docker

REWARD = Code(cpu_s=1.0, memory_mb=256)
XS = [0, 1, 2, 3, 10, 1000, -4, 10**12]
FUNCTION = {"inputs": [[x] for x in XS], "outputs": [x * x + 7 for x in XS], "fn_name": "f"}
FLOATS = {"inputs": [[1], [2]], "outputs": [0.5, 0.25], "fn_name": "f"}
LISTS = {"inputs": [[3], [4]], "outputs": [[[0, 1], [1, 2]], [[0, 1], [1, 2], [2, 3]]], "fn_name": "f"}
NAMED = {"inputs": [[[1, 2, 3], 2], [[4, 5], 9]], "outputs": [1, -1], "fn_name": "search"}
ADD = {"inputs": [[1, 2], [3, 4]], "outputs": [3, 7], "fn_name": "add"}
SQUARE = {"inputs": [f"{x}\n" for x in XS], "outputs": [f"{x * x}\n" for x in XS]}
SIGNS = {"inputs": ["1\n", "0\n"], "outputs": ["1\n0\n1\n0\n0\n", "0\n1\n1\n1\n1\n"]}
HALF = {"inputs": ["1\n", "3\n"], "outputs": ["0.5\n", "1.5\n"]}
CHECK = {
    "test": "def check(candidate):\n    for i in range(5):\n        assert candidate(i) == i * i + 7\n",
    "entry_point": "f",
}
IS_TRUE = {
    "test": "def check(candidate):\n    assert candidate(1) is True\n    assert candidate(2) == True\n",
    "entry_point": "f",
}
TREE = {
    "test_list": ["assert height(root) == 2", "assert height(None) == 0"],
    "test_setup_code": "root = Node(1)\nroot.left = Node(2)",
}
TYPED = {"test_list": ["assert drop((4, 'a', 2.5), int) == ['a', 2.5]"]}
LEETCODE = {
    "prompt": "from typing import *\nfrom operator import *\nfrom heapq import *\nfrom math import *\n",
    "entry_point": "Solution().add",
    "test": "def check(candidate):\n    assert candidate(a = 1, b = 2) == 3\n    assert candidate(a = 5, b = 2) == 7\n",
}
NODES = {
    "prompt": "from typing import *\nclass ListNode:\n    def __init__(self, val=0, next=None):\n        self.val = val\n        self.next = next\n",
    "entry_point": "Solution().rev",
    "test": "def check(candidate):\n    assert is_same_list(candidate(head = list_node([1,2,3])), list_node([3,2,1]))\n    assert is_same_list(candidate(head = list_node([])), list_node([]))\n",
}
TREES = {
    "prompt": "",
    "entry_point": "Solution().mirror",
    "test": "def check(candidate):\n    assert is_same_tree(candidate(root = tree_node([1,2,3,None,4])), tree_node([1,3,2,None,None,4]))\n",
}

HOSTILE = {
    "an object that equals everything, of a class of its own": (TREE, "class Node:\n    def __init__(self, v): pass\n    def __eq__(self, o): return True\ndef height(n): return Node(0)"),
    "patched wrappers": (TYPED, "import builtins\nclass A(list):\n    def __eq__(self, o): return True\nbuiltins.list = A\ndef drop(xs, kind): return A()"),
    "an object that equals everything": (FUNCTION, "class A:\n    def __eq__(self, o): return True\n    __hash__ = None\ndef f(x): return A()"),
    "an int that equals everything": (FUNCTION, "class A(int):\n    def __eq__(self, o): return True\n    def __hash__(self): return 0\ndef f(x): return A(5)"),
    "a float that equals everything": (FLOATS, "class A(float):\n    def __eq__(self, o): return True\n    def __sub__(self, o): return 0.0\n    __rsub__ = __sub__\n    def __abs__(self): return 0.0\ndef f(x): return A(9)"),
    "a str that equals everything": (FUNCTION, "class A(str):\n    def __eq__(self, o): return True\n    def __hash__(self): return 0\ndef f(x): return A('x')"),
    "a list that equals everything": (LISTS, "class A(list):\n    def __eq__(self, o): return True\n    def __len__(self): return 2\n    def __iter__(self): return iter(())\ndef f(x): return A()"),
    "a dict that equals everything": (FUNCTION, "class A(dict):\n    def __eq__(self, o): return True\ndef f(x): return A()"),
    "a class that says it is int": (FUNCTION, "class A:\n    __class__ = int\n    def __eq__(self, o): return True\n    def __index__(self): return 7\ndef f(x): return A()"),
    "a metaclass that equals everything": (FUNCTION, "class M(type):\n    def __eq__(c, o): return True\n    def __hash__(c): return 0\n    __name__ = 'int'\nclass A(metaclass=M): pass\ndef f(x): return A"),
    "near integers": (FUNCTION, "def f(x): return x * x + 7 + (1 if x > 1000 else 0)"),
    "near integers as floats": (FUNCTION, "def f(x): return x * x + 7 + 1e-9 * (x == 3) + (x == 3) * 1e-6"),
    "NaN": (FLOATS, "def f(x): return float('nan')"),
    "infinity": (FLOATS, "def f(x): return float('inf')"),
    "text that spells the number": (FUNCTION, "def f(x): return str(x * x + 7)"),
    "the answer in a list": (FUNCTION, "def f(x): return [x * x + 7]"),
    "None for all": (FUNCTION, "def f(x): pass"),
    "a generator": (LISTS, "def f(n):\n    yield from ()"),
    "a list that holds itself": (LISTS, "def f(n):\n    a = []\n    a.append(a)\n    return a"),
    "a linked list without end": (NODES, "class Solution:\n    def rev(self, head):\n        class ListNode:\n            val = 1\n            @property\n            def next(self): return type(self)()\n        return ListNode()"),
    "a linked list in a ring": (NODES, "class Solution:\n    def rev(self, head):\n        a = ListNode(3)\n        a.next = a\n        return a"),
    "exit 0 before the calls": (FUNCTION, "import os\nos._exit(0)"),
    "exit 0 in the call": (FUNCTION, "import os\ndef f(x): os._exit(0)"),
    "SystemExit in the call": (FUNCTION, "import sys\ndef f(x): sys.exit(0)"),
    "frames": (FUNCTION, "import sys\ndef f(x):\n    fr = sys._getframe()\n    while fr:\n        for v in list(fr.f_locals.values()) + list(fr.f_globals.values()):\n            e = getattr(v, 'expected', None) or (v.get('expected') if isinstance(v, dict) else None)\n            if e is not None: return e\n        fr = fr.f_back\n    return 0"),
    "gc": (FUNCTION, "import gc\ndef f(x):\n    for o in gc.get_objects():\n        if type(o) is list and len(o) == 8 and o and o[0] == 7: return o[0]\n    return 0"),
    "patched json and encoder": (FUNCTION, "import sys, json\nfor m in list(sys.modules.values()):\n    for n in ('encode', 'dumps', '_describe', 'same_value'):\n        if hasattr(m, n):\n            try: setattr(m, n, lambda *a, **k: True)\n            except Exception: pass\ndef f(x): return 1"),
    "patched builtins": (FUNCTION, "import builtins\nbuiltins.all = lambda *a: True\nbuiltins.isinstance = lambda *a: True\ndef f(x): return 1"),
    "words on every descriptor": (FUNCTION, "import os\ndef f(x):\n    for fd in range(3, 260):\n        for w in (b'{\"v\": true}\\n', b'passed\\n', b'1\\n'):\n            try: os.write(fd, w)\n            except OSError: pass\n    return 0"),
    "words on PID 1's descriptors": (FUNCTION, "import os\ndef f(x):\n    for p in (1, os.getppid()):\n        for fd in range(10):\n            try: open(f'/proc/{p}/fd/{fd}', 'wb').write(b'\\x00\\x00\\x00\\x02{}')\n            except OSError: pass\n    return 0"),
    "memory of PID 1": (FUNCTION, "import re\ndef f(x):\n    try:\n        m = open('/proc/1/mem', 'rb'); maps = open('/proc/1/maps').read()\n    except OSError: return 0\n    return 7"),
    "more result lines than calls": (FUNCTION, "import os\nos.write(200, b'{\"ready\":1}\\n' + b'{\"v\":7}\\n' * 8)\nos._exit(0)"),
    "forged tags": (FUNCTION, "def f(x): return {'t': 'int', 'v': 'ff', '__eq__': True}"),
    "an empty Solution where a library has the name": (ADD, "from operator import *\nclass Solution:\n    pass"),
    "an empty Solution where the prelude has the name": (LEETCODE, "class Solution:\n    pass"),
    "nothing defined": (ADD, "x = 1"),
    "an exception that says passed": (FUNCTION, "class Passed(Exception):\n    def __str__(self): return '{\"v\": 7}\\n'\ndef f(x): raise Passed"),
    "a driver is not fooled by objects": (CHECK, "class A:\n    def __eq__(self, o): return True\ndef f(x): return A()"),
    "a driver is not fooled by exits": (CHECK, "import os\ndef f(x): os._exit(0)"),
    "a driver is not fooled by SystemExit": (CHECK, "def f(x): raise SystemExit(0)"),
    "a driver is not fooled by a patched assert": (CHECK, "import builtins\nbuiltins.AssertionError = Warning\nbuiltins.range = lambda *a: []\ndef f(x): return 0"),
    "a driver is not fooled by an early end": (CHECK, "import sys\nsys.exit(0)"),
    "is True": (IS_TRUE, "class A:\n    def __eq__(self, o): return True\n    def __bool__(self): return True\ndef f(x): return A()"),
    "is True by one": (IS_TRUE, "def f(x): return 1"),
    "nothing printed": (SQUARE, "pass"),
    "the verdict printed": (SQUARE, "print('Accepted')\nprint('correct')"),
    "the input printed": (SQUARE, "print(input())"),
    "the answer and another": (SQUARE, "x = int(input())\nprint(x * x)\nprint(x)"),
    "near integers printed": (SQUARE, "x = int(input())\nprint(x * x + (x > 1000))"),
    "a float for an integer": (SQUARE, "x = int(input())\nprint(float(x * x) * 1.0000001)"),
    "only the first line": (SIGNS, "print(input())"),
    "the set of lines": (SIGNS, "x = input()\nprint(x)\nprint(1 - int(x))"),
    "NaN printed": (HALF, "print('nan')"),
    "infinity printed": (HALF, "print('inf')"),
    "right output, then a crash": (SQUARE, "x = int(input())\nprint(x * x, flush=True)\nraise ValueError"),
    "right output, then no end": (SQUARE, "x = int(input())\nprint(x * x, flush=True)\nwhile True: pass"),
    "right output, then sleep": (SQUARE, "import time\nx = int(input())\nprint(x * x, flush=True)\ntime.sleep(100)"),
    "bombs of output": (SQUARE, "while True: print('x' * 100000)"),
    "bombs of memory": (SQUARE, "a = []\nwhile True: a.append(bytearray(10**7))"),
    "bombs of forks": (SQUARE, "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"),
    "killing everything": (SQUARE, "import os, signal\nos.kill(-1, signal.SIGKILL)"),
}  # fmt: skip

HONEST = {
    "a class of its own as argument": (TREE, "class Node:\n    def __init__(self, v):\n        self.v, self.left, self.right = v, None, None\ndef height(n):\n    return 0 if n is None else 1 + max(height(n.left), height(n.right))"),
    "a type as argument": (TYPED, "def drop(xs, kind):\n    return [x for x in xs if not isinstance(x, kind)]"),
    "a main block that reads": (FUNCTION, "def f(x): return x * x + 7\nif __name__ == '__main__':\n    print(f(int(input())))"),
    "plain": (FUNCTION, "def f(x): return x * x + 7"),
    "method": (FUNCTION, "class Solution:\n    def f(self, x): return x * x + 7"),
    "annotated without imports": (LISTS, "class Solution:\n    def f(self, n: int) -> List[List[int]]:\n        return [[i, i + 1] for i in range(n - 1)]"),
    "tuples for lists": (LISTS, "def f(n): return tuple((i, i + 1) for i in range(n - 1))"),
    "whole floats for integers": (FUNCTION, "def f(x): return float(x * x + 7) if abs(x) < 10**6 else x * x + 7"),
    "numpy scalars": (FUNCTION, "import numpy as np\ndef f(x): return np.int64(x * x % 10**18 + 7) if x < 10**6 else x * x + 7"),
    "numpy arrays": (LISTS, "import numpy as np\ndef f(n): return np.array([[i, i + 1] for i in range(n - 1)])"),
    "an int subclass of its own": (FUNCTION, "class Mod(int): pass\ndef f(x): return Mod(x * x + 7)"),
    "an IntEnum or a bool": (IS_TRUE, "def f(x): return x > 0"),
    "rounding at the last digit": (FLOATS, "def f(x): return 0.5 ** x + 1e-12"),
    "prints inside": (FUNCTION, "def f(x):\n    print('debug', x)\n    return x * x + 7"),
    "prints to stderr": (FUNCTION, "import sys\ndef f(x):\n    print('debug', x, file=sys.stderr)\n    return x * x + 7"),
    "state in the instance": (FUNCTION, "class Solution:\n    def __init__(self): self.seen = []\n    def f(self, x):\n        self.seen.append(x)\n        assert len(self.seen) == 1\n        return x * x + 7"),
    "state in the module": (FUNCTION, "memo = {}\ndef f(x):\n    memo.setdefault(x, x * x)\n    return memo[x] + 7"),
    "a cached method": (FUNCTION, "class Solution:\n    @cache\n    def f(self, x): return x * x + 7"),
    "deep recursion": (FUNCTION, "import sys\nsys.setrecursionlimit(10**6)\ndef g(n): return 0 if n == 0 else 1 + g(n - 1)\ndef f(x): return x * x + 7 + g(20000) - 20000"),
    "threads": (FUNCTION, "import threading\ndef f(x):\n    out = []\n    t = threading.Thread(target=lambda: out.append(x * x + 7))\n    t.start(); t.join()\n    return out[0]"),
    "big recursion in a big thread": (FUNCTION, "import threading, sys\nsys.setrecursionlimit(10**6)\nthreading.stack_size(64 << 20)\ndef f(x):\n    out = []\n    def g(n): return 0 if n == 0 else 1 + g(n - 1)\n    t = threading.Thread(target=lambda: out.append(x * x + 7 + g(30000) - 30000))\n    t.start(); t.join()\n    return out[0]"),
    "a lambda": (FUNCTION, "f = lambda x: x * x + 7"),
    "a decorated function": (FUNCTION, "from functools import wraps\ndef deco(g):\n    @wraps(g)\n    def inner(*a): return g(*a)\n    return inner\n@deco\ndef f(x): return x * x + 7"),
    "a callable object": (FUNCTION, "class F:\n    def __call__(self, x): return x * x + 7\nf = F()"),
    "example use below": (FUNCTION, "def f(x): return x * x + 7\nprint(f(3))\nassert f(1) == 8"),
    "a main guard": (FUNCTION, "def f(x): return x * x + 7\nif __name__ == '__main__':\n    print(f(3))"),
    "a future import": (FUNCTION, "from __future__ import annotations\ndef f(x: Unknown) -> Unknown: return x * x + 7"),
    "a dataclass": (FUNCTION, "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\ndef f(x): return P(x).x ** 2 + 7"),
    "a method named as a library function": (NAMED, "from re import *\nfrom bisect import *\nclass Solution:\n    def search(self, nums: List[int], target: int) -> int:\n        return nums.index(target) if target in nums else -1"),
    "a library function by its name": (ADD, "from operator import add"),
    "LeetCode method under star imports": (LEETCODE, "class Solution:\n    def add(self, a: int, b: int) -> int:\n        return a + b"),
    "imports inside the method": (LEETCODE, "class Solution:\n    def add(self, a, b):\n        import math\n        return math.fsum([a, b])"),
    "reversed linked list": (NODES, "class Solution:\n    def rev(self, head: Optional[ListNode]) -> Optional[ListNode]:\n        prev = None\n        while head:\n            head.next, prev, head = prev, head, head.next\n        return prev"),
    "linked list of its own class": (NODES, "class ListNode:\n    def __init__(self, val=0, next=None):\n        self.val, self.next = val, next\nclass Solution:\n    def rev(self, head):\n        out = None\n        while head:\n            out = ListNode(head.val, out)\n            head = head.next\n        return out"),
    "mirrored tree": (TREES, "class Solution:\n    def mirror(self, root: Optional[TreeNode]) -> Optional[TreeNode]:\n        if root:\n            root.left, root.right = self.mirror(root.right), self.mirror(root.left)\n        return root"),
    "a driver": (CHECK, "def f(x):\n    print('called')\n    return x ** 2 + 7"),
    "a driver and tuples": ({"test": "def check(candidate):\n    for i in range(2):\n        assert candidate(i) == (i, [i])\n", "entry_point": "f"}, "def f(x): return (x, [x])"),
    "script": (SQUARE, "print(int(input()) ** 2)"),
    "read all": (SQUARE, "import sys\nprint(int(sys.stdin.read()) ** 2)"),
    "buffer": (SQUARE, "import sys\nx = int(sys.stdin.buffer.readline())\nsys.stdout.buffer.write(b'%d' % (x * x))"),
    "open(0)": (SQUARE, "print(*(int(x) ** 2 for x in open(0)))"),
    "os.read and os.write": (SQUARE, "import os\nx = int(os.read(0, os.fstat(0).st_size))\nos.write(1, str(x * x).encode())"),
    "the fast reader of contests": (SQUARE, "import os, sys\nfrom io import BytesIO, IOBase\nclass FastIO(IOBase):\n    newlines = 0\n    def __init__(self, file):\n        self._fd = file.fileno()\n        self.buffer = BytesIO()\n        self.writable = 'x' in file.mode or 'r' not in file.mode\n        self.write = self.buffer.write if self.writable else None\n    def readline(self):\n        while self.newlines == 0:\n            b = os.read(self._fd, max(os.fstat(self._fd).st_size, 8192))\n            self.newlines = b.count(b'\\n') + (not b)\n            ptr = self.buffer.tell()\n            self.buffer.seek(0, 2), self.buffer.write(b), self.buffer.seek(ptr)\n        self.newlines -= 1\n        return self.buffer.readline()\n    def flush(self):\n        if self.writable:\n            os.write(self._fd, self.buffer.getvalue())\n            self.buffer.truncate(0), self.buffer.seek(0)\nsys.stdin = FastIO(sys.stdin)\nsys.stdout = FastIO(sys.stdout)\nx = int(sys.stdin.readline())\nsys.stdout.write(str(x * x).encode())\nsys.stdout.flush()"),
    "CRLF and blanks": (SQUARE, "x = int(input())\nprint(x * x, end='   \\r\\n\\r\\n')"),
    "no last newline": (SQUARE, "print(int(input()) ** 2, end='')"),
    "exit() at the end": (SQUARE, "print(int(input()) ** 2)\nexit()"),
    "os._exit after a flush": (SQUARE, "import os\nprint(int(input()) ** 2, flush=True)\nos._exit(0)"),
    "a main function in a thread": (SQUARE, "import threading\ndef main(): print(int(input()) ** 2)\nt = threading.Thread(target=main)\nt.start()"),
    "float formats": (HALF, "x = int(input())\nprint('%.10f' % (x / 2))"),
    "scientific format": (HALF, "x = int(input())\nprint('%e' % (x / 2))"),
    "a scratch file": (SQUARE, "open('a.txt', 'w').write(input())\nprint(int(open('a.txt').read()) ** 2)"),
    "a coding cookie": (SQUARE, "# -*- coding: utf-8 -*-\nprint(int(input()) ** 2)  # пример"),
    "input that lacks the last newline": ({"inputs": ["3"], "outputs": ["9"]}, "print(int(input()) ** 2)"),
    "5 MB of output": ({"inputs": ["700000\n"], "outputs": ["123456 " * 700_000]}, "print('123456 ' * int(input()))"),
    "10 MB of input": ({"inputs": ["1 " * 5_000_000], "outputs": ["5000000"]}, "print(len(input().split()))"),
}  # fmt: skip


def score_of(truth, program):
    return REWARD.score([Sample(completion=f"```python\n{program}\n```", ground_truth=truth)])[0]


@pytest.mark.parametrize(("truth", "program"), HOSTILE.values(), ids=HOSTILE.keys())
def test_no_hack_is_paid(docker_sandbox, truth, program):
    score = score_of(truth, program)
    assert score.value == 0.0, score
    assert score.verdict not in {"correct", "unjudged"}


@pytest.mark.parametrize(("truth", "program"), HONEST.values(), ids=HONEST.keys())
def test_no_honest_program_is_refused(docker_sandbox, truth, program):
    score = score_of(truth, program)
    assert (score.value, score.verdict.value) == (1.0, "correct"), score.reason


def test_hacks_among_honest_programs_change_no_verdict(docker_sandbox):
    """All at once, so that a box that a hack spoils is the box that an honest program comes to."""
    names = [name for pair in zip_longest(HOSTILE, HONEST) for name in pair if name is not None]
    programs = {**HOSTILE, **HONEST}
    samples = [
        Sample(completion=f"```python\n{programs[name][1]}\n```", ground_truth=programs[name][0], id=name)
        for name in names
    ]
    scores = REWARD.score(samples)
    assert {name: score.value for name, score in zip(names, scores, strict=True)} == {
        name: float(name in HONEST) for name in names
    }


def test_nothing_is_left_for_the_next_submission(docker_sandbox):
    leave = (
        "import os, json\nfrom multiprocessing import shared_memory\n"
        "def f(x):\n"
        "    for d in ('/tmp', '/dev/shm', '/var/tmp', '.', '/'):\n"
        "        try: open(os.path.join(d, f'answer{x}'), 'w').write(str(x * x + 7))\n"
        "        except OSError: pass\n"
        "    os.environ['ANSWER'] = '7'\n"
        "    return x * x + 7\n"
    )
    find = (
        "import os\n"
        "def f(x):\n"
        "    for d in ('/tmp', '/dev/shm', '/var/tmp', '.', '/'):\n"
        "        for at, _, names in os.walk(d) if d != '/' else [(d, [], os.listdir(d))]:\n"
        "            if f'answer{x}' in names: return int(open(os.path.join(at, f'answer{x}')).read())\n"
        "    return int(os.environ.get('ANSWER', -1))\n"
    )
    for _ in range(3):
        assert score_of(FUNCTION, leave).value == 1.0
        assert score_of(FUNCTION, find).verdict.value == "wrong"
