"""`rewardkit check-tests` on rows whose soundness is known."""

import json

import pytest

from rewardkit.cli import rewardkit as command
from rewardkit.cli import run
from rewardkit.code.references import programs

SQUARE = "print(int(input()) ** 2)"
ROWS = [
    {"id": "good", "inputs": ["2\n"], "outputs": ["4\n"], "solutions": [SQUARE, "x = int(input())\nprint(x * x)"]},
    {"id": "bad output", "inputs": ["2\n"], "outputs": ["5\n"], "solutions": [SQUARE, "x = int(input())\nprint(x * x)"]},
    {"id": "several right", "inputs": ["2\n"], "outputs": ["1 1\n"], "solutions": ["print('0 2')", "print('1 1')"]},
    {"id": "crashes", "inputs": ["2\n"], "outputs": ["4\n"], "solutions": ["1 / 0"]},
    {"id": "interactive", "inputs": ["2\n"], "outputs": ["4\n"], "interactive": True, "solutions": [SQUARE]},
    {"id": "no reference", "inputs": ["2\n"], "outputs": ["4\n"], "solutions": []},
    {"id": "no Python", "inputs": ["2\n"], "outputs": ["4\n"], "solutions": ["#include <iostream>\nint main(){}", "print 4"]},
    {"id": "late Python", "inputs": ["2\n"], "outputs": ["4\n"], "solutions": [*["print 4"] * 9, SQUARE]},
    {"id": "calls", "inputs": [[2]], "outputs": [[3]], "fn_name": "f", "solutions": ["def f(n): return [n + 1]", "def f(n): return n + 2"]},
]  # fmt: skip
FINDINGS = ["sound", "rejected", "disagree", "rejected", "unjudged", "unjudged", "unjudged", "sound", "disagree"]


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_each_row_is_found_out_and_the_sound_ones_are_written(rows, tmp_path, capsys):
    sound, report = tmp_path / "sound.jsonl", tmp_path / "report.jsonl"
    words = [
        "check-tests",
        str(rows),
        "--solution-column",
        "solutions",
        "--sandbox",
        "unsafe",
        "--quiet",
        "--max-unjudged",
        "0.4",
    ]
    assert run(command, [*words, "-o", str(sound), "--report", str(report), "--json"]) == 0
    found = [json.loads(line) for line in report.read_text().splitlines()]
    assert [row["finding"] for row in found] == FINDINGS
    assert [json.loads(line) for line in sound.read_text().splitlines()] == [ROWS[0], ROWS[-2]]
    said = json.loads(capsys.readouterr().out)
    assert said["kinds"]["taco, stdin"] == {"rows": 5, "sound": 2, "rejected": 2, "disagree": 1}
    assert said["kinds"]["not read"] == {"rows": 1, "unjudged": 1}
    assert len(said["not_sound"]) == len(ROWS) - 2
    assert run(command, [*words, "-o", str(sound)]) == 2  # it exists


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_sound_rows_are_a_file_that_score_reads(count, tmp_path, capsys):
    rows, sound = tmp_path / "rows.jsonl", tmp_path / "sound.jsonl"
    good = [{**ROWS[0], "id": str(number)} for number in range(count)]
    others = [row for row, finding in zip(ROWS, FINDINGS, strict=True) if finding != "sound"]
    rows.write_text("".join(json.dumps(row) + "\n" for row in [good[0], *others, *good[1:]]), encoding="utf-8")
    code = ["--sandbox", "unsafe", "--quiet", "--max-unjudged", "0.4"]
    assert run(command, ["check-tests", str(rows), "--solution-column", "solutions", "-o", str(sound), *code]) == 0
    assert [json.loads(line) for line in sound.read_text().splitlines()] == good
    capsys.readouterr()
    words = ["score", str(sound), "-r", "code", "--completion-column", "solutions", "--json"]
    assert run(command, [*words, *code]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["n"] == 2 * count


def test_a_table_and_the_rows_that_are_not_sound(rows, capsys):
    words = ["check-tests", str(rows), "--solution-column", "solutions", "--sandbox", "unsafe", "--quiet"]
    assert run(command, words) == 4
    printed, said = capsys.readouterr()
    assert "unjudged: 1 of 9 rows" in said
    assert "taco, stdin" in printed
    assert "rows.jsonl:3: disagree: references disagree on test 1" in printed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--solution-column", "nothing"], "has no column 'nothing'; its columns: "),
        (["--solution-column", "solutions", "-r", "math"], "a code reward"),
        (["--solution-column", "solutions", "--solutions", "0"], "--solutions needs 1 or more"),
    ],
)
def test_mistakes_are_one_line(rows, words, said, capsys):
    assert run(command, ["check-tests", str(rows), *words]) == 2
    assert said in capsys.readouterr().err


def test_rows_without_any_verdict_end_in_4(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(ROWS[4]) + "\n", encoding="utf-8")
    assert run(command, ["check-tests", str(path), "--solution-column", "solutions", "--sandbox", "unsafe"]) == 4
    assert "interactive problems" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("print(1)", ["print(1)"]),
        ('["print(1)", "print(2)"]', ["print(1)", "print(2)"]),
        ("[1, 2]", []),
        ({"language": [3, 2, 3], "solution": ["a = 1", "int main() {}", "b = 1"]}, ["a = 1", "b = 1"]),
        ({"language": ["PYTHON3", "CPP"], "solution": ["a = 1", "int main() {}"]}, ["a = 1"]),
        (None, []),
        (3, []),
    ],
)
def test_programs_of_a_solution_column(value, found):
    assert programs(value) == found
