"""Verifiable rewards for language models: the same objects reward in training and score in evaluation.

The public names, and the classes of the registered rewards, are imported when they are first used, which keeps `import rewardkit`
fast. `__init__.pyi` names them for type checkers and editors.
"""

# pyright: reportUnsupportedDunderAll=false
import importlib
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "rewardkit.base": "Explanation Function Reward SampleReward Weighted reward",
    "rewardkit.compose": "BySource Gated Named by_source gated",
    "rewardkit.errors": "GroundTruthError MissingDataError RewardkitError UsageError",
    "rewardkit.rewards.remote": "remote",
    "rewardkit.text": "load",
    "rewardkit.types": "Sample Score Verdict",
}
_MODULES = dict(sorted((name, module) for module, names in _PUBLIC.items() for name in names.split()))
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    """A public name. Any other is refused without importing anything, since `from rewardkit import text` asks here first."""
    module = _MODULES.get(name) or (_reward_classes().get(name) if name[:1].isupper() else None)
    if module is None:
        raise AttributeError(f"module 'rewardkit' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(module), name)
    return value


def _reward_classes() -> dict[str, str]:
    """Our own registered rewards: class name to module."""
    from importlib.metadata import entry_points

    values = (entry.value.partition(":") for entry in entry_points(group="rewardkit.rewards"))
    return {name: module for module, _, name in values if module.startswith("rewardkit.")}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_reward_classes()})
