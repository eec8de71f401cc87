"""Options that make no sense are refused when a reward is made, one bound at a time; the bounds themselves are taken."""

import math
import re
from dataclasses import replace

import pytest

from rewardkit import Sample, UsageError, load

REFUSED = """
answer_only(math, delimiter='') | empty
choice(letters='abc') | capital
choice(letters='A1') | capital
choice(letters='') | capital
choice(letters='AAB') | once
choice(letters='ΑΒΓ') | capital
clip(exact, low=1, high=0.5) | above
code(language='cobol') | cobol
code(k=0) | k is 0
code(max_tests=0) | max_tests is 0
code(workers=0) | workers is 0
code(cpu_s=0) | cpu_s
code(cpu_s=601) | cpu_s
code(memory_mb=15) | memory_mb
code(output_mb=0) | output_mb
code(output_mb=65) | output_mb
cosine(math, max_length=0) | max_length
first_applicable([]) | at least one
by_source({}) | at least one
grounded_numbers(penalty=-0.1) | penalty
json_schema(schema='{"type": 5}') | type
json_schema(schema='{"type": "strin"}') | strin
json_schema(schema='{"minLength": "a"}') | minLength
json_schema(schema='[1]') | object
length_penalty(max_tokens=0) | max_tokens
length_penalty(factor=-1) | factor
length_target(math, alpha=-1) | alpha
length_target(math, target=-1) | target
majority(least=0) | least
overlong(max_tokens=0, buffer=0, floor=True) | max_tokens
overlong(max_tokens=10, buffer=-1) | buffer
overlong(max_tokens=10, buffer=11) | buffer
overlong(max_tokens=10, buffer=2, factor=-1) | factor
overlong(max_tokens=10, buffer=0) | floor=True
reasoning_steps(steps=0) | steps
remote([]) | at least one
remote('http://localhost:1', batch=0) | batch
remote('http://localhost:1', concurrency=0) | concurrency
remote('http://localhost:1', timeout_s=0) | timeout_s
remote('http://localhost:1', timeout_s=1e10) | timeout_s
remote('http://local host') | not the URL
remote('http://foo..bar') | not a URL
repetition(ngram=0) | ngram
repetition(max_penalty=0.5) | max_penalty
scale(exact, low=1, high=1) | both 1
scheduled(exact, points=[]) | rising
scheduled(exact, points=[[5, 0.1], [5, 1.0]]) | rising
section_length(tag='a', low=0, high=2) | low
section_length(tag='a', low=3, high=2) | low
format(tags='') | tags
exact(tag='<answer>') | tag
exact(tag='think, answer') | one name
section_length(tag='think, answer') | one name
turn_protocol(max_rounds=-1) | max_rounds
math(rtol=-1.0) | rtol
math(rtol=2.0) | rtol
length_group(exact, least=0) | least
grpo_tcr(buffer=20000) | buffer
grpo_tcr(max_tokens=0) | max_tokens
grpo_tcr(factor=-1.0) | factor
grpo_tcr(cpu_s=-1.0) | cpu_s
tag_count(tags='think, an!swer') | tags
tag_count(tags='a, b, a') | each tag once
think_format(tags=', ,') | tags
section_length(tag='', low=1, high=2) | tags
tool_efficiency(penalty=-1) | penalty
tool_efficiency(floor=0.5) | floor
"""
TAKEN = """
choice(letters='ABCDEFG')
clip(exact, low=1, high=1)
code(k=1, max_tests=1, workers=1)
code(cpu_s=600, memory_mb=16, output_mb=64)
cosine(math, max_length=1)
grounded_numbers(penalty=0)
length_group(exact, least=1)
length_penalty(max_tokens=1, factor=0)
turn_protocol(max_rounds=0)
math(rtol=0.99)
exact(tag='boxed')
length_target(math, alpha=0, target=0)
majority(least=1)
overlong(max_tokens=10, buffer=10, factor=0)
overlong(max_tokens=10, buffer=0, floor=True)
reasoning_steps(steps=1)
remote('http://localhost:1', batch=1, concurrency=1, timeout_s=0.1)
repetition(ngram=1, max_penalty=0)
scheduled(exact, points=[[5, 1.0]])
section_length(tag='a', low=2, high=2)
tag_count(tags='a_b, c-d')
tool_efficiency(penalty=0, floor=0)
"""


@pytest.mark.parametrize("line", REFUSED.split("\n")[1:-1])
def test_an_option_out_of_bounds_is_refused_by_its_name(line):
    text, word = line.split(" | ")
    with pytest.raises(UsageError, match=re.escape(word)):
        load(text)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize(
    ("text", "option"),
    [("clip(exact)", "low"), ("clip(exact)", "high"), ("optional(exact)", "default"), ("answer_only(exact)", "wrong"), ("math", "wrong"),
     ("math", "rtol"), ("length_group(exact, form='lead')", "alpha")],
)  # fmt: skip
def test_a_number_that_is_not_finite_is_refused(text, option, number):
    with pytest.raises(UsageError, match=option):
        replace(load(text), **{option: number})


@pytest.mark.parametrize("alpha", [-1e9, -1000.0, 0.05, 1000.0, 1e9])
def test_any_slope_of_length_group_gives_numbers(alpha):
    samples = [Sample(completion="x", ground_truth="x", group="g", completion_tokens=count) for count in (1, 10, 100)]
    assert all(
        score.value is not None for score in load(f"length_group(exact, form='lead', alpha={alpha})").score(samples)
    )


@pytest.mark.parametrize("text", TAKEN.split("\n")[1:-1])
def test_the_bounds_are_allowed(text):
    assert load(load(text).text) == load(text)


@pytest.mark.parametrize(
    ("completion", "finish", "kind"),
    [
        (r"\boxed{42}", "stop", "correct"),
        (r"\boxed{42}", "length", "correct"),
        (r"\boxed{43}", "stop", "wrong_value"),
        ("so 42", "stop", "no_box"),
        ("so 42", "length", "truncated"),
        ("<think>so 42", "stop", "truncated"),
        ("<think>so</think> 42", "stop", "no_box"),
        (r"so \boxed{42", "length", "truncated"),
        (" \n", "length", "empty"),
        (r"\boxed{answer}", "stop", "format_only"),
    ],
)
def test_boxed_accuracy_names_what_became_of_the_answer(completion, finish, kind):
    sample = Sample(completion=completion, ground_truth="42", finish_reason=finish)
    score = load("boxed_accuracy").score([sample])[0]
    assert [name for name, value in score.parts.items() if value] == [kind]
    assert score.value == (kind == "correct")
