"""Compare matrices, columns as vectors, and the cases of a function."""

from __future__ import annotations

from rewardkit.math.compare.pairing import Pairing
from rewardkit.math.compare.shapes import as_matrix, shape
from rewardkit.math.latex.tree import Matrix, Node, Num, Op, Rel, Seq, Sym


class Matrices(Pairing):
    """The judgement of two matrices, entry by entry, and of two lists of cases."""

    def matrices(self, gold: Node, answer: Node) -> bool:
        """Entries in place; a column is a vector."""
        a, b = as_matrix(gold), as_matrix(answer)
        if a is None or b is None:
            vector, other = (a, answer) if a is not None else (b, gold)
            members = None if vector is None else _coordinates(other, vector)
            if vector is None or members is None:
                return False
            cells = tuple(cell for row in vector.rows for cell in row)
            return self.in_order(cells, members) if a is not None else self.in_order(members, cells)
        if a.kind == b.kind == "cases":
            return self.any_order(map(_row, a.rows), map(_row, b.rows)) and self.note("the same cases")
        if a.kind != b.kind or len(a.rows) != len(b.rows) or len(a.rows[0]) != len(b.rows[0]):
            return False
        pairs = zip(a.rows, b.rows, strict=True)
        return all(self.in_order(one, other) for one, other in pairs) and self.note("the same entries")


def _coordinates(node: Node, vector: Matrix) -> tuple[Node, ...] | None:
    """The coordinates of `node`, which is no matrix, where it can be a row or column such as `vector`."""
    rows, columns = shape(vector)
    if 1 not in {rows, columns}:
        return None
    if isinstance(node, Op):
        if node.name == "binom" and (rows, columns) == (2, 1):  # a column is written so, too
            return node.args
        return None
    if isinstance(node, Seq) and node.opened in {"(", "<", "["} and node.closed in {")", ">", "]"}:
        return node.items
    return None


_COUNTERS = frozenset({"n", "k", "m"})


def _row(cells: tuple[Node, ...]) -> Seq:
    """A case and its condition as one member; n > 1 is n >= 2."""
    *values, condition = cells
    if (
        isinstance(condition, Rel)
        and len(condition.args) == 2
        and condition.ops[0] in {"<", ">"}
        and isinstance(condition.args[0], Sym)
        and condition.args[0].name in _COUNTERS
        and isinstance(bound := condition.args[1], Num)
        and bound.value.q == 1
    ):
        step = 1 if condition.ops[0] == ">" else -1
        condition = Rel((condition.ops[0] + "=",), (condition.args[0], Num(bound.value + step)))
    return Seq("(", ")", (*values, condition))
