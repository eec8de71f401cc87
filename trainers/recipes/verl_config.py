"""verl recipes: the files, and the commands of a GPU machine in the order of the chain."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rewardkit import UsageError
from rewardkit.interpreter import SCHEMA

from . import chain, files, verl_schema

if TYPE_CHECKING:
    from .base import Data

MODEL_KEYS = {"verl_sft": "model.path", "verl": "actor_rollout_ref.model.path"}


def write_and_command(config: dict[str, Any], data: Data, model: str, output: Path) -> list[str]:
    """Write the Parquet files and return what to run, line by line."""
    return [line for lines in commands(config, write_files(data, output), model, output).values() for line in lines]


def check(config: dict[str, Any], data: Data, model: str, output: Path) -> list[str]:
    """Write the files, follow the chain through the commands, and validate each as verl does if it is installed."""
    paths = write_files(data, output)
    loaded = loads(config, commands(config, paths, model, output))
    chain.check(chain.links(config, model, output, "verl"), model, loaded)
    found = [f"wrote {', '.join(sorted(paths.values()))}", "each command loads what the one before it saved"]
    for section, items in sections(config, paths, model, output).items():
        found.append(verl_schema.validate(section, items, model))
    return found


def sections(config: dict[str, Any], paths: dict[str, str], model: str, output: Path) -> dict[str, list[str]]:
    """The overrides of each verl command."""
    made: dict[str, list[str]] = {}
    steps = {link.stage: link for link in chain.links(config, model, output, "verl")}
    for section in chain.STAGES["verl"]:
        if section in config:
            link = steps[chain.NAMES[section]]
            made[section] = [
                *overrides(config[section], paths, link.loads),
                f"trainer.default_local_dir={output / link.stage}",
            ]
    if "verl_validation" in config:
        merged = {**config["verl"], **config["verl_validation"]}
        made["verl_validation"] = overrides(merged, paths, steps["evaluate"].loads)
    return made


def commands(config: dict[str, Any], paths: dict[str, str], model: str, output: Path) -> dict[str, list[str]]:
    """Shell lines a section: train, then merge the shards into the folder that the next command loads."""
    steps = {link.stage: link for link in chain.links(config, model, output, "verl")}
    lines: dict[str, list[str]] = {}
    for section, items in sections(config, paths, model, output).items():
        words = " ".join(shlex.quote(item) for item in items)
        if section == "verl_sft":
            gpus = config[section]["trainer.n_gpus_per_node"]
            start = f"torchrun --standalone --nnodes=1 --nproc_per_node={gpus} -m {verl_schema.MODULES[section]}"
        else:
            start = f"python -m {verl_schema.MODULES[section]}"
        lines[section] = [f"{start} {words}"]
        if section in chain.NAMES:
            link = steps[chain.NAMES[section]]
            lines[section].append(_merge(output / link.stage, link.saves, "actor" if section == "verl" else ""))
    return lines


def _merge(checkpoints: Path, target: str, part: str) -> str:
    own = shlex.quote(str(checkpoints))
    folder = f"{own}/global_step_$(cat {own}/latest_checkpointed_iteration.txt)/{part}".rstrip("/")
    return f"python -m verl.model_merger merge --backend fsdp --local_dir {folder} --target_dir {shlex.quote(target)}"


def loads(config: dict[str, Any], lines: dict[str, list[str]]) -> dict[str, str]:
    """The model that each command really loads, read from the command itself."""
    found: dict[str, str] = {}
    for section, key in MODEL_KEYS.items():
        if section in config:
            words = shlex.split(lines[section][0])
            values = [word.partition("=")[2] for word in words if word.startswith(f"{key}=")]
            if not values:
                raise UsageError(f"[{section}] does not say which model: {key} = '{{model}}'")
            found[chain.NAMES[section]] = values[-1].strip("'")
    return found


def write_files(data: Data, output: Path) -> dict[str, str]:
    """`train.parquet`, `validation.parquet` and `sft.parquet`; what to put for {train}, {validation}, {sft}."""
    paths = {
        "train": output / "train.parquet",
        "validation": output / "validation.parquet",
        "sft": output / "sft.parquet",
    }
    sft = [{"messages": [*row["prompt"], *row["completion"]], "tools": [dict(SCHEMA)]} for row in data.sft]
    rows = {"train": data.train, "validation": data.validation, "sft": sft}
    return {name: str(path) for name, path in paths.items() if rows[name] and files.write(rows[name], path)}


def overrides(section: dict[str, Any], paths: dict[str, str], model: str) -> list[str]:
    """Hydra overrides from a section of config.toml, whose keys are verl's dotted names."""
    words = {**paths, "model": model, "trainers": str(Path(__file__).parents[1])}
    return [f"{key}={_value(value, words)}" for key, value in section.items()]


def _value(value: Any, words: dict[str, str]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ",".join(_value(item, words) for item in cast("list[Any]", value)) + "]"
    if isinstance(value, str):
        for word, replacement in words.items():
            value = value.replace("{" + word + "}", replacement)
        plain = value.replace("/", "").replace("_", "").replace("-", "").replace(".", "").replace(":", "")
        return value if plain.isalnum() else "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(value)
