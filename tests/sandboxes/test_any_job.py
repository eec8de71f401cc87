"""A job with a value that nobody means is refused or runs: it never costs a box, nor the jobs beside it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from sandboxes import Call, Job, Limits, Sandbox, open_sandbox

TEXTS = [
    "", "\0", "\ud800", "\udc80", "a" * 300, "é" * 128, "a/" * 3000 + "b", "../x", "/", ".", "a/b", "./a", "-c", "*", "\n",
    "__main__.py", "json.py", "a" * 70_000, "𝕏",
]  # fmt: skip
VALUES: list[Any] = [
    None,
    {"t": "int", "v": "5"},
    {"t": "nope"},
    {"t": "float", "v": "inf"},
    [[[[]]]],
    "\ud800",
    10**400,
    {"t": "bytes", "v": "!"},
]
PLAIN: dict[str, Any] = {
    "program": "import sys\nprint(len(sys.argv))\ndef f(*a, **k): return 1",
    "limits": Limits(cpu_s=1, wall_s=5),
}
ODD: list[dict[str, Any]] = [
    *({name: text} for text in TEXTS for name in ("program", "stdin", "prelude", "entry_point")),
    *({"argv": (text,)} for text in TEXTS),
    *({"files": {text: "x"}} for text in TEXTS),
    *({"files": {"a": text}} for text in TEXTS),
    *({"files": {one: "x", other: "y"}} for one, other in [("a", "./a"), ("a", "a/b"), ("a//b/c", "a/b"), ("x", "y")]),
    *({"fetch": (text, "x")} for text in TEXTS),
    *({"driver": text, "entry_point": "f"} for text in TEXTS),
    *({"language": "bash", "program": text} for text in TEXTS),
    *({"entry_point": "f", "calls": (Call(args=(value,), kwargs={"k": value}),)} for value in VALUES),
    *({"entry_point": "f", "calls": (Call(kwargs={text: 1}),)} for text in TEXTS),
    *({"entry_point": text, "calls": (Call(), Call()), "keep_going": True} for text in TEXTS),
]  # fmt: skip


@pytest.fixture(scope="module", params=[pytest.param("docker", marks=pytest.mark.docker), "local", "unsafe"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    if request.param == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with open_sandbox(request.param, workers=2) as opened:
        yield opened


@pytest.mark.long
def test_no_value_in_any_place_costs_a_box_or_a_job_beside_it(sandbox: Sandbox) -> None:
    jobs: list[Job] = []
    refused = 0
    for change in ODD:
        try:
            jobs += [Job(**PLAIN | change), Job(**PLAIN)]
        except ValueError:
            refused += 1
    executions = sandbox.run(jobs)
    assert 10 < refused < len(ODD) / 2
    assert [ascii(change) for change, execution in zip(jobs, executions, strict=True) if execution.lost] == []
    assert all(execution.stdout == b"1\n" for execution in executions[1::2])
    assert sandbox.facts()["lost"] == 0
