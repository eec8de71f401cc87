"""Which proxy of the environment a server is asked through."""

import pytest

from rewardkit.errors import UsageError
from rewardkit.model_server import proxy_for

NAMES = [name for kind in ("http", "https", "all", "no") for name in (f"{kind}_proxy", f"{kind.upper()}_PROXY")]


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch):
    for name in [*NAMES, "REQUEST_METHOD"]:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("set_to", "url", "proxy"),
    [
        ({}, "https://api.example.com/v1", None),
        ({"HTTPS_PROXY": "http://p:3128"}, "https://api.example.com/v1", "http://p:3128"),
        ({"https_proxy": "http://p:3128"}, "https://api.example.com/v1", "http://p:3128"),
        ({"HTTPS_PROXY": "http://p:3128"}, "http://api.example.com/v1", None),
        ({"HTTP_PROXY": "http://p:3128"}, "http://api.example.com/v1", "http://p:3128"),
        ({"HTTP_PROXY": "p:3128"}, "http://api.example.com/v1", "http://p:3128"),
        ({"HTTP_PROXY": "http://u:w@p:3128"}, "http://api.example.com/v1", "http://u:w@p:3128"),
        ({"ALL_PROXY": "http://p:1"}, "https://api.example.com/v1", "http://p:1"),
        ({"ALL_PROXY": "http://p:1", "HTTPS_PROXY": "http://q:2"}, "https://api.example.com/v1", "http://q:2"),
        ({"HTTPS_PROXY": ""}, "https://api.example.com/v1", None),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "example.com"}, "https://api.example.com/v1", None),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "node7:8000"}, "http://node7:8000/v1", None),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "node7:8000"}, "http://node7:8001/v1", "http://p:1"),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "node7"}, "http://user:word@node7:8000/v1", None),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "*"}, "https://api.example.com/v1", None),
    ],
)
def test_the_proxy_is_the_one_that_the_environment_names(set_to, url, proxy, monkeypatch):
    for name, value in set_to.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(url) == proxy


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"])
def test_this_machine_is_asked_directly(host, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://p:1")
    assert proxy_for(f"http://{host}:8000/v1") is None


def test_a_proxy_that_speaks_no_http_is_refused_with_the_cure(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "socks5h://p:1080")
    with pytest.raises(UsageError, match=r"https://api.example.com/v1 has a socks5h proxy .* NO_PROXY"):
        proxy_for("https://api.example.com/v1")
