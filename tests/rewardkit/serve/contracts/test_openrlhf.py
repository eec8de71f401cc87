"""OpenRLHF's call, as `SingleTurnAgentExecutor._fetch_rewards_via_http` makes it (openrlhf/utils/agent.py @ 3c3be62)."""

from __future__ import annotations

import asyncio

import pytest
from live import Server

pytest.importorskip("msgspec")

aiohttp = pytest.importorskip("aiohttp")

PROMPT = "<|im_start|>user\nSay yes.<|im_end|>\n<|im_start|>assistant\n"


async def fetch(url: str, queries: list[str], prompts: list[str], labels: list[object]) -> dict[str, list[float]]:
    """The body and the reading of the answer are OpenRLHF's."""
    payload = {"query": queries, "prompts": prompts, "labels": labels}
    async with (
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=180)) as session,
        session.post(url, json=payload) as response,
    ):
        response.raise_for_status()
        return await response.json()


def test_a_rollout_gets_reward_score_and_logs(shared: Server) -> None:
    info = asyncio.run(fetch(f"{shared.url}/get_reward", [f"{PROMPT}yes<|im_end|>"], [PROMPT], ["yes"]))
    assert info == {"rewards": [1.0], "scores": [1.0], "extra_logs": {"correct": [1.0], "unjudged": [0.0]}}


def test_a_batch_keeps_its_order(shared: Server) -> None:
    answers = ["yes", "no", "yes"]
    info = asyncio.run(
        fetch(f"{shared.url}/get_reward", [PROMPT + text for text in answers], [PROMPT] * 3, ["yes"] * 3)
    )
    assert info["rewards"] == info["extra_logs"]["correct"] == [1.0, 0.0, 1.0]


def test_unjudged_is_null_or_the_number_the_caller_wants(shared: Server) -> None:
    url = f"{shared.url}/get_reward"
    assert asyncio.run(fetch(url, ["yes"], [], []))["rewards"] == [None]
    info = asyncio.run(fetch(f"{url}?unjudged=-1", ["yes"], [], []))
    assert (info["rewards"], info["extra_logs"]) == ([-1.0], {"correct": [0.0], "unjudged": [1.0]})


def test_labels_of_another_length_are_refused(shared: Server) -> None:
    response = shared.client.post("/get_reward", json={"query": ["a", "b"], "prompts": [], "labels": ["a"]})
    assert response.status_code == 409


def test_a_query_that_does_not_begin_with_its_prompt_is_unjudged(shared: Server) -> None:
    """OpenRLHF cuts a prompt that is too long, and what is left of it may hold the answer."""
    cut = f"{PROMPT}yes"[5:]
    info = asyncio.run(fetch(f"{shared.url}/get_reward", [cut, f"{PROMPT}yes"], [PROMPT, PROMPT], ["yes", "yes"]))
    assert (info["rewards"], info["extra_logs"]["unjudged"]) == ([None, 1.0], [1.0, 0.0])
