"""Where a formula has a value: a condition that only names its natural domain says nothing new."""

from __future__ import annotations

from flint import acb, arb, fmpq

from rewardkit.math.latex.tree import LimitError, Node, ParseError, Rel
from rewardkit.math.prove.agreement import is_real, working_precision
from rewardkit.math.prove.ball import Balls
from rewardkit.math.prove.functions import UndefinedError

_STEPS = (fmpq(1, 7), fmpq(1), fmpq(53, 10))
"""How far beyond a bound a formula is tried."""


def is_natural(node: Node, letter: str, relation: str, bound: fmpq) -> bool:
    """Whether a formula has no real value where a letter does not satisfy a condition: 1/x where x != 0, ln x where x > 0."""
    value = node.args[-1] if isinstance(node, Rel) else node
    outside = [bound] if relation in {"!=", "<", ">"} else []
    if relation != "!=":
        outside += [bound - step if relation[0] == ">" else bound + step for step in _STEPS]
    with working_precision():
        return all(not _has_value(value, letter, at) for at in outside)


def _has_value(node: Node, letter: str, at: fmpq) -> bool:
    balls = Balls({letter: acb(arb(at))})
    try:
        found = balls.value(node)
    except (UndefinedError, LimitError, ParseError, ZeroDivisionError):
        return False
    return found.is_finite() and is_real(found) and not balls.imaginary
