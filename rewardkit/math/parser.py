"""A recursive-descent parser for LaTeX, plain and Python-like mathematics. It builds a tree and evaluates nothing."""

from __future__ import annotations

from functools import lru_cache

from flint import fmpq

from rewardkit.math import brackets, grouping, primary, quantities
from rewardkit.math.lexer import Token, tokenize
from rewardkit.math.respell import digits_in_base
from rewardkit.math.tree import (
    Cond,
    Labelled,
    LimitError,
    Node,
    Num,
    Op,
    ParseError,
    Ratio,
    Rel,
    Seq,
    SetOp,
    Sym,
    Unit,
    Words,
)
from rewardkit.math.vocabulary import APPROXIMATE, DIVIDES, RELATIONS, SET_OPERATORS, TIMES

MAX_CHARS = 4_096
"""Longer texts are not parsed."""

_STOPS = frozenset({"", ",", ";", ")", "]", "}", "\\}"})
"""Texts of tokens ("" is the end) behind which no level of the grammar reads on."""

_NOT_RATIO = _STOPS | {"=", "<", ">"}
"""Texts of tokens that end both sides of a relation."""

_NO_FACTOR = _STOPS | {"+", "-", "=", "<", ">"}
"""Texts of tokens that end a product."""

_MEASURED = (Unit, Seq)
_FACTORED = (Seq, Op, Sym)
_VALUES = frozenset({"i", "e", "pi"})
_LEADING = frozenset({"=", "approx", "Rightarrow", "implies", "Longrightarrow", "=>"})
"""Signs in front of an answer that say only that it follows."""

_SEPARATORS = frozenset({"quad", "qquad", "land", "lor", "wedge", "vee", "newline", "therefore", "hfill"})
MAX_DEPTH = 48
"""Deeper nesting is not parsed (doubled brackets do not count)."""


CACHED_CHARS = 512
"""Trees of longer texts are not kept."""


def parse(text: str, *, commas: bool = True) -> Node:
    """The tree of `text`. Raises ParseError or LimitError.

    With `commas`, "1,234" is one number; without, it is a list of two.
    """
    if len(text) > MAX_CHARS:
        raise LimitError(f"more than {MAX_CHARS} characters")
    return _parse_short(text, commas) if len(text) <= CACHED_CHARS else _parse(text, commas)


def _parse(text: str, commas: bool) -> Node:
    if "_" in text and (based := digits_in_base(text)) is not None:
        return based
    return Parser(tokenize(text, commas=commas)).parse()


_parse_short = lru_cache(maxsize=8_192)(_parse)


class Parser:
    """One pass over the tokens; each method reads one level of the grammar, loosest first."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.depth = 0
        self.bars = 0
        self.french = False

    def parse(self) -> Node:
        """The whole text."""
        node = self.items("", "")
        if self.peek().kind != "eof":
            raise ParseError(f"unexpected {self.peek().text!r}")
        return node

    # -- tokens ---------------------------------------------------------------------------------------------------

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

    # -- lists ----------------------------------------------------------------------------------------------------

    def items(self, opened: str, closed: str) -> Node:
        """A list of statements up to a closing bracket; one statement alone is itself."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")
        found: list[Node] = []
        breaks: list[int] = []
        either = separated = comma = both = False
        while True:
            while self.at_separator():
                token = self.take()
                either = either or token.text in {"or", "lor", "vee"}
                both = both or token.text in {"and", "land", "wedge"}
                separated = separated or (token.text in {",", ";"} and bool(found))
                comma = comma or token.text in {",", "and"}
                if token.text in {";", "or", "lor"} and found and grouping.found_at(breaks) != len(found):
                    breaks.append(len(found))
            token = self.peek()
            if found and (token.kind == "cond" or (token.kind == "cmd" and token.text == "forall")):
                found[-1] = Cond(found[-1], *self.condition(token))
            elif token.kind == "eof" or (self.at_close() and not self.opens_here(token, bool(found), opened)):
                break
            else:
                found.append(self.statement())
            token = self.tokens[self.position]
            if token.text in _STOPS:
                if token.text in {",", ";"}:
                    continue
                break
            if token.kind == "cond" or (token.kind == "cmd" and token.text == "forall"):
                found[-1] = Cond(found[-1], *self.condition(token))
            elif self.at_comment(found[-1]):
                found[-1] = Cond(found[-1], self.condition(token)[0], universal=True)
            elif primary.member_bracket(self, 0):
                found[-1] = Cond(found[-1], self.bracketed(), universal=True)
            if not self.at_separator():
                break
        self.depth -= 1
        if not found and not opened:
            raise ParseError("nothing to read")
        found, member = grouping.split_membership(grouping.residues(found) if len(found) > 1 else found)
        if breaks and comma and member is None and not opened:
            found = grouping.grouped(found, breaks)
        if len(found) == 1 and not (opened and separated and not closed):
            node = found[0]
        else:
            node = Seq("", "", tuple(found), either, both and not either)
        return Cond(node, member, universal=True) if member is not None else node

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
        return words[0] in {"is", "are"} and not {"not", "false", "wrong", "impossible", "no"} & set(words)

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
        return " ".join(words), token.text.split()[0] in {"for", "where", "with", "over", "forall"}

    def equation_ahead(self) -> bool:
        """Whether another "... = ..." follows."""
        return any(token.text == "=" for token in self.tokens[self.position :])

    # -- statements -----------------------------------------------------------------------------------------------

    def statement(self) -> Node:
        """A chain of relations, or what stands without one."""
        token = self.tokens[self.position]
        simple = token.kind == "num" or (token.kind == "word" and len(token.text) == 1)
        if simple and self.tokens[self.position + 1].text in _STOPS:  # most members of lists are plain
            self.position += 1
            return primary.number(self, token) if token.kind == "num" else Sym(token.text)
        while token.text in _LEADING and token.kind in {"op", "cmd"}:
            self.position += 1
            token = self.tokens[self.position]
        first = self.ratio()
        if self.tokens[self.position].text in _STOPS:
            return first
        ops: list[str] = []
        args: list[Node] = [first]
        while True:
            op = self.relation()
            if op is None:
                break
            if op == "implies":
                ops, args = [], [self.ratio()]
                continue
            ops.append(op)
            while self.peek().kind == "cmd" and self.peek().text in {"quad", "qquad"}:
                self.position += 1
            args.append(self.ratio())
        node: Node = Rel(tuple(ops), tuple(args)) if ops else args[0]
        modulus = self.modulus()
        if modulus is None and isinstance(node, Rel):
            node = grouping.defined(node)
        if modulus is not None:
            node = (
                Op("modclass", (node, modulus))
                if not isinstance(node, Rel)
                else Rel((*node.ops, "mod"), (*node.args, modulus))
            )
        return node

    def relation(self) -> str | None:
        """The relation that stands here, if any."""
        token = self.peek()
        if token.kind not in {"op", "cmd"}:
            return None
        if token.kind == "cmd" and token.text == "not":
            following = RELATIONS.get(self.peek(1).text)
            if following in {"=", "in", "equiv", "subset"}:
                self.position += 2
                return {"=": "!=", "in": "notin"}.get(following, "not " + following)
            return None
        if self.bars and token.text in {"mid", "|"}:
            return None
        op = RELATIONS.get(token.text)
        if op is None or (token.kind == "op" and token.text in {"in", "to"}):
            return None
        self.position += 1
        if op in {"<", ">"} and self.at("="):
            self.position += 1
            op += "="
        if op == "=" and token.text == "=" and self.at("="):
            self.position += 1
        while op == "=" and self.at("&"):
            self.position += 1
        return op

    def modulus(self) -> Node | None:
        r"""The m of `\pmod{m}`, `(mod m)` or `\mod m`."""
        token = self.peek()
        if token.kind == "cmd" and token.text in {"pmod", "mod"}:
            self.position += 1
            return self.power()
        if self.at("(") and self.peek(1).text in {"mod", "bmod"}:
            self.position += 2
            node = self.sum()
            self.expect(")")
            return node
        if token.kind == "word" and token.text == "mod":
            self.position += 1
            return self.power()
        return None

    def ratio(self) -> Node:
        """A : b : c, or a label in words with its value."""
        first = self.sets()
        if self.tokens[self.position].text in _NOT_RATIO:
            return first
        if not (self.at(":") or (self.peek().kind == "cmd" and self.peek().text in {"colon", "ratio"})):
            return first
        if self.bars and (isinstance(first, Sym | Rel | Seq) or self.condition_ahead()):
            return first
        args = [first]
        while self.at(":") or (self.peek().kind == "cmd" and self.peek().text in {"colon", "ratio"}):
            self.position += 1
            if self.at("="):
                self.position -= 1
                if len(args) == 1:
                    self.position += 1
                    return first
                raise ParseError("a ratio before =")
            args.append(self.sets())
        if isinstance(first, Words):
            return Labelled(first.text, args[-1] if len(args) == 2 else Ratio(tuple(args[1:])))
        if len(args) == 2 and isinstance(first, Sym) and not isinstance(args[1], Sym):
            return Rel(("=",), (first, args[1])) if not isinstance(args[1], Num) else Ratio(tuple(args))
        return Ratio(tuple(args))

    def condition_ahead(self) -> bool:
        """Whether a relation stands between here and the brace that closes a set."""
        for token in self.tokens[self.position + 1 : self.position + 40]:
            if token.kind == "op" and token.text in {"\\}", "}"}:
                return False
            if token.text == "in" or RELATIONS.get(token.text) in {"<", ">", "<=", ">=", "in"}:
                return True
        return False

    def sets(self) -> Node:
        """Unions, intersections and differences."""
        left = self.sum()
        while True:
            token = self.tokens[self.position]
            if token.text in _NOT_RATIO:
                return left
            name = SET_OPERATORS.get(token.text) if token.kind == "cmd" else None
            if (
                token.kind == "word"
                and token.text in {"U", "u", "union"}
                and self.peek(1).text in {"(", "[", "\\{", "lbrace", "]", "{"}
            ):
                name = "union"
            if name is None:
                return left
            self.position += 1
            left = SetOp(name, (left, self.sum()))

    def sum(self) -> Node:
        """Terms joined by + - and plus-minus, with the unit that follows them."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")
        while self.tokens[self.position].kind == "text" and self.peek().text.lower() in APPROXIMATE:
            self.position += 1
        left = self.term()
        while True:
            token = self.tokens[self.position]
            if token.text in _NOT_RATIO and not isinstance(left, _MEASURED):
                self.depth -= 1
                return left
            if token.kind == "op" and token.text in {"+", "-"}:
                self.position += 1
                right = self.term()
                left = Op("add", (left, right if token.text == "+" else Op("neg", (right,))))
            elif token.kind == "cmd" and token.text in {"pm", "mp"}:
                self.position += 1
                left = Op(token.text, (left, self.term()))
            else:
                break
        unit = quantities.unit(self, left)
        while isinstance(unit, Unit) or (isinstance(unit, Seq) and unit.opened == "+"):
            finer = quantities.finer(self, unit.items[-1] if isinstance(unit, Seq) else unit)
            if finer is None:
                break
            unit = Seq("+", "+", (*(unit.items if isinstance(unit, Seq) else (unit,)), finer))
        self.leave()
        return unit

    def term(self) -> Node:
        """Factors, written side by side or joined by times and divide."""
        left = self.signed()
        while True:
            token = self.tokens[self.position]
            if token.text in _NO_FACTOR:
                return left
            if token.kind in {"op", "cmd"} and token.text in TIMES:
                self.position += 1
                left = Op("mul", (left, self.signed()))
            elif token.kind in {"op", "cmd"} and token.text in DIVIDES:
                if self.peek(1).kind == "text":
                    return left
                self.position += 1
                left = Op("div", (left, self.signed()))
            elif (token.kind == "cmd" and token.text == "bmod") or (
                token.kind == "op" and token.text == "%" and primary.starts(self, 1)
            ):
                self.position += 1
                left = Op("mod", (left, self.signed()))
            elif primary.starts(self, 0):
                if token.kind == "num" and not isinstance(left, _FACTORED):
                    raise ParseError("two numbers side by side")
                if (
                    token.kind == "num"
                    and isinstance(left, Sym)
                    and left.name not in _VALUES
                    and self.tokens[self.position - 1].kind == "word"
                    and self.peek(1).text != "^"
                ):
                    left = Sym(f"{left.name}_{self.take().text}")
                    continue
                left = grouping.product(brackets.unwrapped(left), brackets.unwrapped(self.power()))
            elif token.kind == "cmd" and token.text in {"over", "choose", "atop"}:
                self.position += 1
                left = Op("div" if token.text == "over" else "binom", (left, self.sum()))
            else:
                return left

    def signed(self) -> Node:
        """A factor with its signs."""
        sign = 1
        token = self.tokens[self.position]
        while token.kind == "op" and token.text in {"-", "+"}:
            sign = -sign if token.text == "-" else sign
            self.position += 1
            token = self.tokens[self.position]
        if token.kind == "cmd" and token.text in {"pm", "mp"}:
            self.position += 1
            node: Node = Op("pm", (Num(fmpq(0)), self.product()))
        elif sign < 0:
            node = self.power()
            # a minus binds looser than a product of juxtaposed factors, which is the same number
        else:
            return self.power()
        if sign > 0:
            return node
        return Num(-node.value, node.places) if isinstance(node, Num) else Op("neg", (node,))

    def product(self) -> Node:
        """Factors written side by side."""
        left = self.power()
        while primary.starts(self, 0):
            left = Op("mul", (left, self.power()))
        return left

    def power(self) -> Node:
        """A primary with its exponents, factorials, percent and degree signs."""
        base = primary.primary(self)
        while True:
            token = self.tokens[self.position]
            if token.text in _NO_FACTOR:
                return base
            if token.kind == "op":
                if token.text in {"^", "**"}:
                    self.position += 1
                    base = brackets.raised(self, base)
                    continue
                if token.text == "!":
                    self.position += 1
                    double = self.at("!")
                    if double:
                        self.position += 1
                    base = Op("dfact" if double else "fact", (base,))
                    continue
                if token.text in {"\\%", "%"} and not (token.text == "%" and primary.starts(self, 1)):
                    self.position += 1
                    base = Op("pct", (base,))
                    continue
                if token.text == "'":
                    self.position += 1
                    base = Op("call:'", (base,))
                    continue
                if token.text == "_":
                    self.position += 1
                    base = brackets.subscripted(self, base)
                    continue
            elif token.kind == "cmd" and token.text == "degree":
                self.position += 1
                base = Op("deg", (base,))
                continue
            return base
