"""The HTTP client: which server, when again, how long. Behaviour against servers stands in rewards/test_remote.py."""

from __future__ import annotations

import email.utils
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from rewardkit.client import MAX_PAUSE_S, Client, RemoteError, check_url, retry_after


@pytest.mark.parametrize(
    ("header", "seconds"), [(None, None), ("3", 3.0), ("0", 0.0), ("99999", MAX_PAUSE_S), ("soon", None), ("-1", None)]
)
def test_retry_after_in_seconds(header: str | None, seconds: float | None) -> None:
    assert retry_after(header) == seconds


def test_retry_after_as_a_date() -> None:
    assert retry_after(email.utils.formatdate(time.time() - 100, usegmt=True)) == 0.0
    assert retry_after(email.utils.formatdate(time.time() + 1000, usegmt=True)) == MAX_PAUSE_S


def test_a_trailing_slash_does_not_matter() -> None:
    assert check_url("https://host:1/base/") == "https://host:1/base"


class Recording(Client):
    """Sends nothing: waits until `width` requests are under way, and notes where each went."""

    def __init__(self, urls: list[str], width: int) -> None:
        super().__init__(urls, seed=0)
        self.went: list[str] = []
        self.barrier = Barrier(width)

    def _send(self, server, path, body, timeout_s):
        self.went.append(server.url)
        self.barrier.wait(120)
        server.in_flight -= 1
        return 200, {}, b"{}"


def test_requests_go_where_the_fewest_are_under_way() -> None:
    client = Recording(["http://a", "http://b", "http://c"], width=9)
    with ThreadPoolExecutor(9) as pool:
        list(pool.map(lambda _: client.post("/", {}, timeout_s=120), range(9)))
    assert sorted(client.went) == ["http://a"] * 3 + ["http://b"] * 3 + ["http://c"] * 3


class Failing(Client):
    """One server that always breaks, one that always answers."""

    def __init__(self, urls: list[str]) -> None:
        super().__init__(urls, seed=0)
        self.went: list[str] = []

    def _send(self, server, path, body, timeout_s):
        server.in_flight -= 1
        self.went.append(server.url)
        if server.url == "http://broken":
            raise ConnectionRefusedError("nobody there")
        return 200, {}, b'{"ok": true}'


def test_a_server_that_failed_rests_for_a_while() -> None:
    client = Failing(["http://broken", "http://fine"])
    for _ in range(50):
        assert client.post("/", {}, timeout_s=30) == {"ok": True}
    assert client.went.count("http://broken") < 10


def test_no_answer_tells_how_often_and_why() -> None:
    with pytest.raises(
        RemoteError, match=r"within 0\.3 s, [0-9]+ tries; the last: http://broken: ConnectionRefusedError"
    ):
        Failing(["http://broken"]).post("/", {}, timeout_s=0.3)
