"""Compare two trees: kinds first, then members, then values. When unsure, the answers are different."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.compare.ellipsis import DOTS, written_out
from rewardkit.math.compare.equations import Equations, plain
from rewardkit.math.compare.families import same_residue, with_counter
from rewardkit.math.compare.labels import bound_of, chained, denies, domain, pointwise, same_label
from rewardkit.math.compare.names import is_label
from rewardkit.math.compare.sets import is_set, real_set, thinned
from rewardkit.math.compare.shapes import (
    degrees_of,
    percent_of,
    single,
    spread,
    unnamed_point,
    without_letter_unit,
)
from rewardkit.math.latex.tree import (
    Based,
    Builder,
    Cond,
    Labelled,
    LimitError,
    Matrix,
    Node,
    Num,
    Op,
    Ratio,
    Rel,
    Seq,
    Sym,
    Unit,
    Words,
)
from rewardkit.math.latex.units import conversion, same_unit
from rewardkit.math.latex.walk import children, rename
from rewardkit.math.prove.domains import is_natural
from rewardkit.math.prove.proof import CONSTANTS, symbols
from rewardkit.math.text.number_words import ordinal, spelled_fraction, spelled_number
from rewardkit.math.text.words import EMPTY_WORDS, canonical_words, says_more

_VALUES = (Num, Op, Sym)


class Comparison(Equations):
    """One comparison of a ground truth with an answer under a policy."""

    def equal(self, gold: Node, answer: Node) -> bool:
        """Whether `answer` is `gold`."""
        if not self.depth:
            answer = with_counter(gold, answer)
        self.budget -= 1
        if self.budget < 0 or self.depth > 60:
            raise LimitError("too many members to compare")
        self.depth += 1
        try:
            return self._equal(gold, answer)
        finally:
            self.depth -= 1

    def _equal(self, gold: Node, answer: Node) -> bool:
        if type(gold) is Num and type(answer) is Num:
            return self.numbers(gold, answer)
        if isinstance(gold, _VALUES) and isinstance(answer, _VALUES) and plain(gold) and plain(answer):
            if gold == answer:
                return self.note("equal expressions")
            if (same := same_residue(gold, answer)) is not None:
                return same and self.note("the same residue")
            return self.scalars(gold, answer)
        gold, answer = single(gold), single(answer)
        if isinstance(gold, Cond) or isinstance(answer, Cond):
            return self.conditions(gold, answer)
        if gold == answer and not isinstance(gold, Rel):
            return self.note("equal expressions")
        if isinstance(gold, Based) or isinstance(answer, Based):
            return self.bases(gold, answer)
        if isinstance(gold, Unit) or isinstance(answer, Unit):
            return self.units(gold, answer)
        return self.without_units(gold, answer)

    def without_units(self, gold: Node, answer: Node) -> bool:
        """Neither side is a quantity, or only one is and the other states one."""
        if isinstance(gold, Labelled) or isinstance(answer, Labelled):
            return self.labelled(gold, answer)
        if isinstance(gold, Words) or isinstance(answer, Words):
            return self.words(gold, answer)
        gold, answer = spread(gold), spread(answer)
        if isinstance(gold, Seq) and isinstance(answer, Seq) and DOTS in gold.items:
            gold, answer = written_out(gold), written_out(answer)
        gold, answer = pointwise(gold), pointwise(answer)
        if isinstance(gold, Rel) or isinstance(answer, Rel):
            return self.relations(gold, answer)
        if isinstance(gold, Ratio) or isinstance(answer, Ratio):
            return self.ratios(gold, answer)
        if isinstance(gold, Matrix) or isinstance(answer, Matrix):
            return self.matrices(gold, answer)
        if is_set(gold) or is_set(answer):
            return self.sets(gold, answer)
        if isinstance(gold, Seq) or isinstance(answer, Seq):
            if not (isinstance(gold, Seq) and isinstance(answer, Seq)):
                gold, answer = unnamed_point(gold), unnamed_point(answer)
            return self.sequences(gold, answer)
        return self.scalars(gold, answer)

    def bases(self, gold: Node, answer: Node) -> bool:
        """Digits in one base; base ten need not be said."""
        if isinstance(gold, Based) and isinstance(answer, Based):
            return same_digits(gold, answer) and self.note("equal digits in one base")
        if isinstance(gold, Rel) and gold.ops == ("=",) and is_label(gold.args[0]):
            return self.equal(gold.args[1], answer)
        if isinstance(answer, Rel) and answer.ops == ("=",) and is_label(answer.args[0]):
            return self.equal(gold, answer.args[1])
        based, other = (gold, answer) if isinstance(gold, Based) else (answer, gold)
        if not (isinstance(based, Based) and based.base == 10):
            return self.differ("a base is part of the answer")
        return self.equal(Num(fmpq(int(based.digits))), other)

    # -- conditions, units, words -----------------------------------------------------------------------------------

    def conditions(self, gold: Node, answer: Node) -> bool:
        """A condition that both sides state must agree; one side alone may say over what its letters run."""
        if isinstance(gold, Cond) and isinstance(answer, Cond):
            letters = domain(gold.text), domain(answer.text)
            if letters[0] is None or letters[1] is None:
                bounds = bound_of(gold.text), bound_of(answer.text)
                same = gold.text == answer.text or (bounds[0] is not None and bounds[0] == bounds[1])
                return same and self.equal(gold.value, answer.value)
            if letters[0][1] != letters[1][1] and letters[0][1] and letters[1][1]:
                return False
            value = answer.value
            if (
                letters[0][0]
                and letters[1][0]
                and letters[0][0] != letters[1][0]
                and letters[0][0] not in symbols(value)
            ):
                value = rename(value, {letters[1][0]: letters[0][0]})
            return self.within(_numbers(gold, letters[0][1] or letters[1][1]), gold.value, value)
        one, other = (gold, answer) if isinstance(gold, Cond) else (answer, gold)
        assert isinstance(one, Cond)
        if isinstance(other, Builder) and (inside := chained(other)) is not None:
            return self.conditions(one, inside) if one is gold else self.conditions(inside, one)
        if (bound := bound_of(one.text)) is not None:
            if one is gold or not is_natural(one.value, *bound):
                return self.differ("a condition that only one side has")
            return self.equal(other, one.value)
        if not one.universal or says_more(one.text):
            return False
        found = domain(one.text)
        if found is not None and found[1] and dense(one):
            return self.differ("a range of numbers of one kind alone")
        if found is not None and found[0] and found[1] == "Z":
            body = other.args[-1] if isinstance(other, Rel) and is_label(other.args[0]) else other
            free = symbols(one.value) - symbols(body) - CONSTANTS
            spare = sorted(symbols(body) - symbols(one.value) - CONSTANTS)
            if set(free) == {found[0]} and len(spare) == 1 and len(spare[0]) == 1:
                other = rename(other, {spare[0]: found[0]})
        numbers = "?" if found is None else _numbers(one, found[1])
        return self.within(numbers, one.value, other) if one is gold else self.within(numbers, other, one.value)

    def within(self, numbers: str, gold: Node, answer: Node) -> bool:
        """Two values whose letters run over a set of numbers: only over all integers may they be shifted."""
        before = self.declared, self.linked
        self.declared = numbers == "Z"
        self.linked += numbers not in {"Z", ""}
        same = self.equal(gold, answer)
        self.declared, self.linked = before
        return same

    def units(self, gold: Node, answer: Node) -> bool:
        """A unit may be left out or added, not exchanged."""
        policy = self.policy.units
        if isinstance(gold, Unit) and isinstance(answer, Unit):
            if policy == "ignore" or same_unit(gold.unit, answer.unit):
                return self.equal(gold.value, answer.value)
            factor = conversion(answer.unit, gold.unit) if policy == "convert" else None
            if factor is None:
                return self.differ(f"another unit: {answer.unit or 'none'}, not {gold.unit or 'none'}")
            scaled = Op("mul", (answer.value, Num(fmpq(factor.numerator, factor.denominator))))
            return self.equal(gold.value, scaled) and self.note(f"{answer.unit} converted to {gold.unit}")
        unit, other, swapped = (gold, answer, False) if isinstance(gold, Unit) else (answer, gold, True)
        assert isinstance(unit, Unit)
        if isinstance(unit.value, Seq) and isinstance(other, Seq):  # (3, 4) m is (3 m, 4 m)
            items = tuple(Unit(one, unit.unit) for one in unit.value.items)
            each = Seq(unit.value.opened, unit.value.closed, items, unit.value.either)
            return self.equal(other, each) if swapped else self.equal(each, other)
        if isinstance(other, _HOLDERS) and holds_unit(other):  # V = 36 cm against 36 m: what is stated has its own unit
            return self.without_units(gold, answer)
        if unit is answer and unit.unit == "K|k":
            return self.differ("a letter that may stand for thousand")
        stripped = without_letter_unit(other, unit.unit)
        if stripped is not None:
            other = stripped
        elif policy == "require" and unit.unit not in {"unit", "th"}:
            return False
        shown = other.args[-1] if isinstance(other, Rel) and other.ops == ("=",) else other
        if unit.unit == "rad" and degrees_of(shown) is not None:
            return self.policy.degrees_as_radians and self.values(shown, unit.value)
        if policy != "ignore" and (
            (percent_of(shown) is not None and percent_of(unit.value) is None)
            or (degrees_of(shown) is not None and not unit.unit.startswith("deg"))
        ):
            return False
        if isinstance(other, Words):
            number = ordinal(other.text) if unit.unit == "th" else None
            number = spelled_number(other.text) if number is None else number
            other = other if number is None else Num(fmpq(number))
        found = self.equal(other, unit.value) if swapped else self.equal(unit.value, other)
        return found and self.note("a unit was left out")

    def labelled(self, gold: Node, answer: Node) -> bool:
        """Values behind labels in words."""
        if denies(gold) != denies(answer):
            return self.differ("a label that denies its value")
        if isinstance(gold, Labelled) and isinstance(answer, Labelled):
            return same_label(gold.label, answer.label) and self.equal(gold.value, answer.value)
        if isinstance(gold, Labelled):
            return self.equal(gold.value, answer)
        assert isinstance(answer, Labelled)
        return self.equal(gold, answer.value)

    def words(self, gold: Node, answer: Node) -> bool:
        """Words against words, or words that spell a number or a set."""
        if isinstance(gold, Words) and isinstance(answer, Words):
            return canonical_words(gold.text) == canonical_words(answer.text) and self.note("the same words")
        word, other = (gold, answer) if isinstance(gold, Words) else (answer, gold)
        assert isinstance(word, Words)
        if canonical_words(word.text) in _NONE or word.text in EMPTY_WORDS:
            return isinstance(other, Seq) and other.opened == "{" and not other.items
        if canonical_words(word.text) == "infinitely many":
            return other == Sym("oo")
        described = real_set(word)
        if described is not None:
            second = real_set(other)
            return second is not None and self.same_sets(described, second)
        if canonical_words(word.text) in {"positive integers", "all positive integers"}:
            return other == Op("call:^+", (Sym("bb:Z"),))
        if canonical_words(word.text) in {"natural numbers", "all natural numbers"}:
            return other == Sym("bb:N")
        if canonical_words(word.text) in {"all integers", "integers", "any integer"}:
            return (other.args[1] if isinstance(other, Rel) and other.ops == ("in",) else other) == Sym("bb:Z")
        if (part := spelled_fraction(word.text)) is not None:
            return self.scalars(Num(fmpq(*part)), other)
        number = spelled_number(word.text)
        if number is None and isinstance(other, Unit):
            number = ordinal(word.text)
        return number is not None and self.scalars(Num(fmpq(number)), other)


_NONE = frozenset({"no solution", "no real solution", "no integer solution"})


def _numbers(node: Cond, numbers: str) -> str:
    """What a letter runs over; of a sequence, a_n = 2n, or a function of all integers, no other numbering is the same."""
    label = node.value.args[0] if isinstance(node.value, Rel) else None
    indexed = isinstance(label, Op) or (isinstance(label, Sym) and "_" in label.name)
    return "?" if indexed or not _FOR_ALL.isdisjoint(node.text.split()) else numbers


_FOR_ALL = frozenset({"all", "every", "each", "forall"})


def dense(node: Cond) -> bool:
    """Whether what a condition is said of can be nothing but a set with an interval in it, of which it leaves a part."""
    found = real_set(node.value) if isinstance(node.value, Rel) or is_set(node.value) else None
    return found is not None and thinned(found, node.text)


_HOLDERS = (Rel, Labelled, Seq)


def holds_unit(node: Node) -> bool:
    """Whether a quantity with a unit stands in a statement, behind a label or in a list."""
    return isinstance(node, Unit) or (isinstance(node, _HOLDERS) and any(map(holds_unit, children(node))))


def same_digits(gold: Based, answer: Based) -> bool:
    """The same digits in the same base, leading zeros aside."""
    return gold.base == answer.base and gold.digits.lstrip("0") == answer.digits.lstrip("0")
