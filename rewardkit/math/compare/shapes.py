"""One shape for what can be written in several: plus-minus as a list, matrices worked out, signs taken off."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from flint import fmpq

from rewardkit.math.latex.tree import Cond, Labelled, Matrix, Node, Num, Op, Ratio, Rel, Seq, Sym, Unit, Words
from rewardkit.math.latex.walk import CONSTANTS, facts, mapped, parts

SCALARS = (Num, Sym, Op, Ratio)
"""The kinds of numbers and expressions; a tuple, since a union is built anew at each call."""


def bare(node: Node) -> Node:
    """`node` without conditions that only say over what letters run."""
    while isinstance(node, Cond) and node.universal:
        node = node.value
    return node


def shaped(node: Node) -> Node:
    """`node` in one shape: with plus-minus written out, x = y = 2 and (x, y) = (2, 2) as x = 2, y = 2, wherever a value stands."""
    if isinstance(node, (Num, Sym)):
        return node
    if isinstance(node, (Cond, Unit, Labelled)):
        return mapped(node, lambda one: None if one is node else shaped(one))
    node = spread(node)
    if isinstance(node, Rel) and set(node.ops) == {"="}:
        return _each_named(node)
    if isinstance(node, Seq):
        items = _by_name(tuple(item for one in node.items for item in _named_apart(one)))
        return node if items == node.items else Seq(node.opened, node.closed, items, node.either, node.both)
    return node


def _named_apart(node: Node) -> tuple[Node, ...]:
    """A member of a list in one shape; a = b = 2 as two members."""
    found = shaped(node)
    return found.items if isinstance(node, Rel) and node.ops[1:] and isinstance(found, Seq) else (found,)


_COORDINATES = frozenset("xyz")
_INDEXED = re.compile("[A-Za-z]_[1-9]").fullmatch


def _by_name(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """Equations of coordinates (x, y, z or x_1, x_2) in the order of their names; other members as they are."""
    sides = [one.args[0] for one in items if isinstance(one, Rel) and one.ops == ("=",)]
    names = [one.name for one in sides if isinstance(one, Sym)]
    indexed = len({name[0] for name in names}) == 1 and all(map(_INDEXED, names))
    plain = len(set(names)) == len(names) == len(items) and (indexed or _COORDINATES.issuperset(names))
    return tuple(sorted(items, key=repr)) if plain else items


def _each_named(node: Rel) -> Node:
    """Equations of several names as one for each, coordinates in the order of their names; others as they are."""
    *names, value = node.args
    values = (value,) * len(names)
    if len(names) == 1 and isinstance(names[0], Seq) and isinstance(value, Seq):
        names, values = list(names[0].items), value.items
    letters = {one.name for one in names if isinstance(one, Sym)} - CONSTANTS
    named = isinstance(value, Words) or (isinstance(value, Sym) and value.name not in CONSTANTS)
    if len(names) < 2 or not len(letters) == len(names) == len(values) or named:
        return node
    return Seq("", "", _by_name(tuple(Rel(("=",), pair) for pair in zip(names, values, strict=True))))


# -- plus-minus ------------------------------------------------------------------------------------------------------

MAX_SIGNED = 8
"""So many combinations of signs are written out."""

_SIGNS = frozenset({"pm", "mp"})


def has_sign(node: Node) -> bool:
    """Whether a plus-minus stands in `node`."""
    return not isinstance(node, (Num, Sym)) and not _SIGNS.isdisjoint(facts(node).operations)


def spread(node: Node) -> Node:
    """Plus-minus written out: 1 ± 2 is the list -1, 3; in a list each member is written out."""
    if not isinstance(node, (Op, Rel, Seq)) or not has_sign(node):
        return node
    if isinstance(node, Seq) and node.opened in {"", "{"}:
        wide = [spread(bare(one)) for one in node.items]
        items = [one.items if isinstance(one, Seq) and not one.opened else (one,) for one in wide]
        return Seq(node.opened, node.closed, tuple(itertools.chain(*items)), node.either, node.both)
    if (isinstance(node, Seq) and node.opened != "(") or (isinstance(node, Rel) and node.ops[1:] not in {(), ("mod",)}):
        return node
    separate = isinstance(node, Op) or (isinstance(node, Seq) and sum(map(has_sign, node.items)) > 1)
    both = isinstance(node, Rel) and node.ops == ("!=",)
    either = isinstance(node, Op) or (isinstance(node, Rel) and node.ops[-1] == "mod")
    return Seq("", "", _signed(node, separate=separate), either=either, both=both)


def _signed(node: Node, *, separate: bool) -> tuple[Node, ...]:
    """`node` with its signs upper and lower; all combinations where they may be `separate` and no minus-plus is among them."""
    count = sum(isinstance(one, Op) and one.name in _SIGNS for one in parts(node))
    if separate and 2**count <= MAX_SIGNED and "mp" not in facts(node).operations:
        return tuple(_with_signs(node, iter(signs)) for signs in itertools.product((True, False), repeat=count))
    return _with_signs(node, itertools.repeat(True)), _with_signs(node, itertools.repeat(False))


def _with_signs(node: Node, upper: Iterator[bool]) -> Node:
    def written(one: Node) -> Node | None:
        if not isinstance(one, Op) or one.name not in _SIGNS:
            return None
        plus = next(upper) == (one.name == "pm")
        left, right = (mapped(each, written) for each in one.args)
        if not plus:
            right = _negated(right)
        return right if left == Num(fmpq(0)) else Op("add", (left, right))

    return mapped(node, written)


def _negated(node: Node) -> Node:
    """The other sign, of a point in each coordinate: ±(1, 2)."""
    if isinstance(node, Seq):
        return Seq(node.opened, node.closed, tuple(Op("neg", (one,)) for one in node.items))
    return Op("neg", (node,))


# -- matrices --------------------------------------------------------------------------------------------------------


def as_matrix(node: Node) -> Matrix | None:
    """A matrix, also one written as a list of lists, or a multiple of one."""
    if isinstance(node, Matrix):
        return node
    if isinstance(node, Op) and node.name in {"neg", "mul"}:
        matrix, factor = as_matrix(node.args[-1]), Num(fmpq(-1)) if node.name == "neg" else node.args[0]
        if matrix is None or as_matrix(factor) is not None:
            return None
        return Matrix(matrix.kind, tuple(tuple(Op("mul", (factor, cell)) for cell in row) for row in matrix.rows))
    if isinstance(node, Seq) and node.opened + node.closed == "[]" and node.items:
        rows = [one.items for one in node.items if isinstance(one, Seq) and one.opened + one.closed == "[]"]
        if len(rows) == len(node.items) and len({len(row) for row in rows}) == 1 and rows[0]:
            return Matrix("matrix", tuple(rows))
    return None


def shape(node: Matrix) -> tuple[int, int]:
    """(rows, columns) of a matrix."""
    return len(node.rows), len(node.rows[0])


# -- signs behind a number -------------------------------------------------------------------------------------------


def percent_of(node: Node) -> Node | None:
    """What stands before a percent sign."""
    return _before("pct", node)


def degrees_of(node: Node) -> Node | None:
    """What stands before a degree sign."""
    return _before("deg", node)


def _before(sign: str, node: Node) -> Node | None:
    if not isinstance(node, Op):
        return None
    if node.name == sign:
        return node.args[0]
    if node.name == "neg" or (node.name == "add" and sign == "deg"):
        inside = [found for one in node.args if (found := _before(sign, one)) is not None]
        return Op(node.name, tuple(inside)) if len(inside) == len(node.args) else None
    last = _before(sign, node.args[1]) if node.name == "mul" and sign == "deg" else None
    return Op("mul", (node.args[0], last)) if last is not None else None


# -- products in which the order counts ------------------------------------------------------------------------------

MAX_WORD = 4
"""Products of so many capitals are lengths: AB CD."""


def order_counts(*nodes: Node) -> bool:
    """Whether one of the formulas shows that its letters do not commute, so that they are equal only as they are written.

    It does where x and 1/x are factors of one product, where two products have the same capitals in another order, where a
    product of capitals is inverted, and where a factor is transposed.
    """
    return any("mul" in facts(node).operations and _shows(node) for node in nodes)


def absorbs(sides: tuple[Node, ...]) -> bool:
    """Whether an equation says that a product of capitals is one of them, NL = L: the letters are no numbers."""
    left, right = map(_word, sides)
    return (len(left) == 1 < len(right) and left in right) or (len(right) == 1 < len(left) and right in left)


def _shows(node: Node) -> bool:
    found = facts(node)
    if len(found.names) < 2 and "call:^T" not in found.operations:
        return False
    inverses = "pow" in found.operations and any(_inverted(one) is not None for one in parts(node))
    if not inverses and "call:^T" not in found.operations and sum(map(str.isupper, found.names)) < 2:
        return False  # as most formulas
    words: dict[str, str] = {}
    for one in parts(node):
        word = _word(one)
        if _inverted(one) is not None:
            if len(word) > 1:
                return True
        elif isinstance(one, Op) and one.name == "mul":
            factors = _factors(one)
            transposed = any(isinstance(each, Op) and each.name == "call:^T" for each in factors)
            if transposed or any(_inverted(each) in factors for each in factors):
                return True
            if 1 < len(word) < MAX_WORD and words.setdefault("".join(sorted(word)), word) != word:
                return True
    return False


def _factors(node: Node) -> list[Node]:
    """The factors of a product, as they are written."""
    if isinstance(node, Op) and node.name == "mul":
        return [factor for one in node.args for factor in _factors(one)]
    return [node]


def _inverted(node: Node) -> Node | None:
    """What a power of -1 inverts; e^{-A} inverts e^A."""
    if not isinstance(node, Op) or node.name != "pow":
        return None
    base, exponent = node.args
    if base == Sym("e") and isinstance(exponent, Op) and exponent.name == "neg" and _word(exponent):
        return Op("pow", (base, exponent.args[0]))
    return base if isinstance(exponent, Num) and exponent.value == -1 else None


def _word(node: Node) -> str:
    """The capitals of a product or a power, in their order."""
    if isinstance(node, Op):
        args = node.args if node.name in {"mul", "neg"} else node.args[:1] if node.name == "pow" else ()
        return "".join(map(_word, args))
    return node.name if isinstance(node, Sym) and len(node.name) == 1 and node.name.isupper() else ""
