"""Exceptions of a program, as tests in another process catch them, and what context managers are told."""

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

CAUGHT = "with pytest.raises({kind}) as caught:\n    f()\nerror = caught.value\nassert type(error).__name__ == {name!r} and isinstance(error, Exception)\nassert str(error) == {said!r}\n"
RAISED = {
    "KeyError": ("KeyError", "KeyError", "'k'", "raise KeyError('k')", "assert error.args == ('k',)"),
    "two arguments": ("ValueError", "ValueError", "(1, [2])", "raise ValueError(1, [2])", "assert error.args == (1, [2])"),
    "no argument": ("RuntimeError", "RuntimeError", "", "raise RuntimeError", "assert error.args == ()"),
    "OSError": ("FileNotFoundError", "FileNotFoundError", "[Errno 2] No such file or directory: '/nope'", "open('/nope')", "assert error.errno == 2 and error.filename == '/nope'"),
    "UnicodeDecodeError": ("UnicodeDecodeError", "UnicodeDecodeError", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte", "b'\\xff'.decode()", "assert error.start == 0"),
    "json": ("json.JSONDecodeError", "JSONDecodeError", "Expecting value: line 1 column 1 (char 0)", "import json; json.loads('x')", "assert error.pos == 0 and error.doc == 'x'"),
    "dataclasses": ("dataclasses.FrozenInstanceError", "FrozenInstanceError", "cannot assign to field 'x'", "import dataclasses; dataclasses.make_dataclass('P', ['x'], frozen=True)(1).x = 2", ""),
    "statistics": ("statistics.StatisticsError", "StatisticsError", "mean requires at least one data point", "import statistics; statistics.mean([])", ""),
    "re": ("re.error", None, "missing ), unterminated subpattern at position 0", "import re; re.compile('(')", ""),
    "decimal": ("decimal.InvalidOperation", "InvalidOperation", "[<class 'decimal.ConversionSyntax'>]", "import decimal; decimal.Decimal('x')", ""),
    "its own": ("E", "E", "bad 1 2", "raise E(1, 2)", "assert error.args == ('bad 1 2',) and error.code == 2"),
    "its own by its parent": ("ValueError", "E", "bad 1 2", "raise E(1, 2)", "assert error.code == 2"),
    "its own by arguments": ("Plain", "Plain", "(1, 2)", "raise Plain(1, 2)", "assert error.args == (1, 2)"),
    "its own of json": ("json.JSONDecodeError", "Syntax", "no: line 1 column 1 (char 0)", "raise Syntax('no', '', 0)", "assert error.pos == 0"),
    "its own that is an OSError": ("Gone", "Gone", "[Errno 2] gone", "raise Gone(2, 'gone')", "assert error.args == (2, 'gone')"),
    "a cause": ("RuntimeError", "RuntimeError", "outer", "\n    try: int('x')\n    except ValueError as inner: raise RuntimeError('outer') from inner", "assert isinstance(error.__cause__, ValueError) and 'x' in str(error.__cause__)"),
    "an object as its argument": ("ValueError", "ValueError", "P!", "raise ValueError(P())", "assert error.args[0].n == 3"),
}  # fmt: skip
CLASSES = "import json\nclass E(ValueError):\n    def __init__(self, a, b):\n        super().__init__(f'bad {a} {b}')\n        self.code = b\nclass Plain(Exception): pass\nclass Gone(OSError): pass\nclass Syntax(json.JSONDecodeError): pass\nclass P:\n    n = 3\n    def __str__(self): return 'P!'\n"
CONTEXTS = {
    "what it is told": ("seen = Seen()\nwith seen:\n    raise ValueError('x', 3)\nassert seen.seen == ('ValueError', \"('x', 3)\")", True),
    "nothing to tell": ("seen = Seen()\nwith seen:\n    pass\nassert seen.seen == ('NoneType', 'None')", True),
    "an error of the tests' own class": ("class Mine(KeyError): pass\nseen = Seen()\nwith seen:\n    raise Mine('k')\nassert seen.seen == ('KeyError', \"'k'\")", True),
    "a failed assert": ("with Seen() as s:\n    assert f() == 5", False),
    "an error of the program's": ("with Seen() as s:\n    assert f().nothing == 5", False),
    "a raise that is a test": ("with Seen() as s:\n    if f() != 5:\n        raise ValueError('no')\nassert s", False),
    "division and slices": ("assert divmod(Seen(), Seen()) == (1, 2)\nassert Seen()[1:3] == [1, 2]", True),
    "an exception that tests make": ("error = E(1, 2)\nassert str(error) == 'bad 1 2' and error.code == 2\nassert told(error) == 'E'", True),
    "functions of Python's own": ("import math\nassert call(math.sqrt, 4) == 2.0 and call(len, 'ab') == 2 and call(int, '3') == 3", True),
}  # fmt: skip
SEEN = "class Seen:\n    def __enter__(self): return self\n    def __exit__(self, kind, error, trace):\n        self.seen = (type(error).__name__, str(error))\n        return True\n    def __divmod__(self, other): return 1, 2\n    def __getitem__(self, key): return list(range(9))[key]\ndef f(): return 4\ndef told(error): return type(error).__name__\ndef call(function, value): return function(value)\n"


def score(tests, program):
    sample = Sample(completion=f"````python\n{program}\n````", ground_truth={"functional": tests})
    return Code(cpu_s=2.0).score([sample])[0]


@pytest.mark.parametrize("name", RAISED)
def test_an_exception_is_the_same_in_both_processes(sandbox, name):
    kind, called, said, raising, more = RAISED[name]
    head = "".join(f"import {module}\n" for module in ("pytest", "json", "dataclasses", "statistics", "re", "decimal"))
    tests = head + CAUGHT.format(kind=kind, name=called, said=said) + more
    if called is None:
        tests = tests.replace("type(error).__name__ == None and ", "")
    scored = score(tests, f"{CLASSES}def f():\n    {raising}")
    assert scored.verdict is Verdict.CORRECT, scored.reason
    assert score(tests, f"{CLASSES}def f(): raise TypeError('no')").value == 0.0


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_context_manager_is_told_of_errors_and_swallows_no_failure(sandbox, name):
    tests, right = CONTEXTS[name]
    scored = score(tests, CLASSES + SEEN)
    assert scored.value == float(right), scored
