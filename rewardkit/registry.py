"""Rewards by name: all are registered by entry points. `./file.py:Name` names one in a file."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from rewardkit.base import Reward, as_reward
from rewardkit.errors import UnknownNameError, UsageError
from rewardkit.python_file import attribute

GROUP = "rewardkit.rewards"


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
        UsageError: the file or the name in it does not exist, or is something else.
    """
    found = attribute(path, name)
    return _checked(found, f"{path}:{name}") if isinstance(found, type) else as_reward(found)


def _checked(found: object, what: str) -> type[Reward]:
    if not (isinstance(found, type) and issubclass(found, Reward)):
        raise UsageError(f"{what} is not a subclass of rewardkit.Reward")
    if "__dataclass_params__" not in vars(found):
        raise UsageError(f"{what} is not a dataclass: write @dataclass(frozen=True) above the class")
    if not getattr(found, "name", ""):
        raise UsageError(f'{what} has no name: add a line such as name = "{found.__name__.lower()}"')
    return found
