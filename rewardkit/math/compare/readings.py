"""The trees that a text may mean: commas that separate thousands or members, 7e-8, constants under other names."""

from __future__ import annotations

import re
from itertools import permutations

from rewardkit.math.compare.names import domain
from rewardkit.math.compare.shapes import bare, parts
from rewardkit.math.latex.parser import parse
from rewardkit.math.latex.respell import with_cycles
from rewardkit.math.latex.tree import Cond, LimitError, Node, Op, ParseError, Rel, Seq, Sym
from rewardkit.math.latex.walk import CONSTANTS, facts, rename, symbols

_DECIMAL_COMMA = re.compile(r"([0-9]),([0-9]+)")


def with_decimal_comma(text: str, found: tuple[Node, ...] | str) -> tuple[Node, ...] | str:
    """One more reading, for the lenient mode: 2,74 as 2.74."""
    if len(text) > 20 or len(_DECIMAL_COMMA.findall(text)) != 1:
        return found
    more = readings(_DECIMAL_COMMA.sub(r"\1.\2", text))
    if isinstance(more, str):
        return found
    return more if isinstance(found, str) else found + more


def renamings(gold: Node, answer: Node) -> tuple[Node, ...]:
    """The answer with its free letters spelled as in the ground truth: c for C, A and B for C_1 and C_2, n pi for k pi."""
    body, other = _body(gold), _body(answer)
    left, right = (symbols(one) - CONSTANTS for one in (body, other))
    mine, theirs = sorted(left - right), sorted(right - left)
    if not mine:
        both = sorted(left & FREE_CONSTANTS)
        swapped = len(both) == 2 and left == right  # which of the two has which name
        return (answer, rename(answer, dict(zip(both, both[::-1], strict=True)))) if swapped else (answer,)
    if len(mine) != len(theirs) or len(mine) > MAX_CONSTANTS:
        return (answer,)
    constants = FREE_CONSTANTS.issuperset(mine) and _OTHER_CONSTANTS.issuperset(theirs)
    if constants and (body is gold or Sym(mine[0]) in getattr(gold, "args", ())):
        constants = all(_is_term(body, one) for one in mine) and all(_is_term(other, one) for one in theirs)
    if not constants and not (len(mine) == 1 and _counts(gold, answer, mine[0], theirs[0], left)):
        return (answer,)
    return tuple(rename(answer, dict(zip(theirs, names, strict=True))) for names in permutations(mine))


def _body(node: Node) -> Node:
    """What is said of a name, or of one in each member of a list."""
    node = bare(node)
    if isinstance(node, Seq) and not node.opened:
        return Seq("", "", tuple(map(_body, node.items)))
    return node.args[-1] if isinstance(node, Rel) and node.ops == ("=",) else node


def _is_term(node: Node, name: str) -> bool:
    """Whether a letter is a term of a sum."""
    return (
        isinstance(node, Op)
        and node.name == "add"
        and any(one == Sym(name) or _is_term(one, name) for one in node.args)
    )


def _counts(gold: Node, answer: Node, mine: str, theirs: str, letters: frozenset[str]) -> bool:
    """Whether two letters run over the integers: one is said to, or is alone in a sum with pi, or a name is 4k + 3."""
    stated = [domain(one.text) for one in (gold, answer) if isinstance(one, Cond)]
    if any(one is not None and one[1] == "Z" and one[0] in {mine, theirs} for one in stated):
        return True
    if stated or not {mine, theirs} <= COUNTERS or not letters <= {mine}:
        return False
    found = facts(gold)
    squared = any(isinstance(one, Op) and one.name == "pow" and mine in symbols(one.args[0]) for one in parts(gold))
    if squared or found.operations.isdisjoint({"add", "pm"}):
        return False
    turns = "pi" in found.names or "deg" in found.operations
    return turns or isinstance(gold, Rel)


COUNTERS = frozenset({"k", "n", "m", "l", "t", "j", "K", "N"})
"""Letters that may run over the integers."""

MAX_CONSTANTS = 3
"""So many free constants may have other names."""

FREE_CONSTANTS = frozenset({"C", "c", "C_1", "C_2", "C_3", "c_1", "c_2", "c_3"})
_OTHER_CONSTANTS = FREE_CONSTANTS | {"K", "k", "D", "A", "B", "C_0", "c_0"}
"""Names of constants of integration."""


def readings(text: str, *, cycles: bool = False) -> tuple[Node, ...] | str:
    """The trees of `text`: two where commas may separate thousands or members; or why there is none.

    With `cycles`, 0.333... is a third.
    """
    if cycles and ("..." in text or "dots" in text):
        text = with_cycles(text)
    try:
        first = parse(text)
    except LimitError as error:
        return f"limit: {error}"
    except RecursionError:
        return "limit: nested too deeply"
    except ParseError as error:
        if not ambiguous(text):
            return str(error)
        first = None
    if not ambiguous(text):
        return () if first is None else (first,)
    if "(" in text and _PAIR.search(text) is not None:
        first = None
    try:
        second = parse(_SHORT_POWER.sub(r"\1E\2", text), commas=False)
    except (LimitError, ParseError, RecursionError):
        return (first,) if first is not None else "no reading"
    return (first, second) if first is not None else (second,)


_CYCLE = re.compile(r"\\[lc]?dots|\.\.\.|\.[0-9]*(?:\\(?:overline|bar|dot)|\([0-9])")


def has_cycle(text: str) -> bool:
    """Whether a ground truth is written as a decimal without end."""
    return "." in text and _CYCLE.search(text) is not None


_GROUP = re.compile(r",[0-9]{3}")
_GROUPED = re.compile(r"(?<![0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})(?![0-9])")


_PAIR = re.compile(r"(?:^|[,={\s])[(\[][0-9]{1,3},[0-9]{3}[)\]]")
"""Brackets around two numbers and nothing else, in which a comma does not set thousands apart."""

_SHORT_POWER = re.compile(r"([0-9])e([-+][0-9])(?![0-9])")


def ambiguous(text: str) -> bool:
    """Whether a comma may separate thousands or members (10,000 is no list: 000 is no number), or 7e-8 be a power of ten."""
    return (
        "," in text and _GROUP.search(text) is not None and any(",0" not in one for one in _GROUPED.findall(text))
    ) or ("e" in text and _SHORT_POWER.search(text) is not None)
