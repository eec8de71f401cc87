"""NeMo Gym's resources server: `POST /verify` with an OpenAI response, answered by the same body plus `reward`.

NeMo-RL trains on rewards from NeMo Gym, whose agents call `/seed_session` and then `/verify` (nemo_gym/
base_resources_server.py). A row that could not be judged is answered as NeMo Gym's own `judge_failsafe` does: reward 0 with
`_ng_failure_class = "judge_failed"`, which its rollout collection puts aside instead of training on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict

from rewardkit.data.column_aliases import DATA_SOURCE, GROUND_TRUTH, find
from rewardkit.serve import api
from rewardkit.serve.bodies import Row, encode, parse
from rewardkit.serve.contracts._shared import COMMON_ERRORS, RewardName, is_correct
from rewardkit.serve.service import Service

TRUTHS = ("expected_answer", "verifier_metadata.expected_answer", "verifier_metadata.ground_truth", *GROUND_TRUTH)
"""Where NeMo Gym's data sets keep the ground truth, the first present one wins."""


class OutputItem(BaseModel):
    """One item of a response: a message, a thought, a tool call or its result."""

    model_config = ConfigDict(extra="allow", strict=True)

    type: str = "message"


class GymResponse(BaseModel):
    """The model's answer, in the shape of OpenAI's Responses API."""

    model_config = ConfigDict(extra="allow", strict=True)

    output: list[OutputItem]


class VerifyRequest(BaseModel):
    """What a NeMo Gym agent sends; fields of the data set are beside these two."""

    model_config = ConfigDict(extra="allow", strict=True)

    responses_create_params: dict[str, Any]
    response: GymResponse


class VerifyResponse(BaseModel):
    """The request again, with the reward and what is known about it."""

    model_config = ConfigDict(extra="allow", strict=True)

    responses_create_params: dict[str, Any]
    response: dict[str, Any]
    reward: float
    verdict: str
    extracted_answer: str | None
    accuracy: float
    reason: str


def router(service: Service) -> APIRouter:
    """The routes of this contract."""
    routes = APIRouter(tags=["contracts"])

    @routes.post("/nemo_gym/seed_session", responses=api.errors(service, 401))
    async def seed_session() -> dict[str, str]:
        """Nothing is kept between calls, so there is nothing to prepare."""
        return {}

    @routes.post(
        "/nemo_gym/verify",
        response_model=VerifyResponse,
        responses=api.errors(service, *COMMON_ERRORS),
        openapi_extra=api.json_body(VerifyRequest),
    )
    async def verify(request: Request, reward: RewardName = None) -> dict[str, Any]:
        """Judge one rollout."""
        async with service.body(request) as body:
            asked, row = await service.read(_read, body)
            (score,) = await service.scores(request, service.find(reward), [row])
        return answer_of(asked, score)

    return routes


def _read(body: bytes) -> tuple[dict[str, Any], bytes]:
    asked = parse(VerifyRequest, body).model_dump()
    return asked, encode(row_of(asked))


def row_of(asked: Mapping[str, Any]) -> Row:
    """NeMo Gym's request as a sample."""
    truth, ground_truth = find(asked, TRUTHS)
    source, name = find(asked, DATA_SOURCE)
    used = {"responses_create_params", "response", truth, source}
    prompt = asked["responses_create_params"].get("input")
    return {
        "messages": messages_of(asked["response"]["output"]),
        "prompt": prompt if isinstance(prompt, str) else None,
        "ground_truth": ground_truth,
        "data_source": name if isinstance(name, str) else None,
        "extra_info": {key: value for key, value in asked.items() if key not in used},
    }


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


def answer_of(asked: dict[str, Any], score: dict[str, Any]) -> dict[str, Any]:
    """The request again, with the reward."""
    answer = {
        **asked,
        "reward": 0.0 if score["value"] is None else score["value"],
        "verdict": score["verdict"],
        "extracted_answer": score["answer"],
        "accuracy": float(is_correct(score)),
        "reason": score["reason"],
    }
    if score["value"] is None:
        answer |= {"_ng_failure_class": "judge_failed", "_ng_failure_judge_error": score["reason"]}
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
