"""The proxy of the environment through which a server is asked."""

from __future__ import annotations

import contextlib
import ipaddress
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from rewardkit.errors import UsageError


def proxy_for(url: str) -> str | None:
    """The URL of the HTTP proxy for a server, as curl chooses it: from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, unless NO_PROXY has its host.

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
