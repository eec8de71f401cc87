"""A run is what its identity says: nothing else is continued, compared, gated or reported."""

import copy
import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.fake_server import Stub, answering
from harness.identity import MAY_GROW, SUBJECT, changes

IDENTITY = {
    "model": ["chat", {"model": "m"}],
    "base_url": ["http://a/v1/chat/completions"],
    "served_model": {"id": "m", "root": "/weights/m"},
    "revision": "abc",
    "weights": "w",
    "tokenizer": "t",
    "chat_template": "c",
    "tools": None,
    "chat": None,
    "system": None,
    "fewshot": None,
    "seed": 0,
    "limit": None,
    "reward": None,
    "tasks": {
        "t": {
            "version": "1.0",
            "task_file": "f",
            "data": "d",
            "generation": {"temperature": 1.0},
            "fewshot": 0,
            "rewards": {"math": {"math": 4}},
            "repeats": 4,
        }
    },
}
TASK_PARTS = sorted(IDENTITY["tasks"]["t"])


@pytest.mark.parametrize("name", sorted(IDENTITY.keys() - MAY_GROW))
@given(value=st.one_of(st.none(), st.text(), st.integers(), st.lists(st.text()), st.dictionaries(st.text(), st.text())))
def test_any_other_value_of_any_ingredient_is_a_change(name, value):
    now = {**IDENTITY, name: value}
    assert bool(changes(IDENTITY, now)) is (IDENTITY[name] != value)
    assert bool(changes({key: each for key, each in IDENTITY.items() if key != name}, now)) is (value is not None)


@pytest.mark.parametrize("name", TASK_PARTS)
def test_any_ingredient_of_a_task_but_its_repeats_is_a_change(name):
    now = copy.deepcopy(IDENTITY)
    now["tasks"]["t"][name] = "other"
    found = changes(IDENTITY, now)
    assert found == [] if name == "repeats" else f"{name} of t" in found[0]


def test_more_tasks_only_add():
    now = copy.deepcopy(IDENTITY)
    now["tasks"]["u"] = now["tasks"].pop("t")
    assert changes(IDENTITY, now) == []


# Whole runs: each ingredient, changed where it comes from.

YAML = """include: {base}
task: own
dataset_kwargs: {{data: own, shape: math, reward: "{reward}", hub: none/none}}
doc_to_text: "{prompt}"
generation_kwargs: {{until: [], do_sample: true, temperature: {temperature}, max_gen_toks: 64}}
metadata: {{version: {version}}}
"""


class Bench:
    """A task of its own, its data and a server, all of which a test may change between two runs."""

    def __init__(self, harness, place, golds):
        from harness.catalog import TASKS

        self.harness, self.place, self.golds = harness, place, golds
        self.task = {"base": TASKS / "_base_yaml", "prompt": "{{question}}", "temperature": 1.0, "version": 1.0}
        self.task["reward"] = "math"
        self.args: list = []
        (place / "tasks").mkdir()
        (place / "data").mkdir()

    def write(self):
        (self.place / "tasks" / "own.yaml").write_text(YAML.format(**self.task))
        rows = [json.dumps({"problem": question, "answer": answer}) for question, answer in self.golds.items()]
        (self.place / "data" / "own.jsonl").write_text("\n".join(rows))

    def run(self, url, out, *more):
        self.write()
        return self.harness(
            "run", "--model", url, "--tasks", "own", "--include_path", self.place / "tasks", "--judge_workers", 0,
            "--data-dir", self.place / "data", "-o", self.place / out, *self.args, *more,
        )  # fmt: skip


@pytest.fixture
def bench(lm_eval, harness, tmp_path, golds):
    return Bench(harness, tmp_path, {question: golds[question] for question in list(golds)[:12]})


@pytest.fixture
def server(bench):
    with Stub(answering(bench.golds, 1.0)) as stub:
        stub.models = [{"id": "stub", "root": "/weights/one"}]
        yield stub


def other_data(bench, _server):
    bench.golds = {question: f"{answer}.0" for question, answer in bench.golds.items()}


def other_reward_version(_bench, _server):
    from rewardkit.rewards.math import Math

    Math.version += 1


CHANGES = {
    "served_model": lambda _, server: setattr(server, "models", [{"id": "stub", "root": "/weights/two"}]),
    "base_url": lambda *_: None,  # another port, see below
    "model": lambda bench, _: bench.args.extend(["--model_args", "model=stub,max_length=2048"]),
    "seed": lambda bench, _: bench.args.extend(["--seed", "1"]),
    "system": lambda bench, _: bench.args.extend(["--system_instruction", "Be brief."]),
    "reward": lambda bench, _: bench.args.extend(["-r", "math(wrong=-1.0)"]),
    "generation of own": lambda bench, _: bench.args.extend(["--gen_kwargs", "temperature=0.5"]),
    "version of own": lambda bench, _: bench.task.update(version=2.0),
    "task_file of own": lambda bench, _: bench.task.update(prompt="{{question}} Think."),
    "data of own": other_data,
    "rewards of own": other_reward_version,
}


@pytest.mark.parametrize("name", CHANGES)
def test_resume_refuses_a_run_with_any_other_ingredient(bench, server, monkeypatch, name):
    from rewardkit.rewards.math import Math

    monkeypatch.setattr(Math, "version", Math.version)
    assert bench.run(server.url, "run")[0] == 0
    before = {path.name: path.read_bytes() for path in (bench.place / "run").iterdir() if path.is_file()}
    CHANGES[name](bench, server)
    with Stub(answering(bench.golds, 1.0)) as other:
        other.models = server.models
        url = other.url if name == "base_url" else server.url
        server.requests.clear()
        code, out, err = bench.run(url, "run", "--resume")
        assert (code, name in err) == (5, True), err
        assert (other.requests, server.requests, out) == ([], [], "")
    assert {path.name: path.read_bytes() for path in (bench.place / "run").iterdir() if path.is_file()} == before


MEASURED = [
    "generation of own",
    "version of own",
    "task_file of own",
    "data of own",
    "reward",
    "rewards of own",
    "system",
]


@pytest.mark.long
@pytest.mark.parametrize("name", MEASURED)
def test_compare_and_gate_refuse_two_runs_that_measured_differently(bench, server, harness, monkeypatch, name):
    from rewardkit.rewards.math import Math

    monkeypatch.setattr(Math, "version", Math.version)
    bench.run(server.url, "one")
    CHANGES[name](bench, server)
    code, _, err = bench.run(server.url, "two")
    assert code == 0, err
    one, two = bench.place / "one", bench.place / "two"
    code, _, err = harness("gate", two, "--baseline", one)
    assert (code, "not comparable" in err) == (5, True)
    if name != "generation of own":  # temperatures may be compared, and the table says so
        assert harness("compare", one, two)[0] == 5


def forged(value):
    return "x" if value in (None, "") or not isinstance(value, str) else value + "x"


@pytest.fixture
def finished(bench, server):
    assert bench.run(server.url, "run")[0] == 0
    return bench.place / "run"


def judged_by_all(harness, run, place):
    """Exit codes of all commands that read a run."""
    shutil.copytree(run, place / "same")
    return {
        "compare": harness("compare", place / "same", run)[0],
        "gate": harness("gate", run, "--min", "accuracy=0.1")[0],
        "update": harness("gate", run, "--update-baseline", place / "b.json")[0],
        "report": harness("report", run, "-o", place / "r.html")[0],
        "rescore": harness("rescore", run, "-o", place / "s", "--judge_workers", 0)[0],
    }


def test_an_untouched_run_is_read_by_all(harness, finished, tmp_path):
    assert set(judged_by_all(harness, finished, tmp_path).values()) == {0}


@pytest.mark.long
@pytest.mark.parametrize("name", [*SUBJECT, *(name for name in IDENTITY if name not in SUBJECT), *TASK_PARTS])
def test_a_record_with_any_other_ingredient_is_refused(harness, finished, tmp_path, name):
    path = finished / "run.json"
    record = json.loads(path.read_text())
    table = record["identity"] if name in IDENTITY else record["identity"]["tasks"]["own"]
    table[name] = forged(table[name])
    path.write_text(json.dumps(record))
    assert set(judged_by_all(harness, finished, tmp_path).values()) == {5}


@pytest.mark.parametrize("name", SUBJECT)
def test_answers_of_another_model_are_refused_even_where_all_hashes_are_made_anew(harness, finished, tmp_path, name):
    from harness.store import read_record, write_record

    record = read_record(finished)
    record["identity"][name] = forged(record["identity"][name])
    write_record(finished, record)
    assert set(judged_by_all(harness, finished, tmp_path).values()) == {5}


@pytest.mark.parametrize(
    ("was", "now"), [('"accuracy": 1', '"accuracy": 0'), ("boxed{", "boxed{1"), ('"model": "stub"', '"model": "m"')]
)
def test_edited_answers_are_noticed(harness, finished, tmp_path, was, now):
    path = finished / "answers.jsonl"
    assert was in path.read_text()
    path.write_text(path.read_text().replace(was, now, 1))
    assert set(judged_by_all(harness, finished, tmp_path).values()) == {5}


def test_an_edited_baseline_is_noticed_and_names_its_model(harness, finished, tmp_path):
    path = tmp_path / "b.json"
    assert harness("gate", finished, "--update-baseline", path)[0] == 0
    code, out, _ = harness("gate", finished, "--baseline", path, "--max-drop", "0.5")
    assert (code, "baseline: stub at http" in out) == (0, True)
    whole = json.loads(path.read_text())
    assert set(whole["model"]) == set(SUBJECT)
    for name in whole["model"]:
        path.write_text(json.dumps({**whole, "model": {**whole["model"], name: "other"}}))
        assert harness("gate", finished, "--baseline", path)[0] == 5
    [task] = whole["tasks"]
    for name in task:
        path.write_text(json.dumps({**whole, "tasks": [{**task, name: "other"}]}))
        assert harness("gate", finished, "--baseline", path)[0] == 5


def test_a_server_that_changes_its_model_on_the_way_ends_the_run(bench, server):
    right = answering(bench.golds, 1.0)
    server.rule = lambda body, number: {**right(body, number), "model": "stub" if number <= 6 else "other"}
    code, _, err = bench.run(server.url, "run", "--concurrency", 1)
    assert (code, "the answer is from other" in err) == (5, True)


@pytest.mark.engine
def test_local_weights_tokenizer_and_template_are_told_apart(tiny_model, tmp_path):
    from harness.backends.weights import local_identity

    def identity():
        return local_identity({"pretrained": str(tmp_path / "m"), "dtype": "float32"})

    shutil.copytree(tiny_model, tmp_path / "m")
    first = identity()
    assert first == identity()
    for pattern, name in (("*.safetensors", "weights"), ("config.json", "weights"), ("tokenizer.json", "tokenizer")):
        [file] = (tmp_path / "m").glob(pattern)
        whole = file.read_bytes()
        file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        now = identity()
        assert {key for key in first if first[key] != now[key]} == {name}
        file.write_bytes(whole)
    [template] = (tmp_path / "m").glob("chat_template*")
    template.write_text(template.read_text() + " ")
    assert identity()["tokenizer"] != first["tokenizer"]
    assert identity()["weights"] == first["weights"]


@pytest.mark.engine
def test_a_hub_model_is_known_by_its_commit(monkeypatch, tmp_path):
    import huggingface_hub

    from harness.backends.weights import local_identity

    commit = "0123abcd" * 5
    found = tmp_path / "models--o--m" / "snapshots" / commit / "config.json"
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *_, **__: str(found))
    assert local_identity({"pretrained": "o/m"})["revision"] == {"pretrained": commit}
