"""Sums, products and powers."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.latex.brackets import unwrapped
from rewardkit.math.latex.commands import Commands
from rewardkit.math.latex.cursor import MAX_DEPTH
from rewardkit.math.latex.tree import LimitError, Node, Num, Op, ParseError, Seq, SetOp, Sym, Unit, Words
from rewardkit.math.latex.vocabulary import APPROXIMATE, DIVIDES, TIMES, word_set
from rewardkit.math.latex.walk import CONSTANTS, symbols

STOPS = frozenset({"", ",", ";", ")", "]", "}", "\\}"})
"""Texts of tokens ("" is the end) behind which no level of the grammar reads on."""

NO_TERM = STOPS | {"=", "<", ">"}
"""Texts of tokens that end both sides of a relation."""

NO_FACTOR = NO_TERM | {"+", "-"}
"""Texts of tokens that end a product."""

_SIGNS = frozenset({"+", "-", "pm", "mp"})
_MEASURED = (Unit, Seq)
_FACTORED = (Seq, Op, Sym)
_VALUES = frozenset({"i", "e", "pi"})
_ORDERED = {one: f"call:{one}" for one in ("circ", "otimes", "rtimes", "star", "wedge", "oplus")}
"""Products in which the order counts."""

_VECTORS = word_set("vec overrightarrow mathbf boldsymbol bm")
_NABLA = Sym("nabla")
_THOUSANDS = {Sym("k"): "kohm", Sym("M"): "Mohm"}
_POINTS = frozenset({"point", "the point", "vertex", "center", "centre", "at", "coordinates"})
_AFTER = {"!": "fact", "%": "pct", "\\%": "pct", "'": "call:'"}


class Terms(Commands):
    """The levels of arithmetic."""

    def sum(self) -> Node:
        """Terms joined by + - and plus-minus, with the unit that follows them."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")
        while self.tokens[self.position].kind == "text" and self.peek().text.lower() in APPROXIMATE:
            self.position += 1
        left = self.term()
        while True:
            kind, text = self.tokens[self.position]
            if text in NO_TERM and not isinstance(left, _MEASURED):
                self.depth -= 1
                return left
            if kind == "op" and text in {"+", "-"}:
                self.position += 1
                left = _added(text, left, self.term())
            elif kind == "cmd" and text in {"pm", "mp"}:
                self.position += 1
                left = Op(text, (left, self.term()))
            elif kind == "cmd" and text in {"over", "choose", "atop"}:  # all that stands before it
                self.position += 1
                left = Op("div" if text == "over" else "binom", (left, self.sum()))
            else:
                break
        found = self.quantity(left)
        self.depth -= 1
        return found

    def term(self) -> Node:
        """Factors, written side by side or joined by times and divide."""
        token = self.tokens[self.position]
        kind, text = token
        if (kind == "num" or (kind == "word" and len(text) == 1)) and self.tokens[self.position + 1].text in NO_FACTOR:
            self.position += 1  # most terms are plain
            return self.number(token) if kind == "num" else Sym(text)
        left = self.signed() if text in _SIGNS else self.power()
        while True:
            kind, text = self.tokens[self.position]
            if text in NO_FACTOR:
                return left
            joined = kind in {"op", "cmd"}
            if joined and text in TIMES:
                self.position += 1
                arrow = self.peek().text in _VECTORS
                left = Op(_product_name(text, left, arrow=arrow), (left, self.signed()))
            elif joined and text in DIVIDES:
                if self.peek(1).kind == "text" and not isinstance(left, Words):
                    return left
                self.position += 1
                left = Op("div", (left, self.signed()))
            elif (kind == "cmd" and text == "bmod") or self.at_remainder():
                self.position += 1
                left = Op("mod", (left, self.signed()))
            elif self.starts(0):
                left = self.beside(left)
            else:
                return left

    def beside(self, left: Node) -> Node:
        """`left` times the factor written beside it; x1 is a letter with an index."""
        kind, text = self.tokens[self.position]
        if kind == "num":
            if not isinstance(left, _FACTORED):
                raise ParseError("two numbers side by side")
            letter = isinstance(left, Sym) and left.name not in _VALUES and self.peek(-1).kind == "word"
            if isinstance(left, Sym) and letter and self.peek(1).text != "^":
                self.position += 1
                return Sym(f"{left.name}_{text}")
        right = self.power()
        if type(left) is Num and (type(right) is Op or (type(right) is Sym and right.name != "Omega")):
            return Op("mul", (left, right))  # as most are
        return _side_by_side(left, right)

    def at_remainder(self) -> bool:
        """Whether a percent sign stands between two numbers, as code has it for a remainder: 17 % 5."""
        text = self.tokens[self.position].text
        if text == "%":
            return self.starts(1)
        return text == "\\%" and self.peek(1).kind == "num" and self.peek(-1).kind == "num"

    def signed(self) -> Node:
        """A factor with its signs; a minus binds looser than a product of juxtaposed factors, which is the same number."""
        negative = False
        kind, text = self.tokens[self.position]
        while kind == "op" and text in {"-", "+"}:
            negative ^= text == "-"
            self.position += 1
            kind, text = self.tokens[self.position]
        if kind == "cmd" and text in {"pm", "mp"}:
            self.position += 1
            factor = self.power()
            while self.starts(0):
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
        """A primary with its exponents, factorials, percent and degree signs."""
        base = self.primary()
        while True:
            kind, text = self.tokens[self.position]
            if text in NO_FACTOR:
                return base
            if kind == "op" and text in {"^", "**"}:
                self.position += 1
                base = self.raised(base)
            elif kind == "op" and text == "_":
                self.position += 1
                base = self.subscripted(base)
            elif kind == "op" and text in _AFTER and not self.at_remainder():
                self.position += 1
                double = text == "!" and self.skip("!")
                base = Op("dfact" if double else _AFTER[text], (base,))
            elif kind == "cmd" and text == "degree":
                self.position += 1
                base = Op("deg", (base,))
            else:
                return base

    def primary(self) -> Node:
        """A number, a name, a bracket, a command."""
        token = self.tokens[self.position]
        kind, text = token
        if kind != "eof":
            self.position += 1
        if kind in {"num", "sci", "mixed", "repeating"}:
            return self.number(token)
        if kind == "word":
            return self.letter(text) if len(text) == 1 else self.word(text)
        if kind == "cmd":
            return self.command(text)
        if kind == "op":
            return self.operator(text)
        if kind == "text":
            return self.words(text)
        if kind == "begin":
            return self.environment(text)
        raise ParseError(f"unexpected {text!r}" if text else "the text ends too early")


def _added(sign: str, left: Node, right: Node) -> Node:
    """A sum or a difference, of numbers or of sets."""
    if type(right) is not Num and _is_number_set(right) and _is_number_set(left):
        if sign == "-":
            return SetOp("minus", (left, right))
        return Op("call:set sum", tuple(sorted((left, right), key=repr)))
    return Op("add", (left, right if sign == "+" else Op("neg", (right,))))


def _is_number_set(node: Node) -> bool:
    """Whether `node` is a set of numbers or a multiple of one: Z, 2Z."""
    if isinstance(node, Op) and node.name == "mul" and isinstance(node.args[0], Num):
        node = node.args[1]
    return isinstance(node, Sym) and node.name.startswith("bb:")


def _product_name(sign: str, left: Node, *, arrow: bool) -> str:
    """The operation of a sign of multiplication: a cross product is none of numbers, nor is a product of sets."""
    if sign == "times" and ((arrow and symbols(left) - CONSTANTS) or _is_number_set(left)):
        return "call:times"
    return f"call:nabla {sign}" if left == _NABLA else _ORDERED.get(sign, "mul")


def _side_by_side(left: Node, right: Node) -> Node:
    """Two factors side by side, brackets and all; C(n, k) is a number of choices, Z[x] and C^1(R) are no products."""
    if isinstance(left, Sym) and left.name.startswith("bb:"):
        return Op("call:adjoin", (left, right))
    if isinstance(right, Sym) and right.name.startswith("bb:") and isinstance(left, Op) and left.name == "pow":
        return Op(f"call:{left!r}", (right,))
    left, right = unwrapped(left), unwrapped(right)
    if isinstance(right, Sym) and right.name == "Omega":
        if isinstance(left, Num) or left == Sym("pi") or (isinstance(left, Op) and symbols(left) <= CONSTANTS):
            return Unit(left, "ohm")
        if isinstance(left, Op) and left.args[-1] in _THOUSANDS and isinstance(left.args[0], Num):
            return Unit(left.args[0], _THOUSANDS[left.args[-1]])
    if isinstance(right, Unit) and right.unit in {"degC", "degF", "degK"}:
        return Unit(Op("mul", (left, right.value)), right.unit)
    if isinstance(right, Seq) and right.opened == "(" and len(right.items) == 2:
        if left == Sym("C") and _can_choose(*right.items):
            return Op("binom", right.items)
        if isinstance(left, Words) and left.text in _POINTS:
            return right
    return Op("mul", (left, right))


def _can_choose(top: Node, bottom: Node) -> bool:
    """Whether C(n, k) can be a number of choices."""
    if isinstance(top, Num) and isinstance(bottom, Num):
        return top.value.q == bottom.value.q == 1 and 0 <= bottom.value <= top.value
    return isinstance(top, (Sym, Op)) and isinstance(bottom, (Num, Sym, Op))
