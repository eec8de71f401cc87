"""The TOML form of a long reward: one table a term, with its options as keys. It is turned into the text form."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping, Sequence
from typing import Any, cast

from rewardkit import registry
from rewardkit.base import Reward
from rewardkit.errors import UsageError

_NAME = re.compile(r"[A-Za-z_]\w*")
_OWN_KEYS = frozenset({"reward", "weight", "label"})


def terms_to_text(terms: Sequence[Any], where: str) -> str:
    """The text form of `[[term]]` tables: `reward` names it, `weight` and `label` are ours, all other keys are options.

    A reward inside a reward is a table of the same kind, or a text form in quotes.

    >>> terms_to_text([{"reward": "math"}, {"reward": "overlong", "weight": 0.5, "buffer": 512}], "x.toml")
    'math + 0.5 * overlong(buffer=512)'

    Raises: UsageError: the table is wrong; the message names the place.
    """
    if not terms:
        raise UsageError(f"{where}: there is no [[term]]")
    return " + ".join(_weighted(term, f"{where}, term {number}") for number, term in enumerate(terms, 1))


def _weighted(term: Any, where: str) -> str:
    text, table = _reward(term, where), _table(term)
    weight = table.get("weight", 1)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)):
        raise UsageError(f"{where}: weight = {weight!r} is not a number")
    label = table.get("label")
    if label is not None:
        text = f"named({str(label)!r}, {text})"
    return text if weight == 1 else f"{weight!r} * {text}"


def _reward(value: Any, where: str) -> str:
    if isinstance(value, str):
        return f"({value})" if "+" in value or "-" in value or "*" in value else value
    table = _table(value)
    name = table.get("reward")
    if not isinstance(name, str):
        raise UsageError(f'{where} needs an entry: reward = "name"')
    options = {key: option for key, option in table.items() if key not in _OWN_KEYS}
    if not options:
        return _reward(name, where)
    if not _NAME.fullmatch(name):
        raise UsageError(f"{where}: {name!r} is a text form, so its options belong inside it")
    hints = typing.get_type_hints(registry.get(name))
    arguments = [f"{key}={_option(option, hints.get(key), f'{where}, {key}')}" for key, option in options.items()]
    return f"{name}({', '.join(arguments)})"


def _option(value: Any, hint: Any, where: str) -> str:
    if _holds_rewards(hint):
        if isinstance(value, Mapping) and "reward" not in value:
            pairs = _table(value).items()
            return "{" + ", ".join(f"{key!r}: {_reward(inner, where)}" for key, inner in pairs) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(_reward(inner, where) for inner in cast("list[Any]", value)) + "]"
        return _reward(value, where)
    if isinstance(value, list):
        return "[" + ", ".join(_option(inner, None, where) for inner in cast("list[Any]", value)) + "]"
    if not isinstance(value, (str, bool, int, float)):
        raise UsageError(f"{where}: {value!r} is not an option value")
    return repr(value)


def _table(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else cast("Mapping[str, Any]", {})


def _holds_rewards(hint: Any) -> bool:
    if isinstance(hint, type):
        return issubclass(hint, Reward)
    return any(map(_holds_rewards, typing.get_args(hint)))
