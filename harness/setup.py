"""What a run will ask: its tasks, its sampling options, its fingerprint, and the directory that it may write into."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from harness import catalog, models
from harness.journal import NAME as JOURNAL
from harness.options import Options
from harness.store import RECORD, write_text
from rewardkit.errors import UsageError


def load_tasks(options: Options) -> dict[str, Any]:
    """lm-eval's task objects with repeats, limits and options of this run set."""
    loaded = catalog.load_tasks(catalog.manager(options.tasks, options.include), options.tasks)
    extra = models.parse_args(options.gen_kwargs)
    for task in loaded["tasks"].values():
        if options.repeats is not None:
            task.set_config("repeats", options.repeats)
        if extra and task.get_config("output_type") == "generate_until":
            task.set_config("generation_kwargs", sampling(extra), update=True)
    return loaded


def sampling(extra: Mapping[str, Any]) -> dict[str, Any]:
    """`--gen_kwargs` in the words that tasks use: a temperature above 0 samples, 0 does not."""
    options = dict(extra)
    for name in ("max_tokens", "max_new_tokens"):
        if name in options:
            options["max_gen_toks"] = options.pop(name)
    if "temperature" in options and "do_sample" not in options:
        options["do_sample"] = float(options["temperature"]) > 0
    if isinstance(options.get("until"), str):
        options["until"] = [options["until"]]
    return options


def fingerprint(options: Options, choice: models.ModelChoice, tasks: Mapping[str, Any]) -> dict[str, str]:
    """What must be equal for a run to be continued, by name."""
    args = {
        name: value
        for name, value in choice.args.items()
        if name not in {"base_url", "num_concurrent", "max_retries", "timeout", "api_key", "auth_token", "retry_wait"}
    }
    sampled = {
        "model": [choice.kind, args],
        "tools": options.tools.facts() if options.tools else None,
        "chat": options.apply_chat_template,
        "system": options.system_instruction,
    }
    plan = {
        name: [task.config.repeats, task.config.generation_kwargs, task.VERSION]
        for name, task in tasks["tasks"].items()
    }
    return {
        "sampling": digest(sampled),
        "model": json.dumps(sampled["model"], default=str),
        "tools": json.dumps(sampled["tools"], default=str),
        "tasks": json.dumps(plan, sort_keys=True, default=str),
        "seed": str(options.seed),
        "limit": str(options.limit),
        "system": str(options.system_instruction),
        "chat": str(options.apply_chat_template),
        "fewshot": str(options.num_fewshot),
    }


def prepare_directory(options: Options, identity: Mapping[str, str]) -> None:
    """Claim the directory for this run, or check that it holds the same one.

    Raises:
        UsageError: it holds a run already and `resume` is not set, or another run than this one.
    """
    path = options.output / RECORD
    if not (options.output / JOURNAL).is_file():
        _write_record(path, {"identity": dict(identity), "state": "sampling"})
        return
    if not options.resume:
        raise UsageError(f"{options.output} holds a run already; go on with --resume, or choose another -o")
    try:
        before = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))["identity"]
    except (OSError, ValueError, KeyError):
        raise UsageError(f"{path} is missing or damaged; choose another -o") from None
    grown = {"tasks", "limit"}  # more tasks, problems or repeats only add requests: the keys tell
    for name, value in identity.items():
        if name not in grown and before.get(name) != value:
            raise UsageError(
                f"{options.output} holds a run with another {name} ({before.get(name)}, now {value}); choose another -o"
            )


def _write_record(path: Path, record: Mapping[str, Any]) -> None:
    write_text(path, json.dumps(record, indent=2, ensure_ascii=False, default=str) + "\n")


def digest(value: Any) -> str:
    """Its sha256, of text as it is and of other values as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
