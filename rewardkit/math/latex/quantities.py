"""Quantities: the unit words behind a value, powers of units, and a second, finer unit."""

from __future__ import annotations

import re

from flint import fmpq

from rewardkit.math.latex.cursor import is_word
from rewardkit.math.latex.names import Names
from rewardkit.math.latex.scripts import in_base
from rewardkit.math.latex.tree import Node, Num, Op, ParseError, Seq, Sym, Unit, Words
from rewardkit.math.latex.units import CURRENCIES, canonical_unit, conversion, is_known_unit, is_unit_symbol, scaled
from rewardkit.math.latex.vocabulary import word_set

_SIGNS = frozenset("£€¥₹¢")
_WORDS = frozenset({"text", "word"})
_AROUND_UNITS = word_set("square cubic squared cubed per sq in each")
_MAX_SENTENCE = 2
"""A letter with more words behind it begins a sentence."""

_LETTERS = re.compile(r"[A-Za-z]+")


class Quantities(Names):
    """Values with their units."""

    def quantity(self, value: Node) -> Node:
        """`value` with the unit that follows it, and the rest in finer units: 5 feet 4 inches."""
        found = self.unit(value)
        if not isinstance(found, Unit):
            return found
        parts = [found]
        while (finer := self.finer(parts[-1])) is not None:
            parts.append(finer)
        return found if len(parts) == 1 else Seq("+", "+", tuple(parts))

    def finer(self, coarse: Unit) -> Unit | None:
        """The rest of a quantity in two units, the second finer: 2 hours (and) 30 minutes."""
        ahead = int(self.peek().kind == "and" or self.at(","))
        if self.peek(ahead).kind != "num" or self.peek(ahead + 1).kind not in _WORDS:
            return None
        before = self.position
        self.position += ahead
        found = self.unit(self.number(self.take()))
        if isinstance(found, Unit) and (factor := conversion(coarse.unit, found.unit)) is not None and factor > 1:
            return found
        self.position = before
        return None

    def at_unit(self, value: Node) -> bool:
        """Whether the words of a unit stand here."""
        kind, text = self.tokens[self.position]
        if kind == "text":
            return text.lower().split(" ", 1)[0] not in {"is", "are", "mod", "modulo"}
        if kind == "word":
            return is_word(text) and text != "mod"
        if kind != "op":
            return False
        return (
            text == "\\$" or text in _SIGNS or (text == "/" and isinstance(value, Unit) and self.peek(1).kind == "text")
        )

    def unit(self, value: Node) -> Node:
        """`value` with the unit words that follow it."""
        if not self.at_unit(value):
            return value
        if isinstance(value, Words):
            words = [value.text]
            while self.peek().kind in _WORDS:
                words.append(self.take().text)
            return Words(" ".join(words).lower())
        parts = self.unit_words()
        if parts and parts[-1].lower().endswith("base") and self.peek().kind == "num":
            parts.append(self.take().text)
        return _measured(value, parts)

    def unit_words(self) -> list[str]:
        """The words of a unit, with the signs and exponents between them."""
        parts: list[str] = []
        while True:
            kind, text = self.peek()
            following = self.peek(1)
            joined = following.kind in _WORDS and (
                len(following.text) > 1 or following.kind == "text" or is_unit_symbol(following.text)
            )
            divided = parts[-1:] in (["/"], ["*"]) or (following.text == "^" and is_unit_symbol(text))
            if kind == "word" and len(text) == 1 and not divided:
                return parts  # a letter behind a unit is a factor
            if kind in _WORDS or (kind == "op" and (text == "\\$" or text in _SIGNS)):
                parts.append(text)
                self.position += 1
            elif kind == "cmd" and text in {"cdot", "times"} and joined:
                parts.append("*")
                self.position += 1
            elif joined and self.skip("/"):
                parts.append("/")
            elif parts and self.skip("^"):
                parts.append("^" + self.unit_power())
            else:
                return parts

    def unit_power(self) -> str:
        """The exponent of a unit."""
        braces = self.skip("{")
        sign = "-" if self.skip("-") else ""
        token = self.take()
        if token.kind != "num":
            raise ParseError("a unit with a strange exponent")
        if braces:
            self.expect("}")
        return sign + token.text


def _measured(value: Node, parts: list[str]) -> Node:
    """A value with the unit that words spell, or with the number that they scale it by."""
    currency = ""
    if isinstance(value, Unit) and value.unit in CURRENCIES.values():
        currency, value = value.unit, value.value
    words = " ".join(parts)
    unit = canonical_unit(words)
    if isinstance(value, Unit) and value.unit == "th" and unit is not None:
        unit = canonical_unit(f"th {words}")
        value = value.value
    if unit is None or _is_sentence(value, unit, parts):
        raise ParseError(f"{words!r} is no unit")
    if unit in {"percent", "degree"}:
        return Op("pct" if unit == "percent" else "deg", (value,))
    if unit.startswith("base "):
        return in_base(value, int(unit[5:]))
    scale, rest = scaled(unit)
    if currency:  # $1.5 million
        rest = (canonical_unit(f"{currency} {words}") or "") if scale == 1 else f"{currency} {rest}".rstrip()
    if scale != 1:
        value = Op("mul", (value, Num(fmpq(scale.numerator, scale.denominator))))
    return Unit(value, rest) if rest else value


def _is_sentence(value: Node, unit: str, parts: list[str]) -> bool:
    """Whether words go on a sentence, and name no unit: 24-ish, a point reflected, a circle."""
    if isinstance(value, Sym) and unit.count(" ") > _MAX_SENTENCE:
        return True
    article = isinstance(value, Sym) and value.name in {"a", "A"}
    if not (parts[0][:1] == "-" or isinstance(value, Seq) or article):
        return False
    words = [one for part in parts for one in _LETTERS.findall(part)]
    return words == ["square"] or not all(is_known_unit(one) or one.lower() in _AROUND_UNITS for one in words)
