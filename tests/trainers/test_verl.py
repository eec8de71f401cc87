"""verl's scoring functions without verl: what it calls them with, and one schema whatever happens."""

import asyncio
import inspect
import math
import multiprocessing
import threading

import numpy as np
import pytest

from rewardkit import UsageError
from trainers import unjudged, verl
from trainers.verl import THREADS, compute_score, compute_score_async, compute_score_batch, sample_of, threads

SUM = "exact(tag='boxed') + 0.5 * think_format"
TCR = "tool_call(dapo_math) + overlong(max_tokens=10480, buffer=3000)"
KEYS = ["score", "acc", "outcome", "unjudged", "part_exact", "part_think_format", "verdict", "pred", "reason"]


@pytest.fixture(autouse=True)
def first_rollouts():
    """Each test is the first that its rewards judge: what they gave before counts for what they can't judge."""
    unjudged._history.cache_clear()


def call(function=compute_score, **changes):
    arguments = {
        "data_source": "d", "solution_str": "<think>1</think>\\boxed{2}", "ground_truth": "2", "extra_info": {}, "reward": SUM,
    }  # fmt: skip
    return function(**{**arguments, **changes})


def test_a_rollout_is_asked_only_for_the_tokens_of_its_own_route():
    reward = "by_source({'a': exact, 'b': exact + overlong})"
    judged = call(ground_truth=None, data_source="a", reward=reward)
    assert judged["unjudged"] == 1.0
    with pytest.raises(UsageError, match="completion_tokens"):
        call(data_source="b", reward=reward)
    assert call(data_source="a", reward=reward)["unjudged"] == 0.0
    assert call(ground_truth=None, data_source="a", reward=reward) == {**judged, "score": -1.0, "outcome": -1.0}


def test_a_right_rollout():
    result = call()
    assert result == {
        **result,
        "score": 1.5,
        "acc": 1.0,
        "outcome": 1.0,
        "unjudged": 0.0,
        "pred": "2",
        "verdict": "correct",
    }
    assert (result["part_exact"], result["part_think_format"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"solution_str": ""},
        {"ground_truth": None},
        {"extra_info": None},
        {"data_source": None},
        {"solution_str": "\ud800"},
    ],
)
def test_the_keys_are_the_same_whatever_happens(changes):
    result = call(**changes)
    assert list(result) == KEYS
    assert all(isinstance(value, (float, str)) for value in result.values())


def test_the_numbers_of_an_unjudged_rollout_are_its_value_and_no_part_pays():
    result = call(ground_truth=None, unjudged=-0.25)
    assert (result["score"], result["outcome"], result["acc"], result["unjudged"]) == (-0.25, -0.25, 0.0, 1.0)
    assert result["part_exact"] == -0.25


def test_unknown_keywords_of_later_verl_versions_are_taken():
    assert call(reward_router_address=None, reward_model_tokenizer=None)["score"] == 1.5


@pytest.mark.parametrize(("turns", "score"), [(0, -1.1), (2, -1.0), (4, -0.9), (8, -0.7), (10, -0.6), (16, -0.6)])
def test_the_tool_term_follows_the_turns_that_verl_counts(turns, score):
    extra = {"num_turns": turns, "completion_tokens": 100}
    assert call(reward=TCR, solution_str="\\boxed{3}", extra_info=extra)["score"] == pytest.approx(score)


def test_a_missing_turn_count_is_unjudged_and_the_published_constant_is_an_option():
    extra = {"num_turns": None, "completion_tokens": 100}
    assert call(reward=TCR, solution_str="\\boxed{3}", extra_info=extra)["unjudged"] == 1.0
    seed = TCR.replace("dapo_math)", "dapo_math, missing='seed')")
    assert call(reward=seed, solution_str="\\boxed{3}", extra_info=extra)["score"] == pytest.approx(-1.1)


def test_parquet_leaves_numpy_behind():
    class Array(list):
        def tolist(self):
            return list(self)

    extra = {"ids": Array([1, 2]), "nested": {"a": Array([3])}}
    sample = verl.sample_of("x", data_source="d", ground_truth=Array(["2"]), extra_info=extra)
    assert (sample.ground_truth, sample.extra_info) == (["2"], {"ids": [1, 2], "nested": {"a": [3]}})


def test_the_async_form_is_a_plain_coroutine_function_and_judges_in_threads():
    assert inspect.iscoroutinefunction(compute_score_async)

    async def many():
        return await asyncio.gather(*(call(compute_score_async) for _ in range(20)))

    assert asyncio.run(many()) == [call()] * 20


def test_the_batch_form_keeps_order():
    texts = ["\\boxed{2}", "\\boxed{3}", ""]
    results = compute_score_batch(["d"] * 3, texts, ["2"] * 3, [{}, None, {}], reward=SUM)
    assert [result["acc"] for result in results] == [1.0, 0.0, 0.0]
    assert all(list(result) == KEYS for result in results)


def test_a_missing_or_wrong_reward_text_is_said_before_training():
    with pytest.raises(UsageError, match=r"reward_kwargs\.reward"):
        call(reward="")
    with pytest.raises(UsageError, match="no reward 'maths'"):
        call(reward="maths")


@pytest.mark.parametrize("function", [compute_score, compute_score_async])
@pytest.mark.parametrize(
    ("reward", "said"),
    [
        ("exact + overlong(max_tokens=9, buffer=3)", "completion_tokens"),
        ("grpo_tcr", "completion_tokens"),
        ("majority", "compares the completions"),
    ],
)
def test_a_reward_that_can_judge_nothing_here_ends_the_run_at_once(function, reward, said):
    with pytest.raises(UsageError, match=said):
        asyncio.run(call(function, reward=reward)) if function is compute_score_async else call(reward=reward)


def test_rows_that_lack_something_end_no_run():
    for changes in ({"ground_truth": None}, {"data_source": None}, {"extra_info": None}):
        assert set(call(**changes)) == set(KEYS)
    tokens = "exact + overlong(max_tokens=7, buffer=2)"
    assert call(reward=tokens, extra_info={"completion_tokens": 3})["unjudged"] == 0.0
    assert call(reward=tokens, extra_info={})["unjudged"] == 1.0


def test_an_unjudged_rollout_is_paid_by_no_part_either():
    """`algorithm.gdpo_reward_keys` optimises the parts as they are."""
    extra = [{"index": 1, "completion_tokens": 5}] * 3
    texts = ["\\boxed{2}", "\\boxed{3}", "\\boxed{2}"]
    results = compute_score_batch(
        ["d"] * 3, texts, ["2", "2", None], extra, reward="dapo_math + overlong(max_tokens=9, buffer=2)"
    )
    assert [result["part_dapo_math"] for result in results] == [1.0, -1.0, 0.0]
    alone = call(ground_truth=None, reward="dapo_math + 0.1 * think_format")
    assert alone["part_dapo_math"] == -1.0


def test_as_many_rows_are_judged_at_once_as_there_are_threads():
    barrier = threading.Barrier(THREADS)
    assert sorted(threads().map(lambda _: barrier.wait(60), range(THREADS))) == list(range(THREADS))


def test_a_forked_process_judges_too():
    context = multiprocessing.get_context("fork")
    values = context.Queue()
    barrier = threading.Barrier(THREADS)
    list(threads().map(lambda _: barrier.wait(60), range(THREADS)))  # all the parent's threads are there
    context.Process(target=lambda: values.put(judged()), daemon=True).start()
    assert values.get(timeout=30) == judged()


def judged():
    return asyncio.run(call(compute_score_async))["score"]


ODD = (
    math.inf,
    -math.inf,
    math.nan,
    -1,
    2**70,
    0.5,
    True,
    "x",
    "",
    b"x",
    [],
    {},
    (1,),
    np.array([1, 2]),
    np.float32("inf"),
    object(),
)


@pytest.mark.parametrize("fact", ["completion_tokens", "num_turns", "index", "split"])
@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_a_fact_of_any_value_is_a_result_and_no_error(fact, value):
    extra = {"num_turns": 2, "completion_tokens": 10, fact: value}
    assert set(compute_score("math", "\\boxed{4}", "4", extra, reward=TCR)) >= {"score", "acc", "unjudged"}


@pytest.mark.parametrize(
    ("value", "tokens"), [(0, 0), (12, 12), (12.0, 12), (np.int64(3), 3), (-1, None), (0.5, None), (math.inf, None)]
)
def test_only_a_count_of_tokens_is_taken_for_one(value, tokens):
    sample = sample_of("", data_source="math", ground_truth="4", extra_info={"completion_tokens": value})
    assert sample.completion_tokens == tokens
