"""What stands high or low behind a piece: exponents, degrees, primes, subscripts, bases."""

from __future__ import annotations

from flint import fmpq

from rewardkit.math.latex.brackets import Brackets, decimal, unwrapped
from rewardkit.math.latex.tokens import Token
from rewardkit.math.latex.tree import (
    Based,
    Matrix,
    Node,
    Num,
    Op,
    ParseError,
    Rel,
    Seq,
    Sym,
    Unit,
)
from rewardkit.math.latex.vocabulary import BASE_NAMES, CALLED, UNNAMED, word_set

MAX_ORDER = 4
"""Higher derivatives stay fractions."""

_ORDINALS = word_set("st nd rd th")
_BEHIND_EXPONENT = frozenset({"^", "**", "!", "'", "_", "("})
_BEHIND_SIGN = frozenset({"", ",", ")", "]", "}", "\\}", "cup", "cap"})
_ROOT_NAMES = frozenset({"x", "y", "z", "t", "lambda", "k", "m", "r"})
_SIGNS = {Sym("+"): ">", Sym("-"): "<"}
_ZERO = Num(fmpq(0))
_INFINITY = Sym("oo")


class Scripts(Brackets):
    """Superscripts and subscripts."""

    def raised(self, base: Node) -> Node:
        """`base` to what follows the caret: a power, a degree sign, a prime, an ordinal."""
        base = unwrapped(base)
        tokens, position = self.tokens, self.position
        if (
            tokens[position].text[:1] == "T"
            and isinstance(base, Sym)
            and base.name.isupper()
            and tokens[position].kind == "word"
        ):
            self.replace(*filter(None, ("T", tokens[position].text[1:])))  # A^TB
        token = tokens[position]
        braced = token.text == "{" and token.kind == "op"
        inside, size = (tokens[position + 1], 3) if braced else (token, 1)
        alone = not braced or (position + 2 < len(tokens) and tokens[position + 2].text == "}")
        kind, text = inside
        if alone and (kind == "num" or (kind == "word" and len(text) == 1 and text not in {"o", "O", "T"})):
            self.position += size
            if self.tokens[self.position].text not in _BEHIND_EXPONENT:  # most exponents are plain
                return Op("pow", (base, decimal(text) if kind == "num" else Sym(text)))
            self.position = position
        if alone and kind != "num" and (marked := self.marked(base, inside, size)) is not None:
            return marked
        if token.kind == "mixed":
            raise ParseError("an exponent and a fraction, or a mixed number")
        self.enter()
        exponent = self.braced() if braced else self.exponent(token)
        while self.skip("!"):
            exponent = Op("fact", (exponent,))
        if self.skip("^") or self.skip("**"):
            exponent = self.raised(exponent)
        self.leave()
        return Op("pow", (base, exponent))

    def marked(self, base: Node, mark: Token, size: int) -> Node | None:
        """`base` with a mark that is no exponent behind the caret: a degree sign, a prime, th, T, +, *."""
        kind, text = mark
        before = self.position
        self.position += size
        if kind == "cmd" and text in {"circ", "degree", "deg"}:
            if self.peek().kind in {"word", "text"} and self.peek().text in {"C", "F", "K"}:
                return Unit(base, "deg" + self.take().text)
            return self.minutes(Op("deg", (base,)))
        if kind == "cmd" and text == "prime":
            return Op("call:'", (base,))
        if text in {"o", "O"} and isinstance(base, Num):
            return Op("deg", (base,))
        if kind == "text" and text.lower() in _ORDINALS:
            return Unit(base, "th")
        if text in {"T", "top"}:
            if isinstance(base, Matrix):
                return Matrix(base.kind, tuple(zip(*base.rows, strict=True)))
            return base if isinstance(base, Seq) else Op("call:^T", (base,))
        if kind == "op" and text in {"*", "+", "-"}:
            if base == Sym("bb:R") and text != "*" and (size > 1 or self.peek().text in _BEHIND_SIGN):
                return _half_line(">" if text == "+" else "<")
            if text != "-" or size > 1:
                return Op("call:^" + text, (base,))
        self.position = before
        return None

    def exponent(self, token: Token) -> Node:
        """An exponent without braces."""
        if self.at("-") or self.at("+"):
            sign = self.take().text
            found = decimal(self.take().text) if self.peek().kind == "num" else self.primary()
            return Op("neg", (found,)) if sign == "-" else found
        if token.kind == "num":
            if len(token.text) > 1 and token.text.isdigit() and self.peek(1).text == "^":  # 2^23^17^2 is 2^2 3^1 7^2
                self.replace(token.text[0], token.text[1:], kind="num")
            return decimal(self.take().text)
        return self.braced() if token.kind == "word" else self.primary()

    def minutes(self, degrees: Node) -> Node:
        r"""Degrees with the minutes and seconds of arc behind them: 30^\circ 15' 20''."""
        for marks, parts in (("'", 60), ("''", 3600)):
            number = self.peek()
            quoted = len(marks) == 2 and self.peek(1).text == '"'
            if number.kind != "num" or not (quoted or all(self.peek(1 + at).text == "'" for at in range(len(marks)))):
                break
            if marks == "'" and self.peek(2).text == "'":
                continue
            self.position += 2 if quoted else 1 + len(marks)
            value = self.number(number)
            degrees = Op("add", (degrees, Op("deg", (Op("div", (value, Num(fmpq(parts)))),))))
        return degrees

    def subscripted(self, base: Node) -> Node:
        """`base` with a subscript: digits in a base, an indexed variable, an indexed name."""
        braced = self.at("{")
        mark = self.peek(1) if braced else self.peek()
        if braced and mark.kind in {"text", "word", "op", "cmd"} and self.peek(2).text == "}":
            self.position += 3
            text = mark.text.strip("() ").lower()
            index: Node = Sym(mark.text)
            if text in BASE_NAMES and isinstance(base, Num):
                index = Num(fmpq(BASE_NAMES[text]))
        elif braced and isinstance(base, Sym) and (digits := self.index_digits()):
            return Sym(f"{base.name}_{digits}")
        else:
            self.enter()
            index = self.whole_token()
            self.leave()
        if isinstance(base, Num):
            if isinstance(index, Num) and index.value.q == 1:
                return in_base(base, int(index.value.p))
            raise ParseError("digits with a strange subscript")
        return _indexed(base, index) if isinstance(base, Sym) else Op("call:_", (base, index))

    def index_digits(self) -> str:
        """The digits of an index that begins with 0 or has blanks between its digits, c_{00}, a_{1 0}; else nothing."""
        texts: list[str] = []
        while (token := self.peek(1 + len(texts))).kind == "num" and token.text.isdigit():
            texts.append(token.text)
        digits = "".join(texts)
        if self.peek(1 + len(texts)).text != "}" or (len(texts) == 1 and (digits[0] != "0" or digits == "0")):
            return ""
        self.position += 2 + len(texts) if texts else 0
        return digits


def _indexed(base: Sym, index: Node) -> Node:
    """A name with an index, or a set of numbers of one sign."""
    if isinstance(index, Seq) and base.name in _ROOT_NAMES and all(isinstance(one, Num) for one in index.items):
        return base  # x_{1,2} = 1 ± 2
    if isinstance(index, Num):
        return Sym(f"{base.name}_{index.value}")
    sign = _SIGNS.get(index) if isinstance(index, Sym) else None
    if isinstance(index, Rel) and index.args == (Sym(UNNAMED), _ZERO):
        sign = index.ops[0]
    if base.name == "bb:Z" and sign == ">":
        return Op("call:^+", (base,))
    if base.name == "bb:R" and sign is not None:
        return _half_line(sign)
    if isinstance(index, Sym):
        return Sym(f"{base.name}_{index.name}")
    return base if base.name.startswith("bb:") and not isinstance(index, Rel) else Op("call:_", (base, index))


def _half_line(relation: str) -> Seq:
    """The real numbers above or below 0."""
    if relation[0] == ">":
        return Seq("[" if relation == ">=" else "(", ")", (_ZERO, _INFINITY))
    return Seq("(", "]" if relation == "<=" else ")", (Op("neg", (_INFINITY,)), _ZERO))


def in_base(value: Node, base: int) -> Node:
    """Digits read in a base."""
    if not isinstance(value, Num) or value.value.q != 1 or value.value < 0:
        raise ParseError("digits in a base must be digits")
    digits = str(value.value.p)
    if not 2 <= abs(base) <= 36 or any(int(one) >= abs(base) for one in digits):
        raise ParseError("no number in that base")  # either may be too long to write out
    return Based(digits, base)


def derivative(top: Node, bottom: Node) -> Node | None:
    """dy/dx as y', d^2y/dx^2 as y''; None for any other fraction."""
    if not (isinstance(top, Op) and isinstance(bottom, Op) and top.name == bottom.name == "mul"):
        return None
    sign, name = top.args
    order = 1
    letter = bottom.args[1]
    if isinstance(sign, Op) and isinstance(letter, Op) and sign.name == letter.name == "pow":
        power = sign.args[1]
        if power != letter.args[1] or not isinstance(power, Num) or power.value not in range(2, MAX_ORDER + 1):
            return None
        order, sign, letter = int(power.value.p), sign.args[0], letter.args[0]
    if sign != Sym("d") or bottom.args[0] != sign or not isinstance(name, Sym) or not isinstance(letter, Sym):
        return None
    primed = name.name + "'" * order
    return Op("call:" + primed, (letter,)) if name.name in CALLED else Sym(primed)
