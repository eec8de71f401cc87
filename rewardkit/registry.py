"""Rewards by name: all are registered by entry points. `./file.py:Name` names one in a file."""

from __future__ import annotations

import inspect
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from rewardkit.base import Reward, as_reward
from rewardkit.errors import UnknownNameError, UsageError
from rewardkit.python_file import attribute

GROUP = "rewardkit.rewards"


@cache
def entries(group: str, kind: str) -> dict[str, EntryPoint]:
    """What is registered in a group of entry points, by name.

    Raises:
        UsageError: two packages register the same name.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        known = found.setdefault(entry.name, entry)
        if known.value != entry.value:
            raise UsageError(
                f"two packages register {kind} {entry.name!r}: {known.value} and {entry.value}; remove one"
            )
    return dict(sorted(found.items()))


def names() -> list[str]:
    """All registered names, sorted."""
    return list(entries(GROUP, "reward"))


def first_sentence(found: object) -> str:
    """The first paragraph of a docstring, on one line."""
    return (inspect.getdoc(found) or "").split("\n\n")[0].replace("\n", " ")


@cache
def get(name: str) -> type[Reward]:
    """The class registered as `name`.

    Raises:
        UnknownNameError: nothing is registered under this name.
        UsageError: what is registered is not a Reward class.
    """
    known = entries(GROUP, "reward")
    entry = known.get(name)
    if entry is None:
        raise UnknownNameError.of("reward", name, known)
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
