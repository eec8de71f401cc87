"""Reference programs in the columns of data sets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from rewardkit.code.languages import language_of

CODE_CONTESTS_LANGUAGES = {0: None, 1: "python2", 2: "cpp", 3: "python", 4: "java"}
"""The numbers in CodeContests' `solutions.language`."""


def programs(value: Any) -> list[str]:
    """The programs in a solution column: a text, a list of them (also as JSON), or CodeContests' lists by language."""
    if isinstance(value, str):
        stripped = value.strip()
        if stripped[:1] in ("[", "{"):
            try:
                return programs(json.loads(stripped))
            except (ValueError, RecursionError):
                return [value]
        return [value] if stripped else []
    if isinstance(value, Mapping):
        held = cast("Mapping[str, Any]", value)
        if "solution" not in held or "language" not in held:
            return []
        pairs = zip(programs(held["solution"]), cast("Sequence[Any]", held["language"]), strict=False)
        return [
            text for text, language in pairs if language_of(CODE_CONTESTS_LANGUAGES.get(language, language)) == "python"
        ]
    return (
        [item for item in cast("Sequence[Any]", value) if isinstance(item, str)]
        if isinstance(value, (list, tuple))
        else []
    )
