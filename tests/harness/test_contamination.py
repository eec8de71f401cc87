"""Problems of a run that stand in training data."""

import gzip
import json
import os

import pytest

from harness.contamination import contamination, without
from harness.metrics import summarise
from harness.store import read_run

QUESTIONS = [
    f"A train leaves station {name} at noon and drives {10 * at + 30} miles per hour for {at + 2} hours: how far does it come?"
    for at, name in enumerate(["Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel"])
]


@pytest.fixture
def run(run_of, tmp_path):
    """Right on even problems."""
    return run_of(tmp_path / "run", {question: [at % 2 == 0] for at, question in enumerate(QUESTIONS)})


def train_file(path, texts, column="problem"):
    path.write_text("".join(json.dumps({column: text}) + "\n" for text in texts))
    return path


@pytest.mark.parametrize(
    "copy",
    [str, str.upper, "Solve step by step.\n{}\nPut the answer in a box.".format, lambda text: text[10:100]],
    ids=["same", "upper", "prompt", "part"],
)
def test_exactly_the_problems_that_were_trained_on_are_found(copy, run):
    for held in ([], [3], [0, 5, 6], range(len(QUESTIONS))):
        texts = [("other:1", "What is the capital of France?"), *((f"t:{at}", copy(QUESTIONS[at])) for at in held)]
        (task,) = contamination(read_run(run), lambda texts=texts: texts)
        assert [each.problem.doc_id for each in task.found] == list(held)
        assert [each.place for each in task.found] == [f"t:{at}" for at in held]


def test_the_numbers_of_both_parts_add_up_to_those_of_all(run):
    (task,) = contamination(read_run(run), lambda: [("t", QUESTIONS[0]), ("t", QUESTIONS[2]), ("t", QUESTIONS[3])])
    assert (task.everything.problems, task.inside.problems, task.outside.problems) == (8, 3, 5)
    assert task.everything.accuracy.value == pytest.approx(4 / 8)
    assert task.inside.accuracy.value == pytest.approx(2 / 3)
    assert task.outside.accuracy.value == pytest.approx(2 / 5)
    kept = without(read_run(run), [each.problem for each in task.found])
    assert {answer.doc_id for answer in kept.answers} == {1, 4, 5, 6, 7}


@pytest.mark.parametrize(("name", "text"), [("t.jsonl", ""), ("t.csv", ""), ("t.csv", "problem\n"), ("t.json", "[]")])
def test_a_training_file_without_rows_is_no_clean_one(run, harness, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    full = train_file(tmp_path / "full.jsonl", ["Something else."])
    code, out, error = harness("contamination", run, "--train", full, "--train", tmp_path / name, "--fail-over", 0)
    assert (code, out) == (2, "")
    assert name in error


def test_the_command_lists_writes_and_fails(run, harness, tmp_path):
    train = train_file(tmp_path / "train.jsonl", ["Something else.", QUESTIONS[1]])
    code, out, _ = harness("contamination", run, "--train", train, "-o", tmp_path / "found.jsonl", "--fail-over", 0.1)
    assert code == 1
    assert "train.jsonl:2" in out
    (found,) = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    assert (found["doc_id"], found["question"]) == (1, QUESTIONS[1])
    code, out, _ = harness("contamination", run, "--train", train, "--json", "--fail-over", 0.125)
    assert (code, json.loads(out)[0]["found"]) == (0, 1)


@pytest.mark.parametrize("column", ["text", "problem"])
def test_a_column_that_is_not_there_is_one_line_that_names_the_option(column, run, harness, tmp_path):
    train = train_file(tmp_path / "train.jsonl", ["x"], column="text")
    code, _, err = harness("contamination", run, "--train", train, *(["--column", column] if column == "text" else []))
    assert (code, err.count("\n")) == ((0, 0) if column == "text" else (2, 1))
    assert column == "text" or "--column" in err


def test_an_input_is_never_written(run, harness, tmp_path):
    train = train_file(tmp_path / "train.jsonl", ["x"])
    before = train.read_text()
    for given in (train, tmp_path / "*.jsonl", tmp_path):
        for written in (train, f"{tmp_path}/new/../train.jsonl"):
            code, _, _ = harness("contamination", run, "--train", given, "-o", written, "--overwrite")
            assert (code, train.read_text()) == (2, before)


@pytest.mark.parametrize("name", ["clean", "clean/answers.jsonl", "new/../clean/run.json"])
def test_the_list_of_overlaps_is_no_part_of_the_clean_run(name, run, harness, tmp_path):
    train = train_file(tmp_path / "train.jsonl", [QUESTIONS[0]])
    to = ("-o", f"{tmp_path}/{name}", "--clean", tmp_path / "clean", "--overwrite")
    code, _, err = harness("contamination", run, "--train", train, *to)
    assert (code, err.count("\n")) == (2, 1)
    assert not (tmp_path / "clean").is_file()
    assert not (tmp_path / "clean" / "answers.jsonl").exists()


def test_a_clean_run_is_a_run_for_all_commands(run, harness, tmp_path):
    train = train_file(tmp_path / "train.jsonl", [QUESTIONS[0], QUESTIONS[3]])
    clean = tmp_path / "clean"
    code, out, err = harness("contamination", run, "--train", train, "--clean", clean, "--json")
    assert code == 0, err
    kept = read_run(clean)
    assert {answer.doc_id for answer in kept.answers} == {1, 2, 4, 5, 6, 7}
    assert kept.record["left_out"] == {"train": [str(train)], "problems": 2}
    accuracy = json.loads(out)[0]["accuracy"]["not_in_training_data"]["value"]
    (task,) = summarise(kept)
    assert task.accuracy.value == pytest.approx(accuracy)
    assert harness("compare", clean, clean)[0] == 0
    assert harness("report", clean, "-o", tmp_path / "r.html")[0] == 0
    assert harness("gate", clean, "--min", "accuracy=0.01")[0] == 0
    assert harness("gate", clean, "--update-baseline", tmp_path / "b.json")[2].count(
        "left out by contamination --clean"
    )
    for place in (clean, run):  # neither another run nor the run itself is written over
        assert harness("contamination", run, "--train", train, "--clean", place)[0] == 2
    assert len(read_run(run).answers) == 8


def test_a_clean_run_is_written_whoever_reads_the_lines(run, harness, tmp_path, monkeypatch):
    train = train_file(tmp_path / "train.jsonl", [QUESTIONS[0]])
    monkeypatch.setattr("harness.cli.contamination._print", lambda _: (_ for _ in ()).throw(BrokenPipeError))
    harness("contamination", run, "--train", train, "--clean", tmp_path / "clean")
    assert len(read_run(tmp_path / "clean").answers) == 7


def test_training_data_that_can_be_read_only_once_is_refused(run, harness, tmp_path):
    os.mkfifo(tmp_path / "train")
    code, out, err = harness("contamination", run, "--train", tmp_path / "train")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "train can be read only once; save it to a file" in err


@pytest.mark.parametrize("ending", [b'{"problem": "x', b"[1]\n", b'{"problem": "\xff"}\n'])
@pytest.mark.parametrize("packed", [False, True])
def test_training_data_that_is_broken_or_cut_short_is_named_and_ends_in_4(ending, packed, run, harness, tmp_path):
    train = train_file(tmp_path / "train.jsonl", QUESTIONS)
    content = train.read_bytes() + ending
    train.write_bytes(gzip.compress(content)[:-5] if packed else content)
    code, out, err = harness("contamination", run, "--train", train)
    assert (code, out, err.count("\n")) == (4, "", 1)
    assert f"{train}:" in err
    assert "--column" not in err


def test_a_clean_run_of_no_problem_is_not_written(run, harness, tmp_path):
    rows = [{"prompt": problem.question} for problem in read_run(run).problems.values()]
    train = tmp_path / "all.jsonl"
    train.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = harness("contamination", run, "--train", train, "--clean", tmp_path / "none")
    assert (code, err.count("\n")) == (2, 1), err
    assert not (tmp_path / "none").exists()
