"""Quantities: the unit words behind a value and their powers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.latex.names import is_word
from rewardkit.math.latex.tree import Node, Num, Op, ParseError, Seq, Sym, Unit
from rewardkit.math.latex.units import CURRENCIES, canonical_unit, is_known_unit, is_unit_symbol, scaled
from rewardkit.math.latex.vocabulary import word_set
from rewardkit.math.patterns import lazy

if TYPE_CHECKING:
    from rewardkit.math.latex.parser import Parser

UNIT_SIGNS = frozenset({"\\$", *"£€¥₹¢"})
"""Signs that may begin a unit."""

_WORDS = frozenset({"text", "word"})
_AROUND_UNITS = word_set("square cubic squared cubed per sq in each")
_LETTERS = lazy(r"[A-Za-z]+")


def quantity(p: Parser, value: Node) -> Node:
    """`value` with the unit words that follow it."""
    kind, text, _ = p.tokens[p.position]
    if text.lower().split(" ", 1)[0] in {"is", "are", "mod", "modulo"} or (kind == "word" and not is_word(text)):
        return value
    return _measured(value, _unit_words(p))


def _unit_words(p: Parser) -> list[str]:
    """The words of a unit, with the signs and exponents between them."""
    parts: list[str] = []
    while True:
        (kind, text, _), following = p.peek(), p.peek(1)
        joined = following.kind == "text" or (
            following.kind == "word" and (len(following.text) > 1 or is_unit_symbol(following.text))
        )
        divided = parts[-1:] in (["/"], ["*"]) or (following.text == "^" and is_unit_symbol(text))
        if kind == "word" and len(text) == 1 and not divided:
            return parts  # a letter behind a unit is a factor
        if kind in _WORDS or text in UNIT_SIGNS:
            parts.append(text)
        elif joined and text in {"cdot", "times", "/"}:
            parts.append("/" if text == "/" else "*")
        elif parts and text == "^":
            p.position += 1
            parts.append("^" + _unit_power(p))
            continue
        else:
            return parts
        p.position += 1


def _unit_power(p: Parser) -> str:
    """The exponent of a unit."""
    braces = p.skip("{")
    sign = "-" if p.skip("-") else ""
    power = p.take().text
    if braces:
        p.expect("}")
    return sign + power


def _measured(value: Node, parts: list[str]) -> Node:
    """A value with the unit that words spell, or with the number that they scale it by."""
    currency = ""
    if isinstance(value, Unit) and value.unit in CURRENCIES.values():
        currency, value = value.unit, value.value
    said = " ".join(parts)
    unit = canonical_unit(said)
    if isinstance(value, Unit) and value.unit == "th":
        unit, value = canonical_unit(f"th {said}"), value.value
    if unit is None or _is_sentence(value, unit, parts):
        raise ParseError(f"{said!r} is no unit")
    if unit in {"percent", "degree"}:
        return Op("pct" if unit == "percent" else "deg", (value,))
    scale, rest = scaled(unit)
    if currency:  # $1.5 million
        rest = (canonical_unit(f"{currency} {said}") or "") if scale == 1 else f"{currency} {rest}".rstrip()
    if scale != 1:
        value = Op("mul", (value, Num(fmpq(scale.numerator, scale.denominator))))
    return Unit(value, rest) if rest else value


def _is_sentence(value: Node, unit: str, parts: list[str]) -> bool:
    """Whether words go on a sentence, and name no unit: 24-ish, a point reflected, a circle."""
    if isinstance(value, Sym) and unit.count(" ") > 2:
        return True
    article = isinstance(value, Sym) and value.name in {"a", "A"}
    if not (parts[0][:1] == "-" or isinstance(value, Seq) or article):
        return False
    found = [one for part in parts for one in _LETTERS.findall(part)]
    return found == ["square"] or not all(is_known_unit(one) or one.lower() in _AROUND_UNITS for one in found)
