"""Compare statements: equations, inequalities, memberships, congruences, and what a statement says with a bare value."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from flint import arb, fmpq

from rewardkit.math.compare import names
from rewardkit.math.compare.sets import real_set, same_sets
from rewardkit.math.compare.shapes import absorbs, order_counts
from rewardkit.math.latex.tree import Builder, Node, Num, Op, Rel, Seq, SetOp, Sym, Unit, Words
from rewardkit.math.latex.walk import CONSTANTS, canonical, facts, parts, symbols
from rewardkit.math.prove.proof import constant_ratio, real_value

if TYPE_CHECKING:
    from rewardkit.math.compare.compare import Comparing


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

    stated = stated_value(one, c.apart().equal, quantities=not given)
    if stated is not None:
        label, value = stated
        named = given and isinstance(label, (Sym, Op))
        if named and isinstance(other, Seq) and not other.opened and names.ordered_labels(names.unlabelled(other)):
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
    if gold == answer:
        return c.note("the same relation")
    name = gold.args[0]
    named = gold.ops == answer.ops == ("=",) and name == answer.args[0] and names.is_label(name)
    if named and isinstance(name, Sym) and name.name not in symbols(gold.args[1]) | symbols(answer.args[1]):
        return c.equal(gold.args[1], answer.args[1])
    if "mod" in {gold.ops[-1], answer.ops[-1]}:
        same = gold.ops == answer.ops and c.in_order(gold.args[:-2], answer.args[:-2])
        return same and c.residues(gold.args[-2:], answer.args[-2:])
    if set(gold.ops + answer.ops) <= {"=", "approx"}:
        return _equations(c, gold, answer)
    left, right = real_set(gold), real_set(answer)
    if left is not None and right is not None:
        return same_sets(c, left, right)
    return _inequalities(c, gold, answer)


# -- equations -------------------------------------------------------------------------------------------------------


def _equations(c: Comparing, gold: Rel, answer: Rel) -> bool:
    """Two equations: values under one label, or one a nonzero multiple of the other."""
    if len(gold.args) == len(answer.args) > 2 and all(map(names.is_label, (*gold.args, *answer.args))):
        return gold.ops == answer.ops and c.any_order(gold.args, answer.args) and c.note("the same chain")
    if ("approx" in gold.ops) != ("approx" in answer.ops) and symbols(answer.args[-1]) - CONSTANTS:
        return c.differ("a formula that holds nearly is not one that holds")
    first, second = (stated_value(node, c.apart().equal) for node in (gold, answer))
    if first is not None and second is not None and first.label is None and second.label is None:
        left, right = (sorted(map(canonical, node.args)) for node in (gold, answer))
        return left == right and c.note("the same equation")
    if first is not None and second is not None and _same_labels(c, first.label, second.label):
        left, right = first.value, second.value
        if names.parameters(first.label) is not None and names.parameters(second.label) is not None:
            return c.equal(names.fresh(first.label, left), names.fresh(second.label, right))
        if c.equal(left, right):
            return True
        if first.label is not None and first.label == second.label:
            return False
    if len(gold.ops) == len(answer.ops) == 1:
        a, b = difference(gold), difference(answer)
        if a is not None and b is not None:
            if absorbs(gold.args) or absorbs(answer.args):
                return set(gold.args) == set(answer.args) and c.note("the same equation")
            return not order_counts(a, b) and constant_ratio(a, b) and c.note("equations up to a factor")
    return gold.ops == answer.ops and c.in_order(gold.args, answer.args)


def _same_labels(c: Comparing, gold: Node | None, answer: Node | None) -> bool:
    """Whether two labels can name the same thing: f(x) and f(z), y and f(x), an unlabelled value."""
    if gold is None or answer is None or gold == answer:
        return True
    if isinstance(gold, Words) and isinstance(answer, Words):
        return names.same_label(gold.text, answer.text)
    if isinstance(gold, Words) or isinstance(answer, Words):
        return True
    a, b = names.parameters(gold), names.parameters(answer)
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
        left, right = difference(one), difference(other)
        if left is not None and right is not None and symbols(left) - CONSTANTS:
            scaled = one.ops == other.ops and constant_ratio(left, right, positive=True)
            return scaled and c.note("inequalities up to a positive factor")
    turned = Rel(tuple(_TURNED.get(op, "") for op in reversed(answer.ops)), answer.args[::-1])
    return any(gold.ops == one.ops and c.in_order(gold.args, one.args) for one in (answer, turned))


def _upward(node: Rel) -> Rel:
    """An inequality with > or >=."""
    op = node.ops[0]
    return node if op[0] == ">" else Rel((_COMPARED[op],), node.args[::-1])


# -- the value that a chain of equalities states ---------------------------------------------------------------------

Equal = Callable[[Node, Node], bool]

_FUNCTION = re.compile(r"call:[A-Za-z]\Z")
_NAMES_TOO = frozenset({Sym("e"), Sym("i")})
"""Constants whose letters also name an eccentricity and a rate: e = 2, i = 5%."""

_POWERS = frozenset({"pow", "sqrt", "root"})
_UNKNOWNS = frozenset(map(Sym, "xyznt"))
"""Letters that are unknowns: x^2 = 12 does not say what was asked for."""


class ContradictionError(ValueError):
    """A chain of equalities that does not hold, as in 41 = 42."""


class Stated(NamedTuple):
    """What a chain of equalities states, and the name in front of it."""

    label: Node | None
    value: Node


def stated_value(node: Rel, equal: Equal, *, quantities: bool = True) -> Stated | None:
    """The value of a chain of equalities; None where it states none. ContradictionError where it is false.

    With `quantities`, "x + y = 7" states the value 7 of what was asked for, and "4x = 4(40) = 160" works it out; without,
    they are equations.
    """
    if not {"=", "approx"}.issuperset(node.ops):
        return None
    args, kinds = list(node.args), list(node.ops)
    if len(args) == 2 and args[0] in _NAMES_TOO and args[1] != args[0] and not symbols(args[1]) - {"pi"}:
        return Stated(args[0], args[1])
    label = _take_label(args, kinds)
    asked = label is None and len(args) > 1 and names.is_quantity(args[0], given=not quantities) and _is_asked_for(args)
    if asked or (label is None and quantities and _is_worked_out(args)):
        label = args.pop(0)  # as a value it only counts against another value: x^2 + y^2 = 25 may be a circle
        kinds.pop(0)
    function = label if isinstance(label, Op) and _FUNCTION.match(label.name) else None
    if function is not None and _says_of(args[0], function) and symbols(function) - CONSTANTS:
        return None  # f(-x) = -f(x) says something of f
    if len(args) == 1:
        own = isinstance(label, Sym) and symbols(label) & symbols(args[0]) - CONSTANTS
        return None if own else Stated(label, args[0])
    free = [_says_of(one, label) or bool(symbols(one) - CONSTANTS) for one in args]
    if label is None and any(free):
        return None
    if any(free) and not free[-1]:  # S = ab/2 = 24: a formula, and its value
        kinds = [kind for kind, letters in zip(kinds, free[1:], strict=True) if not letters]
        args = [one for one, letters in zip(args, free, strict=True) if not letters]
        kinds = kinds[len(kinds) + 1 - len(args) :]
    for kind, one in zip(kinds, args[1:], strict=True):
        if not (equal(args[0], one) if kind == "=" else _rounds(args[0], one)):
            raise ContradictionError
    return Stated(label, args[0])


def contradicts(node: Node, equal: Equal) -> bool:
    """Whether a chain of equalities in `node` is false: 41 = 42."""
    try:
        for one in parts(node):
            if isinstance(one, Rel):
                stated_value(one, equal)
    except ContradictionError:
        return True
    return False


def _take_label(args: list[Node], kinds: list[str]) -> Node | None:
    """Take the names off a chain, at its front or at its end; the last of them."""
    label: Node | None = None
    while len(args) > 1 and names.is_label(args[0]):
        label = args.pop(0)
        kinds.pop(0)
    if label is None and len(args) > 1 and names.is_label(args[-1]) and kinds[-1] == "=":
        kinds.pop()
        return args.pop()
    return label


def _is_asked_for(args: list[Node]) -> bool:
    """Whether a term at the head of a chain is one that a question asks for: x + y = 7; -x is no name, nor is x^2."""
    first = args[0]
    unknown = isinstance(first, Op) and first.name in _POWERS and first.args[0] in _UNKNOWNS
    if unknown or (isinstance(first, Op) and first.name == "neg"):
        return False
    if isinstance(first, Op) and first.name == "big:int" and first.args[0] == Words(""):
        return True
    letters = symbols(first) - CONSTANTS
    return not symbols(args[1]) & letters or (len(args) > 2 and not symbols(args[-1]) - CONSTANTS)


def _is_worked_out(args: list[Node]) -> bool:
    """Whether an expression in letters is worked out by a calculation: 4x = 4(40) = 160; x^2 = 3 + 9 = 12 is none."""
    first, *rest = args
    if len(rest) < 2 or not isinstance(first, Op) or first.name in _POWERS or not all(facts(one).plain for one in args):
        return False
    numbers = not any(symbols(one) - CONSTANTS for one in rest)
    return numbers and any(isinstance(one, Op) and one.name != "neg" for one in rest[:-1])


def _says_of(node: Node, label: Node | None) -> bool:
    """Whether a side of a chain says something of the function that is its label."""
    return isinstance(label, Op) and label.name.startswith("call:") and label.name in facts(node).operations


def _rounds(exact: Node, printed: Node) -> bool:
    """Whether `printed` is `exact` rounded to its own decimals, or cut off there; within a hundredth where it is no decimal."""
    exact, printed = (one.value if isinstance(one, Unit) else one for one in (exact, printed))
    value, other = real_value(exact), real_value(printed)
    if value is None or other is None:
        return True
    unit = arb(fmpq(1, 10 ** (printed.places or 0))) if isinstance(printed, Num) else abs(value) / 50
    off = value - other if other > 0 else other - value
    return bool(off >= -unit / 2) and bool(off < unit)


def difference(node: Rel) -> Node | None:
    """Left - right of an equation or inequality, so that it reads "... = 0" or "... > 0"."""
    left, right = node.args
    if isinstance(left, _STRUCTURES) or isinstance(right, _STRUCTURES):
        return None
    return left if right == Num(fmpq(0)) else Op("add", (left, Op("neg", (right,))))


_STRUCTURES = (Seq, SetOp, Words, Builder)
