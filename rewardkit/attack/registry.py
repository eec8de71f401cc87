"""Attacks by name, from the entry points `rewardkit.attacks`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from rewardkit.attack.problem import Attack
from rewardkit.errors import UnknownNameError, UsageError
from rewardkit.registry import entries

GROUP = "rewardkit.attacks"


def choose(wanted: Sequence[str] = ()) -> dict[str, Attack]:
    """The attacks with these names, or all of them.

    Raises:
        UnknownNameError: nothing is registered under a name.
        UsageError: what is registered cannot be called.
    """
    known = entries(GROUP, "attack")
    found: dict[str, Attack] = {}
    for name in wanted or known:
        if name not in known:
            raise UnknownNameError.of("attack", name, known)
        attack: Any = known[name].load()
        if not callable(attack):
            raise UsageError(
                f"attack {name!r} ({known[name].value}) is not a function of a problem and a random generator"
            )
        found[name] = cast("Attack", attack)
    return found
