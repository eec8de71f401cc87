"""Paths as users write them."""

from __future__ import annotations

import os
from pathlib import Path


def expanded(path: str | Path) -> Path:
    """The path with its `~` replaced; as it stands where the user has no home folder, as in many containers, or there is no such user."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - pathlib's own raises
