"""A weight that follows the trainer's step, through TRL's columns and through extra_info alike."""

from types import SimpleNamespace

import pytest

from rewardkit import Sample, UsageError, load
from rewardkit.rewards.scheduled import Scheduled

WARM_UP = "gsm8k + scheduled(length_penalty(max_tokens=4, unit='words'), [[0, 0.0], [100, 1.0]])"


@pytest.mark.parametrize(("step", "expected"), [(0, 1.0), (50, 0.75), (100, 0.5), (400, 0.5)])
def test_step_comes_from_trl_or_from_extra_info(step, expected):
    reward = load(WARM_UP)
    state = SimpleNamespace(global_step=step)
    assert reward(completions=["is 72"], answer=["72"], trainer_state=state) == [expected]
    sample = Sample(completion="is 72", ground_truth="72", extra_info={"global_step": step})
    assert reward.score([sample])[0].value == expected


def test_trainer_knows_better_than_a_column_of_that_name():
    values = load(WARM_UP)(
        completions=["is 72"], answer=["72"], global_step=[0], trainer_state=SimpleNamespace(global_step=100)
    )
    assert values == [0.5]


def test_weight_is_a_broken_line():
    reward = load("scheduled(gsm8k, [[10, 1.0], [20, 3.0], [30, 0.0]])")
    assert isinstance(reward, Scheduled)
    assert [reward.weight(step) for step in (0, 10, 15, 20, 25, 30, 99)] == [1.0, 1.0, 2.0, 3.0, 1.5, 0.0, 0.0]


def test_unweighted_value_stays_visible_as_a_part():
    score = load(WARM_UP).score([Sample(completion="is 72", ground_truth="72", extra_info={"global_step": 50})])[0]
    assert score.parts == {"gsm8k": 1.0, "length_penalty": -0.25, "length_penalty.length_penalty": -0.5}


@pytest.mark.parametrize("points", ["[]", "[[1, 2, 3]]", "[[10, 1.0], [5, 1.0]]", "[[0, 'x']]", "3"])
def test_points_must_rise(points):
    with pytest.raises(UsageError):
        load(f"scheduled(gsm8k, {points})")
