"""Compare statements: equations, inequalities, memberships, congruences, and what a statement says with a bare value."""

from __future__ import annotations

from rewardkit.math.compare.members import same_sets
from rewardkit.math.compare.names import (
    each_named,
    fresh,
    is_label,
    ordered_labels,
    parameters,
    same_label,
    unlabelled,
)
from rewardkit.math.compare.noncommutative import of_matrices, order_counts
from rewardkit.math.compare.sets import real_set
from rewardkit.math.compare.stated_value import ContradictionError, difference, stated_value
from rewardkit.math.compare.values import Comparing
from rewardkit.math.latex.tree import Node, Op, Rel, Seq, Sym, Words
from rewardkit.math.latex.walk import CONSTANTS, canonical, facts, symbols
from rewardkit.math.prove.proof import constant_ratio


def relations(c: Comparing, gold: Node, answer: Node) -> bool:
    """Equations, inequalities, memberships, congruences."""
    if isinstance(gold, Rel) and isinstance(answer, Rel):
        return _two_relations(c, gold, answer)
    if isinstance(gold, Rel):
        return _relation_and_value(c, gold, answer, given=True)
    return isinstance(answer, Rel) and _relation_and_value(c, answer, gold, given=False)


def _relation_and_value(c: Comparing, one: Rel, other: Node, *, given: bool) -> bool:
    """A relation and something else; `given` if the relation is the ground truth."""

    def equal(value: Node) -> bool:
        return c.equal(value, other) if given else c.equal(other, value)

    each = each_named(one) if isinstance(other, Seq) else None
    if each is not None and isinstance(other, Seq):
        if not other.opened and all(label is not None for label, _ in unlabelled(other)):
            return equal(each)
        if len(other.items) > 1 and other.opened in {"", "(", "<"}:
            return equal(Seq("(", ")", (one.args[-1],) * len(each.items)))
    stated = stated_value(one, c.apart().equal, quantities=not given, calculations=not given)
    if stated is not None:
        label, value = stated
        if isinstance(other, Seq) and other.either and not isinstance(value, Seq):
            return False
        named = given and isinstance(label, (Sym, Op))
        if named and isinstance(other, Seq) and not other.opened and ordered_labels(unlabelled(other)):
            return c.differ("values under several names where the ground truth has one")
        return equal(value)
    if one.ops == ("in",):
        return equal(one.args[1])
    if one.ops[1:] == ("mod",):
        return equal(Op("modclass", one.args[1:]))
    left, right = real_set(one), real_set(other)
    if left is None or right is None or not c.policy.intervals_as_inequalities:
        return False
    return same_sets(c, left, right) if given else same_sets(c, right, left)


def _two_relations(c: Comparing, gold: Rel, answer: Rel) -> bool:
    if gold == answer and _holds(c, gold):
        return c.note("the same relation")
    first, second = each_named(gold), each_named(answer)
    if first is not None and second is not None:
        return c.equal(first, second)
    if "mod" in {gold.ops[-1], answer.ops[-1]}:
        return gold.ops == answer.ops and _congruences(c, gold, answer)
    if gold.ops == answer.ops == ("in",) or "in" in {gold.ops[0], answer.ops[0]}:
        return _memberships(c, gold, answer)
    if set(gold.ops + answer.ops) <= {"=", "approx"}:
        return _equations(c, gold, answer)
    left, right = real_set(gold), real_set(answer)
    left = real_set(_named_set(gold)) if left is None and right is not None else left
    right = real_set(_named_set(answer)) if right is None and left is not None else right
    if left is not None and right is not None:
        return same_sets(c, left, right)
    return _inequalities(c, gold, answer)


def _holds(c: Comparing, node: Rel) -> bool:
    """Whether a chain of equalities is not plainly false."""
    try:
        stated_value(node, c.apart().equal)
    except ContradictionError:
        return False
    return True


def _named_set(node: Rel) -> Node:
    """The set behind a name, D = (0, 2); another relation as it is."""
    return node.args[1] if node.ops == ("=",) and is_label(node.args[0]) else node


def _memberships(c: Comparing, gold: Rel, answer: Rel) -> bool:
    left, right = real_set(gold), real_set(answer)
    if left is not None and right is not None:
        return same_sets(c, left, right)
    return gold.ops == answer.ops == ("in",) and c.in_order(gold.args, answer.args)


def _congruences(c: Comparing, gold: Rel, answer: Rel) -> bool:
    """X = a (mod m): the same modulus, residues equal modulo it."""
    (name, *residue), (named, *other) = gold.args, answer.args
    return c.equal(name, named) and c.residues(residue, other)


# -- equations -------------------------------------------------------------------------------------------------------


def _equations(c: Comparing, gold: Rel, answer: Rel) -> bool:
    """Two equations: values under one label, or one a nonzero multiple of the other."""
    if len(gold.args) == len(answer.args) > 2 and all(map(is_label, (*gold.args, *answer.args))):
        return gold.ops == answer.ops and c.any_order(gold.args, answer.args) and c.note("the same chain")
    if ("approx" in gold.ops) != ("approx" in answer.ops) and symbols(answer.args[-1]) - CONSTANTS:
        return c.differ("a formula that holds nearly is not one that holds")
    if of_matrices(gold) or of_matrices(answer):
        return False
    first, second = (stated_value(node, c.apart().equal) for node in (gold, answer))
    if first is not None and second is not None:
        if first.label is None and second.label is None and _spelled_out(gold, answer):
            left, right = (sorted(map(canonical, node.args)) for node in (gold, answer))
            return left == right and c.note("the same equation")
        if _same_labels(c, first.label, second.label):
            left, right = first.value, second.value
            if parameters(first.label) is not None and parameters(second.label) is not None:
                left, right = fresh(first.label, left), fresh(second.label, right)
            if c.equal(left, right):
                return True
            if first.label is not None and first.label == second.label:
                return False
    if len(gold.ops) == len(answer.ops) == 1:
        a, b = difference(gold), difference(answer)
        if a is not None and b is not None:
            return not order_counts(a, b) and constant_ratio(a, b) and c.note("equations up to a factor")
    return gold.ops == answer.ops and c.in_order(gold.args, answer.args)


def _spelled_out(*nodes: Rel) -> bool:
    """Whether all are one equation between numbers, one side of which is a calculation: 1 + 1 = 2 is not 0 + 2 = 2."""
    return all(
        node.ops == ("=",) and all(facts(one).plain for one in node.args) and facts(node).operations - {"neg"}
        for node in nodes
    )


def _same_labels(c: Comparing, gold: Node | None, answer: Node | None) -> bool:
    """Whether two labels can name the same thing: f(x) and f(z), y and f(x), an unlabelled value."""
    if gold is None or answer is None or gold == answer:
        return True
    if isinstance(gold, Words) or isinstance(answer, Words):
        return not (isinstance(gold, Words) and isinstance(answer, Words)) or same_label(gold.text, answer.text)
    a, b = parameters(gold), parameters(answer)
    if a is not None and b is not None:
        return len(a) == len(b) and isinstance(gold, Op) and isinstance(answer, Op) and gold.name == answer.name
    if a is not None or b is not None:
        name = gold if isinstance(gold, Sym) else answer
        return isinstance(name, Sym) and name.name not in (a or b or ())
    return not (isinstance(gold, Sym) and isinstance(answer, Sym)) and c.equal(gold, answer)


# -- inequalities ----------------------------------------------------------------------------------------------------

_COMPARED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TURNED = _COMPARED | {
    "subset": "supset", "supset": "subset", "psubset": "psupset", "psupset": "psubset", "<<": ">>", ">>": "<<", "prec": "succ", "succ": "prec",
    **{op: op for op in ("=", "!=", "approx", "equiv", "sim", "cong", "parallel", "perp", "asymp", "iff", "propto")},
}  # fmt: skip
"""Relations read from right to left; the others have no such reading."""


def _inequalities(c: Comparing, gold: Rel, answer: Rel) -> bool:
    """General inequalities: the same direction after moving all to one side, up to a positive factor."""
    if len(gold.ops) == len(answer.ops) == 1 and gold.ops[0] in _COMPARED and answer.ops[0] in _COMPARED:
        one, other = _upward(gold), _upward(answer)
        if one.ops != other.ops:
            return False
        left, right = difference(one), difference(other)
        if left is None or right is None:
            return False
        if not symbols(left) - CONSTANTS:  # between numbers: the same two
            return c.in_order(one.args, other.args) and c.note("the same numbers compared")
        return constant_ratio(left, right, positive=True) and c.note("inequalities up to a positive factor")
    turned = Rel(tuple(_TURNED.get(op, "") for op in reversed(answer.ops)), answer.args[::-1])
    return any(gold.ops == one.ops and c.in_order(gold.args, one.args) for one in (answer, turned))


def _upward(node: Rel) -> Rel:
    """An inequality with > or >=."""
    op = node.ops[0]
    return node if op[0] == ">" else Rel((_COMPARED[op],), node.args[::-1])
