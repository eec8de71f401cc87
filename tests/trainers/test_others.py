"""The other trainers: each function called in the shape that the project calls it (restated here where it does not install)."""

import asyncio
import importlib.util
import inspect
import pickle
from dataclasses import dataclass, field
from enum import Enum
from types import SimpleNamespace

import pytest

from rewardkit import load
from trainers import nemo_rl, open_instruct, openrlhf, slime, verifiers

SUM = "exact(tag='boxed') + 0.1 * think_format"
RIGHT = "<think>1+1</think>\\boxed{2}"


@pytest.fixture
def plain_tensors(monkeypatch):
    if importlib.util.find_spec("torch") is None:
        monkeypatch.setattr(openrlhf, "_tensor", lambda values: SimpleNamespace(tolist=lambda: values))


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
    ("query", "answer"),
    [
        ("Qa", "a"),
        ("Qa<|im_end|>", "a"),
        ("Qa</s>", "a"),
        ("Qa<|im_end|>\n<|endoftext|>", "a"),
        ("other", "other"),
        ("Q", ""),
    ],
)
def test_the_answer_is_what_follows_the_prompt_without_end_tokens(query, answer):
    assert openrlhf.answer_of(query, "Q") == answer


class Status(Enum):
    COMPLETED = "completed"
    TRUNCATED = "truncated"


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
    assert asyncio.run(reward(args, group, evaluation=True)) == pytest.approx([1.1, 0.0, 0.0])


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
    assert made["weights"] == [1.0, 0.1]
    prompt = [{"role": "user", "content": "1+1"}]
    chat = [{"role": "assistant", "content": RIGHT}]
    values = [asyncio.run(function(prompt=prompt, completion=chat, answer="2")) for function in made["funcs"]]
    assert values == [1.0, 1.0]


@pytest.mark.trainer
def test_the_rubric_inside_the_real_verifiers():
    vf = pytest.importorskip("verifiers")
    rubric = vf.Rubric(**verifiers.rubric(SUM))
    state = vf.State(
        prompt=[{"role": "user", "content": "1+1"}], completion=[{"role": "assistant", "content": RIGHT}],
        answer="2", task="t", info={}, trajectory=[], timing={"generation_ms": 0.0, "scoring_ms": 0.0, "total_ms": 0.0},
        input={"prompt": [], "answer": "2", "task": "t", "info": {}, "example_id": 0},
    )  # fmt: skip
    asyncio.run(rubric.score_rollout(state))
    assert state["reward"] == pytest.approx(1.1)
    assert state["metrics"] == {"exact": 1.0, "think_format": 1.0}


def test_nemo_rl_logs_with_token_tensors_are_judged_by_their_last_message():
    log = [
        {"role": "user", "content": "1+1", "token_ids": [1, 2, 3]},
        {"role": "assistant", "content": RIGHT, "token_ids": [1] * 9},
    ]
    reward = load(SUM + " + overlong(max_tokens=10, buffer=2)")
    (score, unjudged) = nemo_rl.judge_logs(reward, [log, log], [{"ground_truth": "2"}, None])
    assert score.value == pytest.approx(1.1 - 0.5)
    assert unjudged.value is None


def test_open_instruct_wants_a_score_for_one_prediction():
    score = open_instruct.judge_prediction(load(SUM), RIGHT, "2", query="1+1", tokens=9)
    assert score.value == pytest.approx(1.1)
    assert open_instruct.judge_prediction(load(SUM), RIGHT, None).value is None


def test_areal_takes_a_picklable_function_of_prompt_and_completion():
    """areal/api/reward_api.py runs `fn(prompt, completions, prompt_ids, completion_ids, **row)` in a process pool."""
    reward = pickle.loads(pickle.dumps(load(SUM)))
    assert reward(completions=[RIGHT], ground_truth=["2"]) == pytest.approx([1.1])
