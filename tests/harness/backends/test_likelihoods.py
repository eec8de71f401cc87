"""Likelihoods over HTTP: what lm-eval is given, and what a server lacks."""

import sys
from types import SimpleNamespace

import pytest

from harness.backends.base import Reply
from harness.backends.likelihoods import open_likelihoods
from rewardkit.errors import IncompleteError, UsageError


class LocalCompletionsAPI:
    """As much of lm-eval's class as is called."""

    def __init__(self, *, base_url, model, **given):
        if given.get("tokenizer") == "none":
            raise OSError("no such\n  tokenizer")
        self.base_url, self.model, self.given = base_url, model, given

    def batch_loglikelihood_requests(self, chunks):
        return [list(each) for each in chunks[0]], [len(each) - 1 for each in chunks[0]], None

    def create_message(self, messages):
        return messages

    def _create_payload(self, message, *, generate):
        return {"prompt": message[0], "generate": generate}

    def parse_logprobs(self, choice, *, tokens, ctxlens):
        told = choice["choices"][0]
        return [(told["index"], told["logprobs"], tuple(tokens[0]), ctxlens[0]), "more"]


@pytest.fixture(autouse=True)
def library(monkeypatch):
    module = SimpleNamespace(LocalCompletionsAPI=LocalCompletionsAPI)
    monkeypatch.setitem(sys.modules, "lm_eval.models.openai_completions", module)


def test_each_text_is_asked_for_and_read_with_its_own_length():
    asked = []

    def ask(bodies):
        asked.extend(bodies)
        return [Reply("", logprobs={"of": body["prompt"]}) for body in bodies]

    model = open_likelihoods({"model": "m", "tokenizer": "t", "api_key": "k", "n": 1, "max_length": 9}, "http://u", ask)
    assert (model.base_url, model.model, model.given) == ("http://u", "m", {"tokenizer": "t", "max_length": 9})
    found = model._loglikelihood_tokens(["ab", "cde"])
    assert asked == [{"prompt": ["a", "b"], "generate": False}, {"prompt": ["c", "d", "e"], "generate": False}]
    assert found == [(0, {"of": list(text)}, tuple(text), len(text) - 1) for text in ("ab", "cde")]


def test_a_server_without_likelihoods_is_told():
    model = open_likelihoods({"pretrained": "m"}, "http://u", lambda bodies: [Reply("", logprobs={}), Reply("")])
    assert model.model == "m"
    with pytest.raises(IncompleteError, match="http://u gives no `logprobs`"):
        model._loglikelihood_tokens(["ab", "cd"])


def test_a_missing_tokenizer_is_one_line():
    with pytest.raises(UsageError, match=r"tokenizer of 'm': give tokenizer=PATH .* \(OSError: no such tokenizer\)"):
        open_likelihoods({"model": "m", "tokenizer": "none"}, "u", list)
