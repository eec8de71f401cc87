"""The same values as open-r1's functions, whose formulas are restated here: the regular expressions and sums of its rewards.py."""

import math
import random
import re

import pytest

from rewardkit import Sample, load

LAYOUT = r"^<think>\n.*?\n</think>\n<answer>\n.*?\n</answer>$"
CODE = r"^<think>\n.*?\n</think>\n<answer>\n.*?```python.*?```.*?\n</answer>$"
STEPS = r"(Step \d+:|^\d+\.|\n-|\n\*|First,|Second,|Next,|Finally,)"
PIECES = ["<think>\n", "\n</think>\n", "<answer>\n", "\n</answer>", "<think>", "</answer>", "\n", "a b a b ", "Step 3:", "1.", "\n- x", "\n* y",
          "First, ", "Finally,", "```python\n", "```", "x = 1", " "]  # fmt: skip


def texts(count=4000, seed=11):
    rng = random.Random(seed)
    free = ["".join(rng.choices(PIECES, k=rng.randint(0, 9))) for _ in range(count)]
    frame = "<think>\n{}\n</think>\n<answer>\n{}\n</answer>{}"
    ends = ["", "", "\n", " ", "\nx"]
    framed = [frame.format(rng.choice(free), rng.choice(free), rng.choice(ends)) for _ in range(count)]
    return free + framed


def found(pattern, text):
    return float(re.match(pattern, text, re.DOTALL | re.MULTILINE) is not None)


def tags(text):
    return sum(0.25 for mark in ("<think>\n", "\n</think>\n", "\n<answer>\n", "\n</answer>") if text.count(mark) == 1)


def steps(text):
    return min(1.0, len(re.findall(STEPS, text)) / 3)


def repetition(text, size, penalty):
    words = text.lower().split()
    if not text or len(words) < size:
        return 0.0
    grams = list(zip(*(words[offset:] for offset in range(size)), strict=False))
    return (1 - len(set(grams)) / len(grams)) * penalty


@pytest.mark.parametrize(
    ("reward", "formula"),
    [
        ("open_r1_format", lambda text: found(LAYOUT, text)),
        ("code_format", lambda text: found(CODE, text)),
        ("tag_count", tags),
        ("reasoning_steps", steps),
        ("repetition(ngram=2, max_penalty=-0.5)", lambda text: repetition(text, 2, -0.5)),
        ("repetition(ngram=3)", lambda text: repetition(text, 3, -1.0)),
    ],
)
def test_value_on_random_completions(reward, formula):
    samples = [Sample(completion=text) for text in texts()]
    expected = [formula(sample.completion) for sample in samples]
    assert len(set(expected)) > 1
    assert [score.value for score in load(reward).score(samples)] == pytest.approx(expected, abs=1e-12)


def group(lengths, right):
    return [
        Sample(completion=("#### 72" if ok else "#### 71").rjust(length), ground_truth="72", group="g")
        for length, ok in zip(lengths, right, strict=True)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_length_reward_of_a_group(seed):
    rng = random.Random(seed)
    lengths, right = [rng.randint(7, 60) for _ in range(8)], [rng.random() < 0.5 for _ in range(8)]
    low, high = min(lengths), max(lengths)
    share = [0.5 - (length - low) / (high - low) for length in lengths]
    expected = [value if ok else min(0, value) for value, ok in zip(share, right, strict=True)]
    scores = load("length_group(gsm8k, unit='chars')").score(group(lengths, right))
    assert [score.value for score in scores] == pytest.approx(expected)


def test_cosine_counts_characters_without_stopping():
    reward = load("cosine(gsm8k, max_length=20, unit='chars', stop=False)")
    for length in range(7, 60):
        for ok in (True, False):
            low, high = (0.5, 1.0) if ok else (-0.5, -1.0)
            expected = low + 0.5 * (high - low) * (1 + math.cos(length / 20 * math.pi))
            assert reward.score(group([length], [ok]))[0].value == pytest.approx(expected)
