"""Where a parser stands among its tokens, and what they tell without being read: what closes, separates or comments."""

from __future__ import annotations

from rewardkit.math.latex.lexer import Token
from rewardkit.math.latex.tree import LimitError, Node, ParseError, Rel

MAX_DEPTH = 48
"""Deeper nesting is not parsed (doubled brackets do not count)."""

_SEPARATORS = frozenset({"quad", "qquad", "land", "lor", "wedge", "vee", "newline", "therefore", "hfill"})
_RANGES = frozenset({"bb:R", "bb:Z", "bb:N", "bb:Q", "bb:C", "R", "Z", "over the reals", "over the integers", "over the complex numbers", "over the rationals",
                     "over reals", "over integers", "over the real numbers", "over the natural numbers", "over all reals", "over all integers"})  # fmt: skip
"""What letters run over: x^2 + 1 over x says something else."""


_TAKEN_BACK = frozenset(
    {"not", "false", "wrong", "impossible", "no", "excluded", "extraneous", "rejected", "bound", "invalid", "incorrect"}
)
"""Words that make a comment on an equation one that denies it."""


class Cursor:
    """A position in a list of tokens that ends with an `eof` token."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position: int = 0
        self.depth: int = 0
        self.bars: int = 0
        """Bars that were opened and not closed."""

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

    def expect(self, text: str) -> None:
        """Step over the operator `text`."""
        if not self.at(text):
            raise ParseError(f"expected {text!r}, found {self.peek().text!r}")
        self.position += 1

    def enter(self) -> None:
        """Go one level deeper."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")

    def leave(self) -> None:
        """Come back from a level."""
        self.depth -= 1

    def at_separator(self) -> bool:
        """Whether a comma, semicolon, newline, "and" or "or" stands here."""
        kind, text = self.tokens[self.position]
        if kind == "op":
            return text in {",", ";", "\\\\", "&", "\\&"}
        return kind == "and" or (kind == "cmd" and text in _SEPARATORS)

    def at_close(self) -> bool:
        """Whether a closing bracket stands here."""
        token = self.tokens[self.position]
        if token.kind == "op":
            return token.text in {")", "]", "}", "\\}"} or (self.bars > 0 and token.text in {"|", "\\|"})
        if token.kind == "cmd":
            return token.text in {"rbrace", "rangle", "rvert", "rVert", "rbrack", "rfloor", "rceil", "right."} or (
                self.bars > 0 and token.text in {"mid", "vert", "Vert"}
            )
        return token.kind == "end"

    def opens_here(self, token: Token, found: bool, opened: str) -> bool:
        """Whether a mark that may close begins a statement here: bars, or ] of a French interval."""
        return not found and (token.text in {"|", "\\|", "vert", "Vert"} or (token.text == "]" and not opened))

    def at_comment(self, node: Node) -> bool:
        """Whether words that comment on an equation stand here: R = 1 "is a necessary and sufficient condition"."""
        token = self.tokens[self.position]
        if token.kind != "text" or not isinstance(node, Rel) or node.ops != ("=",):
            return False
        words = token.text.lower().split()
        return words[0] in {"is", "are"} and "only of" not in token.text and _TAKEN_BACK.isdisjoint(words)

    def bracketed(self) -> str:
        """The words of a bracketed condition, as in (x in R)."""
        words: list[str] = []
        while self.peek().kind != "eof":
            words.append(self.take().text)
            if words[-1] == ")":
                break
        return " ".join(words)

    def condition(self, token: Token) -> tuple[str, bool]:
        """The words of a condition: the rest of the statement, unread."""
        words: list[str] = []
        depth = 0
        while True:
            here = self.peek()
            if here.kind == "eof" or (depth == 0 and self.at_close() and here.text not in {"|", "mid"}):
                break
            if here.kind == "and" and depth == 0 and words and self.equation_ahead():
                break
            if here.kind == "op":
                depth += (here.text in {"(", "[", "{", "\\{"}) - (here.text in {")", "]", "}", "\\}"})
            words.append(here.text)
            self.position += 1
        first = token.text.split()[0]
        runs = first in {"for", "where", "with", "forall"} or (first == "over" and not _RANGES.isdisjoint(words))
        return " ".join(words), runs

    def equation_ahead(self) -> bool:
        """Whether another "... = ..." follows."""
        return any(token.text == "=" for token in self.tokens[self.position :])
