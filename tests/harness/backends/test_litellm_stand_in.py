"""The litellm backend on a stand-in for litellm, which answers or raises what the test says."""

import asyncio
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("aiohttp")

from harness.backends.litellm import LitellmBackend
from harness.backends.openai_api import BusyError, PassingError, RefusedError, RequestError
from rewardkit.errors import UsageError


class FakeError(Exception):
    def __init__(self, status_code=None, headers=None):
        super().__init__("no luck")
        self.status_code, self.response = status_code, SimpleNamespace(headers=headers)


class SlowError(FakeError):
    pass


class FilteredError(FakeError):
    pass


@pytest.fixture
def ask(monkeypatch):
    """Ask the backend once; litellm answers with a text, or raises."""

    def ask(answer, *, missing=()):
        async def acompletion(**asked):
            if isinstance(answer, Exception):
                raise answer
            choice = {"message": {"content": answer}, "finish_reason": "stop"}
            return SimpleNamespace(model_dump=lambda: {"choices": [choice], "usage": {"completion_tokens": 2}, **asked})

        module = SimpleNamespace(
            acompletion=acompletion, validate_environment=lambda *_, **__: {"missing_keys": list(missing)},
            Timeout=SlowError, APIConnectionError=SlowError, ContentPolicyViolationError=FilteredError,
        )  # fmt: skip
        monkeypatch.setitem(sys.modules, "litellm", module)
        backend = LitellmBackend({"model": "openai/m"}, concurrency=1, tools=None)
        backend.connect()
        (reply,) = asyncio.run(backend._post("u", {"messages": []}))
        return reply

    return ask


def test_an_answer_becomes_a_reply(ask):
    assert ask("4").text == "4"


def test_a_key_that_is_missing_is_told_before_anything_is_asked(ask):
    with pytest.raises(UsageError, match="OPENAI_API_KEY in the environment for openai/m"):
        ask("4", missing=["OPENAI_API_KEY"])


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SlowError(), PassingError),
        (FakeError(), PassingError),
        (FakeError("503"), PassingError),
        (FakeError(429), BusyError),
        (FakeError(401), RefusedError),
        (FakeError(422), RequestError),
    ],
)
def test_what_litellm_raises_is_an_error_of_its_class(ask, error, expected):
    with pytest.raises(expected, match="no luck"):
        ask(error)


def test_how_long_a_server_wants_us_to_wait_is_read(ask):
    with pytest.raises(BusyError) as busy:
        ask(FakeError(429, {"Retry-After": "7"}))
    assert busy.value.retry_after_s == 7


def test_what_a_provider_filters_is_an_answer_without_text(ask):
    reply = ask(FilteredError())
    assert (reply.text, reply.finish_reason) == ("", "content_filter")
