"""What the forker imports before any program is there, or between two programs: modules and import blocks of fixed lists.

Nothing of a job's text gets here. A job names modules of `ON_DEMAND` by bits, and an import block of `BLOCKS` by its number.
"""

import builtins
import contextlib
import importlib
import types

from .calls import NODES

__all__ = ["BLOCKS", "EDITOR", "MODULES", "ON_DEMAND", "import_named", "namespace", "split"]

MODULES = (
    *("abc", "array", "bisect", "cmath", "collections", "collections.abc", "contextlib", "copy", "datetime", "enum", "functools"),
    *("heapq", "io", "itertools", "json", "math", "operator", "queue", "random", "re", "string", "struct", "threading", "time"),
    *("traceback", "types", "typing"),
)  # fmt: skip
"""Imported at the start."""
ON_DEMAND = ("numpy", "sortedcontainers", "dataclasses", "decimal", "fractions", "hashlib", "inspect", "statistics", "unittest", "unittest.mock")  # fmt: skip
"""Imported once a program has named them, so that later ones don't pay for the import."""
_STARS = "".join(
    f"from {name} import *\n"
    for name in ("functools", "collections", "itertools", "heapq", "bisect", "string", "operator", "math")
)
_TYPING = f"from typing import *\n\n{_STARS}import math\nimport datetime\n"
_PLAIN = (
    "import random\nimport functools\nimport collections\nimport string\nimport math\nimport datetime\n\n"
    f"from typing import *\n{_STARS}\n"
)
EDITOR = """\
import bisect, collections, copy, datetime, functools, heapq, itertools, math, operator, random, re, string, sys
from typing import Any, Callable, Deque, Dict, Generator, Iterable, Iterator, List, Optional, Set, Tuple, Union
from collections import Counter, OrderedDict, defaultdict, deque
from functools import cache, cmp_to_key, lru_cache, reduce
from heapq import heapify, heappop, heappush
from bisect import bisect_left, bisect_right
from itertools import accumulate, chain, combinations, permutations, product
from math import ceil, floor, gcd, inf, sqrt

class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next

class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val = val
        self.left = left
        self.right = right

"""
"""What LeetCode's own editor provides."""
BLOCKS = ("", f"\n{_TYPING}from collections import deque\n\n", _TYPING, _PLAIN, EDITOR)
"""The import blocks that the preludes of LeetCodeDataset begin with, and that of calls in LeetCode's form. To run one writes on a page of
memory for each name, and a fork copies each such page: so it is done once, before the forks. The first stands for none."""


def split(prelude: str) -> tuple[int, str]:
    r"""The number of the block that a prelude begins with, and the rest of it.

    >>> split("x = 1\n")
    (0, 'x = 1\n')
    >>> split(BLOCKS[2] + "inf = math.inf\n")
    (2, 'inf = math.inf\n')
    """
    number = max(range(len(BLOCKS)), key=lambda index: len(BLOCKS[index]) if prelude.startswith(BLOCKS[index]) else -1)
    return number, prelude[len(BLOCKS[number]) :]


def namespace(number: int) -> types.ModuleType:
    """The module in which a program is run whose prelude begins with this block."""
    module = types.ModuleType("solution")
    names = module.__dict__
    names.update(NODES, __builtins__=builtins, __annotations__={})
    exec(compile(BLOCKS[number], "prelude.py", "exec"), names)  # noqa: S102  (a constant of this file)
    return module


def import_named(bits: int) -> None:
    """Import the modules of `ON_DEMAND` whose bits are set."""
    for bit, name in enumerate(ON_DEMAND):
        if bits >> bit & 1:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
