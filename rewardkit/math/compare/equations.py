"""Compare statements: equations, inequalities, memberships, congruences, and what a statement says with a bare value."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.compare.labels import approximation, fresh, ordered_labels, same_label, unlabelled
from rewardkit.math.compare.members import Members
from rewardkit.math.compare.relations import ContradictionError, difference, is_label, parameters, rename, value_of
from rewardkit.math.compare.rewritten import (
    TURNED,
    as_congruence,
    directed,
    each_named,
    in_usual_order,
    is_chain,
    named_pair,
    under_names,
)
from rewardkit.math.compare.sets import real_set
from rewardkit.math.latex.tree import Node, Num, Op, Rel, Seq, Sym, Words
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
        each = each_named(one) if is_chain(one) and isinstance(other, Seq) and not other.opened else None
        if each is not None and isinstance(other, Seq) and all(label is not None for label, _ in unlabelled(other)):
            return self.equal(each, other) if one is gold else self.equal(other, each)
        if is_chain(one) and isinstance(other, Seq) and (named := each_named(one)) is not None:
            values = tuple(part.args[1] for part in named.items if isinstance(part, Rel))
            if other.opened in {"(", "<"} and len(other.items) > 1:
                return self.in_order(values, other.items) if one is gold else self.in_order(other.items, values)
            if not other.opened and 1 < len(other.items) != len(values):
                return self.differ(f"{len(other.items)} values for {len(values)} names")
        stated = value_of(one, type(self)(self.policy).equal, quantities=one is answer, calculations=one is answer)
        if stated is not None:
            label, value = stated
            if isinstance(other, Seq) and other.either and not isinstance(value, Seq):
                return False
            if isinstance(label, Seq) and (named := under_names(label, value, other)) is not None:
                return self.equal(named, other) if one is gold else self.equal(other, named)
            if isinstance(label, Seq) and isinstance(other, Seq) and other.opened:
                value = in_usual_order(label, value)
            if one is gold:
                if (
                    isinstance(label, (Sym, Op))
                    and isinstance(other, Seq)
                    and not other.opened
                    and ordered_labels(unlabelled(other))
                ):
                    return self.differ("values under several names where the ground truth has one")
                return self.equal(value, other) or (label is not None and approximation(one, other))
            return self.equal(other, value)
        if one.ops == ("in",):
            value = one.args[1]
            return self.equal(value, other) if one is gold else self.equal(other, value)
        if one.ops[-1] == "mod" and len(one.ops) == 2 and one is answer and isinstance(other, Num):
            return self.remainder(other, one.args)
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

    def remainder(self, gold: Num, stated: tuple[Node, ...]) -> bool:
        """100 = 7 (mod 11), with numbers alone, states the remainder 7."""
        values = [rational(one) for one in stated]
        if values[0] is None or values[1] is None or not values[2]:
            return False
        if abs(values[1]) >= abs(values[2]) or values[1].q != 1:
            return False
        return values[1] == gold.value and ((values[0] - values[1]) / values[2]).q == 1 and self.note("a remainder")

    def classes(self, gold: Node, answer: Node) -> bool:
        """At least one side is a mod m: a residue, which has its modulus, or the calculation of a remainder where a > m."""
        left, right = _residue(gold), _residue(answer)
        if left is not None and right is not None:
            return left[1] == right[1] and ((left[0] - right[0]) / left[1]).q == 1 and self.note("the same residue")
        if isinstance(answer, Op) and answer.name == "modclass" and isinstance(gold, Num):
            value = self.remainder(gold, (answer.args[0], *answer.args))
            return value or (right is not None and right[0] > right[1] and self.scalars(gold, Op("mod", answer.args)))
        if isinstance(gold, Op) and gold.name == "modclass" and left is not None and left[0] > left[1]:
            return self.scalars(Op("mod", gold.args), answer)
        return self.scalars(gold, answer)

    def value(self, node: Rel) -> tuple[Node | None, Node] | None:
        """(label, value) that a chain states."""
        return value_of(node, type(self)(self.policy).equal)

    def two_relations(self, gold: Rel, answer: Rel) -> bool:
        """Two relations."""
        if gold == answer and self.holds(gold):
            return self.note("the same relation")
        if (is_chain(gold) or is_chain(answer)) and gold.ops[0] == answer.ops[0] == "=":
            left, right = each_named(gold), each_named(answer)
            if left or right:
                left, right = left or named_pair(gold), right or named_pair(answer)
                if left is not None and right is not None:
                    return self.equal(left, right)
        if gold.ops == answer.ops == ("=",) and isinstance(gold.args[0], Seq) and isinstance(answer.args[0], Seq):
            left, right = named_pair(gold), named_pair(answer)
            if (
                left is not None
                and right is not None
                and gold.args[0] != answer.args[0]
                and symbols(gold.args[0]) == symbols(answer.args[0])
            ):
                return self.equal(left, right)
        if gold.ops == answer.ops and gold.ops[-1] == "mod":
            return self.congruences(gold, answer)
        if gold.ops[-1] == "mod" or answer.ops[-1] == "mod":
            left, right = as_congruence(gold), as_congruence(answer)
            return left is not None and right is not None and self.congruences(left, right)
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
            if isinstance(first[0], Seq) and (names := _along(left, right, symbols(first[0]))) is not None:
                return self.equal(left, rename(right, names)) and self.note("the parameter of a line renamed")
            if first[0] is not None and first[0] == second[0]:
                return False
        if len(gold.ops) == len(answer.ops) == 1:
            a, b = difference(gold), difference(answer)
            if a is not None and b is not None:
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
        return self.equal(gold, answer)

    def inequalities(self, gold: Rel, answer: Rel) -> bool:
        """General inequalities: the same direction after moving all to one side, up to a positive factor."""
        if len(gold.ops) == len(answer.ops) == 1 and gold.ops[0] in _COMPARED and answer.ops[0] in _COMPARED:
            first, second = directed(gold), directed(answer)
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
        turned = tuple(TURNED.get(op, "") for op in reversed(answer.ops))
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


def _named_set(node: Rel) -> Node:
    """The set behind a name, D = (0, 2); another relation as it is."""
    return node.args[1] if node.ops == ("=",) and is_label(node.args[0]) else node


def _residue(node: Node) -> tuple[fmpq, fmpq] | None:
    """(a, m) of a mod m with numbers, m above 0."""
    if not (isinstance(node, Op) and node.name in {"mod", "modclass"}):
        return None
    number, modulus = rational(node.args[0]), rational(node.args[1])
    return (number, modulus) if number is not None and modulus is not None and modulus > 0 else None


def _spelled_out(*nodes: Rel) -> bool:
    """Whether all are equations between numbers, one side of which is a calculation: 1 + 1 = 2 is not 0 + 2 = 2."""
    return all(
        all(isinstance(one, _VALUES) and plain(one) and symbols(one) <= CONSTANTS for one in node.args)
        and facts(node).operations - {"neg"}
        for node in nodes
    )


def _along(gold: Node, answer: Node, names: frozenset[str]) -> dict[str, str] | None:
    """Another name for the one parameter of a line, which is none of the names that it gives."""
    left, right = symbols(gold) - CONSTANTS, symbols(answer) - CONSTANTS
    if len(left) == len(right) == 1 and left != right and (left | right).isdisjoint(names):
        return {next(iter(right)): next(iter(left))}
    return None


def plain(node: Num | Op | Sym) -> bool:
    """Whether `node` is one number or expression in all readings: no plus-minus, no set of numbers, no matrix."""
    if isinstance(node, Num):
        return True
    found = facts(node)
    return found.plain and found.operations.isdisjoint({"pm", "mp"}) and "bb:R" not in found.names
