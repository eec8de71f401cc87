# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (verl carries no types)
"""A verl command validated without a GPU as verl does it at its start: composed, each dataclass made, `validate_config`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rewardkit import UsageError
from rewardkit.errors import describe_error

MODULES = {
    "verl_sft": "verl.trainer.sft_trainer",
    "verl": "verl.trainer.main_ppo",
    "verl_validation": "verl.trainer.main_ppo",
}
"""Section of config.toml -> verl's module."""
NAMES = {"verl.trainer.sft_trainer": "sft_trainer_engine", "verl.trainer.main_ppo": "ppo_trainer"}
"""Module -> the name of its configuration."""
HUB_NODES = ("model", "actor_rollout_ref.model")
"""These load a tokenizer when they are made, so they need a local model."""
UNUSED = ("critic", "actor_rollout_ref.ref", "reward", "global_profiler")
"""verl does not make these: GRPO without a KL term has neither critic nor reference model, the profiler is off, and the class of the reward
manager cannot be made (0.7.1 does not have it, in 0.8.0 and 0.9.1 it calls a `__post_init__` that is not there)."""


def validate(section: str, items: list[str], model: str) -> str:
    """What was validated, in one line.

    Raises:
        UsageError: verl refuses the command, with verl's reason.
    """
    module = MODULES[section]
    if find_spec("verl") is None:
        return f"{len(items)} keys for {module}, not checked: verl is not installed (pip install 'rewardkit[verl]')"
    if find_spec(module) is None:
        raise UsageError(f"this verl has no {module}")
    local = Path(model).is_dir()
    keys = {"verl_sft": "model.path"}.get(section, "actor_rollout_ref.model.path")
    probe = [f"{keys}={model}" if item.startswith(f"{keys}=") and local else item for item in items]
    try:
        config = _compose(NAMES[module], probe)
        made = sum(_make(config, path, local=local) for path in _targets(config))
        if section != "verl_sft":
            _whole(config)
    except Exception as error:  # noqa: BLE001 - verl raises of every kind here, assertions too
        raise UsageError(f"{module} refuses the command: {describe_error(error)}") from None
    text = f"{len(items)} keys accepted by {module}, {made} dataclasses made"
    if section == "verl_sft":
        return text
    from ..verl_manager import configured_reward

    return f"{text}, validate_config passed; it will train on {configured_reward(config).text}"


def _compose(name: str, items: list[str]) -> Any:
    import verl
    from hydra import compose, initialize_config_dir

    with initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
        return compose(name, overrides=items)


def _targets(config: Any, path: str = "") -> Iterator[str]:
    """The places of all nodes that become dataclasses."""
    from omegaconf import DictConfig, OmegaConf

    for key in config:
        if OmegaConf.is_missing(config, key):
            continue
        value, place = config._get_node(key), f"{path}{key}"  # noqa: SLF001 - interpolations are resolved when made
        if isinstance(value, DictConfig) and not value._is_none() and not value._is_interpolation():  # noqa: SLF001
            if "_target_" in value:
                yield place
            yield from _targets(value, f"{place}.")


def _make(config: Any, path: str, *, local: bool) -> bool:
    from omegaconf import OmegaConf
    from verl.utils.config import omega_conf_to_dataclass

    if path.startswith(UNUSED) or (path in HUB_NODES and not local):
        return False
    omega_conf_to_dataclass(OmegaConf.select(config, path))
    return True


def _whole(config: Any) -> None:
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config

    validate_config(config=config, use_reference_policy=need_reference_policy(config), use_critic=need_critic(config))
