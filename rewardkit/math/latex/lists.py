"""Brackets and lists: groups, tuples, intervals, sets and set-builders; members in groups or with a domain."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from rewardkit.math.latex.names import bound
from rewardkit.math.latex.tree import EMPTY_SET, Builder, Cond, Matrix, Node, Num, Op, ParseError, Rel, Seq, Sym, Unit
from rewardkit.math.latex.units import CURRENCIES
from rewardkit.math.latex.vocabulary import BRACKET, RELATIONS
from rewardkit.math.latex.walk import CONSTANTS, symbols

if TYPE_CHECKING:
    from rewardkit.math.latex.parser import Parser

_BOUNDS = frozenset({"!=", "<", ">", "<=", ">="})
_NATURAL = (("call:^*", Sym("bb:N")), ("call:^+", Sym("bb:N")), ("call:^+", Sym("bb:Z")))
_COUNTED: dict[tuple[str, object], str] = {(">=", 0): "in bb:N _ 0", (">=", 1): "in bb:N ^ *", (">", 0): "in bb:N ^ *"}
"""What a bound says of a letter that counts."""
_NUMBER_SETS = frozenset("ZNRQ")
_SET_BARS = frozenset({"|", "mid", ":", "vert", "colon"})
_CLOSING_BARS = frozenset({"|", "\\|", "rvert", "rVert", "vert", "Vert"})


def bracketed(p: Parser, text: str) -> Node:
    """What begins with an operator: a bracket, bars, a currency sign, a bound."""
    if text == "{":
        return _group(p)
    if text in BRACKET and text not in {")", "\\}"}:
        return bracket(p, text)
    if text in {"|", "\\|"}:
        return bars(p, text)
    if text in CURRENCIES or text == "\\$":
        return Unit(p.power(), CURRENCIES[text.lstrip("\\")])
    if text in {"-", "+"}:
        p.position -= 1
        return p.signed()
    if text == "...":
        return Sym("...")
    if text == ".":
        return p.primary()
    if text in {"<", ">", "<=", ">="}:
        return bound(p, RELATIONS[text])
    raise ParseError(f"unexpected {text!r}")


def bracket(p: Parser, text: str) -> Node:
    """Round, square, curly or angle brackets: grouping, tuple, interval, list, set."""
    opened = BRACKET[text]
    before, p.bars = p.bars, int(opened == "{")
    inside = p.items(opened)
    if opened == "{":
        inside = _described(p, inside)
    p.bars = before
    token = p.take()
    if token.text == "right." and opened == "{" and inside != Seq("", "", ()):
        return inside
    closed = BRACKET.get(token.text, "")
    if opened == "{" and closed == "}":
        return _set(inside)
    if opened == "]" and closed in {"[", "]"}:  # French intervals: ]a, b[
        opened = "("
    closed = ")" if closed == "[" else closed
    if closed not in {")", "]", ">"}:
        raise ParseError(f"bracket {opened!r} closed by {token.text!r}")
    if isinstance(inside, Seq) and not inside.opened:
        return inside if inside.either else Seq(opened, closed, inside.items)
    if (opened, closed) == ("(", ")") or ((opened, closed) == ("[", "]") and isinstance(inside, Matrix)):
        return inside
    if (opened, closed) in {("[", "]"), ("<", ">")}:
        return Seq(opened, closed, (inside,))
    raise ParseError("half-open brackets around one item")


def _set(inside: Node) -> Node:
    """A set of what is in braces."""
    if isinstance(inside, Builder):
        return inside
    if isinstance(inside, Seq) and not inside.opened:
        return inside if inside.either and isinstance(inside.items[0], Rel) else Seq("{", "}", inside.items)
    return Seq("{", "}", (inside,))


def _group(p: Parser) -> Node:
    """Braces: LaTeX grouping, or a set where they hold a list."""
    if p.skip("}"):
        return EMPTY_SET
    inside = _described(p, p.items("{"))
    p.expect("}")
    return inside


def _described(p: Parser, element: Node) -> Node:
    """A set-builder, where its bar or colon stands here."""
    if p.peek().text not in _SET_BARS:
        return element
    p.position += 1
    condition = p.items()
    if isinstance(condition, Seq) and not condition.opened:
        return Builder(element, condition.items, condition.either, condition.both)
    return Builder(element, (condition,))


def bars(p: Parser, _: str) -> Node:
    """An absolute value or a norm."""
    p.bars += 1
    inside = p.expression()
    p.bars -= 1
    if p.take().text not in _CLOSING_BARS:
        raise ParseError("bars that do not close")
    return Op("abs", (inside,))


def listed(found: list[Node], joins: set[str], breaks: list[int], opened: str) -> Node:
    """The list of statements between which separators stand."""
    if not found and (joins or not opened):
        raise ParseError("nothing to read")
    either = not joins.isdisjoint({"or", "lor", "vee"})
    found, domain = _split_domain(found, alternative=either and len(found) - 1 in breaks)
    if breaks and domain is None and not opened and not joins.isdisjoint({",", "and"}):
        found = _grouped(found, breaks)
    both = not either and not joins.isdisjoint({"and", "land", "wedge"})
    node = found[0] if len(found) == 1 else Seq("", "", tuple(found), either, both)
    return Cond(node, domain, universal=True) if domain is not None else node


def _grouped(found: list[Node], breaks: list[int]) -> list[Node]:
    """Members between semicolons or "or": x = 1, y = 2; x = 3, y = 4. Kept flat unless each group has as many equations."""
    edges = [0, *(one for one in breaks if one < len(found)), len(found)]
    groups = [found[low:high] for low, high in itertools.pairwise(edges)]
    if len({len(one) for one in groups}) != 1 or len(groups[0]) < 2:
        return found
    if not all(isinstance(one, Rel) and one.ops == ("=",) for one in found):
        return found
    return [Seq("", "", tuple(one)) for one in groups]


def _split_domain(found: list[Node], *, alternative: bool) -> tuple[list[Node], str | None]:
    r"""Take a trailing "k \in \mathbb{Z}" or "x \ne 0" off a list: it says over what a letter runs, unless it is an `alternative`."""
    if not found:
        return found, None
    first, last = found[0], found[-1]
    if isinstance(first, Rel) and first.ops == ("!=",) and all(isinstance(one, (Num, Op)) for one in found[1:]):
        return [first, *(Rel(first.ops, (first.args[0], one)) for one in found[1:])], None  # x is neither 0 nor 1
    if alternative or not isinstance(last, Rel) or len(last.args) != 2:
        return found, None
    letter, domain = last.args
    if last.ops == ("in",) and isinstance(domain, Op) and (domain.name, *domain.args) in _NATURAL:
        return found[:-1], f"{letter} in bb:N ^ *"
    numbers = isinstance(domain, Sym) and (domain.name in _NUMBER_SETS or domain.name.startswith("bb:"))
    if numbers and last.ops == ("in",):
        return found[:-1], f"{letter} in {domain}"
    if len(found) == 2 and isinstance(letter, Sym) and isinstance(domain, Num) and last.ops[0] in _BOUNDS:
        value = first.args[-1] if isinstance(first, Rel) else first
        if isinstance(value, Op) and letter.name in symbols(value):
            counted = _COUNTED.get((last.ops[0], domain.value)) if letter.name in "nkmj" else None
            if counted and last.ops[0] == ">" and letter.name != "n" and symbols(value) - CONSTANTS - {letter.name}:
                counted = "in bb:R ^ +"  # the k of kx may be any number
            return found[:1], f"{letter.name} {counted or f'{last.ops[0]} {domain.value}'}"
    return found, None
