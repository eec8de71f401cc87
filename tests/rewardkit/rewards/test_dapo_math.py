"""DAPO's rules, restated from verl's math_dapo in one piece each, on random completions."""

import random

from rewardkit import Sample, load
from rewardkit.rewards.dapo_math import normalize_minerva

PIECES = [
    "\\boxed{",
    "}",
    "{",
    "42",
    "\\frac{1}{2}",
    "Answer: ",
    "answer :",
    "\n",
    " so ",
    "$",
    "1,234",
    "x = ",
    "cm",
    "\\text{ m}",
    "a ",
    "0.5",
    "." * 40,
]
TRUTHS = ["42", "\\frac{1}{2}", "1234", "0.5", "x=42"]


def samples(count=5000):
    rng = random.Random(13)
    made = [
        Sample(completion="".join(rng.choices(PIECES, k=rng.randint(0, 14))), ground_truth=rng.choice(TRUTHS))
        for _ in range(count)
    ]
    boxed = [
        Sample(
            completion=f"so \\boxed{{{rng.choice(TRUTHS)}}}" + "." * rng.randint(0, 120),
            ground_truth=rng.choice(TRUTHS),
        )
        for _ in range(count)
    ]
    return made + boxed


def strict_box(completion, truth):
    tail = completion[-300:][-100:]
    start = tail.rfind("\\boxed{")
    depth, content = 0, None
    for index in range(start, len(tail)) if start >= 0 else ():
        depth += (tail[index] == "{") - (tail[index] == "}")
        if tail[index] == "}" and depth == 0:
            content = tail[start + 7 : index]
            break
    return 1.0 if content == truth else -1.0


def test_strict_box_on_random_completions():
    rows = samples()
    expected = [strict_box(row.completion, row.ground_truth) for row in rows]
    assert {1.0, -1.0} == set(expected)
    assert [score.value for score in load("dapo_math").score(rows)] == expected


def test_minerva_rules_one_by_one():
    for written, plain in {
        "x = 5": "5", "1,234": "1234", "5 cm": "5", "\\$5": "5", "\\frac12": "\\frac{1}{2}", "\\sqrt2": "\\sqrt{2}", "\\text{yes}": "yes",
        "90^\\circ": "90", "$\\frac{1}{2}$ or so": "\\frac{1}{2}", "an apple": "apple", "\\boxed{7}": "7", "{,}1": "1", "\\mathrm{th}": "",
    }.items():  # fmt: skip
        assert normalize_minerva(written) == plain, written


def test_answer_line_wins_over_the_box_where_the_box_may_stand_in():
    sample = Sample(completion="Answer: 41 and \\boxed{42}", ground_truth="42")
    assert load("dapo_math(strict=False, box_fallback=True)").score([sample])[0].value == -1
