"""What a program prints, tests can look at as in one process."""

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code

PROGRAM = """
import sys
print("loaded")
def greet(name):
    print("hello", name)
    return len(name)
def warn(text): print(text, file=sys.stderr, end="")
def fail():
    print("before")
    raise ValueError("x")
def each(items, f):
    for item in items:
        print(item)
        f(item)
class Log:
    def write(self, text): sys.stdout.write(text)
"""
TESTS = {
    "capsys": "def test_a(capsys):\n    assert greet('Ann') == 3\n    assert capsys.readouterr().out == 'hello Ann\\n'\n    warn('no')\n    printed = capsys.readouterr()\n    assert (printed.out, printed.err) == ('', 'no')",
    "capfd": "def test_a(capfd):\n    out, err = capfd.readouterr()\n    greet('Ann')\n    out, err = capfd.readouterr()\n    assert (out, err) == ('hello Ann\\n', '')",
    "redirect_stdout": "import io\nfrom contextlib import redirect_stdout\ngreet('x')\nwith redirect_stdout(io.StringIO()) as out:\n    greet('Ann')\n    Log().write('+')\ngreet('y')\nassert out.getvalue() == 'hello Ann\\n+'",
    "sys.stdout": "import io, sys\nkept, sys.stdout = sys.stdout, io.StringIO()\ngreet('Ann')\ntext = sys.stdout.getvalue()\nsys.stdout = kept\nassert text == 'hello Ann\\n'",
    "before an error": "import pytest\ndef test_a(capsys):\n    with pytest.raises(ValueError):\n        fail()\n    assert capsys.readouterr().out == 'before\\n'",
    "in turn with the tests": "def test_a(capsys):\n    each([1, 2], lambda item: print('got', item))\n    assert capsys.readouterr().out == '1\\ngot 1\\n2\\ngot 2\\n'",
    "a fixture that takes it": "import pytest\n@pytest.fixture\ndef said(capsys):\n    greet('Ann')\n    return capsys.readouterr().out\ndef test_a(said):\n    assert said == 'hello Ann\\n'",
    "parameter sets": "import pytest\n@pytest.mark.parametrize('name', ['a', 'b'])\ndef test_a(capsys, name):\n    greet(name)\n    assert capsys.readouterr().out == f'hello {name}\\n'",
    "unittest": "import io, unittest\nfrom contextlib import redirect_stdout\nclass TestIt(unittest.TestCase):\n    def test_a(self):\n        out = io.StringIO()\n        with redirect_stdout(out):\n            greet('Ann')\n        self.assertIn('hello Ann', out.getvalue())",
}  # fmt: skip


def score(tests, program, row):
    kind = "test" if "def test" in tests else "functional"
    sample = Sample(completion=f"```python\n{program}\n```", ground_truth={kind: tests, **row})
    return Code(cpu_s=2.0).score([sample])[0]


BESIDE = {"tests_in_process": True, "entry_point": "greet"}


@pytest.mark.parametrize(
    ("name", "row"), [*((name, {}) for name in TESTS), *((name, BESIDE) for name in ("capsys", "capfd", "unittest"))]
)
def test_tests_see_what_a_program_prints(sandbox, name, row):
    scored = score(TESTS[name], PROGRAM, row)
    assert scored.value == 1.0, scored.reason
    wrong = PROGRAM.replace("hello", "bye").replace("before", "").replace("print(item)", "print(-item)")
    assert score(TESTS[name], wrong, row).value == 0.0


@pytest.mark.long
def test_a_program_that_prints_without_end_is_wrong(sandbox):
    tests = "def test_a(capsys):\n    greet('Ann')\n    assert capsys.readouterr().out"
    endless = "def greet(name):\n    while True: print('x' * 1_000_000)"
    assert score(tests, endless, {}).value == 0.0


@pytest.mark.parametrize("printed", ["[1]", "[None, 2]", "5", "'ab'"])
def test_a_forged_account_of_what_was_printed_is_wrong(sandbox, printed):
    tests = "def test_a(capsys):\n    greet('Ann')\n    assert capsys.readouterr().out == 'hello Ann\\n'"
    forged = f"import sys\ndef greet(name):\n    return _sandbox_exchange(['ok', 3, [], {printed}])"
    assert score(tests, forged, {}).value == 0.0
