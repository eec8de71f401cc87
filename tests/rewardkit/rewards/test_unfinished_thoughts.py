"""What stands in a thought that never ends is no answer, wherever the thought begins."""

import pytest

from rewardkit import Sample, load

RIGHT = {
    "choice": ("Answer: B", "B"),
    "exact": ("72", "72"),
    "gsm8k": ("It is 72", "72"),
    "list_match": ("- a\n- b", ["a", "b"]),
    "table_match": ("|a|\n|---|\n|1|", [{"a": 1}]),
    "json_schema": ("{}", {"type": "object"}),
    "code_fence": ("```python\nx = 1\n```", None),
    "tool_match": ('<tool_call>{"name": "f", "arguments": {}}</tool_call>', [{"name": "f"}]),
    "tool_call_format": ('<tool_call>{"name": "f", "arguments": {}}</tool_call>', None),
    "ifeval": ("one two", {"instruction_id_list": ["length_constraints:number_words"], "kwargs": [{"num_words": 1, "relation": "at least"}]}),
    "math": (r"\boxed{72}", "72"),
}  # fmt: skip
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
)


@pytest.mark.parametrize("reward", RIGHT)
@pytest.mark.parametrize("frame", [*FINISHED, *CUT])
def test_a_thought_that_never_ends_leaves_no_answer(reward, frame):
    answer, truth = RIGHT[reward]
    if reward in {"math", "tool_match", "tool_call_format"} and frame == "<think>a</think>{}\n<think>":
        pytest.skip("an answer in front of the thought is one, and a call was made")
    (score,) = load(reward).score([Sample(completion=frame.replace("{}", answer, 1), ground_truth=truth)])
    assert score.value == (frame in FINISHED), score


NAMED = (
    "I will not write <think> tags.\n{}",
    "<think>a</think>The <think> tag is not needed.\n{}",
    "No `<think>` here.\n{}",
    'a</think>Not "<think>".\n{}',
)


@pytest.mark.parametrize("reward", [name for name in RIGHT if name not in {"exact", "json_schema", "ifeval", "math"}])
@pytest.mark.parametrize("frame", NAMED)
def test_a_tag_that_is_only_named_opens_no_thought(reward, frame):
    answer, truth = RIGHT[reward]
    (score,) = load(reward).score([Sample(completion=frame.replace("{}", answer, 1), ground_truth=truth)])
    assert score.value == 1, score
