"""URLs, tokens and certificates: what cannot work is told before anything is sent, and no secret is shown."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewardkit import UsageError
from rewardkit.access import TOKEN_VARIABLE, check_url, connect, own_token

HOSTS = st.text("abz.-\u00fc\u00df \t\x00\u200b[]:1%@/", max_size=12) | st.just("host")


def test_a_trailing_slash_does_not_matter() -> None:
    assert check_url("https://host:1/base/") == "https://host:1/base"


@given(HOSTS, st.text("ab/\u00fc \n%.", max_size=6))
@example("local host", "")
@example("foo..bar", "")
@example("host", "/\u00fc")
@example("b\u00fccher.example", "/a")
def test_a_url_that_is_taken_can_be_asked(host: str, path: str) -> None:
    try:
        url = check_url(f"http://{host}/{path}")
    except UsageError:
        return
    connection = connect(url, 1.0)
    connection.host.encode("idna")  # as it is looked up
    connection.putrequest("POST", url.partition("//")[2].partition("/")[2])


@pytest.mark.parametrize(
    "url", ["ftp://user:secret-word@host", "http://user:secret-word@lo cal", "http://secret-word@host/\u00fc"]
)
def test_a_password_in_a_url_is_not_shown(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_url(url)
    assert "secret-word" not in str(caught.value)


TOKENS = st.from_regex(r"[A-Za-z0-9_-]{16,20}", fullmatch=True)


@given(
    st.lists(
        st.sampled_from(["", "  ", "# a comment", "#", "\t# name=x"]) | TOKENS | TOKENS.map("  {} name=me".format),
        max_size=6,
    )
)
def test_the_client_sends_a_token_that_the_server_reads_in_the_same_text(lines: list[str]) -> None:
    pytest.importorskip("msgspec")
    from rewardkit.serve.tokens import read_tokens

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TOKEN_VARIABLE, "\n".join(lines))
        token = own_token()
        with contextlib.suppress(UsageError):  # two of one name
            known = [one.secret for one in read_tokens(None)]
            assert token == (known[0] if known else None)


@pytest.mark.parametrize("token", ["p\u00e4ssword-of-many", "a\x07b", "\u200b"])
def test_a_token_that_no_header_can_hold_is_refused_and_not_shown(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, token)
    with pytest.raises(UsageError, match="REWARDKIT_TOKEN must hold printable ASCII") as caught:
        own_token()
    assert token not in str(caught.value)
