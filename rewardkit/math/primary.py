"""The smallest pieces of the grammar: numbers, names, brackets, fractions, roots, functions, matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.lexer import Token
from rewardkit.math.numbers import digits_value
from rewardkit.math.tree import (
    EMPTY_SET,
    Based,
    Builder,
    LimitError,
    Matrix,
    Node,
    Num,
    Op,
    ParseError,
    Rel,
    Seq,
    Sym,
    Unit,
    Words,
)
from rewardkit.math.units import CURRENCIES, is_unit_word
from rewardkit.math.vocabulary import (
    ACCENTS,
    APPROXIMATE,
    BASE_NAMES,
    BIG,
    BRACKET,
    CALLED,
    CONSTANTS,
    FUNCTIONS,
    GREEK,
    LETTERS,
    SAME_LETTER,
    TRANSPARENT,
    word_set,
)

if TYPE_CHECKING:
    from rewardkit.math.parser import Parser

MATRICES = frozenset({"pmatrix", "bmatrix", "matrix", "Bmatrix", "smallmatrix", "array", "vmatrix", "Vmatrix", "cases", "aligned",
                      "align", "gathered", "split", "equation", "gather", "center", "tabular", "rcases", "eqnarray"})  # fmt: skip
_SPLIT_NAMES = sorted(
    (
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "ln",
        "log",
        "exp",
        "sqrt",
        "pi",
    ),
    key=len,
    reverse=True,
)
MAX_WORD_PRODUCT = 3
"""A plain run of so many letters may be a product of variables; a longer one is a word."""


def starts(parser: Parser, ahead: int) -> bool:
    """Whether the token `ahead` begins a factor that may stand beside another."""
    token = parser.peek(ahead)
    kind, text = token.kind, token.text
    if kind == "op":
        if text == "(":
            return parser.peek(ahead + 1).text not in {"mod", "bmod", "pmod"} and not member_bracket(parser, ahead)
        if text == "[":
            return not parser.french
        if text in {"|", "\\|"}:
            return parser.bars == 0
        return text in {"{", "\\{"}
    if kind in {"num", "mixed", "repeating"}:
        return True
    if kind == "word":
        return text not in {"U", "mod"} and not wordy(text)
    if kind == "cmd":
        return (
            text in FUNCTIONS or text in GREEK or text in CONSTANTS or text in TRANSPARENT or text in ACCENTS or text in BIG
            or text.startswith("bb:")
            or (text in {"frac", "dfrac", "tfrac", "cfrac", "sqrt", "cbrt", "qdrt", "binom", "dbinom", "tbinom", "lfloor", "lceil", "lvert",
                        "lVert", "langle", "lbrace", "sqrt*", "max", "min", "infty", "emptyset", "varnothing", "nicefrac",
                        "vert", "sfrac"}
            and not (text == "vert" and parser.bars))
        )  # fmt: skip
    return kind == "begin"


def member_bracket(parser: Parser, ahead: int) -> bool:
    """Whether a bracket such as (x in R) or (k, n in Z) opens here."""
    if parser.peek(ahead).text != "(":
        return False
    return (
        any(parser.peek(ahead + offset).text == "in" for offset in (2, 4, 6)) and parser.peek(ahead + 1).kind == "word"
    )


def unwrapped(node: Node) -> Node:
    """Square brackets around one factor group like round ones."""
    return node.items[0] if isinstance(node, Seq) and node.opened == "[" and len(node.items) == 1 else node


def primary(parser: Parser) -> Node:
    """One primary."""
    token = parser.take()
    kind, text = token.kind, token.text
    if kind == "repeating":
        return repeating(text)
    if kind in {"num", "sci", "mixed"}:
        return number(parser, token)
    if kind == "word":
        return word(parser, text)
    if kind == "cmd":
        return command(parser, text)
    if kind == "text":
        return words(parser, text)
    if kind == "begin":
        return environment(parser, text)
    if kind == "op":
        return operator(parser, text)
    raise ParseError(f"unexpected {text!r}" if text else "the text ends too early")


def number(parser: Parser, token: Token) -> Node:
    """A number; an integer with a proper fraction behind it is a mixed number."""
    text = token.text
    if token.kind == "mixed":
        whole, _, rest = text.partition(" ")
        top, bottom = (int(one) for one in rest.strip().split("/"))
        if 0 < top < bottom:
            return Num(fmpq(int(whole)) + fmpq(top, bottom))
        raise ParseError("two numbers side by side")
    exponent = 0
    if token.kind == "sci":
        mantissa, _, power = text.replace("E", "e").partition("e")
        text, exponent = mantissa, int(power)
    whole, dot, decimals = text.partition(".")
    value = digits_value(whole, decimals, exponent)
    if value is None:
        raise LimitError("a number with too many digits")
    following = parser.peek()
    if not dot and following.kind == "cmd" and following.text in {"frac", "dfrac", "tfrac", "cfrac"}:
        before = parser.position
        part = command(parser, parser.take().text)
        if (
            isinstance(part, Op)
            and part.name == "div"
            and isinstance(part.args[0], Num)
            and isinstance(part.args[1], Num)
            and 0 < part.args[0].value < part.args[1].value
            and not parser.at("^")
        ):
            return Num(value + part.args[0].value / part.args[1].value)
        parser.position = before
    return Num(value, len(decimals) if dot and decimals else None)


def repeating(text: str) -> Node:
    r"""A repeating decimal, 0.1\overline{6}."""
    plain, _, cycle = text.partition("\\")
    digits = cycle[cycle.index("{") + 1 : -1]
    whole, _, decimals = plain.partition(".")
    shift = 10 ** len(decimals)
    value = digits_value(whole, decimals)
    if value is None:
        raise LimitError("a number with too many digits")
    return Num(value + fmpq(int(digits), (10 ** len(digits) - 1) * shift))


def word(parser: Parser, text: str) -> Node:
    """A run of letters: a function, a constant, a variable, a product of variables, or words."""
    if text in FUNCTIONS and len(text) > 1:
        return function(parser, FUNCTIONS[text])
    if text in CONSTANTS:
        return Sym(CONSTANTS[text])
    if len(text) == 1:
        return letter(parser, text)
    lower = text.lower()
    if lower in FUNCTIONS and text[0].isupper() and text[1:].islower() and parser.at("("):
        return function(parser, FUNCTIONS[lower])
    if text in LETTERS:
        return letter(parser, SAME_LETTER.get(text, text))
    if lower in APPROXIMATE and parser.peek().kind != "eof":
        return primary(parser)
    if text in CURRENCIES and parser.peek().kind == "num":
        return Unit(parser.power(), CURRENCIES[text])
    pieces = split_names(text)
    if pieces is not None:
        parser.tokens[parser.position : parser.position] = [Token("word", piece) for piece in pieces]
        return primary(parser)
    if (
        len(text) <= MAX_WORD_PRODUCT
        and not (text.isupper() and parser.peek().kind in {"eof", "and"})
        and lower not in PLAIN_WORDS
    ):
        parser.tokens[parser.position : parser.position] = [Token("word", one) for one in text[1:]]
        return letter(parser, text[0])
    return words(parser, text)


def wordy(text: str) -> bool:
    """Whether a run of letters is a word (perhaps a unit), and no function, constant or product of variables."""
    if text in {"th", "st", "nd", "rd"}:
        return True
    if len(text) == 1 or text in FUNCTIONS or text in CONSTANTS or text in LETTERS:
        return False
    return (
        is_unit_word(text)
        or text.lower() in PLAIN_WORDS
        or (len(text) > MAX_WORD_PRODUCT and split_names(text) is None)
    )


PLAIN_WORDS = word_set("no yes all any the not odd two six ten one dne is an of to by at on it be as we day set")


def split_names(text: str) -> list[str] | None:
    """`xsinx` as x, sin, x; None where the run is not built from single letters and function names."""
    position = 0
    pieces: list[str] = []
    named = False
    while position < len(text):
        name = next((one for one in _SPLIT_NAMES if text.startswith(one, position)), None)
        if name is not None:
            pieces.append(name)
            position += len(name)
            named = True
            continue
        pieces.append(text[position])
        position += 1
    singles = sum(len(piece) == 1 for piece in pieces)
    return pieces if named and singles <= 2 and len(pieces) <= 5 and len(text) <= 12 else None


def letter(parser: Parser, name: str) -> Node:
    """A variable with its primes and subscripts, applied to arguments where it is a function."""
    while parser.at("'"):
        parser.position += 1
        name += "'"
    if parser.at("^") and parser.peek(1).text == "prime":
        parser.position += 2
        name += "'"
    node: Node = Sym(name)
    if parser.at("_"):
        parser.position += 1
        node = subscripted(parser, node)
    if name in CALLED and [parser.peek(ahead).text for ahead in range(6)] == ["^", "{", "-", "1", "}", "("]:
        parser.position += 5
        node = Sym(name := name + "'^-1")
    if parser.at("(") and isinstance(node, Sym) and name not in {"e", "i", "pi"}:
        base = name.rstrip("'")
        if base in CALLED or base in {"phi", "psi"} or "'" in name or defines(parser):
            parser.position += 1
            arguments = arguments_of(parser, ")")
            return Op("call:" + node.name, arguments)
    return node


def defines(parser: Parser) -> bool:
    """Whether the bracket that opens here is closed by one that an equals sign follows, as in P(x) = ..."""
    depth = 0
    for ahead in range(60):
        token = parser.peek(ahead)
        if token.kind == "eof":
            return False
        if token.kind == "op":
            depth += (token.text == "(") - (token.text == ")")
            if depth == 0:
                following = parser.peek(ahead + 1)
                return following.kind == "op" and following.text in {"=", ":"}
    return False


def arguments_of(parser: Parser, closed: str) -> tuple[Node, ...]:
    """The arguments up to a closing bracket."""
    node = parser.items("(", closed)
    parser.expect(closed)
    found = node.items if isinstance(node, Seq) and not node.opened else (node,)
    if not found:
        raise ParseError("a function of nothing")
    return found


def words(parser: Parser, text: str) -> Node:
    """A run of words; a sign of approximation in front of a value is dropped."""
    parts = [text]
    while parser.peek().kind in {"text", "word"} and len(parts) < 60:
        parts.append(parser.take().text)
    joined = " ".join(parts)
    infinite = _INFINITE.get(joined.strip(" .").lower())
    if infinite is not None:
        return infinite
    following = parser.peek()
    if joined.strip(" .:").lower() in APPROXIMATE and following.kind not in {"eof", "and"}:
        return primary(parser)
    currency = CURRENCIES.get(joined.strip(" .")) or CURRENCIES.get(joined.strip(" ").upper())
    if currency is not None and following.kind == "num":
        return Unit(parser.power(), currency)
    return Words(clean_words(joined))


_INFINITE: dict[str, Node] = {
    "infinity": Sym("oo"),
    "positive infinity": Sym("oo"),
    "plus infinity": Sym("oo"),
    "negative infinity": Op("neg", (Sym("oo"),)),
    "minus infinity": Op("neg", (Sym("oo"),)),
}


def clean_words(text: str) -> str:
    """Lower case, one space between words, no punctuation."""
    return " ".join("".join(one if one.isalnum() or one in "'-" else " " for one in text.lower()).split())


def operator(parser: Parser, text: str) -> Node:
    """A bracket, bars, a currency sign."""
    if text in BRACKET and text not in {")", "\\}"}:
        return bracket(parser, BRACKET[text])
    if text == "{":
        return group(parser)
    if text in {"|", "\\|"}:
        return bars(parser, text)
    if text in CURRENCIES or text == "\\$":
        return Unit(parser.power(), CURRENCIES[text.lstrip("\\")])
    if text in {"-", "+"}:
        parser.position -= 1
        return parser.signed()
    if text == "...":
        return Sym("...")
    if text == ".":
        return primary(parser)
    raise ParseError(f"unexpected {text!r}")


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
        if isinstance(inside, Rel | Seq) and not (isinstance(inside, Seq) and inside.opened):
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
    if parser.at("{"):
        parser.position += 1
        inside, following = parser.peek(), parser.peek(1)
        if following.text == "}" and following.kind == "op" and (inside.kind == "num" or (inside.kind == "word" and len(inside.text) == 1)):
            parser.position += 2
            return number(parser, inside) if inside.kind == "num" else Sym(inside.text)
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
    return primary(parser)


def command(parser: Parser, name: str) -> Node:
    """A LaTeX command."""
    if name in {"frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac"}:
        parser.enter()
        top = braced(parser)
        bottom = braced(parser)
        parser.leave()
        return Op("div", (top, bottom))
    if name == "sqrt":
        return root(parser)
    if name in {"cbrt", "qdrt"}:
        return Op("root", (argument(parser), Num(fmpq(3 if name == "cbrt" else 4))))
    if name in {"binom", "dbinom", "tbinom"}:
        top = braced(parser)
        return Op("binom", (top, braced(parser)))
    if name in CONSTANTS:
        return Sym(CONSTANTS[name])
    if name in BIG and (name not in FUNCTIONS or parser.at("_")):
        return big(parser, name)
    if name in FUNCTIONS:
        return function(parser, FUNCTIONS[name])
    if name in GREEK:
        return letter(parser, SAME_LETTER.get(name, name))
    if name in TRANSPARENT:
        return braced(parser)
    if name in ACCENTS:
        inside = braced(parser)
        return Op("call:" + ("overline" if name == "bar" else name), (inside,))
    if name in {"lbrace", "langle", "lbrack"}:
        return bracket(parser, BRACKET[name])
    if name in {"lvert", "lVert", "vert", "Vert"}:
        return bars(parser, {"lvert": "rvert", "lVert": "rVert"}.get(name, name))
    if name in {"lfloor", "lceil"}:
        inside = parser.sum()
        closing = parser.take()
        if closing.text != ("rfloor" if name == "lfloor" else "rceil"):
            raise ParseError("a floor that does not close")
        return Op("floor" if name == "lfloor" else "ceil", (inside,))
    if name in {"emptyset", "varnothing"}:
        return EMPTY_SET
    if name in {"ldots", "dots", "cdots", "dotsc", "dotsb", "vdots", "ddots", "hdots"}:
        return Sym("...")
    if name.startswith("bb:"):
        return Sym(name)
    if name in {"pm", "mp"}:
        parser.position -= 1
        return parser.signed()
    if name in {"cdot", "times"} and parser.peek().kind == "cmd":  # \cdot\cdot\cdot
        return primary(parser)
    if name in {"quad", "qquad"}:
        return primary(parser)
    if name == "angle":
        return letter(parser, "angle")
    raise ParseError(f"unknown command \\{name}")


def root(parser: Parser) -> Node:
    r"""`\sqrt{x}` or `\sqrt[n]{x}`."""
    degree = None
    if parser.at("["):
        parser.position += 1
        degree = parser.sum()
        parser.expect("]")
    inside = argument(parser)
    return Op("sqrt", (inside,)) if degree is None else Op("root", (inside, degree))


def argument(parser: Parser) -> Node:
    """The argument of a root: a group, a bracket, or one whole number or name."""
    parser.enter()
    if parser.at("{"):
        parser.position += 1
        node = parser.items("", "}")
        parser.expect("}")
    else:
        node = primary(parser)
    parser.leave()
    return node


def function(parser: Parser, name: str) -> Node:
    """A known function with its exponent, base and argument."""
    if name == "sqrt":
        return root(parser)
    following = parser.peek()
    if name == "gamma" and not parser.at("("):
        return letter(parser, "Gamma")
    if following.text in {"=", ":"} and following.kind == "op":
        return Words(name)
    exponent: Node | None = None
    base: Node | None = None
    while True:
        if parser.at("^") and exponent is None:
            parser.position += 1
            exponent = braced(parser) if not parser.at("-") else parser.signed()
        elif parser.at("_") and base is None:
            parser.position += 1
            base = whole_token(parser)
        else:
            break
    parser.enter()
    arguments = function_arguments(parser, name)
    parser.leave()
    node: Node
    if name == "log" and base is not None:
        node = Op("logb", (base, *arguments))
    elif base is not None:
        node = Op(f"call:{name}_", (base, *arguments))
    elif name == "log10":
        node = Op("logb", (Num(fmpq(10)), *arguments))
    elif name == "log2":
        node = Op("logb", (Num(fmpq(2)), *arguments))
    elif len(arguments) != _ARITY.get(name, len(arguments)):
        raise ParseError(f"{name} of {len(arguments)} arguments")
    else:
        node = Op(name, arguments)
    if exponent is None:
        return node
    if isinstance(exponent, Num) and exponent.value == -1 and f"{name}" in _INVERSES:
        return Op(_INVERSES[name], arguments)
    return Op("pow", (node, exponent))


_ARITY = {
    **dict.fromkeys(("abs", "sqrt", "floor", "ceil", "fact", "gamma", "exp", "ln", "log", "sin", "cos", "tan"), 1),
    "binom": 2,
}
_INVERSES = {"sin": "asin", "cos": "acos", "tan": "atan", "cot": "acot", "sec": "asec", "csc": "acsc", "sinh": "asinh",
             "cosh": "acosh", "tanh": "atanh"}  # fmt: skip


def function_arguments(parser: Parser, name: str) -> tuple[Node, ...]:
    """Bracketed arguments, or the factors that follow up to the next operator or function."""
    if parser.at("("):
        parser.position += 1
        return arguments_of(parser, ")")
    if parser.at("["):
        parser.position += 1
        return arguments_of(parser, "]")
    if parser.at("{") and name in {"max", "min", "gcd", "lcm", "sup", "inf"}:
        parser.position += 1
        return arguments_of(parser, "}")
    if parser.peek().text in {"\\{", "lbrace"} and name in {"max", "min", "gcd", "lcm", "sup", "inf"}:
        node = primary(parser)
        return node.items if isinstance(node, Seq) else (node,)
    negative = parser.at("-")
    if negative:
        parser.position += 1
    node = parser.power()
    while starts(parser, 0):
        token = parser.peek()
        if token.text in FUNCTIONS or token.text in BIG or token.text in {"(", "["} or token.kind == "begin":
            break
        if token.kind == "word" and split_names(token.text) is not None and len(token.text) > 2:
            break
        if token.kind == "num" and isinstance(node, Num):
            raise ParseError("two numbers side by side")
        node = Op("mul", (node, parser.power()))
    return (Op("neg", (node,)) if negative else node,)


def big(parser: Parser, name: str) -> Node:
    r"""`\sum`, `\int`, `\lim` and their like: limits and a body, taken as they stand."""
    low: Node | None = None
    high: Node | None = None
    while parser.at("_") or parser.at("^"):
        mark = parser.take().text
        if parser.at("{"):
            parser.position += 1
            part = parser.items("", "}")
            parser.expect("}")
        else:
            part = whole_token(parser)
        if mark == "_":
            low = part
        else:
            high = part
    if low is None and high is None and name in {"bigcup", "bigcap"}:
        raise ParseError(f"a bare {name}")
    parser.enter()
    body = function_arguments(parser, name) if name in FUNCTIONS else (parser.term(),)
    parser.leave()
    return Op("big:" + name, (low or Words(""), high or Words(""), *body))


def whole_token(parser: Parser) -> Node:
    """A subscript or limit: a group, a whole number, or one primary."""
    if parser.at("{"):
        return braced(parser)
    if parser.peek().kind == "num":
        return number(parser, parser.take())
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
        exponent = primary(parser)
        exponent = Op("neg", (exponent,)) if sign == "-" else exponent
    elif token.kind == "num":
        exponent = number(parser, parser.take())
    else:
        exponent = braced(parser) if token.kind == "word" else primary(parser)
    while parser.at("!"):
        parser.position += 1
        exponent = Op("fact", (exponent,))
    if parser.at("^") or parser.at("**"):
        parser.position += 1
        exponent = raised(parser, exponent)
    parser.leave()
    return Op("pow", (base, exponent))


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


def environment(parser: Parser, name: str) -> Node:
    """A matrix, a system, or cases between begin and end."""
    if name not in MATRICES:
        raise ParseError(f"unknown environment {name}")
    if name in {"array", "tabular"} and parser.at("{"):
        while not parser.at("}"):
            if parser.take().kind == "eof":
                raise ParseError("an array without end")
        parser.position += 1
    parser.enter()
    rows: list[tuple[Node, ...]] = []
    row: list[Node] = []
    while True:
        token = parser.peek()
        if token.kind == "eof":
            raise ParseError(f"{name} without end")
        if token.kind == "end":
            parser.position += 1
            break
        if token.kind == "op" and token.text == "\\\\":
            parser.position += 1
            if row:
                rows.append(tuple(row))
            row = []
        elif (
            (token.kind == "op" and token.text == "&")
            or (token.kind == "cmd" and token.text in {"hline", "quad", "qquad", "newline"})
            or (token.kind == "op" and token.text in {",", ";", "."})
        ):
            parser.position += 1
        elif token.kind == "cond" and " " in token.text:
            parser.position += 1
            row.append(Sym(token.text))
        elif token.kind in {"cond", "and"}:
            parser.position += 1
        else:
            row.append(parser.statement())
    if row:
        rows.append(tuple(row))
    parser.leave()
    if (
        name in {"aligned", "align", "gathered", "split", "equation", "gather", "center", "eqnarray"}
        or (name == "cases" and rows and all(len(one) == 1 and isinstance(one[0], Rel) for one in rows))
        or (name == "array" and rows and all(len(one) == 1 and isinstance(one[0], Rel) for one in rows))
    ):
        flat = tuple(cell for one in rows for cell in one)
        return flat[0] if len(flat) == 1 else Seq("", "", flat)
    if not rows or len({len(one) for one in rows}) != 1:
        raise ParseError("rows of different length")
    kind = "cases" if "cases" in name else "det" if name in {"vmatrix", "Vmatrix"} else "matrix"
    return Matrix(kind, tuple(rows))
