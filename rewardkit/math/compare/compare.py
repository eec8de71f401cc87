"""Compare two trees by the more structured of their kinds; scalars exactly, by proof and as the policy tolerates. When unsure, they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from flint import arb, fmpq

from rewardkit.math.compare.members import MAX_ITEMS, matrices, ratios, sequences, sets
from rewardkit.math.compare.qualified import conditions, labelled, units, words
from rewardkit.math.compare.relations import relations
from rewardkit.math.compare.sets import REAL_LINE, is_set
from rewardkit.math.compare.shapes import SCALARS, degrees_of, order_counts, percent_of
from rewardkit.math.latex.tree import RANKS, LimitError, Node, Num, Op, ParseError, Seq, Sym
from rewardkit.math.latex.walk import CONSTANTS, canonical, facts, symbols
from rewardkit.math.policy import DEFAULT, Policy
from rewardkit.math.prove.agreement import working_precision
from rewardkit.math.prove.exact import exact_value
from rewardkit.math.prove.proof import constant_ratio, real_value, same_value

LONG_DIGITS = 12
"""A decimal of this many significant digits is the output of a computer, which rounds."""

DOUBLE_DIGITS = 15
"""A decimal with this many decimals may be a double, printed in full."""

ROUNDED = "a decimal that rounds or truncates the ground truth"

MAX_COMPARISONS = 20_000
"""So many member comparisons, then the answers are different."""

_RESIDUES = frozenset({"mod", "modclass"})


class Comparing:
    """One comparison of a ground truth with an answer under a policy."""

    __slots__ = ("against", "budget", "exact", "policy", "undecided", "why")

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.why = ""
        """Why the first two parts are equal."""
        self.against = ""
        """Why the first two parts differ."""
        self.undecided = False
        self.budget = MAX_COMPARISONS
        self.exact = policy is DEFAULT or not (policy.rtol or policy.gold_digits or policy.lenient)
        """Whether numbers are equal only where their values are."""

    def equal(self, gold: Node, answer: Node) -> bool:
        """Whether `answer` is `gold`, by the comparer of the more structured kind. Both are in one shape (`shapes.shaped`)."""
        self.budget -= 1
        if self.budget < 0:
            raise LimitError("too many members to compare")
        if type(gold) is Num and type(answer) is Num:
            return self.numbers(gold, answer)
        rank = min(rank_of(gold), rank_of(answer))
        if gold == answer and rank not in {_CONDITION, _RELATION}:
            return self.note("equal expressions")
        return _COMPARERS[rank](self, gold, answer)

    def as_kind_of(self, node: Node, gold: Node, answer: Node) -> bool:
        """The verdict of the comparer of the kind of `node`."""
        return _COMPARERS[rank_of(node)](self, gold, answer)

    def apart(self) -> Comparing:
        """A comparison of its own, under the same policy."""
        return Comparing(self.policy)

    def note(self, reason: str) -> bool:
        """Remember why two parts are equal."""
        self.why = self.why or reason
        return True

    def differ(self, reason: str) -> bool:
        """Remember why two parts differ."""
        self.against = self.against or reason
        return False

    # -- scalars -----------------------------------------------------------------------------------------------------

    def numbers(self, gold: Num, answer: Num) -> bool:
        """Two numbers."""
        if gold.value == answer.value:
            return self.note("equal expressions" if gold.places == answer.places else "equal as rationals")
        return self.tolerated(gold, answer)

    def scalars(self, gold: Node, answer: Node) -> bool:
        """Two expressions, with or without a sign behind them."""
        if not (isinstance(gold, SCALARS) and isinstance(answer, SCALARS)):
            return False
        apart = False
        if "deg" in facts(gold).operations or "deg" in facts(answer).operations:
            one, other = degrees_of(gold), degrees_of(answer)
            apart = (one is None) != (other is None)
            left_out = apart and self.policy.units != "require" and not {"pi"} & (symbols(gold) | symbols(answer))
            if left_out and self.values(one or gold, other or answer):
                return True
        if (not apart or self.policy.degrees_as_radians) and self.values(gold, answer):
            return True
        return self.percents(gold, answer) or self.tolerated(gold, answer)

    def values(self, gold: Node, answer: Node) -> bool:
        """Equal by exact arithmetic or proof."""
        if isinstance(gold, Op) and isinstance(answer, Op) and {gold.name, answer.name} <= _RESIDUES:
            return self.residues(gold.args, answer.args)
        names = symbols(gold) | symbols(answer)
        if names <= CONSTANTS:
            exact = exact_value(gold), exact_value(answer)
            if exact[0] is not None and exact[1] is not None:
                return exact[0] == exact[1] and self.note("equal as rationals")
        elif "..." in names:
            return canonical(gold) == canonical(answer) and self.note("the same row of terms")
        elif order_counts(gold, answer):
            return self.differ("the factors stand in another order")
        try:
            found = same_value(gold, answer)
        except (ParseError, ZeroDivisionError):
            return False
        self.undecided = self.undecided or found is None
        if found:
            return self.note("equal to 48 digits and more" if names <= CONSTANTS else "equal as expressions")
        return "C" in names and self.integrals(gold, answer, names)

    def integrals(self, gold: Node, answer: Node, names: frozenset[str]) -> bool:
        """Equal up to the constant of integration, C, the only capital."""
        left, right = _without_constant(gold), _without_constant(answer)
        if left is None or right is None or sum(map(str.isupper, names)) > 1:
            return False
        same = constant_ratio(Op("exp", (left,)), Op("exp", (right,)))
        return same and self.note("equal up to the constant of integration")

    def residues(self, gold: Sequence[Node], answer: Sequence[Node]) -> bool:
        """(a, m) and (b, n) as residues: the same modulus, and a - b a multiple of it."""
        if not self.equal(gold[1], answer[1]):
            return False
        a, b, modulus = exact_value(gold[0]), exact_value(answer[0]), exact_value(gold[1])
        if a is None or b is None or not modulus:
            return self.equal(gold[0], answer[0])
        return ((a - b) / modulus).q == 1 and self.note("the same residue")

    def percents(self, gold: Node, answer: Node) -> bool:
        """A percent sign left out, where the policy lets it."""
        if self.policy.percent != "optional":
            return False
        one, other = percent_of(gold), percent_of(answer)
        number = one or other
        if number is None or (one is not None and other is not None):
            return False
        size = real_value(number)
        return size is not None and bool(abs(size) >= 1) and self.values(one or gold, other or answer)

    def tolerated(self, gold: Node, answer: Node) -> bool:
        """Close enough, where the policy says how close."""
        if type(answer) is Num and is_long(answer) and (value := real_value(gold)) is not None:
            with working_precision():
                if rounds_or_truncates(value, answer):
                    return self.note(ROUNDED)
        if self.exact:
            return False
        rtol, a, b = self.policy.rtol, real_value(gold), real_value(answer)
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

    # -- lists -------------------------------------------------------------------------------------------------------

    def in_order(self, gold: Iterable[Node], answer: Iterable[Node]) -> bool:
        """Equal member by member."""
        left, right = tuple(gold), tuple(answer)
        return len(left) == len(right) and all(self.equal(one, other) for one, other in zip(left, right, strict=True))

    def any_order(self, gold: Iterable[Node], answer: Iterable[Node]) -> bool:
        """Equal as multisets. Members are equal to at most one class, so that a greedy match is enough."""
        left, right = list(gold), list(answer)
        if len(left) != len(right):
            return self.differ(f"{len(right)} members where the ground truth has {len(left)}")
        for one in left:
            index = next((index for index, other in enumerate(right) if self.equal(one, other)), None)
            if index is None:
                return False
            del right[index]
        return True

    def distinct(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """The members without those that equal an earlier one."""
        kept: list[Node] = []
        for one in nodes[:MAX_ITEMS]:
            if not any(self.equal(other, one) for other in kept):
                kept.append(one)
        return tuple(kept)


def _without_constant(node: Node) -> Node | None:
    """A sum without the constant of integration, C or -C, that is one of its terms; None where it has none."""
    if node == _CONSTANT or node == Op("neg", (_CONSTANT,)):
        return Num(fmpq(0))
    if not isinstance(node, Op) or node.name != "add":
        return None
    rest = [_without_constant(one) for one in node.args]
    if all(one is None for one in rest):
        return None
    return Op("add", tuple(one if other is None else other for one, other in zip(node.args, rest, strict=True)))


_CONSTANT = Sym("C")


def is_long(printed: Num) -> bool:
    """Whether a decimal has so many significant digits that it is taken as computer output.

    >>> is_long(Num(fmpq(8333333333333333, 10**17), 17)), is_long(Num(fmpq(833, 10**4), 4))
    (True, False)
    """
    return bool(printed.places) and abs(printed.value) * 10 ** (printed.places or 0) >= 10 ** (LONG_DIGITS - 1)


def rounds_or_truncates(value: fmpq | arb, printed: Num) -> bool:
    """Whether a long decimal is `value`, rounded or cut off at its last place.

    >>> rounds_or_truncates(fmpq(2, 3), Num(fmpq(6666666666666667, 10**16), 16)), rounds_or_truncates(fmpq(2, 3), Num(fmpq(6667, 10**4), 4))
    (True, False)
    """
    if not is_long(printed):
        return False
    places, other = printed.places or 0, printed.value
    unit = fmpq(1, 10**places)
    if 2 * abs(value - other) <= unit or (value * other > 0 and 0 <= abs(value) - abs(other) < unit):
        return True
    # what a computer prints of the nearest double
    return places >= DOUBLE_DIGITS and float(value) == int(other.p) / int(other.q)


def close_to_digits(gold: Num, answer: Node) -> bool:
    """Whether `answer` rounds to the printed decimals of `gold`."""
    value = exact_value(answer) or real_value(answer)
    with working_precision():
        return value is not None and bool(2 * abs(value - gold.value) * 10 ** (gold.places or 0) <= 1)


_CONDITION, _RELATION, _SET, _LIST, _SCALAR = 0, 4, 7, 8, 9


def rank_of(node: Node) -> int:
    """How structured a kind is, the most structured first."""
    if isinstance(node, Seq):
        return _SET if is_set(node) else _LIST
    if isinstance(node, Sym):
        return _SET if node.name == REAL_LINE.name else _SCALAR
    return RANKS.get(type(node), _SCALAR)


_COMPARERS: tuple[Callable[[Comparing, Node, Node], bool], ...] = (
    conditions, units, labelled, words, relations, ratios, matrices, sets, sequences, Comparing.scalars,
)  # fmt: skip
"""By rank."""
