"""Python source to a syntax tree, in silence. Source is parsed, never compiled or run."""

from __future__ import annotations

import ast
import warnings

from rewardkit.processes import fork_safe_lock

BROKEN = (SyntaxError, ValueError, MemoryError, RecursionError)
"""What parsing hostile text can raise: bad syntax, NUL or surrogates, nesting past the parser's or Python's stack."""

_lock = fork_safe_lock()


def parse(source: str) -> ast.Module:
    """The syntax tree; raises one of `BROKEN`."""
    # "invalid escape sequence" is the author's style, not our news; the lock is there since the filters are global
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def parses(source: str) -> bool:
    """True if the source is Python."""
    try:
        parse(source)
    except BROKEN:
        return False
    return True
