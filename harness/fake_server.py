"""A loopback OpenAI-compatible server that answers by rule: for tests, dry runs and benchmarks of the harness itself.

It answers right with a set chance, decided by the hash of prompt and seed, so that equal requests get equal answers, as
vLLM gives them; it can also fail, stall, truncate or refuse on demand. `python -m rewardkit.harness.fake_server --golds f.jsonl` runs it.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import importlib.util
import json
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

from rewardkit.errors import MissingExtraError, UsageError
from rewardkit.import_guard import leave_working_folder

Reply = Mapping[str, Any]
"""`text`, and optionally `model`, `reasoning_content`, `finish_reason`, `tokens`, `tool_calls`, `wait_s`, `choices` (how many equal ones).

Faults: `status`, `error` (in the body, also with 200), `headers`, `raw` (the body's bytes), `drop` (close the connection: `before` the
answer, after its `headers`, or in the middle of its `body`).
"""
Rule = Callable[[Mapping[str, Any], int], Reply]
"""Takes the request's body and its number (from 1); gives the reply."""
FAULTS: Mapping[str, Reply] = {
    "429": {"status": 429},
    "429 with Retry-After": {"status": 429, "headers": {"Retry-After": "0.05"}},
    "503 with Retry-After": {"status": 503, "headers": {"Retry-After": "0.05"}},
    "500": {"status": 500},
    "502 in HTML": {"status": 502, "raw": b"<html>bad gateway</html>"},
    "an error in a body with 200": {"error": {"message": "overloaded", "code": 500}},
    "broken JSON": {"raw": b'{"choices": [{"mess'},
    "another JSON": {"raw": b'{"detail": "later"}'},
    "no body": {"raw": b" "},
    "closed before the answer": {"drop": "before"},
    "closed after the headers": {"drop": "headers"},
    "closed in the body": {"drop": "body"},
    "ended by the server": {"text": "half an answ", "finish_reason": "abort"},
    "a stall": {"wait_s": 30, "text": "late"},
}
"""Ways in which a server fails for a while."""
START_S = 60.0
"""For the import of aiohttp on a busy machine. A server that cannot start says so at once."""


@dataclass
class Stub:
    """A server on a free port of 127.0.0.1, run in a thread of its own. A context manager."""

    rule: Rule
    port: int = 0
    models: Sequence[Mapping[str, Any]] = ({"id": "stub", "object": "model"},)
    """What `/v1/models` lists."""
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Bodies of all completion requests, in order of arrival."""
    most_at_once: int = 0
    _loop: Any = None
    _thread: threading.Thread | None = None
    _ready: threading.Event = field(default_factory=threading.Event)
    _now: int = 0

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        until = time.monotonic() + START_S
        while not self._ready.wait(0.05):
            if not self._thread.is_alive() or time.monotonic() > until:
                raise RuntimeError("the fake server did not start")
        return self

    def __exit__(self, *_error: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        if self._thread is not None:
            self._thread.join(10)

    def _serve(self) -> None:
        web: Any = importlib.import_module("aiohttp.web")
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_post("/v1/completions", self._complete)
        app.router.add_get("/v1/models", self._models)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", self.port)
        self._loop.run_until_complete(site.start())
        self.port = int(runner.addresses[0][1])
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    async def _models(self, _request: Any) -> Any:
        web: Any = importlib.import_module("aiohttp.web")
        return web.json_response({"object": "list", "data": [dict(model) for model in self.models]})

    async def _complete(self, request: Any) -> Any:
        body = cast("dict[str, Any]", await request.json())
        self.requests.append(body)
        reply = self.rule(body, len(self.requests))
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            if reply.get("wait_s"):
                await asyncio.sleep(float(reply["wait_s"]))
        finally:
            self._now -= 1
        return await _respond(request, body, reply)


async def _respond(request: Any, body: Mapping[str, Any], reply: Reply) -> Any:
    """The reply as HTTP, or a connection that ends too early."""
    web: Any = importlib.import_module("aiohttp.web")
    status, headers = int(reply.get("status", 200)), dict(cast("Mapping[str, str]", reply.get("headers") or {}))
    failed = status != 200 or "error" in reply
    content = (
        {"error": reply.get("error", {"message": str(reply.get("text", "no"))})} if failed else completion(body, reply)
    )
    data = cast("bytes", reply.get("raw") or json.dumps(content).encode())
    drop = reply.get("drop")
    if drop == "before":
        request.transport.close()
        return web.Response()
    if drop:
        response = web.StreamResponse(headers={"Content-Length": str(len(data))})
        await response.prepare(request)
        if drop == "body":
            await response.write(data[: len(data) // 2])
        request.transport.close()
        return response
    return web.Response(body=data, status=status, headers=headers, content_type="application/json")


def completion(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    """OpenAI's JSON for a reply."""
    if body.get("echo") and body.get("logprobs"):
        return {"object": "text_completion", "model": body.get("model"), "choices": _echoed(body["prompt"])}
    text = reply.get("text", "")
    choice: dict[str, Any] = {"index": 0, "finish_reason": reply.get("finish_reason", "stop")}
    if "messages" in body:
        message: dict[str, Any] = {"role": "assistant", "content": text}
        message.update({name: reply[name] for name in ("reasoning_content", "tool_calls") if name in reply})
        choice["message"] = message
    else:
        choice["text"] = text
    tokens = int(reply.get("tokens", max(1, len(text) // 4)))
    usage = {"prompt_tokens": 10, "completion_tokens": tokens, "total_tokens": 10 + tokens}
    return {
        "id": "x",
        "object": "chat.completion",
        "model": reply.get("model", body.get("model")),
        "choices": [{**choice, "index": index} for index in range(int(reply.get("choices", 1)))],
        "usage": usage,
    }


def _echoed(prompts: Any) -> list[dict[str, Any]]:
    """A choice for each prompt (text, token ids, or a list of these): probabilities of its tokens, drawn by their hash, and of one more."""
    many = isinstance(prompts, list) and not isinstance(cast("list[Any]", prompts)[0], int)
    choices: list[dict[str, Any]] = []
    for index, prompt in enumerate(cast("list[Any]", prompts if many else [prompts])):
        tokens = [*map(str, prompt), "<end>"]
        found = [-5 * chance(*tokens[max(0, place - 8) : place + 1]) for place in range(1, len(tokens))]
        best = [{token: value} for token, value in zip(tokens[1:], found, strict=True)]
        told = {"tokens": tokens, "token_logprobs": [None, *found], "top_logprobs": [None, *best]}
        choices.append({"index": index, "text": "", "finish_reason": "length", "logprobs": told})
    return choices


def question_of(body: Mapping[str, Any]) -> str:
    """The last user message, or the prompt."""
    if "messages" in body:
        messages = cast("Sequence[Mapping[str, Any]]", body["messages"])
        return str(next(each["content"] for each in reversed(messages) if each["role"] == "user"))
    prompt = body["prompt"]
    return str(cast("list[Any]", prompt)[0] if isinstance(prompt, list) else prompt)


def chance(*parts: object) -> float:
    """A number in [0, 1) out of the hash of these parts."""
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def answering(golds: Mapping[str, str], accuracy: float, *, skill: str = "stub", wait_s: float = 0.0) -> Rule:
    """A rule that answers right with a chance that differs between problems, `accuracy` on average.

    `golds` maps a question, as it is at the start of the prompt, to its answer.
    """

    def rule(body: Mapping[str, Any], _number: int) -> Reply:
        prompt = question_of(body)
        gold = next((golds[key] for key in _heads(prompt) if key in golds), None)
        ease = chance("ease", prompt)
        level = accuracy + (ease - 0.5) * 2 * min(accuracy, 1 - accuracy)
        draw = chance(skill, prompt, body.get("seed"))
        right = gold is not None and draw < level
        wrong = str(int(1000 * chance("wrong", prompt, int(4 * chance(draw)))))
        steps = "We calculate step by step. " * (1 + int(20 * chance(prompt, draw)))
        return {"text": f"{steps}The answer is \\boxed{{{gold if right else wrong}}}.", "wait_s": wait_s}

    return rule


def _heads(prompt: str) -> list[str]:
    return [prompt.rpartition("\n\n")[0], prompt]


def read_golds(paths: Sequence[Path]) -> dict[str, str]:
    """Questions and answers of benchmark files."""
    from harness.data import read_local
    from harness.dataset_formats import gsm8k, math
    from harness.prompts import answer

    golds: dict[str, str] = {}
    for row in read_local("golds", paths)[0]:
        doc = gsm8k(row) if "####" in str(row.get("answer")) else math(row)
        if not isinstance(doc, str):
            golds[str(doc["question"])] = str(answer({**doc, "reward": "math"}))
    return golds


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m rewardkit.harness.fake_server", description=__doc__)
    parser.add_argument("--golds", type=Path, action="append", default=[], help="benchmark file with answers")
    parser.add_argument("--accuracy", type=float, default=0.6)
    parser.add_argument("--skill", default="stub", help="name of the model in /v1/models")
    parser.add_argument("--wait", type=float, default=0.0, help="seconds for each answer")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    try:
        if importlib.util.find_spec("aiohttp") is None:
            raise MissingExtraError.of("the fake server", "harness")
        rule = answering(read_golds(given.golds), given.accuracy, skill=given.skill, wait_s=given.wait)
    except UsageError as error:
        parser.error(str(error))
    with Stub(rule, port=given.port) as stub:
        sys.stdout.write(json.dumps({"url": stub.url}) + "\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    leave_working_folder()
    main()
