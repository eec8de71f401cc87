"""Conversations: an interactor in Python talks to the program, each in a box of its own."""

import pytest

from rewardkit import Sample
from rewardkit.code.formats import read_problem
from rewardkit.code.judge import with_stub
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

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
    "a thread that nobody waits for": "import threading, time\ndef main():\n    time.sleep(0.05)\n" + SEARCH.format(read="input()").replace("\n", "\n    ") + "\nthreading.Thread(target=main).start()",
    "an exit handler": "import atexit\n@atexit.register\ndef main():\n" + SEARCH.format(read="input()").replace("\n", "\n    "),
    "output of its own": "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, write_through=True)\n" + SEARCH.format(read="input()"),
    "its own file": "assert open(__file__).read().startswith('assert')\n" + SEARCH.format(read="input()"),
    "a class that is pickled": "import pickle\nclass A: pass\nassert type(pickle.loads(pickle.dumps(A()))) is A\n" + SEARCH.format(read="input()"),
    "a closed stream": SEARCH.format(read="input()") + "\nsys.stdout.close()",
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


CPP = """
#include <iostream>
#include "testlib.h"
int main(int argc, char *argv[]) {
    registerInteraction(argc, argv);
    int secret = inf.readInt(), asked = 0;
    while (true) {
        int guess = ouf.readInt();
        if (guess < 1 || guess > 100) quitf(_wa, "out of bounds");
        if (++asked > 8) quitf(_wa, "too many");
        std::cout << (guess == secret ? "right" : guess < secret ? "more" : "less") << std::endl;
        if (guess == secret) break;
    }
    tout << asked << std::endl;
    quitf(_ok, "found");
}
"""
FEW = """
#include "testlib.h"
int main(int argc, char *argv[]) {
    registerTestlibCmd(argc, argv);
    if (ouf.readInt() > ans.readInt()) quitf(_wa, "too many questions");
    quitf(_ok, "few");
}
"""


def score(row, program):
    return Code(cpu_s=1.0).score([Sample(completion=f"````python\n{program}\n````", ground_truth=row)])[0]


@pytest.fixture(params=["python", pytest.param("cpp", marks=pytest.mark.cpp)])
def row(request):
    return ROW if request.param == "python" else {**ROW, "interactor": CPP}


@pytest.mark.long
@pytest.mark.parametrize("name", HONEST)
def test_honest_programs_pass(sandbox, row, name):
    scored = score(row, HONEST[name])
    assert (scored.value, scored.verdict) == (1.0, Verdict.CORRECT), scored.reason
    assert scored.parts["tests"] == 2.0


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_are_not_paid(sandbox, row, name):
    program, verdict = HOSTILE[name]
    if name == "words after the end" and row["interactor"] == CPP:
        verdict = Verdict.CORRECT  # as testlib has it: nobody reads them any more
    scored = score(row, program)
    assert (scored.value, scored.verdict) == (float(verdict is Verdict.CORRECT), verdict), scored.reason


@pytest.mark.parametrize(
    "interactor",
    [
        "def interact(input, answer, program):\n    return 1 / 0\n",
        "def interact(input, answer, program):\n    program.read()\n    return undefined\n",
        "def interact(input, answer, program):\n    return undefined\n",
        "def interact(input, answer):\n    return True\n",
        "raise ValueError\ndef interact(input, answer, program): pass\n",
    ],
)
def test_an_interactor_that_fails_leaves_its_row_unjudged(sandbox, interactor):
    scored = score({**ROW, "interactor": interactor}, HONEST["input"])
    assert scored.verdict is Verdict.UNJUDGED, scored
    assert "fails by itself" in scored.reason


@pytest.mark.long
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({**ROW, "interactor": None}, "interactive problems without an interactor in Python or C++"),
        ({**ROW, "interactor": "fun main() {}"}, "interactive problems without an interactor in Python or C++"),
        ({**ROW, "checker": FEW}, "an interactor with a checker, unless both are in C++"),
        pytest.param({**ROW, "interactor": CPP.replace("registerInteraction", "nothing")}, "does not compile", marks=pytest.mark.cpp),
        pytest.param({**ROW, "interactor": CPP.replace("= inf.readInt()", "= ans.readInt()")}, "the interactor ended with 3", marks=pytest.mark.cpp),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_talked_about_are_unjudged(sandbox, row, said):
    scored = score(row, HONEST["input"])
    assert scored.verdict is Verdict.UNJUDGED
    assert said in scored.reason


TRUSTING = {
    "python": "def interact(input, answer, program):\n    seen = [0] * 10\n    seen[int(program.read())] += 1\n    return seen[3] == 1\n",
    "cpp": '#include "testlib.h"\nint main(int argc, char **argv) { registerInteraction(argc, argv); int n = ouf.readInt(); std::vector<int> v(10);\n'
    'v.at(n) = 1; ensuref(n != 7, "no 7"); quitf(v[3] ? _ok : _wa, "three"); }',
}


@pytest.mark.long
@pytest.mark.parametrize("said", ["99", "-11", "7", "words", ""])
@pytest.mark.parametrize("language", ["python", pytest.param("cpp", marks=pytest.mark.cpp)])
def test_no_word_of_a_program_leaves_its_row_unjudged(sandbox, language, said):
    """Even if the interactor trusts it: a program would rather be unjudged than wrong."""
    row = {**ROW, "interactor": TRUSTING[language]}
    assert score(row, "print(3)").value == 1.0
    scored = score(row, f"print({said!r})")
    assert (scored.value, scored.verdict) == (0.0, Verdict.WRONG), scored.reason


@pytest.mark.long
@pytest.mark.cpp
def test_a_checker_judges_what_the_interactor_writes(sandbox):
    row = {**ROW, "inputs": ["37\n", "50\n"], "outputs": ["7\n", "1\n"], "interactor": CPP, "checker": FEW}
    assert score(row, HONEST["input"]).value == 1.0
    refused = score({**row, "outputs": ["7\n", "0\n"]}, HONEST["input"])
    assert (refused.value, refused.verdict) == (0.0, Verdict.WRONG)
    assert "the checker refuses" in refused.reason


def test_the_programs_process_holds_neither_interactor_nor_input():
    problem = read_problem({**ROW, "inputs": ["987654\n", "1\n"]})
    text = with_stub(problem, "print(1)")
    assert "987654" not in text
    assert "secret" not in text
    assert "987654" in problem.drivers[0]


@pytest.mark.parametrize(
    ("language", "judged"),
    [("cpp", Verdict.UNJUDGED), ("C++", Verdict.UNJUDGED), ("java", Verdict.UNJUDGED), ("Python", Verdict.CORRECT), ("python3", Verdict.CORRECT), ("en", Verdict.CORRECT), (None, Verdict.CORRECT)],
)  # fmt: skip
def test_an_interactor_talks_to_programs_in_python_alone(sandbox, language, judged):
    """What else `language` may mean (of the statement) says nothing of the program."""
    sample = Sample(completion=f"```python\n{HONEST['input']}\n```", ground_truth={**ROW, "language": language})
    assert Code(cpu_s=2.0).score([sample])[0].verdict is judged


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("True", Verdict.CORRECT),
        ("1", Verdict.CORRECT),
        ("0", Verdict.WRONG),
        ("None", Verdict.WRONG),
        ("'no'", Verdict.WRONG),
    ],
)
def test_an_interactor_accepts_with_a_truth_value(sandbox, said, verdict):
    interactor = f"def interact(input, answer, program):\n    program.read_int()\n    return {said}\n"
    sample = Sample(completion="```python\nprint(1)\n```", ground_truth={**ROW, "interactor": interactor})
    assert Code(cpu_s=2.0).score([sample])[0].verdict is verdict
