"""Attacks by name, from the entry points `rewardkit.attacks`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from rewardkit.attack.problem import Attack
from rewardkit.errors import UnknownNameError, UsageError

GROUP = "rewardkit.attacks"


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def names() -> list[str]:
    """All registered attacks, sorted."""
    return sorted(_entries())


def get(name: str) -> Attack:
    """The attack registered as `name`.

    Raises:
        UnknownNameError: nothing is registered under this name.
        UsageError: what is registered cannot be called.
    """
    entry = _entries().get(name)
    if entry is None:
        raise UnknownNameError.of("attack", name, _entries())
    attack: Any = entry.load()
    if not callable(attack):
        raise UsageError(f"attack {name!r} ({entry.value}) is not a function of a problem and a random generator")
    return cast("Attack", attack)


def choose(wanted: Sequence[str]) -> dict[str, Attack]:
    """The attacks with these names, or all of them."""
    return {name: get(name) for name in wanted or names()}


def about(attack: Attack) -> str:
    """The first sentence of an attack's docstring."""
    return (inspect.getdoc(attack) or "").split("\n\n")[0].replace("\n", " ")
