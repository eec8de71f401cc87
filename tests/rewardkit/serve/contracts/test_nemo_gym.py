"""NeMo Gym's `/verify`, with a body as its simple agent sends it (nemo_gym/base_resources_server.py @ 07d6b0d)."""

from __future__ import annotations

from typing import Any

import pytest
from live import Server

pytest.importorskip("msgspec")

from rewardkit import Sample
from rewardkit.chat import count_turns, final_text
from rewardkit.data.column_aliases import DATA_SOURCE
from rewardkit.serve.contracts.nemo_gym import TRUTHS, messages_of, rows_of


def text(words: str) -> dict[str, Any]:
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": words, "annotations": []}],
    }  # fmt: skip


THOUGHT = {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "content": None}
CALL = {"type": "function_call", "call_id": "c1", "name": "python", "arguments": "{}", "id": "fc_1"}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "4"}


def body(*items: dict[str, Any], **fields: Any) -> dict[str, Any]:
    response = {
        "id": "resp_1", "created_at": 1.0, "model": "m", "object": "response", "output": list(items),
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip
    return {"responses_create_params": {"input": [{"role": "user", "content": "?"}]}, "response": response, **fields}


def test_verify_echoes_the_request_with_the_reward(shared: Server) -> None:
    asked = body(THOUGHT, text("ye"), text("yes"), question="?", expected_answer="yes", agent_ref={"name": "x"})
    assert shared.client.post("/nemo_gym/seed_session", json={}).json() == {}
    answer = shared.client.post("/nemo_gym/verify", json=asked).json()
    assert {key: answer[key] for key in asked} == asked
    assert (answer["reward"], answer["extracted_answer"], answer["accuracy"]) == (1.0, "yes", 1.0)


@pytest.mark.parametrize(
    "fields", [{"verifier_metadata": {"expected_answer": "yes"}}, {"answer": "yes"}, {"ground_truth": "yes"}]
)
def test_the_ground_truth_is_found_where_gym_keeps_it(shared: Server, fields: dict[str, Any]) -> None:
    assert shared.client.post("/nemo_gym/verify", json=body(text("yes"), **fields)).json()["reward"] == 1.0


@pytest.mark.parametrize("name", ["gsm8k", "", 7, ["gsm8k"]])
@pytest.mark.parametrize("source", DATA_SOURCE)
@pytest.mark.parametrize("truth", [name for name in TRUTHS if "." not in name])
def test_other_fields_of_the_data_set_are_extra_info_and_a_text_is_the_data_source(
    truth: str, source: str, name: Any
) -> None:
    others = {"question": "?", "agent_ref": {"name": "x"}, "uuid": 7, "note": None}
    (row,) = rows_of(body(text("yes"), **others, **{truth: "yes", source: name}))
    sample = Sample.from_row(row)
    assert sample.ground_truth == "yes"
    assert sample.data_source == (name if isinstance(name, str) else None)
    assert sample.extra_info == others


def test_unjudged_is_put_aside_as_gyms_own_failsafe_does(shared: Server) -> None:
    answer = shared.client.post("/nemo_gym/verify", json=body(text("yes"))).json()
    assert (answer["reward"], answer["_ng_failure_class"]) == (0.0, "judge_failed")
    assert "ground truth" in answer["_ng_failure_judge_error"]


@pytest.mark.parametrize(
    ("asked", "prompt"),
    [
        ("12 eggs?", "12 eggs?"),
        ([{"role": "user", "content": "12 eggs?"}], ({"role": "user", "content": "12 eggs?"},)),
        ([], None),
        ([CALL], None),
    ],
)
def test_what_the_model_was_asked_is_the_prompt(asked: Any, prompt: Any) -> None:
    (row,) = rows_of({**body(text("yes")), "responses_create_params": {"input": asked}})
    assert Sample.from_row(row).prompt == prompt


def test_no_message_is_an_empty_completion(shared: Server) -> None:
    assert shared.client.post("/nemo_gym/verify", json=body(expected_answer="yes")).json()["reward"] == 0.0


def test_items_become_the_chat_that_was() -> None:
    messages = messages_of([THOUGHT, CALL, RESULT, THOUGHT, text("4")])
    assert [message["role"] for message in messages] == ["assistant", "tool", "assistant"]
    assert final_text(messages) == "<think>\nhm\n</think>\n\n4"
    assert count_turns(messages) == 4


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("4", "4"),
        ([{"text": "4"}, {"text": "2"}, {"image": "x"}, {"text": None}, "no part"], "42"),
        (None, ""),
        (4, ""),
    ],
)
def test_the_text_of_a_message_is_a_text_or_its_parts(content: Any, said: str) -> None:
    assert messages_of([{"type": "message", "content": content}]) == [{"role": "assistant", "content": said}]
