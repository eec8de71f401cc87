r"""Refuse answers that are not finished, whatever they evaluate to: unsolved equations, tautologies, restated tasks.

An answer is unfinished where the ground truth shows that more was asked for: `2x = 4` for `x = 2`, `\gcd(12, 18)` for 6,
`\{x \mid x^2 = 4\}` for {2, -2}, `0 = 0`. A ground truth of the same form accepts it.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewardkit.math.compare.names import is_label
from rewardkit.math.latex.tree import Cond, Labelled, Matrix, Node, Num, Op, Rel, Seq, Sym, Unit, Words
from rewardkit.math.latex.vocabulary import word_set
from rewardkit.math.latex.walk import CONSTANTS, facts, parts, symbols
from rewardkit.math.policy import Finished

TASKS = frozenset({"mod", "gcd", "lcm", "max", "min", "sup", "det", "lim", "modclass"})
"""Operators that name a task; sums, products, integrals and limits over a letter (`big:...`) do so, too."""

_HARMLESS = word_set("add mul neg div pow sqrt root abs fact binom pct deg pm sin cos tan ln log logb exp")
_EXACT = frozenset({"div", "neg", "sqrt", "root", "mul", "add", "pct", "deg", "pm"})
"""Operations of a value in its simplest form."""


def unfinished(gold: Node, answer: Node, level: Finished = "task") -> str | None:
    """Why `answer` is not finished where `gold` is the ground truth; None where it is.

    With `level` "value", arithmetic that is still to be done (3 + 4, 2^10, 5!) is unfinished as well.
    """
    if level == "task" and not isinstance(gold, Rel) and _is_plain(answer):
        return None
    golds, answers = list(_members(gold)), list(_members(answer))
    relations = [one for one in golds if isinstance(one, Rel)]
    for one in answers:
        why = _relation(one, relations, golds, level) if isinstance(one, Rel) else _value(one, golds, level)
        if why is not None:
            return why
    if len(answers) == 1 and not isinstance(answers[0], Rel) and relations and all(map(_between_letters, relations)):
        return "one side of an equation between two letters"
    return None


def _is_plain(node: Node) -> bool:
    """Whether `node` is an expression without any operator that could name a task, as most answers are."""
    found = facts(node)
    return found.plain and found.operations <= _HARMLESS and "d" not in found.names and "partial" not in found.names


def _between_letters(node: Rel) -> bool:
    """Whether a ground truth is an equation of two small letters, such as a = b."""
    letters = [one for one in node.args if isinstance(one, Sym) and one.name.islower() and one.name not in CONSTANTS]
    return node.ops == ("=",) and len(letters) == 2


def _members(node: Node) -> Iterator[Node]:
    """The parts of an answer: the members of a plain list, without labels, units and conditions."""
    if isinstance(node, Seq) and not node.opened:
        for item in node.items:
            yield from _members(item)
    elif isinstance(node, (Labelled, Cond, Unit)):
        yield from _members(node.value)
    else:
        yield node


def _relation(answer: Rel, relations: list[Rel], golds: list[Node], level: Finished) -> str | None:
    """Why a relation is not a finished answer."""
    if answer.ops == ("=",) and answer.args[0] == answer.args[1]:
        return "both sides are the same"
    if any(not _solved(one) or len(_free(one)) > 1 for one in relations):
        return None  # the equation of a curve, a condition: nothing is to be solved
    if not _solved(answer):
        return "a relation that is still to be solved"
    first, last = answer.args[0], answer.args[-1]
    return _value(first if isinstance(last, Sym) and last.name not in CONSTANTS else last, golds, level)


def _solved(answer: Rel) -> bool:
    """Whether a relation gives a name its value or range, or is a calculation: x = 2, -1 < x <= 3, 3 + 4 = 7; not x = 2x - 5."""
    first, last = answer.args[0], answer.args[-1]
    if set(answer.ops) <= {"=", "approx", "to"}:
        if any(map(_names, answer.args[:-1])):
            return not (isinstance(first, Sym) and any(first.name in _free(one) for one in answer.args if one != first))
        if _names(last) and not isinstance(last, Words):
            return len(answer.args) == 2 and not symbols(last) & _free(first)
        return (not _free(first) and not _free(last)) or (len(answer.args) > 2 and not _free(answer.args[-2]))
    return any(
        is_label(side) and not any(symbols(side) & _free(other) for other in answer.args if other is not side)
        for side in answer.args
    )


def _free(node: Node) -> frozenset[str]:
    return symbols(node) - CONSTANTS if not isinstance(node, Op) or not node.name.startswith("big:") else frozenset()


def _names(node: Node) -> bool:
    """Whether a side of a relation is a name: x, f(x), AB, an angle, |z|, gcd(a, b), a matrix, words."""
    if not isinstance(node, Op) or is_label(node):
        return isinstance(node, Matrix) or is_label(node)
    if node.name == "mul":
        unknown = [
            one for one in node.args if isinstance(one, Sym) and one.name[0].islower() and one.name not in _SIGNS
        ]
        return not unknown and all(map(_names, node.args))  # AB is a segment, xB is none
    if node.name in _OF_A_NAME:
        return all(map(_names, node.args))
    return node.name in TASKS or node.name.startswith("big:")


_OF_A_NAME = frozenset({"abs", "rank", "tr", "dim", "arg", "Re", "Im"})
"""What is asked of a thing that has a name: |z|, the rank of A."""

_SIGNS = frozenset({"angle", "triangle", "m", "measuredangle", "widehat"})


def _value(answer: Node, golds: list[Node], level: Finished) -> str | None:
    """Why a value is not a finished answer: it names the task, or is arithmetic that is still to be done."""
    for node in parts(answer):
        task = _task(node)
        if task is not None and all(_task(one) != task for gold in golds for one in parts(gold)):
            return f"it names the task ({task})"
        if level == "value" and isinstance(node, Op) and _arithmetic(node, golds):
            return "arithmetic that is still to be done"
    return None


def _task(node: Node) -> str | None:
    r"""The task that an operator names; of \frac{d}{dx}, a derivative."""
    if isinstance(node, Rel):
        return "mod" if node.ops[-1] == "mod" else None
    if not isinstance(node, Op):
        return None
    if node.name == "div" and node.args[0] in _DIFFERENTIALS:
        bottom = node.args[1]
        return "a derivative" if isinstance(bottom, Op) and bottom.args[0] == node.args[0] else None
    if node.name == "modclass":
        return "mod"
    if node.name in {"floor", "ceil"}:
        return None if _free(node) else "a rounding"
    return node.name.removeprefix("big:") if node.name in TASKS or node.name.startswith("big:") else None


_DIFFERENTIALS = (Sym("d"), Sym("partial"))


def _arithmetic(node: Op, golds: list[Node]) -> bool:
    """Whether an operation on numbers alone has a simpler form, and no ground truth has it."""
    if _free(node) or any(node.name in facts(gold).operations for gold in golds):
        return False
    return node.name not in _EXACT or (node.name in {"add", "mul"} and all(isinstance(one, Num) for one in node.args))
