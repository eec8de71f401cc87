"""The parser's position in a list of tokens, and what can be seen from there without reading on."""

from __future__ import annotations

from rewardkit.math.latex.letter_runs import is_word
from rewardkit.math.latex.tokens import Token
from rewardkit.math.latex.tree import LimitError, Node, ParseError, Rel
from rewardkit.math.latex.vocabulary import (
    ACCENTS,
    BIG,
    CONSTANTS,
    FUNCTIONS,
    GREEK,
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


class Cursor:
    """A position in a list of tokens that ends with an `eof` token."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position: int = 0
        self.depth: int = 0
        self.open_bars: int = 0
        self.french: bool = False
        """Inside a bracket that opened with ]."""

    # -- levels of the grammar that its smaller pieces come back to: defined further down the classes of the parser

    def items(self, opened: str, closed: str) -> Node:
        """A list of statements."""
        raise NotImplementedError

    def statement(self) -> Node:
        """A chain of relations."""
        raise NotImplementedError

    def sets(self, left: Node) -> Node:
        """Unions and intersections."""
        raise NotImplementedError

    def sum(self) -> Node:
        """Terms joined by plus and minus."""
        raise NotImplementedError

    def term(self) -> Node:
        """A product."""
        raise NotImplementedError

    def signed(self) -> Node:
        """A factor with its signs."""
        raise NotImplementedError

    def power(self) -> Node:
        """A primary with its exponents."""
        raise NotImplementedError

    def primary(self) -> Node:
        """A number, a name, a bracket, a command."""
        raise NotImplementedError

    def command(self, name: str) -> Node:
        """What a LaTeX command stands for."""
        raise NotImplementedError

    def function(self, name: str) -> Node:
        """A known function with its argument."""
        raise NotImplementedError

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
