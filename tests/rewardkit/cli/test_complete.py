"""Input that is cut short or broken is named, and no command that reads rows ends as if it had read them all."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
LINES = [
    json.dumps(
        {
            "id": str(number),
            "prompt": f"What is {number} + 1?",
            "completion": rf"\boxed{{{number + 1}}}",
            "answer": str(number + 1),
            "program": f"print({number})",
            "more": random.Random(number).randbytes(1000).hex(),
            "tests": {"inputs": [""], "outputs": [f"{number}\n"]},
        }
    ).encode()
    for number in range(40)
]
COMMANDS = {
    "score": ("-r", "math", "--quiet"),
    "audit": ("--second", "none"),
    "view": ("-r", "math", "-o", "page.html", "--overwrite"),
    "attack": ("-r", "math", "--budget", "60", "--quiet"),
    "check-tests": ("-r", "code(sandbox='unsafe')", "--solution-column", "program", "--ground-truth-column", "tests", "--quiet"),
}  # fmt: skip
CUT_SHORT = {
    "gzip": (gzip.compress(b"\n".join(LINES))[:-60], "compressed file is damaged or cut short"),
    "a list": (b"[" + b",".join(LINES[:30]) + b',{"id": "', "broken JSON in row 31"),
    "CSV": (b'prompt,completion,answer,program,tests\n1,1,1,1,1\n2,2,2,2,"2', "broken CSV"),
}
BROKEN = {
    "half a line": (b"\n".join(LINES)[:-20], "rows:40: broken JSON"),
    "no object": (b"\n".join([*LINES[:9], b"[1]", *LINES]), "rows:10: not an object"),
    "no UTF-8": (b"\n".join([*LINES[:9], b'{"prompt": "\xff"}', *LINES]), "rows:10: not UTF-8"),
}


@pytest.mark.parametrize("kind", [*CUT_SHORT, *BROKEN])
@pytest.mark.parametrize("command", COMMANDS)
def test_rows_that_are_not_read_are_named_and_end_in_4(
    command: str, kind: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "rows.csv" if kind == "CSV" else "rows"
    content, said = {**CUT_SHORT, **BROKEN}[kind]
    Path(name).write_bytes(content)
    for most in (0.005, 1):
        outcome = cli(command, name, *COMMANDS[command], "--max-unjudged", most)
        last = outcome.err.splitlines()[-1] if outcome.err else ""
        if most == 0.005 or kind in CUT_SHORT:
            assert outcome.code == 4, (most, outcome)
            assert name in last
            assert said in last
        else:
            assert outcome.code == 0, outcome
    assert outcome.out or command == "view"  # what was read is judged and shown


@pytest.mark.parametrize("rows", [1, 3, 29, 100, 200])
def test_the_share_itself_is_not_above_the_share(rows: int, cli: Cli, write_jsonl: Callable[..., Path]) -> None:
    row = {"completion": "4", "answer": "4"}
    for lost in {1, rows // 4, rows // 3, rows} - {0}:
        path = write_jsonl(*[row] * (rows - lost), *[{**row, "answer": None}] * lost)
        for most, code in ((lost / rows, 0), (lost / rows - 0.001, 4)):
            assert cli("score", path, "-r", "exact", "--max-unjudged", most).code == code
