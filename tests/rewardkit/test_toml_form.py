"""Long rewards as TOML tables are the same rewards as in the text form."""

import pytest

from rewardkit import UsageError, load

LONG = """
[[term]]
reward = "tool_call"
missing = "seed"
[term.outcome]
reward = "by_source"
[term.outcome.routes]
"*gsm8k*" = "gsm8k"
"*mcq*" = { reward = "choice", letters = "ABCD" }
"*" = "dapo_math"

[[term]]
reward = "overlong"
weight = 0.5
max_tokens = 10480
buffer = 3000

[[term]]
reward = "scheduled"
weight = -0.1
label = "late"
outcome = "think_format(tags='think') + 0.5 * repetition"
points = [[0, 0.0], [500, 1.0]]

[[term]]
reward = "first_applicable"
weight = 0.2
rewards = ["exact", { reward = "list_match", ordered = true }]
"""
SAME = (
    "tool_call(by_source({'*gsm8k*': gsm8k, '*mcq*': choice(letters='ABCD'), '*': dapo_math}), missing='seed') "
    "+ 0.5 * overlong(max_tokens=10480, buffer=3000) "
    "- 0.1 * named('late', scheduled(think_format(tags='think') + 0.5 * repetition, [[0, 0.0], [500, 1.0]])) "
    "+ 0.2 * first_applicable([exact, list_match(ordered=True)])"
)


def write(tmp_path, text):
    path = tmp_path / "reward.toml"
    path.write_text(text)
    return str(path)


def test_tables_say_the_same_as_the_text(tmp_path):
    reward = load(write(tmp_path, LONG))
    assert reward == load(SAME)
    assert load(reward.text) == reward


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[term]]\nweight = 1", "term 1 needs an entry"),
        ('[[term]]\nreward = "gsm8k"\nweight = "much"', "weight = 'much' is not a number"),
        ('[[term]]\nreward = "gsm8k"\nweight = true', "not a number"),
        ('[[term]]\nreward = "gsm8k"\nmethd = "strict"', "methd"),
        ('[[term]]\nreward = "gsm8k"\nmethod = "lax"', "method='lax'"),
        ('[[term]]\nreward = "gsm8k + exact"\nmethod = "strict"', "is a text form, so its options belong inside it"),
        ('[[term]]\nreward = "gsm9k"\nmethod = "strict"', "did you mean 'gsm8k'"),
        ('[[term]]\nreward = "overlong"\nbuffer = 1979-05-27', "is not an option value"),
        ("term = []", "there is no [[term]]"),
        ("[[term]]\nreward = \"__import__('os')\"", "__import__"),
        ("x = 1", "[[term]] tables"),
    ],
)
def test_mistakes_name_their_place(tmp_path, text, message):
    with pytest.raises(UsageError) as caught:
        load(write(tmp_path, text))
    assert message in str(caught.value)
