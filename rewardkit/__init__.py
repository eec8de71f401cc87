"""Verifiable rewards for language models: what rewards in training is what scores in evaluation.

The public names stand in `rewardkit.api`, which is imported when the first of them is used: pydantic alone takes longer
than all the rest, and a trainer that only registers a reward by name, or a shell that completes a command, needs none of it.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewardkit.api import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "__all__" or not name.startswith("_"):
        api = importlib.import_module("rewardkit.api")
        if name == "__all__" or name in api.__all__:
            return globals().setdefault(name, getattr(api, name))
    raise AttributeError(f"module 'rewardkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *importlib.import_module("rewardkit.api").__all__})
