"""The package `trainers` under a name that no folder of yours hides: `rewardkit.trainers.openrlhf`, `pkg://rewardkit.trainers.verl_manager`.

This is the name that its modules have. `trainers.openrlhf` is the same module, so that classes and registries exist once in a process.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

__path__ = [str(Path(__file__).resolve().parents[1] / "trainers")]


class _ShortName(MetaPathFinder, Loader):
    """Finds `trainers.X` as the module `rewardkit.trainers.X`."""

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        real = importlib.util.find_spec(f"rewardkit.{fullname}") if fullname.startswith("trainers.") else None
        if real is None:
            return None
        spec = ModuleSpec(fullname, self, origin=real.origin)
        spec.submodule_search_locations = real.submodule_search_locations
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(f"rewardkit.{spec.name}")
        spec.loader_state = module.__spec__  # the import system writes `spec` over it
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of a module that is run: `python -m trainers.learn`."""
        spec = importlib.util.find_spec(f"rewardkit.{fullname}")
        return spec.loader.get_code(spec.name) if spec and isinstance(spec.loader, InspectLoader) else None


def share_modules() -> None:
    """Make `trainers.X` and `rewardkit.trainers.X` one module; called by our `trainers/__init__.py`, so that a package of yours is left alone."""
    if not any(isinstance(finder, _ShortName) for finder in sys.meta_path):
        sys.meta_path.insert(0, _ShortName())
