"""The quick reader of plain asserts: it reads as the syntax tree does, or leaves the source to it."""

import pytest

from rewardkit.code import asserts
from rewardkit.code.asserts import Asserts, convert_check
from rewardkit.code.fast_literals import read_fast
from rewardkit.errors import GroundTruthError

HEAD = "def check(candidate):\n"
PLAIN = [
    "candidate(n = 7,queries = [[0, 5], [1, 6]]) == [2, 2, 2]",
    "candidate(n=7, m=-3) == -0.5",
    "candidate(7, [], k = 1e3) == 1E-2",
    'candidate(s = "a, b) == c", t = "k = 5") == ""',
    "candidate() == None",
    "candidate(flag = True, other = False) == False",
    "candidate(x = null, y = true) == false",
    "candidate(d = {}) == 123456789012345678901234567890",
    "candidate(x = 1e400) == -1e400",
    "candidate(x = -0) == -0.0",
    "candidate(grid = " + "[" * 79 + "]" * 79 + ") == 0",
    "candidate(rows = [" + ", ".join("[1]" for _ in range(200)) + "]) == 0",
]
"""What both readers take."""
FOREIGN = [
    "candidate(a = 007) == 1",
    "candidate(a = 1_000) == 1",
    "candidate(a = 0x10) == 1",
    "candidate(a = 1.) == 1",
    "candidate(a = .5) == 1",
    "candidate(a = 5j) == 1",
    "candidate(a = - 5) == 1",
    "candidate(a = 'x') == 1",
    'candidate(a = "x" "y") == 1',
    'candidate(a = r"x") == 1',
    'candidate(a = """x""") == 1',
    'candidate(a = "\\n") == 1',
    'candidate(a = "\\u0041") == 1',
    'candidate(a = "\\/") == 1',
    'candidate(a = "é") == 1',
    "candidate(a = (1, 2)) == 1",
    "candidate(a = (1)) == 1",
    "candidate(a = {1, 2}) == 1",
    "candidate(a = {1: 2}) == 1",
    "candidate(a = [True]) == 1",
    "candidate(a = [1, 2,]) == 1",
    "candidate(a = 1,) == 1",
    "candidate(a = [None, 1]) == 1",
    "candidate(a = Truex) == 1",
    "candidate(a = NaN) == 1",
    "candidate(a = Infinity) == 1",
    "candidate(a = -Infinity) == 1",
    "candidate(a = inf) == 1",
    "candidate(a = 10**9) == 1",
    "candidate(a = 1, a = 2) == 1",
    "candidate(a = 1, 2) == 1",
    "candidate(if = 1) == 1",
    "candidate(True = 1) == 1",
    "candidate(__debug__ = 1) == 1",
    "candidate(*[1, 2]) == 1",
    "candidate(a = list_node([1])) == 1",
    "candidate(a = 1) == 1, 'why'",
    "candidate(a = 1) == 1 # why",
    "candidate(a = 1) == 1; import os",
    "candidate(a = 1) == 1 == 1",
    "candidate(a = 1) == [1][0]",
    "candidate(a = 1) == 1 if 1 else 2",
    "candidate(a = 1) == 1\r",
    "candidate(a = 1) == 1 ",
    "candidate(a = 1)  == 1",
    "candidate(a = 1) == 1\n\tassert True",
    "candidate(a = 1) == 1\nassert candidate(a = 2) == 2",
    "candidate(a = 1) == 1\n        assert candidate(a = 2) == 2",
    "candidate(a = 1) == 1\n\x0c    assert candidate(a = 2) == 2",
    "candidate(a = 1) is None",
    "candidate(a = 1) != 1",
    "candidate(a = 1).x == 1",
    "candidate(a = 1)",
    "candidate(a = 1 == 1",
    "candidate(a = 1",
    "candidate(",
    "candidate(a = " + "[" * 91 + "]" * 91 + ") == 0",
    "candidate(a = " + "[" * 3000 + "]" * 3000 + ") == 0",
    "candidate(a = " + '[{"k": ' * 45 + "1" + "}]" * 45 + ") == 0",
    "candidate(a = 1) == " + '{"k": [' * 45 + "1" + "]}" * 45,
    "candidate(a = " + "9" * 5000 + ") == 0",
    "set(candidate(a = 1)) == 1",
    'candidate(a = "x\n    assert candidate(a = 2) == 2") == 1',
    'candidate(a = 1) == 1\n    """\n    assert candidate(a = 2) == 2\n    """',
]
"""What only the syntax tree can judge."""


def convert(source: str) -> str:
    try:
        return shown(convert_check(source, {"candidate", "Solution().f"}))
    except GroundTruthError as error:
        return f"refused: {error}"


def shown(found: Asserts) -> str:
    """With types, which `==` does not tell apart."""
    return repr(
        (found.called, [(test.call.line, test.call.args, test.call.kwargs, test.expected) for test in found.tests])
    )


def by_tree(source: str, monkeypatch: pytest.MonkeyPatch) -> str:
    with monkeypatch.context() as patch:
        patch.setattr(asserts, "read_fast", lambda _: None)
        return convert(source)


@pytest.mark.parametrize("line", PLAIN)
def test_reads_plain_asserts_as_the_syntax_tree_does(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = f"{HEAD}    assert {line}\n\n    assert candidate(1) == 1\n"
    assert read_fast(source) is not None
    assert convert(source) == by_tree(source, monkeypatch)
    assert not convert(source).startswith("refused")


@pytest.mark.parametrize("line", FOREIGN)
def test_leaves_anything_else_to_the_syntax_tree(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = f"{HEAD}    assert candidate(1) == 1\n    assert {line}\n"
    assert read_fast(source) is None
    assert convert(source) == by_tree(source, monkeypatch)


@pytest.mark.parametrize(
    "source", ["", HEAD, HEAD + "\n\n", HEAD + "    pass\n", "def check(f):\n    assert f(1) == 1\n"]
)
def test_takes_no_source_without_plain_asserts(source: str) -> None:
    assert read_fast(source) is None
