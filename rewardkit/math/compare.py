"""Compare two trees: kinds first, then members, then values. When unsure, the answers are different."""

from __future__ import annotations

import re
from collections.abc import Iterable

from flint import fmpq

from rewardkit.math.exact import rational
from rewardkit.math.policy import Policy
from rewardkit.math.proof import CONSTANTS, constant_ratio, infinite, real_value, same_value, symbols, working_precision
from rewardkit.math.relations import (
    ContradictionError,
    difference,
    family_letters,
    is_label,
    is_quantity,
    parameters,
    rename,
    value_of,
)
from rewardkit.math.sets import Piece, RealSet, canonical, is_interval, real_set
from rewardkit.math.tree import (
    Based,
    Builder,
    Cond,
    Labelled,
    LimitError,
    Matrix,
    Node,
    Num,
    Op,
    ParseError,
    Ratio,
    Rel,
    Seq,
    SetOp,
    Sym,
    Unit,
    Words,
)
from rewardkit.math.units import conversion, same_unit
from rewardkit.math.vocabulary import word_set
from rewardkit.math.wording import EMPTY_WORDS, canonical_words, ordinal, spelled_number

MAX_ITEMS = 200
"""Longer lists are not compared member by member."""

MAX_COMPARISONS = 20_000
"""So many member comparisons, then the answers are different."""

_COMPARED = {"<", "<=", ">", ">="}


class Comparison:
    """One comparison of a ground truth with an answer under a policy."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.why: list[str] = []
        self.against = ""
        self.undecided = False
        self.budget = MAX_COMPARISONS
        self.depth = 0

    def differ(self, reason: str) -> bool:
        """Remember the first reason why two parts differ."""
        self.against = self.against or reason
        return False

    def note(self, reason: str) -> bool:
        """Remember why two parts are equal."""
        self.why.append(reason)
        return True

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
        gold, answer = _worked_out(spread(gold)), _worked_out(spread(answer))
        if isinstance(gold, Rel) or isinstance(answer, Rel):
            return self.relations(gold, answer)
        if isinstance(gold, Ratio) or isinstance(answer, Ratio):
            return self.ratios(gold, answer)
        if isinstance(gold, Matrix) or isinstance(answer, Matrix):
            return self.matrices(gold, answer)
        if _is_set(gold) or _is_set(answer):
            return self.sets(gold, answer)
        if isinstance(gold, Seq) or isinstance(answer, Seq):
            return self.sequences(gold, answer)
        return self.scalars(gold, answer)

    def bases(self, gold: Node, answer: Node) -> bool:
        """Digits in one base; base ten need not be said."""
        if isinstance(gold, Based) and isinstance(answer, Based):
            return _same_digits(gold, answer) and self.note("equal digits in one base")
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
            if free == {found[0]} and len(spare) == 1 and len(spare[0]) == 1:
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
        stripped = _without_letter_unit(other, unit.unit)
        if stripped is not None:
            other = stripped
        elif policy == "require" and unit.unit not in {"unit", "th"}:
            return False
        if policy != "ignore" and (
            _percent(other) is not None or (_degrees(other) is not None and not unit.unit.startswith("deg"))
        ):
            return False
        if isinstance(other, Words) and (number := spelled_number(other.text) or ordinal(other.text)) is not None:
            other = Num(fmpq(number))
        found = self.equal(other, unit.value) if swapped else self.equal(unit.value, other)
        return found and self.note("a unit was left out")

    def labelled(self, gold: Node, answer: Node) -> bool:
        """Values behind labels in words."""
        if isinstance(gold, Labelled) and isinstance(answer, Labelled):
            return _same_label(gold.label, answer.label) and self.equal(gold.value, answer.value)
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
                return self.equal(value, other) or (label is not None and _approximation(one, other))
            return self.equal(other, value)
        if one.ops == ("in",):
            value = one.args[1]
            return self.equal(value, other) if one is gold else self.equal(other, value)
        if one.ops[-1] == "mod" and len(one.ops) == 2:
            return False
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
        if first is not None and second is not None and self.same_labels(first[0], second[0]):
            left, right = _fresh(first[0], first[1]), _fresh(second[0], second[1])
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
            return not (isinstance(gold, Words) and isinstance(answer, Words)) or _same_label(gold.text, answer.text)
        a, b = parameters(gold), parameters(answer)
        if a is not None and b is not None:
            return len(a) == len(b) and isinstance(gold, Op) and isinstance(answer, Op) and gold.name == answer.name
        if (a is None) != (b is None):
            return isinstance(gold, Sym) or isinstance(answer, Sym)
        if isinstance(gold, Sym) and isinstance(answer, Sym):
            return False
        return self.equal(gold, answer)

    def inequalities(self, gold: Rel, answer: Rel) -> bool:
        """General inequalities: the same direction after moving all to one side, up to a positive factor."""
        if len(gold.ops) == len(answer.ops) == 1 and gold.ops[0] in _COMPARED and answer.ops[0] in _COMPARED:
            first, second = _directed(gold), _directed(answer)
            if first is None or second is None or first[1] != second[1]:
                return False
            return constant_ratio(first[0], second[0], positive=True) and self.note(
                "inequalities up to a positive factor"
            )
        if len(gold.args) != len(answer.args):
            return False
        for candidate in (
            answer,
            Rel(tuple(_FLIP.get(op, op) for op in reversed(answer.ops)), tuple(reversed(answer.args))),
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

    def ratios(self, gold: Node, answer: Node) -> bool:
        """A : b is a/b; longer ratios are proportional."""
        if isinstance(gold, Ratio) and isinstance(answer, Ratio):
            if len(gold.args) != len(answer.args):
                return False
            if any(isinstance(one, Num) and one.value == 0 for one in (*gold.args, *answer.args)):
                return self.in_order(gold.args, answer.args)
            cross = zip(gold.args[1:], answer.args[1:], strict=True)
            return all(
                self.scalars(Op("mul", (gold.args[0], b)), Op("mul", (answer.args[0], a))) for a, b in cross
            ) and self.note("the same ratio")
        ratio, other = (gold, answer) if isinstance(gold, Ratio) else (answer, gold)
        assert isinstance(ratio, Ratio)
        if len(ratio.args) != 2 or not _is_scalar(other):
            return False
        return self.scalars(Op("div", ratio.args), other) and self.note("the ratio as a number")

    def matrices(self, gold: Node, answer: Node) -> bool:
        """Entries in place; a column is a vector."""
        a, b = as_matrix(gold), as_matrix(answer)
        if a is None or b is None:
            vector, other = (a, answer) if a is not None else (b, gold)
            if (
                vector is None
                or not isinstance(other, Seq)
                or other.opened not in {"(", "<", "["}
                or other.closed not in {")", ">", "]"}
            ):
                return False
            if len(vector.rows) != 1 and len(vector.rows[0]) != 1:
                return False
            cells = tuple(cell for row in vector.rows for cell in row)
            return self.in_order(cells, other.items) if a is not None else self.in_order(other.items, cells)
        if a.kind != b.kind or len(a.rows) != len(b.rows) or len(a.rows[0]) != len(b.rows[0]):
            return False
        pairs = zip(a.rows, b.rows, strict=True)
        return all(self.in_order(one, other) for one, other in pairs) and self.note("the same entries")

    def sets(self, gold: Node, answer: Node) -> bool:
        """Unions, set-builders and sets of numbers."""
        if isinstance(gold, Builder) and isinstance(answer, Builder) and len(gold.conditions) == len(answer.conditions):
            names = _renamed_elements(gold.element, answer.element)
            renamed = rename(answer, names)
            if (
                isinstance(renamed, Builder)
                and type(gold.element) is type(renamed.element)
                and self.equal(gold.element, renamed.element)
                and self.any_order(gold.conditions, renamed.conditions)
            ):
                return True
        left, right = real_set(gold), real_set(answer)
        if left is not None and right is not None:
            return self.same_sets(left, right)
        if isinstance(gold, SetOp) and isinstance(answer, SetOp) and gold.name == answer.name:
            return (
                self.any_order(_parts(gold), _parts(answer))
                if gold.name != "minus"
                else self.in_order(gold.args, answer.args)
            )
        return False

    def same_sets(self, gold: RealSet, answer: RealSet) -> bool:
        """The same pieces."""
        if gold.variable and answer.variable and gold.variable != answer.variable:
            return False
        a, b = canonical(gold), canonical(answer)
        if a is None or b is None:
            a, b = gold.pieces, answer.pieces
        if len(a) != len(b):
            return self.differ("another set of numbers")
        left = list(b)
        for piece in a:
            match = next((one for one in left if self.same_piece(piece, one)), None)
            if match is None:
                return self.differ("another set of numbers, or other open and closed ends")
            left.remove(match)
        return self.note("the same set of numbers")

    def same_piece(self, gold: Piece, answer: Piece) -> bool:
        """The same ends, open and closed alike."""
        return (
            gold.low_closed == answer.low_closed
            and gold.high_closed == answer.high_closed
            and self.equal(gold.low, answer.low)
            and self.equal(gold.high, answer.high)
        )

    def sequences(self, gold: Node, answer: Node) -> bool:
        """Tuples, lists, sets."""
        if (
            self.policy.lenient
            and isinstance(gold, Seq)
            and isinstance(answer, Seq)
            and not (is_interval(gold) and is_interval(answer))
            and max(len(gold.items), len(answer.items)) <= MAX_ITEMS
            and self.in_order(gold.items, answer.items)
        ):
            return self.note("equal in order, brackets aside")
        if not isinstance(gold, Seq):
            return self.one_value(gold, answer)
        if not isinstance(answer, Seq):
            items = _distinct(gold, self)
            if len(items) == 1 and gold.opened in {"", "{"} and gold.closed != "]":
                return self.equal(items[0], answer)
            if gold.opened == "[" and len(gold.items) == 1:
                return self.equal(gold.items[0], answer)
            return False
        if len(gold.items) > MAX_ITEMS or len(answer.items) > MAX_ITEMS:
            return False
        if not gold.opened or not answer.opened or gold.opened == "{" or answer.opened == "{":
            return self.lists(gold, answer)
        left, right = as_matrix(gold), as_matrix(answer)
        if left is not None and right is not None:
            return self.matrices(left, right)
        same = (gold.opened, gold.closed) == (answer.opened, answer.closed)
        if not same and (
            is_interval(gold)
            or is_interval(answer)
            or {gold.opened + gold.closed, answer.opened + answer.closed} != {"()", "[]"}
        ):
            return {gold.opened, answer.opened} == {"(", "<"} and self.in_order(gold.items, answer.items)
        if self.policy.order == "ignore" and (gold.opened, answer.opened) == ("(", "("):
            return self.any_order(gold.items, answer.items)
        return self.in_order(gold.items, answer.items) and self.note("equal member by member")

    def one_value(self, gold: Node, answer: Node) -> bool:
        """A gold of one value against a list: equal only if all its members are that value."""
        if not isinstance(answer, Seq) or not answer.items:
            return False
        if answer.opened in {"", "{", "["} and len(answer.items) <= MAX_ITEMS and not is_interval(answer):
            if all(self.equal(gold, one) for one in answer.items):
                return True
            return len(answer.items) > 1 and self.differ(f"{len(answer.items)} answers where the ground truth has one")
        return self.differ("a tuple or an interval where the ground truth is one value")

    def lists(self, gold: Seq, answer: Seq) -> bool:
        """At least one side is a plain list or a set."""
        if not self.same_tails(gold, answer):
            return False
        if {gold.opened, answer.opened} == {"", "{"} or (gold.opened == answer.opened and gold.opened in {"", "{"}):
            first, second = unlabelled(gold), unlabelled(answer)
            if self.by_label(first, second):
                return True
            if _stems(first) != _stems(second) and None not in _stems(first) | _stems(second):
                return False
            left, right = _values(gold, first), _values(answer, second)
            if _ordered_labels(first) != _ordered_labels(second) or self.policy.order == "strict":
                return self.in_order(left, right) and self.note("equal in the order given")
            if _ordered_labels(first):
                return False
            if gold.opened == "{" or answer.opened == "{":
                return self.any_order(_distinct(Seq("", "", left), self), _distinct(Seq("", "", right), self))
            if self.any_order(left, right):
                return self.note("the same members")
            sets = real_set(gold), real_set(answer)
            if sets[0] is not None and sets[1] is not None and _says_sets(gold) and _says_sets(answer):
                return self.same_sets(sets[0], sets[1])
            return False
        plain, other = (gold, answer) if not gold.opened or gold.opened == "{" else (answer, gold)
        sets = real_set(gold), real_set(answer)
        if sets[0] is not None and sets[1] is not None and any(isinstance(bare(one), Rel) for one in plain.items):
            return self.same_sets(sets[0], sets[1])
        if plain.opened == "{":
            return False
        labels = unlabelled(plain)
        ordered = _ordered_labels(labels)
        if other.opened == "[" and len(other.items) > 1 and not ordered and not is_interval(other):
            return self.any_order(gold.items, answer.items)
        if not ordered and len(plain.items) < 3 and plain is answer:
            return False
        if plain is answer and not ordered and plain.either:
            return False
        left, right = (_values(plain, labels), other.items) if plain is gold else (other.items, _values(plain, labels))
        return (other.opened, other.closed) in {("(", ")"), ("[", "]"), ("<", ">")} and self.in_order(left, right)

    def same_tails(self, gold: Seq, answer: Seq) -> bool:
        """Whether the conditions that members carry agree, as `conditions` has it."""
        left, right = ([one for one in node.items if isinstance(one, Cond)] for node in (gold, answer))
        if left and right:
            if [one.text for one in left] == [one.text for one in right]:
                return True
            domains = {domain(one.text) for one in (*left, *right)}
            return None not in domains and len({found[1] for found in domains if found and found[1]}) <= 1
        return all(one.universal and re.search(r"[2-9]|\d\d", one.text) is None for one in left + right)

    def by_label(self, gold: list[tuple[Node | None, Node]], answer: list[tuple[Node | None, Node]]) -> bool:
        """Both sides name all their values, with different names: compare under each name."""
        if not (_ordered_labels(gold) and _ordered_labels(answer)) or len(gold) != len(answer):
            return False
        left = list(answer)
        for label, value in gold:
            match = next((one for one in left if self.same_names(label, one[0]) and self.equal(value, one[1])), None)
            if match is None:
                return False
            left.remove(match)
        return self.note("equal under each label")

    def same_names(self, gold: Node | None, answer: Node | None) -> bool:
        """The same label."""
        if isinstance(gold, Words) and isinstance(answer, Words):
            return _same_label(gold.text, answer.text)
        return gold == answer or (
            isinstance(gold, Op)
            and isinstance(answer, Op)
            and gold.name == answer.name
            and parameters(gold) is not None
        )

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

    # -- scalars ------------------------------------------------------------------------------------------------------

    def scalars(self, gold: Node, answer: Node) -> bool:
        """Two numbers or expressions."""
        if not (_is_scalar(gold) and _is_scalar(answer)):
            return False
        apart = not self.policy.degrees_as_radians and (_degrees(gold) is None) != (_degrees(answer) is None)
        if not apart and self.values(gold, answer):
            return True
        if self.percents(gold, answer) or self.degrees(gold, answer):
            return True
        return self.tolerated(gold, answer)

    def values(self, gold: Node, answer: Node) -> bool:
        """Equal by exact arithmetic or proof."""
        try:
            found = same_value(_radians(gold), _radians(answer))
        except (ParseError, ZeroDivisionError):
            return False
        if found is None and self.policy.slow:
            from rewardkit.math.slow import simplified_equal

            if simplified_equal(gold, answer):
                return self.note("sympy simplifies the difference to 0")
        if found is None:
            self.undecided = True
        if found:
            free = (symbols(gold) | symbols(answer)) - CONSTANTS
            exact = not free and _exactly(gold) and _exactly(answer)
            return self.note(
                "equal as rationals" if exact else "equal as expressions" if free else "equal to 48 digits and more"
            )
        if (names := _shift_letters(gold, answer)) is not None:
            return self.values(gold, rename(answer, names)) and self.note("the integer parameter renamed")
        return False

    def percents(self, gold: Node, answer: Node) -> bool:
        """A percent sign left out, where the policy lets it."""
        if self.policy.percent != "optional":
            return False
        one, other = _percent(gold), _percent(answer)
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
        one, other = _degrees(gold), _degrees(answer)
        if (one is None) == (other is None) or self.policy.units == "require":
            return False
        number = one if one is not None else other
        assert number is not None
        if "pi" in symbols(gold) | symbols(answer):
            return False
        return self.values(number, answer) if one is not None else self.values(gold, number)

    def tolerated(self, gold: Node, answer: Node) -> bool:
        """Close enough, where the policy says how close."""
        rtol = self.policy.rtol
        if not rtol and not self.policy.gold_digits and not self.policy.lenient:
            return False
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


def bare(node: Node) -> Node:
    """`node` without conditions that only say over what letters run."""
    while True:
        if isinstance(node, Cond) and node.universal:
            node = node.value
        elif isinstance(node, Seq) and not node.opened and len(node.items) == 1:
            node = node.items[0]
        else:
            return node


def single(node: Node) -> Node:
    """`node` without a list of one around it."""
    while isinstance(node, Seq) and not node.opened and len(node.items) == 1:
        node = node.items[0]
    return node


_DOMAIN_WORDS = {"integer": "Z", "integers": "Z", "bb:Z": "Z", "bb:R": "R", "real": "R", "reals": "R", "natural": "N", "bb:N": "N", "bb:Q": "Q",
                 "rational": "Q", "rationals": "Q", "bb:C": "C", "complex": "C"}  # fmt: skip
_DOMAIN_REST = word_set(
    "for all any every each some where with is an are a in number numbers forall and , ( ) over given that"
)


def domain(text: str) -> tuple[str, str] | None:
    """(letter, set) of a condition that only says "k is an integer"; None where it says more."""
    letter = found = ""
    for word in text.split():
        if word in _DOMAIN_WORDS:
            if found and found != _DOMAIN_WORDS[word]:
                return None
            found = _DOMAIN_WORDS[word]
        elif len(word) == 1 and word.isalpha() and word != "a":
            if letter and letter != word:
                return None
            letter = word
        elif word not in _DOMAIN_REST:
            return None
    return letter, found


def spread(node: Node) -> Node:
    """Plus-minus written out: 1 ± 2 is the list -1, 3; in a list each member is written out."""
    if isinstance(node, Op) and _has_sign(node):
        return Seq("", "", (_signed(node, 1), _signed(node, -1)))
    if isinstance(node, Rel) and node.ops == ("=",) and _has_sign(node.args[1]) and is_label(node.args[0]):
        return Seq(
            "",
            "",
            (
                Rel(("=",), (node.args[0], _signed(node.args[1], 1))),
                Rel(("=",), (node.args[0], _signed(node.args[1], -1))),
            ),
        )
    if isinstance(node, Seq) and node.opened in {"", "{"} and any(_has_sign(bare(one)) for one in node.items):
        items: list[Node] = []
        for one in node.items:
            wide = spread(bare(one))
            items.extend(wide.items if isinstance(wide, Seq) and not wide.opened else (wide,))
        return Seq(node.opened, node.closed, tuple(items), node.either)
    if isinstance(node, Seq) and node.opened == "(" and any(_has_sign(one) for one in node.items):
        return Seq("", "", (_signed(node, 1), _signed(node, -1)))
    return node


def as_matrix(node: Node) -> Matrix | None:
    """A matrix, also one written as a list of lists."""
    if isinstance(node, Matrix):
        return node
    if isinstance(node, Op):
        return _matrix_value(node)
    if isinstance(node, Seq) and (node.opened, node.closed) == ("[", "]") and node.items:
        rows: list[tuple[Node, ...]] = []
        for one in node.items:
            if not (isinstance(one, Seq) and (one.opened, one.closed) == ("[", "]") and one.items):
                return None
            rows.append(one.items)
        return Matrix("matrix", tuple(rows)) if len({len(row) for row in rows}) == 1 else None
    return None


def _matrix_value(node: Op) -> Matrix | None:
    """Sums, products and multiples of matrices, worked out."""
    parts = [as_matrix(one) if isinstance(one, Matrix | Op) else None for one in node.args]
    if not any(parts) or len(parts) > 2:
        return None
    first = parts[0]
    if node.name == "neg" and first is not None:
        return _scaled(first, Num(fmpq(-1)))
    second = parts[1] if len(parts) == 2 else None
    if node.name == "add" and first is not None and second is not None and _shape(first) == _shape(second):
        pairs = zip(first.rows, second.rows, strict=True)
        return Matrix("matrix", tuple(tuple(Op("add", both) for both in zip(a, b, strict=True)) for a, b in pairs))
    if node.name == "div" and first is not None and second is None:
        return _scaled(first, Op("div", (Num(fmpq(1)), node.args[1])))
    if node.name == "mul" and (first is None or second is None):
        return (
            _scaled(first, node.args[1])
            if first is not None
            else _scaled(second, node.args[0])
            if second is not None
            else None
        )
    if node.name == "mul" and first is not None and second is not None and _shape(first)[1] == _shape(second)[0] <= 8:
        columns = tuple(zip(*second.rows, strict=True))
        return Matrix("matrix", tuple(tuple(_dot(row, column) for column in columns) for row in first.rows))
    return None


def _worked_out(node: Node) -> Node:
    return (
        (_matrix_value(node) or node)
        if isinstance(node, Op) and any(isinstance(one, Matrix | Op) for one in node.args) and _holds_matrix(node)
        else node
    )


def _holds_matrix(node: Node) -> bool:
    return isinstance(node, Matrix) or (
        isinstance(node, Op) and node.name in {"add", "mul", "neg", "div"} and any(map(_holds_matrix, node.args))
    )


def _shape(node: Matrix) -> tuple[int, int]:
    return len(node.rows), len(node.rows[0])


def _scaled(node: Matrix, factor: Node) -> Matrix:
    return Matrix(node.kind, tuple(tuple(Op("mul", (factor, cell)) for cell in row) for row in node.rows))


def _dot(left: tuple[Node, ...], right: tuple[Node, ...]) -> Node:
    total: Node = Num(fmpq(0))
    for a, b in zip(left, right, strict=True):
        total = Op("add", (total, Op("mul", (a, b))))
    return total


def unlabelled(node: Seq) -> list[tuple[Node | None, Node]]:
    """(label, value) of each member; one label in front of several values is theirs."""
    found: list[tuple[Node | None, Node]] = []
    for item in node.items:
        one = bare(item)
        if (
            isinstance(one, Rel)
            and one.ops == ("=",)
            and is_label(one.args[0])
            and not (symbols(one.args[0]) & symbols(one.args[1]) - CONSTANTS)
        ):
            found.append((one.args[0], one.args[1]))
        elif (
            isinstance(one, Rel)
            and len(one.ops) == 2
            and one.ops == ("=", "=")
            and is_label(one.args[0])
            and is_label(one.args[1])
        ):
            found.extend(((one.args[0], one.args[2]), (one.args[1], one.args[2])))
        elif isinstance(one, Labelled):
            found.append((Words(one.label), one.value))
        elif (isinstance(one, Rel) and one.ops == ("=",) and parameters(one.args[0]) is not None) or (
            isinstance(one, Rel)
            and one.ops == ("=",)
            and is_quantity(one.args[0])
            and not symbols(one.args[1]) - CONSTANTS
        ):
            found.append((one.args[0], one.args[1]))
        else:
            found.append((None, one))
    found = [(label, _fresh(label, value)) for label, value in found]
    if found and found[0][0] is not None and all(label is None for label, _ in found[1:]):
        label = found[0][0]
        found = [(label, value) for _, value in found]
    return found


def _values(node: Seq, labels: list[tuple[Node | None, Node]]) -> tuple[Node, ...]:
    """The values where every member has a label (or none has), else the members as they stand."""
    named = [label is not None for label, _ in labels]
    if all(named) or not any(named):
        return tuple(value for _, value in labels)
    return node.items


def _ordered_labels(labels: list[tuple[Node | None, Node]]) -> bool:
    """Whether the members carry different names (x = 1, y = 2), so that their order means something."""
    names = [label for label, _ in labels]
    if len(names) < 2 or any(name is None for name in names):
        return False
    stems = {_stem(name) for name in names if name is not None}
    return len(stems) > 1


def _stems(labels: list[tuple[Node | None, Node]]) -> set[str | None]:
    return {None if label is None else _stem(label) for label, _ in labels}


def _stem(label: Node) -> str:
    if isinstance(label, Sym):
        return re.sub(r"_?\d+$", "", label.name)
    if parameters(label) is not None and isinstance(label, Op):
        return label.name
    return repr(label)


def _renamed_elements(gold: Node, answer: Node) -> dict[str, str]:
    """The bound letters of a set-builder, renamed in the order of their names."""
    left, right = (sorted(one for one in symbols(node) - CONSTANTS if ":" not in one) for node in (gold, answer))
    return dict(zip(right, left, strict=True)) if len(left) == len(right) else {}


def _distinct(node: Seq, comparison: Comparison) -> tuple[Node, ...]:
    kept: list[Node] = []
    for one in node.items[:MAX_ITEMS]:
        if not any(comparison.equal(other, one) for other in kept):
            kept.append(one)
    return tuple(kept)


def _same_digits(gold: Based, answer: Based) -> bool:
    return gold.base == answer.base and gold.digits.lstrip("0") == answer.digits.lstrip("0")


def _same_label(gold: str, answer: str) -> bool:
    a, b = canonical_words(gold), canonical_words(answer)
    return a == b or (len(a) >= 3 and len(b) >= 3 and (a.startswith(b) or b.startswith(a)))


def _fresh(label: Node | None, value: Node) -> Node:
    """The body of a function with its parameters renamed by their place."""
    names = parameters(label)
    return rename(value, {name: f"parameter:{index}" for index, name in enumerate(names)}) if names else value


def _approximation(gold: Rel, other: Node) -> bool:
    return (
        "approx" in gold.ops
        and isinstance(other, Num)
        and any(isinstance(one, Num) and one.value == other.value for one in gold.args)
    )


_FLIP = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _directed(node: Rel) -> tuple[Node, str] | None:
    """An inequality as "... > 0" or "... >= 0"."""
    op = node.ops[0]
    flipped = node if op[0] == ">" else Rel((_FLIP[op],), (node.args[1], node.args[0]))
    left, right = flipped.args
    if isinstance(left, Seq | Words | SetOp) or isinstance(right, Seq | Words | SetOp):
        return None
    return Op("add", (left, Op("neg", (right,)))), flipped.ops[0]


def _is_set(node: Node) -> bool:
    if isinstance(node, SetOp | Builder) or (isinstance(node, Sym) and node.name == "bb:R"):
        return True
    if isinstance(node, Op) and node.name == "add":
        return real_set(node) is not None
    if isinstance(node, Seq):
        if node.opened in {"(", "["}:
            return (
                is_interval(node)
                and (node.opened, node.closed) != ("(", ")")
                and (node.opened, node.closed) != ("[", "]")
            )
        return (
            node.either
            and any(isinstance(bare(one), Rel) for one in node.items)
            and real_set(node) is not None
            and not _all_points(node)
        )
    return False


def _says_sets(node: Seq) -> bool:
    """Whether every member can be nothing but a set: an inequality, a half-open or unbounded interval."""
    return all(
        isinstance(one := bare(item), Rel | SetOp)
        or _is_set(one)
        or (is_interval(one) and isinstance(one, Seq) and any(infinite(end) for end in one.items))
        for item in node.items
    )


def _all_points(node: Seq) -> bool:
    return all(isinstance(one := bare(item), Rel) and one.ops == ("=",) for item in node.items)


def _parts(node: SetOp) -> tuple[Node, ...]:
    found: list[Node] = []
    for one in node.args:
        if isinstance(one, SetOp) and one.name == node.name:
            found.extend(_parts(one))
        else:
            found.append(one)
    return tuple(found)


def _is_scalar(node: Node) -> bool:
    return isinstance(node, Num | Sym | Op | Ratio)


def _has_sign(node: Node) -> bool:
    if isinstance(node, Op):
        return node.name in {"pm", "mp"} or any(_has_sign(one) for one in node.args)
    if isinstance(node, Rel):
        return node.ops == ("=",) and is_label(node.args[0]) and _has_sign(node.args[1])
    return isinstance(node, Seq) and node.opened == "(" and any(_has_sign(one) for one in node.items)


def _signed(node: Node, sign: int) -> Node:
    if isinstance(node, Op):
        args = tuple(_signed(one, sign) for one in node.args)
        if node.name in {"pm", "mp"}:
            plus = (node.name == "pm") == (sign > 0)
            return Op("add", (args[0], args[1] if plus else Op("neg", (args[1],))))
        return Op(node.name, args)
    if isinstance(node, Seq):
        return Seq(node.opened, node.closed, tuple(_signed(one, sign) for one in node.items), node.either)
    return node


def _percent(node: Node) -> Node | None:
    if isinstance(node, Op):
        if node.name == "pct":
            return node.args[0]
        if node.name == "neg" and (inside := _percent(node.args[0])) is not None:
            return Op("neg", (inside,))
    return None


def _degrees(node: Node) -> Node | None:
    if isinstance(node, Op):
        if node.name == "deg":
            return node.args[0]
        if node.name in {"neg", "add"}:
            inside = [_degrees(one) for one in node.args]
            if all(one is not None for one in inside):
                return Op(node.name, tuple(one for one in inside if one is not None))
        if node.name == "mul" and (last := _degrees(node.args[1])) is not None:
            return Op("mul", (node.args[0], last))
    return None


def _radians(node: Node) -> Node:
    return node


def _exactly(node: Node) -> bool:
    try:
        return rational(node) is not None
    except (ZeroDivisionError, LimitError):
        return False


def _shift_letters(gold: Node, answer: Node) -> dict[str, str] | None:
    a, b = family_letters(gold), family_letters(answer)
    if len(a) == len(b) == 1 and a != b and a[0] not in symbols(answer) and b[0] not in symbols(gold):
        return {b[0]: a[0]}
    return None


def _without_letter_unit(node: Node, unit: str) -> Node | None:
    """3 m with m read as a variable, against a value in metres."""
    if isinstance(node, Op) and node.name == "mul":
        last = node.args[1]
        if isinstance(last, Sym) and last.name == unit:
            return node.args[0]
        if (
            isinstance(last, Op)
            and last.name == "pow"
            and isinstance(last.args[0], Sym)
            and isinstance(last.args[1], Num)
            and f"{last.args[0].name}^{last.args[1].value}" == unit
        ):
            return node.args[0]
    return None
