"""Everything that a run's answers depend on: the model, the tasks, their data, prompts and rewards, the sampling options.

It is written into `run.json`. A run is only continued if all of it is equal; `compare` and `gate` refuse two runs whose tasks differ,
and one run whose answers come from another model than its record names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

SUBJECT = ("model", "base_url", "served_model", "revision", "weights", "tokenizer", "chat_template")
"""What says which model answered. Two runs may differ in these: that is what a comparison is about."""
MAY_GROW = frozenset({"limit", "tasks"})
"""More problems, tasks or repeats only add requests."""


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between a run and one that would continue it, each as `name (was, now)`; repeats, tasks and limit may grow."""
    found = [
        _change(name, before.get(name), now.get(name))
        for name in sorted((before.keys() | now.keys()) - MAY_GROW)
        if before.get(name) != now.get(name)
    ]
    old, new = (cast("Mapping[str, Mapping[str, Any]]", each.get("tasks") or {}) for each in (before, now))
    for task in sorted(old.keys() & new.keys()):
        found += [
            _change(f"{name} of {task}", old[task].get(name), new[task].get(name))
            for name in sorted((old[task].keys() | new[task].keys()) - {"repeats"})
            if old[task].get(name) != new[task].get(name)
        ]
    return found


def source_of(identity: Mapping[str, Any]) -> str:
    """A short hash of the model that answers: it is in every answer."""
    return digest({name: identity.get(name) for name in SUBJECT})[:16]


def model_words(identity: Mapping[str, Any]) -> str:
    """The model in a few words: name, where it is served, revision or weights."""
    kind, args = cast("tuple[str, Mapping[str, Any]]", identity.get("model") or ("unknown", {}))
    served = cast("Mapping[str, Any]", identity.get("served_model") or {})
    words = [str(served.get("id") or args.get("model") or args.get("pretrained") or args.get("file") or kind)]
    words += [f"at {url}" for url in cast("Sequence[str]", identity.get("base_url") or ())]
    words += [f"{name} {str(identity[name])[:12]}" for name in ("revision", "weights") if identity.get(name)]
    return " ".join(words)


def _change(name: str, was: Any, now: Any) -> str:
    return f"{name} ({_short(was)}, now {_short(now)})"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 120 else f"{text[:80]}... {digest(text)[:12]}"


def digest(value: Any) -> str:
    """Its sha256, of text as it is and of other values as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def file_hash(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
