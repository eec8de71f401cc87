"""Which YAML file defines a task of lm-eval: found by reading lines, since lm-eval's own index of 14,000 files takes 46 s."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import cast

from rewardkit.errors import IncompleteError
from rewardkit.paths import expanded
from rewardkit.store import write_whole

_NAMED = re.compile(rb"^[ \t]*(?:-[ \t]+)?(?:task|group|tag)[ \t]*:(.*(?:\n[ \t]*-[ \t]+[^:\n]+$)*)", re.MULTILINE)
_VERSION = 2  # of the way in which names are read: a cache that was made in another way is not used
_WORD = re.compile(rb"[^\s\[\],'\"#]+")


def stock_tasks() -> dict[str, str]:
    """Names of lm-eval's own tasks, groups and tags, each with a file that names it. Kept in the user's cache for each version of lm-eval."""
    spec = importlib.util.find_spec("lm_eval")
    if spec is None or spec.origin is None:
        return {}
    root = Path(spec.origin).parent / "tasks"
    place = _cache_file(root)
    if place is None:
        return read_names([root])
    try:
        return cast("dict[str, str]", json.loads(place.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        found = read_names([root])
    with contextlib.suppress(OSError, IncompleteError):  # no cache: the files are read again next time
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, json.dumps(found))
    return found


def _cache_file(root: Path) -> Path | None:
    """None where the user has no folder for caches."""
    base = expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    if not base.is_absolute():
        return None
    stamp = hashlib.sha256(f"{root} {root.stat().st_mtime_ns} {_VERSION}".encode()).hexdigest()[:16]
    return base / "rewardkit" / f"lm-eval-tasks-{stamp}.json"


@lru_cache(maxsize=8)
def _names(roots: tuple[Path, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in _yaml_files(roots):
        for match in _NAMED.finditer(path.read_bytes()):
            is_list = b"\n" in match[1] or match[1].lstrip().startswith(b"[")
            own = match[0].startswith((b"task:", b"group:")) and not is_list
            for word in _WORD.findall(match[1].replace(b"\n", b" ").replace(b"- ", b" ")):
                name = word.decode("utf-8", "replace")
                if own or name not in found:
                    found[name] = str(path)
    return found


def read_names(roots: Iterable[Path]) -> dict[str, str]:
    """All names in the YAML files under these folders; a file that defines a name goes before one that mentions it."""
    return dict(_names(tuple(roots)))


def _yaml_files(roots: Iterable[Path]) -> Iterator[Path]:
    for root in roots:
        for folder, _, files in os.walk(root):
            yield from (Path(folder, file) for file in files if file.endswith((".yaml", ".yml")))


def folders_of(wanted: Iterable[str], names: dict[str, str]) -> list[str]:
    """The folders that lm-eval has to read for these tasks: of their files, and of all tasks that a group's file names."""
    found: dict[str, None] = {}
    todo, seen = list(wanted), set[str]()
    while todo:
        path = names.get(todo.pop())
        if path is None or path in seen:
            continue
        seen.add(path)
        found[str(Path(path).parent)] = None
        words = (
            word.decode("utf-8", "replace")
            for match in _NAMED.finditer(Path(path).read_bytes())
            for word in _WORD.findall(match[1])
        )
        todo += [word for word in words if word in names]
    return [folder for folder in found if not any(str(parent) in found for parent in Path(folder).parents)]
