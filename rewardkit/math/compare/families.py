"""Families of numbers over the integers, pi/4 + k pi and 2k + 1, as residue classes: one family has many spellings."""

from __future__ import annotations

import re
from typing import NamedTuple

from flint import fmpq

from rewardkit.math.compare.labels import domain
from rewardkit.math.compare.relations import family_letters, rename
from rewardkit.math.compare.shapes import spread
from rewardkit.math.latex.tree import Builder, Cond, LimitError, Node, Num, Op, Rel, Seq, SetOp, Sym
from rewardkit.math.latex.walk import CONSTANTS, facts, symbols
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.proof import real_value, same_value

MAX_CLASSES = 48
"""So many residue classes are compared."""

LETTERS = frozenset("klmnjtpqrsKN")
"""Letters that may run over the integers."""

_INTEGERS = frozenset({"bb:Z"})
_COUNTING = LETTERS | _INTEGERS
_PI = Sym("pi")


class Progression(NamedTuple):
    """The numbers offset + k step (or k step pi) for all whole numbers k."""

    offset: Node
    step: fmpq
    turns: bool
    """Whether the step is a multiple of pi."""


class Family(NamedTuple):
    """What an answer says that is a family: its progressions and the name they go by."""

    parts: tuple[Progression, ...]
    label: str = ""
    excluded: bool = False
    """The numbers are left out: x is none of them."""
    declared: bool = False
    """Whether it says that k is an integer."""
    letters: frozenset[str] = frozenset()


def may_be_family(node: Node) -> bool:
    """False for most trees, at little cost."""
    if isinstance(node, Op):
        return not _COUNTING.isdisjoint(symbols(node))
    return isinstance(node, (Cond, Rel, Seq, Builder, SetOp)) and bool(symbols(node) - CONSTANTS)


def family(node: Node, *, declared: bool = False) -> Family | None:
    """The family that a whole answer is, or None where it is anything else; `declared` if k is known to be an integer."""
    if isinstance(node, Cond):
        if not _over_integers(node):
            return None
        declared, node = True, node.value
    found: list[Family] = []
    for one in _members(spread(node)):
        part = _part(one, declared=declared)
        if part is None or len(found) > MAX_CLASSES:
            return None
        found.append(part)
    if not found:
        return None
    parts = tuple(progression for one in found for progression in one.parts)
    names = {one.label for one in found if one.label}
    if len(names) > 1 or len({one.turns for one in parts}) != 1 or len({one.excluded for one in found}) != 1:
        return None
    return Family(
        parts,
        "".join(names),
        found[0].excluded,
        declared or all(one.declared for one in found),
        frozenset().union(*(one.letters for one in found)),
    )


def recounted(gold: Node, answer: Node) -> Node | None:
    """The answer with its counter spelled as in the ground truth, where both count in the same way: k in N, m in N."""
    left, right = _counter(gold), _counter(answer)
    if left is None or right is None or left[1] != right[1] or left[0] == right[0] or left[0] in symbols(answer):
        return None
    return rename(answer, {right[0]: left[0]})


def along_a_line(gold: Node, answer: Node) -> Node | None:
    """The answer with the parameter of its points spelled as in the ground truth: (2t + 1, t) and (2s + 1, s)."""
    if not (isinstance(gold, Seq) and isinstance(answer, Seq) and gold.opened == answer.opened == "("):
        return None
    left, right = symbols(gold) - CONSTANTS, symbols(answer) - CONSTANTS
    if len(left) != 1 or len(right) != 1 or left == right or not left | right <= _PARAMETERS:
        return None
    return rename(answer, {next(iter(right)): next(iter(left))})


_PARAMETERS = frozenset({"t", "s", "u", "r", "lambda", "mu"})
"""Letters of points that run along a line or a curve."""


def _counter(node: Node) -> tuple[str, str] | None:
    """(letter, set) of the one condition in an answer that says in which set a letter counts."""
    members = node.items if isinstance(node, Seq) and not node.opened else (node,)
    texts = [one.text for one in members if isinstance(one, Cond)]
    found = _COUNTS.fullmatch(texts[0]) if len(texts) == 1 else None
    return None if found is None or found[1] not in LETTERS else (found[1], found[2])


_COUNTS = re.compile(r"(?:where|with|for|and|\(| )*([A-Za-z]) in (bb:[ZN][_ 0-9+*^]*?)[ )]*")


def _over_integers(node: Cond) -> bool:
    """Whether a condition says that a letter runs over the integers; "for all k" is said of a function."""
    found = domain(node.text)
    return (
        found is not None and found[1] == "Z" and set(node.text.split()).isdisjoint({"all", "every", "each", "forall"})
    )


def _members(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Seq) and node.opened in {"", "{"}:
        return tuple(part for one in node.items for part in _members(spread(one)))
    if isinstance(node, SetOp) and node.name == "union":
        return tuple(part for one in node.args for part in _members(one))
    return (node,)


def _part(node: Node, *, declared: bool) -> Family | None:
    """One member of a list of families."""
    if isinstance(node, Cond):
        return family(node)
    if isinstance(node, Builder):
        return _of_builder(node)
    if isinstance(node, Rel):
        return _of_relation(node, declared=declared)
    if not isinstance(node, Op):
        return None
    node = _radians(node)
    letters = symbols(node) - CONSTANTS
    if letters == _INTEGERS:  # 3Z + 1
        node, letters, declared = rename(node, {"bb:Z": "k"}), frozenset({"k"}), True
    if len(letters) != 1 or not letters <= LETTERS or (not declared and not family_letters(node)):
        return None
    parts = _progressions(node, next(iter(letters)))
    return None if parts is None else Family(parts, declared=declared, letters=letters)


def _of_relation(node: Rel, *, declared: bool) -> Family | None:
    """X = 2k + 1, x = 1 (mod 2), x in {2k + 1 | k in Z}, and what x is none of."""
    name = node.args[0]
    if not isinstance(name, Sym) or "_" in name.name or name.name in symbols(node.args[1]):
        return None
    if node.ops == ("equiv", "mod"):
        offset, modulus = rational(node.args[1]), rational(node.args[2])
        if offset is None or modulus is None or modulus <= 0:
            return None
        return Family((Progression(Num(offset), modulus, turns=False),), name.name, declared=True)
    if node.ops not in {("=",), ("in",), ("!=",)}:
        return None
    found = _part(node.args[1], declared=declared)
    if found is None or found.label or found.excluded:
        return None
    return found._replace(label=name.name, excluded=node.ops == ("!=",))


def _of_builder(node: Builder) -> Family | None:
    """{2k + 1 | k in Z}, {x | x = 2k + 1, k in Z}."""
    element = node.element
    if isinstance(element, Rel) and element.ops == ("in",) and element.args[1] == Sym("bb:R"):
        element = element.args[0]
    if isinstance(element, Sym):
        only, *rest = node.conditions
        declared = len(rest) == 1 and _names_integers(rest[0])
        if (rest and not declared) or node.either or not isinstance(only, (Cond, Rel)):
            return None
        found = family(only, declared=declared)
        return None if found is None or found.label != element.name else found._replace(label="")
    if len(node.conditions) != 1 or not _names_integers(node.conditions[0]):
        return None
    return _part(element, declared=True)


def _names_integers(node: Node) -> bool:
    return isinstance(node, Rel) and node.ops == ("in",) and node.args[1] == Sym("bb:Z")


def _progressions(node: Node, letter: str) -> tuple[Progression, ...] | None:
    """`node` as one progression, or as two where even and odd numbers differ, as (-1)^k does."""
    fixed: list[Node] = []
    moving: list[Node] = []
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, Op) and one.name == "add":
            stack.extend(one.args)
        elif isinstance(one, Op) and one.name == "neg" and isinstance(one.args[0], Op) and one.args[0].name == "add":
            stack.extend(Op("neg", (part,)) for part in one.args[0].args)
        else:
            (moving if letter in symbols(one) else fixed).append(one)
    total = _sum(moving)
    if total is None:
        return None
    turns = "pi" in symbols(total)
    at = [_at(total, letter, k, turns=turns) for k in range(-2, 5)]
    values = [one for one in at if one is not None]
    if len(values) != len(at):
        return None
    base = _sum(fixed)
    for stride in (1, 2):
        starts = range(2, 2 + stride)
        if all(
            values[k + stride] - values[k] == values[start + stride] - values[start]
            for start in starts
            for k in range(start % stride, 7 - stride, stride)
        ):
            found = [
                Progression(_shifted(base, values[k], turns), abs(values[k + stride] - values[k]), turns)
                for k in starts
            ]
            return tuple(found) if all(one.step for one in found) else None
    return None


def _at(node: Node, letter: str, k: int, *, turns: bool) -> fmpq | None:
    """The value at a whole number, in units of pi where it has one."""
    try:
        if not turns:
            return rational(node, {letter: fmpq(k)})
        values = [rational(node, {letter: fmpq(k), "pi": fmpq(x)}) for x in (1, 2, 3)]
    except (ZeroDivisionError, LimitError):
        return None
    one, two, three = values
    if one is None or two is None or three is None or two != 2 * one or three != 3 * one:
        return None
    return one


def _sum(terms: list[Node]) -> Node | None:
    total: Node | None = None
    for one in terms:
        total = one if total is None else Op("add", (total, one))
    return total


def _shifted(base: Node | None, value: fmpq, turns: bool) -> Node:
    shift: Node = Op("mul", (Num(value), _PI)) if turns else Num(value)
    return shift if base is None else Op("add", (base, shift))


def _radians(node: Node) -> Node:
    """`node` with its degrees as multiples of pi."""
    if not isinstance(node, Op) or "deg" not in facts(node).operations:
        return node
    args = tuple(_radians(one) for one in node.args)
    return Op("div", (Op("mul", (args[0], _PI)), Num(fmpq(180)))) if node.name == "deg" else Op(node.name, args)


def same_families(gold: Family, answer: Family) -> bool:
    """Whether two families hold the same numbers: the same residue classes of one common step."""
    turns = gold.parts[0].turns
    if gold.excluded != answer.excluded or (gold.label and answer.label and gold.label != answer.label):
        return False
    if turns != answer.parts[0].turns or not (gold.declared or (turns and _counts(gold, answer))):
        return False
    period = _common([one.step for one in (*gold.parts, *answer.parts)])
    if sum(period / one.step for one in (*gold.parts, *answer.parts)) > MAX_CLASSES:
        return False
    left, right = _classes(gold, period), _classes(answer, period)
    return all(any(_congruent(one, other, period, turns) for other in right) for one in left) and all(
        any(_congruent(one, other, period, turns) for one in left) for other in right
    )


def _counts(gold: Family, answer: Family) -> bool:
    """Whether a letter that nothing is said of counts turns: k does, and one that has two names; n pi - pi is not n pi - 2 pi."""
    return gold.letters != answer.letters or gold.letters <= {"k", "K"}


def _common(steps: list[fmpq]) -> fmpq:
    """The least common multiple of rational numbers."""
    top, bottom = steps[0].p, steps[0].q
    for one in steps[1:]:
        top, bottom = top.lcm(one.p), bottom.gcd(one.q)
    return fmpq(top, bottom)


def _classes(found: Family, period: fmpq) -> list[Node]:
    return [
        _shifted(one.offset, one.step * k, one.turns) for one in found.parts for k in range(int((period / one.step).p))
    ]


def _congruent(left: Node, right: Node, period: fmpq, turns: bool) -> bool:
    """Whether two numbers differ by a whole multiple of the period."""
    difference = Op("add", (left, Op("neg", (right,))))
    exact = _at(difference, "", 0, turns=turns)
    if exact is not None:
        return (exact / period).q == 1
    size = real_value(Op("div", (difference, _shifted(None, period, turns))))
    if size is None:
        return False
    return same_value(left, _shifted(right, period * round(float(size)), turns)) is True
