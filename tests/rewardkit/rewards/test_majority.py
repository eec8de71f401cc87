"""The vote of a group does not depend on the order of its completions."""

from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load
from rewardkit.rewards.majority import MAX_ANSWERS

ANSWERS = st.sampled_from(
    [r"\boxed{5}", r"\boxed{5\text{ cm}}", r"\boxed{5\text{ m}}", r"\boxed{1/2}", r"\boxed{0.5}", r"\boxed{x}", "none"]
)


def voted(completions):
    scores = load("majority").score([Sample(completion=completion, group="g") for completion in completions])
    return [(score.value, score.verdict) for score in scores]


@given(st.lists(ANSWERS, min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_order_does_not_matter(completions, rng):
    order = rng.sample(range(len(completions)), len(completions))
    before, after = voted(completions), voted([completions[place] for place in order])
    assert after == [before[place] for place in order]


def test_an_answer_has_the_votes_of_all_that_are_equal_to_it():
    answers = [r"\boxed{5}", r"\boxed{5\text{ cm}}", r"\boxed{5\text{ m}}", r"\boxed{6}", r"\boxed{6}"]
    assert [value for value, _ in voted(answers)] == [1, 1, 1, 0, 0]
    assert {value for value, _ in voted(answers[1:3])} == {None}


def test_answers_beyond_those_that_are_compared_may_still_be_the_winner():
    others = [rf"\boxed{{{number}}}" for number in range(1, MAX_ANSWERS + 50)]
    assert [value for value, _ in voted([*others, *[r"\boxed{0.5}"] * 2, r"\boxed{x}", r"\boxed{\frac12}"])][-4:] == [
        1,
        1,
        0,
        1,
    ]
