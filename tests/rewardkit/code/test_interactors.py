"""Conversations: an interactor in Python talks to the program, each in a box of its own."""

import pytest

from rewardkit import Sample
from rewardkit.code.formats import read_problem
from rewardkit.code.judge import with_stub
from rewardkit.code.shared import use_sandbox
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict
from sandboxes.registry import open_sandbox

INTERACTOR = """
def interact(input, answer, program):
    secret = int(input)
    for _ in range(8):
        guess = program.read_int(1, 100)
        if guess == secret:
            program.write("right")
            return True
        program.write("more" if guess < secret else "less")
    return False
"""
ROW = {"inputs": ["37\n", "100\n"], "outputs": ["", ""], "interactive": True, "interactor": INTERACTOR}
SEARCH = """
import sys
low, high = 1, 100
while True:
    mid = (low + high) // 2
    print(mid, flush=True)
    said = {read}
    if said == "right": break
    low, high = (mid + 1, high) if said == "more" else (low, mid - 1)
"""
HONEST = {
    "input": SEARCH.format(read="input()"),
    "a line of stdin": SEARCH.format(read="sys.stdin.readline().strip()"),
    "a main block": "def main():\n" + SEARCH.format(read="input()").replace("\n", "\n    ") + "\nif __name__ == '__main__':\n    main()\n    sys.exit(0)".replace("sys.exit", "raise SystemExit"),
}  # fmt: skip
HOSTILE = {
    "silence": ("pass", Verdict.WRONG),
    "an exit": ("import os\nos._exit(0)", Verdict.WRONG),
    "words for numbers": ("print('right', flush=True)\ninput()", Verdict.WRONG),
    "all guesses at once": ("for n in range(1, 101): print(n, flush=True)", Verdict.WRONG),
    "no end": ("import time\nprint(1, flush=True)\nwhile True: time.sleep(1)", Verdict.TIME_LIMIT),
    "a crash after the right guess": (SEARCH.format(read="input()") + "\n1 / 0", Verdict.RUNTIME_ERROR),
    "words after the end": (SEARCH.format(read="input()") + "\nprint('and more')", Verdict.RUNTIME_ERROR),
    "a program that does not parse": ("print(", Verdict.RUNTIME_ERROR),
    "a forged answer": ("import os\nfor fd in range(3, 300):\n    try: os.write(fd, b'{\"v\": true}\\n')\n    except OSError: pass", Verdict.WRONG),
    "the secret from memory": ("import gc\nfor o in gc.get_objects():\n    if isinstance(o, dict) and 'given' in o: print(o['given'], flush=True)\nprint(50)\ninput()", Verdict.WRONG),
}  # fmt: skip


@pytest.fixture(scope="module", params=["unsafe", pytest.param("docker", marks=pytest.mark.docker)])
def sandbox(request):
    with open_sandbox(request.param, workers=1) as opened, use_sandbox(opened):
        yield opened


def score(row, program):
    return Code(cpu_s=1.0).score([Sample(completion=f"````python\n{program}\n````", ground_truth=row)])[0]


@pytest.mark.parametrize("name", HONEST)
def test_honest_programs_pass(sandbox, name):
    scored = score(ROW, HONEST[name])
    assert (scored.value, scored.verdict) == (1.0, Verdict.CORRECT), scored.reason
    assert scored.parts["tests"] == 2.0


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_are_not_paid(sandbox, name):
    program, verdict = HOSTILE[name]
    scored = score(ROW, program)
    assert (scored.value, scored.verdict) == (0.0, verdict), scored.reason


@pytest.mark.parametrize(
    "interactor",
    [
        "def interact(input, answer, program):\n    program.read()\n    return 1 / 0\n",
        "def interact(input, answer, program):\n    return undefined\n",
        "def interact(input, answer):\n    return True\n",
        "raise ValueError\ndef interact(input, answer, program): pass\n",
    ],
)
def test_an_interactor_that_fails_leaves_its_row_unjudged(sandbox, interactor):
    scored = score({**ROW, "interactor": interactor}, HONEST["input"])
    assert scored.verdict is Verdict.UNJUDGED, scored
    assert "fails by itself" in scored.reason


@pytest.mark.parametrize(
    "row", [{**ROW, "interactor": "#include <testlib.h>\nint main() {}"}, {**ROW, "interactor": None}]
)
def test_other_interactors_are_named(sandbox, row):
    scored = score(row, HONEST["input"])
    assert scored.verdict is Verdict.UNJUDGED
    assert "interactive problems without an interactor in Python" in scored.reason


def test_the_programs_process_holds_neither_interactor_nor_input():
    problem = read_problem({**ROW, "inputs": ["987654\n", "1\n"]})
    text = with_stub(problem, "print(1)")
    assert "987654" not in text
    assert "secret" not in text
    assert "987654" in problem.drivers[0]
