"""Families of numbers over the integers: pi/4 + k pi, 2k + 1, x = 2 (mod 5). One family has many spellings.

Law: offset + step k is the same family where the steps agree up to sign and the offsets differ by whole steps.
"""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.compare.labels import domain
from rewardkit.math.latex.tree import Cond, LimitError, Node, Num, Op, ParseError, Rel, Seq, Sym
from rewardkit.math.latex.walk import CONSTANTS, children, facts, rename, substitute, symbols
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.proof import real_value, same_value

LETTERS = frozenset({"k", "n", "m", "l", "t", "j", "p", "s", "K", "N"})
"""Letters that may run over the integers."""

_PARAMETERS = frozenset({"t", "s", "u", "r", "lambda", "mu"})
_LINEAR = frozenset({"add", "mul", "neg"})
MAX_STEPS = 10**6
"""Offsets further apart are not compared."""


def with_counter(gold: Node, answer: Node) -> Node:
    """The answer with its counting letter spelled as in the ground truth: n pi for k pi; one letter stays one letter."""
    one, other = _body(gold), _body(answer)
    left, right = symbols(one), symbols(other)
    if (
        isinstance(one, Seq)
        and isinstance(other, Seq)
        and one.opened == other.opened == "("
        and not isinstance(gold, Cond)
    ):
        mine, theirs = left - CONSTANTS, right - CONSTANTS  # a line in space: (3t - 1, t), (3s - 1, s)
        if len(mine) == len(theirs) == 1 and mine | theirs <= _PARAMETERS:
            return rename(answer, {next(iter(theirs)): next(iter(mine))})
    stated = [domain(node.text) for node in (gold, answer) if isinstance(node, Cond)]
    found = facts(one)
    turns = ("pi" in left or "deg" in found.operations) and not found.operations.isdisjoint({"add", "pm"})
    if not (turns if not stated else all(found is not None and found[1] == "Z" for found in stated)):
        return answer
    mine, theirs = (left - right) & LETTERS, (right - left) & LETTERS
    if len(mine) != 1 or len(theirs) != 1:
        return answer
    letter = next(iter(mine))
    if not stated and not isinstance(one, Seq) and left - CONSTANTS != mine:
        return answer  # beside other letters the counter is one of them
    return answer if _raised(one, letter) else rename(answer, {next(iter(theirs)): letter})


def _body(node: Node) -> Node:
    """What is said of a name, without conditions."""
    while isinstance(node, Cond):
        node = node.value
    return node.args[-1] if isinstance(node, Rel) and node.ops == ("=",) else node


def _raised(node: Node, letter: str) -> bool:
    """Whether a letter stands in the base of a power: n^2 pi is no family."""
    if isinstance(node, Op) and node.name == "pow" and letter in symbols(node.args[0]):
        return True
    return any(_raised(one, letter) for one in children(node))


def counter(node: Node, *, declared: bool = False) -> str | None:
    """The letter that counts in a family: the only one, said to be an integer, or k in a formula with pi or degrees."""
    found = facts(node)
    names = found.names - CONSTANTS
    if len(names) != 1 or not names <= LETTERS or not isinstance(node, Op) or not found.plain:
        return None
    letter = next(iter(names))
    turns = letter in {"k", "K"} and ("pi" in found.names or "deg" in found.operations)
    return letter if turns or declared else None


def same_family(gold: Node, answer: Node, *, declared: bool = False) -> bool:
    """Whether two formulas give the same numbers, each for all integers."""
    one, other = counter(gold, declared=declared), counter(answer, declared=declared)
    if one is None or other is None:
        return False
    try:
        left, right = _progression(gold, one), _progression(answer, other)
        if left is None or right is None:
            return False
        (offset, step), (start, stride) = left, right
        if same_value(step, stride) is not True and same_value(step, _minus(stride)) is not True:
            return False
        steps = real_value(Op("div", (_difference(start, offset), step)))
        if steps is None or not abs(steps) < MAX_STEPS:
            return False
        whole = Op("mul", (Num(fmpq(round(float(steps)))), step))
        return same_value(start, Op("add", (offset, whole))) is True
    except (ParseError, LimitError, ZeroDivisionError):
        return False


def _progression(node: Node, letter: str) -> tuple[Node, Node] | None:
    """(offset, step) of a formula that is linear in a letter."""
    first, second, third = (substitute(node, letter, Num(fmpq(k))) for k in range(3))
    step = _difference(second, first)
    linear = same_value(_difference(third, second), step) is True and same_value(step, Num(fmpq(0))) is False
    return (first, step) if linear else None


def _minus(node: Node) -> Node:
    return Op("neg", (node,))


def _difference(left: Node, right: Node) -> Node:
    return Op("add", (left, _minus(right)))


def same_residue(gold: Node, answer: Node) -> bool | None:
    """Whether two residues are one, 7 mod 11, or a residue and its number; None where no side is a residue of numbers."""
    left, right = _residue(gold), _residue(answer)
    if left is None and right is None:
        return None
    if left is not None and right is not None:
        return left[1] == right[1] and ((left[0] - right[0]) / left[1]).q == 1
    residue, other = (left, answer) if left is not None else (right, gold)
    if (
        isinstance(gold, Op)
        and gold.name == "modclass"
        and residue is left
        and residue is not None
        and residue[0] < residue[1]
    ):
        return False  # a class is no number
    number = _number(other)
    return (
        residue is not None
        and number is not None
        and number == residue[0] - residue[1] * fmpq((residue[0] / residue[1]).floor())
    )


def _residue(node: Node) -> tuple[fmpq, fmpq] | None:
    """(a, m) of a mod m with numbers, m above 0."""
    if not (isinstance(node, Op) and node.name in {"mod", "modclass"}):
        return None
    number, modulus = _number(node.args[0]), _number(node.args[1])
    return (number, modulus) if number is not None and modulus is not None and modulus > 0 else None


def _number(node: Node) -> fmpq | None:
    try:
        return rational(node)
    except (LimitError, ZeroDivisionError):
        return None


def as_congruence(node: Rel) -> Rel | None:
    """A congruence, also one written as a family: x = 5k + 2 is x = 2 (mod 5)."""
    if node.ops[-1] == "mod":
        return node if len(node.ops) == 2 and not node.ops[0].startswith(("not", "!")) else None
    if node.ops != ("=",) or not isinstance(node.args[0], Sym):
        return None
    names = symbols(node.args[1]) - CONSTANTS
    if (
        len(names) != 1
        or not names <= LETTERS
        or node.args[0].name in names
        or not facts(node.args[1]).operations <= _LINEAR
    ):
        return None
    at = [rational(node.args[1], {next(iter(names)): fmpq(x)}) for x in range(3)]
    if at[0] is None or at[1] is None or at[2] is None or at[0].q != 1 or at[1].q != 1:
        return None
    step = at[1] - at[0]
    if step == 0 or at[2] - at[1] != step:
        return None
    return Rel(("equiv", "mod"), (node.args[0], Num(at[0]), Num(abs(step))))
