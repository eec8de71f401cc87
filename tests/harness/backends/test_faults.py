"""A server that behaves badly: no answer is lost, nothing is asked without end, and a pause that it asks for is kept."""

import contextlib
import email.utils
import json
import socket
import threading
import time

import pytest

pytest.importorskip("aiohttp")

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.backends.base import ChatPrompt, Request
from harness.backends.http import PLAIN_PROMPT, HttpBackend
from harness.backends.openai_api import BusyError, PassingError, RefusedError, RequestError, failure_of
from harness.backends.pacing import BREAKER, START
from harness.fake_server import FAULTS, Stub
from harness.generation import classify
from rewardkit import Sample, load
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


@pytest.mark.long
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


@pytest.mark.parametrize("status", range(400, 600))
def test_a_status_says_whether_to_wait_to_ask_again_or_to_stop(status):
    failure = failure_of("http://s", status, {}, "words")
    kinds = {BusyError: {408, 425, 429}, RefusedError: {401, 403, 404}}
    kinds[PassingError] = {409, 500, 502, 503, 504, 520, 522, 524, 529}
    assert type(failure) is next((kind for kind, those in kinds.items() if status in those), RequestError)
    assert type(failure_of("http://s", status, {"Retry-After": "1"}, "words")) is BusyError


QUICK = sorted(set(FAULTS) - {"a stall"})


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from([*QUICK, None]), max_size=60), st.integers(0, 3), st.integers(1, 8))
def test_whatever_fails_each_request_is_answered_once_and_no_fault_is_taken_for_an_answer(faults, retries, concurrency):
    def rule(_body, number):
        fault = faults[number - 1] if number <= len(faults) else None
        return {"text": "ok"} if fault is None else FAULTS[fault]

    stub, found = ask(rule, 12, concurrency=concurrency, retries=retries)
    assert len(found) == 12
    assert all(answer.text == "ok" if answer.error is None else answer.text == "" for answer in found.values())
    assert len(stub.requests) <= 12 + sum(fault is not None for fault in faults)


ENDS = {
    "content_filter": ({"text": "I", "finish_reason": "content_filter"}, "content_filter"),
    "length": ({"text": "It is", "finish_reason": "length"}, "truncated"),
    "thought only": ({"text": "", "reasoning_content": "so 4"}, "no_answer"),
    "thought, cut": ({"text": "", "reasoning_content": "so", "finish_reason": "length"}, "truncated"),
    "a tool call": ({"text": "", "finish_reason": "tool_calls", "tool_calls": [{"id": "1"}]}, "no_answer"),
    "typed blocks": ({"text": [{"type": "text", "text": "so \\boxed{4}"}]}, "correct"),
}


@pytest.mark.parametrize("end", ENDS)
def test_the_end_of_an_answer_has_its_class(end):
    reply, kind = ENDS[end]
    _, found = ask(lambda *_: reply, 1)
    generation = found["k0"]
    score = (
        None
        if generation.filtered
        else load("math").score([Sample(completion=generation.full_text, ground_truth="4")])[0]
    )
    assert classify(generation, score) == kind


@pytest.mark.slow
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


@pytest.mark.long
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


@pytest.mark.long
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
        with pytest.raises(IncompleteError, match=r"no request was answered.*down"):
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


REFUSAL = {"status": 400, "error": {"message": "max_tokens is\ntoo large"}}


def test_a_request_of_a_wrong_form_ends_the_run_at_the_first():
    with Stub(lambda *_: REFUSAL) as stub:
        with pytest.raises(UsageError, match=r"refuses every request: .* answered 400: max_tokens is too large$"):
            HttpBackend([stub.url], "m", concurrency=1).generate(requests(50), lambda *_: None)
        assert len(stub.requests) == 2
        assert stub.requests[1]["messages"][0]["content"] == PLAIN_PROMPT
        assert {**stub.requests[1], "messages": 0} == {**stub.requests[0], "messages": 0}


@pytest.mark.parametrize("bad", [("q7",), ("q0",), tuple(f"q{n}'" for n in range(30))])
def test_prompts_that_are_refused_are_errors_of_their_own(bad):
    """Also where nothing else is asked, as in a resumed run that had them left."""

    def rule(body, _):
        return REFUSAL if any(each in str(body["messages"]) for each in bad) else {"text": "ok"}

    stub, found = ask(rule, 30)
    errors = {key for key, answer in found.items() if answer.error}
    assert errors == {f"k{each.strip('q').strip(chr(39))}" for each in bad}
    assert len(stub.requests) <= 31


def test_a_prompt_that_the_filter_refuses_is_filtered_and_no_error():
    refusal = {"status": 400, "error": {"message": "filtered", "code": "content_filter"}}
    _, found = ask(lambda *_: refusal, 1)
    assert (found["k0"].error, found["k0"].filtered) == (None, True)


def served_by(rules, count, **options):
    """What several servers were asked, and the answers."""
    found = {}
    with contextlib.ExitStack() as stack:
        stubs = [stack.enter_context(Stub(rule)) for rule in rules]
        HttpBackend([stub.url for stub in stubs], "m", **{"retry_wait_s": 0.001, **options}).generate(
            requests(count), lambda request, generation: found.setdefault(request.key, generation)
        )
    assert len(found) == count
    return stubs, found


@pytest.mark.long
@pytest.mark.parametrize("fault", QUICK)
def test_a_server_that_fails_gets_few_requests_while_another_is_there(fault):
    [bad, good], found = served_by(
        [lambda *_: FAULTS[fault], lambda *_: {"text": "ok", "wait_s": 0.005}], 200, retries=3
    )
    assert {answer.text for answer in found.values()} == {"ok"}
    assert len(good.requests) == 200
    assert len(bad.requests) < 200 // 2


def test_a_server_that_is_back_gets_requests_again():
    returned = threading.Event()

    def back(_body, number):
        if number <= 12:
            return {"status": 500}
        returned.set()
        return {"text": "back"}

    def good(_body, number):
        if number > 10:
            returned.wait(120)
        return {"text": "ok"}

    _, found = served_by([back, good], 100, concurrency=32)
    assert {answer.text for answer in found.values()} == {"ok", "back"}


def test_a_run_ends_where_all_servers_are_down():
    with pytest.raises(IncompleteError, match="no request was answered"):
        served_by([lambda *_: {"status": 500}] * 2, 500, retries=30, retry_wait_s=0.01, outage_s=0.5)


def test_a_server_that_is_down_at_the_start_does_not_hinder_the_others():
    with socket.socket() as free, Stub(lambda *_: {"text": "ok"}) as stub:
        free.bind(("127.0.0.1", 0))
        found = []
        dead = f"http://127.0.0.1:{free.getsockname()[1]}"
        backend = HttpBackend([dead, stub.url], None, retries=2, retry_wait_s=0.001)
        backend.connect()
        backend.generate(requests(100), lambda _request, generation: found.append(generation.text))
        assert (backend.served, found) == ("stub", ["ok"] * 100)


def repeated(problems, k):
    return [
        Request(f"{n}-{rep}", "t", n, rep, n * k + rep, f"q{n}", {"max_gen_toks": 9}, {})
        for n in range(problems)
        for rep in range(k)
    ]


@pytest.mark.parametrize(("n", "gives", "asked"), [(1, 9, 40), (4, 9, 16), (8, 9, 8), (4, 1, 40), (4, 3, 24)])
def test_n_samples_of_a_problem_come_from_one_request_where_the_server_gives_them(n, gives, asked):
    found = {}

    def rule(body, _):
        return {"text": str(body["messages"][0]["content"]), "choices": min(body.get("n", 1), gives)}

    with Stub(rule) as stub:
        HttpBackend([stub.url], "m", n=n, concurrency=2).generate(
            repeated(8, 5), lambda request, generation: found.setdefault(request.key, generation)
        )
    assert {key: answer.text for key, answer in found.items()} == {
        f"{p}-{rep}": f"q{p}" for p in range(8) for rep in range(5)
    }
    assert len(stub.requests) == asked
    assert sum(answer.prompt_tokens for answer in found.values()) == 10 * asked


def choices(*reasons):
    """A reply of several choices that end like this; None has no message."""
    return {
        "raw": json.dumps(
            {
                "choices": [
                    {"index": place}
                    if why is None
                    else {"index": place, "finish_reason": why, "message": {"content": "right"}}
                    for place, why in enumerate(reasons)
                ]
            }
        ).encode()
    }


GROUPS = {
    "none": choices(),
    "one aborted": choices("abort", "stop", "stop", "stop"),
    "the last in error": choices("stop", "stop", "stop", "error"),
    "two without a message": choices("stop", None, None, "length"),
    "all aborted": choices(*["abort"] * 4),
    "a refusal": {"status": 400, "text": "n must be 1"},
    "no JSON": {"raw": b"<html>"},
    "a failure": {"status": 500},
}


@pytest.mark.parametrize("reply", GROUPS)
def test_a_group_that_fails_costs_no_sample(reply):
    """What does not come with the others is asked alone, and is an error only where it fails alone."""
    found = {}

    def rule(body, _):
        return GROUPS[reply] if body.get("n", 1) > 1 else {"text": "right"}

    with Stub(rule) as stub:
        backend = HttpBackend([stub.url], "m", n=4, concurrency=1, retries=1, retry_wait_s=0.001)
        backend.generate(
            [*repeated(1, 1), *repeated(3, 5)[5:]], lambda request, answer: found.setdefault(request.key, answer)
        )
    assert {key: (answer.text, answer.error) for key, answer in found.items()} == dict.fromkeys(
        ["0-0", *(f"{p}-{rep}" for p in (1, 2) for rep in range(5))], ("right", None)
    )


def test_prompts_are_asked_in_order_so_that_prefixes_stay_in_the_servers_cache():
    with Stub(lambda *_: {"text": "ok"}) as stub:
        HttpBackend([stub.url], "m", concurrency=1).generate(repeated(10, 3), lambda *_: None)
    asked = [body["messages"][0]["content"] for body in stub.requests]
    assert asked == [f"q{problem}" for problem in range(10) for _ in range(3)]
