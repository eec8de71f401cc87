"""What a run's identity says of its task, its rewards and its model."""

from functools import partial
from types import SimpleNamespace

import pytest

from harness import provenance
from harness.models import SECRETS, choose
from harness.options import Options, Shard
from harness.provenance import model_identity, options_identity, reward_versions, task_identity
from rewardkit import load
from rewardkit.errors import UsageError

MINE = """
from dataclasses import dataclass
from rewardkit import Reward, Score, load, reward

@dataclass(frozen=True)
class Mine(Reward):
    name = "mine"
    version = 3

    def score(self, samples):
        return [Score.of(1) for _ in samples]

def function(sample):
    return 1.0

@reward
def decorated(completions, **columns):
    return [1.0 for _ in completions]

made = Mine() + load("exact")
"""


def task(docs=({"reward": "exact", "n": 1},), version=1.0, **config):
    made = {"doc_to_text": "Q: {{q}}", "generation_kwargs": {"until": []}, "num_fewshot": 2, "repeats": 4, **config}
    return SimpleNamespace(
        VERSION=version, eval_docs=list(docs), config=SimpleNamespace(to_dict=lambda keep_callable: made)
    )


def test_a_task_is_its_file_its_rows_its_sampling_and_its_rewards():
    found = task_identity(task(), None)
    assert {name: found[name] for name in ("version", "generation", "fewshot", "repeats", "rewards")} == {
        "version": "1.0", "generation": {"until": []}, "fewshot": 2, "repeats": 4, "rewards": {"exact": {"exact": load("exact").version}},
    }  # fmt: skip
    assert set(task_identity(task(), "math + 0.1 * think_format")["rewards"]) == {"math + 0.1 * think_format"}


@pytest.mark.parametrize(
    ("other", "changed"),
    [
        (task(doc_to_text="A: {{q}}"), {"task_file"}),
        (task([{"reward": "exact", "n": 2}]), {"data"}),
        (task(version=2.0), {"version"}),
        (task(generation_kwargs={"until": ["x"]}), {"generation"}),
        (task(num_fewshot=0), {"fewshot"}),
        (task(repeats=1), {"repeats"}),
        (task(dataset_path="elsewhere", task="renamed", metadata={"a": 1}), set()),
    ],
)
def test_each_part_of_a_task_changes_its_own_part_of_the_identity(other, changed):
    before, now = task_identity(task(), None), task_identity(other, None)
    assert {name for name in before if before[name] != now[name]} == changed


def test_a_task_of_lm_evals_own_is_judged_by_its_metric_of_that_version(monkeypatch):
    monkeypatch.setattr(provenance.importlib.metadata, "version", lambda name: f"{name} 1")
    assert task_identity(task([{"n": 1}]), None)["rewards"] == {"lm-eval: its own metric": {"lm_eval": "lm_eval 1"}}
    assert task_identity(task([]), None)["rewards"] == {}
    assert list(task_identity(task([{"n": 1}]), "exact")["rewards"]) == ["exact"]


@pytest.mark.parametrize(
    "form",
    [
        "{}:Mine", "{}:function", "{}:decorated", "{}:made", "exact + 0.5 * {}:function", "named('x', {}:decorated)",
        "gated({}:function, exact)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("toml", [False, True])
def test_a_reward_that_is_read_from_files_is_known_by_the_content_of_each(tmp_path, form, toml):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    text, files = form.format(path), [path]
    if toml:
        file = tmp_path / "reward.toml"
        file.write_text(f'reward = "{text}"')
        text, files = str(file), [path, file]
    before = reward_versions({text, "math"})
    assert list(before) == sorted(before)
    for each in files:
        whole = each.read_text()
        each.write_text(f"{whole}\n# other")
        now = reward_versions({text, "math"})
        assert {name for name in now if now[name] != before[name]} == {text}
        each.write_text(whole)
    assert reward_versions({text, "math"}) == before


def test_a_reward_has_the_versions_of_all_its_classes(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    [versions] = reward_versions({f"{tmp_path}/mine.py:Mine + exact"}).values()
    assert (versions["mine"], versions["exact"]) == (3, load("exact").version)
    with pytest.raises(UsageError):
        reward_versions({"maths"})


def test_functions_of_a_task_are_known_by_name_if_ours_and_else_by_their_file(tmp_path):
    def digest(value):
        return task_identity(task(doc_to_text=value), None)["task_file"]

    from harness.prompts import boxed, code

    assert digest(boxed) == digest(partial(boxed)) != digest(code)
    assert provenance._text({"f": [boxed, 1, None, (True, "x")], 2: tmp_path}) == {
        "f": ["harness.prompts.boxed", 1, None, [True, "x"]], "2": str(tmp_path),
    }  # fmt: skip
    name, _, sha = provenance._text(task).partition(" ")
    assert (name, len(sha)) == ("task", 64)
    assert provenance._text(len) == "builtins.len"


def test_secrets_and_transport_are_no_part_of_the_identity():
    choice = choose("http://a", "model=m,api_key=k,max_retries=9,num_concurrent=3,max_length=5")
    options = Options(
        model="http://a", tasks=["t"], output=None, shard=Shard(2, 3), seed=7, limit=4, reward="exact", num_fewshot=1
    )
    found = options_identity(options, choice, {"tasks": {"t": task()}})
    assert found["model"] == ["chat", {"model": "m", "max_length": 5}]
    told = {
        "shard": {"index": 2, "of": 3},
        "seed": 7,
        "limit": 4,
        "reward": "exact",
        "fewshot": 1,
        "tools": None,
        "chat": None,
    }
    assert {name: found[name] for name in told} == told
    assert list(found["tasks"]) == ["t"]
    assert not any(secret in str(found) for secret in SECRETS)
    with_tools = Options(model="m", tasks=["t"], output=None, tools=SimpleNamespace(facts=lambda: {"n": 1}))
    found = options_identity(with_tools, choice, {"tasks": {}})
    assert (found["tools"], found["shard"]) == ({"n": 1}, None)


@pytest.mark.parametrize(
    ("chat", "template", "known"), [(True, "t", True), (True, "", False), (True, None, False), (False, "t", False)]
)
def test_a_chat_template_is_hashed_where_it_is_used(chat, template, known):
    backend = SimpleNamespace(
        chat=chat, chat_template=lambda name: template, identity=lambda: {"weights": "w", "other": 1}
    )
    found = model_identity(backend)
    assert (found["chat_template"] is not None, found["weights"], found["revision"]) == (known, "w", None)
    assert not {"model", "other"} & set(found)
