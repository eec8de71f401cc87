"""Groups: who belongs together, advantages, and which groups DAPO keeps."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewardkit import Sample, Score, UsageError, load
from rewardkit.columns import _warn_once
from rewardkit.groups import advantages, by_group, collect, distribution, pass_rates, signal

REWARDS = st.lists(st.floats(-5, 5), min_size=2, max_size=16)


@given(rewards=REWARDS, estimator=st.sampled_from(["grpo", "grpo_no_std", "rloo"]))
def test_advantages_of_a_group_sum_to_zero(rewards, estimator):
    assert sum(advantages(rewards, estimator)) == pytest.approx(0, abs=1e-6 * max(1, len(rewards)) * 1e3)


@pytest.mark.parametrize("estimator", ["grpo", "grpo_no_std", "rloo"])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_reward_that_is_no_finite_number_has_no_advantage(number, estimator):
    for rewards in ([number], [number, 0.0], [0.0, None, number]):
        with pytest.raises(UsageError, match="not a finite number"):
            advantages(rewards, estimator)


def test_an_estimator_that_is_not_there_is_named():
    with pytest.raises(UsageError, match="no estimator 'rlo'; there are grpo, grpo_no_std, rloo"):
        advantages([1.0, 0.0], "rlo")


def test_pass_rates_need_one_score_for_each_sample():
    samples, scores = [Sample(completion="", prompt="?")] * 2, [Score.of(1.0)] * 3
    for few in (scores[:1], scores):
        with pytest.raises(UsageError, match="one score for each"):
            pass_rates(samples, few)
    assert pass_rates([Sample(completion="", prompt="?", group="")], scores[:1]) == {"?": 1.0}


@given(rewards=REWARDS)
def test_rloo_is_the_distance_from_the_mean_of_the_others(rewards):
    for index, advantage in enumerate(advantages(rewards, "rloo")):
        others = rewards[:index] + rewards[index + 1 :]
        assert advantage == pytest.approx(rewards[index] - sum(others) / len(others), abs=1e-9)


@given(rewards=REWARDS, estimator=st.sampled_from(["grpo", "grpo_no_std", "rloo"]))
def test_unjudged_completions_do_not_count_for_the_others(rewards, estimator):
    with_gap = advantages([*rewards, None], estimator)
    assert with_gap[:-1] == advantages(rewards, estimator)
    assert with_gap[-1] is None


def test_equal_rewards_carry_no_advantage():
    assert advantages([1.0, 1.0, 1.0]) == [0.0, 0.0, 0.0]
    assert advantages([0.7]) == [0.0]
    assert advantages([None, None]) == [None, None]


@pytest.mark.parametrize(
    ("accuracies", "expected"),
    [([1, 0, 0], "mixed"), ([1, 1], "all_right"), ([0, 0, None], "all_wrong"), ([None], "unjudged")],
)
def test_dynamic_sampling_keeps_groups_with_both_kinds(accuracies, expected):
    assert signal(accuracies) == expected


def test_group_is_the_group_else_the_prompt():
    samples = [
        Sample(group="a", prompt="p"),
        Sample(prompt="p"),
        Sample(prompt=({"role": "user", "content": "p"},)),
        Sample(prompt="p"),
        Sample(),
        Sample(prompt=({"content": "p", "role": "user"},)),
    ]
    assert list(by_group(samples).values()) == [[0], [1, 3], [2, 5], [4]]


@given(st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from(["s", "t", None])), max_size=12), st.booleans())
def test_a_group_is_a_name_within_its_data_source_and_a_prompt_is_itself(pairs, named):
    column = "group" if named else "prompt"
    samples = [Sample(data_source=source, **{column: name}) for name, source in pairs]
    assert list(by_group(samples).values()) == list(collect(pairs if named else [name for name, _ in pairs]).values())


class Image:
    """As Pillow's: its text has an address and does not tell it from others, its bytes do."""

    def __init__(self, pixels):
        self.pixels = pixels

    def tobytes(self):
        return self.pixels


@given(contents=st.lists(st.sampled_from([b"", b"a", b"b"]), max_size=8))
@pytest.mark.parametrize("make", [Image, bytes, lambda pixels: Path(pixels.decode()), lambda pixels: {"bytes": pixels}])
def test_prompts_of_equal_content_are_one_group_whatever_objects_hold_it(make, contents):
    samples = [
        Sample(prompt=[{"role": "user", "content": [{"type": "image", "image": make(content)}, {"type": "text"}]}])
        for content in contents
    ]
    assert list(by_group(samples).values()) == list(collect(contents).values())


def test_objects_that_nothing_tells_apart_are_the_same_in_a_prompt():
    samples = [Sample(prompt=[{"role": "user", "content": object()}]) for _ in range(3)]
    assert list(by_group(samples).values()) == [[0, 1, 2]]


def test_distribution_counts_every_reward_once():
    bins = distribution([0, 0, 1, 0.5, 1], bins=4)
    assert [count for _, _, count in bins] == [2, 0, 1, 2]
    assert distribution([]) == []
    assert distribution([2.0, 2.0]) == [(2.0, 2.0, 2)]


def test_group_of_mixed_lengths_pays_the_short_and_charges_the_long():
    samples = [Sample(completion="72", ground_truth="72", completion_tokens=n, group="g") for n in (10, 20, 30)]
    other = Sample(completion="72", ground_truth="72", completion_tokens=1, group="h")
    values = [score.value for score in load("length_group(gsm8k)").score([*samples, other])]
    assert values == [0.5, 0.0, -0.5, None]


def test_unjudged_member_does_not_move_its_group():
    samples = [
        Sample(completion="72", ground_truth=truth, completion_tokens=n, group="g")
        for truth, n in (("72", 10), ("72", 20), ("?", 90))
    ]
    scores = load("length_group(gsm8k)").score(samples)
    assert [score.value for score in scores] == [0.5, -0.5, None]


def test_majority_pays_the_commonest_answer_however_it_is_written():
    texts = [
        "\\boxed{1/2}",
        "\\boxed{0.5}",
        "\\boxed{\\frac{1}{2}}",
        "\\boxed{3}",
        "no answer is to be found in these words, not even one",
    ]
    scores = load("majority").score([Sample(completion=text, group="g") for text in texts])
    assert [score.value for score in scores] == [1, 1, 1, 0, 0]


def test_majority_without_a_winner_is_unjudged():
    scores = load("majority").score([Sample(completion=f"\\boxed{{{n}}}", group="g") for n in (1, 2)])
    assert [score.value for score in scores] == [None, None]


def test_trl_hands_over_the_group_by_its_prompts():
    reward = load("length_group(gsm8k, unit='words')")
    values = reward(
        prompts=["p", "p", "q", "q"], completions=["72", "so it is 72", "71", "it is 72"], answer=["72"] * 4
    )
    assert values == [0.5, -0.5, 0.0, -0.5]


@pytest.mark.parametrize("group", [["algebra"] * 6, "algebra", ["a", "a", "b", "b", "b", "b"]])
def test_a_column_whose_groups_hold_several_prompts_is_none_of_trls_groups(group, caplog):
    _warn_once.cache_clear()
    prompts, completions = ["1+1"] * 3 + ["2+2"] * 3, ["\\boxed{2}"] * 3 + ["\\boxed{4}"] * 3
    for _ in range(2):
        assert load("majority")(prompts=prompts, completions=completions, group=group) == [1.0] * 6
    assert len(caplog.records) == 1
    assert "has several prompts" in caplog.text
    own = ["a"] * 3 + ["b"] * 3
    assert load("majority")(prompts=["?"] * 6, completions=completions, group=own) == [1.0] * 6


def test_trainer_that_scores_one_by_one_gets_no_silent_zero():
    assert load("length_group(gsm8k, unit='words')")(prompts=["p"], completions=["72"], answer=["72"]) == [None]


@given(st.lists(st.tuples(st.sampled_from([None, "a", "b", "c"]), st.sampled_from([None, 0.0, 1.0])), max_size=12))
def test_a_group_has_the_pass_rate_of_its_judged_rows_and_none_without_any(rows):
    samples = [Sample(completion="", group=group) for group, _ in rows]
    scores = [Score.unjudged("no") if value is None else Score.of(value) for _, value in rows]
    judged = [(group, value) for group, value in rows if group is not None and value is not None]
    rates = pass_rates(samples, scores)
    assert rates.keys() == {group for group, _ in judged}
    for group, rate in rates.items():
        own = [value for other, value in judged if other == group]
        assert rate == pytest.approx(sum(own) / len(own))


def test_groups_of_one_name_in_two_data_sources_are_not_counted_as_one():
    samples = [Sample(completion="", group="0", data_source=name) for name in ("gsm8k", "aime")]
    scores = [Score.of(1.0), Score.of(0.0)]
    with pytest.raises(UsageError, match="gsm8k and aime have a group '0' each"):
        pass_rates(samples, scores)
    assert [pass_rates([one], [score]) for one, score in zip(samples, scores, strict=True)] == [{"0": 1.0}, {"0": 0.0}]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.integers(1, 12))
@example([0.0, 5e-324], 12)
@example([-1e308, 1e308], 3)
def test_each_reward_is_in_its_bin_and_the_bins_cover_them_all(rewards, bins):
    found = distribution(rewards, bins)
    assert sum(count for _, _, count in found) == len(rewards)
    assert (found[0][0], found[-1][1]) == (min(rewards), pytest.approx(max(rewards), abs=1e-6))
    for start, end, count in found:
        slack = 1e-6 * max(1.0, abs(start), abs(end))
        assert sum(start + slack < reward < end - slack for reward in rewards) <= count
        assert count <= sum(start - slack <= reward <= end + slack for reward in rewards)
