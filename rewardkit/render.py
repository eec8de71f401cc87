"""How the text form is written: the name of a reward, and its options."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, cast

from rewardkit.python_file import place_of


def render(reward: object) -> str:
    """The text form of a reward that is not a sum: its name and the options that differ from their defaults."""
    arguments: list[str] = []
    for field in dataclasses.fields(cast("Any", reward)):
        value = getattr(reward, field.name)
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        if default is dataclasses.MISSING and not field.kw_only:
            arguments.append(_literal(value))
        elif default is dataclasses.MISSING or value != default or type(value) is not type(default):
            arguments.append(f"{field.name}={_literal(value)}")
    cls = cast("Any", type(reward))
    place = place_of(cls)
    name = cls.name if place is None else ":".join(place)
    return f"{name}({', '.join(arguments)})" if arguments else name


def _literal(value: Any) -> str:
    """A value as Python writes it, a reward as its text."""
    text = getattr(value, "text", None)
    if hasattr(value, "score") and isinstance(text, str):
        return text
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return "{" + ", ".join(f"{_literal(key)}: {_literal(item)}" for key, item in items) + "}"
    if isinstance(value, (tuple, list)):
        items = [_literal(item) for item in cast("Sequence[Any]", value)]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return repr(value.tolist() if hasattr(value, "tolist") else value)  # a number of numpy's is one of Python's here
