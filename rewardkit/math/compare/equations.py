"""Compare statements: equations, inequalities, memberships, congruences, and what a statement says with a bare value."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.compare.families import as_congruence
from rewardkit.math.compare.labels import fresh, ordered_labels, same_label, unlabelled
from rewardkit.math.compare.members import Members
from rewardkit.math.compare.names import bare_length, is_label, parameters
from rewardkit.math.compare.noncommutative import of_matrices, order_counts
from rewardkit.math.compare.sets import real_set
from rewardkit.math.compare.stated_value import ContradictionError, Stated, difference, stated_value
from rewardkit.math.latex.tree import Node, Num, Op, Rel, Seq, SetOp, Sym, Words
from rewardkit.math.latex.walk import CONSTANTS, canonical, facts, symbols
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.proof import constant_ratio

_VALUES = (Num, Op)
_COMPARED = {"<", "<=", ">", ">="}


class Equations(Members):
    """The judgement of two answers of which at least one is a relation."""

    def relations(self, gold: Node, answer: Node) -> bool:
        """Equations, inequalities, memberships, congruences."""
        if isinstance(gold, Rel) and isinstance(answer, Rel):
            return self.two_relations(gold, answer)
        one, other = (gold, answer) if isinstance(gold, Rel) else (answer, gold)
        assert isinstance(one, Rel)
        each = each_named(one) if len(one.ops) > 1 and isinstance(other, Seq) and not other.opened else None
        if each is not None and isinstance(other, Seq) and all(label is not None for label, _ in unlabelled(other)):
            return self.equal(each, other) if one is gold else self.equal(other, each)
        if isinstance(other, Seq) and (named := each_named(one)) is not None:
            values = tuple(part.args[1] for part in named.items if isinstance(part, Rel))
            if other.opened in {"(", "<"} and len(other.items) > 1:
                return self.in_order(values, other.items) if one is gold else self.in_order(other.items, values)
            if not other.opened and 1 < len(other.items) != len(values):
                return self.differ(f"{len(other.items)} values for {len(values)} names")
        stated = stated_value(one, type(self)(self.policy).equal, quantities=one is answer, calculations=one is answer)
        if stated is not None:
            label, value = stated
            if isinstance(other, Seq) and other.either and not isinstance(value, Seq):
                return False
            if one is gold:
                if (
                    isinstance(label, (Sym, Op))
                    and isinstance(other, Seq)
                    and not other.opened
                    and ordered_labels(unlabelled(other))
                ):
                    return self.differ("values under several names where the ground truth has one")
                return self.equal(value, other)
            return self.equal(other, value)
        if one.ops == ("in",):
            value = one.args[1]
            return self.equal(value, other) if one is gold else self.equal(other, value)
        if one.ops[1:] == ("mod",):
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

    def value(self, node: Rel) -> Stated | None:
        """(label, value) that a chain states."""
        return stated_value(node, type(self)(self.policy).equal)

    def two_relations(self, gold: Rel, answer: Rel) -> bool:
        """Two relations."""
        if gold == answer and self.holds(gold):
            return self.note("the same relation")
        left, right = each_named(gold), each_named(answer)
        if left is not None and right is not None:
            return self.equal(left, right)
        if gold.ops == answer.ops and gold.ops[-1] == "mod":
            return self.congruences(gold, answer)
        if gold.ops[-1] == "mod" or answer.ops[-1] == "mod":
            left, right = as_congruence(gold), as_congruence(answer)
            return left is not None and right is not None and self.congruences(left, right)
        if not self.linked and gold.ops == answer.ops == ("=",) and symbols(gold) ^ symbols(answer) == _COUNTERS:
            # n = 3k + 1, n = 3m - 2
            left, right = as_congruence(gold), as_congruence(answer)
            if left is not None and right is not None and left.args[2] != Num(fmpq(1)):
                return self.congruences(left, right)
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
        left = real_set(_named_set(gold)) if left is None and right is not None else left
        right = real_set(_named_set(answer)) if right is None and left is not None else right
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
        if len(gold.args) == len(answer.args) > 2 and all(map(is_label, (*gold.args, *answer.args))):
            return gold.ops == answer.ops and self.any_order(gold.args, answer.args) and self.note("the same chain")
        if ("approx" in gold.ops) != ("approx" in answer.ops) and symbols(answer.args[-1]) - CONSTANTS:
            return self.differ("a formula that holds nearly is not one that holds")
        if of_matrices(gold) or of_matrices(answer):
            return False
        first, second = self.value(gold), self.value(answer)
        calculations = first is not None and second is not None and first[0] is None and second[0] is None
        if calculations and gold.ops == answer.ops == ("=",) and _spelled_out(gold, answer):
            left, right = (sorted(map(canonical, node.args)) for node in (gold, answer))
            return left == right and self.note("the same equation")
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
                if order_counts(a, b):
                    return False
                return constant_ratio(a, b) and self.note("equations up to a factor")
        if len(gold.args) == len(answer.args):
            if gold.ops != answer.ops:
                return False
            if all(self.equal(one, other) for one, other in zip(gold.args, answer.args, strict=True)):
                return True
            if len(gold.args) > 2 and all(symbols(one) - CONSTANTS for one in gold.args):  # (x-1)/2 = y/3 = z
                turned = [Op("neg", (one,)) for one in answer.args]
                return all(self.equal(one, other) for one, other in zip(gold.args, turned, strict=True))
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
        return self.equal(bare_length(gold), bare_length(answer))

    def inequalities(self, gold: Rel, answer: Rel) -> bool:
        """General inequalities: the same direction after moving all to one side, up to a positive factor."""
        if len(gold.ops) == len(answer.ops) == 1 and gold.ops[0] in _COMPARED and answer.ops[0] in _COMPARED:
            first, second = _directed(gold), _directed(answer)
            if first is None or second is None or first[1] != second[1]:
                return False
            if not symbols(first[0]) - CONSTANTS:  # between numbers: the same two
                one, other = (node.args if node.ops[0][0] == "<" else node.args[::-1] for node in (gold, answer))
                return self.in_order(one, other) and self.note("the same numbers compared")
            return constant_ratio(first[0], second[0], positive=True) and self.note(
                "inequalities up to a positive factor"
            )
        if len(gold.args) != len(answer.args):
            return False
        turned = tuple(_TURNED.get(op, "") for op in reversed(answer.ops))
        for candidate in (answer, Rel(turned, tuple(reversed(answer.args)))):
            if gold.ops == candidate.ops:
                pairs = zip(gold.args, candidate.args, strict=True)
                if all(self.equal(one, other) for one, other in pairs):
                    return True
        return False

    def congruences(self, gold: Rel, answer: Rel) -> bool:
        """X = a (mod m): the same modulus, residues equal modulo it."""
        if not self.equal(gold.args[2], answer.args[2]):
            return False
        if not self.equal(gold.args[0], answer.args[0]):
            return self.equal(gold.args[0], answer.args[1]) and self.equal(gold.args[1], answer.args[0])
        a, b, m = rational(gold.args[1]), rational(answer.args[1]), rational(gold.args[2])
        if a is None or b is None or m is None or m == 0:
            return self.equal(gold.args[1], answer.args[1])
        return ((a - b) / m).q == 1 and self.note("the same residue")


def each_named(node: Rel) -> Seq | None:
    """Chains such as x = y = z = 1/3 as x = 1/3, y = 1/3, z = 1/3."""
    *names, value = node.args
    if len(names) < 2 or set(node.ops) != {"="} or is_label(value):
        return None
    if not all(isinstance(one, Sym) and is_label(one) for one in names):
        return None
    return Seq("", "", tuple(Rel(("=",), (one, value)) for one in names))


_COUNTERS = frozenset({"k", "m"})
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TURNED = _FLIPPED | {
    "subset": "supset", "supset": "subset", "psubset": "psupset", "psupset": "psubset", "<<": ">>", ">>": "<<", "prec": "succ", "succ": "prec",
    **{op: op for op in ("=", "!=", "approx", "equiv", "sim", "cong", "parallel", "perp", "asymp", "iff", "propto")},
}  # fmt: skip
"""Relations read from right to left; the others have no such reading."""


def _directed(node: Rel) -> tuple[Node, str] | None:
    """An inequality as "... > 0" or "... >= 0"."""
    op = node.ops[0]
    left, right = node.args if op[0] == ">" else node.args[::-1]
    if isinstance(left, _STRUCTURES) or isinstance(right, _STRUCTURES):
        return None
    return Op("add", (left, Op("neg", (right,)))), op if op[0] == ">" else _FLIPPED[op]


_STRUCTURES = (Seq, Words, SetOp)


def _named_set(node: Rel) -> Node:
    """The set behind a name, D = (0, 2); another relation as it is."""
    return node.args[1] if node.ops == ("=",) and is_label(node.args[0]) else node


def _spelled_out(*nodes: Rel) -> bool:
    """Whether all are equations between numbers, one side of which is a calculation: 1 + 1 = 2 is not 0 + 2 = 2."""
    return all(
        all(isinstance(one, _VALUES) and plain(one) and symbols(one) <= CONSTANTS for one in node.args)
        and facts(node).operations - {"neg"}
        for node in nodes
    )


def plain(node: Num | Op | Sym) -> bool:
    """Whether `node` is one number or expression in all readings: no plus-minus, no set of numbers, no matrix."""
    if isinstance(node, Num):
        return True
    found = facts(node)
    return found.plain and found.operations.isdisjoint({"pm", "mp"}) and "bb:R" not in found.names
