"""Collect a run's identity from its options, tasks, data, rewards and loaded model."""

from __future__ import annotations

import hashlib
import importlib.metadata
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from harness.backends.base import Backend
from harness.identity import SUBJECT, digest, file_hash
from harness.models import SECRETS, ModelChoice
from harness.options import Options
from harness.own_metric import PREFIX, is_own
from rewardkit import load
from rewardkit.base import walk
from rewardkit.text import files_of

_TRANSPORT = frozenset(
    {
        "base_url",
        "num_concurrent",
        "max_retries",
        "timeout",
        "api_base",
        "retry_wait",
        "max_outage",
        "verify_certificate",
    }
)
_ELSEWHERE = frozenset({
    "custom_dataset", "dataset_path", "dataset_name", "dataset_kwargs", "generation_kwargs", "repeats", "num_fewshot",
    "metadata", "task", "task_alias",
})  # fmt: skip
"""Entries of a task's YAML that are in the identity under another name (data, generation, ...) or change no answer."""


def options_identity(options: Options, choice: ModelChoice, tasks: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the identity that is known before the model is loaded."""
    args = {name: value for name, value in choice.args.items() if name not in _TRANSPORT | SECRETS}
    return _plain(
        {
            "model": [choice.kind, args],
            "tools": options.tools.facts() if options.tools else None,
            "chat": options.apply_chat_template,
            "system": options.system_instruction,
            "fewshot": options.num_fewshot,
            "seed": options.seed,
            "limit": options.limit,
            "shard": vars(options.shard) if options.shard else None,
            "reward": options.reward,
            "tasks": {name: task_identity(task, options.reward) for name, task in tasks["tasks"].items()},
        }
    )


def model_identity(backend: Backend) -> dict[str, Any]:
    """The part of the identity that only the loaded model or its server can tell."""
    template = backend.chat_template(True) if backend.chat else None
    told = {"chat_template": digest(template) if template else None, **backend.identity()}
    return _plain({name: told.get(name) for name in SUBJECT if name != "model"})


def task_identity(task: Any, reward: str | None) -> dict[str, Any]:
    """One task: its file, its data, its sampling options, the rewards that judge it with their versions."""
    config = cast("dict[str, Any]", task.config.to_dict(keep_callable=True))
    docs = cast("Sequence[Any]", task.eval_docs)
    texts = {reward} if reward else {doc["reward"] for doc in docs if isinstance(doc.get("reward"), str)}
    if not texts and not all(is_own(doc) for doc in docs):
        texts = {f"{PREFIX}its own metric"}
    return {
        "version": str(task.VERSION),
        "task_file": digest({name: _text(value) for name, value in config.items() if name not in _ELSEWHERE}),
        "data": digest([_text(dict(doc)) for doc in docs]),
        "generation": dict(config.get("generation_kwargs") or {}),
        "fewshot": config.get("num_fewshot"),
        "rewards": reward_versions(texts),
        "repeats": config.get("repeats"),
    }


def reward_versions(texts: set[str]) -> dict[str, dict[str, Any]]:
    """Rewards by their text, each with the versions of its classes and the hashes of the files that it is read from."""
    found: dict[str, dict[str, Any]] = {}
    for text in sorted(texts):
        if text.startswith(PREFIX):
            found[text] = {"lm_eval": importlib.metadata.version("lm_eval")}
            continue
        versions: dict[str, Any] = {part.name: part.version for part in walk(load(text))}
        found[text] = versions | {file: file_hash(Path(file))[:12] for file in files_of(text)}
    return found


def _text(value: Any) -> Any:
    """A task's setting as something that can be hashed: functions of ours by name (prompts and scores are compared themselves), others by file."""
    if isinstance(value, Mapping):
        return {str(name): _text(item) for name, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_text(item) for item in cast("Sequence[Any]", value)]
    if callable(value):
        return _function(value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _function(value: Callable[..., Any]) -> str:
    inner = value.func if isinstance(value, partial) else value
    name = f"{getattr(inner, '__module__', '')}.{getattr(inner, '__qualname__', type(inner).__name__)}"
    if name.startswith("harness."):
        return name
    try:
        source = Path(inspect.getfile(inner)).read_bytes()
    except (OSError, TypeError):
        return name
    return f"{name.rpartition('.')[2]} {hashlib.sha256(source).hexdigest()}"


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON gives it back, so that what is read can be compared with what is made."""
    return json.loads(json.dumps(value, default=str))
