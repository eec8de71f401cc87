"""Import our own top-level packages, and notice when a folder of the user's hides one of them."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

from rewardkit.errors import RewardkitError

OURS = ("sandboxes", "harness", "trainers")
"""Packages of this distribution beside `rewardkit`; their names are ones that users have in their own repos too."""


class HiddenPackageError(RewardkitError, ImportError):
    """A folder of the user's has the name of one of our packages and stands before it on the path."""


def import_ours(name: str) -> ModuleType:
    """Import `name`, one of `OURS` or a module inside, from the place where this rewardkit is installed.

    Raises:
        HiddenPackageError: another package of that name was found first.
    """
    top = name.partition(".")[0]
    expected = Path(__file__).resolve().parent.parent / top
    spec = importlib.util.find_spec(top)
    found = _folder(spec.origin, spec.submodule_search_locations) if spec is not None else None
    if found != expected:
        raise HiddenPackageError(
            f"{found or 'nothing'} hides rewardkit's own package {top!r} at {expected}: run python -P (or set "
            f"PYTHONSAFEPATH=1) so that your script's folder does not come first, or rename that folder"
        )
    return importlib.import_module(name)


def _folder(origin: str | None, locations: object) -> Path | None:
    if origin is not None:
        return Path(origin).resolve().parent
    paths = [str(path) for path in locations] if locations is not None else []  # type: ignore[attr-defined]
    return Path(paths[0]).resolve() if paths else None
