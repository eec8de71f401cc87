from __future__ import annotations

import pytest

from rewardkit.math.conclusion import said_by_sentence
from rewardkit.math.sentences import counted, lone_number


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("42 cookies were sold", "42 cookies"),
        ("$14 in total", "$14"),
        ("12 minutes to speak", "12 minutes"),
        ("14 in base seven", None),
        ("14 to one", None),
        ("14 or fewer", None),
        ("14 in the first case", None),
        ("14 times as many", None),
    ],
)
def test_a_number_of_things_without_what_is_said_of_them(value, number):
    assert counted(value) == number


@pytest.mark.parametrize(
    ("sentence", "number"),
    [
        ("So in 7 days she walks 42 miles.", "42 miles"),
        ("So each of the 4 children gets 42 candies.", "42"),
        ("Therefore, after 3 years the account holds $42.", "$42"),
        ("Hence it suffices to consider 15 of them.", None),
        ("So 3 of the 4 boys and 5 girls came.", None),
        ("Therefore the total is not 42.", None),
    ],
)
def test_the_one_number_of_a_concluding_sentence(sentence, number):
    assert lone_number(sentence) == number


@pytest.mark.parametrize(
    ("truth", "value"),
    [
        ("The minimum value of \\frac{1}{x} \\text{ is } 4.", "4"),
        ("The range of values for a is a \\leq 3.", "a \\leq 3"),
        ("The sum is less than zero.", None),
        ("The smaller root is 3 and the larger root is 4.", None),
        ("4 apples are left", None),
    ],
)
def test_the_value_of_a_ground_truth_that_is_a_sentence(truth, value):
    assert said_by_sentence(truth) == value
