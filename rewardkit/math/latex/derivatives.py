"""Derivatives in one spelling: dy/dx is y', d^2y/dx^2 is y'', a partial derivative is u_x."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.latex.tree import Node, Num, Op, Sym
from rewardkit.math.latex.vocabulary import CALLED
from rewardkit.math.latex.walk import symbols


def _partial_letters(bottom: Node) -> str:
    """The letters of the variables in the denominator of a partial derivative: dx dy, dx^2."""
    found = ""
    stack = [bottom]
    while stack:
        one = stack.pop()
        if isinstance(one, Op) and one.name == "mul":
            stack.extend(reversed(one.args))
        elif isinstance(one, Op) and one.name == "pow" and isinstance(one.args[0], Sym) and one.args[1] == Num(fmpq(2)):
            found += 2 * one.args[0].name
        elif not isinstance(one, Sym):
            return ""
        elif one.name != "partial":
            found += one.name
    return found


MAX_ORDER = 4
"""Higher derivatives stay fractions."""


def derivative(top: Node, bottom: Node) -> Node | None:
    """dy/dx as y', d^2y/dx^2 as y''; None for any other fraction."""
    if not (isinstance(top, Op) and isinstance(bottom, Op) and top.name == bottom.name == "mul"):
        return None
    sign, name = top.args
    if isinstance(name, Sym) and "partial" in symbols(sign):
        letters = _partial_letters(bottom)
        return Sym(f"{name.name}_{letters}") if letters else None
    order = 1
    letter = bottom.args[1]
    if isinstance(sign, Op) and isinstance(letter, Op) and sign.name == letter.name == "pow":
        power = sign.args[1]
        if power != letter.args[1] or not isinstance(power, Num) or power.value not in range(2, MAX_ORDER + 1):
            return None
        order, sign, letter = int(power.value.p), sign.args[0], letter.args[0]
    if sign != Sym("d") or bottom.args[0] != sign or not isinstance(name, Sym) or not isinstance(letter, Sym):
        return None
    primed = name.name + "'" * order
    return Op("call:" + primed, (letter,)) if name.name in CALLED else Sym(primed)
