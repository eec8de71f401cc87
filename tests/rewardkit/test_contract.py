"""What every registered reward must keep to, whoever wrote it."""

from __future__ import annotations

import asyncio
import json
import math
import multiprocessing
import operator
import pickle
import random
import subprocess
import sys
import typing
from concurrent.futures import ThreadPoolExecutor
from dataclasses import MISSING, fields, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rewardkit import Reward, Sample, Score, UsageError, Verdict, load, registry
from rewardkit.compose import BySource, Gated, Named
from rewardkit.executor.units import is_independent

sys.path.insert(0, str(Path(__file__).parent / "rewards"))

from variants import variants

KINDS = {"right", "wrong", "malformed", "hostile", "empty"}

RAY_LIKE = """
import asyncio, pickle, sys, threading
jobs, result = pickle.load(sys.stdin.buffer), []

async def actor():  # a Ray actor runs its methods off the main thread, inside an event loop
    for reward, samples in jobs:
        result.append([(s.value, s.verdict.value) for s in reward.score(samples)])

thread = threading.Thread(target=lambda: asyncio.run(actor()))
thread.start()
thread.join()
sys.stdout.buffer.write(pickle.dumps(result))
"""


def values(scores):
    return [(score.value, score.verdict.value) for score in scores]


def by_reward(cases):
    table = {}
    for case in cases:
        table.setdefault(case.text, []).append(case.sample)
    return [(load(text), samples) for text, samples in table.items()]


def test_declares_name_version_source_and_says_what_it_is(reward_name):
    cls = registry.get(reward_name)
    assert cls.name == reward_name
    assert isinstance(cls.version, int)
    assert cls.version >= 1
    assert cls.__doc__
    assert len(cls.__doc__.splitlines()[0]) <= 150


def test_golden_rows_cover_every_kind(cases):
    assert {case.row["kind"] for case in cases} >= KINDS


def test_what_must_be_given_comes_first_and_options_are_keywords(reward_name):
    for field in fields(registry.get(reward_name)):
        assert field.kw_only == (field.default is not MISSING), field.name


@pytest.mark.long
def test_rows_get_the_scores_alone_that_they_get_together_where_a_reward_says_so(runnable):
    differ = False
    for case in runnable:
        together = [replace(sample, group="g") for sample in variants(case.row)[:8]]
        alone = [case.reward.score([sample])[0] for sample in together]
        same = values(alone) == values(case.reward.score(together))
        assert same or not is_independent(case.reward), case.where
        differ |= not same
    assert differ == (not all(is_independent(case.reward) for case in runnable))


def test_text_form_gives_the_reward_back(cases):
    for text in {case.text for case in cases}:
        reward = load(text)
        again = load(reward.text)
        assert again == reward
        assert hash(again) == hash(reward)


def test_survives_pickle(cases):
    for case in cases:
        assert pickle.loads(pickle.dumps(case.reward)) == case.reward


def test_gold_scores_full(runnable):
    best = {}
    for case in runnable:
        best[case.text] = max(best.get(case.text, -1e9), case.row["value"] or 0.0)
    gold = [case for case in runnable if case.row["kind"] == "right" and case.row["verdict"] == "correct"]
    assert gold
    assert any(case.row["value"] == best[case.text] for case in gold)
    assert all(score.verdict is Verdict.CORRECT for case in gold for score in case.reward.score([case.sample]))


def test_keeps_order_and_length(runnable):
    for reward, once in by_reward(runnable):
        samples = once * 3
        order = list(range(len(samples)))
        random.Random(7).shuffle(order)
        straight, shuffled = reward.score(samples), reward.score([samples[index] for index in order])
        assert len(straight) == len(samples)
        assert values(shuffled) == [values(straight)[index] for index in order]
    assert reward.score([]) == []


def test_the_callers_random_numbers_stay_the_same(runnable):
    def state():
        return random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002 - the one that callers share

    before = state()
    for reward, samples in by_reward(runnable):
        reward.score(samples)
    assert state() == before


@pytest.mark.parametrize("blank", ["", " \n\t"])
def test_empty_completion_never_scores_positive(runnable, blank):
    for case in runnable:
        row = {**case.row["sample"], "completion": blank, "completion_tokens": 0}
        row.pop("messages", None)
        row.pop("completion_ids", None)
        score = case.reward.score([Sample(**row)])[0]
        published = 0.1 if case.reward.text == "math_agent" else 0  # to the last digit: it pays nothing for brevity
        assert score.value is None or score.value <= published, (case.where, score)


def test_works_from_threads(runnable):
    jobs = by_reward(runnable)
    expected = [values(reward.score(samples)) for reward, samples in jobs]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda job: values(job[0].score(job[1])), jobs * 4))
    assert found == expected * 4


def test_works_inside_a_running_event_loop(runnable):
    jobs = by_reward(runnable)
    expected = [values(reward.score(samples)) for reward, samples in jobs]

    async def main():
        return [values(reward.score(samples)) for reward, samples in jobs]

    assert asyncio.run(main()) == expected


def all_jobs():
    from_files = [
        (name, json.loads(line))
        for name in registry.names()
        if not any(word in need for need in registry.get(name).needs for word in ("sandbox", "server"))
        for line in (case_file(name).read_text(encoding="utf-8").splitlines())
    ]
    table = {}
    for _, row in from_files:
        table.setdefault(row["reward"], []).append(Sample(**row["sample"]))
    return [(load(text), samples) for text, samples in table.items()]


def case_file(name):
    return Path(__file__).parents[1] / "cases" / "rewards" / f"{name}.jsonl"


@pytest.mark.long
def test_all_survive_spawn():
    jobs = all_jobs()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = [pool.apply(operator.methodcaller("score", samples), (reward,)) for reward, samples in jobs]
    assert [values(scores) for scores in found] == [values(reward.score(samples)) for reward, samples in jobs]


@pytest.mark.long
def test_all_work_in_a_ray_like_worker_process():
    jobs = all_jobs()
    done = subprocess.run(
        [sys.executable, "-c", RAY_LIKE], input=pickle.dumps(jobs), capture_output=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert pickle.loads(done.stdout) == [values(reward.score(samples)) for reward, samples in jobs]


PIECES = st.sampled_from(
    ["\\boxed{", "}", "<think>", "</think>", "<answer>", "</answer>", "####", "Answer:", "The answer is ", "(B)", "$",
     "\\frac", "{", "1,234", "-", ".5", "^", "_", "```python\n", "```", "<SOLUTION>", "</SOLUTION>", "<end_working_out>",
     '{"name": "f", "arguments": {}}', "<tool_call>", "</tool_call>", "|", "\n", " ", "\ud800", "\x00", "½", "٣", "or", "["]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join))
TRUTHS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)
CALLS = st.fixed_dictionaries(
    {},
    optional={"id": TRUTHS, "name": TRUTHS, "function": st.fixed_dictionaries({"name": TRUTHS, "arguments": TRUTHS})},
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.one_of(st.sampled_from(["user", "assistant", "tool", "system"]), TRUTHS)},
    optional={
        "content": st.one_of(TEXTS, TRUTHS),
        "tool_calls": st.one_of(st.lists(CALLS, max_size=3), TRUTHS),
        "tool_call_id": TRUTHS,
        "status": TRUTHS,
    },
)
SAMPLES = st.builds(
    Sample,
    completion=TEXTS,
    messages=st.one_of(st.none(), st.lists(MESSAGES, max_size=4).map(tuple)),
    ground_truth=TRUTHS,
    prompt=st.one_of(st.none(), TEXTS),
    data_source=st.one_of(st.none(), st.text(max_size=10)),
    completion_tokens=st.one_of(st.none(), st.integers(0, 10**6)),
    finish_reason=st.sampled_from([None, "stop", "length", "tool_calls"]),
    group=st.sampled_from([None, "a", "b"]),
    extra_info=st.dictionaries(
        st.sampled_from(
            ["num_turns", "choices", "tools", "schema", "num_tokens", "global_step", "instruction_id_list"]
        ),
        TRUTHS,
        max_size=3,
    ),
)


@given(samples=st.lists(SAMPLES, min_size=1, max_size=3))
def test_never_raises_on_arbitrary_text(samples):
    for reward in case_rewards():
        scores = reward.score(samples)
        assert len(scores) == len(samples), reward
        assert all(isinstance(score, Score) for score in scores), reward
        assert not any(score.reason.startswith(BUGS) for score in scores), (reward, scores)


PAID_FOR_NOTHING = ("math_agent",)
"""The published reward gives 0.1 to an answer without a number."""
ROLLOUTS = st.builds(
    Sample,
    completion=st.sampled_from(
        ["\\boxed{4}", "\\boxed{5}", "<answer>4</answer>", "#### 4", "none", "", "<think>\\boxed{4}"]
    ),
    ground_truth=st.sampled_from(["4", ["4"]]),
    prompt=st.just("2 + 2?"),
    group=st.just("a"),
    completion_tokens=st.sampled_from([3, 10**6]),
)


@given(samples=st.lists(ROLLOUTS, min_size=2, max_size=5))
def test_only_what_is_right_or_partly_right_is_paid(samples):
    for reward in case_rewards():
        for score in reward.score(samples):
            if score.value is not None and score.verdict not in {Verdict.CORRECT, Verdict.PARTIAL}:
                assert score.value <= 0 or reward.text.startswith(PAID_FOR_NOTHING), (reward, score)


class Hostile:
    """A value whose every method fails."""

    def __getattribute__(self, name):
        raise RuntimeError(name)

    __repr__ = __str__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __float__ = __index__ = __getattribute__


STRANGE = (Hostile(), 10**5000, -(10**5000), b"4", np.array([1, 2]), np.array("4"), float("nan"), object, ...)
FACTS = ("num_turns", "choices", "tools", "schema", "num_tokens", "global_step", "instruction_id_list", "language")


@pytest.mark.long
@pytest.mark.parametrize("place", ["ground_truth", *FACTS])
def test_a_value_that_no_reward_can_use_costs_its_own_row_alone(place):
    beside = Sample(completion="\\boxed{4}", ground_truth="4", completion_tokens=3, extra_info={"num_turns": 2})
    rewards = [(reward, *reward.score([beside])) for reward in case_rewards()]
    for value in [wrap(value) for value in STRANGE for wrap in (lambda v: v, lambda v: [v], lambda v: {"a": v})]:
        bad = replace(beside, extra_info={place: value})
        if place == "ground_truth":
            bad = replace(beside, ground_truth=value)
        for reward, alone in rewards:
            _, together = reward.score([bad, beside])
            assert together == replace(alone, elapsed_ms=together.elapsed_ms) or not is_independent(reward), (
                reward,
                type(value),
            )
            assert isinstance(reward.explain(bad).score, Score)


BUGS = tuple(
    f"{name}:"
    for name in (
        "TypeError",
        "AttributeError",
        "IndexError",
        "KeyError",
        "RecursionError",
        "ZeroDivisionError",
        "ValueError",
    )
)
"""An unjudged score whose reason starts like this is a bug of ours, not a bad ground truth."""


@cache
def case_rewards():
    """Every reward of a golden row that needs neither sandbox nor server."""
    return [reward for reward, _ in all_jobs()]


def plain_rewards():
    names = [
        name
        for name in registry.names()
        if all(
            field.default is not MISSING or field.default_factory is not MISSING for field in fields(registry.get(name))
        )
    ]
    return st.sampled_from(names).flatmap(with_options)


def with_options(name):
    cls = registry.get(name)
    hints = typing.get_type_hints(cls)
    options = {field.name: option_values(hints[field.name], field.default) for field in fields(cls)}
    return st.fixed_dictionaries({}, optional=options).map(lambda kwargs: build(cls, kwargs))


def option_values(hint, default):
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return st.sampled_from(args)
    simple = {
        bool: st.booleans(),
        int: st.integers(-5, 50_000),
        float: st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-3, 3)),
        str: st.one_of(
            st.just(default if isinstance(default, str) else "x"),
            st.sampled_from(["a, b", "it's", 'a "b"\n', "日本", "./a.py:b"]),
        ),
    }
    return simple.get(hint, st.just(default))


def build(cls, kwargs):
    try:
        return cls(**kwargs)
    except UsageError:
        return None


def compositions(inner):
    weights = st.floats(-1e6, 1e6, allow_nan=False).filter(bool)
    return st.one_of(
        st.lists(st.tuples(weights, inner), min_size=1, max_size=4).map(total),
        st.tuples(st.text(min_size=1, max_size=8), inner).map(lambda pair: Named(*pair)),
        st.tuples(inner, inner).map(lambda pair: Gated(*pair)),
        st.dictionaries(st.text(max_size=8), inner, min_size=1, max_size=3).map(BySource),
        inner.map(lambda reward: registry.get("tool_call")(reward, missing="seed")),
    )


def total(pairs):
    terms = [weight * Named(f"part{index}", reward) for index, (weight, reward) in enumerate(pairs)]
    whole = terms[0]
    for term in terms[1:]:
        whole = whole + term
    return whole


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(reward=st.recursive(plain_rewards().filter(lambda reward: reward is not None), compositions, max_leaves=6))
def test_text_form_is_a_law_of_every_composition(reward: Reward):
    text = reward.text
    assume(len(text) < 15_000)
    try:
        again = load(text)
    except UsageError as error:
        assume("nested deeper" not in str(error))
        raise
    assert again == reward
    assert again.text == text
    assert pickle.loads(pickle.dumps(reward)) == reward


FACTS = st.fixed_dictionaries({"num_tokens": st.integers(1, 10**6), "global_step": st.integers(0, 10**6)})
SHAPING = [name for name in registry.names() if "outcome" in {field.name for field in fields(registry.get(name))}]


@pytest.mark.parametrize("name", SHAPING)
@given(data=st.data())
def test_no_finite_option_makes_a_shaped_reward_raise(name, data):
    cls = registry.get(name)
    hints = typing.get_type_hints(cls)
    huge = st.sampled_from([1e308, -1e308, 1e-309, 1e100])
    options = {
        field.name: huge if hints[field.name] is float else option_values(hints[field.name], field.default)
        for field in fields(cls)
    }
    needed = {"outcome": st.just(load("unsloth_answer"))}
    if "points" in options:
        needed["points"] = st.tuples(*(st.tuples(st.just(step), huge) for step in (0.0, 10.0)))
    optional = {option: values for option, values in options.items() if option not in needed}
    reward = build(cls, data.draw(st.fixed_dictionaries(needed, optional=optional)))
    assume(reward is not None)
    text = "<SOLUTION>4</SOLUTION>"
    samples = [
        Sample(completion=text, ground_truth=truth, completion_tokens=tokens, group="a", extra_info=data.draw(FACTS))
        for truth, tokens in (("4", 3), ("5", 10**6), ("4", 2**40))
    ]
    for score in reward.score(samples):
        assert score.value is None or math.isfinite(score.value)
