"""Lists of statements, chains of relations, and the place in the tokens from which they are read."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from rewardkit.math.latex.commands import FACTORS
from rewardkit.math.latex.lexer import Token
from rewardkit.math.latex.lists import listed
from rewardkit.math.latex.names import is_word
from rewardkit.math.latex.tree import Cond, Labelled, LimitError, Node, Op, ParseError, Ratio, Rel, Sym, Unit, Words
from rewardkit.math.latex.units import SIZES, canonical_unit
from rewardkit.math.latex.vocabulary import BIG, RELATIONS, SET_OPERATORS, word_set
from rewardkit.math.latex.walk import CONSTANTS, symbols
from rewardkit.math.patterns import lazy

MAX_DEPTH = 48
"""Deeper nesting is not parsed (doubled brackets do not count)."""

BARS = frozenset({"|", "\\|", "vert", "Vert"})
_SEPARATORS = word_set(", ; \\\\ & \\& quad qquad land lor wedge vee newline therefore hfill")
_CLOSING = word_set(") ] } \\} rbrace rangle rvert rVert rbrack rfloor rceil right.")
_COMPARED = frozenset({"in", "<", ">", "<=", ">=", "!="})
_RANGES = word_set("bb:R bb:Z bb:N bb:Q bb:C R Z") | {
    f"over {the}{kind}" for the in ("", "the ") for kind in ("reals", "integers")
}
"""What letters run over: x^2 + 1 over x says something else."""
STOPS = frozenset({"", ",", ";", ")", "]", "}", "\\}"})
"""Texts of tokens ("" is the end) behind which no level of the grammar reads on."""

_ENDS = STOPS - {",", ";"}
NO_TERM = STOPS | {"=", "<", ">"}
_REMARK = lazy(
    r"(?:is|are) (?!.*\b(?:not|only of|false|wrong|impossible|no|excluded|extraneous|rejected|bound|invalid|incorrect)\b)",
    re.IGNORECASE,
)
"""Words that comment on an equation, R = 1 "is a necessary and sufficient condition", and do not deny it."""

_PADDED = re.compile(r"0[0-9]+")
_LEADING = word_set("= approx Rightarrow implies Longrightarrow =>")
"""Signs in front of an answer that say only that it follows."""
_BEGINS = FACTORS | word_set("( [ { \\{ - +")
"""What may begin a statement, and ends none."""

_NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "=": "!=", "in": "notin", "equiv": "not equiv", "subset": "not subset"}  # fmt: skip


class Statements(ABC):
    """A position in a list of tokens that ends with an `eof` token, and the upper levels of the grammar."""

    __slots__ = ("bars", "depth", "position", "tokens")

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position: int = 0
        self.depth: int = 0
        self.bars: int = 0
        """Open bars, which a bar closes."""

    # -- moving and looking -------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Token:
        """The token `ahead` of the current one."""
        try:
            return self.tokens[self.position + ahead]
        except IndexError:
            return self.tokens[-1]

    def take(self) -> Token:
        """The current token, and step over it."""
        token = self.tokens[self.position]
        self.position += token.kind != "eof"
        return token

    def at(self, text: str) -> bool:
        """Whether the current token is the operator `text`."""
        token = self.tokens[self.position]
        return token.text == text and token.kind == "op"

    def skip(self, text: str) -> bool:
        """Step over the operator `text` if it stands here."""
        if self.at(text):
            self.position += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Step over the operator `text`, which must stand here."""
        if not self.skip(text):
            raise ParseError(f"expected {text!r}, found {self.peek().text!r}")

    def replace(self, *tokens: Token) -> None:
        """Put other tokens in the place of the current one."""
        self.tokens[self.position : self.position + 1] = tokens

    def enter(self) -> None:
        """Go one level deeper."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")

    def starts(self, ahead: int = 0) -> bool:
        """Whether the token `ahead` begins a factor that may stand beside another."""
        kind, text, _ = self.peek(ahead)
        if kind == "op":
            if text == "(":
                return self.peek(ahead + 1).text not in {"mod", "bmod", "pmod"} and not self.at_restriction(ahead)
            if text == "[":
                following = self.peek(ahead + 1)
                return not (following.kind == "eof" or following.text in SET_OPERATORS)
            return text in {"{", "\\{"} or (text in BARS and not self.bars)
        if kind == "word":
            return text not in {"mod", "U"} and not is_word(text)
        if kind == "cmd":
            return (
                text in FACTORS
                or text.startswith("bb:")
                or (text == "vert" and not self.bars)
                or (text in BIG and self.peek(ahead + 1).text in {"_", "^"})
            )
        return kind in {"num", "mixed", "repeating", "begin"}

    def at_restriction(self, ahead: int = 0) -> bool:
        """Whether a bracket such as (x in R), (k, n in Z) or (x > 0) opens here."""
        if self.peek(ahead).text != "(" or self.peek(ahead + 1).kind != "word":
            return False
        if any(self.peek(ahead + offset).text == "in" for offset in (2, 4, 6)):
            return True
        bounded = RELATIONS.get(self.peek(ahead + 2).text) in _COMPARED and self.peek(ahead + 4).text == ")"
        return bounded and self.peek(ahead - 1).kind != "cmd"

    def at_close(self) -> bool:
        """Whether a closing bracket stands here."""
        kind, text, _ = self.tokens[self.position]
        if kind in {"op", "cmd"}:
            return text in _CLOSING or (self.bars > 0 and (text in BARS or text == "mid"))
        return kind in {"end", "eof"}

    def at_separator(self) -> bool:
        """Whether a comma, semicolon, newline, "and" or "or" stands here."""
        kind, text, _ = self.tokens[self.position]
        return kind == "and" or (text in _SEPARATORS and kind in {"op", "cmd"})

    def condition(self) -> tuple[str, bool]:
        """The words of a condition, the rest of the statement; and whether they only say over what a letter runs."""
        first = self.peek().text.split()[0]
        words: list[str] = []
        depth = 0
        while (here := self.peek()).kind != "eof":
            if depth == 0 and self.at_close() and here.text not in {"|", "mid"}:
                break
            joins = here.kind == "and" and depth == 0 and words
            if joins and any(one.text == "=" for one in self.tokens[self.position :]):
                break
            if here.kind == "op":
                depth += (here.text in {"(", "[", "{", "\\{"}) - (here.text in {")", "]", "}", "\\}"})
            words.append(here.text)
            self.position += 1
        universal = first in {"for", "where", "with", "forall"} or (first == "over" and not _RANGES.isdisjoint(words))
        return " ".join(words), universal

    @abstractmethod
    def expression(self) -> Node:
        """Sums, joined as sets."""

    @abstractmethod
    def power(self) -> Node:
        """A primary with what follows it."""

    # -- lists --------------------------------------------------------------------------------------------------------

    def items(self, opened: str = "") -> Node:
        """A list of statements up to a closing bracket; one statement alone is itself."""
        found: list[Node] = []
        joins: set[str] = set()
        breaks: list[int] = []
        _, text, leaf = self.tokens[self.position]
        begun = leaf is not None or text in _BEGINS
        while True:
            if not begun:
                self.separators(joins, breaks, len(found))
                token = self.tokens[self.position]
                if self.at_close() and (found or not (token.text in BARS or (token.text == "]" and not opened))):
                    break
            if begun or not found or not self.conditions(found):
                found.append(self.statement())
                text = self.tokens[self.position].text
                if text in _ENDS:
                    break
                if text == ",":  # most members are followed by a comma and the next one
                    joins.add(",")
                    self.position += 1
                    _, text, leaf = self.tokens[self.position]
                    begun = leaf is not None or text in _BEGINS
                    continue
            begun = False
            self.conditions(found)
            if not self.at_separator() and not self.at_smaller_unit(found[-1]):
                break
        return found[0] if len(found) == 1 else listed(found, joins, breaks, opened)

    def separators(self, joins: set[str], breaks: list[int], found: int) -> None:
        """Step over what stands between two statements, and take note of it."""
        while self.at_separator():
            text = self.take().text
            joins.add(text)
            if text in {";", "or", "lor"} and found and found not in breaks:
                breaks.append(found)
        if {"land", "lor"} <= joins:
            raise ParseError("land and lor without brackets")

    def conditions(self, found: list[Node]) -> bool:
        """Add the condition that stands here to the last statement; whether there is one."""
        kind, text, _ = self.tokens[self.position]
        if kind == "cond" or (kind == "cmd" and text == "forall"):
            found[-1] = Cond(found[-1], *self.condition())
        elif text == "(" and self.at_restriction():
            self.position += 1
            words: list[str] = []
            while self.peek().kind != "eof" and not self.at(")"):
                words.append(self.take().text)
            self.expect(")")
            found[-1] = Cond(found[-1], " ".join(RELATIONS.get(one, one) for one in words), universal=True)
        elif kind == "text" and _REMARK.match(text) is not None and isinstance(found[-1], Rel):
            found[-1] = Cond(found[-1], self.condition()[0], universal=True)
        else:
            return False
        return True

    def at_smaller_unit(self, node: Node) -> bool:
        """Whether a quantity goes on in a smaller unit, 2 hours 12 minutes, which is a list as with "and"."""
        if not isinstance(node, Unit) or self.peek().kind != "num":
            return False
        kind, size = SIZES.get(node.unit, ("", 0))
        other, smaller = SIZES.get(canonical_unit(self.peek(1).text) or "", ("other", 0))
        return kind == other and smaller < size

    # -- statements ---------------------------------------------------------------------------------------------------

    def statement(self) -> Node:
        """A chain of relations, or what stands without one."""
        kind, text, leaf = self.tokens[self.position]
        if leaf is not None and self.tokens[self.position + 1].text in STOPS:
            self.position += 1  # most members of lists are plain
            return leaf
        while text in _LEADING and kind in {"op", "cmd"}:
            self.position += 1
            kind, text, _ = self.tokens[self.position]
        first = self.side()
        if self.tokens[self.position].text in STOPS:
            return first
        ops: list[str] = []
        args: list[Node] = [first]
        while (op := self.relation()) is not None:
            if op == "implies":
                ops, args = [], []
            else:
                ops.append(op)
            args.append(self.side())
        node: Node = Rel(tuple(ops), tuple(args)) if ops else args[0]
        modulus = self.modulus() if ops or self.peek().kind != "text" else None
        if modulus is None:
            return _defined(node) if isinstance(node, Rel) else node
        return (
            Rel((*node.ops, "mod"), (*node.args, modulus)) if isinstance(node, Rel) else Op("modclass", (node, modulus))
        )

    def relation(self) -> str | None:
        """The relation that stands here, if any."""
        kind, text, _ = self.tokens[self.position]
        op = RELATIONS.get(text)
        if text == "not":
            op = _NEGATED.get(RELATIONS.get(self.peek(1).text, ""))
            self.position += op is not None
        if op is None or kind not in {"op", "cmd"} or (self.bars and text == "mid"):
            return None
        self.position += 1
        if op == "=":
            while self.skip("=") or self.skip("&"):
                pass
        while self.peek().text in {"quad", "qquad"}:
            self.position += 1
        return op

    def modulus(self) -> Node | None:
        r"""The m of `\pmod{m}`, `(mod m)` or `\mod m`."""
        if self.at("(") and self.peek(1).text in {"mod", "bmod"}:
            self.position += 2
            node = self.expression()
            self.expect(")")
            return node
        if self.peek().text in {"pmod", "mod", "modulo"}:
            self.position += 1
            return self.power()
        return None

    def side(self) -> Node:
        """A side of a relation: an expression, a : b : c, or a label in words with its value."""
        leaf = self.tokens[self.position].leaf
        if leaf is not None and self.tokens[self.position + 1].text in NO_TERM:
            self.position += 1  # many sides are plain
            return leaf
        first = self.expression()
        if self.tokens[self.position].text in NO_TERM or not self.at_colon() or self.bars:
            return first
        if isinstance(first, Words) and self.peek(1).text != "=":
            self.position += 1
            return Labelled(first.text, self.statement())
        args = [first]
        while self.at_colon():
            self.position += 1
            if self.at("="):
                return first
            args.append(self.expression())
        return Ratio(tuple(args))

    def at_colon(self) -> bool:
        """Whether the colon of a ratio or a label stands here; 10:05 is a time of day."""
        here = self.peek().text in {":", "colon", "ratio"} and self.peek().kind in {"op", "cmd"}
        return here and not any(_PADDED.fullmatch(self.peek(step).text) for step in (-1, 1))


def _defined(node: Rel) -> Rel:
    """X -> 2x and f = 2x for all x (three bars) as equations; p = 1 mod 4 as a congruence."""
    name, last = node.args[0], node.args[-1]
    if node.ops == ("to",) and isinstance(name, Sym) and name.name in symbols(last) - CONSTANTS:
        return Rel(("=",), (Op("call:f", (name,)), last))
    if node.ops == ("equiv",) and isinstance(last, Op) and last.name == "mod":
        return Rel(("equiv", "mod"), (name, *last.args))
    if "equiv" in node.ops:
        return Rel(tuple("=" if op == "equiv" else op for op in node.ops), node.args)
    return node
