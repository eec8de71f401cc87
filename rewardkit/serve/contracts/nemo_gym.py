"""NeMo Gym's resources server: `POST /verify` with an OpenAI response, answered by the same body plus `reward`.

NeMo-RL trains on rewards from NeMo Gym, whose agents call `/seed_session` and then `/verify` (nemo_gym/
base_resources_server.py). A row that could not be judged is answered as NeMo Gym's own `judge_failsafe` does: reward 0 with
`_ng_failure_class = "judge_failed"`, which its rollout collection puts aside instead of training on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from rewardkit.chat import is_chat
from rewardkit.data.column_aliases import DATA_SOURCE, GROUND_TRUTH, find, find_text
from rewardkit.serve.bodies import convert
from rewardkit.serve.contracts import Contract, Query, Row
from rewardkit.serve.http import Answer, Request, Route, encode
from rewardkit.types import Score

TRUTHS = ("expected_answer", "verifier_metadata.expected_answer", "verifier_metadata.ground_truth", *GROUND_TRUTH)
"""Where NeMo Gym's data sets keep the ground truth, the first present one wins."""


class OutputItem(msgspec.Struct):
    """One item of a response: a message, a thought, a tool call or its result."""

    type: str = "message"


class GymResponse(msgspec.Struct):
    """The model's answer, in the shape of OpenAI's Responses API."""

    output: list[OutputItem]


class VerifyRequest(msgspec.Struct):
    """What a NeMo Gym agent sends; fields of the data set are beside these two."""

    responses_create_params: dict[str, Any]
    response: GymResponse


class VerifyResponse(VerifyRequest):
    """The request again, with the reward and what is known about it."""

    reward: float
    verdict: str
    extracted_answer: str | None
    accuracy: float
    reason: str


def rows_of(asked: Mapping[str, Any]) -> list[Row]:
    """NeMo Gym's request as a sample."""
    convert(asked, VerifyRequest)
    truth, ground_truth = find(asked, TRUTHS)
    source, name = find_text(asked, DATA_SOURCE)
    used = {"responses_create_params", "response", truth, source}
    prompt = asked["responses_create_params"].get("input")
    return [
        {
            "messages": messages_of(asked["response"]["output"]),
            "prompt": prompt if isinstance(prompt, str) or is_chat(prompt) else None,
            "ground_truth": ground_truth,
            "data_source": name if isinstance(name, str) else None,
            "extra_info": {key: value for key, value in asked.items() if key not in used},
        }
    ]


def messages_of(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """OpenAI response items as chat messages: thoughts join the text after them, tool calls and results keep their places."""
    messages: list[dict[str, Any]] = []
    thought = ""
    for item in items:
        match item.get("type"):
            case "reasoning":
                thought += _texts(item.get("summary")) or _texts(item.get("content"))
            case "message":
                text = _texts(item.get("content"))
                messages.append({"role": "assistant", "content": text, **_thought(thought)})
                thought = ""
            case "function_call":
                function = {"name": str(item.get("name")), "arguments": str(item.get("arguments"))}
                call = {"id": str(item.get("call_id")), "type": "function", "function": function}
                messages.append({"role": "assistant", "content": "", "tool_calls": [call], **_thought(thought)})
                thought = ""
            case "function_call_output":
                result = {"tool_call_id": str(item.get("call_id")), "content": str(item.get("output"))}
                messages.append({"role": "tool", **result})
            case _:
                continue
    return messages or [{"role": "assistant", "content": ""}]


def answer_of(asked: dict[str, Any], scores: list[Score], _: Query) -> dict[str, Any]:
    """The request again, with the reward."""
    (score,) = scores
    answer = {
        **asked,
        "reward": score.value or 0.0,
        "verdict": score.verdict,
        "extracted_answer": score.answer,
        "accuracy": float(score.accuracy or 0),
        "reason": score.reason,
    }
    if score.value is None:
        answer |= {"_ng_failure_class": "judge_failed", "_ng_failure_judge_error": score.reason}
    return answer


def _thought(text: str) -> dict[str, str]:
    return {"reasoning_content": text} if text else {}


def _texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = cast("list[Any]", content)
    texts = [cast("Mapping[str, Any]", part).get("text") for part in parts if isinstance(part, Mapping)]
    return "".join(text for text in texts if isinstance(text, str))


async def _seed_session(_: Request) -> Answer:
    return Answer(encode({}))


SEED_SESSION = Route(
    "/nemo_gym/seed_session", _seed_session, "Nothing is kept between calls, so there is nothing to prepare.",
    tag="contracts", gives=dict[str, str], errors=(401,),
)  # fmt: skip
CONTRACTS = (
    Contract(
        "/nemo_gym/verify",
        "Judge one rollout.",
        VerifyRequest,
        VerifyResponse,
        rows_of,
        answer_of,
        reads=dict[str, Any],
    ),
)
