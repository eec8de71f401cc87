"""What stands in a thought is no answer, whichever template marks it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load
from rewardkit.thoughts import BEGINS, ENDS, after_thinking, end_of_thoughts, spoken

TEMPLATES = {
    "R1": "<think>{}</think>",
    "a prompt": "<thinking>\n{}\n</thinking>",
    "a thought": "<thought>{}</thought>",
    "GRPO recipes": "<reasoning>\n{}\n</reasoning>",
    "OpenThinker": "<|begin_of_thought|>{}<|end_of_thought|>",
    "Gemma": "<start_working_out>{}<end_working_out>",
    "Magistral": "[THINK]{}[/THINK]",
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
PIECES = st.lists(st.sampled_from([*ENDS, "<think>", "[THINK]", "<|channel|>analysis<|message|>", "a", "\n", ". "]), max_size=12)


@pytest.mark.parametrize("reward", ANSWERS)
@pytest.mark.parametrize("template", TEMPLATES)
def test_only_what_stands_behind_a_thought_is_paid(reward, template):
    answer, truth = ANSWERS[reward]
    thought = TEMPLATES[template]
    for text, paid in (
        (thought.replace("{}", answer) + "\nI don't know", False),
        (thought.replace("{}", "hm") + "\n" + answer, True),
        (thought.replace("{}", answer) + "\n" + answer, True),
    ):
        (score,) = load(reward).score([Sample(completion=text, ground_truth=truth)])
        assert (score.value == 1) == paid, (text, score)


@given(PIECES)
def test_thoughts_are_left_out_of_any_text(pieces):
    text = "".join(pieces)
    tail = text[end_of_thoughts(text) :]
    assert not any(mark in tail for mark in ENDS)
    assert after_thinking(text) in ("", tail)
    assert after_thinking(spoken(text)) in spoken(text)


def test_what_opens_a_thought_has_what_ends_it():
    assert all(re.match(BEGINS, begin) for begin in ("<think>", "<thinking>", "[THINK]", "<|begin_of_thought|>"))
    assert after_thinking("[THINK]72") == after_thinking("<|channel|>analysis<|message|>72") == ""
