"""A relation or a family of values in another form: x = y = 3 as x = 3, y = 3; x = 5k + 2 as a congruence."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.compare.labels import ordered_labels, unlabelled
from rewardkit.math.compare.relations import is_label
from rewardkit.math.latex.tree import Builder, Cond, Node, Num, Op, Rel, Seq, SetOp, Sym, Words
from rewardkit.math.latex.walk import CONSTANTS, symbols
from rewardkit.math.prove.exact import rational


def as_congruence(node: Rel) -> Rel | None:
    """A congruence, also one written as a family: x = 5k + 2 is x = 2 (mod 5)."""
    if node.ops[-1] == "mod":
        return node if len(node.ops) == 2 and not node.ops[0].startswith(("not", "!")) else None
    if node.ops != ("=",) or not isinstance(node.args[0], Sym):
        return None
    names = symbols(node.args[1]) - CONSTANTS
    if len(names) != 1 or not names <= _COUNTERS or node.args[0].name in names:
        return None
    at = [rational(node.args[1], {next(iter(names)): fmpq(x)}) for x in (0, 1, 2)]
    if at[0] is None or at[1] is None or at[2] is None or at[0].q != 1 or at[1].q != 1:
        return None
    step = at[1] - at[0]
    if step == 0 or at[2] - at[1] != step:
        return None
    return Rel(("equiv", "mod"), (node.args[0], Num(at[0]), Num(abs(step))))


_COUNTERS = frozenset({"k", "n", "m", "t", "l", "j", "q", "r", "s"})


def as_family(node: Builder) -> Cond | None:
    """{(k, 2k) | k in Z} as (k, 2k) for k in Z."""
    only = node.conditions[0]
    if len(node.conditions) != 1 or not isinstance(only, Rel) or only.ops != ("in",) or isinstance(node.element, Sym):
        return None
    letter, numbers = only.args
    if not (isinstance(letter, Sym) and isinstance(numbers, Sym) and numbers.name.startswith("bb:")):
        return None
    return Cond(node.element, f"{letter.name} in {numbers.name}", universal=True)


def as_repeated(node: Builder) -> Cond | None:
    """{x | 2k < x < 2k + 1, k in Z} as 2k < x < 2k + 1 for k in Z."""
    only = node.conditions[0]
    if len(node.conditions) != 1 or not isinstance(only, Cond) or not isinstance(node.element, Sym):
        return None
    inside = only.value
    if not (isinstance(inside, Rel) and len(inside.args) == 3 and inside.args[1] == node.element):
        return None
    letter, _, numbers = only.text.partition(" in ")
    return only if numbers == "bb:Z" and letter != node.element.name and letter in symbols(inside) else None


def under_names(label: Seq, value: Node, other: Node) -> Seq | None:
    """(a, b) = (1, 2) as a = 1, b = 2, where the other side names its values too."""
    if not isinstance(value, Seq) or len(label.items) != len(value.items) or not isinstance(other, Seq) or other.opened:
        return None
    if not ordered_labels(unlabelled(other)):
        return None
    return Seq("", "", tuple(Rel(("=",), pair) for pair in zip(label.items, value.items, strict=True)))


def in_usual_order(label: Seq, value: Node) -> Node:
    """The value of a point whose coordinates are named, (y, x) = (1, 2), in the order x, y, z."""
    names = [one.name for one in label.items if isinstance(one, Sym)]
    if not isinstance(value, Seq) or len(names) != len(label.items) or len(names) != len(value.items):
        return value
    if len(set(names)) != len(names) or not set(names) <= _COORDINATES:
        return value
    items = tuple(one for _, one in sorted(zip(names, value.items, strict=True), key=lambda pair: pair[0]))
    return Seq(value.opened, value.closed, items, value.either, value.both)


_COORDINATES = frozenset("xyz")


def is_chain(node: Rel) -> bool:
    """Whether a relation has more than two sides."""
    return len(node.ops) > 1


def each_named(node: Rel) -> Seq | None:
    """Chains such as x = y = z = 1/3 as x = 1/3, y = 1/3, z = 1/3."""
    *names, value = node.args
    if (
        len(names) < 2
        or set(node.ops) != {"="}
        or is_label(value)
        or not all(isinstance(one, Sym) and is_label(one) for one in names)
    ):
        return None
    return Seq("", "", tuple(Rel(("=",), (one, value)) for one in names))


def named_pair(node: Rel) -> Seq | None:
    """(x, y) = (1, 2) as x = 1, y = 2."""
    if node.ops != ("=",) or not isinstance(node.args[0], Seq) or not isinstance(node.args[1], Seq):
        return None
    label, value = node.args[0].items, node.args[1].items
    if len(label) != len(value) or not all(isinstance(one, Sym) and is_label(one) for one in label):
        return None
    return Seq("", "", tuple(Rel(("=",), pair) for pair in zip(label, value, strict=True)))


FLIP = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
TURNED = FLIP | {
    "subset": "supset", "supset": "subset", "psubset": "psupset", "psupset": "psubset", "<<": ">>", ">>": "<<", "prec": "succ", "succ": "prec",
    **{op: op for op in ("=", "!=", "approx", "equiv", "sim", "cong", "parallel", "perp", "asymp", "iff", "propto")},
}  # fmt: skip
"""Relations read from right to left; the others have no such reading."""


def directed(node: Rel) -> tuple[Node, str] | None:
    """An inequality as "... > 0" or "... >= 0"."""
    op = node.ops[0]
    flipped = node if op[0] == ">" else Rel((FLIP[op],), (node.args[1], node.args[0]))
    left, right = flipped.args
    if isinstance(left, (Seq, Words, SetOp)) or isinstance(right, (Seq, Words, SetOp)):
        return None
    return Op("add", (left, Op("neg", (right,)))), flipped.ops[0]
