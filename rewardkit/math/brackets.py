"""Brackets of all kinds, and what stands high or low behind a piece: exponents, subscripts, bases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math import primary
from rewardkit.math.lexer import Token
from rewardkit.math.tree import (
    EMPTY_SET,
    Based,
    Builder,
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
from rewardkit.math.vocabulary import (
    BASE_NAMES,
    BRACKET,
    CONSTANTS,
    FUNCTIONS,
)

if TYPE_CHECKING:
    from rewardkit.math.parser import Parser


_LISTED = (Rel, Seq)


def unwrapped(node: Node) -> Node:
    """Square brackets around one factor group like round ones."""
    return node.items[0] if isinstance(node, Seq) and node.opened == "[" and len(node.items) == 1 else node


def bracket(parser: Parser, opened: str) -> Node:
    """Round, square, curly or angle brackets: grouping, tuple, interval, list, set."""
    bars_before, parser.bars = parser.bars, 1 if opened == "{" else 0
    french_before, parser.french = parser.french, opened == "]"
    inside = parser.items(opened, "?")
    parser.french = french_before
    condition = None
    if opened == "{" and _at_bar(parser):
        parser.position += 1
        condition = parser.items("", "")
    parser.bars = bars_before
    token = parser.take()
    if token.text == "right." and opened == "{":
        return inside
    closed = BRACKET.get(token.text, "")
    if closed not in {")", "]", "}", ">", "["} or (closed == "[" and opened not in {"]", "["}):
        raise ParseError(f"bracket {opened!r} closed by {token.text!r}")
    if condition is not None:
        conditions = condition.items if isinstance(condition, Seq) and not condition.opened else (condition,)
        return Builder(inside, conditions)
    if opened == "{":
        if isinstance(inside, _LISTED) and not (isinstance(inside, Seq) and inside.opened):
            return _set_of(inside)
        return Seq("{", "}", (inside,))
    if opened == "]" or closed == "[":  # French intervals: ]a, b[
        opened = "(" if opened == "]" else opened
        closed = ")" if closed == "[" else closed
    if isinstance(inside, Seq) and not inside.opened:
        if inside.either:
            return inside
        return Seq(opened, closed, inside.items)
    if (opened, closed) == ("(", ")"):
        return inside
    if (opened, closed) == ("[", "]"):
        return inside if isinstance(inside, Matrix) else Seq("[", "]", (inside,))
    if opened == "<":
        return Seq("<", ">", (inside,))
    raise ParseError("half-open brackets around one item")


def _set_of(inside: Node) -> Node:
    if isinstance(inside, Seq):
        return Seq("{", "}", inside.items)
    return Seq("{", "}", (inside,))


def _at_bar(parser: Parser) -> bool:
    token = parser.peek()
    return token.text in {"|", "mid", ":", "vert", "colon"} and token.kind in {"op", "cmd"}


def group(parser: Parser) -> Node:
    """Braces: LaTeX grouping, or a set where they hold a list."""
    if parser.at("}"):
        parser.position += 1
        return EMPTY_SET
    inside = parser.items("{", "}")
    if _at_bar(parser):
        parser.position += 1
        condition = parser.items("", "")
        parser.expect("}")
        return Builder(inside, condition.items if isinstance(condition, Seq) and not condition.opened else (condition,))
    parser.expect("}")
    if isinstance(inside, Seq) and not inside.opened and not inside.either:
        return Seq("{", "}", inside.items)
    return inside


def bars(parser: Parser, text: str) -> Node:
    """An absolute value or a norm."""
    parser.bars += 1
    inside = parser.sum()
    parser.bars -= 1
    closing = parser.take()
    if closing.text not in {text, "rvert", "rVert", "vert", "Vert", "|"}:
        raise ParseError("bars that do not close")
    return Op("abs", (inside,))


def braced(parser: Parser) -> Node:
    """The argument of a command: a group, one digit of a number, or one primary."""
    if parser.tokens[parser.position].text == "{":
        parser.position += 1
        inside, following = parser.peek(), parser.peek(1)
        if following.text == "}" and (inside.kind == "num" or (inside.kind == "word" and len(inside.text) == 1)):
            parser.position += 2
            return primary.number(parser, inside) if inside.kind == "num" else Sym(inside.text)
        if parser.at("}"):
            raise ParseError("an empty argument")
        node = parser.items("", "}")
        parser.expect("}")
        return node
    token = parser.peek()
    if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
        parser.tokens[parser.position : parser.position + 1] = [
            Token("num", token.text[0]),
            Token("num", token.text[1:]),
        ]
    elif token.kind == "word" and len(token.text) > 1 and token.text not in FUNCTIONS and token.text not in CONSTANTS:
        parser.tokens[parser.position : parser.position + 1] = [
            Token("word", token.text[0]),
            Token("word", token.text[1:]),
        ]
    return primary.primary(parser)


def whole_token(parser: Parser) -> Node:
    """A subscript or limit: a group, a whole number, or one primary."""
    if parser.at("{"):
        return braced(parser)
    if parser.peek().kind == "num":
        return primary.number(parser, parser.take())
    return braced(parser)


def raised(parser: Parser, base: Node) -> Node:
    """`base` to what follows the caret: a power, a degree sign, a prime, an ordinal."""
    base = unwrapped(base)
    token = parser.peek()
    closing = parser.at("{")
    mark = parser.peek(1) if closing else token
    after = parser.peek(2) if closing else None
    if mark.text in {"circ", "prime", "degree", "deg"} and mark.kind == "cmd" and (after is None or after.text == "}"):
        parser.position += 3 if closing else 1
        if mark.text == "prime":
            return Op("call:'", (base,))
        if parser.peek().kind in {"word", "text"} and parser.peek().text in {"C", "F", "K"}:
            return Unit(base, "deg" + parser.take().text)
        return _minutes(parser, Op("deg", (base,)))
    if (
        mark.text in {"o", "O"}
        and mark.kind in {"word", "text"}
        and isinstance(base, Num)
        and (after is None or after.text == "}")
    ):
        parser.position += 3 if closing else 1
        return Op("deg", (base,))
    if (
        closing
        and mark.kind == "text"
        and after is not None
        and after.text == "}"
        and mark.text.lower() in {"st", "nd", "rd", "th"}
    ):
        parser.position += 3
        return Unit(base, "th")
    if not closing and token.kind == "text" and token.text.lower() in {"st", "nd", "rd", "th"}:
        parser.position += 1
        return Unit(base, "th")
    if mark.text in {"*", "+", "-"} and (after is not None and after.text == "}"):
        parser.position += 3
        return Op("call:^" + mark.text, (base,))
    if token.text in {"*", "+"} and token.kind == "op":
        parser.position += 1
        return Op("call:^" + token.text, (base,))
    parser.enter()
    if closing:
        exponent = braced(parser)
    elif parser.at("-") or parser.at("+"):
        sign = parser.take().text
        exponent = primary.primary(parser)
        exponent = Op("neg", (exponent,)) if sign == "-" else exponent
    elif token.kind == "num":
        if len(token.text) > 1 and token.text.isdigit() and parser.peek(1).text == "^":  # 2^23^17^2 is 2^2 3^1 7^2
            parser.tokens[parser.position : parser.position + 1] = [
                Token("num", token.text[0]),
                Token("num", token.text[1:]),
            ]
        exponent = primary.number(parser, parser.take())
    else:
        exponent = braced(parser) if token.kind == "word" else primary.primary(parser)
    while parser.at("!"):
        parser.position += 1
        exponent = Op("fact", (exponent,))
    if parser.at("^") or parser.at("**"):
        parser.position += 1
        exponent = raised(parser, exponent)
    parser.leave()
    return Op("pow", (base, exponent))


def _minutes(parser: Parser, degrees: Node) -> Node:
    r"""Degrees with the minutes and seconds of arc behind them: 30^\circ 15' 20''."""
    for marks, parts in ((1, 60), (2, 3600)):
        number = parser.peek()
        if number.kind != "num" or any(parser.peek(1 + ahead).text != "'" for ahead in range(marks)):
            break
        if marks == 1 and parser.peek(2).text == "'":
            continue
        parser.position += 1 + marks
        value = primary.number(parser, number)
        degrees = Op("add", (degrees, Op("deg", (Op("div", (value, Num(fmpq(parts)))),))))
    return degrees


def subscripted(parser: Parser, base: Node) -> Node:
    """`base` with a subscript: digits in a base, an indexed variable, an indexed name."""
    closing = parser.at("{")
    mark = parser.peek(1) if closing else parser.peek()
    if closing and mark.kind in {"text", "word", "op", "cmd"} and parser.peek(2).text == "}":
        parser.position += 3
        text = mark.text.strip("() ").lower()
        index: Node = Num(fmpq(BASE_NAMES[text])) if text in BASE_NAMES and isinstance(base, Num) else Sym(mark.text)
    else:
        parser.enter()
        index = whole_token(parser)
        parser.leave()
    if isinstance(base, Num):
        if isinstance(index, Num) and index.value.q == 1:
            return based(base, int(index.value.p))
        raise ParseError("digits with a strange subscript")
    if isinstance(base, Sym):
        if isinstance(index, Num):
            return Sym(f"{base.name}_{index.value}")
        if isinstance(index, Sym):
            return Sym(f"{base.name}_{index.name}")
        if base.name.startswith("bb:"):
            return base
    return Op("call:_", (base, index))


def based(value: Node, base: int) -> Node:
    """Digits read in a base."""
    if not isinstance(value, Num) or value.value.q != 1 or value.value < 0:
        raise ParseError("digits in a base must be digits")
    digits = str(value.value.p)
    if not 2 <= abs(base) <= 36 or any(int(one) >= abs(base) for one in digits):
        raise ParseError(f"{digits} is no number in base {base}")
    return Based(digits, base)
