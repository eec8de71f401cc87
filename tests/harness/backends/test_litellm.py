"""Requests through the real litellm against a stub, with our retries and classes of failures."""

import os

import pytest

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
pytest.importorskip("litellm")
pytest.importorskip("aiohttp")

from harness.backends.base import ChatPrompt, Request
from harness.backends.litellm import LitellmBackend
from harness.fake_server import FAULTS, Stub
from harness.models import choose, open_backend
from rewardkit.errors import UsageError


def requests(count):
    prompts = [ChatPrompt.of([{"role": "user", "content": f"q{number}"}]) for number in range(count)]
    return [Request(f"k{n}", "t", n, 0, n, prompt, {"max_gen_toks": 9}, {}) for n, prompt in enumerate(prompts)]


def ask(rule, count, **more):
    found = {}
    with Stub(rule) as stub:
        args = f"model=openai/m,api_base={stub.url},api_key=k,retry_wait=0.001,max_outage=20"
        args += "".join(f",{name}={value}" for name, value in more.items())
        backend = open_backend(choose("litellm", args), concurrency=4)
        assert isinstance(backend, LitellmBackend)
        backend.generate(requests(count), lambda request, generation: found.setdefault(request.key, generation))
    return stub, found


def test_options_answers_and_tokens_are_those_of_the_server():
    stub, found = ask(
        lambda body, _: {"text": f"{body['model']} {body['seed']}", "tokens": 7, "reasoning_content": "so"}, 6
    )
    assert {key: answer.text for key, answer in found.items()} == {f"k{n}": f"m {n}" for n in range(6)}
    assert {(each.tokens, each.prompt_tokens, each.reasoning, each.finish_reason) for each in found.values()} == {
        (7, 10, "so", "stop")
    }
    assert {body["max_tokens"] for body in stub.requests} == {9}
    assert len(stub.requests) == 6


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"a stall", "no body", "ended by the server"}))
def test_no_answer_is_lost_to_a_fault_that_passes(fault):
    # litellm waits for a body that is not there, and calls every end of a reply that it does not know "stop"
    stub, found = ask(lambda _, number: FAULTS[fault] if number % 3 == 0 else {"text": "ok"}, 12, max_retries=8)
    assert {answer.text for answer in found.values()} == {"ok"}
    assert len(found) == 12
    assert len(stub.requests) == 12 + len(stub.requests) // 3


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_ends_the_run_with_the_servers_message(status):
    with pytest.raises(UsageError, match="no such key"):
        ask(lambda *_: {"status": status, "error": {"message": "no such key"}}, 30)


def test_a_model_must_be_named():
    with pytest.raises(UsageError, match="model=provider/name"):
        open_backend(choose("litellm", ""))


def test_a_missing_key_is_told_before_anything_is_asked(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        open_backend(choose("litellm", "model=openai/gpt-4o"), concurrency=1)
