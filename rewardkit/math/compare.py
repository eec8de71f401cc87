"""Compare two trees: kinds first, then members, then values. When unsure, the answers are different."""

from __future__ import annotations

import re

from flint import fmpq

from rewardkit.math.exact import rational
from rewardkit.math.labels import approximation, domain, fresh, same_label
from rewardkit.math.members import Members, is_set
from rewardkit.math.named import length, point, reindexed
from rewardkit.math.proof import CONSTANTS, constant_ratio, symbols
from rewardkit.math.relations import (
    ContradictionError,
    difference,
    is_label,
    parameters,
    rename,
    value_of,
)
from rewardkit.math.sets import real_set
from rewardkit.math.shapes import (
    degrees_of,
    determinant,
    is_scalar,
    percent_of,
    single,
    spread,
    without_letter_unit,
    worked_out,
)
from rewardkit.math.tree import (
    Based,
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
    SetOp,
    Sym,
    Unit,
    Words,
)
from rewardkit.math.units import conversion, same_unit
from rewardkit.math.walk import facts
from rewardkit.math.wording import EMPTY_WORDS, canonical_words, ordinal, spelled_fraction, spelled_number

_VALUES = (Num, Op)
_COMPARED = {"<", "<=", ">", ">="}


class Comparison(Members):
    """One comparison of a ground truth with an answer under a policy."""

    def equal(self, gold: Node, answer: Node) -> bool:
        """Whether `answer` is `gold`."""
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
        if isinstance(gold, _VALUES) and isinstance(answer, _VALUES) and _plain(gold) and _plain(answer):
            return self.note("equal expressions") if gold == answer else self.scalars(gold, answer)
        gold, answer = single(gold), single(answer)
        if isinstance(gold, Cond) or isinstance(answer, Cond):
            return self.conditions(gold, answer)
        if gold == answer and not isinstance(gold, Rel):
            return self.note("equal expressions")
        if isinstance(gold, Based) or isinstance(answer, Based):
            return self.bases(gold, answer)
        if isinstance(gold, Unit) or isinstance(answer, Unit):
            return self.units(gold, answer)
        if isinstance(gold, Labelled) or isinstance(answer, Labelled):
            return self.labelled(gold, answer)
        if isinstance(gold, Words) or isinstance(answer, Words):
            return self.words(gold, answer)
        gold, answer = worked_out(spread(gold)), worked_out(spread(answer))
        if isinstance(gold, Rel) or isinstance(answer, Rel):
            return self.relations(gold, answer)
        if isinstance(gold, Ratio) or isinstance(answer, Ratio):
            return self.ratios(gold, answer)
        if isinstance(gold, Matrix) or isinstance(answer, Matrix):
            if is_scalar(gold) or is_scalar(answer):
                gold, answer = determinant(gold), determinant(answer)
            if is_scalar(gold) and is_scalar(answer):
                return self.scalars(gold, answer)
            return self.matrices(gold, answer)
        if is_set(gold) or is_set(answer):
            return self.sets(gold, answer)
        if isinstance(gold, Seq) or isinstance(answer, Seq):
            return self.sequences(point(gold), point(answer))
        return self.scalars(gold, answer)

    def bases(self, gold: Node, answer: Node) -> bool:
        """Digits in one base; base ten need not be said."""
        if isinstance(gold, Based) and isinstance(answer, Based):
            return same_digits(gold, answer) and self.note("equal digits in one base")
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
                return gold.text == answer.text and self.equal(gold.value, answer.value)
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
            return self.equal(gold.value, value)
        one, other = (gold, answer) if isinstance(gold, Cond) else (answer, gold)
        assert isinstance(one, Cond)
        if not (one.universal and re.search(r"[2-9]|\d\d", one.text) is None):
            return False
        found = domain(one.text)
        if found is not None and found[0] and found[1] == "Z":
            body = other.args[-1] if isinstance(other, Rel) and is_label(other.args[0]) else other
            free = symbols(one.value) - symbols(body) - CONSTANTS
            spare = sorted(symbols(body) - symbols(one.value) - CONSTANTS)
            if set(free) == {found[0]} and len(spare) == 1 and len(spare[0]) == 1:
                other = rename(other, {spare[0]: found[0]})
        return self.equal(one.value, other) if one is gold else self.equal(other, one.value)

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
        stripped = without_letter_unit(other, unit.unit)
        if stripped is not None:
            other = stripped
        elif policy == "require" and unit.unit not in {"unit", "th"}:
            return False
        shown = other.args[-1] if isinstance(other, Rel) and other.ops == ("=",) else other
        if unit.unit == "rad" and degrees_of(shown) is not None:
            return self.policy.degrees_as_radians and self.values(shown, unit.value)
        if policy != "ignore" and (
            percent_of(shown) is not None or (degrees_of(shown) is not None and not unit.unit.startswith("deg"))
        ):
            return False
        if isinstance(other, Words) and (number := spelled_number(other.text) or ordinal(other.text)) is not None:
            other = Num(fmpq(number))
        found = self.equal(other, unit.value) if swapped else self.equal(unit.value, other)
        return found and self.note("a unit was left out")

    def labelled(self, gold: Node, answer: Node) -> bool:
        """Values behind labels in words."""
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
        if canonical_words(word.text) == "no solution" or word.text in EMPTY_WORDS:
            return isinstance(other, Seq) and other.opened == "{" and not other.items
        described = real_set(word)
        if described is not None:
            second = real_set(other)
            return second is not None and self.same_sets(described, second)
        if canonical_words(word.text) in {"all integers", "integers", "any integer"}:
            return (other.args[1] if isinstance(other, Rel) and other.ops == ("in",) else other) == Sym("bb:Z")
        if (part := spelled_fraction(word.text)) is not None:
            return self.scalars(Num(fmpq(*part)), other)
        number = spelled_number(word.text)
        if number is None and isinstance(other, Unit):
            number = ordinal(word.text)
        return number is not None and self.scalars(Num(fmpq(number)), other)

    # -- relations --------------------------------------------------------------------------------------------------

    def relations(self, gold: Node, answer: Node) -> bool:
        """Equations, inequalities, memberships, congruences."""
        if isinstance(gold, Rel) and isinstance(answer, Rel):
            return self.two_relations(gold, answer)
        one, other = (gold, answer) if isinstance(gold, Rel) else (answer, gold)
        assert isinstance(one, Rel)
        stated = value_of(one, Comparison(self.policy).equal, quantities=one is answer)
        if stated is not None:
            label, value = stated
            if isinstance(other, Seq) and other.either and not isinstance(value, Seq):
                return False
            if one is gold:
                return self.equal(value, other) or (label is not None and approximation(one, other))
            return self.equal(other, value)
        if one.ops == ("in",):
            value = one.args[1]
            return self.equal(value, other) if one is gold else self.equal(other, value)
        if one.ops[-1] == "mod" and len(one.ops) == 2:
            if not (isinstance(other, Op) and other.name == "modclass"):
                return False
            bare = Rel(one.ops, (one.args[0], *other.args))
            return (
                self.congruences(gold, bare) if one is gold and isinstance(gold, Rel) else self.congruences(bare, one)
            )
        left, right = real_set(gold), real_set(answer)
        if left is not None and right is not None and self.policy.intervals_as_inequalities:
            return self.same_sets(left, right)
        return False

    def value(self, node: Rel) -> tuple[Node | None, Node] | None:
        """(label, value) that a chain states."""
        return value_of(node, Comparison(self.policy).equal)

    def two_relations(self, gold: Rel, answer: Rel) -> bool:
        """Two relations."""
        if gold == answer and self.holds(gold):
            return self.note("the same relation")
        if gold.ops == answer.ops and gold.ops[-1] == "mod":
            return self.congruences(gold, answer)
        if gold.ops == answer.ops == ("in",) or "in" in {gold.ops[0], answer.ops[0]}:
            left, right = real_set(gold), real_set(answer)
            if left is not None and right is not None:
                return self.same_sets(left, right)
            if gold.ops == answer.ops == ("in",):
                return self.equal(gold.args[0], answer.args[0]) and self.equal(gold.args[1], answer.args[1])
            return False
        equations = set(gold.ops) <= {"=", "approx"} and set(answer.ops) <= {"=", "approx"}
        if equations:
            return self.equations(gold, answer)
        left, right = real_set(gold), real_set(answer)
        if left is not None and right is not None:
            return self.same_sets(left, right)
        return self.inequalities(gold, answer)

    def holds(self, node: Rel) -> bool:
        """Whether a chain of equalities is not plainly false."""
        try:
            self.value(node)
        except ContradictionError:
            return False
        return True

    def equations(self, gold: Rel, answer: Rel) -> bool:
        """Two equations: values under one label, or one a nonzero multiple of the other."""
        first, second = self.value(gold), self.value(answer)
        if first is not None and second is not None:
            second = reindexed(first[0], second[0], second[1])
        if first is not None and second is not None and self.same_labels(first[0], second[0]):
            left, right = first[1], second[1]
            if parameters(first[0]) is not None and parameters(second[0]) is not None:
                left, right = fresh(first[0], left), fresh(second[0], right)
            if self.equal(left, right):
                return True
            if first[0] is not None and first[0] == second[0]:
                return False
        if len(gold.ops) == len(answer.ops) == 1:
            a, b = difference(gold), difference(answer)
            if a is not None and b is not None:
                return constant_ratio(a, b) and self.note("equations up to a factor")
        if len(gold.args) == len(answer.args):
            pairs = zip(gold.args, answer.args, strict=True)
            return gold.ops == answer.ops and all(self.equal(one, other) for one, other in pairs)
        return False

    def same_labels(self, gold: Node | None, answer: Node | None) -> bool:
        """Whether two labels can name the same thing: f(x) and f(z), y and f(x), an unlabelled value."""
        if gold is None or answer is None or gold == answer:
            return True
        if isinstance(gold, Words) or isinstance(answer, Words):
            return not (isinstance(gold, Words) and isinstance(answer, Words)) or same_label(gold.text, answer.text)
        a, b = parameters(gold), parameters(answer)
        if a is not None and b is not None:
            return len(a) == len(b) and isinstance(gold, Op) and isinstance(answer, Op) and gold.name == answer.name
        if (a is None) != (b is None):
            name = gold if isinstance(gold, Sym) else answer
            return isinstance(name, Sym) and name.name not in (a or b or ())
        if isinstance(gold, Sym) and isinstance(answer, Sym):
            return False
        return self.equal(length(gold), length(answer))

    def inequalities(self, gold: Rel, answer: Rel) -> bool:
        """General inequalities: the same direction after moving all to one side, up to a positive factor."""
        if len(gold.ops) == len(answer.ops) == 1 and gold.ops[0] in _COMPARED and answer.ops[0] in _COMPARED:
            first, second = directed(gold), directed(answer)
            if first is None or second is None or first[1] != second[1]:
                return False
            return constant_ratio(first[0], second[0], positive=True) and self.note(
                "inequalities up to a positive factor"
            )
        if len(gold.args) != len(answer.args):
            return False
        for candidate in (
            answer,
            Rel(tuple(FLIP.get(op, op) for op in reversed(answer.ops)), tuple(reversed(answer.args))),
        ):
            if gold.ops == candidate.ops:
                pairs = zip(gold.args, candidate.args, strict=True)
                if all(self.equal(one, other) for one, other in pairs):
                    return True
        return False

    def congruences(self, gold: Rel, answer: Rel) -> bool:
        """X = a (mod m): the same modulus, residues equal modulo it."""
        if not self.equal(gold.args[2], answer.args[2]) or not self.equal(gold.args[0], answer.args[0]):
            return False
        a, b, m = rational(gold.args[1]), rational(answer.args[1]), rational(gold.args[2])
        if a is None or b is None or m is None or m == 0:
            return self.equal(gold.args[1], answer.args[1])
        return ((a - b) / m).q == 1 and self.note("the same residue")

    # -- ratios, matrices, sets, sequences ----------------------------------------------------------------------------

    # -- scalars ------------------------------------------------------------------------------------------------------


def _plain(node: Num | Op) -> bool:
    """Whether `node` is one number or expression in all readings: no plus-minus, no set of numbers, no matrix."""
    if isinstance(node, Num):
        return True
    found = facts(node)
    return found.plain and found.operations.isdisjoint({"pm", "mp"}) and "bb:R" not in found.names


def same_digits(gold: Based, answer: Based) -> bool:
    """The same digits in the same base, leading zeros aside."""
    return gold.base == answer.base and gold.digits.lstrip("0") == answer.digits.lstrip("0")


FLIP = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def directed(node: Rel) -> tuple[Node, str] | None:
    """An inequality as "... > 0" or "... >= 0"."""
    op = node.ops[0]
    flipped = node if op[0] == ">" else Rel((FLIP[op],), (node.args[1], node.args[0]))
    left, right = flipped.args
    if isinstance(left, Seq | Words | SetOp) or isinstance(right, Seq | Words | SetOp):
        return None
    return Op("add", (left, Op("neg", (right,)))), flipped.ops[0]
