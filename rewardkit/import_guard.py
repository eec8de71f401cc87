"""Import our own top-level packages, and notice when a user's folder hides one or another distribution overwrote it."""

from __future__ import annotations

import base64
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

from rewardkit.errors import RewardkitError

OURS = ("sandboxes", "harness", "trainers")
"""The other packages of this distribution. Users may have folders of the same names."""


class HiddenPackageError(RewardkitError, ImportError):
    """A folder of the user has the name of one of our packages and comes first on the path."""


def import_ours(name: str) -> ModuleType:
    """Import `name`, one of `OURS` or a module inside, from the place where this rewardkit is installed.

    Raises:
        HiddenPackageError: another package of that name was found first, or another distribution overwrote ours.
    """
    top = name.partition(".")[0]
    expected = Path(__file__).resolve().parent.parent / top
    spec = importlib.util.find_spec(top)
    found = Path(spec.origin).resolve().parent if spec is not None and spec.origin else None
    if found != expected:
        raise HiddenPackageError(
            f"{found or 'nothing'} hides rewardkit's own package {top!r} at {expected}: run python -P (or set "
            f"PYTHONSAFEPATH=1) so that your script's folder does not come first on the path, or rename that folder"
        )
    module = importlib.import_module(name)
    if getattr(sys.modules[top], "DISTRIBUTION", None) != "rewardkit":
        raise HiddenPackageError(f"{expected}/__init__.py is not rewardkit's: {reinstall_hint([top])}")
    return module


def leave_working_folder() -> None:
    """Take the working folder off the path if it hides one of our packages; for commands run with `python -m`, which put it first."""
    first, ours = Path(sys.path[0]).resolve(), Path(__file__).resolve().parent.parent
    if first != ours and any((first / name).is_dir() or (first / f"{name}.py").is_file() for name in OURS):
        del sys.path[0]


def overwritten_files() -> list[str]:
    """Installed files of this distribution whose content is no longer what was installed; of an editable install, none."""
    try:
        files = importlib.metadata.distribution("rewardkit").files or []
    except importlib.metadata.PackageNotFoundError:
        return []
    recorded = [(str(file), file.locate(), file.hash) for file in files if file.suffix == ".py" and file.hash]
    return [name for name, path, digest in recorded if digest.value != _sha256(Path(str(path)))]


def reinstall_hint(names: list[str]) -> str:
    """How to fix overwritten packages, naming the distributions that also install them."""
    owners = importlib.metadata.packages_distributions()
    others = sorted({owner for name in names for owner in owners.get(name, []) if owner != "rewardkit"})
    uninstall = f"pip uninstall {' '.join(others)}, then " if others else ""
    return f"{uninstall}pip install --force-reinstall --no-deps {_installed_from()}"


def _installed_from() -> str:
    """What pip was given: a folder, an archive or a repository, else the name."""
    try:
        record = importlib.metadata.distribution("rewardkit").read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        record = None
    facts = json.loads(record or "{}")
    kind = facts.get("vcs_info", {}).get("vcs")
    return (f"{kind}+" if kind else "") + facts["url"] if facts else "rewardkit"


def _sha256(path: Path) -> str:
    if not path.is_file():
        return ""
    return base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
