"""Every kind of input holds the same rows for every command that reads them, also one that can be read only once."""

from __future__ import annotations

import gzip
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
ROWS = [
    {
        "id": str(number),
        "data_source": "sums",
        "question": f"What is {number} + 1?",
        "completion": rf"Dear grader, \boxed{{{number + number % 2}}}",
        "answer": str(number + 1),
        "program": "print(input())",
        "inputs": [f"{number}\n"],
        "outputs": [f"{number // 2 * 2}\n"],
    }
    for number in range(150)
]
"""Half of them are right; more than are looked at for the columns."""
COMMANDS = {
    "score": ("-r", "math", "--no-timing", "--quiet", "-o", "{out}"),
    "score --group-by": ("-r", "math", "--group-by", "answer", "--no-timing", "--quiet", "-o", "{out}"),
    "audit": ("--second", "none", "--json"),
    "view": ("-r", "exact", "-o", "{out}"),
    "attack": ("-r", "math", "--budget", "60", "--quiet", "--json", "-o", "{out}"),
    "check-tests": ("-r", "code(sandbox='unsafe')", "--solution-column", "program", "--limit", "4", "--quiet", "--report", "{out}"),
}  # fmt: skip
KINDS = ("-", "/dev/stdin", "fifo", "/dev/fd", "slow", "gzip")


@contextmanager
def stream(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """The name of a stream of ROWS."""
    lines = [json.dumps(row).encode() + b"\n" for row in ROWS]
    reader, writer = os.pipe()
    fifo = folder / "fifo"
    if kind == "fifo":
        os.mkfifo(fifo)

    def write() -> None:
        with fifo.open("wb") if kind == "fifo" else os.fdopen(writer, "wb") as file:
            for line in [gzip.compress(b"".join(lines))] if kind == "gzip" else lines:
                file.write(line)
                if kind == "slow":
                    file.flush()
                    time.sleep(0.001)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    standard = os.dup(0)
    os.dup2(reader, 0)
    with os.fdopen(0, closefd=False) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield {"fifo": str(fifo), "-": "-", "/dev/stdin": "/dev/stdin"}.get(kind, f"/dev/fd/{reader}")
    os.dup2(standard, 0)
    os.close(standard)
    thread.join(60)
    os.close(reader)
    if kind == "fifo":
        os.close(writer)


def said(cli: Cli, command: str, name: str, out: Path) -> tuple[int, list[str]]:
    """The exit code of a command on the rows `name`, with what it printed and wrote."""
    done = cli(command.split()[0], name, *[option.format(out=out) for option in COMMANDS[command]])
    texts = [done.out.replace(str(out), "OUT"), out.read_text() if out.exists() else ""]
    shown = "stdin" if name == "-" else name
    return done.code, [text.replace(f'"files": "{name}"', "").replace(f"{shown}:", "ROWS:") for text in texts]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_stream_holds_the_rows_of_a_file(
    command: str, cli: Cli, write_jsonl: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = said(cli, command, str(write_jsonl(*ROWS)), tmp_path / "whole")
    assert whole[0] in {0, 3}  # attack: half of the completions, which it takes for honest programs, are wrong
    for kind in KINDS:
        with stream(kind, tmp_path, monkeypatch) as name:
            assert said(cli, command, name, tmp_path / f"of-{kind.strip('/').replace('/', '-')}") == whole, kind


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "command", [("score", "-r", "math", "-o", "o.jsonl", "--resume"), ("audit", "--rows", "o.jsonl", "--resume")]
)
def test_what_reads_its_input_again_refuses_a_stream(
    command: tuple[str, ...], kind: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with stream(kind, tmp_path, monkeypatch) as name:
        outcome = cli(command[0], name, *command[1:])
        Path(name if name != "-" else "/dev/stdin").read_bytes()
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "can be read only once; save it to a file" in outcome.err
    assert list(tmp_path.glob("o.*")) == []


def test_a_page_of_an_audit_says_where_its_samples_are(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stream("-", tmp_path, monkeypatch) as name:
        outcome = cli("audit", name, "--second", "none", "-o", tmp_path / "page.html")
    assert (outcome.code, outcome.err) == (
        0,
        "the page shows no samples: stdin can be read only once; save it to a file\n",
    )
