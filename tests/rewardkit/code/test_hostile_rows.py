"""Hostile programs for rows that are neither plain stdin nor plain calls: design problems, methods in place, named files."""

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code

DESIGN = {"inputs": [[["LRU", "put", "get", "get"], [[1], [1, 7], [1], [2]]]], "outputs": [[None, None, 7, -1]], "fn_name": "LRU", "starter_code": "class LRU:\n    def __init__(self, n):\n        pass\n"}  # fmt: skip
IN_PLACE = {"inputs": [[[3, 1, 2]], [[9, 8]]], "outputs": [[1, 2, 3], [8, 9]], "fn_name": "order", "starter_code": "class Solution:\n    def order(self, xs: list) -> None:\n        pass\n"}  # fmt: skip
FILES = {"inputs": ["3\n", "4\n"], "outputs": ["9\n", "16\n"], "input_mode": "file", "input_file": "input.txt", "output_file": "output.txt"}  # fmt: skip
EQUALS = "class A:\n    __eq__ = __ne__ = __lt__ = __gt__ = lambda s, o: True\n    __hash__ = None\n"
LRU = "class LRU:\n    def __init__(self, n): self.kept = {}\n    def put(self, k, v): self.kept[k] = v\n    def get(self, k): return self.kept.get(k, -1)\n"
RIGHT = {
    "design": (DESIGN, LRU),
    "in place": (IN_PLACE, "class Solution:\n    def order(self, xs): xs.sort()"),
    "files": (FILES, "open('output.txt', 'w').write(str(int(open('input.txt').read()) ** 2))"),
}
HOSTILE = {
    "a class that can do everything": (DESIGN, f"{EQUALS}class LRU:\n    def __init__(self, n): pass\n    def __getattr__(self, n): return lambda *a: A()"),
    "an instance of another class": (DESIGN, "class L(list):\n    __eq__ = lambda s, o: True\n    put = get = lambda *a: L()\nclass LRU:\n    def __new__(cls, n): return L()"),
    "another caller of its methods": (DESIGN, f"import threading\ndef later():\n    while '_rewardkit_design' not in globals(): pass\n    globals()['_rewardkit_design'] = lambda *a: A()\nthreading.Thread(target=later, daemon=True).start()\n{EQUALS}{LRU.replace('-1', '0')}"),
    "other builtins": (DESIGN, f"import builtins\nbuiltins.zip = lambda *a: iter([])\n{LRU}"),
    "results before the calls": (DESIGN, "import os\nos.write(200, b'{\"ready\":1}\\n{\"v\":[null,null,7,7]}\\n')\nclass LRU: pass"),
    "an exit in the constructor": (DESIGN, "import os\nclass LRU:\n    def __init__(self, n): os._exit(0)"),
    "a sorted copy": (IN_PLACE, "class Solution:\n    def order(self, xs): return sorted(xs)"),
    "an empty list": (IN_PLACE, "class Solution:\n    def order(self, xs): xs.clear()"),
    "objects in the list": (IN_PLACE, f"{EQUALS}class Solution:\n    def order(self, xs): xs[:] = [A() for _ in xs]"),
    "a function beside the method": (IN_PLACE, "def order(xs): pass\nclass Solution: pass"),
    "a link to the input": (FILES, "import os\nos.symlink('input.txt', 'output.txt')"),
    "a link out of the folder": (FILES, "import os\nos.symlink('/etc/hostname', 'output.txt')"),
    "a pipe": (FILES, "import os\nos.mkfifo('output.txt')"),
    "a folder": (FILES, "import os\nos.mkdir('output.txt')"),
    "a file of a terabyte": (FILES, "open('output.txt', 'wb').truncate(1 << 40)"),
    "words on stdout": (FILES, "print(int(open('input.txt').read()) ** 2)"),
}  # fmt: skip


def score(row, program):
    return Code(cpu_s=1.0).score([Sample(completion=f"````python\n{program}\n````", ground_truth=row)])[0]


@pytest.mark.parametrize("kind", RIGHT)
def test_right_programs_pass(sandbox, kind):
    assert score(*RIGHT[kind]).value == 1.0


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_are_neither_paid_nor_unjudged(sandbox, name):
    lost = sandbox.facts()["lost"]
    scored = score(*HOSTILE[name])
    assert scored.value == 0.0, scored
    assert sandbox.facts()["lost"] == lost
