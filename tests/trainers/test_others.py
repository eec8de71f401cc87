"""The other trainers: each function called in the shape that the project calls it (restated here where it does not install)."""

import asyncio
import importlib.util
import inspect
import pickle
from dataclasses import dataclass, field
from enum import Enum
from types import SimpleNamespace

import pytest

from rewardkit import Sample, UsageError, load
from rewardkit.columns import samples_from_columns
from rewardkit.data.column_aliases import GROUND_TRUTH
from trainers import nemo_rl, openrlhf, slime, verifiers, verl
from trainers.scorer import Scorer

SUM = "exact(tag='boxed') + 0.1 * think_format"


RIGHT = "<think>1+1</think>\\boxed{2}"


@pytest.fixture
def plain_tensors(monkeypatch):
    if importlib.util.find_spec("torch") is None:
        monkeypatch.setattr(openrlhf, "_tensor", lambda values: SimpleNamespace(tolist=lambda: values))


@pytest.mark.long
def test_openrlhf_calls_with_whole_texts_and_wants_rewards_scores_and_logs(plain_tensors):
    """openrlhf/utils/agent.py calls `reward_func(queries, prompts, labels, **kwargs)` with one sample in lists."""
    prompt = "<|im_start|>user\n1+1<|im_end|>\n<|im_start|>assistant\n"
    func = openrlhf.reward_function(SUM)
    result = func(queries=[prompt + RIGHT + "<|im_end|>\n"], prompts=[prompt], labels=["2"], sampling_params=None)
    assert result["rewards"].tolist() == pytest.approx([1.1])
    assert result["scores"].tolist() == [1.0]
    assert {name: value.tolist() for name, value in result["extra_logs"].items()} == {
        "unjudged": [0.0], "exact": [1.0], "think_format": [1.0],
    }  # fmt: skip
    assert func([prompt], [prompt], [None])["extra_logs"]["unjudged"].tolist() == [1.0]


@pytest.mark.parametrize(
    "reward",
    [
        SUM, "dapo_math", "tool_call(dapo_math, missing='seed')", "gated(think_format, exact)", "first_applicable([math, exact])",
        "optional(gsm8k)", "by_source({'a': gsm8k, '*': gated(think_format, exact)})", "isolated(gated(think_format, exact))",
        "exact - 0.5 * named('b', gated(think_format, gsm8k)) + overlong(unit='words')", "named('a', gsm8k + gated(think_format, exact))",
    ],
)  # fmt: skip
def test_each_rollout_of_a_reward_is_logged_under_the_same_keys(reward, plain_tensors):
    """OpenRLHF, verl and slime join the logs of a step key by key."""
    judge = load(reward)
    rows = [(RIGHT, "2"), ("<think>", "2"), ("", None), (RIGHT, "some text"), ("Answer: 2", 7)]
    function = openrlhf.reward_function(judge)
    cut = function(["x"], ["a prompt that was cut"], ["2"])
    logs = [cut, *(function(["Q" + text], ["Q"], [truth]) for text, truth in rows)]
    assert len({tuple(log["extra_logs"]) for log in logs}) == 1
    samples = [Sample(completion=text, ground_truth=truth) for text, truth in rows]
    assert len({tuple(result) for result in verl.results_of(judge, samples, judge.score(samples))}) == 1


@pytest.mark.parametrize("reward", ["math", "exact + 0.1 * think_format"])
def test_openrlhf_without_a_label_key_ends_the_first_step(reward, plain_tensors):
    """Its data set then gives the label "" to each row. A label that is null, or "" after others, is a row's own."""
    function = openrlhf.reward_function(reward)
    with pytest.raises(UsageError, match=r"ground_truth.*--data\.label_key"):
        function(["Q" + RIGHT] * 2, ["Q"] * 2, ["", ""])
    for labels in ([None, None], ["2", ""], ["", ""]):
        assert function(["Q" + RIGHT] * 2, ["Q"] * 2, labels)["extra_logs"]["unjudged"].tolist()[1] == 1.0
    assert openrlhf.reward_function("think_format")(["Q" + RIGHT], ["Q"], [""])["rewards"].tolist() == [1.0]


def test_openrlhf_leaves_a_text_without_its_prompt_unjudged(plain_tensors):
    """OpenRLHF cuts prompts that are too long, and what is left of one may hold the answer."""
    prompt = f"Given {RIGHT}, what is 1+1?"
    logs = openrlhf.reward_function(SUM)([prompt[6:] + "No idea."], [prompt], ["2"])
    assert (logs["extra_logs"]["unjudged"].tolist(), logs["scores"].tolist()) == ([1.0], [0.0])


class Status(Enum):
    COMPLETED = "completed"
    TRUNCATED = "truncated"


@pytest.mark.parametrize("completion", [None, []])
def test_a_rollout_that_failed_gets_the_number_of_any_other_that_is_unjudged(completion):
    for reward, lowest in (("dapo_math", -1.0), ("2.5 * dapo_math", -2.5)):
        scorer = Scorer(reward)
        assert scorer.one("\\boxed{3}", answer="2") == lowest
        (function,) = verifiers.rubric(reward)["funcs"]
        assert scorer.one(completion, answer="2") == lowest
        assert scorer([completion, completion], answer=["2", "2"]) == [lowest, lowest]
        assert asyncio.run(function(prompt="q", completion=completion, answer="2", info=None)) == lowest
    with pytest.raises(UsageError, match="completion is int"):
        scorer.one(7, answer="2")


@dataclass
class SlimeSample:
    """The fields of slime/utils/types.py `Sample` that a reward reads."""

    prompt: str = "1+1"
    response: str = RIGHT
    label: str | None = "2"
    response_length: int = 7
    status: Status = Status.COMPLETED
    metadata: dict = field(default_factory=dict)


def test_slime_awaits_one_sample_or_a_group():
    reward = slime.reward_function(SUM)
    assert inspect.iscoroutinefunction(reward)
    args = SimpleNamespace(reward_key=None)
    assert asyncio.run(reward(args, SlimeSample())) == pytest.approx(1.1)
    group = [SlimeSample(), SlimeSample(response="\\boxed{3}"), SlimeSample(label=None)]
    assert asyncio.run(reward(args, group, evaluation=True)) == pytest.approx([1.1, 0.0, 0.55])


def test_slime_with_a_reward_key_gets_a_dict():
    reward = slime.reward_function(SUM, as_dict=True)
    result = asyncio.run(reward(None, SlimeSample()))
    assert (result["score"], result["acc"], result["part_think_format"]) == (pytest.approx(1.1), 1.0, 1.0)


def test_slimes_facts_become_ours():
    sample = slime.sample_of(SlimeSample(status=Status.TRUNCATED, metadata={"data_source": "gsm8k", "num_turns": 4}))
    assert (sample.finish_reason, sample.data_source, sample.tokens) == ("length", "gsm8k", 7)
    assert sample.extra_info["num_turns"] == 4


def test_a_verifiers_rubric_has_a_named_function_and_a_weight_for_each_term():
    made = verifiers.rubric(SUM)
    assert [function.__name__ for function in made["funcs"]] == ["exact", "think_format"]
    assert made["weights"] == [1.0, 1.0]  # the weight is in what each function pays
    prompt = [{"role": "user", "content": "1+1"}]
    chat = [{"role": "assistant", "content": RIGHT}]
    values = [asyncio.run(function(prompt=prompt, completion=chat, answer="2")) for function in made["funcs"]]
    assert values == [1.0, 0.1]


@pytest.mark.trainer
def test_the_rubric_inside_the_real_verifiers():
    vf = pytest.importorskip("verifiers")
    if not hasattr(vf, "Rubric"):
        pytest.skip("verifiers 0.4 has no rubrics; its tasks are tested below")
    rubric = vf.Rubric(**verifiers.rubric(SUM))
    state = vf.State(
        prompt=[{"role": "user", "content": "1+1"}], completion=[{"role": "assistant", "content": RIGHT}],
        answer="2", task="t", info={}, trajectory=[], timing={"generation_ms": 0.0, "scoring_ms": 0.0, "total_ms": 0.0},
        input={"prompt": [], "answer": "2", "task": "t", "info": {}, "example_id": 0},
    )  # fmt: skip
    asyncio.run(rubric.score_rollout(state))
    assert state["reward"] == pytest.approx(1.1)
    assert state["metrics"] == {"exact": 1.0, "think_format": 0.1}


def test_nemo_rl_logs_are_judged_by_their_last_message():
    """nemo_rl/experience/rollouts.py (7ea279a) hands over `role` and `content` of each message, and no tokens."""
    log = [{"role": "user", "content": "1+1"}, {"role": "assistant", "content": RIGHT}]
    values, (score, unjudged) = nemo_rl.judge_logs(Scorer(SUM), [log, log], [{"ground_truth": "2"}, None])
    assert values == pytest.approx([1.1] * 2)
    assert score.value == pytest.approx(1.1)
    assert unjudged.value is None


def test_nemo_rl_takes_the_ground_truth_by_its_usual_names_and_says_where_there_is_none():
    log = [{"role": "user", "content": "1+1"}, {"role": "assistant", "content": RIGHT}]
    for name in GROUND_TRUTH:
        facts = {"reward_model": {"ground_truth": "2"}} if "." in name else {name: "2"}
        assert nemo_rl.judge_logs(Scorer(SUM), [log], [facts])[0] == pytest.approx([1.1])
    for facts in ({}, None, {"question": "1+1"}):
        with pytest.raises(UsageError, match="ground_truth"):
            nemo_rl.judge_logs(Scorer(SUM), [log, log], [facts, facts])


def test_examples_in_a_prompt_of_nemo_rl_are_not_the_models():
    prompt = [
        {"role": role, "content": text} for role, text in (("user", "1"), ("assistant", "\\boxed{1}"), ("user", "2"))
    ]
    log = [*prompt, {"role": "assistant", "content": RIGHT}]
    scorer = Scorer("format(pattern='<think>.*</think>.*', whole_chat=True)")
    facts = {"ground_truth": "2", "prompt": prompt}
    assert nemo_rl.judge_logs(scorer, [log, log], [facts, {"ground_truth": "2"}])[0] == [1.0, 0.0]


@pytest.mark.parametrize("source", [None, float("nan"), ["d"], 1.5])
def test_a_data_source_that_is_no_name_costs_no_batch(source):
    facts = {"ground_truth": "2", "data_source": source}
    log = [{"role": "user", "content": "1+1"}, {"role": "assistant", "content": RIGHT}]
    assert nemo_rl.judge_logs(Scorer(SUM), [log], [facts])[0] == pytest.approx([1.1])
    assert asyncio.run(slime.reward_function(SUM)(None, SlimeSample(metadata=facts))) == pytest.approx(1.1)


def test_a_scorer_gives_numbers_to_trainers_that_call_a_function_a_completion():
    """open-instruct's VerifierFunction (label, query, tokens), AReaL's process pool (row as keywords, picklable)."""
    scorer = pickle.loads(pickle.dumps(Scorer(SUM)))
    assert scorer.one(RIGHT, prompt="1+1", ground_truth="2", completion_tokens=9) == pytest.approx(1.1)
    assert scorer.one("\\boxed{3}", answer="2") == 0.0
    assert scorer.one(RIGHT, ground_truth=None) <= 0.0  # the lowest, not the 1.1 that it says


def test_areals_reward_function_gets_one_number_in_another_process():
    """areal/api/reward_api.py (1.0.4) calls `fn(prompt, completions, prompt_ids, completion_ids, **row)` in a process pool."""
    scorer = pickle.loads(pickle.dumps(Scorer(SUM)))
    assert scorer.one(RIGHT, prompt="1+1", answer="2", completion_tokens=7, level=["easy"]) == pytest.approx(1.1)


def test_ms_swifts_plugin_gets_numbers_for_completions_and_columns():
    """swift/rewards/orm.py (4.6.0): `orm(completions, **columns)`; what is no column (the trainer's state) is left alone."""
    columns = {"solution": ["2", "2", None], "trainer_state": SimpleNamespace(global_step=3), "group": ["a", "a", "a"]}
    assert Scorer(SUM)([RIGHT, "\\boxed{3}", RIGHT], **columns) == pytest.approx([1.1, 0.0, 0.55])


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_ms_swifts_chats_are_read_for_the_turns_and_tokens_of_the_text_that_ends_them(rounds):
    """swift/rl_core/data.py (4.6.0) `to_reward_row`: a column `messages` of prompt, turns and answer, tokens turn by turn."""
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
    prompt, answer = {"role": "user", "content": "1+1"}, {"role": "assistant", "content": "\\boxed{3}"}
    chat = [prompt, *[call, {"role": "tool", "content": "4"}] * rounds, answer]
    columns = {
        "messages": [chat],
        "solution": ["2"],
        "prompt_id": ["a"],
        "response_token_ids": [[[1] * 4] * (rounds + 1)],
    }
    value = Scorer("tool_call(dapo_math)")(["\\boxed{3}"], **columns)
    turns = load("tool_call(dapo_math)").score([Sample(messages=chat, ground_truth="2")])
    assert value == [turns[0].value]
    (sample,) = samples_from_columns(completions=["\\boxed{3}"], **columns)
    assert (sample.turns, sample.tokens) == (tuple(chat[1:]), 4 * (rounds + 1))
    (other,) = samples_from_columns(completions=["\\boxed{2}"], **columns)
    assert other.messages is None  # it ends another chat


def test_tinker_cookbooks_problem_env_adds_what_check_answer_returns():
    """tinker_cookbook/rl/problem_env.py (0.6.1): `format_coef * (format - 1) + float(check_answer(text))`."""
    value = float(Scorer(SUM).one(RIGHT, prompt="1+1", answer="2"))
    assert 0.0 * (float(True) - 1) + value == pytest.approx(1.1)


@pytest.mark.trainer
def test_a_text_environment_of_the_real_skyrl_gym_pays_the_reward():
    env_module = pytest.importorskip("skyrl_gym.envs.base_text_env")

    class RewardkitEnv(env_module.BaseTextEnv):
        scorer = Scorer("dapo_math")

        def __init__(self, env_config=None, extras=None):
            super().__init__()
            self.truth = extras["reward_spec"]["ground_truth"]

        def step(self, action):
            reward = self.scorer.one(action, ground_truth=self.truth)
            return env_module.BaseTextEnvStepOutput(observations=[], reward=reward, done=True, metadata={})

    import skyrl_gym

    skyrl_gym.register(id="rewardkit", entry_point=RewardkitEnv)
    for truth, text, value in (("2", RIGHT, 1.0), ("2", "\\boxed{3}", -1.0), (None, RIGHT, -1.0)):
        env = skyrl_gym.make("rewardkit", extras={"reward_spec": {"ground_truth": truth}})
        env.init([{"role": "user", "content": "1+1"}])
        assert env.step(text)["reward"] == value


@pytest.mark.trainer
def test_a_rubric_of_the_real_openenv_pays_the_reward():
    base = pytest.importorskip("openenv.core.rubrics.base")

    class RewardkitRubric(base.Rubric):
        def __init__(self):
            super().__init__()
            self.scorer = Scorer("dapo_math")

        def forward(self, action, observation):
            return self.scorer.one(action.message, ground_truth=observation.answer)

    rubric = RewardkitRubric()
    for truth, text, value in (("2", RIGHT, 1.0), ("2", "\\boxed{3}", -1.0), (None, RIGHT, -1.0)):
        assert rubric(SimpleNamespace(message=text), SimpleNamespace(answer=truth)) == value
        assert rubric.last_score == value
