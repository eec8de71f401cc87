"""Rewards by name: our own register through entry points just as others' do, and `./file.py:Name` works too."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from rewardkit.base import Reward
from rewardkit.errors import UnknownNameError, UsageError
from rewardkit.functions import as_reward

GROUP = "rewardkit.rewards"
_FILE_MODULE = "rewardkit_file_"


@cache
def _entries() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        known = found.get(entry.name)
        if known is not None and known.value != entry.value:
            raise UsageError(
                f"two packages register reward {entry.name!r}: {known.value} and {entry.value}; remove one"
            )
        found[entry.name] = entry
    return found


def names() -> list[str]:
    """All registered names, sorted."""
    return sorted(_entries())


@cache
def get(name: str) -> type[Reward]:
    """The class registered as `name`.

    Raises:
        UnknownNameError: nothing is registered under this name.
        UsageError: what is registered is not a Reward class.
    """
    entry = _entries().get(name)
    if entry is None:
        raise UnknownNameError.of("reward", name, _entries())
    return _checked(entry.load(), f"reward {name!r} ({entry.value})")


def get_from_file(path: str, name: str) -> type[Reward] | Reward:
    """The class, the function or the reward `name` in the Python file `path`. The file is run, so it must be one you trust.

    Raises:
        UsageError: the file or the name in it does not exist, or stands for something else.
    """
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise UsageError(f"no file {path!r}; ./file.py:Name is relative to {Path.cwd()}")
    module_name = _FILE_MODULE + hashlib.sha256(str(file).encode()).hexdigest()[:16]
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, file)
        if spec is None or spec.loader is None:
            raise UsageError(f"{path!r} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            del sys.modules[module_name]
            if isinstance(error, Exception):
                raise UsageError(f"{path} does not import: {type(error).__name__}: {error}") from error
            raise
    if not hasattr(module, name):
        raise UsageError(f"{path} has no {name!r}")
    found = getattr(module, name)
    return _checked(found, f"{path}:{name}") if isinstance(found, type) else as_reward(found)


def is_from_file(found: type[Reward] | Callable[..., Any]) -> bool:
    """True for a class or function that came from `./file.py:Name` and so cannot be imported by module name."""
    return str(getattr(found, "__module__", "")).startswith(_FILE_MODULE)


def public_name(cls: type[Reward]) -> str:
    """The name that the text form uses for a class."""
    if is_from_file(cls):
        return f"{sys.modules[cls.__module__].__file__}:{cls.__name__}"
    return cls.name


def _checked(found: object, what: str) -> type[Reward]:
    if not (isinstance(found, type) and issubclass(found, Reward)):
        raise UsageError(f"{what} is not a subclass of rewardkit.Reward")
    if "__dataclass_params__" not in vars(found):
        raise UsageError(f"{what} is not a dataclass: write @dataclass(frozen=True) above the class")
    if not getattr(found, "name", ""):
        raise UsageError(f'{what} has no name: add a line such as name = "{found.__name__.lower()}"')
    return found
