"""One law for every adapter that must give a number: what we could not judge never pays."""

import asyncio
import logging
import math
from statistics import fmean
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import UsageError, columns, load
from trainers import nemo_rl, openrlhf, slime, unjudged, verifiers, verl
from trainers.scorer import Scorer

REWARDS = ("dapo_math", "exact(tag='boxed')", "dapo_math + 0.1 * think_format", "unsloth_answer - 0.5 * think_format")
FRAME = "<think>1</think><end_working_out><SOLUTION>{0}</SOLUTION>\\boxed{{{0}}}"
RIGHT, WRONG = FRAME.format(2), FRAME.format(7)
ANSWERS = [(RIGHT, "2"), (WRONG, "2"), (RIGHT, "2"), (RIGHT, None)]
"""The last has no ground truth: our failure, though the answer is right."""


@pytest.fixture(autouse=True)
def _no_history(monkeypatch):
    unjudged._history.cache_clear()
    columns._counts.clear()
    monkeypatch.setattr(openrlhf, "_tensor", lambda values: SimpleNamespace(tolist=lambda: values))


def by_verl(reward, rows, **options):
    return [
        verl.compute_score("d", text, truth, {"index": 0}, reward=reward, **options)["score"] for text, truth in rows
    ]


def by_verl_async(reward, rows, **options):
    async def run():
        return [
            (await verl.compute_score_async("d", text, truth, {}, reward=reward, **options))["score"]
            for text, truth in rows
        ]

    return asyncio.run(run())


def by_verl_batch(reward, rows, **options):
    texts, truths = zip(*rows, strict=True)
    extra = [{"index": 0}] * len(rows)
    results = verl.compute_score_batch(["d"] * len(rows), texts, truths, extra, reward=reward, **options)
    return [result["score"] for result in results]


def by_openrlhf(reward, rows, **options):
    texts, truths = zip(*rows, strict=True)
    function = openrlhf.reward_function(reward, **options)
    return function(["Q" + text for text in texts], ["Q"] * len(rows), truths)["rewards"].tolist()


def slime_samples(rows):
    return [
        SimpleNamespace(prompt="Q", response=text, label=truth, response_length=5, metadata={}, group_index=3)
        for text, truth in rows
    ]


def by_slime(reward, rows, **options):
    function = slime.reward_function(reward, **options)
    return [asyncio.run(function(None, sample)) for sample in slime_samples(rows)]


def by_slime_group(reward, rows, **options):
    return asyncio.run(slime.reward_function(reward, **options)(None, slime_samples(rows)))


def by_nemo_rl(reward, rows, **options):
    logs = [[{"role": "user", "content": "Q"}, {"role": "assistant", "content": text}] for text, _ in rows]
    return nemo_rl.judge_logs(Scorer(reward, **options), logs, [{"ground_truth": truth} for _, truth in rows])[0]


def by_rubric(reward, rows, **options):
    made = verifiers.rubric(reward, **options)
    totals = []
    for text, truth in rows:
        chat = [{"role": "assistant", "content": text}]
        parts = [asyncio.run(function(prompt="Q", completion=chat, answer=truth)) for function in made["funcs"]]
        totals.append(sum(weight * part for weight, part in zip(made["weights"], parts, strict=True)))
    return totals


def by_scorer(reward, rows, **options):
    texts, truths = zip(*rows, strict=True)
    return Scorer(reward, **options)(list(texts), prompts=["Q"] * len(rows), ground_truth=list(truths))


def by_one(reward, rows, **options):
    scorer = Scorer(reward, **options)
    return [scorer.one(text, prompt="Q", ground_truth=truth) for text, truth in rows]


ONE_BY_ONE = (by_verl, by_verl_async, by_slime, by_rubric, by_one)
WITH_GROUPS = (by_verl_batch, by_openrlhf, by_slime_group, by_nemo_rl, by_scorer)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("adapter", [*ONE_BY_ONE, *WITH_GROUPS])
def test_our_failure_pays_no_more_than_the_group_and_never_more_than_a_wrong_answer_alone(adapter, reward):
    *known, ours = adapter(reward, ANSWERS)
    assert known == pytest.approx(load(reward)(completions=[text for text, _ in ANSWERS], ground_truth=["2"] * 4)[:3])
    if adapter in WITH_GROUPS:
        assert ours == pytest.approx(fmean(known))  # the advantage is 0
    else:
        assert ours <= min(known) + 1e-9
        *_, ours = adapter(reward, [*ANSWERS[:3] * 30, ANSWERS[3]])
        assert ours == pytest.approx(min(known))


@pytest.mark.parametrize("adapter", [*ONE_BY_ONE, *WITH_GROUPS])
def test_a_number_is_taken_only_on_request(adapter):
    assert adapter("dapo_math", ANSWERS, unjudged=0.25)[-1] == 0.25
    with pytest.raises(UsageError, match="give 'group_mean' or a number"):
        adapter("dapo_math", ANSWERS, unjudged="zero")


@pytest.mark.parametrize("number", [math.nan, math.inf, "-inf", "x", None, [0.5], True])
def test_a_number_that_is_none_is_refused_before_anything_is_judged(number):
    for make in (Scorer, slime.reward_function, openrlhf.reward_function, verifiers.rubric):
        with pytest.raises(UsageError, match=r"^unjudged=.*: give 'group_mean' or a number$"):
            make("dapo_math", unjudged=number)
    assert Scorer("dapo_math", unjudged="-0.5").unjudged == -0.5


@pytest.mark.parametrize("adapter", [*ONE_BY_ONE, *WITH_GROUPS])
def test_before_anything_was_judged_our_failure_is_a_wrong_answer(adapter):
    assert adapter("dapo_math", [(RIGHT, None)]) == [-1.0]
    assert adapter("dapo_math", [(RIGHT, "2")])[0] == 1.0
    assert adapter("dapo_math", [(RIGHT, None)]) == [-1.0]  # one right answer is not the lowest there is


def test_the_lowest_value_is_kept_for_answers_that_come_alone():
    scorer = Scorer("dapo_math + overlong(max_tokens=10, buffer=5)")
    assert scorer.one(WRONG, ground_truth="2", completion_tokens=10) == -2.0
    assert scorer.one(RIGHT, ground_truth="2", completion_tokens=1) == 1.0
    assert scorer(["x", RIGHT], ground_truth=[None, "2"], completion_tokens=[1, 1], prompts=["p", "q"]) == [-2.0, 1.0]


values = st.lists(st.one_of(st.none(), st.floats(-5, 5)), min_size=1, max_size=12)


@given(values, st.data())
def test_filling_keeps_what_was_judged_and_each_mean(rewards, data):
    groups = data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=len(rewards), max_size=len(rewards)))
    filled = unjudged.fill(rewards, groups, lowest=-5.0)
    assert all(new == old for new, old in zip(filled, rewards, strict=True) if old is not None)
    for group in ("a", "b"):
        known = [old for old, own in zip(rewards, groups, strict=True) if own == group and old is not None]
        whole = [new for new, own in zip(filled, groups, strict=True) if own == group]
        if known:
            assert fmean(whole) == pytest.approx(fmean(known))
    assert all(
        new == -5.0 for new, old, own in zip(filled, rewards, groups, strict=True) if old is None and own is None
    )


def test_the_log_warns_at_1_2_4_8_of_them(caplog):
    scorer = Scorer("dapo_math")
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            scorer.one(RIGHT, answer=None)
    assert [record.getMessage().split(";")[0] for record in caplog.records] == [
        f"dapo_math: {count} of {count} completions (100.0%) could not be judged" for count in (1, 2, 4)
    ]


LONG = "exact(tag='boxed') + overlong(max_tokens=500, buffer=100)"


def slime_group(texts):
    rollouts = [
        SimpleNamespace(prompt="Q", response=text, label="2", response_length=len(text), group_index=3)
        for text in texts
    ]
    return asyncio.run(slime.reward_function(LONG)(None, rollouts))


def scorer_group(texts):
    ids = [list(range(len(text))) for text in texts]
    return Scorer(LONG)(texts, prompts=["Q"] * 2, answer=["2"] * 2, completion_ids=ids)


def verl_group(texts):
    facts = [{"index": 0, "completion_tokens": len(text)} for text in texts]
    results = verl.compute_score_batch(["d"] * 2, texts, ["2"] * 2, facts, reward=LONG)
    return [result["score"] for result in results]


@pytest.mark.parametrize("adapter", [slime_group, scorer_group, verl_group])
def test_an_empty_answer_has_0_tokens_and_is_wrong_not_unjudged(adapter):
    assert adapter([RIGHT, ""]) == [1.0, 0.0]


def test_a_rollout_that_does_not_say_its_tokens_has_no_count():
    rollout = SimpleNamespace(prompt="Q", response=RIGHT, label="2", response_length=0)
    assert slime.sample_of(rollout).tokens is None


def misspelt(reward):
    return Scorer(reward)([RIGHT], prompts=["Q"], anwser=["2"])


def without_tokens(reward):
    log = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": RIGHT}]
    return nemo_rl.judge_logs(Scorer(f"{reward} + overlong"), [log], [{"ground_truth": "2"}])


def one_text(reward):
    return openrlhf.reward_function(f"{reward} + overlong")(["Q" + RIGHT], ["Q"], ["2"])


@pytest.mark.parametrize(
    "adapter", [misspelt, without_tokens, one_text, lambda reward: Scorer(reward).one(RIGHT, prompt="Q")]
)
def test_a_column_that_never_arrives_ends_the_first_step_instead_of_paying_a_constant(adapter):
    with pytest.raises(UsageError, match=r"could judge nothing .* needs one of the columns"):
        adapter("exact(tag='boxed')")


TURNS = ["tool_call(dapo_math)", "tool_call(math(wrong=-1.0)) + 0.1 * think_format", "grpo_tcr"]


def as_trl(reward, texts, truths, **columns):
    return load(reward)(completions=texts, prompts=["Q"] * len(texts), answer=truths, **columns)


def as_scorer(reward, texts, truths, **columns):
    return Scorer(reward)(texts, prompts=["Q"] * len(texts), answer=truths, **columns)


def as_openrlhf(reward, texts, truths, **_):
    return openrlhf.reward_function(reward)(["Q" + text for text in texts], ["Q"] * len(texts), truths)


@pytest.mark.parametrize("adapter", [as_trl, as_scorer, as_openrlhf])
@pytest.mark.parametrize("reward", TURNS)
@pytest.mark.parametrize(
    "texts", [["Answer: \\boxed{2}", "Answer: \\boxed{3}"] * 2, ["\\boxed{3}"], ["\\boxed{2}", "no"]]
)
def test_wrong_answers_without_turns_end_the_first_step_instead_of_being_paid_as_right_ones(adapter, reward, texts):
    """Right answers need no turns: with those alone judged, each wrong one got the mean of its group."""
    if adapter is as_openrlhf and "grpo_tcr" in reward:
        pytest.skip("OpenRLHF has no token count either")
    facts = {"data_source": ["d"] * len(texts), "completion_tokens": [9] * len(texts)}
    with pytest.raises(
        UsageError, match=r"no wrong answer .*number of turns.* needs one of the columns messages, num_turns"
    ):
        adapter(reward, texts, ["2"] * len(texts), **facts)


@pytest.mark.parametrize("adapter", [as_trl, as_scorer])
@pytest.mark.parametrize("reward", TURNS)
@pytest.mark.parametrize("form", ["chat", "num_turns", "extra_info"])
def test_turns_may_come_as_chats_as_a_column_or_in_extra_info(adapter, reward, form):
    texts = ["\\boxed{2}", "\\boxed{3}"]
    chats = [[{"role": "assistant", "content": text}] for text in texts]
    facts = (
        {"num_turns": [2, 2]}
        if form == "num_turns"
        else {"extra_info": [{"num_turns": 2}] * 2}
        if form == "extra_info"
        else {}
    )
    columns = {"data_source": ["d"] * 2, "completion_tokens": [9] * 2, **facts}
    right, wrong = adapter(reward, chats if form == "chat" else texts, ["2"] * 2, **columns)
    assert (right, wrong) == (1.0, -1.0)


@pytest.mark.parametrize("adapter", [as_trl, as_scorer])
@pytest.mark.parametrize("otherwise", ["unjudged", "first", "last"])
@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"global_step": [3]},
        {"extra_info": [{"global_steps": 3}]},
        {"trainer_state": SimpleNamespace(global_step=3)},
    ],
)
def test_a_step_that_never_arrives_ends_the_first_step_unless_the_reward_does_without(adapter, otherwise, columns):
    reward = f"exact(tag='boxed') + 0.1 * scheduled(think_format, [[0, 0], [9, 1]], otherwise={otherwise!r})"
    if not columns and otherwise == "unjudged":
        with pytest.raises(UsageError, match=r"could judge nothing .* needs one of the columns global_step"):
            adapter(reward, [RIGHT], ["2"])
    else:
        assert adapter(reward, [RIGHT], ["2"], **columns) == [pytest.approx(1.05, abs=0.06)]
