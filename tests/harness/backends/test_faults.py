"""A server that behaves badly: no answer is lost, nothing is asked without end, and a pause that it asks for is kept."""

import email.utils
import threading
import time

import pytest

pytest.importorskip("aiohttp")

from harness.backends.base import ChatPrompt, Request
from harness.backends.http import FIRST_REFUSALS, HttpBackend
from harness.backends.pacing import BREAKER, START, retry_after_s
from harness.fake_server import Stub
from rewardkit.errors import IncompleteError, UsageError


def requests(count: int) -> list[Request]:
    prompts = [ChatPrompt.of([{"role": "user", "content": f"q{number}"}]) for number in range(count)]
    return [Request(f"k{n}", "t", n, 0, n, prompt, {"max_gen_toks": 9}, {}) for n, prompt in enumerate(prompts)]


def ask(rule, count, **options):
    found = {}
    options = {"retry_wait_s": 0.001, **options}
    with Stub(rule) as stub:
        HttpBackend([stub.url], "m", **options).generate(
            requests(count), lambda request, generation: found.setdefault(request.key, []).append(generation)
        )
    assert all(len(each) == 1 for each in found.values())
    return stub, {key: each for key, [each] in found.items()}


FAULTS = {
    "429": {"status": 429},
    "429 with Retry-After": {"status": 429, "headers": {"Retry-After": "0.05"}},
    "503 with Retry-After": {"status": 503, "headers": {"Retry-After": "0.05"}},
    "500": {"status": 500},
    "502 in HTML": {"status": 502, "raw": b"<html>bad gateway</html>"},
    "an error in a body with 200": {"error": {"message": "overloaded", "code": 500}},
    "broken JSON": {"raw": b'{"choices": [{"mess'},
    "another JSON": {"raw": b'{"detail": "later"}'},
    "no body": {"raw": b" "},
    "closed before the answer": {"drop": "before"},
    "closed after the headers": {"drop": "headers"},
    "closed in the body": {"drop": "body"},
    "a stall": {"wait_s": 30, "text": "late"},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_no_answer_is_lost_to_a_fault_that_passes(fault):
    """Each third request fails; every question is answered once, and each fault costs one more request at most."""

    def rule(_body, number):
        return FAULTS[fault] if number % 3 == 0 else {"text": "ok"}

    stalls = fault == "a stall"
    count = 9 if stalls else 40
    stub, found = ask(rule, count, concurrency=4, retries=8, timeout_s=2.0 if stalls else 600.0)
    assert {answer.text for answer in found.values()} == {"ok"}
    assert len(found) == count
    failed = sum(number % 3 == 0 for number in range(1, len(stub.requests) + 1))
    assert stalls or len(stub.requests) == count + failed  # on a slow machine more than the stalls may time out


@pytest.mark.parametrize("header", ["seconds", "date"])
def test_a_pause_that_the_server_asks_for_is_kept_by_all(header):
    """Everything is refused for a while: only the requests that were under way then, and none before the time that was named."""
    sent = []
    until = {"at": 0.0}
    lock = threading.Lock()

    def rule(_body, number):
        with lock:
            if number == 1:
                until["at"] = time.time() + 2.5
            sent.append(time.time())
            if time.time() < until["at"]:
                left = until["at"] - time.time()
                value = str(left) if header == "seconds" else email.utils.formatdate(until["at"] + 1, usegmt=True)
                return {"status": 429, "headers": {"Retry-After": value}}
        return {"text": "ok"}

    stub, found = ask(rule, 60, concurrency=8, retries=0)
    assert {answer.text for answer in found.values()} == {"ok"}
    early = [each for each in sent if each < until["at"]]
    assert len(early) <= 8
    assert len(stub.requests) == 60 + len(early)


def test_busy_replies_are_no_failed_tries():
    stub, found = ask(lambda _, number: {"status": 429} if number <= 12 else {"text": "ok"}, 3, retries=0)
    assert {answer.text for answer in found.values()} == {"ok"}
    assert len(stub.requests) == 15


def test_concurrency_grows_to_what_is_allowed_and_shrinks_to_what_the_server_takes():
    at_once = []
    now = {"count": 0}

    def rule(_body, _number):
        return {"text": "ok", "wait_s": 0.02}

    stub, _ = ask(rule, 300, concurrency=40)
    assert START < stub.most_at_once <= 40

    def narrow(_body, _number):
        now["count"] = server._now
        at_once.append(now["count"])
        return {"status": 429} if now["count"] >= 6 else {"text": "ok", "wait_s": 0.02}

    found = {}
    with Stub(narrow) as server:
        HttpBackend([server.url], "m", concurrency=40, retry_wait_s=0.001).generate(
            requests(300), lambda request, generation: found.setdefault(request.key, generation)
        )
    assert len(found) == 300
    assert all(answer.error is None for answer in found.values())
    late = at_once[len(at_once) // 2 :]
    assert sum(count >= 6 for count in late) < len(late) / 4
    assert len(server.requests) < 400


def test_an_outage_pauses_the_run_and_the_run_goes_on_after_it():
    """The server is down for a while: the run does not end, no question is given up, and few requests are spent meanwhile."""
    down = {"until": None}

    def rule(_body, number):
        if number == 21:
            down["until"] = time.monotonic() + 1.0
        if down["until"] is not None and time.monotonic() < down["until"]:
            return {"status": 500}
        return {"text": "ok"}

    stub, found = ask(rule, 100, retries=30)
    assert len(found) == 100
    assert all(answer.error is None for answer in found.values())
    assert len(stub.requests) < 100 + BREAKER + 2 * START + 15


def test_an_outage_that_does_not_end_costs_few_requests():
    found = {}
    with Stub(lambda *_: {"status": 500, "text": "down"}) as stub:
        backend = HttpBackend([stub.url], "m", retries=30, retry_wait_s=0.01, outage_s=0.5)
        with pytest.raises(IncompleteError, match=r"down.*--resume"):
            backend.generate(requests(500), lambda request, generation: found.setdefault(request.key, generation))
    assert len(stub.requests) < BREAKER + START + 12


def test_a_pause_longer_than_the_run_may_wait_ends_it():
    with Stub(lambda *_: {"status": 429, "headers": {"Retry-After": "7200"}}) as stub:
        with pytest.raises(IncompleteError, match="next try is in 7200 s"):
            HttpBackend([stub.url], "m", outage_s=900).generate(requests(50), lambda *_: None)
        assert len(stub.requests) <= START


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_name_ends_the_run_with_the_servers_message(status):
    with Stub(lambda *_: {"status": status, "error": {"message": "Incorrect API key", "code": "x"}}) as stub:
        with pytest.raises(UsageError, match=f"answered {status}: Incorrect API key"):
            HttpBackend([stub.url], "m", concurrency=1).generate(requests(50), lambda *_: None)
        assert len(stub.requests) == 1


def test_a_request_of_a_wrong_form_ends_the_run_and_one_bad_prompt_does_not():
    refusal = {"status": 400, "error": {"message": "max_tokens is too large"}}
    with Stub(lambda *_: refusal) as stub:
        with pytest.raises(UsageError, match="max_tokens is too large"):
            HttpBackend([stub.url], "m", concurrency=1).generate(requests(50), lambda *_: None)
        assert len(stub.requests) == FIRST_REFUSALS
    _, found = ask(lambda body, _: refusal if "q7" in str(body["messages"]) else {"text": "ok"}, 30)
    assert "max_tokens" in found["k7"].error
    assert sum(answer.error is None for answer in found.values()) == 29


def test_a_prompt_that_the_filter_refuses_is_filtered_and_no_error():
    refusal = {"status": 400, "error": {"message": "filtered", "code": "content_filter"}}
    _, found = ask(lambda *_: refusal, 1)
    assert (found["k0"].error, found["k0"].filtered) == (None, True)


@pytest.mark.parametrize(("value", "seconds"), [("7", 7), ("0.5", 0.5), ("-3", 0), (None, None), ("soon", None)])
def test_retry_after_is_read(value, seconds):
    assert retry_after_s(value) == seconds
    assert retry_after_s(email.utils.formatdate(time.time() + 100)) == pytest.approx(100, abs=5)
    assert retry_after_s(email.utils.formatdate(time.time() - 100)) == 0
