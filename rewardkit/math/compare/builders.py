"""Sets that are described, as the lists that they are: {2k + 1 | k = 0, 1, 2} and {k^2 : k in {1, 2}}."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.latex.tree import Builder, Cond, LimitError, Node, Num, Op, Rel, Seq, Sym
from rewardkit.math.latex.walk import CONSTANTS, symbols
from rewardkit.math.prove.exact import rational

MAX_MEMBERS = 100
"""Longer lists are not written out."""


def enumerated(node: Builder) -> Seq | None:
    """A described set of few numbers as their list."""
    letters = symbols(node.element) - CONSTANTS
    if len(letters) != 1 or node.either or not isinstance(node.element, (Op, Sym)):
        return None
    letter = next(iter(letters))
    places = _places(letter, node.conditions)
    if places is None:
        return None
    found: list[Node] = []
    for place in places:
        try:
            value = rational(node.element, {letter: place})
        except (LimitError, ZeroDivisionError):
            return None
        if value is None:
            return None
        found.append(Num(value))
    return Seq("{", "}", tuple(found))


def _places(letter: str, conditions: tuple[Node, ...]) -> list[fmpq] | None:
    """The values that a letter runs through: k = 0, 1, 2; k in {0, 1, 2}; 0 <= k <= 2, k in Z."""
    first, *rest = conditions
    whole = isinstance(first, Cond) and first.text in {f"{letter} in bb:Z", f"{letter} in bb:N"}
    natural = isinstance(first, Cond) and first.text.endswith("N")
    if isinstance(first, Cond):
        if not whole:
            return None
        first = first.value
    if not isinstance(first, Rel):
        return None
    for name in ("bb:Z", "bb:N"):
        if rest == [Rel(("in",), (Sym(letter), Sym(name)))]:
            natural, whole, rest = name == "bb:N", True, []
    if first.ops == ("=",) and first.args[0] == Sym(letter):
        return _numbers([first.args[1], *rest])
    listed = first.args[-1]
    if first.ops == ("in",) and not rest and isinstance(listed, Seq) and listed.opened == "{":
        return _numbers(list(listed.items)) if first.args[0] == Sym(letter) else None
    if not whole or rest or len(first.args) != 3 or first.args[1] != Sym(letter) or not set(first.ops) <= {"<", "<="}:
        return None
    ends = _numbers([first.args[0], first.args[2]])
    if ends is None or (natural and ends[0] < int(first.ops[0] == "<=")):
        return None
    low = ends[0].ceil() + int(first.ops[0] == "<" and ends[0].q == 1)
    high = ends[1].floor() - int(first.ops[1] == "<" and ends[1].q == 1)
    return [fmpq(one) for one in range(int(low), int(high) + 1)] if high - low < MAX_MEMBERS else None


def _numbers(nodes: list[Node]) -> list[fmpq] | None:
    """The numbers that all of `nodes` are; two that a row of dots joins have all between them."""
    if len(nodes) > MAX_MEMBERS:
        return None
    found: list[fmpq] = []
    dots = False
    for one in nodes:
        if one == Sym("..."):
            if not found or dots:
                return None
            dots = True
            continue
        try:
            value = rational(one) if isinstance(one, (Num, Op)) else None
        except (LimitError, ZeroDivisionError):
            return None
        if value is None:
            return None
        if dots:
            step = found[-1] - found[-2] if len(found) > 1 else fmpq(1)
            if step <= 0 or ((value - found[-1]) / step).q != 1 or (value - found[-1]) / step > MAX_MEMBERS:
                return None
            while found[-1] < value - step:
                found.append(found[-1] + step)
            dots = False
        found.append(value)
    return found if not dots else None
