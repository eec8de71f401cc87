"""Rows into docs: local files before the hub, one doc a problem, all others counted, the same order everywhere."""

import gzip
import hashlib
import json
import random
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import data, dataset_formats, prompts
from harness.data import DataError, Rows, load, read_hub

HUB = {"hub": "nobody/nothing"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("REWARDKIT_DATA", str(tmp_path))
    return tmp_path


def write(path, rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def dropped_of(docs):
    """The numbers of rows by the reason why they are not asked. They and the docs are all rows."""
    assert docs.source is not None
    found = {why: list(rows.first) for why, rows in docs.source.dropped.items()}
    assert len(docs) + sum(rows.count for rows in docs.source.dropped.values()) == docs.source.rows
    assert all(
        f"{rows.count} left out ({why}: rows" in docs.source.left_out for why, rows in docs.source.dropped.items()
    )
    return found


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x/test.jsonl", "x/x.jsonl.gz", "named/file.jsonl"])
def test_a_local_file_is_found_under_its_usual_names(folder, name):
    write(folder / name, [{"problem": "1+1?", "answer": "2"}])
    docs = load(data="x", reward="exact", files=["named/file.jsonl"], **HUB)["test"]
    assert [(doc["question"], doc["ground_truth"], doc["data_source"]) for doc in docs] == [("1+1?", "2", "x")]
    assert docs.source is not None
    assert docs.source.sha256 == hashlib.sha256((folder / name).read_bytes()).hexdigest()


ONE, TWO, NONE = "one.jsonl", "two.jsonl", "none.jsonl"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([ONE, NONE], "x: found .*one.jsonl, but not none.jsonl; add what is missing"),
        ([NONE, ONE, "other.jsonl"], "x: found .*one.jsonl, but not none.jsonl, other.jsonl; add"),
        ([[NONE, "other.jsonl"], ONE], "x: found .*one.jsonl, but not none.jsonl or other.jsonl; add"),
        (["https://localhost:1/x.jsonl", NONE], "x: found https://localhost:1/x.jsonl, but not none.jsonl; add"),
    ],
)
def test_a_file_of_several_that_is_missing_is_named(folder, files, said):
    write(folder / ONE, [{"problem": "1+1?", "answer": "2"}])
    with pytest.raises(DataError, match=said):
        load(data="x", files=files, **HUB)


@pytest.mark.parametrize(
    "files", [[ONE, TWO], [ONE, [], TWO], [[ONE, NONE], TWO], [[ONE, TWO, NONE]], [[NONE, ONE], [TWO]]]
)
def test_files_in_a_list_of_their_own_stand_for_each_other(folder, files):
    write(folder / ONE, [{"problem": "1+1?", "answer": "2"}])
    write(folder / TWO, [{"problem": "2+2?", "answer": "4"}])
    assert [doc["ground_truth"] for doc in load(data="x", files=files, **HUB)["test"]] == ["2", "4"]


ROWS = st.fixed_dictionaries(
    {
        "problem": st.sampled_from(["1 + 1?", "1 +  1?", "Which?"]),
        "answer": st.sampled_from([None, "", "notfound", "2", "3", "\\frac{1}{2", 2.0]),
        "context": st.sampled_from([None, "a", "b"]),
        "question_type": st.sampled_from([None, "proof"]),
    }
)
SHAPE = """from harness.dataset_formats import math

def shape(row):
    if row["context"] is None:
        return None
    made = math(row)
    return made if isinstance(made, str) else {**made, "extra_info": {"context": row["context"]}}
"""


@pytest.mark.parametrize("shape", ["math", "./own.py:shape"])
def test_every_row_is_asked_or_counted_with_a_reason_and_no_problem_vanishes(folder, shape):
    (folder / "own.py").write_text(SHAPE)

    @given(rows=st.lists(ROWS, max_size=12), sample=st.none() | st.integers(1, 4))
    def law(rows, sample):
        write(folder / "x.jsonl", [{"problem": "Usable?", "answer": "5", "context": "a"}, *rows])
        yaml = str(folder / "x.yaml")
        docs = load(data="x", shape=shape, reward="math", sample=sample, config_source=yaml, **HUB)["test"]
        dropped_of(docs)
        problems = {("Usable?", "5", "a")} | {
            (" ".join(row["problem"].split()), dataset_formats.answer_text(row["answer"]), row["context"])
            for row in rows
            if row["answer"] in {"2", "3", 2.0} and row["question_type"] is None and (shape == "math" or row["context"])
        }
        if shape == "math":  # which does not read the context
            problems = {(question, truth, None) for question, truth, _ in problems}
        asked = [
            (" ".join(doc["question"].split()), doc["ground_truth"], doc.get("extra_info", {}).get("context"))
            for doc in docs
        ]
        assert len(set(asked)) == len(asked) == min(len(problems), sample or len(problems))
        assert set(asked) <= problems

    law()


def test_the_same_question_with_other_options_or_another_answer_is_another_problem(folder):
    options = [("a", "b", "c", "d"), ("a", "b", "c", "e"), ("a", "b", "c", "d"), ("d", "a", "b", "c")]
    names = ("Correct Answer", *(f"Incorrect Answer {n}" for n in (1, 2, 3)))
    rows = [{"Question": "Which is true?", **dict(zip(names, each, strict=True))} for each in options]
    write(folder / "x.jsonl", rows)
    docs = load(data="x", shape="gpqa", reward="choice", **HUB)["test"]
    assert [doc["id"] for doc in docs] == ["x-0", "x-1", "x-3"]
    assert dropped_of(docs) == {data.REPEATED: [3]}


@pytest.mark.parametrize("empty", [None, "", " "])
@pytest.mark.parametrize(
    ("shape", "row", "column", "more"),
    [
        ("math", {"problem": "q"}, "answer", "notfound"),
        ("gsm8k", {"question": "q"}, "answer", "We add.\n#### "),
        ("olympiadbench", {"question": "q"}, "final_answer", []),
        ("gpqa", {"Question": "q", **{f"Incorrect Answer {n}": f"{n}" for n in (1, 2, 3)}}, "Correct Answer", "\n"),
        ("taco", {"question": "q"}, "input_output", "{}"),
    ],
)
def test_an_empty_answer_is_never_a_ground_truth(shape, row, column, more, empty):
    for value in (empty, more, [empty]) if shape == "olympiadbench" else (empty, more):
        assert isinstance(dataset_formats.SHAPES[shape]({**row, column: value}), str)


SHAPED = {
    "math": ({"problem": "q", "answer": "1"}, "problem", "answer"),
    "gsm8k": ({"question": "q", "answer": "#### 1"}, "question", "answer"),
    "olympiadbench": ({"question": "q", "final_answer": ["1"]}, "question", "final_answer"),
    "gpqa": (
        {"Question": "q", "Correct Answer": "0", **{f"Incorrect Answer {n}": f"{n}" for n in (1, 2, 3)}},
        "Question",
        "Correct Answer",
    ),
    "taco": ({"question": "q", "input_output": '{"inputs": ["1"], "outputs": ["2"]}'}, "question", None),
    "leetcode": (
        {"problem_description": "q", "prompt": "", "test": "t", "entry_point": "f"},
        "problem_description",
        None,
    ),
    "mbpp": ({"task_id": 11, "text": "q", "test_list": ["assert True"], "code": "x = 1"}, "text", None),
    "livecodebench": ({"problem": "q", "tests": [{"input": "1", "output": "2"}]}, "problem", None),
}


@pytest.mark.parametrize("empty", [None, "", " \n"])
@pytest.mark.parametrize("shape", SHAPED)
def test_a_row_without_a_question_is_counted_not_asked(folder, shape, empty):
    row, question, _ = SHAPED[shape]
    write(folder / "x.jsonl", [row, {**row, question: empty}])
    docs = load(data="x", shape=shape, reward="exact", **HUB)["test"]
    assert (len(docs), dropped_of(docs)) == (1, {dataset_formats.NO_QUESTION: [2]})


@pytest.mark.parametrize("value", ['{"a": 1}', '["2", null]', "[[2]]", "NaN", "[]"])
@pytest.mark.parametrize("shape", [name for name, (_, _, answer) in SHAPED.items() if answer])
def test_what_is_no_answer_is_counted_not_judged(folder, shape, value):
    row, _, answer = SHAPED[shape]
    text = json.dumps({**row, answer: "HERE"}).replace('"HERE"', value)
    (folder / "x.jsonl").write_text(f"{json.dumps(row)}\n{text}\n")
    docs = load(data="x", shape=shape, reward="exact", **HUB)["test"]
    assert (len(docs), dropped_of(docs)) == (1, {dataset_formats.NO_ANSWER: [2]})


@pytest.mark.parametrize(
    ("value", "truth"),
    [
        ('["2"]', "2"),
        ('["2", 0.5]', ["2", "0.5"]),
        ("1e400", "1e400"),
        ("0.1234567890123456789", "0.1234567890123456789"),
        ("true", "True"),
        ("7.0", "7"),
    ],
)
@pytest.mark.parametrize("name", ["answer", "final_answer", "reward_model"])
def test_an_answer_goes_through_as_rewardkit_score_takes_it(folder, name, value, truth):
    value = f'{{"ground_truth": {value}}}' if name == "reward_model" else value
    (folder / "x.jsonl").write_text(f'{{"problem": "q", "{name}": {value}}}\n')
    [doc] = load(data="x", shape="math", reward="exact", **HUB)["test"]
    assert doc["ground_truth"] == truth


def test_the_check_says_an_alternative_of_a_list(folder):
    write(folder / "x.jsonl", [{"problem": "q", "answer": ["\\frac{1}{2}", "0.5"]}])
    [doc] = load(data="x", shape="math", reward="math", **HUB)["test"]
    assert prompts.gold(doc) == "The final answer is $\\boxed{\\frac{1}{2}}$."
    assert "boxed" in prompts.wrong(doc)


SAID = {"role": "user", "content": "q"}


@pytest.mark.parametrize(
    ("chat", "asked"),
    [
        ([SAID], True),
        ([{"role": "system", "content": "s"}, SAID], True),
        ([SAID, {"role": "assistant", "content": "a"}, SAID], False),
        ([SAID, SAID], False),
    ],
)
def test_a_chat_is_asked_as_a_whole_or_counted(folder, chat, asked):
    write(folder / "x.jsonl", [{"problem": "other", "answer": "1"}, {"prompt": chat, "answer": "1"}])
    docs = load(data="x", shape="math", reward="math", **HUB)["test"]
    assert [doc["question"] for doc in docs] == ["other", "q"][: 1 + asked]
    assert dropped_of(docs) == ({} if asked else {dataset_formats.SEVERAL_TURNS: [2]})


def test_a_sample_does_not_depend_on_the_order_of_rows(folder):
    rows = [{"problem": f"q{n}?", "answer": str(n)} for n in range(50)]
    write(folder / "x.jsonl", rows)
    first = {doc["question"] for doc in load(data="x", shape="math", reward="exact", sample=10, **HUB)["test"]}
    random.Random(1).shuffle(rows)
    write(folder / "x.jsonl", rows)
    assert {doc["question"] for doc in load(data="x", shape="math", reward="exact", sample=10, **HUB)["test"]} == first
    assert len(first) == 10


def test_a_problem_no_judge_can_read_is_left_out_and_named(folder):
    write(folder / "x.jsonl", [{"problem": "a", "answer": "\\frac{1}{2"}, {"problem": "b", "answer": "2"}])
    docs = load(data="x", shape="math", reward="math", **HUB)["test"]
    assert [doc["question"] for doc in docs] == ["b"]
    assert dropped_of(docs) == {"no judge can read the ground truth": [1]}


def test_a_problem_whose_reward_cannot_read_its_own_ground_truth_in_a_box_is_left_out(folder):
    answers = ["2", "\\boxed{3}", " + ".join(f"x_{{{n}}}" for n in range(20))]
    write(folder / "x.jsonl", [{"problem": f"q{n}", "answer": answer} for n, answer in enumerate(answers)])
    docs = load(data="x", shape="math", reward="grpo_tcr", **HUB)["test"]
    assert [doc["question"] for doc in docs] == ["q0"]
    assert dropped_of(docs) == {"the ground truth in a box is not what its reward reads": [2, 3]}
    assert len(load(data="x", shape="math", reward="math", **HUB)["test"]) == 3


def test_a_relation_sign_can_be_asked_for(folder):
    write(folder / "x.jsonl", [{"problem": f"1 ? {n}", "answer": sign} for n, sign in enumerate(("<", ">", "="))])
    assert len(load(data="x", shape="math", reward="math", **HUB)["test"]) == 3


def test_a_program_whose_setup_needs_its_own_class_is_left_out_and_named(folder):
    row = {"text": "Is it balanced?", "test_list": ["assert f(root)"], "code": "class Node:\n  pass\ndef f(x): ..."}
    rows = [{**row, "task_id": 11, "test_setup_code": "root = Node(1)"}, {**row, "task_id": 12, "text": "other"}]
    write(folder / "mbpp.jsonl", rows)
    docs = load(data="mbpp", shape="mbpp", reward="code", **HUB)["test"]
    assert [doc["question"][:5] for doc in docs] == ["other"]
    assert dropped_of(docs) == {dataset_formats.SETUP_NEEDS_THE_PROGRAM: [1]}


def test_rows_that_are_all_left_out_are_an_error_that_says_why(folder):
    write(folder / "x.jsonl", [{"problem": "q", "answer": ""}] * 7)
    with pytest.raises(DataError, match=r"no usable rows, 7 left out \(no answer: rows 1, 2, 3, 4, 5, \.\.\.\)$"):
        load(data="x", **HUB)


def test_a_row_that_does_not_fit_is_named(folder):
    write(folder / "x.jsonl", [{"question": "q", "answer": "#### 1"}, {"question": "no answer"}])
    with pytest.raises(DataError, match="row 2"):
        load(data="x", shape="gsm8k", reward="exact", **HUB)


def test_a_damaged_file_is_named(folder):
    (folder / "x.jsonl.gz").write_bytes(b"not gzip")
    with pytest.raises(DataError, match=r"x\.jsonl\.gz"):
        load(data="x", shape="math", reward="exact", **HUB)


@pytest.mark.parametrize(
    ("row", "truth"),
    [
        ({"problem": "q", "answer": 27.0}, "27"),
        ({"problem": "q", "answer": "025"}, "025"),
        ({"question": "q", "solution": "so \\boxed{\\frac{1}{2}}."}, "\\frac{1}{2}"),
        ({"prompt": [{"role": "user", "content": "q"}], "reward_model": {"ground_truth": "5"}}, "5"),
    ],
)
def test_answers_are_read_in_each_spelling(row, truth):
    assert dataset_formats.math(row)["ground_truth"] == truth


@pytest.mark.parametrize(
    "row",
    [
        {"problem": "q", "answer": "proof"},
        {"problem": "q", "answer": "1", "problem_is_valid": "No"},
        {"problem": "q", "answer": ""},
    ],
)
def test_rows_without_a_checkable_answer_are_not_asked(row):
    assert isinstance(dataset_formats.math(row), str)


def test_gsm8k_is_the_number_after_the_marks():
    assert dataset_formats.gsm8k({"question": "q", "answer": "so <<1+1=2>>2\n#### 1,234"})["ground_truth"] == "1234"


GPQA = {"Question": "Which?", "Correct Answer": "right", **{f"Incorrect Answer {n}": f"wrong {n}" for n in (1, 2, 3)}}


def test_gpqa_options_are_shuffled_by_the_question_and_no_global_state():
    random.seed(1)
    state = random.getstate()
    first = dataset_formats.gpqa(GPQA)
    assert random.getstate() == state
    random.seed(2)
    assert dataset_formats.gpqa(GPQA) == first
    assert first["choices"]["ABCD".index(first["ground_truth"])] == "right"
    letters = {dataset_formats.gpqa({**GPQA, "Question": f"Which {n}?"})["ground_truth"] for n in range(40)}
    assert letters == set("ABCD")
    doc = {**first, "reward": "choice"}
    assert f"{first['ground_truth']}) right" in prompts.choice(doc)
    assert prompts.wrong(doc) != prompts.gold(doc)


def test_functional_tests_become_calls():
    row = {
        "problem": "p",
        "starter_code": "class Solution:\n    def add(self, a: int, b: int) -> int:\n        ",
        "tests": [{"input": "1\n2", "output": "3", "testtype": "functional"}],
    }
    assert dataset_formats.livecodebench(row)["ground_truth"] == {"inputs": [[1, 2]], "outputs": [3], "fn_name": "add"}


def test_mbpp_is_the_test_split_only():
    row = {"task_id": 10, "text": "t", "code": "c", "test_list": ["assert True"]}
    assert dataset_formats.mbpp(row) == "not of the test split"
    assert dataset_formats.mbpp({**row, "task_id": 11})["ground_truth"] == {"test_list": ["assert True"]}


def test_rows_behave_as_lm_eval_expects_of_a_data_set():
    rows = Rows([{"a": 1}, {"a": [2]}])
    assert list(rows.features) == ["a"]
    assert (len(rows), rows[1], list(rows[:1])) == (2, {"a": [2]}, [{"a": 1}])


LINE_ENDS = ["\u2028", "\u2029", "\x85"]


@pytest.mark.parametrize("end", LINE_ENDS)
def test_only_a_line_feed_ends_a_json_line(tmp_path, end):
    from harness.backends.replay import ReplayBackend

    row = {"problem": f"one{end}two", "answer": "1", "completion": f"a{end}b"}
    rows = [row, {"problem": "q", "answer": "2", "completion": "c"}]
    text = "".join(json.dumps(each, ensure_ascii=False) + "\r\n" for each in rows)
    (tmp_path / "rows.jsonl").write_bytes(text.encode())
    assert data.read_local("rows", [tmp_path / "rows.jsonl"])[0] == rows
    assert ReplayBackend([tmp_path / "rows.jsonl"]).holds(row["problem"])


def test_rows_of_the_hub_say_their_place_and_what_is_missing(monkeypatch):
    def load_dataset(hub, config, split):
        if split != "test":
            raise ValueError("no such split\nand more")
        return [{"hub": hub, "config": config}]

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    rows, source = read_hub("mine", "org/set", "main", "test", (), "")
    assert rows == [{"hub": "org/set", "config": "main"}]
    assert (source.place, source.rows, source.sha256) == ("hub:org/set/main", 1, None)
    with pytest.raises(DataError, match=r"org/set.*\(ValueError: no such split and more\).*ask the owner"):
        read_hub("mine", "org/set", None, "train", (), "ask the owner")
    with pytest.raises(DataError, match="names no `hub`"):
        read_hub("mine", None, None, "test", (), "")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"data": "mine", "hub": "org/set", "files": "a.jsonl"}, "mine"),
        ({"hub": "org/set", "files": "a.jsonl"}, "a.jsonl"),
        ({"hub": "org/set"}, "org/set"),
        ({}, "data"),
    ],
)
def test_data_are_called_by_what_names_them_first(given, name):
    with pytest.raises(DataError, match=rf"^{name}: "):
        data.load(**given, hub_config="offline", shape="no such shape")
