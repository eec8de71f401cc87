"""The imports that a prelude begins with, made once in the agent: every fork finds the names there.

A data set puts the same dozen `from ... import *` in front of each program. To run them writes on the page of each thing that they
name, and a fork copies each such page. So the agent does it, with a namespace for each list of imports it has met. It runs nothing
else: a head is lines of plain imports from modules that are in the agent anyway, and is checked again before it is run.
"""

import builtins
import re
import types

from .calls import NODES

__all__ = ["MOST", "build", "is_head", "split"]

MOST = 4
"""Heads that an agent keeps; others run in their fork."""
LONGEST = 4_000
LIBRARY = (
    *("bisect", "collections", "copy", "datetime", "functools", "heapq", "itertools", "math", "operator", "random", "re"),
    *("sortedcontainers", "string", "sys", "time", "typing"),
)  # fmt: skip
_MODULE = f"(?:{'|'.join(LIBRARY)})"
_NAMES = r"[A-Za-z_]\w*(?:, ?[A-Za-z_]\w*)*"
_LINE = rf"(?:import {_MODULE}(?:, ?{_MODULE})*|from {_MODULE} import (?:\*|{_NAMES}))?\n"
_HEAD = re.compile(rf"(?:{_LINE})*", re.ASCII)


def split(prelude: str) -> tuple[str, str]:
    r"""The imports at the beginning, as far as an agent may make them, and the rest.

    >>> split("import math\nfrom heapq import *\n\ninf = math.inf\n")
    ('import math\nfrom heapq import *\n\n', 'inf = math.inf\n')
    """
    match = _HEAD.match(prelude, 0, LONGEST)
    end = match.end() if match else 0
    return prelude[:end], prelude[end:]


def is_head(text: str) -> bool:
    """Nothing but such imports."""
    return len(text) <= LONGEST and _HEAD.fullmatch(text) is not None


def build(head: str) -> types.ModuleType:
    """In the agent: the module in which a program is run that asks for this head."""
    if not is_head(head):
        raise ValueError("a head of more than imports")
    module = types.ModuleType("solution")
    names = module.__dict__
    names.update(NODES, __builtins__=builtins, __annotations__={})
    exec(compile(head, "prelude.py", "exec"), names)  # noqa: S102  (imports from LIBRARY, by the check above)
    return module
