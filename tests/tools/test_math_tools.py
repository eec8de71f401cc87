"""The tools that measure the math verifier: changes are real changes, and reports count what they say."""

import ast
import sys
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools import math_shape, math_verdicts_diff, mutant_tests, mutations  # noqa: E402

PLACES = mutations.places(["rewardkit/stats.py", "rewardkit/text.py"])


@pytest.mark.parametrize("place", Random(1).sample(PLACES, 25), ids=lambda place: place.change)
def test_a_change_alters_the_source_and_still_compiles(place):
    source, words = mutations.changed(place)
    before = ast.unparse(ast.parse((ROOT / place.path).read_text()))
    assert source != before
    assert " -> " in words
    compile(source, place.path, "exec")


def test_all_kinds_of_change_are_found():
    kinds = {place.change for place in PLACES}
    assert kinds == {"comparison", "and/or", "not", "condition", "sign", "truth", "number", "return"}


def test_floors_and_circles_of_imports():
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": set()}
    assert math_shape.circles(graph) == [{"b", "c"}]
    assert math_shape.floors(graph) == 3
    assert math_shape.floors({"a": set()}) == 1


def test_alternatives_are_counted_outside_character_sets():
    assert math_shape.alternatives(r"a|b|[|]c\|d") == 3


@pytest.mark.parametrize(
    ("label", "equal", "name"),
    [
        (True, True, "mended FN"),
        (True, False, "NEW FN"),
        (False, True, "NEW FP"),
        (False, False, "mended FP"),
        (None, True, "now equal"),
        (None, False, "now different"),
    ],
)
def test_a_changed_verdict_is_named_by_its_label(label, equal, name):
    assert math_verdicts_diff.way({"label": label}, {"equal": equal}) == name


def test_the_report_counts_changes_and_errors():
    corpus = [
        {"group": "real/x", "name": str(at), "completion": "c", "gold": "g", "label": label}
        for at, label in enumerate((True, True, False))
    ]
    then = [{"equal": equal, "status": "s", "answer": "a", "reason": "r"} for equal in (True, False, False)]
    now = [{"equal": equal, "status": "s", "answer": "a", "reason": "r"} for equal in (False, False, True)]
    text = math_verdicts_diff.report(corpus, then, now, None)
    assert text.index("NEW FP") < text.index("NEW FN")
    row = next(line for line in text.splitlines() if line.startswith("real/x"))
    assert row.split()[1:] == ["3", "33.333", "2", "1", "0", "2", "1"]


def test_a_changed_function_has_its_new_code_or_needs_a_new_process(tmp_path):
    """It needs one where the change takes away the last use of `super()`, for instance."""
    file = tmp_path / "m.py"
    file.write_text(
        "class A:\n    def f(self):\n        return super().__repr__()\n\n    def g(self):\n        return 1\n"
    )
    for old, new, replaced in (("return 1", "return 2", True), ("return super().__repr__()", "return None", False)):
        space = {}
        exec(compile(file.read_text(), str(file), "exec"), space)
        functions = [space["A"].f, space["A"].g]
        changed = ast.parse(file.read_text().replace(old, new))
        assert mutant_tests._replace_code(functions, changed, str(file)) == replaced
        assert not replaced or space["A"]().g() == 2


def test_lines_outside_of_functions_run_at_import(tmp_path):
    (tmp_path / "m.py").write_text("A = 1\n\n\nclass B:\n    c = 2\n\n    def d(self, e=3):\n        return 4\n")
    found = {
        line: mutations.runs_at_import(mutations.Place("m.py", 0, line, "number"), tmp_path) for line in (1, 5, 7, 8)
    }
    assert found == {1: True, 5: True, 7: True, 8: False}
