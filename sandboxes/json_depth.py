"""JSON that a program or a model wrote, read without overflowing the stack.

Where the recursion limit was raised, Python 3.11's parser recurses on deep JSON until the process dies.
"""

import json
import re
import sys
from typing import Any

__all__ = ["load_result", "nests_within"]

SAFE_RECURSION = 10_000
"""Up to this recursion limit, the parser raises an error before the stack of a thread is full."""
MAX_RESULT_DEPTH = 400
"""No result of an honest program nests so deep: 100 values (`agent.codec.MAX_DEPTH`) of three brackets each."""
_STRINGS = re.compile(r'"(?:[^"\\]|\\.?)*"?', re.DOTALL)
"""Cannot fail once it has begun, so that it takes linear time."""
_BRACKETS = re.compile(r"[\[\]{}]")


def load_result(text: str | bytes) -> Any:
    """The value that a program or a server sent.

    Raises:
        ValueError, RecursionError: it is not JSON, or nested too deep.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogatepass")
    if sys.getrecursionlimit() > SAFE_RECURSION and not nests_within(text, MAX_RESULT_DEPTH):
        raise ValueError("nested too deep")
    return json.loads(text)


def nests_within(text: str, depth: int) -> bool:
    """True if no more brackets of a JSON text are open at once than `depth`, told without parsing it.

    >>> nests_within('{"a": "[[["}', 1), nests_within("[[1]]", 1)
    (True, False)
    """
    if text.count("[") + text.count("{") <= depth:
        return True
    level = 0
    for mark in _BRACKETS.findall(_STRINGS.sub("", text)):
        level += 1 if mark in "[{" else -1
        if level > depth:
            return False
    return True
