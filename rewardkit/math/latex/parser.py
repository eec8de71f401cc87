"""A recursive-descent parser for LaTeX, plain and Python-like mathematics. It builds a tree and evaluates nothing.

One class, in layers: each file adds the pieces of the grammar that are made of those before it.

    Cursor < Brackets < Scripts < Names < Quantities < Commands < Terms < Parser
"""

from __future__ import annotations

from functools import lru_cache

from rewardkit.math.latex.cursor import FACTORS, MAX_DEPTH
from rewardkit.math.latex.lexer import tokenize
from rewardkit.math.latex.lists import grouped, residues, split_domain
from rewardkit.math.latex.terms import NO_TERM, STOPS, Terms
from rewardkit.math.latex.tree import (
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
    Words,
)
from rewardkit.math.latex.vocabulary import RELATIONS, SET_OPERATORS
from rewardkit.math.latex.walk import CONSTANTS, symbols

MAX_CHARS = 4_096
"""Longer texts are not parsed."""

CACHED_CHARS = 512
"""Trees of longer texts are not kept."""

_ENDS = STOPS - {",", ";"}
"""Texts of tokens that end a list."""

_SCALARS = (Num, Sym, Op)
_LEADING = frozenset({"=", "approx", "Rightarrow", "implies", "Longrightarrow", "=>"})
"""Signs in front of an answer that say only that it follows."""

_NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "=": "!=", "in": "notin", "equiv": "not equiv", "subset": "not subset"}  # fmt: skip
_LOGIC = frozenset({"land", "lor"})
_SET_OPENERS = frozenset({"(", "[", "\\{", "lbrace", "]", "{"})
MAX_LOOK_AHEAD = 40


def parse(text: str, *, commas: bool = True) -> Node:
    """The tree of `text`. Raises ParseError or LimitError.

    With `commas`, "1,234" is one number; without, it is a list of two.
    """
    if len(text) > MAX_CHARS:
        raise LimitError(f"more than {MAX_CHARS} characters")
    return _parse_short(text, commas) if len(text) <= CACHED_CHARS else _parse(text, commas)


def _parse(text: str, commas: bool) -> Node:
    parser = Parser(tokenize(text, commas=commas))
    node = parser.items("", "")
    if parser.peek().kind != "eof":
        raise ParseError(f"unexpected {parser.peek().text!r}")
    return node


_parse_short = lru_cache(maxsize=512)(_parse)


class _List:
    """The statements of a list while it is read, and what joins them."""

    __slots__ = ("both", "breaks", "comma", "either", "found", "logic", "separated")

    def __init__(self) -> None:
        self.found: list[Node] = []
        self.breaks: list[int] = []
        self.logic: set[str] = set()
        self.either = self.both = self.comma = self.separated = False

    def join(self, text: str) -> None:
        """Take note of a separator."""
        self.either = self.either or text in {"or", "lor", "vee"}
        self.both = self.both or text in {"and", "land", "wedge"}
        self.logic |= {text} & _LOGIC
        if len(self.logic) > 1:
            raise ParseError("land and lor without brackets")
        self.separated = self.separated or (text in {",", ";"} and bool(self.found))
        self.comma = self.comma or text in {",", "and"}
        if text in {";", "or", "lor"} and self.found and len(self.found) not in self.breaks:
            self.breaks.append(len(self.found))

    def node(self, opened: str, closed: str) -> Node:
        """The list, or its only member."""
        if not self.found and not opened:
            raise ParseError("nothing to read")
        found, domain = split_domain(residues(self.found)) if len(self.found) > 1 else (self.found, None)
        if self.breaks and self.comma and domain is None and not opened:
            found = grouped(found, self.breaks)
        if len(found) == 1 and not (opened and self.separated and not closed):
            node = found[0]
        else:
            node = Seq("", "", tuple(found), self.either, self.both and not self.either)
        return Cond(node, domain, universal=True) if domain is not None else node


class Parser(Terms):
    """One pass over the tokens; each method reads one level of the grammar."""

    def items(self, opened: str, closed: str) -> Node:
        """A list of statements up to a closing bracket; one statement alone is itself."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")
        kind, text = self.tokens[self.position]
        first: Node | None = None
        if kind in {"num", "word"} or (kind == "cmd" and text in FACTORS):
            first = self.statement()
            if isinstance(first, _SCALARS) and self.tokens[self.position].text in _ENDS:
                self.depth -= 1  # most texts are one expression
                return first
        read = _List()
        found = read.found
        if first is not None:
            found.append(first)
            if not self.qualified(found):
                self.depth -= 1
                return read.node(opened, closed)
        while True:
            while self.at_separator():
                read.join(self.take().text)
            token = self.peek()
            if found and self.at_condition():
                found[-1] = Cond(found[-1], *self.condition())
            elif token.kind == "eof" or (self.at_close() and not self.opens_here(token, bool(found), opened)):
                break
            else:
                found.append(self.statement())
            if not self.qualified(found):
                break
        self.depth -= 1
        return read.node(opened, closed)

    def qualified(self, found: list[Node]) -> bool:
        """Add the condition that follows the last statement; whether the list goes on behind it."""
        token = self.tokens[self.position]
        if token.text in STOPS:
            return token.text in {",", ";"}
        last = found[-1]
        if self.at_condition():
            found[-1] = Cond(last, *self.condition())
        elif self.at_remark(last):
            found[-1] = Cond(last, self.condition()[0], universal=True)
        elif self.at_membership():
            found[-1] = Cond(last, self.membership(), universal=True)
        return self.at_separator()

    # -- statements -----------------------------------------------------------------------------------------------

    def statement(self) -> Node:
        """A chain of relations, or what stands without one."""
        token = self.tokens[self.position]
        kind, text = token
        if (kind == "num" or (kind == "word" and len(text) == 1)) and self.tokens[self.position + 1].text in STOPS:
            self.position += 1  # most members of lists are plain
            return self.number(token) if kind == "num" else Sym(text)
        while text in _LEADING and kind in {"op", "cmd"}:
            self.position += 1
            kind, text = self.tokens[self.position]
        first = self.sum()
        if self.tokens[self.position].text not in NO_TERM:
            first = self.ratio(self.sets(first))
        if self.tokens[self.position].text in STOPS:
            return first
        ops: list[str] = []
        args: list[Node] = [first]
        while (op := self.relation()) is not None:
            while self.peek().kind == "cmd" and self.peek().text in {"quad", "qquad"}:
                self.position += 1
            if op == "implies":
                ops, args = [], []
            else:
                ops.append(op)
            args.append(self.ratio(self.sets(self.sum())))
        node: Node = Rel(tuple(ops), tuple(args)) if ops else args[0]
        modulus = self.modulus() if ops or self.peek().kind != "text" else None
        if modulus is None:
            return _defined(node) if isinstance(node, Rel) else node
        if isinstance(node, Rel):
            return Rel((*node.ops, "mod"), (*node.args, modulus))
        return Op("modclass", (node, modulus))

    def relation(self) -> str | None:
        """The relation that stands here, if any."""
        kind, text = self.peek()
        if kind not in {"op", "cmd"} or (self.open_bars and text in {"mid", "|"}):
            return None
        if kind == "cmd" and text == "not":
            negated = _NEGATED.get(RELATIONS.get(self.peek(1).text, ""))
            self.position += 2 if negated is not None else 0
            return negated
        op = RELATIONS.get(text)
        if op is None or (kind == "op" and text in {"in", "to"}):
            return None
        self.position += 1
        if op in {"<", ">"} and self.skip("="):
            op += "="
        if op == "=" and text == "=":
            self.skip("=")
        while op == "=" and self.skip("&"):
            pass
        return op

    def modulus(self) -> Node | None:
        r"""The m of `\pmod{m}`, `(mod m)` or `\mod m`."""
        kind, text = self.peek()
        if self.at("(") and self.peek(1).text in {"mod", "bmod"}:
            self.position += 2
            node = self.sum()
            self.expect(")")
            return node
        if (kind == "cmd" and text in {"pmod", "mod"}) or (kind in {"word", "text"} and text in {"mod", "modulo"}):
            self.position += 1
            return self.power()
        return None

    def ratio(self, first: Node) -> Node:
        """A : b : c, or a label in words with its value, of which the first is read."""
        if self.tokens[self.position].text in NO_TERM or not self.at_colon():
            return first
        if self.open_bars and (isinstance(first, (Sym, Rel, Seq)) or self.condition_ahead()):
            return first
        if isinstance(first, Words) and self.peek(1).text != "=":
            self.position += 1
            return Labelled(first.text, self.statement())
        args = [first]
        while self.at_colon():
            self.position += 1
            if self.at("="):
                if len(args) > 1:
                    raise ParseError("a ratio before =")
                return first
            args.append(self.sets(self.sum()))
        if len(args) == 2 and isinstance(first, Sym) and not isinstance(args[1], (Sym, Num)):
            return Rel(("=",), (first, args[1]))
        return Ratio(tuple(args))

    def at_colon(self) -> bool:
        """Whether the colon of a ratio or a label stands here."""
        return self.at(":") or (self.peek().kind == "cmd" and self.peek().text in {"colon", "ratio"})

    def condition_ahead(self) -> bool:
        """Whether a relation stands between here and the brace that closes a set."""
        for kind, text in self.tokens[self.position + 1 : self.position + MAX_LOOK_AHEAD]:
            if kind == "op" and text in {"\\}", "}"}:
                return False
            if RELATIONS.get(text) in {"<", ">", "<=", ">=", "in"}:
                return True
        return False

    def sets(self, left: Node) -> Node:
        """Unions, intersections and differences, of which the first set is read; an intersection binds closer than a union."""
        joined = False
        while True:
            kind, text = self.tokens[self.position]
            if text in NO_TERM:
                return left
            name = SET_OPERATORS.get(text) if kind == "cmd" else None
            if kind == "word" and text in {"U", "u", "union"} and self.peek(1).text in _SET_OPENERS:
                name = "union"
            if name is None:
                return left
            self.position += 1
            right = self.sum()
            if joined and name == "inter" and isinstance(left, SetOp):
                left = SetOp("union", (left.args[0], SetOp("inter", (left.args[1], right))))
                continue
            joined = name == "union"
            left = SetOp(name, (left, right))


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
