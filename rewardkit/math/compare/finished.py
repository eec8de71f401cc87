r"""Refuse answers that are not finished, whatever they evaluate to: unsolved equations, tautologies, restated tasks.

An answer is unfinished where the ground truth shows that more was asked for: `2x = 4` for `x = 2`, `\gcd(12, 18)` for 6,
`\{x \mid x^2 = 4\}` for {2, -2}, `0 = 0`. A ground truth of the same form accepts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from rewardkit.math.compare.names import is_label, is_quantity
from rewardkit.math.latex.tree import Builder, Cond, Labelled, Matrix, Node, Num, Op, Rel, Seq, Sym, Unit, Words
from rewardkit.math.latex.vocabulary import word_set
from rewardkit.math.latex.walk import CONSTANTS, children, facts, symbols
from rewardkit.math.policy import Finished

TASKS = frozenset({"mod", "gcd", "lcm", "max", "min", "sup", "inf", "det", "lim", "modclass"})
"""Operators that name a task; sums, products, integrals and limits over a letter (`big:...`) do so, too."""

_ORDERS = frozenset({"<", ">", "<=", ">="})
_EXACT = frozenset({"div", "neg", "sqrt", "root", "mul", "add", "pct", "deg", "pm"})
"""Operations of a value in its simplest form."""


def unfinished(gold: Node, answer: Node, level: Finished = "task") -> str | None:
    """Why `answer` is not finished where `gold` is the ground truth; None where it is.

    With `level` "value", arithmetic that is still to be done (3 + 4, 2^10, 5!) is unfinished as well.
    """
    if level == "task" and not isinstance(gold, Rel) and _is_plain(answer):
        return None
    golds, answers = list(_members(gold)), list(_members(answer))
    truth = _Truth(golds)
    for one in answers:
        if (why := _relation(one, truth, level) if isinstance(one, Rel) else _value(one, truth, level)) is not None:
            return why
    if len(answers) == 1 and not isinstance(answers[0], Rel) and all(map(_between_letters, truth.relations or golds)):
        return "one side of an equation between two letters"
    return None


def _is_plain(node: Node) -> bool:
    """Whether `node` is an expression without any operator that could name a task, as most answers are."""
    if not isinstance(node, (Num, Sym, Op)):
        return False
    found = facts(node)
    return found.plain and found.operations <= _HARMLESS and "d" not in found.names and "partial" not in found.names


_HARMLESS = word_set("add mul neg div pow sqrt root abs fact binom pct deg pm sin cos tan ln log logb exp")


def _between_letters(node: Node) -> bool:
    """Whether a ground truth is an equation of two small letters, such as a = b."""
    if not isinstance(node, Rel) or node.ops != ("=",):
        return False
    return all(isinstance(side, Sym) and side.name.islower() and side.name not in CONSTANTS for side in node.args)


class _Truth:
    """What the ground truth shows of the form that is asked for."""

    def __init__(self, golds: list[Node]) -> None:
        self.golds = golds
        self.relations = [one for one in golds if isinstance(one, Rel)]

    @cached_property
    def nodes(self) -> list[Node]:
        """All parts of the ground truth."""
        return [node for one in self.golds for node in _walk(one)]

    @cached_property
    def operations(self) -> set[str]:
        """The names of its operations."""
        return {node.name for node in self.nodes if isinstance(node, Op)}

    @cached_property
    def open(self) -> bool:
        """Whether a relation need not be solved: the equation of a curve, a condition."""
        return any(not _solved(one) or _curve(one) for one in self.relations)

    def allows(self, node: Op) -> bool:
        """Whether the ground truth has the operator, too, or a residue is the smallest one."""
        if node.name not in {"mod", "modclass"}:
            return node.name in self.operations
        value, modulus = node.args
        smallest = isinstance(value, Num) and isinstance(modulus, Num) and 0 <= value.value < modulus.value
        return smallest or not self.operations.isdisjoint({"mod", "modclass"})


def _members(node: Node) -> Iterator[Node]:
    """The parts of an answer: the members of a plain list, without labels, units and conditions."""
    if isinstance(node, Seq) and not node.opened:
        for item in node.items:
            yield from _members(item)
    elif isinstance(node, (Labelled, Cond, Unit)):
        yield from _members(node.value)
    else:
        yield node


def _walk(node: Node) -> Iterator[Node]:
    """`node` and all below it."""
    pending = [node]
    while pending:
        one = pending.pop()
        yield one
        pending.extend(children(one))


def _relation(answer: Rel, truth: _Truth, level: Finished) -> str | None:
    """Why a relation is no finished answer."""
    if any(answer == one for one in truth.relations):
        return None
    if answer.ops == ("=",) and answer.args[0] == answer.args[1]:
        return "both sides are the same"
    if truth.open:
        return None
    if not _solved(answer):
        lefts = [one.args[0] for one in truth.relations]
        if answer.args[0] in lefts and set(answer.ops) <= {"=", "approx"}:
            return None
        return "a relation that is still to be solved"
    first, last = answer.args[0], answer.args[-1]
    return _value(first if isinstance(last, Sym) and last.name not in CONSTANTS else last, truth, level)


def _solved(answer: Rel) -> bool:
    """Whether a relation gives a name its value or range, or is a calculation: x = 2, -1 < x <= 3, 3 + 4 = 7."""
    if set(answer.ops) <= {"=", "approx", "to"}:
        names = [side for side in answer.args[:-1] if _names(side)]
        last = answer.args[-1]
        if names:
            return True
        if _names(last) and not isinstance(last, Words):
            return len(answer.args) == 2 and not symbols(last) & symbols(answer.args[0]) - CONSTANTS
        return not _free(answer.args[0]) or (len(answer.args) > 2 and not _free(answer.args[-2]))
    if set(answer.ops) <= _ORDERS | {"!="}:
        return any(
            is_label(side)
            and not any(symbols(side) & symbols(other) - CONSTANTS for other in answer.args if other is not side)
            for side in answer.args
        )
    return True


def _curve(relation: Rel) -> bool:
    """Whether a relation of a ground truth is between several letters: an equation of a line, of a curve."""
    return len(_free(relation)) > 1


def _free(node: Node) -> frozenset[str]:
    return symbols(node) - CONSTANTS if not isinstance(node, Op) or not node.name.startswith("big:") else frozenset()


def _names(node: Node) -> bool:
    """Whether a side of a relation is a name: x, f(x), AB, an angle, |z|, the inverse of a matrix, words."""
    if is_label(node):
        return True
    if isinstance(node, Op):
        if node.name == "mul":
            return all(_names(one) and isinstance(one, (Sym, Op)) and _upper(one) for one in node.args)
        if node.name == "pow" and isinstance(node.args[1], Num) and node.args[1].value == -1:
            return _names(node.args[0])
        if node.name in _OF_A_NAME:
            return all(map(_names, node.args))
        return node.name in TASKS or node.name.startswith("big:") or _measures(node)
    return isinstance(node, Matrix)


def _measures(node: Op) -> bool:
    """Whether a term measures things that have names: cos A, AB / CD, tan alpha; x and y are unknowns, not names."""
    return is_quantity(node) and not any(one[0].islower() and (len(one) == 1 or "_" in one) for one in _free(node))


def _upper(node: Node) -> bool:
    """Whether a factor is part of the name of a segment or an angle: A in AB, the sign of an angle."""
    return not isinstance(node, Sym) or node.name[0].isupper() or node.name in _SIGNS


_OF_A_NAME = frozenset({"abs", "rank", "tr", "dim", "arg", "Re", "Im"})
"""What is asked of a thing that has a name: |z|, the rank of A."""

_SIGNS = frozenset({"angle", "triangle", "m", "measuredangle", "widehat"})


def _value(answer: Node, truth: _Truth, level: Finished) -> str | None:
    """Why a value is no finished answer: it names the task, or describes the members of a set by an equation."""
    for node in _walk(answer):
        if isinstance(node, Op):
            if (node.name in TASKS or node.name.startswith("big:")) and not truth.allows(node):
                return f"it names the task ({node.name.removeprefix('big:')})"
            if _derivative(node) and not any(map(_derivative, truth.nodes)):
                return "it names the task (a derivative)"
            if level == "value" and node.name not in truth.operations and _arithmetic(node):
                return "arithmetic that is still to be done"
        elif _determinant(node) and not any(map(_determinant, truth.nodes)):
            return "it names the task (a determinant)"
        elif isinstance(node, Builder) and not any(isinstance(one, Builder) for one in truth.nodes):
            conditions = (one for condition in node.conditions for one in _members(condition))
            if not all(_solved(one) for one in conditions if isinstance(one, Rel)):
                return "a set given by an equation that is still to be solved"
    return None


def _determinant(node: Node) -> bool:
    return isinstance(node, Matrix) and node.kind == "det"


def _derivative(node: Node) -> bool:
    r"""Whether `node` is the sign of a derivative: \frac{d}{dx}."""
    return (
        isinstance(node, Op)
        and node.name == "div"
        and isinstance(node.args[0], Sym)
        and node.args[0].name in {"d", "partial"}
        and isinstance(node.args[1], Op)
        and node.args[1].name == "mul"
        and node.args[1].args[0] == node.args[0]
    )


def _arithmetic(node: Op) -> bool:
    """Whether an operation on numbers alone has a simpler form."""
    if _free(node):
        return False
    if node.name not in _EXACT:
        return True
    return node.name in {"add", "mul"} and sum(isinstance(one, Num) for one in node.args) > 1
