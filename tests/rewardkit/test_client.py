"""The HTTP client: which server, when again, how long. Behaviour against servers stands in rewards/test_remote.py."""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import socketserver
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from live import wait_for

import rewardkit
from rewardkit import Sample, Score, UsageError, client
from rewardkit.client import TIME_IS_UP, Client, RemoteError, shared_client
from rewardkit.exchange import MAX_PAUSE_S, Exchange, retry_after


@pytest.mark.parametrize(
    ("header", "seconds"), [(None, None), ("3", 3.0), ("0", 0.0), ("99999", MAX_PAUSE_S), ("soon", None), ("-1", None)]
)
def test_retry_after_in_seconds(header: str | None, seconds: float | None) -> None:
    assert retry_after(header) == seconds


def test_retry_after_as_a_date() -> None:
    assert retry_after(email.utils.formatdate(time.time() - 100, usegmt=True)) == 0.0
    assert retry_after(email.utils.formatdate(time.time() + 1000, usegmt=True)) == MAX_PAUSE_S


def as_it_is(answer: Any) -> Any:
    return answer


class Recording(Client):
    """Sends nothing: waits until `width` requests are under way, and notes where each went."""

    def __init__(self, urls: list[str], width: int) -> None:
        super().__init__(urls, seed=0)
        self.went: list[str] = []
        self.times: list[tuple[float, float]] = []
        """How long each attempt takes at most: for the client, for the server."""
        self.barrier = Barrier(width)

    def _send(self, server, path, body, timeout_s):
        self.went.append(server.url)
        self.times.append((timeout_s, body["timeout_s"]))
        self.barrier.wait(120)
        return 200, {}, b"{}"


def test_requests_go_where_the_fewest_are_under_way() -> None:
    client = Recording(["http://a", "http://b", "http://c"], width=9)
    with ThreadPoolExecutor(9) as pool:
        list(pool.map(lambda _: client.request("/", {}, timeout_s=120, read=as_it_is), range(9)))
    assert sorted(client.went) == ["http://a"] * 3 + ["http://b"] * 3 + ["http://c"] * 3


class Failing(Client):
    """One server that always fails in one way, one that always answers."""

    def __init__(self, urls: list[str], failure: Any) -> None:
        super().__init__(urls, seed=0)
        self.went: list[str] = []
        self.failure = failure

    def _send(self, server, path, body, timeout_s):
        self.went.append(server.url)
        if server.url != "http://broken":
            return 200, {}, b'"fine"'
        if isinstance(self.failure, Exception):
            raise self.failure
        return self.failure


FULL = {"retry-after": "60"}


@pytest.mark.parametrize(
    "failure",
    [(200, {}, b"<html>welcome</html>"), (200, {}, b""), (200, {}, b"[" * 100_000), ConnectionRefusedError(), TimeoutError(), http.client.IncompleteRead(b""), *((status, headers, b"") for status in sorted({*range(400, 600)} - client.REFUSALS) for headers in ({}, FULL))],
    ids=str,
)  # fmt: skip
def test_a_server_that_fails_rests_and_nobody_waits_for_it_while_another_is_there(
    failure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Failing(["http://broken", "http://fine"], failure)
    monkeypatch.setattr(asked, "_pause", lambda _: 600.0)
    monkeypatch.setattr(client.time, "sleep", lambda seconds: pytest.fail("it waited") if seconds else None)
    for _ in range(50):
        assert asked.request("/", {}, timeout_s=600, read=as_it_is) == "fine"
    assert asked.went.count("http://broken") <= 1


@given(st.floats(1e-3, 1e6))
def test_the_server_stops_before_the_client_stops_waiting(timeout_s: float) -> None:
    asked = Recording(["http://a"], width=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "time", SimpleNamespace(monotonic=lambda: 0.0))  # or a busy machine is late
        asked.request("/", {}, timeout_s=timeout_s, read=as_it_is)
    ((waits_s, server_s),) = asked.times
    assert 0 < waits_s <= timeout_s
    assert waits_s - server_s == pytest.approx(min(5.0, waits_s / 5))


def test_no_answer_tells_how_often_and_why() -> None:
    with pytest.raises(
        RemoteError, match=r"within timeout_s, [0-9]+ tries; the last: http://broken: ConnectionRefusedError"
    ):
        Failing(["http://broken"], ConnectionRefusedError("nobody there")).request(
            "/", {}, timeout_s=0.3, read=as_it_is
        )


@pytest.mark.parametrize("status", range(400, 600))
def test_an_answer_is_final_unless_it_says_that_another_attempt_may_help(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([(status, {}, b"{}"), (200, {}, b"[]")])
    asked = Client(["http://a"])
    monkeypatch.setattr(asked, "_send", lambda *_: next(answers))
    monkeypatch.setattr(asked, "_pause", lambda _: 0.0)
    if status in {408, 429} or status >= 500:  # the server was at fault, or was busy
        assert asked.request("/", {}, timeout_s=60, read=as_it_is) == []
    else:
        with pytest.raises(RemoteError, match=f"HTTP {status}"):
            asked.request("/", {}, timeout_s=60, read=as_it_is)


@pytest.mark.parametrize("status", [one for one in range(400, 600) if one not in {408, 429, 502, 503, 504}])
def test_a_refusal_is_final_once_every_server_has_refused(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, went = Client(["http://a", "http://b", "http://c"]), list[str]()
    monkeypatch.setattr(asked, "_send", lambda server, *_: went.append(server.url) or (status, {}, b"{}"))
    monkeypatch.setattr(asked, "_pause", lambda _: 0.01)
    with pytest.raises(RemoteError, match=f"^http://.: HTTP {status}"):
        asked.request("/", {}, timeout_s=60, read=as_it_is)
    assert (len(set(went)) == 3 or status >= 500) if status not in {413, 422} else len(went) == 1
    assert len(went) == 9 or status < 500


POLL_S = 0.01
"""Between looks of a server for its end."""


class Judge(ThreadingHTTPServer):
    """Answers as `rewardkit serve` does, each completion with its length. `state` is fine, stopped, slow, late, or busy: what it has by
    the deadline arrives `delay_s` later. Requests of more than `most` rows are too large.
    """

    def __init__(self, state: str = "fine", *, delay_s: float = 0.0, most: int = 10_000) -> None:
        self.state, self.judged, self.batches, self.fine = state, [], [], threading.Event()
        self.delay_s, self.most, self.paths, self.reward = delay_s, most, [], None
        super().__init__(("127.0.0.1", 0), JudgeHandler)
        threading.Thread(target=self.serve_forever, args=(POLL_S,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __exit__(self, *error) -> None:
        self.fine.set()
        self.shutdown()
        super().__exit__(*error)


class JudgeHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet, or the second waits for the first

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        if self.server.state == "stopped":
            self.server.fine.wait(120)
        self.answer(b"{}")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.paths.append(self.path)
        texts = [row["completion"] for row in body["samples"]]
        if len(texts) > self.server.most:
            self.answer(b"{}", 413)
            return
        if self.server.state == "busy":
            self.server.fine.wait(body["timeout_s"] + self.server.delay_s)
        if self.server.state in ("stopped", "slow"):
            self.server.fine.wait(120)
        late = self.server.state in ("late", "busy")
        if self.server.reward is not None:
            judged = self.server.reward.score([Sample.from_row(row) for row in body["samples"]])
            self.answer(json.dumps({"scores": [score.to_row() for score in judged]}).encode())
            return
        scores = [
            {"value": None, "verdict": "unjudged", "reason": f"{TIME_IS_UP} 1 s"}
            if late and index % 2
            else {"value": float(len(text)), "verdict": "partial"}
            for index, text in enumerate(texts)
        ]
        self.server.judged += texts
        self.server.batches.append(len(texts))
        self.answer(json.dumps({"scores": scores}).encode())

    def answer(self, body: bytes, status: int = 200) -> None:
        with contextlib.suppress(OSError):  # the client has gone elsewhere
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


end_headers = JudgeHandler.end_headers
ROWS = [Sample(completion="x" * (index % 50)) for index in range(600)]
WANTED = [float(index % 50) for index in range(600)]


@pytest.mark.slow
@pytest.mark.parametrize("state", ["fine", "stopped", "slow", "late"])
def test_no_row_is_lost_whatever_one_of_the_servers_does(state: str) -> None:
    with Judge(state) as bad, Judge() as good:
        scores = rewardkit.remote([bad.url, good.url], batch=16, concurrency=2, timeout_s=12).score(ROWS)
        assert [score.value for score in scores] == WANTED
        assert len(bad.judged) < len(ROWS)


@pytest.mark.slow
def test_a_server_that_answers_no_probe_is_ejected_and_comes_back() -> None:
    with Judge("stopped") as bad, Judge() as good:
        reward = rewardkit.remote([bad.url, good.url], batch=8, concurrency=1, timeout_s=120)
        assert [score.value for score in reward.score(ROWS[:200])] == WANTED[:200]
        server = next(one for one in shared_client((bad.url, good.url)).servers if one.url == bad.url)
        assert server.ejected
        done = len(good.judged)
        reward.score(ROWS[:200])
        assert len(good.judged) == done + 200  # nothing goes to a server that is ejected
        bad.state = "fine"
        bad.fine.set()
        bad.judged.clear()
        wait_for(lambda: reward.score(ROWS[:40]) and bad.judged)


def test_servers_are_watched_once_a_thread_for_that_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def none_left(thread: threading.Thread) -> None:
        if thread.name.startswith("rewardkit-"):  # the servers have some
            raise RuntimeError("can't start new thread")
        start(thread)

    with Judge() as one, Judge() as two:
        reward = rewardkit.remote([one.url, two.url])
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", none_left)
            assert reward.score(ROWS[:1])[0].value == WANTED[0]
            assert all("RuntimeError: can't start new thread" in score.reason for score in reward.score(ROWS[:64]))
        assert [score.value for score in reward.score(ROWS[:64])] == WANTED[:64]
        assert shared_client((one.url, two.url))._monitor.is_alive()


@pytest.mark.parametrize("rows", [1, 64])
def test_certificates_that_cannot_be_used_are_an_error_not_unjudged_rows(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REWARDKIT_TLS_CA", "/nowhere")
    with pytest.raises(UsageError, match="cannot use the certificates"):
        rewardkit.remote(["https://127.0.0.1:1", "https://127.0.0.1:2"]).score(ROWS[:rows])


@pytest.mark.parametrize("servers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_rows_that_are_judged_by_the_deadline_arrive_over_a_slow_network(servers: int) -> None:
    with Judge("busy", delay_s=0.2) as one, Judge("busy", delay_s=0.2) as two:
        scores = rewardkit.remote([one.url, two.url][:servers], timeout_s=3).score(ROWS[:20])
    assert [score.value for score in scores[::2]] == WANTED[:20:2]
    assert all(
        score.value == wanted or TIME_IS_UP in score.reason for score, wanted in zip(scores, WANTED, strict=False)
    )


@given(
    groups=st.lists(st.none() | st.sampled_from("abcde"), max_size=40),
    most=st.integers(1, 10),
    batch=st.integers(1, 50),
)
def test_a_batch_that_is_too_large_is_halved_but_no_group_is_parted(
    groups: list[str | None], most: int, batch: int, judge: Judge
) -> None:
    judge.most, judge.batches, judge.judged = most, [], []
    rows = [Sample(completion=f"{index:03}{group}", group=group) for index, group in enumerate(groups)]
    scores = rewardkit.remote(judge.url, batch=batch).score(rows)
    for group, score in zip(groups, scores, strict=True):
        fits = group is None or groups.count(group) <= most
        assert (score.value is not None) == fits, score.reason
        assert fits or "HTTP 413" in score.reason
    assert len(judge.judged) == sum(score.value is not None for score in scores)


@pytest.mark.parametrize("text", ["majority", "length_group(exact, unit='words')", "exact - 0.5 * majority(least=1)"])
@given(
    keys=st.lists(st.tuples(st.none() | st.sampled_from("gh"), st.none() | st.sampled_from("pqr")), max_size=50),
    batch=st.integers(1, 20),
    servers=st.integers(1, 3),
)
def test_a_reward_of_groups_gives_the_values_of_one_call_by_any_batches_and_servers(
    text: str, keys: list[tuple[str | None, str | None]], batch: int, servers: int, judges: list[Judge]
) -> None:
    reward = rewardkit.load(text)
    for one in judges:
        one.reward = reward
    rows = [
        Sample(completion=f"{index % 3} " * (index % 5), ground_truth="1", group=group, prompt=prompt)
        for index, (group, prompt) in enumerate(keys)
    ]
    remote = rewardkit.remote([one.url for one in judges[:servers]], batch=batch)
    assert [score.value for score in remote.score(rows)] == [score.value for score in reward.score(rows)]


@pytest.fixture(scope="module")
def judges() -> Iterator[list[Judge]]:
    with Judge() as one, Judge() as two, Judge() as three:
        yield [one, two, three]


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as one:
        yield one


@pytest.mark.parametrize("path", ["", "/", "/rewards", "/team/rewards/"])
def test_the_path_of_a_url_stands_in_front_of_every_request(path: str, judge: Judge) -> None:
    judge.most, judge.paths = 10_000, []
    url = judge.url + path
    assert rewardkit.remote(url).score(ROWS[:1])[0].value == WANTED[0]
    client_of_it = Client([url])
    client_of_it.check(client_of_it.servers[0])
    client_of_it.servers[0].ejected = True
    client_of_it.check(client_of_it.servers[0])
    assert judge.paths == [path.rstrip("/") + asked for asked in ("/v1/score", "/healthz", "/readyz")]


@pytest.mark.parametrize("rows", [1, 2, 31, 32, 33, 64])
def test_a_small_call_is_shared_out_too(rows: int) -> None:
    with Judge() as one, Judge() as two:
        rewardkit.remote([one.url, two.url]).score(ROWS[:rows])
        assert sorted(one.batches + two.batches) == ([rows] if rows < 32 else [rows // 2, rows - rows // 2])


@pytest.mark.parametrize("busy_s", [None, 0.0, 60.0])
@pytest.mark.parametrize("ejected", [False, True])
def test_servers_are_asked_while_they_are_ejected_or_take_long(
    ejected: bool, busy_s: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Client(["http://h", "http://other"])
    monkeypatch.setattr(client, "PATIENCE_S", 0.02)
    asked: list[Any] = []
    done = threading.Event()

    def check(server: Any) -> None:
        asked.append(server)
        server.ejected = False
        server.busy.clear()

    monkeypatch.setattr(one, "check", check)
    one.servers[0].ejected = ejected
    if busy_s is not None:
        exchange = Exchange(SimpleNamespace(sock=None))
        exchange.started = time.monotonic() - busy_s
        one.servers[0].busy = {exchange}
    watch = threading.Thread(target=lambda: (one._watch(), done.set()), daemon=True)
    watch.start()
    assert done.wait(10)  # nothing is left to watch
    assert asked == ([one.servers[0]] if ejected or busy_s is not None else [])


@pytest.mark.parametrize("servers", [1, 2, 3])
@given(slow=st.integers(0, 4), kind=st.sampled_from([client.TIME_IS_UP, client.DRAINED]))
def test_late_rows_are_sent_again_while_some_are_judged_and_once_to_each_server(
    servers: int, slow: int, kind: str
) -> None:
    """A server judges all but three rows at first, one more at each attempt, and `slow` rows never; one that is draining is left."""
    reward, sent = rewardkit.remote([f"http://h{index}" for index in range(servers)]), list[int]()

    def ask(_: object, rows: list[dict[str, Any]], __: float) -> list[Score]:
        sent.append(len(rows))
        if kind == client.DRAINED and len(sent) > 4:
            return [Score.of(True)] * len(rows)
        late = min(len(rows), slow + 3 - min(3, len(sent) - 1))
        return [Score.of(True)] * (len(rows) - late) + [Score.unjudged(f"{kind} 3 s")] * late

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(reward), "_ask", ask)
        scores = reward.score(ROWS[:10])
    assert sent[:4] == [10, slow + 3, slow + 2, slow + 1]
    assert sent[4:] == [slow] * (bool(slow) * (1 if kind == client.DRAINED else servers))
    assert sum(score.value is None for score in scores) == (0 if kind == client.DRAINED else slow)


@pytest.mark.parametrize("answered", [0, 1, 4])
def test_batches_end_at_once_when_one_was_tried_in_vain_and_none_was_answered_meanwhile(answered: int) -> None:
    sent: list[int] = []

    def ask(_: object, rows: list[dict[str, Any]], __: float) -> list[Score]:
        sent.append(len(rows))
        if len(sent) > answered:
            raise RemoteError(f"{client.NO_ANSWER}, 9 tries")
        return [Score.of(True)] * len(rows)

    reward = rewardkit.remote("http://h", batch=10, concurrency=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(reward), "_ask", ask)
        scores = reward.score(ROWS[:60])
    assert len(sent) == answered + 1
    assert [score.value is None for score in scores] == [False] * 10 * answered + [True] * (60 - 10 * answered)


def test_a_row_that_is_slow_everywhere_is_not_asked_for_ever() -> None:
    with Judge("late") as one, Judge("late") as two:
        reward = rewardkit.remote([one.url, two.url], timeout_s=3)
        scores = reward.score(ROWS[:32])
        assert sum(score.value is None for score in scores) < 16  # those that were left were asked again, and half came
        assert len(one.judged) + len(two.judged) < 2 * 32


@given(probes=st.lists(st.sampled_from([200, 503, None]), max_size=12))
def test_a_server_is_ejected_after_misses_in_a_row_until_it_is_ready(probes: list[int | None]) -> None:
    """A probe is answered with a status, or not at all. A server that is up but not ready has not failed."""
    asked = SimpleNamespace(request=lambda method, path: None, close=lambda: None, connect=lambda: None, sock=None)
    only = Client(["http://h"])
    (server,) = only.servers
    in_a_row, out = 0, False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "connect", lambda *_: asked)
        for status in probes:
            asked.getresponse = partial(answered, status)
            only.check(server)
            alive = status == 200 if out else status is not None
            in_a_row = 0 if alive else in_a_row + 1
            out = not alive if out else in_a_row == client.MISSES
            assert server.ejected == out


def answered(status: int | None) -> Any:
    if status is None:
        raise ConnectionResetError
    return SimpleNamespace(status=status)


def test_no_connection_counts_as_under_way_once_its_request_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        JudgeHandler, "end_headers", lambda self: end_headers(self) or setattr(self, "close_connection", True)
    )
    with Judge() as one, Judge() as other:  # they say that they keep a connection, and drop it
        asked = Client([one.url, other.url], seed=0)
        for _ in range(20):
            asked.request("/v1/score", {"samples": [{"completion": "x"}]}, timeout_s=60, read=as_it_is)
            assert [(server.busy, server.in_flight) for server in asked.servers] == [(set(), 0)] * 2


def connections_of(server: socketserver.TCPServer, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The connections that a server takes, as they come."""
    taken: list[Any] = []
    accept = server.get_request

    def note() -> Any:
        taken.append(accept())
        return taken[-1]

    monkeypatch.setattr(server, "get_request", note)
    return taken


@pytest.mark.parametrize("idle_s", [0.0, 60.0])
def test_a_connection_is_used_again_unless_it_was_idle_too_long(idle_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_IDLE_S", idle_s)
    with Judge() as one:
        taken, asked = connections_of(one, monkeypatch), Client([one.url])
        for _ in range(5):
            asked.request("/readyz", timeout_s=60, read=as_it_is)
        assert len(taken) == (1 if idle_s else 5)


@pytest.mark.parametrize("answers", [True, False])
def test_only_a_connection_that_was_dropped_while_it_was_idle_costs_no_attempt(
    answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drop(self: JudgeHandler, *_: object) -> None:
        if answers:
            end_headers(self)
        self.close_connection = True

    monkeypatch.setattr(JudgeHandler, "end_headers" if answers else "answer", drop)
    with Judge() as one:
        taken, asked, attempts = connections_of(one, monkeypatch), Client([one.url]), list[int]()
        monkeypatch.setattr(asked, "_pause", lambda attempt: attempts.append(attempt) or 0.05)
        for _ in range(3):
            with contextlib.nullcontext() if answers else pytest.raises(RemoteError):
                asked.request("/readyz", timeout_s=60 if answers else 0.2, read=as_it_is)
        wait_for(lambda: len(taken) == (3 if answers else len(attempts)))
        assert answers == (attempts == [0, 0, 0])


def test_an_answer_ends_a_row_of_missed_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    with Judge() as one:
        asked = Client([one.url])
        (server,) = asked.servers
        for _ in range(3):
            with monkeypatch.context() as patch:
                patch.setattr(
                    client, "connect", lambda *_: SimpleNamespace(connect=partial(answered, None), close=list)
                )
                for _ in range(client.MISSES - 1):
                    asked.check(server)
            assert (server.misses, server.ejected) == (client.MISSES - 1, False)
            asked.request("/readyz", timeout_s=60, read=as_it_is)
            assert (server.misses, server.ejected) == (0, False)


HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n"
TRICKLES = {
    "body": (HEAD + b"\r\n", b" "),
    "last body": (HEAD + b"connection: close\r\n\r\n", b" "),
    "body without length": (b"HTTP/1.0 200 OK\r\n\r\n", b" "),
    "head": (HEAD + b"x: ", b"x"),
    "heads": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "one body, then silence": (HEAD + b"\r\n", b""),
}


class Trickling(socketserver.ThreadingTCPServer):
    """Begins each answer with `head`, then sends `more` again and again and never ends; the probes are answered if `healthy`."""

    daemon_threads = True

    def __init__(self, head: bytes, more: bytes, *, healthy: bool = False) -> None:
        self.head, self.more, self.healthy, self.over = head, more, healthy, threading.Event()
        super().__init__(("127.0.0.1", 0), TrickleHandler)
        threading.Thread(target=self.serve_forever, args=(POLL_S,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self.shutdown()
        super().__exit__(*error)


class TrickleHandler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        asked = self.request.recv(100_000)
        with contextlib.suppress(OSError):  # the client has cut it
            if self.server.healthy and asked.startswith(b"GET"):
                self.request.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
                return
            self.request.sendall(self.server.head)
            while not self.server.over.wait(POLL_S):
                self.request.sendall(self.server.more)


def scored_meanwhile(reward: Any, samples: list[Sample]) -> list[Score]:
    """The scores, or a failure of the test where they never come."""
    found: list[Score] = []
    thread = threading.Thread(target=lambda: found.extend(reward.score(samples)), daemon=True)
    thread.start()
    thread.join(60)
    assert found, "it waits for ever"
    return found


@pytest.mark.parametrize("kind", TRICKLES)
def test_an_answer_that_trickles_ends_with_the_time_of_its_batch(kind: str) -> None:
    with Trickling(*TRICKLES[kind]) as bad:
        (score,) = scored_meanwhile(rewardkit.remote(bad.url, timeout_s=0.3), ROWS[:1])
    assert score.reason.startswith(client.NO_ANSWER)
    assert "timed out" in score.reason


def test_a_handshake_that_never_ends_takes_no_longer_than_its_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "CONNECT_S", 3600.0)
    with Trickling(b"", b"") as silent:
        (score,) = scored_meanwhile(rewardkit.remote(silent.url.replace("http", "https"), timeout_s=0.3), ROWS[:1])
    assert score.reason.startswith(client.NO_ANSWER)


@pytest.mark.slow
@pytest.mark.parametrize("healthy", [True, False])
@pytest.mark.parametrize("kind", TRICKLES)
def test_a_server_whose_answers_trickle_costs_no_row_while_another_is_there(kind: str, healthy: bool) -> None:
    with Trickling(*TRICKLES[kind], healthy=healthy) as bad, Judge() as good:
        scores = scored_meanwhile(rewardkit.remote([bad.url, good.url], batch=8, timeout_s=12), ROWS[:64])
    assert [score.value for score in scores] == WANTED[:64]
