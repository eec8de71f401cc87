"""The value that a chain of equalities states: "x = 5" states 5, 6*7 = 42 states 42, 41 = 42 is a contradiction."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from flint import fmpq

from rewardkit.math.compare.names import is_label, is_measure, is_quantity
from rewardkit.math.latex.tree import Builder, Node, Num, Op, Rel, Seq, SetOp, Sym, Unit, Words
from rewardkit.math.latex.walk import CONSTANTS, facts, symbols
from rewardkit.math.prove.proof import real_value

Equal = Callable[[Node, Node], bool]

_FUNCTION = re.compile(r"call:[a-z]'*")
_NAMES_TOO = frozenset({Sym("e"), Sym("i")})
"""Constants whose letters also name an eccentricity and a rate: e = 2, i = 5%."""

_POWERS = frozenset({"pow", "sqrt", "root"})
_UNKNOWNS = frozenset(map(Sym, "xyznt"))
"""Letters that are unknowns: x^2 = 12 does not say what was asked for."""

_COUNTS = frozenset({"dim", "rank", "tr", "det"})
"""Numbers that something has, whatever its letters: the dimension of U(n)."""


class ContradictionError(ValueError):
    """A chain of equalities that does not hold, as in 41 = 42."""


class Stated(NamedTuple):
    """What a chain of equalities states, and the name in front of it."""

    label: Node | None
    value: Node


def stated_value(node: Rel, equal: Equal, *, quantities: bool = True, calculations: bool = False) -> Stated | None:
    """The value of a chain of equalities; None where it states none. ContradictionError where it is false.

    With `quantities`, "x + y = 7" states the value 7 of what was asked for; without, it is an equation.
    With `calculations`, so does "4x = 4(40) = 160", which works it out: against a bare value, that is, not against another statement.
    """
    if not all(op in {"=", "approx"} for op in node.ops) or Sym("...") in node.args:
        return None
    args, kinds = list(node.args), list(node.ops)
    if len(args) == 2 and args[0] in _NAMES_TOO and args[1] != args[0] and not symbols(args[1]) - {"pi"}:
        return Stated(args[0], args[1])
    label = _take_label(args, kinds, is_quantity if quantities else is_measure, calculations=calculations)
    if isinstance(label, Op) and _says_of_function(label, args[0]):
        return None  # f(-x) = -f(x) says something of f
    if len(args) == 1:
        own = isinstance(label, Sym) and symbols(label) & symbols(args[0]) - CONSTANTS
        return None if own else Stated(label, args[0])
    free = [_has_letters(one, label) for one in args]
    if label is None and any(free):
        return None
    if any(free) and not free[-1]:  # S = ab/2 = 24: a formula, and its value
        kinds = [kind for kind, letters in zip(kinds, free[1:], strict=True) if not letters]
        args = [one for one, letters in zip(args, free, strict=True) if not letters]
        kinds = kinds[-len(args) + 1 :] if len(args) > 1 else []
    for kind, one in zip(kinds, args[1:], strict=True):
        if not (equal(args[0], one) if kind == "=" else close(args[0], one)):
            raise ContradictionError
    return Stated(label, args[0])


def _says_of_function(label: Op, value: Node) -> bool:
    """Whether a function occurs in what it is said to be."""
    known = _FUNCTION.fullmatch(label.name) is not None and bool(symbols(label) - CONSTANTS)
    return known and label.name in facts(value).operations


def _take_label(
    args: list[Node], kinds: list[str], named: Callable[[Node], bool], *, calculations: bool
) -> Node | None:
    """Take the name off a chain, at its front or at its end."""
    label: Node | None = None
    while len(args) > 1 and is_label(args[0]):
        label = args.pop(0)
        kinds.pop(0)
    if label is not None or len(args) < 2:
        return label
    if is_label(args[-1]) and kinds[-1] == "=":
        kinds.pop()
        return args.pop()
    if _is_asked_for(args, named) or (calculations and _worked_out(args)):
        kinds.pop(0)
        return args.pop(0)  # as a value it only counts against another value: x^2 + y^2 = 25 may be a circle
    return None


def _is_asked_for(args: list[Node], named: Callable[[Node], bool]) -> bool:
    """Whether a chain begins with a term that a question asks for: x + y = 7; -x is no name, nor is x^2."""
    first = args[0]
    if isinstance(first, Op) and (
        first.name == "neg" or (first.name in _POWERS and first.args[0] in _UNKNOWNS) or _is_finite_sum(first)
    ):
        return False
    if not named(first):
        return False
    if isinstance(first, Op) and (first.name in _COUNTS or (first.name == "big:int" and first.args[0] == Words(""))):
        return True
    letters = symbols(first) - CONSTANTS
    return not symbols(args[1]) & letters or (len(args) > 2 and not symbols(args[-1]) - CONSTANTS)


def _worked_out(args: list[Node]) -> bool:
    """Whether an expression in letters is worked out to its value by a calculation: 4x = 4(40) = 160; x^2 = 3 + 9 = 12 is none."""
    first, *rest = args
    if len(rest) < 2 or not isinstance(first, Op) or first.name == "neg" or first.name in _POWERS:
        return False
    if not facts(first).plain or not symbols(first) - CONSTANTS:
        return False
    return all(facts(one).plain and not symbols(one) - CONSTANTS for one in rest) and any(
        isinstance(one, Op) and facts(one).operations - {"neg"} for one in rest[:-1]
    )


def _is_finite_sum(node: Node) -> bool:
    """Whether `node` is a sum or product between two numbers, which has a value: no name for another one."""
    if not isinstance(node, Op) or node.name not in {"big:sum", "big:prod"} or len(node.args) != 3:
        return False
    low, high, body = node.args
    if not isinstance(low, Rel) or not isinstance(low.args[0], Sym) or not isinstance(high, Num):
        return False
    return isinstance(low.args[-1], Num) and symbols(body) - CONSTANTS <= {low.args[0].name}


def _has_letters(node: Node, label: Node | None) -> bool:
    """Whether a side of a chain has letters of its own, or says something of the function it names."""
    if symbols(node) - CONSTANTS and not _is_finite_sum(node):
        return True
    return isinstance(label, Op) and label.name.startswith("call:") and label.name in facts(node).operations


def close(exact: Node, printed: Node) -> bool:
    """Whether `printed` is `exact` rounded to its own decimals, or cut off there."""
    if isinstance(exact, Unit):
        exact = exact.value
    if isinstance(printed, Unit):
        printed = printed.value
    if (
        isinstance(exact, Op)
        and exact.name in {"pct", "deg"}
        and isinstance(printed, Op)
        and printed.name == exact.name
    ):
        exact, printed = exact.args[0], printed.args[0]
    elif isinstance(printed, Op) and printed.name == "pct":
        exact, printed = Op("mul", (exact, Num(fmpq(100)))), printed.args[0]
    if not isinstance(printed, Num):
        other = real_value(printed)
        value = real_value(exact)
        return other is None or value is None or bool(abs(value - other) <= abs(value) / 100)
    value = real_value(exact)
    if value is None:
        return True
    unit = fmpq(1, 10 ** (printed.places or 0))
    off = value - printed.value if printed.value > 0 else printed.value - value
    return bool(off >= -unit / 2) and bool(off < unit)


def difference(node: Rel) -> Node | None:
    """Left - right of an equation or inequality, so that it reads "... = 0" or "... > 0"."""
    left, right = node.args
    if isinstance(left, _STRUCTURES) or isinstance(right, _STRUCTURES):
        return None
    return left if right == Num(fmpq(0)) else Op("add", (left, Op("neg", (right,))))


_STRUCTURES = (Seq, SetOp, Words, Builder)
