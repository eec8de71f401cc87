"""Compare scalars, exactly, by proof and as the policy tolerates; lists member by member; matrices entry by entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from flint import fmpq, fmpz

from rewardkit.math.compare.families import same_family
from rewardkit.math.compare.noncommutative import order_counts
from rewardkit.math.compare.shapes import SCALARS, as_matrix, degrees_of, percent_of, shape
from rewardkit.math.latex.tree import LimitError, Matrix, Node, Num, Op, ParseError, Rel, Seq, Sym
from rewardkit.math.latex.walk import CONSTANTS, canonical, facts, symbols
from rewardkit.math.policy import Policy
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.proof import constant_difference, real_value, same_value, working_precision

MAX_COMPARISONS = 20_000
"""So many member comparisons, then the answers are different."""


class Values:
    """What a comparison remembers, and its judgement of two scalars."""

    against: str = ""
    undecided: bool = False
    budget: int = MAX_COMPARISONS
    depth: int = 0

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.why: list[str] = []
        self.linked: int = 0
        """How many structures around this place fix what a letter is: the coordinates of a point have one k."""
        self.declared = False
        """Whether both sides say that a letter is an integer."""
        self.exact = not policy.rtol and not policy.gold_digits and not policy.lenient
        """Whether numbers are equal only where their values are."""

    def note(self, reason: str) -> bool:
        """Remember why two parts are equal."""
        self.why.append(reason)
        return True

    def differ(self, reason: str) -> bool:
        """Remember the first reason why two parts differ."""
        self.against = self.against or reason
        return False

    def numbers(self, gold: Num, answer: Num) -> bool:
        """Two plain numbers."""
        if gold.value == answer.value:
            return self.note("equal expressions" if gold.places == answer.places else "equal as rationals")
        return self.tolerated(gold, answer)

    def scalars(self, gold: Node, answer: Node) -> bool:
        """Two numbers or expressions."""
        if not (isinstance(gold, SCALARS) and isinstance(answer, SCALARS)):
            return False
        with_degrees = "deg" in facts(gold).operations or "deg" in facts(answer).operations
        apart = (
            with_degrees
            and not self.policy.degrees_as_radians
            and (degrees_of(gold) is None) != (degrees_of(answer) is None)
        )
        if not apart and self.values(gold, answer):
            return True
        if self.percents(gold, answer) or (with_degrees and self.degrees(gold, answer)):
            return True
        return self.tolerated(gold, answer)

    def values(self, gold: Node, answer: Node) -> bool:
        """Equal by exact arithmetic or proof."""
        left, right = facts(gold), facts(answer)
        free = not (left.names <= CONSTANTS and right.names <= CONSTANTS)
        if "..." in left.names or "..." in right.names:
            return canonical(gold) == canonical(answer) and self.note("the same row of terms")
        if free and order_counts(gold, answer) and gold != answer:
            return self.differ("the factors stand in another order")
        tried = False
        if not free:
            try:
                exact = rational(gold), rational(answer)
                tried = True
            except (ZeroDivisionError, LimitError):
                exact = None, None
            if exact[0] is not None and exact[1] is not None:
                return exact[0] == exact[1] and self.note("equal as rationals")
        try:
            found = same_value(gold, answer, rationals=not tried)
        except (ParseError, ZeroDivisionError):
            return False
        if found is None:
            self.undecided = True
        if found:
            return self.note("equal as expressions" if free else "equal to 48 digits and more")
        if not free or self.linked:
            return False
        if (left := without_constant(gold)) is not None and (right := without_constant(answer)) is not None:
            return constant_difference(left, right) and self.note("equal up to the constant of integration")
        return same_family(gold, answer, declared=self.declared) and self.note("the same family over the integers")

    def percents(self, gold: Node, answer: Node) -> bool:
        """A percent sign left out, where the policy lets it."""
        if self.policy.percent != "optional" or not _either_has("pct", gold, answer):
            return False
        one, other = percent_of(gold), percent_of(answer)
        if (one is None) == (other is None):
            return False
        number = one if one is not None else other
        assert number is not None
        size = real_value(number)
        if size is None or not abs(size) >= 1:
            return False
        return self.values(number, answer) if one is not None else self.values(gold, number)

    def degrees(self, gold: Node, answer: Node) -> bool:
        """A degree sign left out."""
        one, other = degrees_of(gold), degrees_of(answer)
        if (one is None) == (other is None) or self.policy.units == "require":
            return False
        number = one if one is not None else other
        assert number is not None
        if "pi" in symbols(gold) | symbols(answer):
            return False
        return self.values(number, answer) if one is not None else self.values(gold, number)

    def tolerated(self, gold: Node, answer: Node) -> bool:
        """Close enough, where the policy says how close."""
        if self.exact:
            return False
        rtol = self.policy.rtol
        a, b = real_value(gold), real_value(answer)
        if a is None or b is None:
            return False
        if rtol and abs(a - b) <= abs(a) * fmpq(*float(rtol).as_integer_ratio()):
            return self.note(f"within {rtol} of the ground truth")
        if self.policy.gold_digits and isinstance(gold, Num) and gold.places:
            return close_to_digits(gold, answer) and self.note("rounds to the digits of the ground truth")
        if self.policy.lenient:
            for printed, other in ((gold, answer), (answer, gold)):
                if isinstance(printed, Num) and (printed.places or 0) >= 2 and close_to_digits(printed, other):
                    return self.note("equal when rounded")
        return False


def without_constant(node: Node) -> Node | None:
    """A sum without the constant of integration that is one of its terms; None where it has none, or has other capitals."""
    if not isinstance(node, Op) or node.name != "add" or any(one.isupper() and one != "C" for one in symbols(node)):
        return None
    if not symbols(node).isdisjoint({"a", "b"}) and "C" not in symbols(node):
        return None  # beside a and b, c is a letter like them
    for place, one in enumerate(node.args):
        other = node.args[1 - place]
        if one in _CONSTANTS:
            return other
        if (rest := without_constant(one)) is not None:
            return Op("add", (rest, other) if place == 0 else (other, rest))
    return None


_CONSTANTS = frozenset({Sym("C"), Sym("c"), Op("neg", (Sym("C"),))})


def close_to_digits(gold: Num, answer: Node) -> bool:
    """Whether `answer` rounds to the printed decimals of `gold`."""
    half = fmpq(1, 2 * 10 ** (gold.places or 0))
    try:
        exact = rational(answer)
    except (ZeroDivisionError, LimitError):
        return False
    if exact is not None:
        return abs(exact - gold.value) <= half
    value = real_value(answer)
    if value is None:
        return False
    with working_precision():
        return bool(abs(value - gold.value) <= half)


def _either_has(operation: str, gold: Node, answer: Node) -> bool:
    return operation in facts(gold).operations or operation in facts(answer).operations


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


class Matrices(Pairing):
    """The judgement of two matrices, entry by entry, and of two lists of cases."""

    def matrices(self, gold: Node, answer: Node) -> bool:
        """Entries in place; a column is a vector."""
        a, b = as_matrix(gold), as_matrix(answer)
        if a is None or b is None:
            vector, other = (a, answer) if a is not None else (b, gold)
            members = None if vector is None else _coordinates(other, vector)
            if vector is None or members is None:
                return False
            cells = tuple(cell for row in vector.rows for cell in row)
            return self.in_order(cells, members) if a is not None else self.in_order(members, cells)
        if a.kind == b.kind == "cases":
            return self.any_order(map(_row, a.rows), map(_row, b.rows)) and self.note("the same cases")
        if a.kind != b.kind or len(a.rows) != len(b.rows) or len(a.rows[0]) != len(b.rows[0]):
            return False
        pairs = zip(a.rows, b.rows, strict=True)
        return all(self.in_order(one, other) for one, other in pairs) and self.note("the same entries")


def _coordinates(node: Node, vector: Matrix) -> tuple[Node, ...] | None:
    """The coordinates of `node`, which is no matrix, where it can be a row or column such as `vector`."""
    rows, columns = shape(vector)
    if 1 not in {rows, columns}:
        return None
    if isinstance(node, Op):
        if node.name == "binom" and (rows, columns) == (2, 1):  # a column is written so, too
            return node.args
        return None
    if isinstance(node, Seq) and node.opened in {"(", "<", "["} and node.closed in {")", ">", "]"}:
        return node.items
    return None


_COUNTERS = frozenset({"n", "k", "m"})


def _row(cells: tuple[Node, ...]) -> Seq:
    """A case and its condition as one member; n > 1 is n >= 2."""
    *values, condition = cells
    if (
        isinstance(condition, Rel)
        and len(condition.args) == 2
        and condition.ops[0] in {"<", ">"}
        and isinstance(condition.args[0], Sym)
        and condition.args[0].name in _COUNTERS
        and isinstance(bound := condition.args[1], Num)
        and bound.value.q == 1
    ):
        step = 1 if condition.ops[0] == ">" else -1
        condition = Rel((condition.ops[0] + "=",), (condition.args[0], Num(bound.value + step)))
    return Seq("(", ")", (*values, condition))
