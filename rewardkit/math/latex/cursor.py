"""The parser's position in a list of tokens, and what can be seen from there without reading on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache

from rewardkit.math.latex.tokens import Token
from rewardkit.math.latex.tree import LimitError, Node, ParseError, Rel
from rewardkit.math.latex.units import is_unit_word
from rewardkit.math.latex.vocabulary import (
    ACCENTS,
    BIG,
    CONSTANTS,
    FUNCTIONS,
    GREEK,
    LETTERS,
    SET_OPERATORS,
    TRANSPARENT,
    word_set,
)

MAX_DEPTH = 48
"""Deeper nesting is not parsed (doubled brackets do not count)."""

FACTORS = GREEK | TRANSPARENT | ACCENTS | (BIG - SET_OPERATORS.keys()) | FUNCTIONS.keys() | CONSTANTS.keys() | word_set(
    "frac dfrac tfrac cfrac sqrt surd cbrt qdrt binom dbinom tbinom lfloor lceil lvert lVert langle lbrace sqrt* max min infty emptyset"
    " varnothing nicefrac sfrac"
)  # fmt: skip
"""Commands that begin a factor."""

_SEPARATORS = word_set("quad qquad land lor wedge vee newline therefore hfill")
_RANGES = word_set("bb:R bb:Z bb:N bb:Q bb:C R Z") | {
    f"over {the}{kind}" for the in ("", "the ", "all ") for kind in ("reals", "integers", "rationals", "real numbers", "complex numbers")
}  # fmt: skip
"""What letters run over: x^2 + 1 over x says something else."""

_DENIALS = word_set("not false wrong impossible no excluded extraneous rejected bound invalid incorrect")
"""Words that make a remark on an equation one that denies it."""


MAX_WORD_PRODUCT = 3
"""A plain run of so many letters may be a product of variables; a longer one is a word."""

_INSIDE = sorted(
    word_set("arcsin arccos arctan sinh cosh tanh sin cos tan cot sec csc ln log exp sqrt pi"), key=len, reverse=True
)
_SHORT_WORDS = word_set("no yes all any the not odd two six ten one dne is an of to by at on it be as we day set per")
_SUFFIXES = word_set("th st nd rd")


@lru_cache(maxsize=2_048)
def is_word(text: str) -> bool:
    """Whether a run of letters is a word (perhaps a unit), and no function, constant or product of variables."""
    if text in _SUFFIXES:
        return True
    if len(text) == 1 or text in FUNCTIONS or text in CONSTANTS or text in LETTERS:
        return False
    return is_unit_word(text) or is_short_word(text) or (len(text) > MAX_WORD_PRODUCT and split_names(text) is None)


def is_short_word(text: str) -> bool:
    """Whether a short run of letters is a word; Be is the product B e."""
    return text.lower() in _SHORT_WORDS and text != "Be"


def split_names(text: str) -> list[str] | None:
    """`xsinx` as x, sin, x; None where the run is not built from single letters and function names."""
    if len(text) > 12:
        return None
    position = 0
    pieces: list[str] = []
    while position < len(text):
        name = next((one for one in _INSIDE if text.startswith(one, position)), text[position])
        pieces.append(name)
        position += len(name)
    if len(text) > 3 and pieces[-1] == "s":  # pigs, logs, tanks
        return None
    singles = sum(len(piece) == 1 for piece in pieces)
    return pieces if singles < len(pieces) <= 5 and singles <= 2 else None


class Cursor(ABC):
    """A position in a list of tokens that ends with an `eof` token."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position: int = 0
        self.depth: int = 0
        self.open_bars: int = 0
        self.french: bool = False
        """Inside a bracket that opened with ]."""

    # -- levels of the grammar that its smaller pieces come back to: defined further down the classes of the parser

    @abstractmethod
    def items(self, opened: str, closed: str) -> Node:
        """A list of statements."""

    @abstractmethod
    def statement(self) -> Node:
        """A chain of relations."""

    @abstractmethod
    def sets(self, left: Node) -> Node:
        """Unions and intersections."""

    @abstractmethod
    def sum(self) -> Node:
        """Terms joined by plus and minus."""

    @abstractmethod
    def term(self) -> Node:
        """A product."""

    @abstractmethod
    def signed(self) -> Node:
        """A factor with its signs."""

    @abstractmethod
    def power(self) -> Node:
        """A primary with its exponents."""

    @abstractmethod
    def primary(self) -> Node:
        """A number, a name, a bracket, a command."""

    @abstractmethod
    def command(self, name: str) -> Node:
        """What a LaTeX command stands for."""

    @abstractmethod
    def function(self, name: str) -> Node:
        """A known function with its argument."""

    # -- moving ---------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Token:
        """The token `ahead` of the current one."""
        try:
            return self.tokens[self.position + ahead]
        except IndexError:
            return self.tokens[-1]

    def take(self) -> Token:
        """The current token, and step over it."""
        token = self.tokens[self.position]
        if token.kind != "eof":
            self.position += 1
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
        if not self.at(text):
            raise ParseError(f"expected {text!r}, found {self.peek().text!r}")
        self.position += 1

    def replace(self, *texts: str, kind: str = "word") -> None:
        """Put other tokens in the place of the current one."""
        self.tokens[self.position : self.position + 1] = [Token(kind, text) for text in texts]

    def enter(self) -> None:
        """Go one level deeper."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")

    def leave(self) -> None:
        """Come back from a level."""
        self.depth -= 1

    # -- looking --------------------------------------------------------------------------------------------------

    def starts(self, ahead: int) -> bool:
        """Whether the token `ahead` begins a factor that may stand beside another."""
        kind, text = self.peek(ahead) if ahead else self.tokens[self.position]
        if kind == "op":
            if text == "(":
                return self.peek(ahead + 1).text not in {"mod", "bmod", "pmod"} and not self.at_membership(ahead)
            if text == "[":
                following = self.peek(ahead + 1)
                return not (self.french or following.kind == "eof" or following.text in SET_OPERATORS)
            return text in {"{", "\\{"} or (text in {"|", "\\|"} and not self.open_bars)
        if kind == "word":
            return text not in {"U", "mod"} and not is_word(text)
        if kind == "cmd":
            return (
                text in FACTORS
                or text.startswith("bb:")
                or (text == "vert" and not self.open_bars)
                or (text in BIG and self.peek(ahead + 1).text in {"_", "^"})
            )
        return kind in {"num", "mixed", "repeating", "begin"}

    def at_membership(self, ahead: int = 0) -> bool:
        """Whether a bracket such as (x in R) or (k, n in Z) opens here."""
        if self.peek(ahead).text != "(" or self.peek(ahead + 1).kind != "word":
            return False
        return any(self.peek(ahead + offset).text == "in" for offset in (2, 4, 6))

    def at_separator(self) -> bool:
        """Whether a comma, semicolon, newline, "and" or "or" stands here."""
        kind, text = self.tokens[self.position]
        if kind == "op":
            return text in {",", ";", "\\\\", "&", "\\&"}
        return kind == "and" or (kind == "cmd" and text in _SEPARATORS)

    def at_condition(self) -> bool:
        """Whether the words of a condition begin here."""
        kind, text = self.tokens[self.position]
        return kind == "cond" or (kind == "cmd" and text == "forall")

    def at_close(self) -> bool:
        """Whether a closing bracket stands here."""
        kind, text = self.tokens[self.position]
        if kind == "op":
            return text in {")", "]", "}", "\\}"} or (self.open_bars > 0 and text in {"|", "\\|"})
        if kind == "cmd":
            return text in {"rbrace", "rangle", "rvert", "rVert", "rbrack", "rfloor", "rceil", "right."} or (
                self.open_bars > 0 and text in {"mid", "vert", "Vert"}
            )
        return kind == "end"

    def opens_here(self, token: Token, found: bool, opened: str) -> bool:
        """Whether a mark that may close begins a statement here: bars, or ] of a French interval."""
        return not found and (token.text in {"|", "\\|", "vert", "Vert"} or (token.text == "]" and not opened))

    def at_remark(self, node: Node) -> bool:
        """Whether words that comment on an equation stand here: R = 1 "is a necessary and sufficient condition"."""
        token = self.tokens[self.position]
        if token.kind != "text" or not isinstance(node, Rel) or node.ops != ("=",):
            return False
        words = token.text.lower().split()
        return words[0] in {"is", "are"} and "only of" not in token.text and _DENIALS.isdisjoint(words)

    def membership(self) -> str:
        """The words of a bracketed condition, as in (x in R)."""
        words: list[str] = []
        while self.peek().kind != "eof" and (not words or words[-1] != ")"):
            words.append(self.take().text)
        return " ".join(words)

    def condition(self) -> tuple[str, bool]:
        """The words of a condition, the rest of the statement; and whether they only say over what a letter runs."""
        first = self.peek().text.split()[0]
        words: list[str] = []
        depth = 0
        while (here := self.peek()).kind != "eof":
            if depth == 0 and self.at_close() and here.text not in {"|", "mid"}:
                break
            if here.kind == "and" and depth == 0 and words and self.equation_ahead():
                break
            if here.kind == "op":
                depth += (here.text in {"(", "[", "{", "\\{"}) - (here.text in {")", "]", "}", "\\}"})
            words.append(here.text)
            self.position += 1
        universal = first in {"for", "where", "with", "forall"} or (first == "over" and not _RANGES.isdisjoint(words))
        return " ".join(words), universal

    def equation_ahead(self) -> bool:
        """Whether another "... = ..." follows."""
        return any(token.text == "=" for token in self.tokens[self.position :])
