"""Brackets of all kinds, and what stands high or low behind a piece: exponents, subscripts, bases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.latex import primary
from rewardkit.math.latex.lexer import Token
from rewardkit.math.latex.tree import (
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
from rewardkit.math.latex.vocabulary import (
    BASE_NAMES,
    BRACKET,
    CONSTANTS,
    FUNCTIONS,
    UNNAMED,
)

if TYPE_CHECKING:
    from rewardkit.math.latex.parser import Parser


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
        return _built(inside, condition)
    if opened == "{":
        if isinstance(inside, Seq) and inside.either and all(isinstance(one, Rel) for one in inside.items):
            return inside  # {x < 1 or x > 2}
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


def _built(element: Node, condition: Node) -> Builder:
    if isinstance(condition, Seq) and not condition.opened:
        return Builder(element, condition.items, condition.either, condition.both)
    return Builder(element, (condition,))


def _at_bar(parser: Parser) -> bool:
    token = parser.peek()
    return token.text in {"|", "mid", ":", "vert", "colon"} and token.kind in {"op", "cmd"}


def group(parser: Parser) -> Node:
    """Braces: LaTeX grouping, or a set where they hold a list."""
    if parser.at("}"):
        parser.position += 1
        return EMPTY_SET
    inside = parser.items("{", "}")
    if isinstance(inside, Seq) and not inside.items and not inside.opened:
        raise ParseError("a group of separators")
    if _at_bar(parser):
        parser.position += 1
        condition = parser.items("", "")
        parser.expect("}")
        return _built(inside, condition)
    parser.expect("}")
    if isinstance(inside, Seq) and not inside.opened and not inside.either:
        return Seq("{", "}", inside.items)
    return inside


def bars(parser: Parser, text: str) -> Node:
    """An absolute value or a norm."""
    parser.bars += 1
    inside = parser.sets(parser.sum())
    parser.bars -= 1
    closing = parser.take()
    if closing.text not in {text, "rvert", "rVert", "vert", "Vert", "|"}:
        raise ParseError("bars that do not close")
    return Op("abs", (inside,))


def braced(parser: Parser, *, single: bool = False) -> Node:
    """The argument of a command: a group, one digit of a number, or one primary; with `single`, one letter even of lg."""
    if parser.tokens[parser.position].text == "{":
        parser.position += 1
        inside, following = parser.peek(), parser.peek(1)
        if following.text == "}" and (inside.kind == "num" or (inside.kind == "word" and len(inside.text) == 1)):
            parser.position += 2
            return primary.alone(inside.text) if inside.kind == "num" else Sym(inside.text)
        if parser.at("}"):
            raise ParseError("an empty argument")
        node = parser.items("", "}")
        parser.expect("}")
        return node
    token = parser.peek()
    if token.kind == "num" and token.text.isdigit():  # \frac12\frac13: the 2 is no part of a mixed number
        if len(token.text) > 1:
            parser.tokens[parser.position] = Token("num", token.text[1:])
        else:
            parser.position += 1
        return Num(fmpq(int(token.text[0])))
    if (
        token.kind == "word"
        and len(token.text) > 1
        and (token.text not in FUNCTIONS or (single and len(token.text) == 2))
        and token.text not in CONSTANTS
    ):
        parser.tokens[parser.position : parser.position + 1] = [
            Token("word", token.text[0]),
            Token("word", token.text[1:]),
        ]
    return primary.primary(parser)


def whole_token(parser: Parser, *, argument: bool = False) -> Node:
    """A subscript or limit: a group, a whole number (one digit of it where an argument must follow), or one primary."""
    if (
        argument
        and parser.peek().kind == "num"
        and not (primary.starts(parser, 1) or parser.peek(1).text in {"-", "\\{"})
    ):
        return braced(parser)
    if parser.at("{"):
        return braced(parser)
    if parser.peek().kind == "num":
        return primary.alone(parser.take().text)
    return braced(parser)


def raised(parser: Parser, base: Node) -> Node:
    """`base` to what follows the caret: a power, a degree sign, a prime, an ordinal."""
    base = unwrapped(base)
    tokens, position = parser.tokens, parser.position
    token = tokens[position]
    closing = token.text == "{" and token.kind == "op"
    plain, size = (tokens[position + 1], 3) if closing else (token, 1)
    if (
        plain.kind == "num" or (plain.kind == "word" and len(plain.text) == 1 and plain.text not in {"o", "O", "T"})
    ) and (not closing or tokens[position + 2].text == "}"):
        parser.position += size
        if parser.tokens[parser.position].text not in _BEHIND_EXPONENT:  # most exponents are plain
            return Op("pow", (base, primary.alone(plain.text) if plain.kind == "num" else Sym(plain.text)))
        parser.position = position
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
    if mark.text in {"T", "top"} and (after is None or after.text == "}"):
        parser.position += 3 if closing else 1
        if not isinstance(base, (Seq, Matrix)):
            return Op("call:^T", (base,))
        return base if isinstance(base, Seq) else Matrix(base.kind, tuple(zip(*base.rows, strict=True)))
    if (
        base == Sym("bb:R")
        and mark.text in {"+", "-"}
        and (after.text == "}" if after is not None else parser.peek(1).text in _BEHIND_SIGN)
    ):
        parser.position += 3 if closing else 1
        return _half_line(">" if mark.text == "+" else "<")
    if mark.text in {"*", "+", "-"} and (after is not None and after.text == "}"):
        parser.position += 3
        return Op("call:^" + mark.text, (base,))
    if token.text in {"*", "+"} and token.kind == "op":
        parser.position += 1
        return Op("call:^" + token.text, (base,))
    if token.kind == "mixed":
        raise ParseError("an exponent and a fraction, or a mixed number")
    parser.enter()
    if closing:
        exponent = braced(parser)
    elif parser.at("-") or parser.at("+"):
        sign = parser.take().text
        exponent = primary.alone(parser.take().text) if parser.peek().kind == "num" else primary.primary(parser)
        exponent = Op("neg", (exponent,)) if sign == "-" else exponent
    elif token.kind == "num":
        if len(token.text) > 1 and token.text.isdigit() and parser.peek(1).text == "^":  # 2^23^17^2 is 2^2 3^1 7^2
            parser.tokens[parser.position : parser.position + 1] = [
                Token("num", token.text[0]),
                Token("num", token.text[1:]),
            ]
        exponent = primary.alone(parser.take().text)
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


def _half_line(relation: str) -> Seq:
    """The real numbers above or below 0."""
    if relation[0] == ">":
        return Seq("[" if relation == ">=" else "(", ")", (Num(fmpq(0)), Sym("oo")))
    return Seq("(", "]" if relation == "<=" else ")", (Op("neg", (Sym("oo"),)), Num(fmpq(0))))


_BEHIND_SIGN = frozenset({"", ",", ")", "]", "}", "\\}", "cup", "cap"})
_BEHIND_EXPONENT = frozenset({"^", "**", "!", "'", "_", "("})


def _minutes(parser: Parser, degrees: Node) -> Node:
    r"""Degrees with the minutes and seconds of arc behind them: 30^\circ 15' 20''."""
    for marks, parts in ((1, 60), (2, 3600)):
        number = parser.peek()
        quoted = marks == 2 and parser.peek(1).text == '"'
        if number.kind != "num" or not (quoted or all(parser.peek(1 + ahead).text == "'" for ahead in range(marks))):
            break
        if marks == 1 and parser.peek(2).text == "'":
            continue
        parser.position += 2 if quoted else 1 + marks
        value = primary.number(parser, number)
        degrees = Op("add", (degrees, Op("deg", (Op("div", (value, Num(fmpq(parts)))),))))
    return degrees


def _spaced_digits(parser: Parser) -> str | None:
    """The digits of a subscript that begins with 0 or has blanks between its digits: c_{00}, a_{1 0}."""
    texts: list[str] = []
    while (token := parser.peek(1 + len(texts))).kind == "num" and token.text.isdigit():
        texts.append(token.text)
    if parser.peek(1 + len(texts)).text != "}" or (len(texts) == 1 and (texts[0][0] != "0" or texts[0] == "0")):
        return None
    parser.position += 2 + len(texts)
    return "".join(texts)


_ROOT_NAMES = frozenset({"x", "y", "z", "t", "lambda", "k", "m", "r"})


def subscripted(parser: Parser, base: Node) -> Node:
    """`base` with a subscript: digits in a base, an indexed variable, an indexed name."""
    closing = parser.at("{")
    mark = parser.peek(1) if closing else parser.peek()
    if closing and mark.kind in {"text", "word", "op", "cmd"} and parser.peek(2).text == "}":
        parser.position += 3
        text = mark.text.strip("() ").lower()
        index: Node = Num(fmpq(BASE_NAMES[text])) if text in BASE_NAMES and isinstance(base, Num) else Sym(mark.text)
    elif closing and mark.kind == "num" and isinstance(base, Sym) and (digits := _spaced_digits(parser)) is not None:
        return Sym(f"{base.name}_{digits}")
    else:
        parser.enter()
        index = whole_token(parser)
        parser.leave()
    if isinstance(base, Num):
        if isinstance(index, Num) and index.value.q == 1:
            return based(base, int(index.value.p))
        raise ParseError("digits with a strange subscript")
    if isinstance(base, Sym):
        if isinstance(index, Seq) and base.name in _ROOT_NAMES and all(isinstance(one, Num) for one in index.items):
            return base  # x_{1,2} = 1 ± 2
        if isinstance(index, Num):
            return Sym(f"{base.name}_{index.value}")
        if base.name == "bb:Z" and index in {Sym("+"), Rel((">",), (Sym(UNNAMED), Num(fmpq(0))))}:
            return Op("call:^+", (base,))
        if base.name == "bb:R" and index in _HALVES:
            return _half_line(">" if index == Sym("+") else "<")
        if isinstance(index, Sym):
            return Sym(f"{base.name}_{index.name}")
        if base.name == "bb:R" and isinstance(index, Rel) and index.args == (Sym(UNNAMED), Num(fmpq(0))):
            return _half_line(index.ops[0])
        if base.name.startswith("bb:") and not isinstance(index, Rel):
            return base
    return Op("call:_", (base, index))


_HALVES = frozenset({Sym("+"), Sym("-")})


def based(value: Node, base: int) -> Node:
    """Digits read in a base."""
    if not isinstance(value, Num) or value.value.q != 1 or value.value < 0:
        raise ParseError("digits in a base must be digits")
    digits = str(value.value.p)
    if not 2 <= abs(base) <= 36 or any(int(one) >= abs(base) for one in digits):
        raise ParseError("no number in that base")  # either may be too long to write out
    return Based(digits, base)
