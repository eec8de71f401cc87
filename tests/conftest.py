"""Shared fixtures: the command line without a process, and the real data where it is at hand."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from rewardkit.cli import rewardkit, run

_TOYS = str(Path(__file__).parent / "rewardkit")
sys.path.insert(0, _TOYS)  # `toy` is imported by name, also in spawned workers
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_TOYS, os.environ.get("PYTHONPATH")]))

settings.register_profile(
    "patient",
    max_examples=100 if "CI" in os.environ else 30,
    deadline=None,  # how long an example takes says how busy the machine is
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,  # what decides over a change tries the same examples each time; elsewhere, new ones
)
settings.load_profile("patient")


class Outcome(NamedTuple):
    """What one command did."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def same_process() -> Generator[None]:
    """A command that a test runs in this process sets variables and logs; the next test sees neither. Current folder and umask a test leaves as they were, and no server of its own behind."""
    environment, others, running = dict(os.environ), others_state(), servers()
    loggers = [
        (log, log.level, log.propagate, log.handlers)
        for log in map(logging.getLogger, ("rewardkit", "harness", "uvicorn"))
    ]
    yield
    for name in (os.environ.keys() - environment.keys()) - {"PYTEST_CURRENT_TEST"}:
        del os.environ[name]
    os.environ.update(environment)
    for log, level, propagate, handlers in loggers:
        log.setLevel(level)
        log.propagate, log.handlers = propagate, handlers
    after = others_state()
    assert [name for name in others if others[name] != after[name]] == []
    assert [one.name for one in servers() - running if one.join(10) or one.is_alive()] == []


def others_state() -> dict[str, object]:
    os.umask(umask := os.umask(0))
    return {"current folder": Path.cwd(), "umask": umask}


def servers() -> set[threading.Thread]:
    """Of the standard library. One whose socket is closed before it is told to end takes a core for itself for ever."""
    return {one for one in threading.enumerate() if "(serve_forever)" in one.name}


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run `rewardkit ARGS` in this process."""

    def call(*args: object) -> Outcome:
        capfd.readouterr()
        code = run(rewardkit, [str(arg) for arg in args])
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def write_jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Write rows (objects, or raw lines as bytes) to a file and give its path."""

    def write(*rows: object, name: str = "rows.jsonl") -> Path:
        path = tmp_path / name
        lines = (row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return path

    return write


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with real benchmarks and completions; tests that need it are skipped where it is absent."""
    path = Path(os.environ.get("REWARDKIT_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (path / "index.json").is_file():
        pytest.skip(f"no real data at {path}; set REWARDKIT_DATA")
    return path
