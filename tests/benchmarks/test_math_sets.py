"""What surrounds the pairs: changed golds, number labels, reading of boxes, sections of the README."""

import sys
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

pytest.importorskip("sympy")

from benchmarks import math_mutations, math_report, math_sets  # noqa: E402
from benchmarks._common import data_dir, percentile, spread, table  # noqa: E402

DATA = data_dir()


@pytest.mark.parametrize(
    "gold", ["x^2 + 3", "(1, 2)", "[0, 5)", "12 \\text{ cm}", "\\frac{3}{4}", "1, 2, 3", "x > 3", "\\text{Yes}"]
)
def test_a_changed_gold_is_never_the_gold(gold):
    changes = list(math_mutations.mutations(gold, Random(1)))
    assert changes
    assert all("".join(text.split()) != "".join(gold.split()) for _, text in changes)


def test_golds_that_hold_a_box_are_not_changed():
    assert list(math_mutations.mutations("\\boxed{3}", Random(1))) == []


@pytest.mark.parametrize(
    ("said", "gold", "label"),
    [
        ("18", "18", True),
        ("18.0", "18", True),
        ("1,000", "1000", True),
        ("19", "18", False),
        ("", "18", False),
        ("18.05", "18", None),
        ("x", "18", None),
    ],
)
def test_number_labels_leave_roundings_open(said, gold, label):
    assert math_sets._equal_numbers(said, gold) is label


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("so $\\boxed{\\frac{1}{2}}$", "\\frac{1}{2}"),
        ("\\boxed{1} then \\boxed{2}", "2"),
        ("none", ""),
        ("\\boxed{open", ""),
    ],
)
def test_the_last_box_of_a_solution_is_its_gold(text, inner):
    assert math_sets._last_box(text) == inner


def test_a_suite_is_read_by_syntax_and_never_run(tmp_path):
    source = (
        "import pytest\nraise SystemExit\n"
        "@pytest.mark.parametrize('gold,pred,expected', [('1', '2', 0), ('$x$', 'x', 1), (open('f'), 'x', 1)])\n"
        "def test_some(gold, pred, expected): ...\n"
    )
    (tmp_path / "test_all.py").write_text(source)
    rows = math_sets.math_verify_suite(tmp_path)
    assert [(row.gold, row.completion, row.label) for row in rows] == [("1", "2", False), ("$x$", "x", True)]


def test_writing_a_section_leaves_the_others_alone(tmp_path, monkeypatch):
    readme = tmp_path / "README.md"
    readme.write_text("# Benchmarks\n\n## Other\n\ntext\n\n## Math pairs\n\nold\n\n## Last\n\nend\n")
    monkeypatch.setattr(math_report, "REPORT", readme)
    math_report.write("Math pairs", "new")
    math_report.write("Math speed", "fast")
    text = readme.read_text()
    assert "old" not in text
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Other",
        "## Math pairs",
        "## Last",
        "## Math speed",
    ]
    assert "text" in text
    assert "end" in text
    assert text.endswith("fast\n")


def test_figures_are_written_with_their_spread():
    assert spread([3.0, 1.0, 2.0]) == "2 (1-3)"
    assert percentile([1, 2, 3, 4], 0.5) == 3
    assert table(["a"], [["b"]]) == "| a |\n| --- |\n| b |"


@pytest.mark.skipif(DATA is None, reason="no data folder: set REWARDKIT_DATA")
def test_labelled_rows_have_both_labels():
    rows = math_sets.hardverify(DATA)
    assert {row.label for row in rows} == {True, False}
    assert all(row.completion.startswith("$\\boxed{") for row in rows)


@pytest.mark.long
@pytest.mark.skipif(DATA is None, reason="no data folder: set REWARDKIT_DATA")
def test_labels_that_were_read_belong_to_rows_that_exist():
    names = {row.name for load in math_sets.VERDICT_SETS for row in load(DATA)}
    assert set(math_sets.RELABELLED) <= names
