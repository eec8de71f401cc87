"""Schemathesis against the OpenAPI schema: what the schema allows is taken, what it forbids is refused, nothing is a 500."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from live import SAME, Server

pytest.importorskip("msgspec")

from rewardkit.serve.app import routes_of
from rewardkit.serve.openapi import openapi
from rewardkit.serve.service import Service
from rewardkit.serve.settings import Settings

PHASES = "examples,coverage,fuzzing"


@pytest.mark.slow
def test_schemathesis_finds_nothing(start: Callable[..., Server], tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    server = start("-r", "exact", "-r", "sum=exact + 0.1 * think_format", "--sandbox", "unsafe", "--workers", "2")
    command = [str(Path(sys.executable).with_name("schemathesis")), "run", f"{server.url}/openapi.json"]
    options = ["--max-examples", "40", "--phases", PHASES, "--seed", "7"]
    options += [
        "--workers",
        "1",
    ]  # with two, its threads meet in CPython 3.11's ast.parse, which then raises SystemError
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=500)
    assert done.returncode == 0, done.stdout[-6000:]
    assert "Traceback" not in server.log


def test_an_error_is_described_as_one_and_a_probe_that_says_no_as_a_probe(shared: Server) -> None:
    for path, methods in shared.client.get("/openapi.json").json()["paths"].items():
        for operation in methods.values():
            said = operation["responses"].pop("200")["content"]
            expected = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
            for answer in operation["responses"].values():
                assert answer["content"] == (said if path in {"/healthz", "/readyz"} else expected)


def paths_of(sandbox: str | None) -> dict[str, Any]:
    return openapi(routes_of(Service(Settings((SAME,), sandbox=sandbox))), has_tokens=False)["paths"]


@pytest.mark.parametrize("sandbox", [None, "unsafe", "docker"])
def test_programs_are_taken_where_there_is_a_sandbox(sandbox: str | None) -> None:
    assert {"/run_code", "/v1/ping"} & set(paths_of(sandbox)) == (
        set() if sandbox is None else {"/run_code", "/v1/ping"}
    )


def test_each_route_that_reads_a_body_needs_one_and_says_how_it_refuses_one() -> None:
    for methods in paths_of("unsafe").values():
        for operation in methods.values():
            if "requestBody" in operation:
                assert operation["requestBody"]["required"] is True
                assert {"400", "408", "413", "422", "429", "503"} <= set(operation["responses"])


def test_the_schema_names_what_is_served_and_nothing_else(shared: Server) -> None:
    schema = shared.client.get("/openapi.json").json()
    body = schema["paths"]["/v1/score"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert {"same", "trouble"} < set(body["properties"]["reward"]["anyOf"][0]["enum"])
    assert set(schema["paths"]) == {
        "/healthz", "/readyz", "/metrics", "/v1/rewards", "/v1/score", "/get_reward", "/slime", "/nemo_gym/seed_session",
        "/nemo_gym/verify", "/verl/compute_score", "/verl/compute_scores",
    }  # fmt: skip
