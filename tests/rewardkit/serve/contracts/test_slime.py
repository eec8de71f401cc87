"""slime's call, as `remote_rm` makes it (slime/rollout/rm_hub/__init__.py @ 624b824)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from live import Server

aiohttp = pytest.importorskip("aiohttp")


async def remote_rm(url: str, *, prompt: Any, response: str, label: Any) -> Any:
    """The body and the reading of the answer are slime's."""
    payload = {"prompt": prompt, "response": response, "label": label}
    connector = aiohttp.TCPConnector(limit=64, enable_cleanup_closed=True)
    session = aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=120))
    async with session, session.post(url, json=payload) as answer:
        answer.raise_for_status()
        return await answer.json()


@pytest.mark.parametrize("prompt", ["Say yes.", [{"role": "user", "content": "Say yes."}], None])
def test_the_answer_is_the_reward(shared: Server, prompt: Any) -> None:
    url = f"{shared.url}/slime"
    assert asyncio.run(remote_rm(url, prompt=prompt, response="yes", label="yes")) == 1.0
    assert asyncio.run(remote_rm(url, prompt=prompt, response="no", label="yes")) == 0.0


def test_a_reward_key_finds_its_value(shared: Server) -> None:
    answer = asyncio.run(remote_rm(f"{shared.url}/slime?full=true", prompt="", response="yes", label="yes"))
    assert (answer["score"], answer["acc"], answer["answer"], answer["verdict"]) == (1.0, True, "yes", "correct")


def test_unjudged_is_null_or_the_number_the_caller_wants(shared: Server) -> None:
    url = f"{shared.url}/slime"
    assert asyncio.run(remote_rm(url, prompt="", response="yes", label=None)) is None
    assert asyncio.run(remote_rm(f"{url}?unjudged=0", prompt="", response="yes", label=None)) == 0.0


@pytest.mark.parametrize(("query", "value"), [("", None), ("&unjudged=-0.5", -0.5)])
def test_the_object_of_an_unjudged_sample_says_what_verls_says(shared: Server, query: str, value: float | None) -> None:
    asked = {"solution_str": "yes", "ground_truth": None}
    verls = shared.client.post(f"/verl/compute_score?full=true{query}", json=asked).json()
    answer = asyncio.run(remote_rm(f"{shared.url}/slime?full=true{query}", prompt="", response="yes", label=None))
    assert (answer["score"], answer["acc"], answer["unjudged"]) == (value, 0.0, True)
    assert verls.items() - {("pred", "")} <= answer.items()
