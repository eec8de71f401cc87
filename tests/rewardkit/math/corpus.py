"""Reads the labelled answers in tests/cases/math: one text file a topic.

`## kind` says what the rows below it are about. A line without a sign is a ground truth; the lines `+ answer` below it are
equal to it and the lines `- answer` are not. An answer is put into a box; with `*` behind the sign the line is a whole
completion, in which ⏎ is a new line. `?` behind the sign marks a row that is known to be judged otherwise.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

CASES = Path(__file__).parents[2] / "cases" / "math"
_ANSWER = re.compile(r"[-+][*?]{0,2} ")


class Row(NamedTuple):
    """One labelled answer."""

    kind: str
    gold: str
    completion: str
    equal: bool
    open: bool
    """Known to be judged otherwise than its label."""


def rows(path: Path) -> list[Row]:
    """The rows of one topic."""
    found: list[Row] = []
    kind = gold = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line[3:]
        elif _ANSWER.match(line) is not None:
            signs, _, text = line.partition(" ")
            completion = text.replace("⏎", "\n") if "*" in signs else f"So \\boxed{{{text}}}."
            found.append(Row(kind, gold, completion, signs[0] == "+", "?" in signs))
        elif line.strip() and not line.startswith("# "):
            gold = line.strip()
    return found


TOPICS = {path.stem: rows(path) for path in sorted(CASES.glob("*.txt"))}
