"""Which sandboxes work on this machine, how strong each is, and how to fix those that do not work: the table of `rewardkit doctor`."""

import os
from typing import TypedDict

from sandboxes.base import Isolation, Job
from sandboxes.errors import SandboxError
from sandboxes.registry import open_sandbox

__all__ = ["Diagnosis", "diagnose"]

STRENGTH: dict[str, Isolation] = {"docker": "strong", "local": "weak"}
PROBE = Job(program="print(int(input()) + 1)", stdin="41\n")


class Diagnosis(TypedDict):
    """One row of the table."""

    name: str
    works: bool
    isolation: Isolation
    detail: str
    """Facts if it works, else one line with the problem and how to fix it."""


def diagnose() -> list[Diagnosis]:
    """Try each backend with one small program. Starts and removes one box of each; a few seconds."""
    names = ["docker", "local"]
    named = os.environ.get("REWARDKIT_SANDBOX", "")
    if named not in ("", "auto", "unsafe", *names):
        names.append(named)
    rows = [_try(name) for name in names]
    rows.append(
        Diagnosis(
            name="unsafe", works=True, isolation="none", detail="plain processes, used only when asked for by name"
        )
    )
    return rows


def _try(name: str) -> Diagnosis:
    isolation = STRENGTH.get(name, "none")
    try:
        with open_sandbox(name, workers=1) as sandbox:
            isolation = sandbox.isolation
            execution = sandbox.run([PROBE])[0].raise_if_lost()
            facts = {key: value for key, value in sandbox.facts().items() if key not in ("name", "isolation", "lost")}
    except (SandboxError, OSError) as error:
        return Diagnosis(name=name, works=False, isolation=isolation, detail=" ".join(str(error).split()))
    works = execution.stdout == b"42\n"
    detail = (
        ", ".join(f"{key} {value}" for key, value in facts.items())
        if works
        else f"a test program {execution.describe()}"
    )
    return Diagnosis(name=name, works=works, isolation=isolation, detail=detail)
