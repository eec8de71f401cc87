# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (verl carries no types)
"""verl recipes: files and command lines for a GPU machine; without one, the real configuration schema checks every key."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewardkit import UsageError
from rewardkit.interpreter import SCHEMA
from trainers.recipes import files

if TYPE_CHECKING:
    from trainers.recipes.base import Data

ENTRY = {
    "verl": ("ppo_trainer", "verl.trainer.main_ppo"),
    "verl_sft": ("sft_trainer_engine", "verl.trainer.sft_trainer"),
}
"""Section of config.toml -> verl's configuration name and module."""


def write_and_command(config: dict[str, Any], data: Data, model: str, output: Path) -> list[str]:
    """Write the Parquet files and return what to run, stage by stage."""
    paths = write_files(data, output)
    return [
        f"python -m {ENTRY[section][1]} {' '.join(shlex.quote(item) for item in overrides(config[section], paths, model))}"
        for section in ("verl_sft", "verl")
        if section in config
    ]


def check(config: dict[str, Any], data: Data, model: str, output: Path) -> list[str]:
    """Write the files and compose the configuration with verl's own schema, where verl is installed."""
    paths = write_files(data, output)
    found = [f"wrote {', '.join(sorted(paths.values()))}"]
    for section in ("verl_sft", "verl"):
        if section in config:
            items = overrides(config[section], paths, model)
            found.append(_compose(section, items))
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
        return "[" + ",".join(_value(item, words) for item in value) + "]"
    if isinstance(value, str):
        for word, replacement in words.items():
            value = value.replace("{" + word + "}", replacement)
        plain = value.replace("/", "").replace("_", "").replace("-", "").replace(".", "").replace(":", "")
        return value if plain.isalnum() else "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(value)


def _compose(section: str, items: list[str]) -> str:
    name, module = ENTRY[section]
    if find_spec("verl") is None:
        return f"{len(items)} keys for {module}, not checked: verl is not installed (pip install 'rewardkit[verl]')"
    import verl
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    try:
        with initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
            config = compose(name, overrides=items)
    except (HydraException, OmegaConfBaseException) as error:
        raise UsageError(f"{module} refuses the configuration: {error}") from None
    if section == "verl":
        from trainers.verl_manager import configured_reward

        return f"{len(items)} keys accepted by {module}; it will train on {configured_reward(config).text}"
    return f"{len(items)} keys accepted by {module}"
