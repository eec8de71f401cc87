"""A recursive-descent parser for LaTeX, plain and Python-like mathematics. It builds a tree and evaluates nothing."""

from __future__ import annotations

from functools import lru_cache

from flint import fmpq

from rewardkit.math.latex import brackets, grouping, primary, quantities
from rewardkit.math.latex.cursor import MAX_DEPTH, Cursor
from rewardkit.math.latex.lexer import Token, tokenize
from rewardkit.math.latex.respell import digits_in_base
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
    Unit,
    Words,
)
from rewardkit.math.latex.vocabulary import APPROXIMATE, DIVIDES, RELATIONS, SET_OPERATORS, TIMES

MAX_CHARS = 4_096
"""Longer texts are not parsed."""

_STOPS = frozenset({"", ",", ";", ")", "]", "}", "\\}"})
"""Texts of tokens ("" is the end) behind which no level of the grammar reads on."""

_ENDS = _STOPS - {",", ";"}
"""Texts of tokens that end a list."""

_NOT_RATIO = _STOPS | {"=", "<", ">"}
"""Texts of tokens that end both sides of a relation."""

_NO_FACTOR = _STOPS | {"+", "-", "=", "<", ">"}
"""Texts of tokens that end a product."""

_SIGNS = frozenset({"+", "-", "pm", "mp"})
_MEASURED = (Unit, Seq)
_SCALARS = (Num, Sym, Op)
_FACTORED = (Seq, Op, Sym)
_VALUES = frozenset({"i", "e", "pi"})
_LEADING = frozenset({"=", "approx", "Rightarrow", "implies", "Longrightarrow", "=>"})
"""Signs in front of an answer that say only that it follows."""

_DENIED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}
_PRODUCTS = {one: f"call:{one}" for one in ("circ", "otimes", "rtimes", "star", "wedge", "oplus")}
"""Products in which the order counts."""
_LOGIC = frozenset({"land", "lor"})
_IS_INTEGER = frozenset(
    f"{verb} {kind}integer" for verb in ("is", "being", "is some") for kind in ("an ", "any ", "")
) | {"an integer"}

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


def of_sets(node: Node) -> bool:
    """Whether `node` is a set of numbers or a multiple of one: Z, 2Z."""
    if isinstance(node, Op) and node.name == "mul" and isinstance(node.args[0], Num):
        node = node.args[1]
    return isinstance(node, Sym) and node.name.startswith("bb:")


class Parser(Cursor):
    """One pass over the tokens; each method reads one level of the grammar, loosest first."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.french = False

    def parse(self) -> Node:
        """The whole text."""
        node = self.items("", "")
        if self.peek().kind != "eof":
            raise ParseError(f"unexpected {self.peek().text!r}")
        return node

    # -- lists ----------------------------------------------------------------------------------------------------

    def items(self, opened: str, closed: str) -> Node:
        """A list of statements up to a closing bracket; one statement alone is itself."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")
        kind, text = self.tokens[self.position]
        first: Node | None = None
        if kind in {"num", "word"} or (kind == "cmd" and text in primary.FACTORS):
            first = self.statement()
            if (
                isinstance(first, _SCALARS) and self.tokens[self.position].text in _ENDS
            ):  # most texts are one expression
                self.depth -= 1
                return first
        found: list[Node] = []
        breaks: list[int] = []
        either = separated = comma = both = False
        logic: set[str] = set()
        while True:
            while first is None and self.at_separator():
                token = self.take()
                either = either or token.text in {"or", "lor", "vee"}
                both = both or token.text in {"and", "land", "wedge"}
                logic |= {token.text} & _LOGIC
                if len(logic) > 1:
                    raise ParseError("land and lor without brackets")
                separated = separated or (token.text in {",", ";"} and bool(found))
                comma = comma or token.text in {",", "and"}
                if token.text in {";", "or", "lor"} and found and grouping.found_at(breaks) != len(found):
                    breaks.append(len(found))
            token = self.peek()
            if first is not None:
                found.append(first)
                first = None
            elif found and (token.kind == "cond" or (token.kind == "cmd" and token.text == "forall")):
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
            elif token.kind == "text" and isinstance(found[-1], Sym) and token.text.lower() in _IS_INTEGER:
                self.position += 1
                found[-1] = Rel(("in",), (found[-1], Sym("bb:Z")))
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
        first = self.sum()
        if self.tokens[self.position].text not in _NOT_RATIO:
            first = self.ratio(self.sets(first))
        if self.tokens[self.position].text in _STOPS:
            return first
        ops: list[str] = []
        args: list[Node] = [first]
        while True:
            op = self.relation()
            if op is None:
                break
            if op == "implies":
                ops, args = [], [self.ratio(self.sets(self.sum()))]
                continue
            ops.append(op)
            while self.peek().kind == "cmd" and self.peek().text in {"quad", "qquad"}:
                self.position += 1
            args.append(self.ratio(self.sets(self.sum())))
        node: Node = Rel(tuple(ops), tuple(args)) if ops else args[0]
        modulus = self.modulus() if ops or self.peek().kind != "text" else None
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
            if following in _DENIED:
                self.position += 2
                return _DENIED[following]
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
        if token.kind in {"word", "text"} and (token.text == "mod" or (token.kind, token.text) == ("text", "modulo")):
            self.position += 1
            return self.power()
        return None

    def ratio(self, first: Node) -> Node:
        """A : b : c, or a label in words with its value, of which the first is read."""
        if self.tokens[self.position].text in _NOT_RATIO:
            return first
        if not (self.at(":") or (self.peek().kind == "cmd" and self.peek().text in {"colon", "ratio"})):
            return first
        if self.bars and (isinstance(first, (Sym, Rel, Seq)) or self.condition_ahead()):
            return first
        if isinstance(first, Words) and self.peek(1).text != "=":
            self.position += 1
            return Labelled(first.text, self.statement())
        args = [first]
        while self.at(":") or (self.peek().kind == "cmd" and self.peek().text in {"colon", "ratio"}):
            self.position += 1
            if self.at("="):
                self.position -= 1
                if len(args) == 1:
                    self.position += 1
                    return first
                raise ParseError("a ratio before =")
            args.append(self.sets(self.sum()))
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

    def sets(self, left: Node) -> Node:
        """Unions, intersections and differences, of which the first set is read; an intersection binds closer than a union."""
        joined = False
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
            right = self.sum()
            if joined and name == "inter" and isinstance(left, SetOp):
                left = SetOp("union", (left.args[0], SetOp("inter", (left.args[1], right))))
                continue
            joined = name == "union"
            left = SetOp(name, (left, right))

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
                if type(right) is not Num and of_sets(right) and of_sets(left):
                    left = (
                        SetOp("minus", (left, right))
                        if token.text == "-"
                        else Op("call:set sum", tuple(sorted((left, right), key=repr)))
                    )
                    continue
                left = Op("add", (left, right if token.text == "+" else Op("neg", (right,))))
            elif token.kind == "cmd" and token.text in {"pm", "mp"}:
                self.position += 1
                left = Op(token.text, (left, self.term()))
            elif token.kind == "cmd" and token.text in {"over", "choose", "atop"}:  # all that stands before it
                self.position += 1
                left = Op("div" if token.text == "over" else "binom", (left, self.sum()))
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
        token = self.tokens[self.position]
        kind, text = token
        if (kind == "num" or (kind == "word" and len(text) == 1)) and self.tokens[self.position + 1].text in _NO_FACTOR:
            self.position += 1  # most terms are plain
            return primary.number(self, token) if kind == "num" else Sym(text)
        left = self.signed() if text in _SIGNS else self.power()
        while True:
            token = self.tokens[self.position]
            if token.text in _NO_FACTOR:
                return left
            if token.kind in {"op", "cmd"} and token.text in TIMES:
                self.position += 1
                left = Op(_PRODUCTS.get(token.text, "mul"), (left, self.signed()))
            elif token.kind in {"op", "cmd"} and token.text in DIVIDES:
                if self.peek(1).kind == "text" and not isinstance(left, Words):
                    return left
                self.position += 1
                left = Op("div", (left, self.signed()))
            elif (token.kind == "cmd" and token.text == "bmod") or self.at_remainder():
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
                left = grouping.beside(left, self.power())
            else:
                return left

    def at_remainder(self) -> bool:
        """Whether a percent sign stands between two numbers, as code has it for a remainder: 17 % 5."""
        token = self.tokens[self.position]
        if token.text == "%":
            return primary.starts(self, 1)
        return token.text == "\\%" and self.peek(1).kind == "num" and self.peek(-1).kind == "num"

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
        if isinstance(node, Unit):  # the sign belongs to the value: -40 degrees F
            return Unit(Op("neg", (node.value,)), node.unit)
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
                if token.text in {"\\%", "%"} and not self.at_remainder():
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
