"""What is judged is the answer alone, in whatever form the completion comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import AnswerOnly, Sample, Score

FIRST = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "<think>a</think>b"}]


def seen(sample):
    """What a function of columns and one of samples are given, inside `answer_only`."""
    found = []

    def by_columns(completions):
        found.extend(completions)
        return [1.0] * len(completions)

    def by_sample(sample):
        found.append(sample)
        return Score.of(True)

    for function in (by_columns, by_sample):
        AnswerOnly(function).score([sample])
    return found


@given(st.text(max_size=5), st.sampled_from(["", "x", "<answer>1</answer>"]))
def test_a_function_sees_the_answer_alone(thought, answer):
    text = f"<think>{thought}</think>{answer}"
    assert seen(Sample(completion=text)) == [answer, Sample(completion=answer)]
    before = [*FIRST, {"role": "tool", "content": "2"}]
    chat, one = seen(Sample(messages=[*before, {"role": "assistant", "content": text}]))
    assert chat == [*before[1:], {"role": "assistant", "content": answer}]
    assert one.completion == answer


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thinking_in_a_field_of_its_own_is_cut_too(name):
    calls = [{"function": {"name": "f", "arguments": "{}"}}]
    message = {"role": "assistant", "content": "b", name: "a", "tool_calls": calls}
    chat, _ = seen(Sample(completion=[message]))
    assert chat == [{"role": "assistant", "content": "\n\nb", "tool_calls": calls}]


def test_a_prompt_is_left_as_it_is():
    sample = Sample(prompt=FIRST, messages=FIRST, completion="a</think>b")
    assert seen(sample)[1] == Sample(prompt=FIRST, messages=FIRST, completion="b")
