"""What decides at which points two expressions must be compared: jumps, pieces, large numbers, parities."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.latex.tree import LimitError, Node, Num, Op
from rewardkit.math.latex.walk import children, facts, symbols
from rewardkit.math.prove.exact import rational


def has_steps(node: Node) -> bool:
    """Whether `node` has pieces that differ only at single points or far out: floors, remainders, maxima."""
    return not facts(node).operations.isdisjoint(STEPS)


STEPS = frozenset({"floor", "ceil", "mod", "max", "min", "gcd", "lcm", "sgn"})


PIECEWISE = STEPS | {"abs", "sqrt", "root"}
MAX_SIZES = 4


def has_pieces(node: Node) -> bool:
    """Whether `node` may be one formula here and another beyond some number."""
    return not facts(node).operations.isdisjoint(PIECEWISE)


def sizes(*nodes: Node) -> tuple[int, ...]:
    """The sizes of the larger numbers in `nodes`, up to MAX_SIZES of them."""
    found: set[int] = set()
    stack = list(nodes)
    while stack:
        one = stack.pop()
        value = _constant(one)
        if value is None:
            stack.extend(children(one))
        else:
            found.update(int(size.ceil()) for size in (abs(value), 1 / abs(value or fmpq(1))) if _SMALL < size < _HUGE)
    return tuple(sorted(found)[:MAX_SIZES])


def jumps_anywhere(node: Node) -> bool:
    """Whether a floor of no rational function occurs, which may jump at numbers that are not tried: of a sine, a root."""
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, Op) and one.name in _JUMPS and not facts(one).operations <= _RATIONAL:
            return True
        stack.extend(children(one))
    return False


_JUMPS = frozenset({"floor", "ceil", "mod"})
_RATIONAL = _JUMPS | {"add", "mul", "neg", "div", "pow"}


def longest(*nodes: Node) -> int:
    """The bits of the longest number in `nodes`, 0 where none has more than LONG_BITS."""
    found = 0
    stack = list(nodes)
    while stack:
        one = stack.pop()
        if isinstance(one, Num):
            found = max(found, int(one.value.height_bits()))
        else:
            stack.extend(children(one))
    return found if found > LONG_BITS else 0


LONG_BITS = 120
"""Numbers of fewer bits are distinguished at our precision whatever is taken from them."""


def _constant(node: Node) -> fmpq | None:
    """The value of a number, or of a calculation without names."""
    if isinstance(node, Num):
        return node.value
    if not isinstance(node, Op) or symbols(node):
        return None
    try:
        return rational(node)
    except (LimitError, ZeroDivisionError):
        return None


_SMALL = 10
_HUGE = 10**15


def has_parity(node: Node) -> bool:
    """Whether whole-number variables matter: (-1)^n, floors, remainders, cos(n pi)."""
    if isinstance(node, Op):
        if node.name in {"floor", "ceil", "mod", "fact", "binom", "dfact"}:
            return True
        if (
            node.name == "pow"
            and isinstance(node.args[0], (Num, Op))
            and (value := rational(node.args[0])) is not None
            and value < 0
        ):
            return True
        if node.name in {"sin", "cos", "tan", "exp"} and "pi" in symbols(node):
            return True
    return any(has_parity(one) for one in children(node))
