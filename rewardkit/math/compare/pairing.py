"""Pair off the members of two lists: in the order given, in any order, each value once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from flint import fmpz

from rewardkit.math.compare.values import Values
from rewardkit.math.latex.tree import Node, Num, Seq

MAX_ITEMS = 200
"""Longer lists are not compared member by member."""


class Pairing(Values):
    """The judgement of two lists, each member of one with a member of the other."""

    def equal(self, gold: Node, answer: Node) -> bool:
        """Whether `answer` is `gold`; `Comparison` says how."""
        raise NotImplementedError

    def in_order(self, gold: Iterable[Node], answer: Iterable[Node]) -> bool:
        """Equal member by member."""
        left, right = tuple(gold), tuple(answer)
        if len(left) != len(right):
            return False
        self.linked += len(left) > 1
        same = all(self.equal(one, other) for one, other in zip(left, right, strict=True))
        self.linked -= len(left) > 1
        return same

    def any_order(self, gold: Iterable[Node], answer: Iterable[Node]) -> bool:
        """Equal as multisets. Members are equal to at most one class, so that a greedy match is enough."""
        left, right = list(gold), list(answer)
        if len(left) != len(right):
            return self.differ(f"{len(right)} members where the ground truth has {len(left)}")
        if self.exact and len(left) > 2:
            left, right = self.unpaired(left, right)
        for one in left:
            index = next((index for index, other in enumerate(right) if self.equal(one, other)), None)
            if index is None:
                return False
            del right[index]
        return True

    def unpaired(self, gold: list[Node], answer: list[Node]) -> tuple[list[Node], list[Node]]:
        """What is left of two lists when plain numbers are paired off: long lists in any order are compared in linear time."""
        spare = Counter(_key(one) for one in answer if isinstance(one, Num))
        left: list[Node] = []
        for one in gold:
            if isinstance(one, Num) and spare[_key(one)] > 0:
                spare[_key(one)] -= 1
                self.note("equal expressions")
            else:
                left.append(one)
        right: list[Node] = []
        for one in reversed(answer):
            if isinstance(one, Num) and spare[_key(one)] == 0:
                continue
            if isinstance(one, Num):
                spare[_key(one)] -= 1
            right.append(one)
        return left, right[::-1]

    def distinct(self, node: Seq) -> tuple[Node, ...]:
        """The members without those that equal an earlier one."""
        kept: list[Node] = []
        numbers: set[tuple[fmpz, fmpz]] = set()
        others: list[Node] = []
        for one in node.items[:MAX_ITEMS]:
            if self.exact and isinstance(one, Num):
                if _key(one) in numbers or any(self.equal(other, one) for other in others):
                    continue
                numbers.add(_key(one))
            elif any(self.equal(other, one) for other in kept):
                continue
            else:
                others.append(one)
            kept.append(one)
        return tuple(kept)


def _key(node: Num) -> tuple[fmpz, fmpz]:
    """What stands for a number in a dictionary: an fmpq itself is slow to hash."""
    return node.value.p, node.value.q
