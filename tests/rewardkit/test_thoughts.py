"""What stands in a thought is no answer, whichever template marks it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load
from rewardkit.thoughts import BEGINS, PAIRS, after_thinking, end_of_thoughts, spoken

TEMPLATES = {
    "R1": "<think>{}</think>",
    "a prompt": "<thinking>\n{}\n</thinking>",
    "a thought": "<thought>{}</thought>",
    "GRPO recipes": "<reasoning>\n{}\n</reasoning>",
    "OpenThinker": "<|begin_of_thought|>{}<|end_of_thought|>",
    "Gemma": "<start_working_out>{}<end_working_out>",
    "Magistral": "[THINK]{}[/THINK]",
    "gpt-oss with JSON": "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>",
    "gpt-oss": "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
}
ANSWERS = {
    "choice": ("The answer is B", "B"),
    "exact(tag='answer')": ("<answer>72</answer>", "72"),
    "exact": ("72", "72"),
    "gsm8k": ("It is 72", "72"),
    "list_match": ("<answer>a, b</answer>", ["a", "b"]),
    "table_match": ("|a|\n|---|\n|1|", [{"a": 1}]),
    "json_schema": ("{}", {"type": "object"}),
    "tool_match": ('<tool_call>{"name": "f", "arguments": {}}</tool_call>', [{"name": "f"}]),
    "math": ("It is \\boxed{72}.", "72"),
    "boxed_accuracy": ("It is \\boxed{72}.", "72"),
}
ENDS = [end for ends in PAIRS.values() for end in ends]
TWINS = {end: begin for begin, ends in PAIRS.items() for end in ends}
CHANNELS = ["<|channel|>analysis<|message|>", "<|channel|>final<|message|>", "<|end|>", "<|start|>assistant"]
PIECES = st.lists(st.sampled_from([*ENDS, *PAIRS, *CHANNELS, "a", "\n", ". "]), max_size=12)


NEEDS_ANSWER_LAST = {"math", "boxed_accuracy"}
PROMPTED = {"a prompt", "a thought", "GRPO recipes", "Gemma"}


@pytest.mark.parametrize("reward", ANSWERS)
@pytest.mark.parametrize("template", TEMPLATES)
def test_only_what_stands_behind_a_thought_is_paid(reward, template):
    answer, truth = ANSWERS[reward]
    thought = TEMPLATES[template]
    for text, paid in (
        (thought.replace("{}", answer) + "\nI don't know", False),
        (thought.replace("{}", "hm") + "\n" + answer, True),
        (thought.replace("{}", answer) + "\n" + answer, True),
        (
            answer + "\n" + thought.replace("{}", "hm"),
            reward == "tool_match" or (template in PROMPTED and reward not in NEEDS_ANSWER_LAST),
        ),
    ):
        (score,) = load(reward).score([Sample(completion=text, ground_truth=truth)])
        assert (score.value == 1) == paid, (text, score)


@given(PIECES)
def test_thoughts_are_left_out_of_any_text(pieces):
    text = "".join(pieces)
    tail = text[end_of_thoughts(text) :]
    assert not any(mark in tail for mark in ENDS)
    assert after_thinking(text) in text.replace("<|channel|>", "") or "<|channel|>" in text
    assert tail in ("", text) or not any(after_thinking(tail).endswith(mark) for mark in ENDS)


def test_thoughts_of_different_kinds_end_apart():
    call, other = (f'<tool_call>{{"name": "{name}"}}</tool_call>' for name in "fg")
    for end in (end for end in ENDS if end != "</think>"):
        assert spoken(f"<think>a {end} {call}</think>{other}") == other
    assert spoken(f"{call}<reasoning>so</reasoning>{other}") == call + other
    assert spoken(f"<|channel|>analysis<|message|>{call}<|end|>{other}") == other
    assert spoken('{"a": "</reasoning>"}') == '{"a": "</reasoning>"}'


@pytest.mark.parametrize(
    "mark",
    [*PAIRS, *ENDS, *CHANNELS, "".join(CHANNELS), "".join(PAIRS), *(begin + end for end, begin in TWINS.items())],
)
def test_a_million_marks_are_read_in_time_that_is_linear(mark):
    """A quadratic search would take hours (the suite's own limit is the clock)."""
    for tail in ("", *ENDS):
        text = mark * (200_000 // len(mark)) + tail
        after_thinking(text)
        spoken(text)
        end_of_thoughts(text)


def test_what_opens_a_thought_has_what_ends_it():
    assert all(re.match(BEGINS, begin) for begin in ("<think>", "<thinking>", "[THINK]", "<|begin_of_thought|>"))
    assert after_thinking("[THINK]72") == after_thinking("<|channel|>analysis<|message|>72") == ""
