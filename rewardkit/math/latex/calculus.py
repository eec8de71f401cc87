"""Derivatives and integrals in one spelling: d^2y/dx^2 is y'', an integral runs upwards."""

from __future__ import annotations

from rewardkit.math.latex.tree import LimitError, Node, Num, Op, Sym
from rewardkit.math.latex.vocabulary import CALLED
from rewardkit.math.prove.exact import rational

MAX_ORDER = 4
"""Higher derivatives stay fractions."""

_SIGNS = {"d": "'", "partial": "_"}


def derivative(top: Node, bottom: Node) -> Node | None:
    """Dy/dx as y', a partial derivative as y_x, those of higher order as y'' and y_xx; None for any other fraction."""
    if not (isinstance(top, Op) and isinstance(bottom, Op) and top.name == bottom.name == "mul"):
        return None
    sign, name = top.args
    order = 1
    if isinstance(sign, Op) and sign.name == "pow":
        sign, power = sign.args
        if not isinstance(power, Num) or power.value not in range(2, MAX_ORDER + 1):
            return None
        order = int(power.value.p)
    if not isinstance(sign, Sym) or sign.name not in _SIGNS or not isinstance(name, Sym):
        return None
    letters = _variables(bottom, sign)
    if letters is None or len(letters) != order:
        return None
    if sign.name == "partial":
        return Sym(f"{name.name}_{''.join(letters)}")
    if len(set(letters)) > 1:
        return None
    primed = name.name + "'" * order
    return Op("call:" + primed, (Sym(letters[0]),)) if name.name in CALLED else Sym(primed)


def _variables(bottom: Op, sign: Sym) -> list[str] | None:
    """The letters of dx, dx^2, dx dy."""
    factors: list[Node] = []
    one: Node = bottom
    while isinstance(one, Op) and one.name == "mul":
        factors.append(one.args[1])
        one = one.args[0]
    factors.append(one)
    factors.reverse()
    letters: list[str] = []
    for place in range(0, len(factors), 2):
        if factors[place] != sign or place + 1 == len(factors):
            return None
        letter, times = factors[place + 1], 1
        if isinstance(letter, Op) and letter.name == "pow" and isinstance(letter.args[1], Num):
            if letter.args[1].value not in range(2, MAX_ORDER + 1):
                return None
            letter, times = letter.args[0], int(letter.args[1].value.p)
        if not isinstance(letter, Sym):
            return None
        letters += [letter.name] * times
    return letters


def integral(low: Node, high: Node, body: tuple[Node, ...]) -> Op:
    """An integral between limits; one that runs downwards is minus the one that runs upwards."""
    try:
        first, last = rational(low), rational(high)
    except (LimitError, ZeroDivisionError):
        first = last = None
    if first is not None and last is not None and first > last:
        return Op("neg", (Op("big:int", (high, low, *body)),))
    return Op("big:int", (low, high, *body))
