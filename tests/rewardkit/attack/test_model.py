"""Proposals of a model over HTTP."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from rewardkit import UsageError, load
from rewardkit.attack.model import propose


@pytest.fixture
def server():
    class Handler(BaseHTTPRequestHandler):
        reply = 'Here: ["<think></think>", "{prompt}", 3]'
        asked = []

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.asked.append((self.path, body, self.headers["Authorization"]))
            body = json.dumps({"choices": [{"message": {"content": Handler.reply}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    http = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
    yield Handler, f"http://127.0.0.1:{http.server_port}"
    http.shutdown()
    http.server_close()


def test_a_list_of_strings_is_taken(server):
    handler, url = server
    assert propose(f"{url}/v1", "m", load("math + 0.1 * think_format"), []) == ["<think></think>", "{prompt}"]
    path, body, _ = handler.asked[-1]
    assert path == "/v1/chat/completions"
    assert "think_format" in body["messages"][0]["content"]


def test_a_server_is_asked_with_the_key_and_through_the_proxy_of_the_environment(server, monkeypatch):
    handler, url = server
    monkeypatch.setenv("http_proxy", url)
    monkeypatch.setenv("OPENAI_API_KEY", "secret ")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert propose("http://model.invalid/v1", "m", load("math"), [])
    path, _, key = handler.asked[-1]
    assert (path, key) == ("http://model.invalid/v1/chat/completions", "Bearer secret")


def test_a_reply_without_a_list_proposes_nothing(server):
    handler, url = server
    handler.reply = "I would rather not."
    assert propose(url, "m", load("math"), []) == []


def test_no_server_is_one_line():
    with pytest.raises(UsageError, match="--model"):
        propose("http://127.0.0.1:9", "m", load("math"), [])


def test_a_redirection_gets_no_key(server, monkeypatch):
    handler, url = server
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setattr(handler, "do_POST", redirect)
    monkeypatch.setattr(handler, "do_GET", note, raising=False)
    with pytest.raises(UsageError, match="--model"):
        propose(url, "m", load("math"), [])
    assert handler.asked[-1] == ("/elsewhere", None, None)


def redirect(handler):
    handler.rfile.read(int(handler.headers["Content-Length"]))
    handler.send_response(302)
    handler.send_header("Location", "/elsewhere")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def note(handler):
    handler.asked.append((handler.path, None, handler.headers["Authorization"]))
    handler.send_error(404)
