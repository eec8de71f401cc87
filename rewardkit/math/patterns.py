"""Regular expressions that are compiled at their first use: the words around answers need many, of which a box needs none."""

from __future__ import annotations

import re
from typing import Any, cast


def lazy(source: str, flags: int = 0) -> re.Pattern[str]:
    r"""The pattern of `source`, compiled when it is first used; from then on as fast as a compiled one.

    >>> lazy(r"\d+").findall("3 or 14")
    ['3', '14']
    """
    return cast("re.Pattern[str]", _Lazy(source, flags))


class _Lazy:
    """Stands for a pattern: its slots hold the methods of the compiled one from when one of them is first looked for."""

    __slots__ = ("findall", "finditer", "flags", "fullmatch", "match", "pattern", "search", "split", "sub")

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in self.__slots__:  # what is asked of every object: by pickle, by a debugger
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        for method in self.__slots__:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
