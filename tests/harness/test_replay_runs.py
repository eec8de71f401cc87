"""Recorded answers judged as a run: with `only=true`, of the problems that the file holds."""

import json

import pytest

from harness.store import read_run

pytestmark = pytest.mark.usefixtures("lm_eval")

PLACES = [1, 3, 4, 8, 11]


@pytest.fixture
def recorded(golds, tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [{"question": list(golds)[place], "completion": f"\\boxed{{{place}}}"} for place in PLACES]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("limit", [None, 2, 100])
def test_only_the_recorded_problems_are_asked_and_keep_their_numbers(
    harness, golds, small_data, recorded, tmp_path, limit
):
    more = [] if limit is None else ["--limit", limit]
    args = ["--model", "replay", "--model_args", f"file={recorded},only=true", "--tasks", "math500,gsm8k", *more]
    code, _, err = harness("run", *args, "--data-dir", small_data, "--judge_workers", 0, "-o", tmp_path / "run")
    assert code == 0, err
    run = read_run(tmp_path / "run")
    for task in ("math500", "gsm8k"):
        texts = [(one.doc_id, one.text) for one in run.answers if one.task == task]
        asked = [(one.doc_id, one.question) for one in run.problems.values() if one.task == task]
        assert texts == [(place, f"\\boxed{{{place}}}") for place in PLACES[:limit]]
        assert asked == [(place, list(golds)[place]) for place in PLACES[:limit]]


def test_recorded_answers_that_are_not_judged_are_counted(harness, golds, small_data, recorded, tmp_path):
    question = list(golds)[PLACES[0]]
    with recorded.open("a") as file:
        file.write(json.dumps({"question": question, "completions": ["1", "2"]}) + "\n")
    args = ["--model", "replay", "--model_args", f"file={recorded},only=true", "--tasks", "math500"]
    for repeats, left in ((1, "not judged: 2;"), (2, "not judged: 1;"), (3, "")):
        out = tmp_path / str(repeats)
        code, _, err = harness(
            "run", *args, "--data-dir", small_data, "--judge_workers", 0, "-o", out, "--repeats", repeats
        )
        assert code == (0 if repeats == 1 else 4)  # the other questions have one answer each
        assert left in err
        assert left or "not judged" not in err


def test_without_it_each_other_problem_has_failed(harness, small_data, recorded, tmp_path):
    args = ["--model", "replay", "--model_args", f"file={recorded}", "--tasks", "math500", "--limit", 6]
    code, _, err = harness("run", *args, "--data-dir", small_data, "--judge_workers", 0, "-o", tmp_path / "run")
    assert code == 4, err
    answers = read_run(tmp_path / "run").answers
    assert [one.doc_id for one in answers if one.error is None] == [1, 3, 4]


def test_a_file_that_holds_no_question_of_a_task_is_refused(harness, small_data, recorded, tmp_path):
    recorded.write_text(json.dumps({"question": "another one", "completion": "1"}) + "\n")
    args = ["--model", "replay", "--model_args", f"file={recorded},only=true", "--tasks", "math500"]
    code, _, err = harness("run", *args, "--data-dir", small_data, "-o", tmp_path / "run")
    assert (code, err.count("\n")) == (2, 1)
    assert "hold no question of math500" in err


def test_parts_of_all_problems_and_the_recorded_ones_are_not_asked_for_at_once(harness, small_data, recorded, tmp_path):
    args = ["--model", "replay", "--model_args", f"file={recorded},only=true", "--tasks", "math500", "--shard", "1/2"]
    code, _, err = harness("run", *args, "--data-dir", small_data, "-o", tmp_path / "run")
    assert (code, err.count("\n")) == (2, 1)
    assert "give one of them" in err
