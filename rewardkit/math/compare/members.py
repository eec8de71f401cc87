"""Compare what has members: ratios, matrices, tuples, lists, sets, intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.compare.names import Named, ordered_labels, same_label, stems, unlabelled, values_of
from rewardkit.math.compare.sets import is_interval, real_set, same_sets
from rewardkit.math.compare.shapes import SCALARS, as_matrix, bare, shape
from rewardkit.math.latex.tree import Builder, Cond, Labelled, Node, Num, Op, Ratio, Rel, Seq, SetOp, Sym, Unit, Words
from rewardkit.math.latex.walk import CONSTANTS, rename, symbols
from rewardkit.math.prove.exact import exact_value

if TYPE_CHECKING:
    from rewardkit.math.compare.compare import Comparing

MAX_ITEMS = 200
"""Longer lists are not compared member by member."""


def ratios(c: Comparing, gold: Node, answer: Node) -> bool:
    """A : b is a/b; longer ratios are proportional."""
    if isinstance(gold, Ratio) and isinstance(answer, Ratio):
        if len(gold.args) != len(answer.args):
            return False
        if any(isinstance(one, Num) and one.value == 0 for one in (*gold.args, *answer.args)):
            return c.in_order(gold.args, answer.args)
        (first, *others), (start, *rest) = gold.args, answer.args
        cross = zip(others, rest, strict=True)
        same = all(c.scalars(Op("mul", (first, b)), Op("mul", (start, a))) for a, b in cross)
        return same and c.note("the same ratio")
    left, right = (Op("div", one.args) if isinstance(one, Ratio) else one for one in (gold, answer))
    pair = isinstance(left, SCALARS) and isinstance(right, SCALARS)
    two = all(len(one.args) == 2 for one in (gold, answer) if isinstance(one, Ratio))
    return pair and two and c.scalars(left, right) and c.note("the ratio as a number")


def matrices(c: Comparing, gold: Node, answer: Node) -> bool:
    """Entries in place; a column is a vector."""
    a, b = as_matrix(gold), as_matrix(answer)
    if a is None or b is None:
        vector, other = (a, answer) if a is not None else (b, gold)
        row = isinstance(other, Seq) and other.opened in {"(", "<", "["} and other.closed in {")", ">", "]"}
        if vector is None or not isinstance(other, Seq) or not row or 1 not in shape(vector):
            return False
        cells = tuple(cell for row in vector.rows for cell in row)
        return c.in_order(cells, other.items) if a is not None else c.in_order(other.items, cells)
    if a.kind != b.kind or len(a.rows) != len(b.rows) or len(a.rows[0]) != len(b.rows[0]):
        return False
    if a.kind == "cases":
        rows = ([Seq("(", ")", row) for row in one.rows] for one in (a, b))
        return c.any_order(*rows) and c.note("the same cases")
    pairs = zip(a.rows, b.rows, strict=True)
    return all(c.in_order(one, other) for one, other in pairs) and c.note("the same entries")


# -- sets of numbers -------------------------------------------------------------------------------------------------


def sets(c: Comparing, gold: Node, answer: Node) -> bool:
    """Unions, set-builders and sets of numbers."""
    if isinstance(gold, Builder) and isinstance(answer, Builder) and gold.either == answer.either:
        names = _renamed(gold.element, answer.element)
        if not (names.keys() ^ names.values()).isdisjoint(symbols(gold) & symbols(answer)):
            return c.differ("a letter that means another thing in the conditions")
        renamed = rename(answer, names)
        if (
            isinstance(renamed, Builder)
            and type(gold.element) is type(renamed.element)
            and c.equal(gold.element, renamed.element)
            and c.any_order(gold.conditions, renamed.conditions)
        ):
            return True
    left, right = real_set(gold), real_set(answer)
    if left is not None and right is not None:
        return same_sets(c, left, right)
    if isinstance(gold, SetOp) and isinstance(answer, SetOp) and gold.name == answer.name:
        return (c.in_order if gold.name == "minus" else c.any_order)(gold.args, answer.args)
    return False


def _renamed(gold: Node, answer: Node) -> dict[str, str]:
    """The bound letters of a set-builder, renamed in the order of their names."""
    left, right = (sorted(one for one in symbols(node) - CONSTANTS if ":" not in one) for node in (gold, answer))
    return dict(zip(right, left, strict=True)) if len(left) == len(right) else {}


# -- tuples and lists ------------------------------------------------------------------------------------------------


def sequences(c: Comparing, gold: Node, answer: Node) -> bool:
    """Tuples, lists, sets."""
    if not isinstance(gold, Seq):
        return isinstance(answer, Seq) and _one_value(c, gold, answer)
    if not isinstance(answer, Seq):
        items = c.distinct(gold.items) if gold.opened in {"", "{"} else gold.items
        return len(items) == 1 and c.equal(items[0], answer)
    if len(gold.items) > MAX_ITEMS or len(answer.items) > MAX_ITEMS:
        return False
    intervals = is_interval(gold), is_interval(answer)
    if c.policy.lenient and not all(intervals) and c.in_order(gold.items, answer.items):
        return c.note("equal in order, brackets aside")
    if gold.opened == "{" and answer.opened == "(" and len(gold.items) == 1 and isinstance(gold.items[0], Seq):
        return c.equal(gold.items[0], answer)
    if {gold.opened, answer.opened} & {"", "{"}:
        return _lists(c, gold, answer)
    brackets = {gold.opened + gold.closed, answer.opened + answer.closed}
    if len(brackets) > 1 and not (brackets <= {"()", "[]", "<>"} and ("<>" in brackets or not any(intervals))):
        return False
    if c.policy.order == "ignore" and brackets == {"()"}:
        return c.any_order(gold.items, answer.items)
    return c.in_order(gold.items, answer.items) and c.note("equal member by member")


def _one_value(c: Comparing, gold: Node, answer: Seq) -> bool:
    """A gold of one value against a list: equal only if all its members are that value."""
    if answer.opened in {"", "{", "["} and 0 < len(answer.items) <= MAX_ITEMS and not is_interval(answer):
        if all(c.equal(gold, one) for one in answer.items):
            return True
        return len(answer.items) > 1 and c.differ(f"{len(answer.items)} answers where the ground truth has one")
    return c.differ("a tuple or an interval where the ground truth is one value")


def _lists(c: Comparing, gold: Seq, answer: Seq) -> bool:
    """At least one side is a plain list or a set."""
    if _DOTS in gold.items:
        gold, answer = _written_out(gold), _written_out(answer)
    opened = {gold.opened, answer.opened}
    if "{" in opened and _inner_sets(gold) != _inner_sets(answer):
        return c.differ("a set of sets is not a set of their members")
    if opened <= {"", "{"}:
        return _bare_lists(c, gold, answer)
    given = gold.opened in {"", "{"}
    plain, other = (gold, answer) if given else (answer, gold)
    if any(isinstance(bare(one), Rel) for one in plain.items):
        left, right = real_set(gold), real_set(answer)
        if left is not None and right is not None:
            return same_sets(c, left, right)
    return not plain.opened and _list_and_tuple(c, plain, other, given=given)


def _bare_lists(c: Comparing, gold: Seq, answer: Seq) -> bool:
    """Two lists or sets, in any order unless their labels give them one."""
    if gold.either != answer.either and len({one.unit for one in gold.items if isinstance(one, Unit)}) > 1:
        return c.differ(_ALTERNATIVES)
    ordered = c.policy.order == "strict"
    if not any(isinstance(one, _NAMING) for one in (*gold.items, *answer.items)):
        return _matched(c, gold, answer, (gold.items, answer.items), ordered=ordered or _DOTS in answer.items)
    first, second = unlabelled(gold), unlabelled(answer)
    labelled = ordered_labels(first), ordered_labels(second)
    if (reason := _joined_otherwise(gold, answer, labelled=any(labelled))) is not None:
        return c.differ(reason)
    if all(labelled):
        return _by_label(c, first, second)
    if _repeats_name(first) != _repeats_name(second):
        return c.differ("one name has several values")
    names = stems(first), stems(second)
    if names[0] != names[1] and None not in names[0] | names[1]:
        return False
    values = values_of(gold, first), values_of(answer, second)
    ordered = ordered or any(labelled) or _DOTS in values[0] + values[1]
    if _matched(c, gold, answer, values, ordered=ordered):
        return True
    return not ordered and _matched(c, gold, answer, (gold.items, answer.items), ordered=False)


Items = tuple[Node, ...]


def _matched(c: Comparing, gold: Seq, answer: Seq, items: tuple[Items, Items], *, ordered: bool) -> bool:
    """The same members in order, or in any and as often as in the other, unless one of the lists is a set."""
    left, right = items
    if ordered:
        return c.in_order(left, right) and c.note("equal in the order given")
    if gold.opened == "{" or answer.opened == "{":
        left, right = c.distinct(left), c.distinct(right)
    return c.any_order(left, right) and c.note("the same members")


_ALTERNATIVES = "one names alternatives, the other says both"
_NAMING = (Rel, Labelled, Cond)
"""Members that may give a value a name."""


_DOTS = Sym("...")


def _written_out(node: Seq) -> Seq:
    """A list with dots between numbers in equal steps, 3, 6, ..., 99, with all of them; another list as it is."""
    at = node.items.index(_DOTS) if node.items[1:-1].count(_DOTS) == 1 else 0
    values = [value for one in node.items if (value := exact_value(one)) is not None]
    if not at or len(values) < len(node.items) - 1:
        return node
    first, last, step = values[0], values[-1], values[1] - values[0] if at > 1 else fmpq(1)
    count = (last - first) / step + 1 if step else fmpq(0)
    if count.q != 1 or not len(values) <= count <= MAX_ITEMS:
        return node
    row = [first + step * k for k in range(int(count.p))]
    if values[:at] + values[at:] != row[:at] + row[at - len(values) :]:
        return node
    return Seq(node.opened, node.closed, tuple(map(Num, row)), node.either, node.both)


def _list_and_tuple(c: Comparing, plain: Seq, other: Seq, *, given: bool) -> bool:
    """A plain list against a tuple or a list in square brackets; `given` if the plain one is the ground truth."""
    labels = unlabelled(plain)
    ordered = ordered_labels(labels)
    interval = is_interval(other)
    if other.opened == "[" and len(other.items) > 1 and not ordered and not interval:
        return c.any_order(plain.items, other.items) if given else c.any_order(other.items, plain.items)
    one_name = labels[0][0] is not None and all(name == labels[0][0] for name, _ in labels)
    if not ordered and ((len(plain.items) < 3 and not given) or plain.either or one_name):
        return False
    if other.opened + other.closed not in {"()", "[]", "<>"} or (given and interval and other.opened == "["):
        return False
    values = values_of(plain, labels)
    return c.in_order(values, other.items) if given else c.in_order(other.items, values)


def _by_label(c: Comparing, gold: Named, answer: Named) -> bool:
    """Both sides name all their values, with different names: compare under each name."""
    left = list(answer)
    found: list[tuple[Node, Node]] = []
    for label, value in gold:
        match = next((one for one in left if _same_names(label, one[0])), None)
        if match is None:
            return False
        left.remove(match)
        found.append((value, match[1]))
    return not left and all(c.equal(*pair) for pair in found) and c.note("equal under each label")


def _same_names(gold: Node | None, answer: Node | None) -> bool:
    if isinstance(gold, Words) and isinstance(answer, Words):
        return same_label(gold.text, answer.text)
    return gold == answer


def _joined_otherwise(gold: Seq, answer: Seq, *, labelled: bool) -> str | None:
    """Why two lists differ by what joins them: one names alternatives, the other says both."""
    if gold.either == answer.either:
        return None
    if labelled:
        return _ALTERNATIVES
    compares = any(isinstance(one := bare(item), Rel) and one.ops != ("=",) for item in gold.items)
    joined = gold.both or answer.both or len(symbols(gold) - CONSTANTS) > 1
    return "conditions of which one is enough on one side alone" if compares and joined else None


def _repeats_name(labels: Named) -> bool:
    """Whether one name with an index stands twice: x_1 = 4, x_1 = -1."""
    names = [label.name for label, _ in labels if isinstance(label, Sym) and label.name[-1].isdigit()]
    return len(set(names)) < len(names)


def _inner_sets(node: Seq) -> int:
    return sum(isinstance(one, Seq) and one.opened == "{" for one in node.items)
