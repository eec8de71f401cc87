"""A ground truth that cannot be used leaves its row unjudged, whatever the completion is."""

import math

import pytest

from rewardkit import Sample, Verdict, load, registry
from rewardkit.errors import RewardkitError

COMPLETIONS = [
    "",
    "nan",
    "inf",
    "[]",
    r"\boxed{inf}",
    "<end_working_out><SOLUTION>inf</SOLUTION>",
    "<answer>[1, 2</answer>",
]
REWARDS = ("choice", "dapo_math", "exact", "gsm8k", "list_match", "math_agent", "unsloth_answer", "unsloth_numbers")


def verdicts(reward, truth):
    return {
        score.verdict for score in load(reward).score([Sample(completion=c, ground_truth=truth) for c in COMPLETIONS])
    }


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_a_number_that_is_not_finite_is_no_ground_truth(reward, number):
    assert verdicts(reward, number) == {Verdict.UNJUDGED}


@pytest.mark.parametrize("truth", [[math.nan, "4"], ["4", math.inf]])
@pytest.mark.parametrize("reward", ["exact", "list_match"])
def test_nor_is_one_in_a_list(reward, truth):
    assert verdicts(reward, truth) == {Verdict.UNJUDGED}


WAYS = (
    "{}",
    "#### {}",
    "Answer: {}",
    "<answer>{}</answer>",
    r"\boxed{{{}}}",
    "<end_working_out><SOLUTION>{}</SOLUTION>",
    "- {}\n- 5",
)
READERS = [name for name in registry.names() if "ground_truth" in registry.get(name).needs]


@pytest.mark.parametrize("reward", sorted({*READERS, *REWARDS}))
@pytest.mark.parametrize("number", [27, 0, -3, 1234567, 10**16])
def test_a_whole_float_pays_what_its_integer_text_pays(reward, number):
    try:
        made = load(reward)
    except RewardkitError as error:
        pytest.skip(str(error))
    wraps = ((lambda truth: [truth]), (lambda truth: [truth, "5"]), (lambda truth: truth))
    samples = [
        (way.format(written), wrap)
        for way in WAYS
        for written in (str(number), f"{number}.0", f"{number:,}", "8")
        for wrap in wraps[: 2 if reward == "list_match" else 3]  # a number alone is no list
    ]
    whole, text = (
        [
            (score.value, score.verdict)
            for score in made.score([Sample(completion=c, ground_truth=wrap(truth)) for c, wrap in samples])
        ]
        for truth in (float(number), str(number))
    )
    assert whole == text


@pytest.mark.parametrize("reward", ["dapo_math", "exact", "gsm8k", "math", "unsloth_answer", "unsloth_numbers"])
def test_and_the_right_answer_is_paid(reward):
    def paid(truth):
        return max(
            score.value
            for score in load(reward).score([Sample(completion=w.format(27), ground_truth=truth) for w in WAYS])
        )

    assert paid(27.0) == paid("27") > paid("28")


@pytest.mark.parametrize("truth", ["nan", "inf", "-Infinity"])
def test_nor_is_its_text_where_a_number_is_needed(truth):
    assert verdicts("unsloth_numbers", truth) == verdicts("gsm8k", truth) == {Verdict.UNJUDGED}


@pytest.mark.parametrize("truth", ["[]", '{"a": 1}', "[1, 2", " [NaN]", "[[1], 2]", "", ",", "{1, 2}"])
def test_text_that_begins_as_json_is_a_json_list_for_list_match(truth):
    assert verdicts("list_match", truth) == {Verdict.UNJUDGED}


@pytest.mark.parametrize("truth", ["1, 2", "[1, 2]", ' ["1", "2"]', "(1), 2", "a"])
def test_other_text_is_a_list_of_its_parts(truth):
    assert Verdict.UNJUDGED not in verdicts("list_match", truth)


@pytest.mark.parametrize("reward", ["exact", "choice", "list_match", "math_agent"])
def test_a_text_that_utf8_cannot_hold_equals_itself(reward):
    """Halves of surrogate pairs are replaced on both sides."""
    text = "(A) a\ud800"
    for truth in (text, [text]):
        sample = Sample(completion=text, ground_truth=truth)
        score = load(reward).score([sample])[0]
        assert score.value in {1.0, None}, score
