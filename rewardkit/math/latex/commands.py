"""LaTeX commands: fractions, roots, functions, sums and integrals, matrices and systems."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.latex import brackets, calculus, primary
from rewardkit.math.latex.tree import (
    EMPTY_SET,
    Labelled,
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
from rewardkit.math.latex.vocabulary import (
    ACCENTS,
    BIG,
    BRACKET,
    CONSTANTS,
    FUNCTIONS,
    GREEK,
    RELATIONS,
    SAME_LETTER,
    TRANSPARENT,
)

if TYPE_CHECKING:
    from rewardkit.math.latex.parser import Parser

MATRICES = frozenset({"pmatrix", "bmatrix", "matrix", "Bmatrix", "smallmatrix", "array", "vmatrix", "Vmatrix", "cases", "aligned",
                      "align", "gathered", "split", "equation", "gather", "center", "tabular", "rcases", "eqnarray"})  # fmt: skip


_FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac"})


def command(parser: Parser, name: str) -> Node:
    """A LaTeX command."""
    if name in _FRACTIONS:
        parser.enter()
        top = brackets.braced(parser, single=True)
        bottom = brackets.braced(parser, single=True)
        parser.leave()
        return calculus.derivative(top, bottom) or Op("div", (top, bottom))
    if name in {"sqrt", "surd"}:
        return root(parser)
    if name in {"cbrt", "qdrt"}:
        return Op("root", (argument(parser), Num(fmpq(3 if name == "cbrt" else 4))))
    if name in {"binom", "dbinom", "tbinom"}:
        top = brackets.braced(parser)
        return Op("binom", (top, brackets.braced(parser)))
    if name in CONSTANTS:
        return Sym(CONSTANTS[name])
    if name == "Pr":
        return primary.letter(parser, "P")
    if name == "inf" and parser.peek().text in {",", ")", "]"}:
        return Sym("oo")
    if name in BIG and parser.at("="):
        return Words(name)
    if name in BIG and (name not in FUNCTIONS or parser.at("_")):
        return big(parser, name)
    if name in FUNCTIONS:
        return function(parser, FUNCTIONS[name])
    if (
        name in {"angle", "triangle"}
        and parser.peek().kind == "word"
        and len(parser.peek().text) == 3
        and parser.peek().text.isupper()
    ):
        return figure(name, parser.take().text)
    if name in GREEK:
        return primary.letter(parser, SAME_LETTER.get(name, name))
    if name in {"bf", "it", "rm"} and not parser.at("{"):  # a switch, not a command with an argument
        return primary.primary(parser)
    if name in TRANSPARENT:
        return _styled(parser, name, brackets.braced(parser))
    if name in ACCENTS:
        inside = brackets.braced(parser)
        if name in {"hat", "widehat"} and isinstance(inside, Sym) and inside.name in {"i", "j", "k"}:
            return inside
        return Op("call:" + _SAME_ACCENT.get(name, name), (inside,))
    if name in {"lbrace", "langle", "lbrack"}:
        return brackets.bracket(parser, BRACKET[name])
    if name in {"lvert", "lVert", "vert", "Vert"}:
        return brackets.bars(parser, {"lvert": "rvert", "lVert": "rVert"}.get(name, name))
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
        if name in {"bb:P", "bb:E"} and parser.peek().text in {"(", "["}:
            return primary.letter(parser, name[3:])
        return Sym(name)
    if name in {"pm", "mp"}:
        parser.position -= 1
        return parser.signed()
    if name in {"cdot", "times"} and parser.peek().kind == "cmd":  # \cdot\cdot\cdot
        return primary.primary(parser)
    if name == "nexists":
        return Words("does not exist")
    if name in {"quad", "qquad"}:
        return primary.primary(parser)
    if name == "angle":
        return primary.letter(parser, "angle")
    if RELATIONS.get(name) in {"<=", ">=", "<", ">"}:
        return primary.bound(parser, RELATIONS[name])
    raise ParseError(f"unknown command \\{name}")


def _styled(parser: Parser, name: str, inside: Node) -> Node:
    """What stands in another font or under an arrow; AB under an arrow is one name, which has a direction."""
    if name in {"overrightarrow", "vec"} and isinstance(inside, Op) and inside.name == "mul":
        if all(isinstance(one, Sym) and one.name.isupper() for one in inside.args):
            return Op("call:vector", inside.args)
    elif isinstance(inside, Sym) and len(inside.name) == 1:
        if (
            inside.name in _SETS
            and name in {"mathbf", "bold"}
            and (parser.peek().text in {"(", "["} or parser.peek(-4).text == "in")
        ):
            return Sym("bb:" + inside.name)
        if parser.at("(") or (parser.at("[") and inside.name in {"E", "P"}):
            return primary.letter(parser, inside.name)
    return inside


_SETS = frozenset("NZQRC")
_SAME_ACCENT = {"bar": "overline", "widehat": "hat", "widetilde": "tilde"}


def figure(name: str, corners: str) -> Node:
    """An angle or a triangle named by its corners; an angle may be read from either side."""
    if name == "angle" and corners[0] > corners[-1]:
        corners = corners[::-1]
    return Op("call:" + name, tuple(map(Sym, corners)))


def root(parser: Parser) -> Node:
    r"""`\sqrt{x}` or `\sqrt[n]{x}`."""
    degree = None
    if parser.at("["):
        parser.position += 1
        degree = None if parser.at("]") else parser.sum()
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
    elif parser.peek().kind == "num":
        node = primary.alone(parser.take().text)
    else:
        node = primary.primary(parser)
    parser.leave()
    return node


def function(parser: Parser, name: str) -> Node:
    """A known function with its exponent, base and argument."""
    if name == "sqrt":
        return root(parser)
    following = parser.peek()
    if name == "inf" and (following.kind == "eof" or (following.kind == "op" and following.text in {",", ")", "]"})):
        return Sym("oo")
    if name == "gamma" and not parser.at("("):
        return primary.letter(parser, "Gamma")
    if following.text in {"=", ":"} and following.kind == "op":
        return Words(name)
    exponent: Node | None = None
    base: Node | None = None
    while True:
        if parser.at("^") and exponent is None:
            parser.position += 1
            exponent = brackets.braced(parser) if not parser.at("-") else parser.signed()
        elif parser.at("_") and base is None:
            parser.position += 1
            base = brackets.whole_token(parser, argument=name == "log")
        else:
            break
    if name in {"max", "min"} and base is None and following.kind in {"num", "mixed"}:
        return Labelled({"max": "maximum", "min": "minimum"}[name], parser.sum())
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
    elif name == "det" and len(arguments) == 1 and isinstance(arguments[0], Matrix):
        node = Matrix("det", arguments[0].rows)
    elif len(arguments) != _ARITY.get(name, len(arguments)):
        raise ParseError(f"{name} of {len(arguments)} arguments")
    else:
        node = Op(name, arguments)
    if name == "cis" and len(arguments) == 1:
        node = Op("add", (Op("cos", arguments), Op("mul", (Sym("i"), Op("sin", arguments)))))
    if exponent is None:
        return node
    if isinstance(exponent, Num) and exponent.value == -1 and f"{name}" in _INVERSES:
        return Op(_INVERSES[name], arguments)
    return Op("pow", (node, exponent))


_VECTORS = frozenset({"mathbf", "boldsymbol", "bm", "vec", "hat", "widehat", "mathrm", "overrightarrow"})
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
        return primary.arguments_of(parser, ")")
    if parser.at("["):
        parser.position += 1
        return primary.arguments_of(parser, "]")
    if parser.at("{") and name in {"max", "min", "gcd", "lcm", "sup", "inf"}:
        parser.position += 1
        return primary.arguments_of(parser, "}")
    if parser.peek().text in {"\\{", "lbrace"} and name in {"max", "min", "gcd", "lcm", "sup", "inf"}:
        node = primary.primary(parser)
        if isinstance(node, Seq) and not node.items:
            raise ParseError("a function of nothing")
        return node.items if isinstance(node, Seq) else (node,)
    negative = parser.at("-")
    if negative:
        parser.position += 1
    node = parser.power()
    while primary.starts(parser, 0):
        token = parser.peek()
        if token.text in FUNCTIONS or token.text in BIG or token.text in {"(", "["} or token.kind == "begin":
            break
        if token.kind == "word" and primary.split_names(token.text) is not None and len(token.text) > 2:
            break
        if (token.text == "e" and parser.peek(1).text == "^") or (token.kind == "cmd" and token.text in _VECTORS):
            break  # \ln x e^x, \cos t \mathbf{i}
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
            part = brackets.whole_token(parser)
        if mark == "_":
            low = part
        else:
            high = part
    if low is None and high is None and name in {"bigcup", "bigcap"}:
        raise ParseError(f"a bare {name}")
    parser.enter()
    body = function_arguments(parser, name) if name in FUNCTIONS else (parser.term(),)
    parser.leave()
    if name == "int" and low is not None and high is not None:
        return calculus.integral(low, high, body)
    return Op("big:" + name, (low or Words(""), high or Words(""), *body))


_STATE = re.compile(r"(?:is |are )?(even|odd|prime|an integer|rational|irrational)", re.IGNORECASE)
_CASE = re.compile(r"(?:if|when|for|for all) ([a-z]) (?:is |are )?(even|odd|prime|rational|irrational)", re.IGNORECASE)


def _case_condition(text: str) -> Node:
    """The condition of a case in words: "if n is even"."""
    match = _CASE.fullmatch(text)
    return Unit(Sym(match[1]), match[2].lower()) if match is not None else Sym(text)


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
            row.append(_case_condition(token.text))
        elif token.kind in {"cond", "and"}:
            parser.position += 1
            if token.text in {"otherwise", "else"} and row:
                row.append(Words("otherwise"))
        elif token.kind == "text" and row and (state := _STATE.fullmatch(token.text)) is not None:
            parser.position += 1
            row[-1] = Unit(row[-1], state[1].lower())
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
        return flat[0] if len(flat) == 1 else Seq("", "", flat, both=all(isinstance(one, Rel) for one in flat))
    if rows and name in {"array", "tabular"} and len(rows) == len(rows[0]) == 1:
        return rows[0][0]
    if not rows or len({len(one) for one in rows}) != 1:
        raise ParseError("rows of different length")
    kind = "cases" if "cases" in name else "det" if name in {"vmatrix", "Vmatrix"} else "matrix"
    return Matrix(kind, tuple(rows))
