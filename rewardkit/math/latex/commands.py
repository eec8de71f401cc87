"""What begins with a command or a bracket: fractions, roots, functions, sums and integrals, sets, matrices and systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.latex import vocabulary
from rewardkit.math.latex.lexer import CONDITION, Token, tokenize
from rewardkit.math.latex.lists import bars, bracket
from rewardkit.math.latex.names import bound, letter
from rewardkit.math.latex.numbers import integer
from rewardkit.math.latex.tree import EMPTY_SET, Matrix, Node, Num, Op, ParseError, Rel, Seq, Sym, Words
from rewardkit.math.latex.vocabulary import BIG, CALLED, CONSTANTS, FRACTIONS, FUNCTIONS, RELATIONS, word_set
from rewardkit.math.patterns import lazy

if TYPE_CHECKING:
    from rewardkit.math.latex.parser import Parser

_SYSTEMS = word_set("aligned align gathered split equation gather center eqnarray")
ENVIRONMENTS = _SYSTEMS | word_set(
    "pmatrix bmatrix matrix Bmatrix smallmatrix array vmatrix Vmatrix cases tabular rcases"
)
_OF_SETS = word_set("max min gcd lcm sup")
_UNIT_VECTORS = frozenset(map(Sym, "ijk"))
_SAME_ACCENT = {"bar": "overline", "widehat": "hat", "widetilde": "tilde"}
_ARITY = dict.fromkeys(word_set("abs sqrt floor ceil fact gamma exp ln log sin cos tan"), 1) | {"binom": 2}
_INVERSES = {one: f"a{one}" for one in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh")}
_BASES = {"log10": 10, "log2": 2}


def _rounded(p: Parser, name: str) -> Node:
    """A floor or a ceiling."""
    inside = p.sum()
    if p.take().text != ("rfloor" if name == "lfloor" else "rceil"):
        raise ParseError("a floor that does not close")
    return Op("floor" if name == "lfloor" else "ceil", (inside,))


# -- numbers -----------------------------------------------------------------------------------------------------------


def number(p: Parser, found: Num | Sym) -> Node:
    """A number; a whole one with a proper fraction behind it is a mixed number."""
    if p.peek().text in FRACTIONS and isinstance(found, Num) and found.places is None and found.value.q == 1:
        before = p.position
        part = p.primary()
        top, bottom = part.args if isinstance(part, Op) and part.name == "div" else (part, part)
        raised = p.at("^") and "circ" not in {p.peek(1).text, p.peek(2).text}
        if isinstance(top, Num) and isinstance(bottom, Num) and 0 < top.value < bottom.value and not raised:
            return Num(found.value + top.value / bottom.value)
        p.position = before
    return found


# -- commands ----------------------------------------------------------------------------------------------------------


def _fraction(p: Parser, _: str) -> Node:
    """A fraction, or a derivative."""
    top = p.argument()
    bottom = p.argument()
    if type(top) is Op and type(bottom) is Op and (found := _derivative(top, bottom)) is not None:
        return found
    return Op("div", (top, bottom))


def _derivative(top: Op, bottom: Op) -> Node | None:
    """dy/dx as y', d^2y/dx^2 as y''; None for any other fraction."""
    if not top.name == bottom.name == "mul":
        return None
    (sign, name), (below, variable) = top.args, bottom.args
    order = 1
    if isinstance(sign, Op) and isinstance(variable, Op) and sign.args[1:] == variable.args[1:] == (Num(fmpq(2)),):
        order, sign, variable = 2, sign.args[0], variable.args[0]
    if not sign == below == Sym("d") or not isinstance(name, Sym) or not isinstance(variable, Sym):
        return None
    primed = name.name + "'" * order
    return Op("call:" + primed, (variable,)) if name.name in CALLED else Sym(primed)


def _constant(p: Parser, name: str) -> Node:
    """A constant; of a lone letter in brackets, the function that counts primes."""
    if name == "pi" and p.at("(") and p.peek(2).text == ")" and p.peek(1).kind == "word" and len(p.peek(1).text) == 1:
        p.position += 1
        return Op("call:pi", p.arguments(")"))
    return Sym(CONSTANTS[name])


def _figure(p: Parser, name: str) -> Node:
    """An angle or a triangle named by its corners; an angle may be read from either side."""
    kind, text, _ = p.peek()
    if kind != "word" or len(text) != 3 or not text.isupper():
        return letter(p, name)
    p.position += 1
    return Op("call:" + name, tuple(map(Sym, min(text, text[::-1]) if name == "angle" else text)))


def _accented(p: Parser, name: str) -> Node:
    """A bar, hat or tilde; a unit vector may have a hat."""
    inside = p.argument()
    if name in {"hat", "widehat"} and inside in _UNIT_VECTORS:
        return inside
    return Op("call:" + _SAME_ACCENT.get(name, name), (inside,))


def _styled(p: Parser, name: str) -> Node:
    """What stands in another font or under an arrow; AB under an arrow is one name, which has a direction."""
    if name in {"bf", "it", "rm"} and not p.at("{"):  # a switch, not a command with an argument
        return p.primary()
    inside = p.argument()
    if name in {"overrightarrow", "vec"} and isinstance(inside, Op) and inside.name == "mul":
        if all(isinstance(one, Sym) and one.name.isupper() for one in inside.args):
            return Op("call:vector", inside.args)
    elif name == "mathbf" and isinstance(inside, Sym) and inside.name in _NUMBERS:
        return Sym(f"bb:{inside.name}")
    elif isinstance(inside, Sym) and len(inside.name) == 1 and p.at("("):
        return letter(p, inside.name)
    return inside


_NUMBERS = frozenset("NZQR")
"""Letters that name sets of numbers in bold type."""


def _root(p: Parser, name: str) -> Node:
    r"""`\sqrt{x}`, `\sqrt[n]{x}`, `\cbrt{x}`."""
    degree = {"cbrt": integer("3"), "qdrt": integer("4")}.get(name)
    if degree is None and p.skip("["):
        degree = p.sum()
        p.expect("]")
    inside = p.closed("}") if p.skip("{") else p.limit() if p.peek().kind == "num" else p.primary()
    return Op("sqrt", (inside,)) if degree is None else Op("root", (inside, degree))


# -- functions ---------------------------------------------------------------------------------------------------------


def function(p: Parser, name: str) -> Node:
    """A known function with its exponent, base and argument."""
    if p.peek().text in {"=", ":"}:
        return Words(name)
    exponent: Node | None = None
    base: Node | None = None
    while True:
        if exponent is None and p.skip("^"):
            exponent = p.signed() if p.at("-") else p.argument()
        elif base is None and p.skip("_"):
            base = p.limit(argument=name == "log")
        else:
            break
    arguments = _arguments(p, name)
    if isinstance(exponent, Num) and exponent.value == -1 and name in _INVERSES:
        return Op(_INVERSES[name], arguments)
    node = _applied(name, base, arguments)
    return node if exponent is None else Op("pow", (node, exponent))


def _arguments(p: Parser, name: str) -> tuple[Node, ...]:
    """Bracketed arguments, or the factors that follow up to the next operator or function."""
    for opened, closed in (("(", ")"), ("[", "]"), ("{", "}")):
        if (opened != "{" or name in _OF_SETS) and p.skip(opened):
            return p.arguments(closed)
    if name in _OF_SETS and p.peek().text in {"\\{", "lbrace"}:
        node = p.primary()
        return node.items if isinstance(node, Seq) and node.items else (node,)
    negative = p.skip("-")
    node = p.power()
    while p.starts() and not _argument_ends(p):
        node = Op("mul", (node, p.power()))
    return (Op("neg", (node,)) if negative else node,)


def _argument_ends(p: Parser) -> bool:
    r"""Whether a factor begins here that is no part of an argument without brackets: \sin x \cos x, \ln x e^x."""
    text = p.peek().text
    return text in FUNCTIONS or text in {"(", "["} or (text == "e" and p.peek(1).text == "^")


def _applied(name: str, base: Node | None, arguments: tuple[Node, ...]) -> Node:
    """A function of its arguments."""
    if name in _BASES:
        name, base = "log", Num(fmpq(_BASES[name]))
    if len(arguments) != _ARITY.get(name, len(arguments)):
        raise ParseError(f"{name} of {len(arguments)} arguments")
    if base is not None:
        return Op("logb" if name == "log" else f"call:{name}_", (base, *arguments))
    if name == "det" and isinstance(arguments[0], Matrix):
        return Matrix("det", arguments[0].rows)
    if name == "cis":
        return Op("add", (Op("cos", arguments), Op("mul", (Sym("i"), Op("sin", arguments)))))
    return Op(name, arguments)


def big(p: Parser, name: str) -> Node:
    r"""`\sum`, `\int`, `\lim` and their like: limits and a body, taken as they stand."""
    if p.at("="):
        return Words(name)
    limits: dict[str, Node] = {}
    while p.at("_") or p.at("^"):
        mark = p.take().text
        limits[mark] = p.closed("}") if p.skip("{") else p.limit()
    body = _arguments(p, name) if name in FUNCTIONS else (p.term(),)
    return Op("big:" + name, (limits.get("_", Words("")), limits.get("^", Words("")), *body))


# -- environments ------------------------------------------------------------------------------------------------------


def environment(p: Parser, name: str) -> Node:
    """A matrix, a system, or cases between begin and end."""
    if name not in ENVIRONMENTS:
        raise ParseError(f"unknown environment {name}")
    if name in {"array", "tabular"} and p.at("{"):
        while not p.skip("}") and p.take().kind != "eof":
            pass
    rows: list[tuple[Node, ...]] = []
    row: list[Node] = []
    while p.peek().kind != "end":
        if not p.skip("\\\\"):
            _cell(p, row)
        elif row:
            rows.append(tuple(row))
            row = []
    p.position += 1
    if row:
        rows.append(tuple(row))
    return _environment(name, rows)


def _cell(p: Parser, row: list[Node]) -> None:
    """One cell of a row, or what stands between two."""
    kind, text, _ = p.peek()
    if text in {"&", ",", ";", ".", "hline", "quad", "qquad", "newline"}:
        p.position += 1
    elif kind == "cond" and text != "otherwise":
        said = _QUANTIFIERS.sub("", CONDITION.sub("", text, count=1))
        p.replace(*(tokenize(said)[:-1] if not said or _COMPARES.search(said) is not None else (Token("text", said),)))
    elif kind in {"cond", "and"}:
        p.position += 1
        row.extend([Words(text)] * (kind == "cond"))
    else:
        beside = p.peek(-1).text != "&"
        cell = p.statement()
        if beside and isinstance(cell, Words) and len(row) > 1 and isinstance(row[-1], Sym):
            row[-1] = Words(f"{row[-1].name} {cell.text}")  # n is even
        else:
            row.append(cell)


_COMPARES = lazy(r"[=<>\\]")
_QUANTIFIERS = lazy(r"\A(?:(?:each|every|all|any|some|real|integers?|values?|numbers?|of|and|only|if)(?: |\Z))+")


def _environment(name: str, rows: list[tuple[Node, ...]]) -> Node:
    """Rows of cells as a matrix, as cases, or as a list of equations."""
    single = bool(rows) and all(len(one) == 1 and isinstance(one[0], Rel) for one in rows)
    if name in _SYSTEMS or (single and name in {"cases", "array"}):
        flat = tuple(cell for one in rows for cell in one)
        return flat[0] if len(flat) == 1 else Seq("", "", flat, both=all(isinstance(one, Rel) for one in flat))
    if len({len(one) for one in rows}) != 1:
        raise ParseError("rows of different length")
    kind = "cases" if "cases" in name else "det" if name in {"vmatrix", "Vmatrix"} else "matrix"
    return Matrix(kind, tuple(rows))


def _always(node: Node) -> Reader:
    """What reads a command that stands for one thing."""
    return lambda _p, _name: node


Reader = Callable[["Parser", str], Node]
_DOTS = word_set("ldots dots cdots dotsc dotsb vdots ddots hdots")
COMMANDS: dict[str, Reader] = {
    **dict.fromkeys((name for name, relation in RELATIONS.items() if relation in {"<=", ">=", "<", ">"}), lambda p, name: bound(p, RELATIONS[name])),
    **dict.fromkeys(vocabulary.TRANSPARENT, _styled),
    **dict.fromkeys((*vocabulary.GREEK, "Pr"), lambda p, name: letter(p, vocabulary.SAME_LETTER.get(name, name))),
    **dict.fromkeys(BIG, big),
    **dict.fromkeys(FUNCTIONS, lambda p, name: big(p, name) if name in BIG and p.at("_") else function(p, FUNCTIONS[name])),
    **dict.fromkeys(vocabulary.ACCENTS, _accented),
    **dict.fromkeys(CONSTANTS, _constant),
    **dict.fromkeys(FRACTIONS, _fraction),
    **dict.fromkeys(("sqrt", "surd", "cbrt", "qdrt"), _root),
    **dict.fromkeys(("binom", "dbinom", "tbinom"), lambda p, _: Op("binom", (p.argument(), p.argument()))),
    **dict.fromkeys(("lbrace", "langle", "lbrack", "lparen"), bracket),
    **dict.fromkeys(("lvert", "lVert", "vert", "Vert"), bars),
    **dict.fromkeys(("lfloor", "lceil"), _rounded),
    **dict.fromkeys(("angle", "triangle"), _figure),
    **dict.fromkeys(_DOTS, _always(Sym("..."))),
    **dict.fromkeys(("emptyset", "varnothing"), _always(EMPTY_SET)),
    "nexists": _always(Words("does not exist")),
}  # fmt: skip
"""What reads each command; the last entry for a name counts."""

_NO_FACTORS = vocabulary.SET_OPERATORS.keys() | RELATIONS.keys() | _DOTS | word_set("nexists vert Vert lbrack lparen")
FACTORS = COMMANDS.keys() - (_NO_FACTORS - word_set("parallel"))
"""Commands that begin a factor, perhaps beside another."""
