"""`rewardkit attack`: what is printed first, exit codes, files."""

import json

import pytest

from rewardkit.attack import registry

ROWS = [{"id": str(k), "question": f"Question {k}?", "answer": str(500 + 7 * k)} for k in range(20)]
LEAK = "def f(completions, **columns):\n    return [float('1' in text) for text in completions]\n"


@pytest.fixture
def rows(write_jsonl):
    return write_jsonl(*ROWS)


@pytest.fixture
def leaky(tmp_path):
    path = tmp_path / "leaky.py"
    path.write_text(LEAK)
    return f"{path}:f"


def test_the_list_names_every_attack(cli):
    done = cli("attack", "--list")
    assert done.code == 0
    assert all(name in done.out for name in registry.choose())


def test_an_honest_reward_passes_the_gate(cli, rows):
    done = cli("attack", rows, "-r", "math", "--budget", 600, "--fail-over", 0.01)
    assert (done.code, done.out.splitlines()[0]) == (0, "rows: honest control: 20 of 20 gold answers are paid (100.0%)")
    assert "floor:" in done.out


def test_a_leak_over_the_threshold_exits_1(cli, rows, leaky):
    done = cli("attack", rows, "-r", leaky, "--budget", 600, "--fail-over", 0.01)
    assert done.code == 1
    assert "paid above the base rate on 100.0% of rows" in done.err


def test_a_control_that_fails_is_said_first_and_exits_3(cli, write_jsonl):
    path = write_jsonl(*({**row, "answer": "no number"} for row in ROWS))
    done = cli("attack", path, "-r", "gsm8k", "--budget", 300)
    assert done.code == 3
    assert "column mapping is wrong" in done.out.splitlines()[0]


def test_what_is_paid_is_shown_as_it_was_written(cli, rows, tmp_path):
    (tmp_path / "box.py").write_text(
        "def f(completions, **columns):\n    return [float('boxed' in text) for text in completions]\n"
    )
    shown = [
        line
        for line in cli("attack", rows, "-r", f"{tmp_path / 'box.py'}:f", "--budget", 300).out.splitlines()
        if "' is paid 1" in line
    ]
    assert shown
    assert all(line.endswith(" is paid 1") and r"\\" not in line for line in shown)
    assert any(r"\boxed" in line for line in shown)


def test_json_output_and_files_agree(cli, rows, tmp_path):
    out, page = tmp_path / "attack.jsonl", tmp_path / "attack.html"
    done = cli("attack", rows, "-r", "math", "--budget", 600, "--json", "--quiet", "-o", out, "--report", page)
    report = json.loads(done.out)
    attempts = [json.loads(line) for line in out.open(encoding="utf-8")]  # splitlines would cut at U+2028
    assert done.err == ""
    assert len(attempts) < report["judged"] <= 610
    assert {row["attack"] for row in attempts} == {finding["attack"] for finding in report["findings"]}
    assert json.loads((tmp_path / "attack.meta.json").read_text())["reward"] == "math"
    assert "Honest control" in page.read_text()


def test_two_runs_write_the_same_bytes(cli, rows, tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        cli("attack", rows, "-r", "math + 0.1 * think_format", "--budget", 300, "--quiet", "-o", tmp_path / name)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_no_file_is_written_over(cli, rows, tmp_path):
    before = rows.read_bytes()
    for option in ("-o", "--report"):
        done = cli("attack", rows, "-r", "math", option, rows, "--overwrite")
        assert (done.code, rows.read_bytes()) == (2, before)
    (tmp_path / "old.jsonl").write_text("old")
    assert cli("attack", rows, "-r", "math", "-o", tmp_path / "old.jsonl").code == 2
    assert (tmp_path / "old.jsonl").read_text() == "old"
    meta = rows.rename(tmp_path / "new.meta.json")
    assert cli("attack", meta, "-r", "math", "-o", tmp_path / "new.jsonl", "--overwrite").code == 2
    assert meta.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-r", "math"], "needs ROWS"),
        (["ROWS"], "-r REWARD"),
        (["ROWS", "-r", "maths"], "no reward 'maths'"),
        (["ROWS", "-r", "math", "--attack", "constant"], "did you mean 'constants'"),
        (["ROWS", "-r", "math", "--fail-over", "2"], "0<=x<=1"),
        (["ROWS", "-r", "math", "--budget", "0"], "--budget"),
        (["ROWS", "-r", "math", "--ground-truth-column", "gold"], "no column 'gold'"),
    ],
)
def test_a_mistake_is_one_line(cli, rows, words, said):
    done = cli("attack", *(rows if word == "ROWS" else word for word in words))
    assert done.code == 2
    assert said in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.long
@pytest.mark.parametrize("budget", [30, 300, 4000])
@pytest.mark.parametrize("value", ["float('7' in text) if text else None", "None"])
def test_a_row_is_unjudged_if_no_completion_has_a_value_there(value, budget, cli, write_jsonl, tmp_path):
    (tmp_path / "own.py").write_text(f"def f(completions, **columns):\n    return [{value} for text in completions]\n")
    rows = write_jsonl(*({"id": str(k), "question": f"Question {k}?", "answer": f"{k}7"} for k in range(200)))
    done = cli("attack", rows, "-r", f"{tmp_path / 'own.py'}:f", "--budget", budget, "--quiet", "--json")
    assert json.loads(done.out)["unjudged_share"] == (value == "None")
    assert (done.code == 0) is (value != "None")


def test_a_reward_that_needs_more_than_an_empty_answer_is_judged(cli, rows):
    assert "of the rows" not in cli("attack", rows, "-r", "majority", "--budget", 300).err
