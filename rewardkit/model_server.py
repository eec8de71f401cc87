"""How a server with a model is asked: the key and the proxy that the environment names."""

from __future__ import annotations

import contextlib
import ipaddress
import os
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from rewardkit.errors import UsageError


def api_key(given: str | None = None) -> str:
    """The key for the server, without blanks at its ends: the given one, else OPENAI_API_KEY; empty if there is none.

    Raises:
        UsageError: no header can hold it.
    """
    key = (given or os.environ.get("OPENAI_API_KEY", "")).strip()
    if not key.isprintable():
        raise UsageError("the API key holds a line break or another control character; set OPENAI_API_KEY again")
    return key


def proxy_for(url: str) -> str | None:
    """The URL of the HTTP proxy for a server: from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, unless NO_PROXY has its host.

    A server on this machine is asked directly.

    Raises:
        UsageError: the proxy speaks no HTTP (SOCKS).
    """
    server = urlsplit(url)
    if _is_local(server.hostname or "") or proxy_bypass(server.netloc.rpartition("@")[2]):
        return None
    found = getproxies()
    proxy = found.get(server.scheme) or found.get("all")
    if not proxy:
        return None
    kind, given, _ = proxy.partition("://")
    if not given:
        return f"http://{proxy}"
    if kind.lower() not in ("http", "https"):
        raise UsageError(f"{url} has a {kind} proxy in the environment; name an HTTP proxy, or the host in NO_PROXY")
    return proxy


def _is_local(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"
