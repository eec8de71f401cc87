"""The last stage, off by default: sympy in a worker that can be killed. It sees our trees, never a text."""

from __future__ import annotations

import importlib
import threading
from typing import Any

from rewardkit.math.latex.tree import LimitError, Node, Num, Op, ParseError, Seq, Sym
from rewardkit.workers import WorkerDiedError, Workers, WorkerTimeoutError

WALL_S = 3.0
"""Longer simplifications are given up: the answers stay undecided, which is different."""

MAX_NODES = 200
"""Larger trees are not handed to sympy."""

_shared: Workers | None = None
_lock = threading.Lock()

Plain = tuple[Any, ...]


def simplified_equal(left: Node, right: Node, *, wall_s: float = WALL_S, workers: Workers | None = None) -> bool | None:
    """Whether sympy simplifies left - right to 0; None where it cannot say in time or does not know a function."""
    try:
        both = plain(left), plain(right)
    except (ParseError, LimitError):
        return None
    try:
        return (workers or _workers()).run(difference_is_zero, *both, wall_s=wall_s)
    except (WorkerTimeoutError, WorkerDiedError):
        return None


def plain(node: Node) -> Plain:
    """A tree as nested tuples of texts and whole numbers. Raises ParseError where sympy has no counterpart."""
    size = 0

    def walk(one: Node) -> Plain:
        nonlocal size
        size += 1
        if size > MAX_NODES:
            raise LimitError("too large for sympy")
        if isinstance(one, Num):
            return ("num", int(one.value.p), int(one.value.q))
        if isinstance(one, Sym):
            return ("sym", one.name)
        if isinstance(one, Op) and (one.name in _FUNCTIONS or one.name in _OPERATIONS):
            return (one.name, *map(walk, one.args))
        if isinstance(one, Seq) and one.opened == "[" and len(one.items) == 1:
            return walk(one.items[0])
        raise ParseError("no counterpart in sympy")

    return walk(node)


def difference_is_zero(left: Plain, right: Plain) -> bool:
    """In the worker: build both expressions and simplify their difference."""
    sympy: Any = importlib.import_module("sympy")
    return bool(sympy.simplify(_build(sympy, left) - _build(sympy, right)) == 0)


_FUNCTIONS = {
    name: name
    for name in (
        [
            "sin",
            "cos",
            "tan",
            "cot",
            "sec",
            "csc",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "exp",
            "sqrt",
            "gamma",
            "erf",
            "asinh",
            "acosh",
            "atanh",
        ]
    )
} | {"ln": "log", "log": "log", "fact": "factorial", "abs": "Abs", "floor": "floor", "ceil": "ceiling"}
_OPERATIONS = frozenset({"add", "mul", "neg", "div", "pow", "pct", "deg", "root", "logb", "binom"})


def _build(sympy: Any, node: Plain) -> Any:
    """A sympy expression from nested tuples: constructors only, no text is parsed."""
    name, *rest = node
    if name == "num":
        return sympy.Rational(rest[0], rest[1])
    if name == "sym":
        constants = {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "oo": sympy.oo}
        return constants[rest[0]] if rest[0] in constants else sympy.Symbol(str(rest[0]), real=True)
    args = [_build(sympy, one) for one in rest]
    if name in _FUNCTIONS:
        return getattr(sympy, _FUNCTIONS[name])(*args)
    if name == "add":
        return args[0] + args[1]
    if name == "mul":
        return args[0] * args[1]
    if name == "neg":
        return -args[0]
    if name == "div":
        return args[0] / args[1]
    if name == "pow":
        return args[0] ** args[1]
    if name == "pct":
        return args[0] / 100
    if name == "deg":
        return args[0] * sympy.pi / 180
    if name == "root":
        return sympy.real_root(args[0], args[1])
    if name == "logb":
        return sympy.log(args[1], args[0])
    return sympy.binomial(args[0], args[1])


def _workers() -> Workers:
    global _shared  # noqa: PLW0603  (one warm worker for the whole process)
    with _lock:
        if _shared is None:
            _shared = Workers(1)
        return _shared


def close() -> None:
    """End the shared worker."""
    global _shared
    with _lock:
        workers, _shared = _shared, None
    if workers is not None:
        workers.close()
