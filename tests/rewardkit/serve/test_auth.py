"""Who may come in, and that no secret is written down."""

from __future__ import annotations

import base64
from collections.abc import Callable

import httpx
import pytest
from live import SAME, TOKEN, InProcess, Server

pytest.importorskip("msgspec")

from rewardkit.serve.auth import token_of


@pytest.fixture(scope="module")
def locked() -> Server:
    server = Server("-r", SAME, "--workers", "1", "--access-log", env={"REWARDKIT_TOKEN": TOKEN})
    server.wait_ready()
    yield server
    server.stop()


def ask(server: Server, **headers: str) -> int:
    return httpx.post(f"{server.url}/v1/score", json={"samples": []}, headers=headers).status_code


@pytest.mark.long
def test_a_token_is_asked_for(locked: Server) -> None:
    response = httpx.post(f"{locked.url}/v1/score", json={"samples": []})
    assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
    assert ask(locked, authorization=f"Bearer {TOKEN}") == 200
    assert ask(locked, authorization=f"bearer {TOKEN}") == 200
    for wrong in ("", "Bearer", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", TOKEN, "Basic !!", f"Digest {TOKEN}"):
        assert ask(locked, authorization=wrong) == 401


def test_the_password_in_a_url_is_a_token_too(locked: Server) -> None:
    assert httpx.get(locked.url.replace("://", f"://any:{TOKEN}@") + "/v1/rewards").status_code == 200
    assert httpx.get(locked.url.replace("://", "://any:wrong@") + "/v1/rewards").status_code == 401


@pytest.mark.parametrize("path", ["/v1/rewards", "/metrics", "/nowhere", "/openapi.json"])
def test_only_health_is_open(locked: Server, path: str) -> None:
    assert httpx.get(locked.url + path).status_code == 401
    assert httpx.get(locked.url + "/healthz").status_code == 200


def test_no_secret_and_no_sample_is_logged(locked: Server) -> None:
    sample = {"completion": "swordfish-completion", "ground_truth": 3, "wrong_field": "swordfish-field"}
    headers = {"authorization": f"Bearer {TOKEN}"}
    httpx.post(f"{locked.url}/v1/score?reward=swordfish-query", json={"samples": [sample]}, headers=headers)
    httpx.post(f"{locked.url}/v1/score", json={"samples": [sample]}, headers=headers)
    httpx.post(
        f"{locked.url}/v1/score", content=b"swordfish-body", headers={**headers, "content-type": "application/json"}
    )
    assert "POST /v1/score 200" in locked.log
    assert TOKEN not in locked.log
    assert "swordfish" not in locked.log


def test_settings_hide_tokens() -> None:
    from rewardkit.serve.settings import Settings
    from rewardkit.serve.tokens import Token

    assert TOKEN not in repr(Settings(("math",), tokens=(Token(TOKEN, "trainer"),)))


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Bearer abc", b"abc"),
        ("Basic " + base64.b64encode(b"user:a:b").decode(), b"a:b"),
        ("Basic " + base64.b64encode(b"user").decode(), b""),
        ("Basic \xff", b""),
        ("Negotiate abc", b""),
        ("", b""),
    ],
)
def test_token_of_a_header(header: str, token: bytes) -> None:
    assert token_of(header) == token


def test_a_public_address_without_a_token_is_refused(
    cli: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REWARDKIT_TOKEN", raising=False)
    outcome = cli("serve", "-r", "exact", "--host", "0.0.0.0")
    assert outcome.code == 2
    assert "set a token" in outcome.err


@pytest.mark.parametrize("token", ["short", "has blanks in it, this one", "nön-ascii-is-no-good-here"])
def test_a_weak_token_is_refused(cli: Callable[..., object], monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("REWARDKIT_TOKEN", token)
    outcome = cli("serve", "-r", "exact")
    assert outcome.code == 2
    assert token not in outcome.err


def test_the_schema_says_that_a_token_is_needed(locked: Server) -> None:
    schema = httpx.get(f"{locked.url}/openapi.json", headers={"authorization": f"Bearer {TOKEN}"}).json()
    assert schema["components"]["securitySchemes"]["token"] == {"type": "http", "scheme": "bearer"}
    assert schema["security"] == [{"token": []}]
    assert schema["paths"]["/healthz"]["get"]["security"] == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:8000"}, 200),
        ({"host": "[::1]:8000"}, 200),
        ({"origin": "http://127.0.0.1:3000"}, 200),
        ({"origin": "https://example.org"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "rebound.example.org"}, 403),
        ({"host": "["}, 403),
    ],
)
def test_no_web_page_can_post_to_a_server_without_token(shared: Server, headers: dict[str, str], status: int) -> None:
    response = httpx.post(f"{shared.url}/v1/score", json={"samples": []}, headers=headers)
    assert response.status_code == status


@pytest.mark.parametrize(("count", "caller"), [(1, ""), (2, "token-0")])
def test_callers_take_turns_by_token_where_there_are_several(count: int, caller: str) -> None:
    """One token is shared by all callers: then its connections take turns."""
    from rewardkit.serve.app import App
    from rewardkit.serve.http import Answer, Request, Route
    from rewardkit.serve.service import Service
    from rewardkit.serve.settings import Settings
    from rewardkit.serve.tokens import Token

    async def answer(request: Request) -> Answer:
        return Answer(f"{request.caller} {request.scope['client']}".encode())

    tokens = tuple(Token(f"{TOKEN}-{place}", f"token-{place}") for place in range(count))
    service = Service(Settings((SAME,), workers=1, tokens=tokens))
    with InProcess(
        App(service, [Route("/", answer, "", "GET")]), headers={"authorization": f"Bearer {TOKEN}-0"}
    ) as client:
        said = client.get("/").text
    assert said.startswith("token-0 ") if caller else said.startswith("('127.0.0.1', ") and said.count("('127") == 2
