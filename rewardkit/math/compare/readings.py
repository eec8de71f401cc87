"""The trees that a text may mean: commas that separate thousands or members, 7e-8, constants under other names."""

from __future__ import annotations

import re
from itertools import permutations

from rewardkit.math.latex.parser import parse
from rewardkit.math.latex.respell import with_cycles
from rewardkit.math.latex.tree import Cond, LimitError, Node, Op, ParseError, Rel, Sym
from rewardkit.math.latex.walk import rename, symbols

_DECIMAL_COMMA = re.compile(r"([0-9]),([0-9]+)")


def with_decimal_comma(text: str, found: tuple[Node, ...] | str) -> tuple[Node, ...] | str:
    """One more reading, for the lenient mode: 2,74 as 2.74."""
    if len(text) > 20 or len(_DECIMAL_COMMA.findall(text)) != 1:
        return found
    more = readings(_DECIMAL_COMMA.sub(r"\1.\2", text))
    if isinstance(more, str):
        return found
    return more if isinstance(found, str) else found + more


def with_constants(gold: Node, answer: Node) -> tuple[Node, ...]:
    """The answer with its free constants spelled as in the ground truth: c for C, A and B for C_1 and C_2."""
    if isinstance(gold, Cond):
        gold = gold.value
    left = symbols(gold)
    if left.isdisjoint(FREE_CONSTANTS) or not (isinstance(gold, Rel) or _adds_constant(gold)):
        return (answer,)
    right = symbols(answer)
    if (
        left & right & FREE_CONSTANTS == left & FREE_CONSTANTS == right & FREE_CONSTANTS
        and len(left & FREE_CONSTANTS) == 2
    ):
        one, other = sorted(left & FREE_CONSTANTS)
        return answer, rename(answer, {one: other, other: one})
    wanted, spare = sorted((left - right) & FREE_CONSTANTS), sorted((right - left) & _OTHER_CONSTANTS)
    names = {
        side.name for node in (gold, answer) if isinstance(node, Rel) for side in node.args if isinstance(side, Sym)
    }
    if not wanted or not names.isdisjoint(wanted + spare) or len(wanted) != len(spare) or len(wanted) > MAX_CONSTANTS:
        return (answer,)
    if (
        not isinstance(gold, Rel)
        and not {"C", "c"} & set(spare)
        and not all(_adds_constant(answer, one) for one in spare)
    ):
        return (answer,)
    return tuple(rename(answer, dict(zip(spare, names, strict=True))) for names in permutations(wanted))


MAX_CONSTANTS = 3
"""So many free constants may have other names."""

FREE_CONSTANTS = frozenset({"C", "c", "C_1", "C_2", "C_3", "c_1", "c_2", "c_3"})
_OTHER_CONSTANTS = FREE_CONSTANTS | {"K", "k", "D", "A", "B", "C_0", "c_0"}
"""Names of constants of integration."""


def _adds_constant(node: Node, *names: str) -> bool:
    """Whether a sum has a term C (or one of `names`)."""
    return (
        isinstance(node, Op)
        and node.name == "add"
        and any(
            (isinstance(one, Sym) and one.name in (names or ("C", "c"))) or _adds_constant(one, *names)
            for one in node.args
        )
    )


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
