"""A run's tasks and directory: limits, few-shot examples, sampling words, and which directories take it."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness import setup
from harness.backends.base import MAX_TOKENS
from harness.errors import NotComparableError
from harness.options import Options
from harness.setup import MAX_GEN_TOKS, check_directory, claim_directory, load_tasks, sampling
from harness.store import Problem, read_record, read_run, write_record, write_run
from rewardkit.errors import UsageError

IDENTITY = {"seed": 0, "tasks": {"t": {"version": "1"}}}


class Task:
    """A task of lm-eval's, as far as it is set up."""

    def __init__(self, **config):
        self.config = {"output_type": "generate_until", "num_fewshot": None, "repeats": 1, **config}
        self.seed = None

    def get_config(self, name):
        return self.config.get(name)

    def set_config(self, name, value, *, update=False):
        self.config[name] = {**(self.config.get(name) or {}), **value} if update else value

    def set_fewshot_seed(self, seed):
        self.seed = seed


def loaded(monkeypatch, task, **given):
    said = []
    monkeypatch.setattr(setup.catalog, "manager", lambda names, include: None)
    monkeypatch.setattr(setup.catalog, "load_tasks", lambda found, names: {"tasks": dict.fromkeys(names, task)})
    load_tasks(Options(model="m", tasks=["t"], output=Path("run"), say=said.append, **given))
    assert task.seed == 1234
    return task.config, said


@pytest.mark.parametrize(
    ("own", "given", "limit"),
    [
        ({}, {}, MAX_GEN_TOKS),
        (None, {}, MAX_GEN_TOKS),
        ({"max_gen_toks": 7}, {}, 7),
        ({}, {"model_args": "max_gen_toks=9"}, 9),
        ({"max_gen_toks": 7}, {"model_args": "max_gen_toks=9"}, 7),
        ({"max_gen_toks": 7}, {"gen_kwargs": "max_tokens=5"}, 5),
        ({}, {"gen_kwargs": "max_new_tokens=5", "model_args": "max_gen_toks=9"}, 5),
    ],
)
def test_the_limit_of_tokens_is_the_users_else_the_tasks_else_the_models(monkeypatch, own, given, limit):
    config, _ = loaded(monkeypatch, Task(generation_kwargs=own), **given)
    assert config["generation_kwargs"]["max_gen_toks"] == limit


def test_a_task_that_generates_nothing_gets_no_sampling_options(monkeypatch):
    config, _ = loaded(monkeypatch, Task(output_type="multiple_choice"), gen_kwargs="temperature=1", repeats=3)
    assert "generation_kwargs" not in config
    assert config["repeats"] == 3
    assert loaded(monkeypatch, Task(repeats=2))[0]["repeats"] == 2


@pytest.mark.parametrize("value", ["x", "true", "nan", "inf", "-5", "0", "1.5", "9" * 400])
@pytest.mark.parametrize(
    "name", ["max_gen_toks", "max_tokens", "max_new_tokens", "max_completion_tokens", "temperature"]
)
@pytest.mark.parametrize("option", ["gen_kwargs", "model_args"])
def test_a_sampling_option_that_is_no_number_that_works_is_named(monkeypatch, name, value, option):
    if (name == "temperature" and value in {"0", "1.5"}) or (option == "model_args" and name != "max_gen_toks"):
        return
    with pytest.raises(UsageError, match=r"^(max_gen_toks|temperature) is .*; give a (whole )?number"):
        loaded(monkeypatch, Task(generation_kwargs={}), **{option: f"{name}={value}"})


@pytest.mark.parametrize(
    ("own", "asked", "used", "told"),
    [
        (None, None, 0, False),
        (3, None, 3, False),
        (3, 5, 5, False),
        (None, 5, 5, False),
        (0, 5, 0, True),
        (0, None, 0, False),
        (3, 0, 0, False),
        (0, 0, 0, False),
    ],
)
def test_few_shot_examples_are_the_users_unless_the_task_takes_none(monkeypatch, own, asked, used, told):
    config, said = loaded(monkeypatch, Task(num_fewshot=own), num_fewshot=asked)
    assert (config["num_fewshot"], bool(said)) == (used, told)


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize(("own", "asked"), [(None, 3), (3, None), (1, 3)])
@pytest.mark.parametrize("indices", [None, [0, 1]])
def test_more_few_shot_examples_than_there_are_is_one_line(monkeypatch, split, own, asked, indices):
    task = Task(num_fewshot=own, fewshot_split=split, test_split="test")
    for rows in range(5):
        task.sampler = SimpleNamespace(df=[{}] * rows, fewshot_indices=indices if rows > 1 else None)
        most = max(0, (len(indices) if indices and rows > 1 else rows) - (split == "test"))
        if most >= 3:
            assert loaded(monkeypatch, task, num_fewshot=asked)[0]["num_fewshot"] == 3
        else:
            with pytest.raises(UsageError, match=f"has {most} few-shot examples for a problem, not 3"):
                loaded(monkeypatch, task, num_fewshot=asked)
        task.config["num_fewshot"] = own


@pytest.mark.parametrize(
    ("own", "said"),
    [
        *(
            ({"repeats": value}, f"t: repeats is {value!r}; give a whole number, 1 or more")
            for value in (0, -1, 2.5, "4", None, True)
        ),
        *(
            ({"num_fewshot": value}, f"t: num_fewshot is {value!r}; give a whole number, 0 or more")
            for value in (-2, 2.5, "4")
        ),
    ],
)
@pytest.mark.parametrize("given", [{}, {"repeats": 2, "num_fewshot": 1}])
def test_a_number_in_a_tasks_file_that_cannot_work_is_refused(monkeypatch, own, said, given):
    with pytest.raises(UsageError) as told:
        loaded(monkeypatch, Task(**own), **given)
    assert str(told.value) == said


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({}, {}),
        ({"temperature": 0.5}, {"temperature": 0.5, "do_sample": True}),
        ({"temperature": 0}, {"temperature": 0, "do_sample": False}),
        ({"temperature": 1, "do_sample": False}, {"temperature": 1, "do_sample": False}),
        ({"until": "Q:"}, {"until": ["Q:"]}),
        ({"until": ["Q:"]}, {"until": ["Q:"]}),
        *(({name: 3, "top_p": 0.9}, {"max_gen_toks": 3, "top_p": 0.9}) for name in MAX_TOKENS),
    ],
)
def test_sampling_options_are_in_the_words_of_tasks(given, meant):
    before = dict(given)
    assert sampling(given) == meant
    assert given == before


@pytest.mark.parametrize(("name", "instead"), [("seed", "--seed"), ("n", "--repeats")])
def test_what_has_an_option_of_its_own_is_no_sampling_option(monkeypatch, name, instead):
    with pytest.raises(UsageError, match=f"takes no {name}; give {instead}"):
        loaded(monkeypatch, Task(generation_kwargs={}), gen_kwargs=f"{name}=3")


def test_shuffles_of_data_are_those_of_lm_eval(monkeypatch):
    seeds = []
    monkeypatch.setattr(setup.random, "seed", seeds.append)
    monkeypatch.setattr(setup.importlib.import_module("numpy").random, "seed", seeds.append)
    setup._seed_shuffles()
    assert seeds == [0, 1234]


def options(folder, **given):
    return Options(model="m", tasks=["t"], output=folder, **given)


def test_a_directory_with_a_run_takes_only_what_continues_or_replaces_it(tmp_path):
    claim_directory(options(tmp_path), IDENTITY)
    assert read_record(tmp_path) | {"sha256": 0} == {"state": "sampling", "identity": IDENTITY, "sha256": 0}
    with pytest.raises(UsageError, match="continue it with --resume, replace it with --overwrite"):
        check_directory(options(tmp_path), IDENTITY)
    more = {"seed": 0, "tasks": {"u": {"version": "2"}}}
    claim_directory(options(tmp_path, resume=True), more)
    assert read_record(tmp_path)["identity"] == more
    with pytest.raises(NotComparableError, match=r"another seed \(0, now 1\)"):
        check_directory(options(tmp_path, resume=True), {**IDENTITY, "seed": 1})
    claim_directory(options(tmp_path, overwrite=True), {**more, "seed": 1})
    assert read_record(tmp_path) | {"sha256": 0} == {"state": "sampling", "identity": {**more, "seed": 1}, "sha256": 0}


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"identity": IDENTITY, "rescored": "x"}, "rescored answers"),
        ({"identity": None}, "from an older version"),
        ({}, "from an older version"),
    ],
)
def test_neither_rescored_answers_nor_a_record_without_an_identity_is_continued(tmp_path, record, told):
    write_record(tmp_path, record)
    with pytest.raises(UsageError, match=told):
        check_directory(options(tmp_path, resume=True), IDENTITY)
    assert json.loads((tmp_path / "run.json").read_text()).get("rescored") == record.get("rescored")


@pytest.mark.parametrize("held", [None, "", "torn", "failed", "some", "all"])
def test_no_finished_answer_is_asked_for_again(run_of, tmp_path, held):
    run = read_run(run_of(tmp_path, {"a": [True, False], "b": [True, None]}))
    lines = [json.dumps({"key": answer.key, "error": answer.error}) for answer in run.answers]
    texts = {
        "": "",
        "torn": "\n".join(lines)[:-40],
        "failed": "\n".join(line.replace("null", '"HTTP 500"') for line in lines),
        "some": "\n".join(lines[1:]),
        "all": "\n".join(lines),
    }
    if held is not None:
        (tmp_path / "journal.jsonl").write_text(texts[held])
    if held == "all":
        check_directory(options(tmp_path, resume=True), run.identity)
        with (tmp_path / "answers.jsonl").open("a") as file:
            file.write("\n")
        check_directory(options(tmp_path, resume=True), run.identity)  # it is written again
        (tmp_path / "journal.jsonl").unlink()
        with pytest.raises(NotComparableError, match="was changed"):
            check_directory(options(tmp_path, resume=True), run.identity)
    else:
        with pytest.raises(UsageError, match=r"holds . answers? that its journal does not hold"):
            check_directory(options(tmp_path, resume=True), run.identity)
    check_directory(options(tmp_path, overwrite=True), run.identity)


def part(tasks, repeats, limit):
    return {"seed": 0, "limit": limit, "tasks": {name: {"repeats": repeats} for name in tasks}}


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize(
    ("had", "asked", "told"),
    [
        (("tu", 2, 10), ("tu", 2, 10), None),
        (("tu", 2, 10), ("tuv", 4, 11), None),
        (("tu", 2, 10), ("tu", 2, None), None),
        (("tu", None, None), ("tu", 1, None), None),
        (("tu", 2, 10), ("t", 2, 10), "results of u, too; name all of its tasks (--tasks t,u)"),
        (("tu", 2, 10), ("tv", 9, None), "results of u, too; name all of its tasks (--tasks t,u)"),
        (("tu", 2, 10), ("tu", 1, 10), "2 answers to each problem of t; give --repeats 2 or more"),
        (("tu", 2, 10), ("tu", None, 10), "2 answers to each problem of t; give --repeats 2 or more"),
        (("tu", 2, 10), ("tu", 2, 9), "10 problems a task; give --limit 10 or more"),
        (("tu", 2, None), ("tu", 2, 9), "all problems; leave out --limit"),
        (("tu", 2, None), ("tu", 2, 10), None),
        (("tu", 2, 500), ("tu", 2, 10), None),
        (("tu", 2, 500), ("tu", 2, 9), "500 problems a task; give --limit 500 or more"),
    ],
)
def test_resume_drops_nothing_of_a_finished_run(tmp_path, had, asked, told, finished):
    """The tasks have 10 problems. A run that has not finished has no results yet: it may end with less."""
    identity = part(*had)
    facts = {"tasks": identity["tasks"], "limit": identity["limit"]} if finished else {}
    problems = [
        Problem(task=name, doc_id=n, hash=f"{n}", data_source=name, question="", prompt="", target="")
        for name in identity["tasks"]
        for n in range(10)
    ]
    write_run(tmp_path, {"identity": identity, **facts}, problems, [])
    if told and finished:
        with pytest.raises(UsageError, match=re.escape(told)):
            check_directory(options(tmp_path, resume=True), part(*asked))
    else:
        check_directory(options(tmp_path, resume=True), part(*asked))
