"""How rows, outputs and programs are read changes on purpose or not at all: small changes of each known case, always the same ones."""

import ast
import dataclasses
import functools
import hashlib
import json
import random
import sys
from pathlib import Path

import pytest
import recorded

from rewardkit.code.asserts import NotConvertible, convert_check
from rewardkit.code.compare import TextRule, difference
from rewardkit.code.extract import extract_program, extract_seed
from rewardkit.code.fast_literals import read_fast
from rewardkit.code.formats import read_problem
from rewardkit.code.literals import NotLiteral, literal
from rewardkit.code.values import same_value, show
from rewardkit.errors import GroundTruthError, UsageError
from sandboxes.values import encode

sys.path.insert(0, str(Path(__file__).parents[1] / "rewards"))

from variants import changed, text_changed

CASES = Path(__file__).parents[2] / "cases"
COUNT = 100
LITERALS = [
    "[1, -2, 3.5, 1e3]", "{'a': [1, 2], 'b': None}", "(1, 'x', True)", "{1, 2, 3}", "set()", "[0] * 10", "2 ** 10 + 1", "-5 // 2", "'ab' * 3 + 'c'",
    "float('inf')", "frozenset([1, 2])", "tuple([1, 2])", "list('abc')", "range(5)", "1 + 2j", "b'ab'", "dict(a=1)", "not True", "~7", "10 % 3", "1 << 20",
    "[[1, 2], [3, [4, 5]]]", "None", "'it\\'s'", "list_node([1, 2, 3])", "tree_node([1, None, 2])", "Fraction(1, 3)", "Decimal('1.5')",
]  # fmt: skip
CHECKS = [
    "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate([1, 2]) == [2, 3], 'two'\n    assert abs(candidate(0.5) - 1.5) < 1e-6\n",
    "def check(candidate):\n    assert candidate('a', k=3) is None\n    assert not candidate(0)\n    assert candidate(4)\n    assert candidate(1) is True\n",
    "def check(candidate):\n    assert math.isclose(candidate(2), 4.0, rel_tol=1e-3)\n    assert sorted(candidate([2, 1])) == [1, 2]\n    assert set(candidate(3)) == {1, 2}\n",
    "METADATA = {'author': 'x'}\n\ndef check(candidate):\n    assert tuple(candidate(1)) == (1, 2)\n    assert (candidate(2)) == ('x' * 3)\n    pass\n",
    "def check(candidate):\n    for i in range(3):\n        assert candidate(i) == i\n",
]  # fmt: skip
VALUES = [
    0, 1, -1, True, False, None, 1.0, 0.1 + 0.2, 1e300, float("nan"), float("inf"), "a", "", "1", [1, 2], (1, 2), [1, [2, 3.0]], {"a": 1}, {1: "a"},
    {"a": [1, {"b": None}]}, {1, 2}, {"x", "y"}, frozenset([1]), 2 + 1j, b"ab", [], {}, [0.1] * 3, [None, True], 10**20, range(3), [["a", 1], ["b", 2]],
]  # fmt: skip


def stable(value):
    """A text of a value that does not depend on the order of sets."""
    if dataclasses.is_dataclass(value):
        return f"{type(value).__name__}({', '.join(f'{each.name}={stable(getattr(value, each.name))}' for each in dataclasses.fields(value))})"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(stable, value)))}}}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{stable(key)}: {stable(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}[{', '.join(map(stable, value))}]"
    return repr(value)


def outcome(function, *args):
    """What a function gives, or the kind of its error: its words differ between versions of Python."""
    try:
        return stable(function(*args))
    except (GroundTruthError, NotLiteral, NotConvertible, UsageError, SyntaxError, ValueError) as error:
        return type(error).__name__


def record(name, texts):
    """Compare digests of what each case and its variants gave."""
    lines = (f"{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]} {key}\n" for key, text in texts)
    recorded.check(f"{name}.txt", "".join(lines))


def lines(name):
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def several(case, change, count=COUNT):
    """A case and its variants."""
    rng = random.Random(repr(case))
    found = [case]
    while len(found) <= count:
        other = change(case, rng)
        found.append(change(other, rng) if rng.randrange(3) == 0 else other)
    return found


@pytest.fixture(autouse=True)
def _the_grammar_of_python_3_11(monkeypatch):
    """Later ones read some variants that 3.11 refuses."""
    monkeypatch.setattr(ast, "parse", functools.partial(ast.parse, feature_version=(3, 11)))


@pytest.mark.long
def test_rows():
    rows = [(each["kind"], each["row"]) for each in lines("code_row_kinds.jsonl")]
    rows += [
        (f"golden {number}", each["sample"].get("ground_truth"))
        for number, each in enumerate(lines("rewards/code.jsonl"), 1)
    ]
    record(
        "code_rows",
        ((key, "\n".join(outcome(read_problem, each) for each in several(row, changed))) for key, row in rows),
    )


def test_printed_outputs():
    """Which outputs are right, and in words what is wrong with each case that is written down."""

    def texts():
        for number, row in enumerate(lines("code_compare.jsonl"), 1):
            rule = TextRule.parse(row["rule"])
            said = difference(rule, row["actual"], row["expected"])
            pairs = several((row["actual"], row["expected"]), pair_changed)
            right = "".join("10"[difference(rule, *pair) is not None] for pair in pairs)
            yield f"{number} {row['rule']}: {said and ascii(said)}", right

    record("code_outputs", texts())


def pair_changed(pair, rng):
    place = rng.randrange(2)
    return tuple(text_changed(text, rng) if at == place else text for at, text in enumerate(pair))


@pytest.mark.long
def test_programs_in_completions():
    def texts():
        for number, row in enumerate(lines("code_extract.jsonl"), 1):
            found = []
            for text in several(row["completion"], text_changed):
                for extraction in (extract_program(text, row.get("wanted", "")), extract_seed(text)):
                    found.append(stable((extraction.program, extraction.language, extraction.verdict)))
            yield str(number), "\n".join(found)

    record("code_programs", texts())


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_literals():
    def read(source):
        return literal(ast.parse(source, mode="eval").body)

    record(
        "code_literals",
        ((source, "\n".join(outcome(read, each) for each in several(source, text_changed))) for source in LITERALS),
    )


def test_tests_of_calls():
    def texts():
        for source in CHECKS:
            found = several(source, text_changed, 3 * COUNT)
            yield (
                source[:40].replace("\n", " "),
                "\n".join(outcome(convert_check, each, {"candidate"}) for each in found),
            )
            body = "\n".join(line.strip() for line in source.splitlines() if "assert" in line)
            yield "fast", "\n".join(outcome(read_fast, each) for each in several(body, text_changed, 3 * COUNT))

    record("code_asserts", texts())


def test_returned_values():
    def texts():
        for value in VALUES:
            sent = encode(value)
            same = [
                same_value(sent, other, tolerance, json_keys=keys)
                for other in VALUES
                for tolerance in (0.0, 1e-5, 0.5)
                for keys in (True, False)
            ]
            yield stable(value), f"{same} {show(sent)}" if not isinstance(value, set | frozenset) else str(same)

    record("code_values", texts())
