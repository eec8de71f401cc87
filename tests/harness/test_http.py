"""The HTTP backend against a stub that misbehaves."""

import socket
import threading

import pytest

pytest.importorskip("aiohttp")

from harness.backends.base import ChatPrompt, Request
from harness.backends.http import HttpBackend
from harness.backends.openai_api import endpoint, parse_replies
from harness.fake_server import Stub
from rewardkit.errors import IncompleteError, UsageError


def requests(count: int, **options) -> list[Request]:
    prompts = [ChatPrompt.of([{"role": "user", "content": f"q{number}"}]) for number in range(count)]
    options = {"max_gen_toks": 50, "do_sample": True, "temperature": 1.0, **options}
    return [Request(f"k{n}", "t", n, 0, 100 + n, prompt, options, {}) for n, prompt in enumerate(prompts)]


def ask(rule, asked, **options):
    found = {}
    with Stub(rule) as stub:
        backend = HttpBackend([stub.url], "m", retry_wait_s=0.001, **options)
        backend.generate(asked, lambda request, generation: found.setdefault(request.key, []).append(generation))
    return stub, found


def test_every_request_is_answered_once_with_its_own_seed():
    stub, found = ask(lambda body, _: {"text": f"seed {body['seed']}", "tokens": 7}, requests(20))
    assert {key: [each.text for each in answers] for key, answers in found.items()} == {
        f"k{n}": [f"seed {100 + n}"] for n in range(20)
    }
    assert sorted(body["seed"] for body in stub.requests) == list(range(100, 120))
    assert found["k0"][0].tokens == 7
    assert {body["max_tokens"] for body in stub.requests} == {50}


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"temperature": 0.6, "top_p": 0.9}, {"temperature": 0.6, "top_p": 0.9}),
        ({"do_sample": False, "temperature": 0.6}, {"temperature": 0.0}),
        ({"do_sample": False, "temperature": None}, {"temperature": 0.0}),
        ({"until": ["\n", ""]}, {"stop": ["\n"]}),
        ({"top_k": 20}, {"top_k": 20}),
    ],
)
def test_sampling_options_are_sent_in_the_servers_words(options, sent):
    stub, _ = ask(lambda *_: {"text": "x"}, requests(1, **options))
    body = stub.requests[0]
    assert {name: body[name] for name in sent} == sent
    assert not {"until", "do_sample", "max_gen_toks"} & set(body)
    if "until" not in options:
        assert "stop" not in body


def test_a_failing_prompt_is_one_errored_sample():
    def rule(body, _):
        return {"status": 500, "text": "boom"} if body["messages"][0]["content"] == "q3" else {"text": "ok"}

    stub, found = ask(rule, requests(8), retries=2)
    assert "answered 500" in found["k3"][0].error
    assert "boom" in found["k3"][0].error
    assert all(found[f"k{n}"][0].error is None for n in range(8) if n != 3)
    assert len(stub.requests) == 7 + 3


def test_passing_failures_are_tried_again():
    _, found = ask(lambda _, number: {"status": 503} if number <= 2 else {"text": "ok"}, requests(1), retries=3)
    assert found["k0"][0].text == "ok"


@pytest.mark.parametrize("status", [400, 413, 422])
def test_the_requests_own_fault_is_not_tried_again(status):
    def rule(body, _):
        return {"status": status, "text": "no"} if body["messages"][0]["content"] == "q1" else {"text": "ok"}

    stub, found = ask(rule, requests(2), retries=5, concurrency=1)
    assert f"answered {status}" in found["k1"][0].error
    assert len(stub.requests) == 2


@pytest.mark.long
def test_a_stalled_server_is_a_timeout():
    _, found = ask(lambda *_: {"text": "late", "wait_s": 1}, requests(1), retries=0, timeout_s=0.2)
    assert "did not answer within 0.2 s" in found["k0"][0].error


def test_a_dead_server_ends_the_run():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        backend = HttpBackend([url], "m", retries=0, retry_wait_s=0.001, outage_s=0.2)
        got = []
        with pytest.raises(IncompleteError, match="no request was answered"):
            backend.generate(requests(100), lambda request, generation: got.append(generation))
    assert len(got) < 100
    assert all(generation.error for generation in got)


@pytest.mark.parametrize("stops", [1, 4, 5, 9])
def test_every_stop_sequence_ends_an_answer_whatever_the_server_takes(stops):
    marks = [f"<{n}>" for n in range(stops)]

    def rule(body, _):
        text = f"answer{marks[-1]} and more"
        cuts = [text.find(mark) for mark in body["stop"] if mark in text]
        return {"text": text[: min(cuts)] if cuts else text, "finish_reason": "stop" if cuts else "length"}

    stub, found = ask(rule, requests(1, until=marks))
    assert len(stub.requests[0]["stop"]) <= 4
    assert (found["k0"][0].text, found["k0"][0].finish_reason) == ("answer", "stop")


def test_truncation_and_reasoning_come_from_the_server():
    reply = {"text": "x", "finish_reason": "length", "reasoning_content": "thinking"}
    _, found = ask(lambda *_: reply, requests(1))
    assert found["k0"][0].truncated
    assert (found["k0"][0].reasoning, found["k0"][0].text) == ("thinking", "x")


def test_requests_go_to_the_server_with_least_in_flight():
    thirty = threading.Event()

    def slow(_body, _number):
        thirty.wait(120)
        return {"text": "slow"}

    def fast(_body, number):
        if number == 30:
            thirty.set()
        return {"text": "fast"}

    with Stub(slow) as one, Stub(fast) as other:
        backend = HttpBackend([one.url, other.url], "m", concurrency=4)
        backend.generate(requests(40), lambda *_: None)
        assert len(other.requests) > 2 * len(one.requests) > 0


def test_no_more_requests_at_once_than_asked_for():
    stub, _ = ask(lambda *_: {"text": "x", "wait_s": 0.02}, requests(30), concurrency=5)
    assert 1 < stub.most_at_once <= 5


def test_the_only_model_of_a_server_needs_no_name():
    with Stub(lambda *_: {"text": "x"}) as stub:
        backend = HttpBackend([stub.url], None)
        backend.generate(requests(1), lambda *_: None)
        assert backend.served == "stub"
        assert stub.requests[0]["model"] == "stub"


@pytest.mark.parametrize("key", ["secret\n", " secret\r\n"])
def test_a_key_is_read_from_a_file_with_its_line_break(key, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    _, found = ask(lambda *_: {"text": "x"}, requests(1))
    assert found["k0"][0].error is None


def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sec\nret")
    with pytest.raises(UsageError, match="line break") as told:
        HttpBackend(["http://h:1"], "m")
    assert "sec" not in str(told.value)


def test_no_url_is_a_usage_error():
    with pytest.raises(UsageError, match="base_url"):
        HttpBackend([], "m")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h:1", "http://h:1/v1/chat/completions"),
        ("http://h:1/", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/chat/completions", "http://h:1/v1/chat/completions"),
    ],
)
def test_urls_may_be_given_in_any_length(url, expected):
    assert endpoint(url, chat=True) == expected


@pytest.mark.parametrize("data", [{}, {"choices": []}, {"choices": [{}]}, [], "text", {"error": "x"}])
def test_an_answer_of_another_shape_is_an_error_not_a_crash(data):
    with pytest.raises(Exception, match="not an OpenAI-compatible answer"):
        parse_replies(data, chat=True)


def test_a_server_is_asked_through_the_proxy_of_the_environment(monkeypatch):
    """The proxy knows the host; we do not."""
    asked = requests(3)
    found = {}
    with Stub(lambda *_: {"text": "x"}) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        backend = HttpBackend(["http://model.invalid/v1"], None, retries=0)
        backend.connect()
        backend.generate(asked, lambda request, generation: found.setdefault(request.key, generation.text))
    assert backend.model == "stub"
    assert found == {each.key: "x" for each in asked}


def test_a_server_on_this_machine_is_asked_without_the_proxy(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    _, found = ask(lambda *_: {"text": "x"}, requests(2), retries=0)
    assert [answers[0].text for answers in found.values()] == ["x", "x"]
