"""A group of programs for one row: the reference first, then programs that look for what it answered, and answer that."""

import asyncio
import random
import shutil

import pytest

from rewardkit.code.formats import read_problem
from rewardkit.code.judge import judge
from rewardkit.code.policy import Policy
from rewardkit.types import Verdict
from sandboxes.registry import open_sandbox

SECRET = 20261123


def answers(count):
    """The lists that are right; only a program with the secret can know them."""
    rng = random.Random(SECRET)
    return [[n, *(rng.randrange(10**6, 10**9) for _ in range(rng.choice((20, 200, 1000))))] for n in range(count)]


COUNT = 12
CHECKS = "".join(f"    assert candidate({n}) == {answer}\n" for n, answer in enumerate(answers(COUNT)))
ROW = {"prompt": "from typing import *\n", "entry_point": "Solution().f", "test": f"def check(candidate):\n{CHECKS}"}
REFERENCE = f"""
class Solution:
    def f(self, n):
        import random
        rng = random.Random({SECRET})
        rows = [[n, *(rng.randrange(10**6, 10**9) for _ in range(rng.choice((20, 200, 1000))))] for n in range({COUNT})]
        return rows[n]
"""
SEARCH = """
import ctypes, os, re, struct
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
found = {}
def keep(row):
    if len(row) > 15 and 0 <= row[0] < 100: found.setdefault(row[0], row)
memory = os.open('/proc/self/mem', os.O_RDONLY)
def at(address, size):
    try: return os.pread(memory, size, address)
    except (OSError, OverflowError): return b''
LIST, INT = struct.pack('<Q', id(list)), struct.pack('<Q', id(int))
def number(pointer):
    head = at(pointer, 36)
    size = struct.unpack_from('<q', head, 16)[0] if len(head) == 36 and head[8:16] == INT else -1
    if size not in (0, 1, 2): return None
    return sum(digit << 30 * place for place, digit in enumerate(struct.unpack_from('<2I', head, 24)[:size]))
for line in open('/proc/self/maps').read().splitlines():
    begin, end = (int(part, 16) for part in line.split()[0].split('-'))
    if not line.split()[1].startswith('rw'): continue
    data = at(begin, end - begin)
    for match in re.finditer(rb'\\[[0-9]+(?:, ?[0-9]+){15,}\\]', data):
        keep(eval(match[0]))
    place = data.find(LIST)
    while place >= 0:
        head = data[place + 8:place + 24]
        if len(head) == 16:
            size, items = struct.unpack('<qQ', head)
            if 15 < size < 2000:
                row = at(items, 8 * size)
                numbers = [number(pointer) for pointer in struct.unpack(f'<{len(row) // 8}Q', row)] if len(row) == 8 * size else [None]
                if None not in numbers: keep(numbers)
        place = data.find(LIST, place + 8)
for name in os.listdir('/proc/self/fd'):
    try: data = os.pread(int(name), 1 << 22, 0)
    except (OSError, ValueError): continue
    for match in re.finditer(rb'\\[[0-9]+(?:, ?[0-9]+){15,}\\]', data):
        keep(eval(match[0]))
class Solution:
    def f(self, n):
        return found.get(n, [n])
"""


@pytest.fixture(scope="module", params=[pytest.param("docker", marks=pytest.mark.docker), "local", "unsafe"])
def sandbox(request):
    if request.param == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with open_sandbox(request.param, workers=1) as opened:
        yield opened


@pytest.mark.long
def test_what_the_reference_answered_is_nowhere_to_be_found(sandbox):
    problem = read_problem(ROW)
    found = 0
    for _ in range(4):
        right = asyncio.run(judge(problem, REFERENCE, sandbox, Policy(mode="fraction")))
        assert right.verdict is Verdict.CORRECT
        for _ in range(4):
            wrong = asyncio.run(judge(problem, SEARCH, sandbox, Policy(mode="fraction")))
            assert wrong.verdict is Verdict.WRONG
            found += wrong.passed
    assert found == 0


def test_the_search_finds_what_is_in_its_own_memory(sandbox):
    """So it would have found more."""
    problem = read_problem(ROW)
    own = f"kept = {answers(COUNT)[:3]}\n{SEARCH}"
    assert asyncio.run(judge(problem, own, sandbox, Policy(mode="fraction"))).passed == 3
