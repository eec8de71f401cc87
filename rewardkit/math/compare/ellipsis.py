"""Rows with dots in them, written out where their numbers are in steps: 1, 2, ..., 10 and 3, 6, ..., 99.

Law: a row is written out only if all its written numbers are in one arithmetic progression.
"""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.latex.tree import LimitError, Node, Num, Op, Seq, Sym
from rewardkit.math.prove.exact import rational

MAX_TERMS = 200
"""Longer rows are not written out."""

DOTS = Sym("...")


def written_out(node: Seq) -> Seq:
    """A list with its dots filled in; another list, or one whose numbers are not in steps, as it is."""
    if DOTS not in node.items[1:-1] or node.items.count(DOTS) > 1:
        return node
    at = node.items.index(DOTS)
    values = [_value(one) for one in node.items if one != DOTS]
    numbers = [one for one in values if one is not None]
    if len(numbers) < len(values):
        return node
    before, after = numbers[:at], numbers[at:]
    step = before[1] - before[0] if at > 1 else fmpq(1)
    count = (after[-1] - before[0]) / step if step else fmpq(0)
    if count.q != 1 or not len(numbers) <= count + 1 <= MAX_TERMS:
        return node
    row = [before[0] + step * k for k in range(int(count.p) + 1)]
    if row[: len(before)] != before or row[-len(after) :] != after:
        return node
    return Seq(node.opened, node.closed, tuple(map(Num, row)), node.either, node.both)


def _value(node: Node) -> fmpq | None:
    """The value of a plain number."""
    if not isinstance(node, (Num, Op)):
        return None
    try:
        return rational(node)
    except (ZeroDivisionError, LimitError):
        return None
