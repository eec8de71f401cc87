"""Outputs that change on purpose or not at all: they are recorded in `tests/cases/recorded/`.

After a change that is meant: `REWARDKIT_RECORD=1 pytest TEST`, then read the difference before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "cases" / "recorded"


def check(name: str, text: str) -> None:
    """Compare a text with what is recorded under a name."""
    path = FOLDER / name
    if os.environ.get("REWARDKIT_RECORD"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
