"""verl's reward manager and tool with a stand-in for verl: what a rollout becomes, and which reward a configuration names."""

import asyncio
import sys
import threading
import time
from types import ModuleType, SimpleNamespace

import pytest

from rewardkit import Score, UsageError

MANAGER = "verl.experimental.reward_loop.reward_manager"


class Config(dict):
    """A node of a configuration."""

    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return self[name]


class Base:
    """verl's base class."""

    def __init__(self, config, tokenizer, compute_score):
        self.config, self.tokenizer, self.compute_score = config, tokenizer, compute_score


class Tool:
    """verl's base tool."""

    def __init__(self, config, schema):
        self.config, self.schema = config, schema


class Ids(list):
    """A row of token ids, or of a mask."""

    @property
    def shape(self):
        return (len(self),)

    def __getitem__(self, place):
        return Ids(super().__getitem__(place)) if isinstance(place, slice) else super().__getitem__(place)

    def sum(self):
        return sum(self)


@pytest.fixture
def verl(monkeypatch):
    """The two modules of ours that import verl, over the stand-in."""
    schema = SimpleNamespace(model_validate=lambda given: ("schema", given["function"]["name"]))
    content = {
        MANAGER: {"register": lambda name: lambda cls: cls},
        f"{MANAGER}.base": {"RewardManagerBase": Base},
        "verl.tools.base_tool": {"BaseTool": Tool},
        "verl.tools.schemas": {"OpenAIFunctionToolSchema": schema, "ToolResponse": SimpleNamespace},
    }
    for name in {"verl", *(".".join(name.split(".")[:count]) for name in content for count in range(1, 9))}:
        module = ModuleType(name)
        module.__path__ = []
        vars(module).update(content.get(name, {}))
        monkeypatch.setitem(sys.modules, name, module)
    import trainers

    for name in ("verl_manager", "verl_tools"):
        monkeypatch.delitem(sys.modules, f"trainers.{name}", raising=False)
        monkeypatch.delattr(trainers, name, raising=False)
    from trainers import verl_manager, verl_tools

    yield SimpleNamespace(manager=verl_manager, tools=verl_tools)
    for name in ("verl_manager", "verl_tools"):
        sys.modules.pop(f"trainers.{name}", None)


def configured(text=None, **options):
    function = Config(reward_kwargs={"reward": text}) if text else None
    return Config(reward=Config(reward_kwargs=Config(options), custom_reward_function=function))


OVERLONG = {"reward": "exact", "max_resp_len": 100, "overlong_buffer_cfg": {"enable": True, "len": 20}}


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (configured("exact"), "exact"),
        (configured("exact", reward="math"), "math"),
        (configured(reward="exact", overlong_buffer_cfg={"enable": False}), "exact"),
        (configured(reward="exact", overlong_buffer_cfg={"len": 3}), "exact"),
        (configured(**OVERLONG), "exact + overlong(max_tokens=100, buffer=20, factor=1.0)"),
        (
            Config(reward=Config(custom_reward_function=Config(reward_kwargs=Config(OVERLONG)))),
            "exact + overlong(max_tokens=100, buffer=20, factor=1.0)",
        ),
        (
            configured(**{**OVERLONG, "overlong_buffer_cfg": {"enable": True, "len": 5, "penalty_factor": 2}}),
            "exact + overlong(max_tokens=100, buffer=5, factor=2.0)",
        ),
    ],
)
def test_the_reward_is_the_one_named_with_verls_overlong_term_where_enabled(verl, config, text):
    from rewardkit import load

    assert verl.manager.configured_reward(config) == load(text)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (configured(), "name the reward"),
        (configured(**{**OVERLONG, "max_resp_len": None}), "needs reward.reward_kwargs.max_resp_len"),
        (configured(**{**OVERLONG, "reward": "exact + overlong(max_tokens=9, buffer=2)"}), "an overlong term already"),
    ],
)
def test_a_configuration_without_a_usable_reward_is_refused(verl, config, said):
    with pytest.raises(UsageError, match=said):
        verl.manager.configured_reward(config)


@pytest.mark.parametrize("number", ["x", "nan", None])
def test_a_number_for_unjudged_rollouts_that_is_none_is_refused_at_the_start(verl, number):
    with pytest.raises(UsageError, match="give 'group_mean' or a number"):
        verl.manager.RewardkitManager(configured("exact", unjudged=number), None)


def test_options_may_stand_beside_the_reward(verl):
    config = Config(
        reward=Config(
            reward_kwargs=None,
            custom_reward_function=Config(
                reward_kwargs={"reward": "exact", "unjudged": -3.0, "pass_num_turns": "false"}
            ),
        )
    )
    manager = verl.manager.RewardkitManager(config, None)
    assert (manager.unjudged, manager.pass_num_turns) == (-3.0, False)
    with pytest.raises(UsageError, match="pass_num_turns='no': give true or false"):
        verl.manager.RewardkitManager(configured("exact", pass_num_turns="no"), None)


def test_a_reward_of_groups_is_refused_where_rollouts_come_one_by_one(verl):
    with pytest.raises(UsageError, match="compares the completions of a group"):
        verl.manager.RewardkitManager(configured("majority"), None)


def rollout(completion="4", *, left=0, **row):
    letters = Ids(map(ord, completion))
    mask = Ids([1, 1, 1] + [1] * len(letters) + [0] * left)
    batch = {"responses": Ids([*letters, *[0] * left]), "attention_mask": mask}
    facts = {"data_source": "d", "reward_model": {"ground_truth": "4"}, **row}
    return SimpleNamespace(batch=batch, non_tensor_batch=facts)


def judged(verl, item, config=None):
    tokenizer = SimpleNamespace(decode=lambda ids, skip_special_tokens: "".join(map(chr, ids)) * skip_special_tokens)
    manager = verl.manager.RewardkitManager(config or configured("exact"), tokenizer)
    return manager, asyncio.run(manager.run_single([rollout("no"), item]))


def test_a_rollout_is_judged_by_its_own_text_and_told_with_its_turns(verl):
    turns = {"__num_turns__": 3, "tool_extra_fields": {"tool_calls": 2, "tool_failures": 1}}
    _, found = judged(verl, rollout(left=5, **turns))
    facts = found["reward_extra_info"]
    assert (found["reward_score"], facts["score"]) == (1.0, 1.0)
    assert (facts["num_turns"], facts["tool_calls"], facts["tool_failures"]) == (3.0, 2.0, 1.0)
    _, found = judged(verl, rollout("5"))
    facts = found["reward_extra_info"]
    assert (found["reward_score"], facts["num_turns"], facts["tool_calls"]) == (0.0, -1.0, 0.0)


@pytest.mark.parametrize("name", ["num_turns", "tool_calls", "tool_failures"])
@pytest.mark.parametrize("value", [[{"name": "f"}], "four", None, {}])
def test_a_column_of_the_data_set_that_is_no_count_ends_no_run(verl, name, value):
    _, found = judged(verl, rollout(extra_info={name: value}))
    assert (found["reward_score"], found["reward_extra_info"][name]) == (1.0, -1.0 if name == "num_turns" else 0.0)


VERLS_OWN = {"reward", "uid", "data_source", "reward_model", "extra_info", "prompts", "responses", "rm_scores"}
"""Columns that verl 0.7 to 0.9 write beside those of a manager."""


@pytest.mark.parametrize("text", ["exact", "math + 0.1 * think_format", "grpo_tcr", "tool_call(exact)"])
@pytest.mark.parametrize("turns", [{}, {"__num_turns__": 3}])
def test_no_column_of_the_manager_is_one_that_verl_writes_itself(verl, text, turns):
    _, found = judged(verl, rollout(**turns), configured(text))
    assert not VERLS_OWN & found["reward_extra_info"].keys()


@pytest.mark.long
def test_the_wait_for_a_free_thread_is_no_part_of_a_judgement(verl):
    """Neither with more rollouts than threads, nor where judgements that never end have kept threads."""
    limit_s = 1.0
    manager, _ = judged(verl, rollout(), configured("exact", judging_limit_s=limit_s))
    go_on = threading.Event()
    plain, many = manager.reward, 32 * verl.manager.THREADS

    class Slow:
        text, label = plain.text, plain.label

        def inside(self):
            return ()

        def score(self, samples):
            if samples[0].completion == "hangs":
                go_on.wait(30)
            time.sleep(0.05)
            return plain.score(samples)

    async def all_at_once():
        hung = [manager.run_single([rollout("hangs")]) for _ in range(verl.manager.THREADS)]
        return await asyncio.gather(*hung, *(manager.run_single([rollout()]) for _ in range(many)))

    manager.reward = Slow()
    facts = [found["reward_extra_info"] for found in asyncio.run(all_at_once())]
    go_on.set()
    reasons = [row["reason"] for row in facts if row["unjudged"]]
    assert reasons == [f"no judgement within {limit_s:g} s"] * verl.manager.THREADS
    assert [row["acc"] for row in facts[verl.manager.THREADS :]] == [1.0] * many


@pytest.mark.parametrize(("passes", "turns"), [(True, 3), (False, None)])
@pytest.mark.parametrize(
    ("steps", "step"),
    [
        ({"max_global_steps": 7}, 7),
        ({"max_global_steps": 7, "global_step": 2}, 2),
        ({"max_global_steps": 7, "global_step": None}, 7),
        ({"max_global_steps": None, "global_step": 2}, 2),
        ({}, None),
    ],
)
def test_a_sample_holds_the_facts_of_its_row_and_no_others(verl, passes, turns, steps, step):
    manager, _ = judged(verl, rollout(), configured("exact", pass_num_turns=passes))
    extra = {"a": 1, "num_turns": 9, **steps}
    sample = manager._sample(rollout("abc", left=2, extra_info=extra, __num_turns__=3, reward_scores={"s": 1.0}))
    assert (sample.completion, sample.completion_tokens, sample.ground_truth, sample.data_source) == (
        "abc",
        3,
        "4",
        "d",
    )
    told = sample.extra_info
    assert (told["a"], told.get("num_turns"), told.get("global_step"), told["rollout_reward_scores"]) == (
        1,
        turns,
        step,
        {"s": 1.0},
    )
    assert extra["num_turns"] == 9
    assert manager._sample(rollout("abc", reward_model=None)).ground_truth is None


def test_a_judgement_that_takes_too_long_is_unjudged(verl, monkeypatch):
    manager, _ = judged(verl, rollout(), configured("exact", judging_limit_s=0.01, unjudged=-0.5))
    assert (manager.judging_limit_s, manager.unjudged) == (0.01, -0.5)
    go_on = threading.Event()

    class Slow:
        text, label = "slow", "slow"

        def score(self, samples):
            go_on.wait(10)
            return [Score.of(1)]

    told = []
    manager.reward = Slow()
    monkeypatch.setattr(
        verl.manager,
        "results_of",
        lambda _, samples, scores, unjudged: told.append(scores[0]) or [{"score": unjudged, "outcome": 0.0}],
    )
    found = asyncio.run(manager.run_single([rollout()]))
    go_on.set()
    assert (found["reward_score"], told[0].value, told[0].reason) == (-0.5, None, "no judgement within 0.01 s")


@pytest.mark.parametrize(
    ("parameters", "code"),
    [({"code": "print(7)"}, "print(7)"), ('{"code": "print(7)"}', "print(7)"), ("no JSON", None), ({}, None)],
)
@pytest.mark.parametrize("ran", [True, False])
def test_the_tool_runs_the_code_and_counts_its_calls_and_failures(verl, parameters, code, ran):
    tool = verl.tools.CodeInterpreterTool({"sandbox": "unsafe", "other": 1})
    assert tool.schema == ("schema", "code_interpreter")
    programs = []

    async def run_async(program):
        programs.append(program)
        return SimpleNamespace(text="7", ran=ran)

    tool.interpreter = SimpleNamespace(run_async=run_async)
    agent = SimpleNamespace(extra_fields={"tool_calls": 2})
    for agent_data in (agent, agent, None):
        response, value, facts = asyncio.run(tool.execute("i", parameters, agent_data=agent_data))
        assert (response.text, value, facts) == ("7", None, {"tool_failed": float(not ran)})
    assert agent.extra_fields == {"tool_calls": 4, "tool_failures": 0 if ran else 2}
    assert programs == [verl.tools.program_of({"code": code} if code else {})] * 3 or code is None
