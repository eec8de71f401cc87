"""Whatever a server answers: it is an answer that is kept, or a failure with a name; nothing ends the run."""

import contextlib
import json
from functools import reduce

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from json_places import places_in, put

from harness.backends.base import ChatPrompt, Request
from harness.backends.openai_api import BusyError, PassingError, RefusedError, RequestError, read_answer
from harness.generation import Generation, Response, sample_of
from harness.tools.interpreter import ConversationTool
from harness.tools.loop import Conversation, ToolBox
from rewardkit.errors import one_line
from rewardkit.interpreter import CodeInterpreter

REQUEST = Request("k", "t", 0, 0, 1, ChatPrompt.of([{"role": "user", "content": "6"}]), {"max_gen_toks": 50}, {})
CALL = {"id": "c1", "type": "function", "function": {"name": "code_interpreter", "arguments": '{"code": "1"}'}}
ANSWER = {
    "choices": [
        {
            "index": 0, "finish_reason": "tool_calls", "text": "so 6", "logprobs": {"tokens": ["6"]}, "token_ids": [6],
            "message": {"role": "assistant", "content": "so 6", "reasoning_content": "hm", "tool_calls": [CALL]},
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 2}},
    "model": "m",
}  # fmt: skip
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**63 - 1, 2**63, 10**400])
    | st.floats()
    | st.sampled_from(["", "x", "1", "\ud800", "\\boxed{6}", "abort", "<tool_call>[]</tool_call>", "<tool_call>"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "name", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
) | st.integers(1, 400).map(lambda depth: reduce(lambda inner, _: [inner], range(depth), 0))


@settings(max_examples=500, deadline=None)
@given(
    changes=st.lists(st.tuples(st.sampled_from(list(places_in(ANSWER))), VALUES), min_size=1, max_size=2),
    chat=st.booleans(),
)
@example(changes=[], chat=True)
def test_any_answer_is_a_generation_that_can_be_kept_or_a_failure_with_a_name(changes, chat):
    data = ANSWER
    for path, value in changes:
        with contextlib.suppress(LookupError, TypeError):  # the first change took the second's place away
            data = put(data, path, value)
    try:
        replies = read_answer("http://u", 200, {}, json.dumps(data).encode(), chat=chat)
    except (BusyError, PassingError, RefusedError, RequestError):
        replies = []
    assert replies or changes
    for reply in replies:
        talk = Conversation(
            REQUEST, ToolBox(ConversationTool(CodeInterpreter(), state="conversation"), format="openai")
        )
        talk.accept(reply)
        kept = talk.generation()
        sample_of({"id": "t/0", "ground_truth": "6", "data_source": "t"}, Response.of(kept)).to_json()
        assert Generation(**json.loads(json.dumps(kept.model_dump(mode="json", exclude_defaults=True)))) == kept


@given(
    error=VALUES | st.builds(lambda text: {"message": text}, st.text(min_size=1, max_size=50)),
    status=st.integers(300, 599),
)
def test_a_failure_says_the_status_and_the_words_of_the_server_on_one_line(error, status):
    with pytest.raises((BusyError, PassingError, RefusedError, RequestError)) as caught:
        read_answer("http://u", status, {}, json.dumps({"error": error}).encode(), chat=True)
    said = str(caught.value)
    assert said.startswith(f"http://u answered {status}")
    assert said.isprintable()
    assert len(said) < 400
    words = error.get("message") if isinstance(error, dict) else None
    if isinstance(words, str) and words.strip():
        assert said.endswith(one_line(words))
