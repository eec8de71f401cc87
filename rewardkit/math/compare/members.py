"""Compare what has members: tuples, lists, sets, intervals, ratios."""

from __future__ import annotations

from rewardkit.math.compare.families import LETTERS
from rewardkit.math.compare.inequalities import Piece, RealSet, canonical
from rewardkit.math.compare.labels import (
    domain,
    ordered_labels,
    renamed_elements,
    same_label,
    stems,
    unlabelled,
    values_of,
)
from rewardkit.math.compare.names import parameters
from rewardkit.math.compare.sets import is_interval, is_set, real_set
from rewardkit.math.compare.shapes import as_matrix, bare, is_scalar, parts_of
from rewardkit.math.compare.values import MAX_ITEMS, Matrices
from rewardkit.math.latex.tree import Builder, Cond, Node, Num, Op, Ratio, Rel, Seq, SetOp, Sym, Unit, Words
from rewardkit.math.latex.vocabulary import UNNAMED
from rewardkit.math.latex.walk import CONSTANTS, infinite, rename, symbols
from rewardkit.math.text.words import says_more


class Members(Matrices):
    """The judgement of two structures, member by member."""

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
        if len(ratio.args) != 2 or not is_scalar(other):
            return False
        return self.scalars(Op("div", ratio.args), other) and self.note("the ratio as a number")

    def sets(self, gold: Node, answer: Node) -> bool:
        """Unions, set-builders and sets of numbers."""
        if (
            isinstance(gold, Builder)
            and isinstance(answer, Builder)
            and len(gold.conditions) == len(answer.conditions)
            and gold.either == answer.either
        ):
            names = renamed_elements(gold.element, answer.element)
            if not (names.keys() ^ names.values()).isdisjoint(symbols(gold) & symbols(answer)):
                return self.differ("a letter that means another thing in the conditions")
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
                self.any_order(parts_of(gold), parts_of(answer))
                if gold.name != "minus"
                else self.in_order(gold.args, answer.args)
            )
        return False

    def same_sets(self, gold: RealSet, answer: RealSet) -> bool:
        """The same pieces."""
        if (
            gold.variable
            and answer.variable
            and gold.variable != answer.variable
            and UNNAMED not in {gold.variable, answer.variable}
        ):
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
        closed = gold.low_closed == answer.low_closed and gold.high_closed == answer.high_closed
        return closed and self.in_order((gold.low, gold.high), (answer.low, answer.high))

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
            items = self.distinct(gold)
            if len(items) == 1 and gold.opened in {"", "{"} and gold.closed != "]":
                return self.equal(items[0], answer)
            if gold.opened == "[" and len(gold.items) == 1:
                return self.equal(gold.items[0], answer)
            return False
        if len(gold.items) > MAX_ITEMS or len(answer.items) > MAX_ITEMS:
            return False
        if len(gold.items) == 1 and gold.opened == "{" and answer.opened == "(" and isinstance(gold.items[0], Seq):
            return self.equal(gold.items[0], answer)
        if len(answer.items) == 1 and answer.opened == "{" and gold.opened == "(" and isinstance(answer.items[0], Seq):
            return self.equal(gold, answer.items[0])
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
            return (
                "<" in {gold.opened, answer.opened}
                and {gold.closed, answer.closed} <= {">", ")", "]"}
                and self.in_order(gold.items, answer.items)
            )
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
        if "{" in {gold.opened, answer.opened} and _inner_sets(gold) != _inner_sets(answer):
            return self.differ("a set of sets is not a set of their members")
        if {gold.opened, answer.opened} <= {"", "{"}:
            return self.bare_lists(gold, answer)
        plain, other = (gold, answer) if not gold.opened or gold.opened == "{" else (answer, gold)
        sets = real_set(gold), real_set(answer)
        if sets[0] is not None and sets[1] is not None and any(isinstance(bare(one), Rel) for one in plain.items):
            return self.same_sets(sets[0], sets[1])
        if plain.opened == "{":
            return False
        return self.list_and_tuple(plain, other, given=plain is gold)

    def bare_lists(self, gold: Seq, answer: Seq) -> bool:
        """Two lists or sets, in any order unless their labels give them one."""
        first, second = unlabelled(gold), unlabelled(answer)
        if (
            reason := _joined_otherwise(gold, answer, labelled=ordered_labels(first) or ordered_labels(second))
        ) is not None:
            return self.differ(reason)
        if self.by_label(first, second):
            return True
        if _repeats_name(first) != _repeats_name(second):
            return self.differ("one name has several values")
        if stems(first) != stems(second) and None not in stems(first) | stems(second):
            return False
        left, right = values_of(gold, first), values_of(answer, second)
        in_order = ordered_labels(first) != ordered_labels(second) or self.policy.order == "strict"
        if in_order or _trails_off(left) or _trails_off(right):
            return self.in_order(left, right) and self.note("equal in the order given")
        if ordered_labels(first):
            return False
        if gold.opened == "{" or answer.opened == "{":
            return self.any_order(self.distinct(Seq("", "", left)), self.distinct(Seq("", "", right)))
        self.linked += _fixes_counter(gold)
        same = self.any_order(left, right)
        self.linked -= _fixes_counter(gold)
        if same:
            return self.note("the same members")
        if _all_equations(gold) and _all_equations(answer) and self.any_order(gold.items, answer.items):
            return self.note("the same equations")
        sets = real_set(gold), real_set(answer)
        if sets[0] is not None and sets[1] is not None and _says_sets(gold) and _says_sets(answer):
            return self.same_sets(sets[0], sets[1])
        return False

    def list_and_tuple(self, plain: Seq, other: Seq, *, given: bool) -> bool:
        """A plain list against a tuple or a list in square brackets; `given` if the plain one is the ground truth."""
        labels = unlabelled(plain)
        ordered = ordered_labels(labels)
        if other.opened == "[" and len(other.items) > 1 and not ordered and not is_interval(other):
            return self.any_order(plain.items, other.items) if given else self.any_order(other.items, plain.items)
        if not ordered and ((len(plain.items) < 3 and not given) or plain.either or _one_name(labels)):
            return False
        if given and not ordered and other.opened == "[" and is_interval(other):
            return False
        if (other.opened, other.closed) not in {("(", ")"), ("[", "]"), ("<", ">")}:
            return False
        values = values_of(plain, labels)
        return self.in_order(values, other.items) if given else self.in_order(other.items, values)

    def same_tails(self, gold: Seq, answer: Seq) -> bool:
        """Whether the conditions that members carry agree, as `conditions` has it."""
        left, right = ([one for one in node.items if isinstance(one, Cond)] for node in (gold, answer))
        if left and right:
            if [one.text for one in left] == [one.text for one in right]:
                return True
            domains = {domain(one.text) for one in (*left, *right)}
            return None not in domains and len({found[1] for found in domains if found and found[1]}) <= 1
        return all(one.universal and not says_more(one.text) for one in left + right)

    def by_label(self, gold: list[tuple[Node | None, Node]], answer: list[tuple[Node | None, Node]]) -> bool:
        """Both sides name all their values, with different names: compare under each name."""
        if not (ordered_labels(gold) and ordered_labels(answer)) or len(gold) != len(answer):
            return False
        left = list(answer)
        found: list[tuple[Node, Node]] = []
        for label, value in gold:
            match = next((one for one in left if self.same_names(label, one[0])), None)
            if match is None:
                return False
            left.remove(match)
            found.append((value, match[1]))
        return self.in_order(*zip(*found, strict=True)) and self.note("equal under each label")

    def same_names(self, gold: Node | None, answer: Node | None) -> bool:
        """The same label."""
        if isinstance(gold, Words) and isinstance(answer, Words):
            return same_label(gold.text, answer.text)
        return gold == answer or (
            isinstance(gold, Op)
            and isinstance(answer, Op)
            and gold.name == answer.name
            and parameters(gold) is not None
        )


def _joined_otherwise(gold: Seq, answer: Seq, *, labelled: bool) -> str | None:
    """Why two lists differ by what joins them: one names alternatives, the other says both."""
    if gold.either != answer.either:
        if labelled or _counts_things(gold):
            return "one names alternatives, the other says both"
        if _compares(gold) and len(symbols(gold) - CONSTANTS) > 1:
            return "conditions on several names, of which one is enough on one side alone"
    if ((gold.both and answer.either) or (gold.either and answer.both)) and _compares(gold):
        return "and is not or"
    return None


def _trails_off(values: tuple[Node, ...]) -> bool:
    """Whether an ellipsis is among the members of a list."""
    return any(isinstance(one, Sym) and one.name == "..." for one in values)


def _one_name(labels: list[tuple[Node | None, Node]]) -> bool:
    """Whether all values are said of one letter: x = 1, 2 is no point."""
    names = [label for label, _ in labels]
    return names[0] is not None and all(name == names[0] for name in names)


def _fixes_counter(node: Seq) -> bool:
    """Whether a member says what the letter of another one is: k pi, k = 0, 1."""
    named = {one.args[0] for one in node.items if isinstance(one, Rel) and one.ops == ("=",)}
    return any(isinstance(one, Op) and not symbols(one).isdisjoint(LETTERS) for one in node.items) and any(
        isinstance(one, Sym) and one.name in LETTERS for one in named
    )


def _all_equations(node: Seq) -> bool:
    return all(isinstance(one, Rel) and one.ops == ("=",) for one in node.items)


def _repeats_name(labels: list[tuple[Node | None, Node]]) -> bool:
    """Whether one name with an index stands twice: x_1 = 4, x_1 = -1."""
    names = [label.name for label, _ in labels if isinstance(label, Sym) and label.name[-1].isdigit()]
    return len(set(names)) < len(names)


def _compares(node: Seq) -> bool:
    """Whether a member is an inequality."""
    return any(isinstance(one := bare(item), Rel) and one.ops != ("=",) for item in node.items)


def _counts_things(node: Seq) -> bool:
    """Whether the members are quantities of different things: 6 boys and 8 girls."""
    units = {one.unit for one in node.items if isinstance(one, Unit)}
    return len(units) > 1


def _inner_sets(node: Seq) -> int:
    return sum(isinstance(one, Seq) and one.opened == "{" for one in node.items)


def _says_sets(node: Seq) -> bool:
    """Whether every member can be nothing but a set: an inequality, a half-open or unbounded interval."""
    return all(
        isinstance(one := bare(item), Rel | SetOp)
        or is_set(one)
        or (is_interval(one) and isinstance(one, Seq) and any(infinite(end) for end in one.items))
        for item in node.items
    )
