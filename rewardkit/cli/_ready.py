"""Load a reward for a command, and refuse before any row is judged what can judge none."""

from __future__ import annotations

import os
import re

from rewardkit import python_file
from rewardkit.base import Reward, walk
from rewardkit.errors import UsageError, describe_error, quoted
from rewardkit.executor import SANDBOX_VARIABLE, choose_sandbox
from rewardkit.import_guard import import_ours
from rewardkit.registry import get_from_file
from rewardkit.text import load

_ONLY_A_FILE = re.compile(r"\S+\.py")
_WELL_FORMED = re.compile(r"auto|docker|local|unsafe|remote:.+")
"""Names of sandboxes that are right, whether or not the sandbox works now."""


def ready_reward(text: str, sandbox: str | None = None) -> Reward:
    """The reward of a text form, whose programs run in `sandbox` where they say `auto`.

    Raises:
        UsageError: the text is no reward, it asks for a sandbox that does not exist, or a package is not installed.
    """
    if _ONLY_A_FILE.fullmatch(text):
        found = [f"{text}:{name}" for name in python_file.names(text) if _is_reward(text, name)]
        raise UsageError(f"name what to load: {', '.join(found) or f'{text}:NAME'}")
    choose_sandbox(sandbox)
    reward = load(text)
    check_ready(reward)
    return reward


def _is_reward(path: str, name: str) -> bool:
    try:
        get_from_file(path, name)
    except UsageError:
        return False
    return True


def check_ready(reward: Reward) -> None:
    """Refuse a reward that needs a package that is not installed, or a sandbox that does not exist.

    Raises:
        UsageError: it does.
    """
    for inner in walk(reward):
        getattr(inner, "policy", None)  # it tells of options that need a package or a file
    for name in sorted({_sandbox_of(inner) for inner in walk(reward) if "sandbox" in inner.needs}):
        if not _WELL_FORMED.fullmatch(name):
            _check_sandbox(name)


def _sandbox_of(reward: Reward) -> str:
    own = getattr(reward, "sandbox", "auto")
    return os.environ.get(SANDBOX_VARIABLE) or "auto" if own == "auto" else own


def _check_sandbox(name: str) -> None:
    """Open and close a sandbox whose name holds options, or is none of ours."""
    sandboxes = import_ours("sandboxes")
    try:
        sandboxes.open_sandbox(name, workers=1).close()
    except sandboxes.SandboxUnavailable as error:
        raise UsageError(str(error)) from None
    except Exception as error:  # noqa: BLE001 - the module of a user, too
        raise UsageError(f"cannot use sandbox {quoted(name, 200)}: {describe_error(error)}") from None
