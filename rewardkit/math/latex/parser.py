"""The parser for LaTeX, plain and Python-like mathematics: one pass over the tokens, which builds a tree and evaluates nothing.

This file reads what joins expressions: lists, relations, sums, products. What begins one is read by the tables of
`commands` and `names`, what follows one by the table of `scripts`.
"""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.latex.commands import COMMANDS, environment, function, number
from rewardkit.math.latex.lexer import number_token, tokenize, word_token
from rewardkit.math.latex.lists import bracketed
from rewardkit.math.latex.names import BEHIND_LETTER, UNIT_SIGNS, letter, quantity, word, words
from rewardkit.math.latex.numbers import integer
from rewardkit.math.latex.scripts import SCRIPTS
from rewardkit.math.latex.statements import NO_TERM, Statements
from rewardkit.math.latex.tree import LimitError, Node, Num, Op, ParseError, Seq, SetOp, Sym, Unit
from rewardkit.math.latex.vocabulary import BRACKET, CONSTANTS, DIVIDES, FRACTIONS, FUNCTIONS, SET_OPERATORS, TIMES
from rewardkit.math.latex.walk import CONSTANTS as VALUES
from rewardkit.math.latex.walk import symbols, unwrapped

MAX_CHARS = 4_096
"""Longer texts are not parsed."""

_NO_FACTOR = NO_TERM | {"+", "-"}
_BEHIND_LEAF = BEHIND_LETTER | FRACTIONS
_ORDERED = {one: f"call:{one}" for one in ("circ", "otimes", "rtimes", "star", "wedge", "oplus")}
"""Products in which the order counts."""

_THOUSANDS: dict[Node, str] = {Sym("k"): "kohm", Sym("M"): "Mohm"}
_SIGNS = frozenset({"+", "-", "pm", "mp"})
_ARROWS = frozenset({"vec", "overrightarrow", "mathbf", "boldsymbol", "bm"})


def parse(text: str, *, commas: bool = True) -> Node:
    """The tree of `text`. Raises ParseError or LimitError.

    With `commas`, "1,234" is one number; without, it is a list of two.
    """
    if len(text) > MAX_CHARS:
        raise LimitError(f"more than {MAX_CHARS} characters")
    parser = Parser(tokenize(text, commas=commas))
    node = parser.items()
    if parser.peek().kind != "eof":
        raise ParseError(f"unexpected {parser.peek().text!r}")
    return node


class Parser(Statements):
    """The lower levels of the grammar."""

    # -- arithmetic ---------------------------------------------------------------------------------------------------

    def expression(self) -> Node:
        """Sums, joined as sets; an intersection binds closer than a union."""
        left = self.sum()
        while True:
            text = self.tokens[self.position].text
            if text in NO_TERM:
                return left
            name = "union" if text == "U" and self.peek(1).text in BRACKET else SET_OPERATORS.get(text)
            if name is None:
                return left
            self.position += 1
            right = self.sum()
            if name == "union" and SET_OPERATORS.get(self.peek().text) == "inter":
                self.position += 1
                right = SetOp("inter", (right, self.sum()))
            left = SetOp(name, (left, right))

    def sum(self) -> Node:
        """Terms joined by + - and plus-minus, with the unit that follows them."""
        tokens = self.tokens
        left = self.term()
        while True:
            kind, text, _ = tokens[self.position]
            if text in _SIGNS:
                self.position += 1
                left = _added(text, left, self.term())
            elif kind == "cmd" and text in {"over", "choose"}:  # all that stands before it
                self.position += 1
                self.enter()
                left = Op("div" if text == "over" else "binom", (left, self.sum()))
                self.depth -= 1
            else:
                unit = kind in {"text", "word"} or text in UNIT_SIGNS
                return quantity(self, left) if unit else left

    def term(self) -> Node:
        """Factors, written side by side or joined by times and divide."""
        tokens = self.tokens
        _, text, leaf = tokens[self.position]
        if leaf is not None and tokens[self.position + 1].text in _NO_FACTOR:
            self.position += 1  # most terms are plain
            return leaf
        left = self.signed() if text in _SIGNS else self.power()
        while True:
            kind, text, _ = tokens[self.position]
            if text in _NO_FACTOR:
                return left
            joined = kind in {"op", "cmd"}
            if joined and text in TIMES:
                self.position += 1
                name = _product_name(text, left, arrow=self.peek().text in _ARROWS)
                left = Op(name, (left, self.signed()))
            elif joined and text in DIVIDES:
                self.position += 1
                left = Op("div", (left, self.signed()))
            elif kind == "cmd" and text == "bmod":
                self.position += 1
                left = Op("mod", (left, self.signed()))
            elif self.starts():
                left = self.beside(left)
            else:
                return left

    def beside(self, left: Node) -> Node:
        """`left` times the factor written beside it; x1 is a letter with an index."""
        kind, text, _ = self.tokens[self.position]
        if kind == "num":
            if not isinstance(left, (Seq, Op, Sym)):
                raise ParseError("two numbers side by side")
            indexed = isinstance(left, Sym) and left.name not in VALUES and self.peek(-1).kind == "word"
            if isinstance(left, Sym) and indexed and self.peek(1).text != "^":
                self.position += 1
                return Sym(f"{left.name}_{text}")
        return _side_by_side(left, self.power())

    def signed(self) -> Node:
        """A factor with its signs; a minus binds looser than a product of juxtaposed factors, which is the same number."""
        negative = False
        kind, text, _ = self.tokens[self.position]
        while kind == "op" and text in {"-", "+"}:
            negative ^= text == "-"
            self.position += 1
            kind, text, _ = self.tokens[self.position]
        if kind == "cmd" and text in {"pm", "mp"}:
            self.position += 1
            factor = self.power()
            while self.starts():
                factor = Op("mul", (factor, self.power()))
            node: Node = Op(text, (Num(fmpq(0)), factor))
        else:
            node = self.power()
        if not negative:
            return node
        if isinstance(node, Unit):  # the sign belongs to the value: -40 degrees F
            return Unit(Op("neg", (node.value,)), node.unit)
        return Num(-node.value, node.places) if isinstance(node, Num) else Op("neg", (node,))

    def power(self) -> Node:
        """A primary with its exponents, subscripts, factorials, percent and degree signs."""
        base: Node | None = self.tokens[self.position].leaf
        if base is not None and self.tokens[self.position + 1].text not in _BEHIND_LEAF:
            self.position += 1
        else:
            base = self.primary()
        while (script := SCRIPTS.get(self.tokens[self.position].text)) is not None:
            self.position += 1
            base = script(self, base)
        return base

    def primary(self) -> Node:
        """A number, a name, a bracket, a command."""
        kind, text, leaf = self.tokens[self.position]
        self.position += kind != "eof"
        self.enter()
        if kind == "cmd":
            reader = COMMANDS.get(text)
            if reader is not None:
                node = reader(self, text)
            elif text[:3] != "bb:":
                raise ParseError(f"unknown command \\{text}")
            else:
                called = text in {"bb:E", "bb:P"} and self.peek().text in {"(", "["}
                node = letter(self, text[3:]) if called else Sym(text)
        elif kind == "word":
            if text in FUNCTIONS:
                node = function(self, FUNCTIONS[text])
            else:
                node = letter(self, text) if len(text) == 1 else word(self, text)
        elif kind == "op":
            node = bracketed(self, text)
        elif kind == "text":
            node = words(self, text)
        elif kind == "begin":
            node = environment(self, text)
        elif leaf is not None:
            node = number(self, leaf)
        else:
            raise ParseError(f"unexpected {text!r}" if text else "the text ends too early")
        self.depth -= 1
        return node

    # -- arguments ----------------------------------------------------------------------------------------------------

    def argument(self) -> Node:
        """The argument of a command: a group, one digit of a number, or one primary."""
        kind, text, _ = self.tokens[self.position]
        if text == "{":
            self.position += 1
            inside = self.tokens[self.position].leaf
            if inside is not None and self.tokens[self.position + 1].text == "}":
                self.position += 2
                return inside
            return self.closed("}")
        if kind == "num" and text.isdigit():  # \frac12\frac13: the 2 is no part of a mixed number
            if len(text) > 1:
                self.replace(number_token("num", text[0]), number_token("num", text[1:]))
            self.position += 1
            return integer(text[0])
        if kind == "word" and len(text) > 1 and text not in CONSTANTS and (text not in FUNCTIONS or len(text) == 2):
            self.replace(word_token(text[0]), word_token(text[1:]))
        return self.primary()

    def closed(self, mark: str, opened: str = "") -> Node:
        """A list up to a closing bracket."""
        node = self.items(opened)
        self.expect(mark)
        return node

    def limit(self, *, argument: bool = False) -> Node:
        """A subscript or limit: a group, a whole number (one digit of it where an argument must follow), or one primary."""
        kind, _, leaf = self.peek()
        alone = not argument or self.starts(1) or self.peek(1).text in {"-", "\\{"}
        if kind != "num" or leaf is None or not alone:
            return self.argument()
        self.position += 1
        return leaf

    def arguments(self, closed: str) -> tuple[Node, ...]:
        """The arguments of a function up to a closing bracket."""
        node = self.closed(closed, "(")
        found = node.items if isinstance(node, Seq) and not node.opened else (node,)
        if not found:
            raise ParseError("a function of nothing")
        return found


def _added(sign: str, left: Node, right: Node) -> Node:
    """A sum or a difference, of numbers or of sets."""
    if sign in {"pm", "mp"}:
        return Op(sign, (left, right))
    if (type(right) is not Num and _is_number_set(right)) or (type(right) is Seq and _is_number_set(left)):
        return SetOp("minus" if sign == "-" else "sum", (left, right))
    return Op("add", (left, right if sign == "+" else Op("neg", (right,))))


def _is_number_set(node: Node) -> bool:
    """Whether `node` is a set of numbers, such as Z."""
    return isinstance(node, Sym) and node.name.startswith("bb:")


def _product_name(sign: str, left: Node, *, arrow: bool) -> str:
    """The operation of a sign of multiplication: a cross product is none of numbers, nor is a product of sets."""
    if sign == "times" and ((arrow and symbols(left) - VALUES) or _is_number_set(left)):
        return "call:times"
    return f"call:nabla {sign}" if left == Sym("nabla") else _ORDERED.get(sign, "mul")


def _side_by_side(left: Node, right: Node) -> Node:
    """Two factors side by side, brackets and all; C(n, k) is a number of choices, Z[x] and C^1(R) are not products."""
    if type(left) is Num and (type(right) is Op or (type(right) is Sym and right.name != "Omega")):
        return Op("mul", (left, right))  # as most are
    if _is_number_set(left) or (type(left) is not Num and _is_number_set(right)):
        return Op(f"call:{left!r}", (right,))
    left, right = unwrapped(left), unwrapped(right)
    if isinstance(right, Unit):
        return Unit(Op("mul", (left, right.value)), right.unit)
    if right == Sym("Omega") and (isinstance(left, Num) or symbols(left) <= VALUES):
        return Unit(left, "ohm")
    if right == Sym("Omega") and isinstance(left, Op) and left.args[-1] in _THOUSANDS and isinstance(left.args[0], Num):
        return Unit(left.args[0], _THOUSANDS[left.args[-1]])
    if left == Sym("C") and isinstance(right, Seq) and right.opened == "(" and len(right.items) == 2:
        return Op("binom", right.items)
    return Op("mul", (left, right))
