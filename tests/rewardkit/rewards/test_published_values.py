"""Presets against the published functions on 2,000 adversarial texts each: every value is the same float.

The functions are restated here from the published code; where the sources lie beside the checkout (`../shared/seeds`), the
texts are run through those, too.
"""

import random
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from rewardkit import Sample, load

SEEDS = Path(__file__).parents[4] / "shared" / "seeds"
TEXTS = 2_000
EOS = "<|endoftext|>"
PIECES = (
    "<think>", "</think>", "<think>48 / 2 = 24 clips in May.\n48 + 24 = 72 in all.</think>", "<end_working_out>",
    "<start_working_out>", "<SOLUTION>", "</SOLUTION>", "<SOLUTION>72</SOLUTION>", "<SOLUTION> 72\n</SOLUTION>",
    "<end_working_out>\n<SOLUTION>72</SOLUTION>", "<end_working_out><SOLUTION>", EOS, "<|im_end|>", "</s>", "\n", "\n\n",
    " ", "\t", "\r", "\x0b", "\u2028", "\xa0", "72", "71.3", "72.72", "-72", "7,2", "1,234", "0072", "72.", ".5", "7.2.1", ",",
    ",,", "-", "- 72", "$72", "1e3", "\u0667\u0662", "seventy", "nan", "inf", "72%", "72/1", "x", "=", "\xd7", "words " * 40,
    "w " * 301, "v " * 801, "0", "80", "86.4", "\ud800",
)  # fmt: skip
TRUTHS = ("72", "72.0", "-72", "1234", "0", "0.5", "1e3", " 72", "72 ")


def texts(seed):
    rng = random.Random(seed)
    frame = "<end_working_out>{}<SOLUTION>{}</SOLUTION>{}"
    for index in range(TEXTS):
        pieces = ["".join(rng.choices(PIECES, k=rng.randint(0, 6))) for _ in range(3)]
        yield frame.format(*pieces) if index % 3 == 0 else "".join(pieces), rng.choice(TRUTHS)


def agent(completions, answer):
    """`math_agent_reward` of the chapter."""
    rewards = []
    for text, truth in zip(completions, answer, strict=True):
        reward = 0.0
        try:
            numbers = re.findall(r"-?[\d,]+\.?\d*", text)
            if numbers:
                true = float(str(truth).replace(",", ""))
                if abs(float(numbers[-1].replace(",", "")) - true) / (abs(true) + 1e-8) < 0.01:
                    reward += 0.50
        except (ValueError, TypeError, ZeroDivisionError):
            pass
        if "<think>" in text and "</think>" in text:
            thought = text.split("<think>")[1].split("</think>")[0]
            reward += 0.10
            if len(thought.strip()) > 20:
                reward += 0.10
            if len([line for line in thought.split("\n") if line.strip()]) >= 2:
                reward += 0.10
            if re.search(r"[\d+\-*/=]", thought):
                reward += 0.10
        words = len(text.split())
        if words <= 300:
            reward += 0.10
        elif words > 800:
            reward -= 0.05
        rewards.append(max(0.0, reward))
    return rewards


FRAME = re.compile(
    r"<end_working_out>.*?<SOLUTION>(.+?)</SOLUTION>[\s]{0,}(?:" + re.escape(EOS) + r")?[\s]{0,}$",
    re.MULTILINE | re.DOTALL,
)
NUMBER = re.compile(r"<SOLUTION>.*?[\s]{0,}([-]?[\d\.\,]{1,})", re.MULTILINE | re.DOTALL)


def group(pattern, text):
    match = pattern.search(text)
    return match.group(1) if match else None


def exact(completions, answer):
    return [3.0 if FRAME.search(text) else 0.0 for text in completions]


def approx(completions, answer):
    tags = ("<end_working_out>", "<SOLUTION>", "</SOLUTION>")
    return [sum(0.5 if text.count(tag) == 1 else -1.0 for tag in tags) for text in completions]


def check_answer(completions, answer):
    return [ratio_value(group(FRAME, text), truth) for text, truth in zip(completions, answer, strict=True)]


def ratio_value(guess, true):
    if guess is None:
        return -2.0
    if guess == true:
        return 5.0
    if guess.strip() == true.strip():
        return 3.5
    try:
        ratio = float(guess) / float(true)
    except (ValueError, ZeroDivisionError):
        return -4.5
    return 2.0 if 0.9 <= ratio <= 1.1 else 1.5 if 0.8 <= ratio <= 1.2 else -2.5


def check_numbers(completions, answer):
    values = []
    for text, true in zip(completions, answer, strict=True):
        guess = group(NUMBER, text)
        try:
            value = -2.5 if guess is None else 3.5 if float(guess.replace(",", "")) == float(true.strip()) else -1.5
        except ValueError:
            value = 0
        values.append(value)
    return values


RESTATED = {
    "math_agent": agent, "unsloth_format_exact": exact, "unsloth_format_approx": approx, "unsloth_answer": check_answer,
    "unsloth_numbers": check_numbers,
}  # fmt: skip


@cache
def sources():
    """The published functions themselves, in the shape of the restated ones."""
    chapter = next(SEEDS.glob("002_*.txt")).read_text(encoding="utf-8")
    notebook = next(SEEDS.glob("003_*.txt")).read_text(encoding="utf-8")
    code = re.search(r"def math_agent_reward.*?    return rewards\n", chapter, re.DOTALL)[0]
    rewards = re.search(r"import re\nsolution_end_regex.*?(?=⸻)", notebook, re.DOTALL)[0]
    tags = {"reasoning_end": "<end_working_out>", "solution_start": "<SOLUTION>", "solution_end": "</SOLUTION>"}
    space = {"re": re, "tokenizer": SimpleNamespace(eos_token=EOS), **tags}
    exec(code + rewards, space)
    space["PRINT_EVERY_STEPS"] = 10**9
    space["PRINTED_TIMES"] = 1

    def chats(name):
        def function(completions, answer):
            wrapped = [[{"content": text}] for text in completions]
            return space[name](prompts=[[{"content": ""}]] * len(wrapped), completions=wrapped, answer=answer)

        return function

    return {
        "math_agent": lambda completions, answer: space["math_agent_reward"](completions, answer=answer),
        "unsloth_format_exact": chats("match_format_exactly"),
        "unsloth_format_approx": chats("match_format_approximately"),
        "unsloth_answer": chats("check_answer"),
        "unsloth_numbers": chats("check_numbers"),
    }


def compare(name, published):
    completions, answers = zip(*texts(name), strict=True)
    ours = load(name).score(
        [Sample(completion=text, ground_truth=truth) for text, truth in zip(completions, answers, strict=True)]
    )
    theirs = published(list(completions), answer=list(answers))
    differ = [
        (text[:200], truth, score.value, value)
        for text, truth, score, value in zip(completions, answers, ours, theirs, strict=True)
        if score.value != value
    ]
    assert len(set(theirs)) > 3 or name.startswith("unsloth_format")
    assert not differ, (len(differ), differ[:3])


@pytest.mark.parametrize("name", RESTATED)
def test_values_are_the_published_ones_to_the_last_digit(name):
    compare(name, RESTATED[name])


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the published sources do not lie beside the checkout")
@pytest.mark.parametrize("name", RESTATED)
def test_values_are_those_of_the_published_code_itself(name):
    compare(name, sources()[name])


@pytest.mark.parametrize(
    ("reward", "text", "published", "fixed"),
    [
        ("math_agent", "", 0.1, 0.0),
        ("math_agent", "72, and so on,", 0.1, 0.6),
        ("math_agent", "7,2", 0.6, 0.1),
        ("math_agent", "</think><think> 72", 0.8, 0.6),
        ("unsloth_answer", "<end_working_out><SOLUTION>72</SOLUTION><|im_end|>", -2.0, 5.0),
        ("unsloth_answer", "<end_working_out><SOLUTION>72</SOLUTION>\nand more", 5.0, -2.0),
        ("unsloth_format_exact", "<end_working_out><SOLUTION>72</SOLUTION>\nand more", 3.0, 0.0),
    ],
)
def test_what_the_option_mends(reward, text, published, fixed):
    sample = Sample(completion=text, ground_truth="72")
    assert load(reward).score([sample])[0].value == pytest.approx(published)
    assert load(f"{reward}(fixed=True)").score([sample])[0].value == pytest.approx(fixed)


@pytest.mark.parametrize(
    "piece", ["<end_working_out>", "<SOLUTION>", "</SOLUTION>", "</SOLUTION> ", "\n", " ", "9", "<think>"]
)
def test_hostile_repetition_takes_linear_time(piece):
    """Each of these takes the published patterns minutes; here 1 MB ends at once (the suite's own limit is the clock)."""
    text = "<end_working_out><SOLUTION>" + piece * (1_000_000 // len(piece)) + "x"
    for name in RESTATED:
        assert load(name).score([Sample(completion=text, ground_truth="72")])[0].value is not None
