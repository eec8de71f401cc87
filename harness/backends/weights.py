"""Which weights and tokenizer a model that runs here has: hashes of local files, or the commit in the hub's cache."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from harness.identity import digest, file_hash
from rewardkit.paths import expanded

MODELS = ("pretrained", "model", "path", "peft", "delta", "lora", "lora_local_path", "tokenizer", "gguf_file")
"""Entries of `--model_args` that name a model, an adapter or a tokenizer."""
TOKENIZER_FILES = (
    "tokenizer*",
    "vocab*",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
    "*.tiktoken",
    "spiece.model",
    "chat_template*",
)
KNOWN_FILES = ("config.json", "adapter_config.json", "tokenizer_config.json")
"""One of these is in the cache of a hub model that was loaded."""
THREADS = 4


def local_identity(args: Mapping[str, Any]) -> dict[str, Any]:
    """Hashes of the local files that the arguments name, and the commits of hub ids.

    All files but tokenizer and chat template count as weights: also the configuration changes what is computed.
    """
    named = {name: str(args[name]) for name in MODELS if isinstance(args.get(name), str)}
    places = {name: expanded(value) for name, value in named.items()}
    local = {name: place for name, place in places.items() if place.exists()}
    found: dict[str, Any] = {}
    if local:
        files = {f"{name}/{file}": sha for name, place in local.items() for file, sha in hashes(place).items()}
        tokenizer = {file: sha for file, sha in files.items() if is_tokenizer(file)}
        weights = {file: sha for file, sha in files.items() if file not in tokenizer}
        found = {"weights": digest(weights), "tokenizer": digest(tokenizer) if tokenizer else None}
    commits = {
        name: commit for name, value in named.items() if name not in local and (commit := commit_of(value, args))
    }
    return {**found, "revision": commits or args.get("revision")}


def hashes(place: Path) -> dict[str, str]:
    """The sha256 of each file of a model, by name. Every byte is read: 16 GB take some 15 s."""
    files = [place] if place.is_file() else sorted(each for each in place.iterdir() if _counts(each))
    with ThreadPoolExecutor(THREADS) as pool:
        return dict(zip((file.name for file in files), pool.map(file_hash, files), strict=True))


def _counts(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".") and path.suffix not in {".md", ".log", ".lock"}


def is_tokenizer(name: str) -> bool:
    """A file of the tokenizer, its chat template included."""
    return any(Path(name).match(pattern) for pattern in TOKENIZER_FILES)


def commit_of(name: str, args: Mapping[str, Any]) -> str | None:
    """The commit of a hub model in the local cache, as it was just loaded."""
    if importlib.util.find_spec("huggingface_hub") is None:
        return None
    hub: Any = importlib.import_module("huggingface_hub")
    for file in KNOWN_FILES:
        try:
            path = hub.try_to_load_from_cache(name, file, revision=args.get("revision"))
        except ValueError:  # not a hub id
            return None
        if isinstance(path, str):
            parts = Path(path).parts
            return parts[parts.index("snapshots") + 1]
    return None
