"""What follows an expression: exponents, degrees, primes, subscripts, bases, factorials, percent signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.latex.lexer import Token, word_token
from rewardkit.math.latex.numbers import in_base, integer
from rewardkit.math.latex.tree import Matrix, Node, Num, Op, ParseError, Rel, Seq, Sym, Unit
from rewardkit.math.latex.vocabulary import BASE_NAMES, UNNAMED
from rewardkit.math.latex.walk import unwrapped

if TYPE_CHECKING:
    from rewardkit.math.latex.parser import Parser

_BEHIND_EXPONENT = frozenset({"^", "**", "!", "'", "_", "("})
_BEHIND_SIGN = frozenset({"", ",", ")", "]", "}", "\\}", "cup", "cap"})
_ROOT_NAMES = frozenset({"x", "y", "z", "t", "lambda", "k", "m", "r"})
_ZERO = integer("0")
_INFINITY = Sym("oo")


def _raised(p: Parser, base: Node) -> Node:
    """`base` to what follows the caret: a power, a degree sign, a prime, an ordinal."""
    base = unwrapped(base)
    token = p.tokens[p.position]
    if token.kind == "word" and token.text[0] == "T" and isinstance(base, Sym) and base.name.isupper():
        p.replace(*map(word_token, filter(None, ("T", token.text[1:]))))  # A^TB
        token = p.tokens[p.position]
    braced = token.text == "{"
    inside, size = (p.tokens[p.position + 1], 3) if braced else (token, 1)
    if not braced or p.peek(2).text == "}":
        if inside.leaf is not None and inside.kind != "mixed" and inside.text not in {"o", "O", "T"}:
            if p.peek(size).text not in _BEHIND_EXPONENT:  # most exponents are plain
                p.position += size
                return Op("pow", (base, inside.leaf))
        elif (marked := _marked(p, base, inside, size)) is not None:
            return marked
    p.enter()
    exponent = p.argument() if braced or token.kind == "word" else _exponent(p)
    if p.skip("^"):
        exponent = _raised(p, exponent)
    p.depth -= 1
    return Op("pow", (base, exponent))


def _exponent(p: Parser) -> Node:
    """An exponent without braces."""
    if p.peek().kind == "mixed":
        raise ParseError("an exponent and a fraction, or a mixed number")
    return p.take().leaf or p.primary() if p.peek().kind == "num" else p.primary()


def _marked(p: Parser, base: Node, mark: Token, size: int) -> Node | None:
    """`base` with a mark that is no exponent behind the caret: a degree sign, a prime, th, T, +, *."""
    kind, text, _ = mark
    p.position += size
    following = p.peek()
    if text in {"circ", "degree", "deg"} or (text in {"o", "O"} and isinstance(base, Num)):
        if following.kind in {"word", "text"} and following.text in {"C", "F", "K"}:
            return Unit(base, "deg" + p.take().text)
        return _minutes(p, Op("deg", (base,)))
    if kind == "text" and text.lower() in {"st", "nd", "rd", "th"}:
        return Unit(base, "th")
    if text in {"T", "top"}:
        if isinstance(base, Matrix):
            return Matrix(base.kind, tuple(zip(*base.rows, strict=True)))
        return base if isinstance(base, Seq) else Op("call:^T", (base,))
    if kind == "op" and text in {"*", "+", "-"}:
        if base == Sym("bb:R") and text != "*" and (size > 1 or following.text in _BEHIND_SIGN):
            return _half_line(">" if text == "+" else "<")
        if text != "-" or size > 1:
            return Op("call:^" + text, (base,))
    p.position -= size
    return None


def _minutes(p: Parser, degrees: Node) -> Node:
    r"""Degrees with the minutes and seconds of arc behind them: 30^\circ 15' 20\"."""
    while p.peek().kind == "num" and p.peek(1).text in {"'", '"'}:
        value = p.take().leaf or _ZERO
        seconds = p.skip('"') or (p.skip("'") and p.skip("'"))
        degrees = Op("add", (degrees, Op("deg", (Op("div", (value, integer("3600" if seconds else "60"))),))))
    return degrees


def _half_line(relation: str) -> Seq:
    """The real numbers above or below 0."""
    if relation[0] == ">":
        return Seq("[" if relation == ">=" else "(", ")", (_ZERO, _INFINITY))
    return Seq("(", "]" if relation == "<=" else ")", (Op("neg", (_INFINITY,)), _ZERO))


def subscripted(p: Parser, base: Node) -> Node:
    """`base` with a subscript: digits in a base, an indexed variable, an indexed name, a set of numbers of one sign."""
    mark = p.peek(1)
    if (
        p.at("{")
        and (mark.kind in {"text", "word", "op", "cmd"} or (mark.kind == "num" and isinstance(base, Sym)))
        and p.peek(2).text == "}"
    ):
        p.position += 3
        known = BASE_NAMES.get(mark.text.strip("() ").lower()) if isinstance(base, Num) else None
        index: Node = Sym(mark.text) if known is None else Num(fmpq(known))
    elif p.peek().text in {"+", "-"}:
        index = Sym(p.take().text)
    else:
        p.enter()
        index = p.limit()
        p.depth -= 1
    if isinstance(base, Num):
        if isinstance(index, Num) and index.value.q == 1:
            return in_base(base, int(index.value.p))
        raise ParseError("digits with a strange subscript")
    if not isinstance(base, Sym):
        return Op("call:_", (base, index))
    if isinstance(index, Seq) and base.name in _ROOT_NAMES and all(isinstance(one, Num) for one in index.items):
        return base  # x_{1,2} = 1 ± 2
    if isinstance(index, Num):
        return Sym(f"{base.name}_{index.value}")
    sign = {"+": ">", "-": "<"}.get(index.name) if isinstance(index, Sym) else None
    if isinstance(index, Rel) and index.args == (Sym(UNNAMED), _ZERO):
        sign = index.ops[0]
    if sign is not None and base.name == "bb:R":
        return _half_line(sign)
    if sign == ">" and base.name in {"bb:Z", "bb:N"}:
        return Op("call:^+", (base,))
    if isinstance(index, Sym):
        return Sym(f"{base.name}_{index.name}")
    return base if base.name.startswith("bb:") and not isinstance(index, Rel) else Op("call:_", (base, index))


SCRIPTS: dict[str, Callable[[Parser, Node], Node]] = {
    "^": _raised, "**": _raised, "_": subscripted, "!": lambda p, base: Op("dfact" if p.skip("!") else "fact", (base,)),
    **dict.fromkeys(("%", "\\%"), lambda _, base: Op("pct", (base,))), "'": lambda _, base: Op("call:'", (base,)),
    "degree": lambda _, base: Op("deg", (base,)),
}  # fmt: skip
"""What reads each sign behind an expression."""
