"""Sources that run in boxes, so that tests in one process use functions, classes and objects of a program in another.

`program_side` is put behind the program and answers requests; the others are put before the tests and make names of the
program stand for requests. What crosses is data: numbers, texts, containers, and numbers that stand for objects.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

OBJECTS = "_rewardkit_objects"
"""The function of `program_side` that answers requests."""


@cache
def program_side() -> str:
    """What follows a program whose objects tests use."""
    return (Path(__file__).parent / "program_side.py").read_text(encoding="utf-8")


@cache
def test_side() -> str:
    """What goes before tests that use objects of a program elsewhere."""
    return "\n".join(
        (Path(__file__).parent / name).read_text(encoding="utf-8")
        for name in ("mini_pytest.py", "objects.py", "session.py")
    )
