"""The facts of a run, in a file beside its rows: what made them, how many there are, and their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from rewardkit.errors import UsageError, clip
from rewardkit.store.files import json_object, target_of
from rewardkit.store.lock import FileLock

OPTIONS = {
    "columns": "--completion-column, --ground-truth-column or --group-by",
    "selection": "--limit, --sample or --seed",
    "timing": "--no-timing",
}
"""What sets an entry of the identity, if that has another name."""


def files_beside(path: Path) -> tuple[Path, Path]:
    """What is written beside a rows file: the facts about it, and its lock."""
    real = target_of(path)
    return meta_path(real), FileLock(real).path


def meta_path(path: Path) -> Path:
    """Where the facts about a rows file stand."""
    return path.with_name(path.name.removesuffix(".jsonl") + ".meta.json")


def read_meta(path: Path) -> dict[str, Any] | None:
    """The facts about a rows file; None if there are none that can be read."""
    try:
        return json_object(meta_path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def check_same_run(path: Path | str, meta: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
    """Refuse to continue a run with another one.

    Raises:
        UsageError: an entry of `identity` is not that of `meta`.
    """
    for name, mine in identity.items():
        if (there := meta.get(name)) != mine:
            what = f"value of {OPTIONS[name]}" if name in OPTIONS else name.replace("_", " ").removesuffix("s")
            raise UsageError(
                f"{path} was made with another {what}{_change(there, mine)}; "
                "continue it with the same one, start again with --overwrite, or write to another file"
            )


def verify(path: Path) -> dict[str, Any]:
    """The facts of a finished run, once its rows are seen to be those that it wrote.

    Raises:
        UsageError: the run was not finished, or its rows were changed after it was written.
    """
    meta = read_meta(path)
    content = (meta or {}).get("content")
    if meta is None or not isinstance(content, dict):
        raise UsageError(f"{path} is not a finished run; finish it with --resume")
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    if digest != cast("dict[str, Any]", content).get("sha256"):
        raise UsageError(f"{path} was changed after it was written")
    return meta


def _change(before: Any, now: Any) -> str:
    """The two values, if they are texts; if they are tables, what differs."""
    if isinstance(before, dict) and isinstance(now, dict):
        there, mine = cast("dict[str, Any]", before), cast("dict[str, Any]", now)
        return f" ({clip(', '.join(sorted(key for key in there | mine if there.get(key) != mine.get(key))), 300)})"
    return f" ({clip(before)}, now {clip(now)})" if isinstance(before, str) and isinstance(now, str) else ""
