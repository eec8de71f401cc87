"""The audit's page: refused before any work where it cannot be written, and never emptied by a run that fails."""

import json

import pytest

from rewardkit.cli import main

pytest.importorskip("jinja2")


def run(*args):
    with pytest.raises(SystemExit) as exit_:
        main(["audit", *map(str, args)])
    return exit_.value.code or 0


def test_an_older_page_stays_where_the_rows_cannot_be_read(tmp_path, capsys):
    page = tmp_path / "audit.html"
    page.write_text("older")
    assert run(tmp_path / "missing.jsonl", "-o", page) == 2
    assert page.read_text() == "older"
    assert "missing.jsonl" in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_refused_and_an_older_one_is_replaced_on_demand(tmp_path, capsys):
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"completion": "\\boxed{1}", "ground_truth": "1"}) + "\n")
    (tmp_path / "file").write_text("")
    assert run(rows, "-o", tmp_path / "file" / "audit.html") == 2
    assert "cannot write" in capsys.readouterr().err
    page = tmp_path / "audit.html"
    page.write_text("older")
    assert run(rows, "-o", page) == 2
    assert page.read_text() == "older"
    assert run(rows, "-o", page, "--overwrite") == 0
    assert page.read_text().startswith("<!doctype html>")


def test_the_default_second_verifier_is_asked_of_boxed_rows_alone(cli, write_jsonl, tmp_path):
    toml, out = tmp_path / "reward.toml", tmp_path / "out.jsonl"
    toml.write_text("reward = \"by_source({'exam': choice(letters='ABCD'), '*': math})\"\n")
    right = {
        "completion": "Photosynthesis fixes carbon, so the answer is **(B)**.",
        "answer": "B",
        "data_source": "exam",
    }
    rows = write_jsonl(right, {"completion": "It is \\boxed{4}.", "answer": "4"}, {"completion": "5", "answer": "4"})
    for extra, second in (((), [None, 1, 0]), (("--second", "dapo_math"), [0, 1, 0])):
        assert cli("audit", rows, "-r", toml, "--rows", out, "--overwrite", *extra).code == 0
        found = [json.loads(line) for line in out.read_text().splitlines()]
        assert [(row["accuracy"], row["second"]) for row in found] == list(zip([1, 1, 0], second, strict=True))
    assert cli("audit", rows, "-r", toml, "--rows", out, "--resume").code == 2  # another second verifier


@pytest.mark.parametrize("asked", [{}, {"prompt": True}, {"group": True}])
def test_one_answer_to_many_questions_is_found_whatever_tells_the_questions(asked, cli, write_jsonl):
    rows = write_jsonl(
        *(
            {"completion": "\\boxed{5}", "ground_truth": str(8 * number), **dict.fromkeys(asked, f"q{number}")}
            for number in range(1, 101)
        )
    )
    assert "One answer to many questions" in cli("audit", rows, "-r", "math", "--second", "none").out
    one = write_jsonl(*[{"completion": "\\boxed{5}", "ground_truth": "8"}] * 100)
    assert "One answer to many questions" not in cli("audit", one, "-r", "math", "--second", "none").out


def test_numbers_are_numbers_in_json(cli, write_jsonl):
    rows = write_jsonl(*[{"completion": "4", "answer": "4"}] * 1200)
    assert json.loads(cli("audit", rows, "-r", "exact", "--second", "none", "--json").out)["rows"] == 1200
