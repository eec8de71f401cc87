"""What stands in a thought is no answer, whichever template marks it, and wherever a thought begins that never ends."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load, thoughts
from rewardkit.thoughts import PAIRS, after_thinking, spoken

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
PROMPTED = {"a prompt", "a thought", "GRPO recipes", "Gemma"}
RIGHT = {
    "choice": ("Answer: B", "B"),
    "exact": ("72", "72"),
    "exact(tag='answer')": ("<answer>72</answer>", "72"),
    "gsm8k": ("It is 72", "72"),
    "list_match": ("- a\n- b", ["a", "b"]),
    "table_match": ("|a|\n|---|\n|1|", [{"a": 1}]),
    "json_schema": ("{}", {"type": "object"}),
    "code_fence": ("```python\nx = 1\n```", None),
    "tool_match": ('<tool_call>{"name": "f", "arguments": {}}</tool_call>', [{"name": "f"}]),
    "tool_call_format": ('<tool_call>{"name": "f", "arguments": {}}</tool_call>', None),
    "ifeval": ("one two", {"instruction_id_list": ["length_constraints:number_words"], "kwargs": [{"num_words": 1, "relation": "at least"}]}),
    "math": (r"\boxed{72}", "72"),
    "boxed_accuracy": (r"\boxed{72}", "72"),
}  # fmt: skip
CALLS, BOXES = {"tool_match", "tool_call_format"}, {"math", "boxed_accuracy"}
FINISHED = (
    "{}",
    "<think>a</think>{}",
    "a</think>{}",
    "<think>a <think> b</think>\n{}",
    "<think>a</think><think>b</think>{}",
)
CUT = (
    "<think>{}",
    "Sure. <think>{}",
    "Okay, <think>\n{}",
    "assistant: <think> \r\n{}",
    "<think>a</think>{}\n<think>",
    "<think>a</think> <think> {}",
    "<|im_start|>assistant\n<think>\n{}",
    "a</think><think>{}",
    "[THINK]{}",
    "<|start|>assistant<|channel|>analysis<|message|>{}",
)
NAMED = (
    "I will not write <think> tags.\n{}",
    "<think>a</think>The <think> tag is not needed.\n{}",
    "No `<think>` here.\n{}",
    'a</think>Not "<think>".\n{}',
)


def is_paid(reward, frame):
    answer, truth = RIGHT[reward]
    (score,) = load(reward).score([Sample(completion=frame.replace("{}", answer, 1), ground_truth=truth)])
    return score.value == 1


@pytest.mark.parametrize("reward", RIGHT)
@pytest.mark.parametrize("template", TEMPLATES)
def test_what_stands_in_a_thought_is_not_paid(reward, template):
    thought = TEMPLATES[template]
    assert is_paid(reward, thought + "\nI don't know") == (reward == "ifeval")  # which these words fulfil
    assert is_paid(reward, thought.replace("{}", "hm") + "\n{}")
    in_front = reward in CALLS or (template in PROMPTED and reward not in BOXES)
    assert is_paid(reward, "{}\n" + thought.replace("{}", "hm", 1).replace("{}", "")) == in_front


@pytest.mark.parametrize("reward", RIGHT)
@pytest.mark.parametrize("frame", [*FINISHED, *CUT])
def test_a_thought_that_never_ends_leaves_no_answer(reward, frame):
    if reward in CALLS | BOXES and frame == "<think>a</think>{}\n<think>":
        pytest.skip("an answer in front of the thought is one, and a call was made")
    assert is_paid(reward, frame) == (frame in FINISHED)


@pytest.mark.parametrize("reward", [name for name in RIGHT if name not in {"exact", "json_schema", "ifeval", *BOXES}])
@pytest.mark.parametrize("frame", NAMED)
def test_a_tag_that_is_only_named_opens_no_thought(reward, frame):
    assert is_paid(reward, frame)


KINDS = [(begin, end) for begin, ends in PAIRS.items() for end in ends]
WITHIN = st.lists(st.sampled_from(["hm", "\n", ". ", *PAIRS, *(end for _, end in KINDS)]), max_size=4)


@given(
    st.lists(st.tuples(st.sampled_from(["", "a", "b.\n"]), st.sampled_from(KINDS), WITHIN), min_size=1), st.text("ab.")
)
def test_a_thought_ends_by_its_own_mark_alone(rounds, last):
    """Whatever other marks stand in it; a first `</think>` alone may end a thought that the prompt opened."""
    parts = []
    for said, (begin, end), within in rounds:
        inside = "".join(mark for mark in within if mark not in (*PAIRS[begin], "</think>"))
        parts += [said, begin + inside + end]
    assert spoken("".join([*parts, last])) == "".join([*parts[::2], last])
    if last.strip() and not any(begin in part for begin in PAIRS for part in parts[-1:] if part.count(begin) > 1):
        assert after_thinking("".join([*parts, last])) == last


def test_the_thoughts_of_a_channel_end_apart():
    assert spoken("<|channel|>analysis<|message|>a<|end|>b<|channel|>analysis<|message|>c<|end|>d") == "bd"
    assert spoken('{"a": "</reasoning>"}') == '{"a": "</reasoning>"}'


class Counted:
    """A pattern that counts the characters it looks at."""

    seen = 0

    def __init__(self, pattern):
        self.pattern = pattern

    def search(self, text, place=0):
        found = self.pattern.search(text, place)
        Counted.seen += (found.end() if found else len(text)) - place
        return found


@pytest.mark.parametrize("tail", ["", *(end for _, end in KINDS)])
@pytest.mark.parametrize(
    "marks", [*PAIRS, *(begin + end for begin, end in KINDS), *map("".join, itertools.permutations(PAIRS, 2))]
)
def test_each_character_is_looked_at_a_few_times(marks, tail, monkeypatch):
    monkeypatch.setattr(thoughts, "_BEGIN", Counted(thoughts._BEGIN))
    monkeypatch.setattr(thoughts, "_END", {begin: Counted(end) for begin, end in thoughts._END.items()})
    Counted.seen = 0
    text = marks * 300 + tail
    spoken(text)
    assert Counted.seen > 0 or tail == "</think>"  # which ends a thought that the prompt opened
    assert Counted.seen <= (2 + len(PAIRS)) * len(text)
