"""Quantities: the unit words behind a value, powers of units, and a second, finer unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.latex import brackets, primary
from rewardkit.math.latex.tree import Node, Num, Op, ParseError, Seq, Sym, Unit, Words
from rewardkit.math.latex.units import CURRENCIES, canonical_unit, conversion, is_known_unit, scaled

if TYPE_CHECKING:
    from rewardkit.math.latex.parser import Parser


def finer(parser: Parser, coarse: Node) -> Unit | None:
    """The rest of a quantity in two units, the second finer: 2 hours (and) 30 minutes, 5 feet 4 inches."""
    ahead = int(parser.peek().kind == "and" or parser.at(","))
    if (
        not isinstance(coarse, Unit)
        or parser.peek(ahead).kind != "num"
        or parser.peek(ahead + 1).kind not in {"text", "word"}
    ):
        return None
    before = parser.position
    parser.position += ahead
    found = unit(parser, primary.number(parser, parser.take()))
    if isinstance(found, Unit) and (factor := conversion(coarse.unit, found.unit)) is not None and factor > 1:
        return found
    parser.position = before
    return None


def unit(parser: Parser, value: Node) -> Node:
    """`value` with the unit words that follow it."""
    token = parser.peek()
    if not (
        token.kind == "text"
        or (token.kind == "word" and primary.wordy(token.text))
        or parser.at("\\$")
        or (token.kind == "op" and token.text in "£€¥₹¢")
        or (isinstance(value, Unit) and parser.at("/") and parser.peek(1).kind == "text")
    ):
        return value
    if token.kind == "text" and token.text.lower().split(" ", 1)[0] in {"is", "are"}:
        return value  # a comment, see at_comment
    if token.text.lower() in {"mod", "modulo"}:
        return value
    if isinstance(value, Words):
        words = [value.text]
        while parser.peek().kind in {"text", "word"}:
            words.append(parser.take().text)
        return Words(" ".join(words).lower())
    if token.text == "of" and (parser.peek(1).kind == "word" and len(parser.peek(1).text) == 1):
        parser.position += 1  # 2/3 of x
        return Op("mul", (value, parser.term()))
    parts: list[str] = []
    while True:
        token = parser.peek()
        if token.kind in {"text", "word"} or parser.at("\\$") or (token.kind == "op" and token.text in "£€¥₹¢"):
            parts.append(token.text)
            parser.position += 1
        elif token.kind == "cmd" and token.text in {"cdot", "times"} and parser.peek(1).kind in {"text", "word"}:
            parser.position += 1
            parts.append("*")
        elif parser.at("/") and parser.peek(1).kind in {"text", "word"}:
            parser.position += 1
            parts.append("/")
        elif parser.at("^") and parts:
            parser.position += 1
            parts.append("^" + _power(parser))
        else:
            break
    if parts and parts[-1].lower().endswith("base") and parser.peek().kind == "num":
        parts.append(parser.take().text)
    currency = ""
    if isinstance(value, Unit) and value.unit in CURRENCIES.values():
        currency = value.unit
        value = value.value
    unit = canonical_unit(" ".join(parts))
    if isinstance(value, Unit) and value.unit == "th" and parts and unit is not None:
        unit = canonical_unit(f"th {' '.join(parts)}")
        value = value.value
    scale = 1
    if unit is not None and currency:
        scale, unit = scaled(unit)  # $1.5 million
        unit = canonical_unit(f"{currency} {' '.join(parts)}") if scale == 1 else f"{currency} {unit}".rstrip()
    if unit is not None and isinstance(value, Sym) and unit.count(" ") > 2:
        unit = None  # a sentence that begins with a letter
    if (
        unit is not None
        and (parts[0][:1] == "-" or isinstance(value, Seq) or _is_article(value))
        and not _measures(parts)
    ):
        unit = None  # 24-ish, a point reflected, a circle
    if unit is None:
        raise ParseError(f"{' '.join(parts)!r} is no unit")
    if unit == "percent":
        return Op("pct", (value,))
    if unit == "degree":
        return Op("deg", (value,))
    if unit.startswith("base "):
        return brackets.based(value, int(unit[5:]))
    if scale == 1:
        scale, unit = scaled(unit)
    if scale > 1:
        value = Op("mul", (value, Num(fmpq(scale))))
    return Unit(value, unit) if unit else value


def _is_article(value: Node) -> bool:
    return isinstance(value, Sym) and value.name in {"a", "A"}


def _measures(parts: list[str]) -> bool:
    """Whether all words are units that we know."""
    words = [one for part in parts for one in _LETTERS.findall(part)]
    return words != ["square"] and all(
        is_known_unit(one) or one.lower() in {"square", "cubic", "squared", "cubed", "per", "sq", "in", "each"}
        for one in words
    )


_LETTERS = re.compile(r"[A-Za-z]+")


def _power(parser: Parser) -> str:
    """The exponent of a unit."""
    braces = parser.at("{")
    if braces:
        parser.position += 1
    sign = ""
    if parser.at("-"):
        parser.position += 1
        sign = "-"
    token = parser.take()
    if token.kind != "num":
        raise ParseError("a unit with a strange exponent")
    if braces:
        parser.expect("}")
    return sign + token.text
