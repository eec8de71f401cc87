"""Numbers, brackets of all kinds, and the arguments of commands."""

from __future__ import annotations

import re
from functools import lru_cache

from flint import fmpq

from rewardkit.math.latex.cursor import Cursor
from rewardkit.math.latex.numbers import digits_value
from rewardkit.math.latex.tokens import Token
from rewardkit.math.latex.tree import (
    EMPTY_SET,
    Builder,
    LimitError,
    Matrix,
    Node,
    Num,
    Op,
    ParseError,
    Rel,
    Seq,
    Sym,
)
from rewardkit.math.latex.vocabulary import BRACKET, CONSTANTS, FRACTIONS, FUNCTIONS

_SHORT_DIGITS = 16
_NOT_DIGITS = re.compile(r"[^0-9]")


class Brackets(Cursor):
    """The smallest closed pieces of the grammar."""

    # -- numbers --------------------------------------------------------------------------------------------------

    def number(self, token: Token) -> Node:
        """A number; an integer with a proper fraction behind it is a mixed number."""
        kind, text = token
        if len(text) < _SHORT_DIGITS and text.isdigit() and self.tokens[self.position].kind != "cmd":
            return _integer(text)
        if kind == "mixed":
            whole, _, rest = text.partition(" ")
            top, bottom = (int(one) for one in rest.strip().split("/"))
            if 0 < top < bottom:
                return Num(fmpq(int(whole)) + fmpq(top, bottom))
            raise ParseError("two numbers side by side")
        if kind == "repeating":
            return _repeating(text)
        exponent = 0
        if kind == "sci":
            text, _, power = text.replace("E", "e").partition("e")
            exponent = int(power)
        found = decimal(text, exponent)
        following = self.peek()
        if following.kind == "cmd" and following.text in FRACTIONS and "." not in text:
            return self.mixed(found) or found
        return found

    def mixed(self, whole: Num) -> Num | None:
        """A whole number with the proper fraction behind it."""
        before = self.position
        part = self.command(self.take().text)
        if isinstance(part, Op) and part.name == "div":
            top, bottom = part.args
            raised = self.at("^") and "circ" not in {self.peek(1).text, self.peek(2).text}
            if isinstance(top, Num) and isinstance(bottom, Num) and 0 < top.value < bottom.value and not raised:
                return Num(whole.value + top.value / bottom.value)
        self.position = before
        return None

    # -- brackets -------------------------------------------------------------------------------------------------

    def bracket(self, opened: str) -> Node:
        """Round, square, curly or angle brackets: grouping, tuple, interval, list, set."""
        before, self.open_bars = (self.open_bars, self.french), int(opened == "{")
        self.french = opened == "]"
        inside = self.items(opened, "?")
        self.french = before[1]
        condition = None
        if opened == "{" and self.at_set_bar():
            self.position += 1
            condition = self.items("", "")
        self.open_bars = before[0]
        token = self.take()
        if token.text == "right." and opened == "{":
            return inside
        closed = BRACKET.get(token.text, "")
        if closed not in {")", "]", "}", ">", "["} or (closed == "[" and opened not in {"]", "["}):
            raise ParseError(f"bracket {opened!r} closed by {token.text!r}")
        if condition is not None:
            return _described(inside, condition)
        return _curly(inside) if opened == "{" else _bracketed(inside, opened, closed)

    def group(self) -> Node:
        """Braces: LaTeX grouping, or a set where they hold a list."""
        if self.skip("}"):
            return EMPTY_SET
        inside = self.items("{", "}")
        if isinstance(inside, Seq) and not inside.items and not inside.opened:
            raise ParseError("a group of separators")
        if self.at_set_bar():
            self.position += 1
            inside = _described(inside, self.items("", ""))
        self.expect("}")
        if isinstance(inside, Seq) and not inside.opened and not inside.either:
            return Seq("{", "}", inside.items)
        return inside

    def at_set_bar(self) -> bool:
        """Whether the bar or colon of a set-builder stands here."""
        token = self.peek()
        return token.text in {"|", "mid", ":", "vert", "colon"} and token.kind in {"op", "cmd"}

    def bars(self, text: str) -> Node:
        """An absolute value or a norm."""
        self.open_bars += 1
        inside = self.sets(self.sum())
        self.open_bars -= 1
        if self.take().text not in {text, "rvert", "rVert", "vert", "Vert", "|"}:
            raise ParseError("bars that do not close")
        return Op("abs", (inside,))

    # -- arguments ------------------------------------------------------------------------------------------------

    def braced(self, *, single: bool = False) -> Node:
        """The argument of a command: a group, one digit of a number, or one primary; with `single`, one letter even of lg."""
        if self.tokens[self.position].text == "{":
            self.position += 1
            inside, following = self.peek(), self.peek(1)
            if following.text == "}" and (inside.kind == "num" or (inside.kind == "word" and len(inside.text) == 1)):
                self.position += 2
                return decimal(inside.text) if inside.kind == "num" else Sym(inside.text)
            if self.at("}"):
                raise ParseError("an empty argument")
            return self.closed("}")
        kind, text = self.peek()
        if kind == "num" and text.isdigit():  # \frac12\frac13: the 2 is no part of a mixed number
            if len(text) > 1:
                self.replace(text[0], text[1:], kind="num")
            self.position += 1
            return Num(fmpq(int(text[0])))
        splits = text not in FUNCTIONS or (single and len(text) == 2)
        if kind == "word" and len(text) > 1 and text not in CONSTANTS and splits:
            self.replace(text[0], text[1:])
        return self.primary()

    def closed(self, mark: str) -> Node:
        """A list up to a closing bracket."""
        node = self.items("", mark)
        self.expect(mark)
        return node

    def whole_token(self, *, argument: bool = False) -> Node:
        """A subscript or limit: a group, a whole number (one digit of it where an argument must follow), or one primary."""
        if self.peek().kind != "num":
            return self.braced()
        if argument and not (self.starts(1) or self.peek(1).text in {"-", "\\{"}):
            return self.braced()
        return decimal(self.take().text)

    def arguments_of(self, closed: str) -> tuple[Node, ...]:
        """The arguments up to a closing bracket."""
        node = self.items("(", closed)
        self.expect(closed)
        found = node.items if isinstance(node, Seq) and not node.opened else (node,)
        if not found:
            raise ParseError("a function of nothing")
        return found


def decimal(text: str, exponent: int = 0) -> Num:
    """Digits with a decimal point; in an exponent or a fraction, what stands behind them is no part of a mixed number."""
    if len(text) < _SHORT_DIGITS and not exponent and text.isdigit():
        return _integer(text)
    whole, _, decimals = text.partition(".")
    value = digits_value(whole, decimals, exponent)
    if value is None:
        raise LimitError("a number with too many digits")
    return Num(value, len(decimals) or None)


@lru_cache(maxsize=2_048)
def _integer(text: str) -> Num:
    return Num(fmpq(int(text)))


def _repeating(text: str) -> Num:
    r"""A repeating decimal, 0.1\overline{6}."""
    plain, _, cycle = text.partition("\\")
    digits = _NOT_DIGITS.sub("", cycle)
    value = decimal(plain)
    return Num(value.value + fmpq(int(digits), (10 ** len(digits) - 1) * 10 ** (value.places or 0)))


def unwrapped(node: Node) -> Node:
    """Square brackets around one factor group like round ones."""
    return node.items[0] if isinstance(node, Seq) and node.opened == "[" and len(node.items) == 1 else node


def _described(element: Node, condition: Node) -> Builder:
    """A set-builder."""
    if isinstance(condition, Seq) and not condition.opened:
        return Builder(element, condition.items, condition.either, condition.both)
    return Builder(element, (condition,))


def _curly(inside: Node) -> Node:
    """A set of what stands in braces."""
    if isinstance(inside, Seq) and not inside.opened:
        if inside.either and all(isinstance(one, Rel) for one in inside.items):
            return inside  # {x < 1 or x > 2}
        return Seq("{", "}", inside.items)
    return Seq("{", "}", (inside,))


def _bracketed(inside: Node, opened: str, closed: str) -> Node:
    """A group, tuple, interval or list."""
    if opened == "]" or closed == "[":  # French intervals: ]a, b[
        opened, closed = opened.replace("]", "("), closed.replace("[", ")")
    if isinstance(inside, Seq) and not inside.opened:
        return inside if inside.either else Seq(opened, closed, inside.items)
    if (opened, closed) == ("(", ")") or ((opened, closed) == ("[", "]") and isinstance(inside, Matrix)):
        return inside
    if (opened, closed) == ("[", "]") or opened == "<":
        return Seq(opened, ">" if opened == "<" else closed, (inside,))
    raise ParseError("half-open brackets around one item")
