"""What it takes to reach a server: its URL, a bearer token, certificates."""

from __future__ import annotations

import http.client
import os
import ssl
from functools import cache
from urllib.parse import urlsplit

from rewardkit.errors import UsageError

TOKEN_VARIABLE = "REWARDKIT_TOKEN"  # noqa: S105 - the name of a variable, not a secret
"""The bearer token is read from this environment variable, and from nowhere else: no secret is in a reward's text."""
TLS_VARIABLES = ("REWARDKIT_TLS_CA", "REWARDKIT_TLS_CERT", "REWARDKIT_TLS_KEY")
"""Environment variables with paths of PEM files: authorities for the server's certificate; certificate and key of the client."""


def check_url(url: str) -> str:
    """A server's URL without its trailing slash.

    Raises:
        UsageError: it is not http(s), has no host, or holds a password.
    """
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
        host = (parts.hostname or "").encode("idna")
    except ValueError as error:
        raise UsageError(f"not a URL: {error}") from None
    if parts.username or parts.password:
        raise UsageError(f"the URL of {parts.hostname} must not hold a password or token: set {TOKEN_VARIABLE}")
    can_be_sent = url.isprintable() and " " not in url and parts.path.isascii()
    if parts.scheme not in {"http", "https"} or not host or not port_is_fine or not can_be_sent:
        raise UsageError(f"{url!r} is not the URL of a server: write http://host:port")
    if parts.query or parts.fragment:
        raise UsageError(f"{url!r}: give the URL of the server alone, without query")
    return url.rstrip("/")


def connect(url: str, timeout_s: float) -> http.client.HTTPConnection:
    """A connection to the server of a URL, not open yet.

    Raises:
        UsageError: the certificates of the environment cannot be used.
    """
    parts = urlsplit(url)
    assert parts.hostname is not None
    if parts.scheme == "https":
        context = _tls(*map(os.environ.get, TLS_VARIABLES))
        return http.client.HTTPSConnection(parts.hostname, parts.port, timeout=timeout_s, context=context)
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout_s)


@cache
def _tls(authority: str | None, certificate: str | None, key: str | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=authority)
        if certificate is not None:
            context.load_cert_chain(certificate, key)
    except OSError as error:
        raise UsageError(f"cannot use the certificates that {', '.join(TLS_VARIABLES)} name: {error}") from None
    return context


def own_token() -> str | None:
    """The token of this process: the first one that its environment holds.

    Raises:
        UsageError: it has characters that no header can hold. The message does not show it.
    """
    token = next((words[0] for words in token_lines(os.environ.get(TOKEN_VARIABLE, "")).values()), None)
    if token is not None and not (token.isascii() and token.isprintable()):
        raise UsageError(f"{TOKEN_VARIABLE} must hold printable ASCII characters alone")
    return token


def token_lines(text: str) -> dict[int, list[str]]:
    """The words of the lines that hold a token, which comes first, by number. Lines with `#` in front are comments."""
    numbered = enumerate(map(str.split, text.split("\n")), start=1)
    return {number: words for number, words in numbered if words and not words[0].startswith("#")}
